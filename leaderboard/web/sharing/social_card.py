"""The picture that chats and networks show beside a link: a title, a figure and a line, as a PNG.

Drawn with the font that Pillow carries, which has Latin letters only: a name in others is left to
the text beside the picture.
"""

import io
from bisect import bisect_right
from functools import cache

from PIL import Image, ImageDraw, ImageFont
from PIL.ImageFont import FreeTypeFont

SIZE = (1200, 630)
"""What Open Graph's readers crop least."""
MARGIN = 80
PAPER, INK, MUTED, ACCENT, LINE = "#fbfaf7", "#1c1b19", "#5f5b53", "#0b5e57", "#e4e0d8"
FIGURES = (128, 112, 96, 80, 64)  # sizes
LAST_LATIN = 0x24F


@cache
def font(size: int) -> FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def can_draw(text: str) -> bool:
    return all(ord(letter) <= LAST_LATIN for letter in text)


def fitted(draw: ImageDraw.ImageDraw, text: str, size: int, room: int) -> str:
    """The text, with its end cut off where it is longer than the room in pixels."""
    if draw.textlength(text, font(size)) <= room:
        return text
    fit = bisect_right(
        range(1, len(text)),
        float(room),
        key=lambda end: draw.textlength(text[:end] + "...", font(size)),
    )
    return text[:fit].rstrip() + "..."


def largest(draw: ImageDraw.ImageDraw, text: str, room: int) -> int:
    """The size in which a figure with its interval is whole."""
    return next((s for s in FIGURES if draw.textlength(text, font(s)) <= room), FIGURES[-1])


def social_card(*, above: str, title: str, figure: str, below: str) -> bytes:
    """PNG: `above` a title in large letters, then a figure in the largest, and a line below."""
    image = Image.new("RGB", SIZE, PAPER)
    draw = ImageDraw.Draw(image)
    room = SIZE[0] - 2 * MARGIN
    draw.rectangle((0, 0, SIZE[0], 12), fill=ACCENT)
    lines = (
        (96, above, 34, MUTED),
        (150, title, 64, INK),
        (270, figure, largest(draw, figure, room), ACCENT),
        (440, below, 34, MUTED),
    )
    for top, text, size, colour in lines:
        if can_draw(text):
            draw.text((MARGIN, top), fitted(draw, text, size, room), colour, font(size))
    draw.line((MARGIN, 520, SIZE[0] - MARGIN, 520), LINE, 2)
    draw.text((MARGIN, 540), "Assay: every number can be checked", INK, font(30))
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()
