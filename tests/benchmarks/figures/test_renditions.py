"""Smaller copies of pictures: of every kind there may be, and of none that cannot be."""

import io

import numpy as np
import pytest
from PIL import Image

from benchmarks.figures.images import MAX_PIXELS
from benchmarks.figures.renditions import MOST_BYTES, SIDES, rendition_of
from tests.benchmarks.pictures import chunk, picture, png_that_claims
from tests.each_case import each_case

SIZE = 1_600, 1_200
LEFT, RIGHT = (200, 30, 20), (20, 40, 200)


def halves(mode: str = "RGB", size: tuple[int, int] = SIZE) -> Image.Image:
    """Red on the left, blue on the right, and enough noise that no format makes it small."""
    width, height = size
    shown = np.zeros((height, width, 3), dtype=np.int16)
    shown[:, : width // 2], shown[:, width // 2 :] = LEFT, RIGHT
    noise = np.random.default_rng(1).integers(-20, 20, size=shown.shape)
    return Image.fromarray(np.clip(shown + noise, 0, 255).astype(np.uint8)).convert(mode)


def encoded(image: Image.Image, kind: str = "PNG", **how: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **how)
    assert out.tell() > MOST_BYTES
    return out.getvalue()


def opened(content: bytes | None) -> Image.Image:
    assert content is not None
    assert len(content) <= MOST_BYTES
    image = Image.open(io.BytesIO(content))
    image.load()
    assert image.format == "WEBP"
    assert max(image.size) <= SIDES[0]
    return image


def is_like(pixel: tuple[int, ...], colour: tuple[int, int, int]) -> bool:
    return all(abs(one - other) < 40 for one, other in zip(pixel, colour, strict=False))


def at(image: Image.Image, across: int, down: int) -> tuple[int, ...]:
    found = image.getpixel((across, down))
    assert isinstance(found, tuple)
    return found


def sides_of(image: Image.Image) -> tuple[tuple[int, ...], tuple[int, ...]]:
    middle = image.height // 2
    return at(image, 20, middle), at(image, image.width - 20, middle)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "mode"),
    [("PNG", "RGB"), ("JPEG", "RGB"), ("WEBP", "RGB"), ("JPEG", "CMYK"), ("PNG", "P")],
)
def test_a_large_picture_gets_a_small_copy_in_its_colours(kind, mode):
    how = {"quality": 95} if kind != "PNG" else {}
    small = opened(rendition_of(encoded(halves(mode), kind, **how)))
    left, right = sides_of(small)
    assert is_like(left, LEFT)
    assert is_like(right, RIGHT)
    assert small.width / small.height == pytest.approx(SIZE[0] / SIZE[1], abs=0.01)


def test_a_small_file_is_shown_as_it_is():
    assert rendition_of(picture(size=(4_000, 3_000))) is None


@pytest.mark.slow
@pytest.mark.parametrize("orientation", [3, 6, 8])
def test_a_picture_that_a_camera_turned_stands_upright(orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    small = opened(rendition_of(encoded(halves(), "JPEG", quality=95, exif=exif)))
    assert (small.width > small.height) == (orientation == 3)
    if orientation == 3:
        left, right = sides_of(small)
        assert is_like(left, RIGHT)
        assert is_like(right, LEFT)
    else:
        top = at(small, small.width // 2, 20)
        assert is_like(top, LEFT if orientation == 6 else RIGHT)
    assert not small.getexif().get(0x0112)


@pytest.mark.slow
def test_what_is_transparent_stays_so():
    clear = halves("RGBA")
    clear.paste((0, 0, 0, 0), (0, 0, 400, SIZE[1]))
    small = opened(rendition_of(encoded(clear)))
    assert small.mode == "RGBA"
    assert at(small, 20, 20)[3] == 0
    assert at(small, small.width - 20, 20)[3] == 255


@pytest.mark.slow
def test_sixteen_bits_of_grey_keep_their_shades():
    grey = np.zeros((1_200, 1_600), dtype=np.uint16)
    grey[:, :800], grey[:, 800:] = 60 * 257, 180 * 257
    grey += np.random.default_rng(1).integers(0, 2_000, size=grey.shape, dtype=np.uint16)
    left, right = sides_of(opened(rendition_of(encoded(Image.fromarray(grey)))))
    assert left[0] == pytest.approx(64, abs=12)
    assert right[0] == pytest.approx(184, abs=12)


@pytest.mark.slow
def test_a_picture_that_moves_is_shown_as_it_is():
    frames = [halves(size=(800, 600)), halves(size=(800, 600)).rotate(180)]
    content = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert rendition_of(content) is None


@pytest.mark.slow
def test_nothing_but_noise_is_made_small_too():
    noise = np.random.default_rng(1).integers(0, 256, size=(3_000, 4_000, 3), dtype=np.uint8)
    opened(rendition_of(encoded(Image.fromarray(noise), "JPEG", quality=95)))


def padded(content: bytes) -> bytes:
    return content + b"\0" * MOST_BYTES


@each_case(
    "content",
    lambda: [
        encoded(halves(), "JPEG", quality=95)[:-100_000],
        encoded(halves())[:300_000],
        padded(b"no picture"),
        padded(png_that_claims(10_000, MAX_PIXELS // 10_000 + 1)),
        padded(png_that_claims(40_000, 40_000)),
        padded(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", b"")),
    ],
)
def test_what_cannot_be_read_is_left_as_it_is(content):
    assert rendition_of(content) is None


@pytest.mark.slow
def test_a_large_colour_profile_is_left_out_and_a_small_one_kept():
    for size, kept in ((500, True), (60_000, False)):
        profile = b"p" * size
        small = opened(rendition_of(encoded(halves(), icc_profile=profile)))
        assert small.info.get("icc_profile", b"") == (profile if kept else b"")
