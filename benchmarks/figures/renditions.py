"""Smaller copies of pictures, for pages: one of 4,000 × 3,000 pixels was 9.4 MB at first view."""

import io
from contextlib import suppress

from PIL import Image, ImageOps

from benchmarks.figures.images import FORMATS, MAX_PIXELS

MOST_BYTES = 200_000
"""Of a picture at first view; one that is no larger is shown as it is."""
SIDES = 1_200, 800, 500
"""Pixels of the longer side: twice the 600 that a page gives a figure, for dense screens. Noise of
1,200 x 900 pixels is 180 kB at the lowest quality; the smaller ones are for what is worse yet."""
QUALITIES = 82, 60, 40  # of WebP: text in charts is sharp at the first and readable at the last
SCALABLE = "L", "RGB", "RGBA", "CMYK"
SIXTEEN_BITS = "I;16", "I;16B", "I;16L", "I"
MOST_PROFILE = (
    10_000  # bytes; profiles of screens have 0.5 to 4 kB, those of presses half a megabyte
)
UNREADABLE = (
    OSError,
    ValueError,
    SyntaxError,
    Image.DecompressionBombError,
    Image.DecompressionBombWarning,
)


def rendition_of(content: bytes) -> bytes | None:
    """The picture as WebP of at most MOST_BYTES, upright and as transparent as it is.

    None where it should be shown as it is: it is small enough, moves, or cannot be read.
    """
    if len(content) <= MOST_BYTES:
        return None
    # Whatever is wrong with a file, its picture was accepted once and is shown as ever.
    with suppress(*UNREADABLE), Image.open(io.BytesIO(content), formats=tuple(FORMATS)) as image:
        if image.width * image.height > MAX_PIXELS or getattr(image, "is_animated", False):
            return None
        profile = image.info.get("icc_profile", b"") if image.mode in ("RGB", "RGBA") else b""
        # Made small first: JPEG files are then read at a fraction of their size, and nothing else
        # is done to fifty million pixels.
        shown = image if image.mode in SCALABLE else in_colour(image)
        shown.thumbnail((SIDES[0], SIDES[0]), Image.Resampling.LANCZOS, reducing_gap=3.0)
        upright = in_colour(ImageOps.exif_transpose(shown))
        return smallest(upright, profile if len(profile) <= MOST_PROFILE else b"")
    return None


def smallest(picture: Image.Image, profile: bytes) -> bytes | None:
    """The first of sides and qualities, the best first, that is small enough."""
    for side in SIDES:
        picture.thumbnail((side, side), Image.Resampling.LANCZOS)
        for quality in QUALITIES:
            out = io.BytesIO()
            picture.save(out, "WEBP", quality=quality, method=4, icc_profile=profile)
            if out.tell() <= MOST_BYTES:
                return out.getvalue()
    return None


def in_colour(image: Image.Image) -> Image.Image:
    """RGB, or RGBA where parts of it are transparent."""
    if image.mode in SIXTEEN_BITS:
        # Pillow cuts 16 bits off at 255, which makes nearly all of a picture white.
        return image.convert("I").point(lambda value: value / 257).convert("L").convert("RGB")
    return image.convert("RGBA" if image.has_transparency_data else "RGB")
