"""TouchStone's drawing surface with what a suite full of signs needs: letters that bend, turn, lean
and blur."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from benchmarks.bundled.touchstone.figures.canvas import OVERSAMPLING, Canvas
from benchmarks.bundled.touchstone.figures.shapes import INK, Point, at_angle


class Sheet(Canvas):
    def turned(
        self, at: Point, words: str, size: float, degrees: float, fill: str = INK, weight: float = 0
    ) -> None:
        """Writing with its middle at `at`, turned anticlockwise."""
        mask = _lettering(words, size, weight).rotate(
            degrees, Image.Resampling.BICUBIC, expand=True
        )
        corner = tuple(
            round(place * OVERSAMPLING - extent / 2)
            for place, extent in zip(at, mask.size, strict=True)
        )
        self._image.paste(Image.new("RGB", mask.size, fill), (corner[0], corner[1]), mask)

    def bent(
        self,
        centre: Point,
        radius: float,
        words: str,
        size: float,
        fill: str = INK,
        weight: float = 0,
        below: bool = False,
        middle: float = 90,
    ) -> None:
        """Writing along a circle around `centre`, its middle at the angle `middle`; `below`: bent
        like a smile."""
        font = ImageFont.load_default(size=size)
        widths = [font.getlength(letter) + weight + size * 0.04 for letter in words]
        sense = 1 if below else -1
        place = -sum(widths) / 2
        for letter, width in zip(words, widths, strict=True):
            angle = middle + sense * float(np.degrees((place + width / 2) / radius))
            upright = angle + 90 if below else angle - 90
            self.turned(at_angle(centre, radius, angle), letter, size, upright, fill, weight)
            place += width

    def leaned(
        self, corners: Sequence[Point], words: str, fill: str = INK, weight: float = 2
    ) -> None:
        """Writing stretched between four corners, clockwise from the upper left, as if seen from
        the side."""
        mask = _lettering(words, 90, weight, tight=True)
        width, height = mask.size
        flat = [(0, 0), (width, 0), (width, height), (0, height)]
        target = [(x * OVERSAMPLING, y * OVERSAMPLING) for x, y in corners]
        shape = mask.transform(
            self._image.size,
            Image.Transform.PERSPECTIVE,
            _perspective(target, flat),
            Image.Resampling.BICUBIC,
        )
        self._image.paste(Image.new("RGB", self._image.size, fill), (0, 0), shape)

    def blur(self, radius: float) -> None:
        """Everything drawn so far is out of focus."""
        self._image.paste(self._image.filter(ImageFilter.GaussianBlur(radius * OVERSAMPLING)))

    def turn(self, degrees: float, corners: str) -> None:
        """Everything drawn so far is turned anticlockwise; `corners` is the colour of what comes
        into view."""
        self._image.paste(self._image.rotate(degrees, Image.Resampling.BICUBIC, fillcolor=corners))


def _lettering(words: str, size: float, weight: float, tight: bool = False) -> Image.Image:
    """The words as a mask; unless `tight`, as high as every word of this size, so that letters
    share a line."""
    font = ImageFont.load_default(size=size * OVERSAMPLING)
    stroke = weight * OVERSAMPLING
    left, top, right, bottom = font.getbbox(words, stroke_width=stroke)
    if not tight:
        top, bottom = font.getbbox("Hg", stroke_width=stroke)[1::2]
    mask = Image.new("L", (round(right - left), round(bottom - top)), 0)
    ImageDraw.Draw(mask).text((-left, -top), words, fill=255, font=font, stroke_width=stroke)
    return mask


def _perspective(source: Sequence[Point], target: Sequence[Point]) -> list[float]:
    """Pillow's eight numbers of the perspective that takes four points to four others."""
    rows, values = [], []
    for (x, y), (u, v) in zip(source, target, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
        values.extend([u, v])
    found = np.linalg.solve(np.array(rows, float), np.array(values, float))
    return [float(number) for number in found]
