"""The drawing surface of the mini set.

Pillow draws hard edges, so a canvas is twice too large and is shrunk when saved; the drawings only
ever see the small units. The font is Pillow's own, which knows little beyond ASCII (units are
written "sq m", a product "x"), so the pictures look alike on every machine.
"""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFilter, ImageFont

from .shapes import INK, PAPER, WHITE, Point, at_angle, between, bezier, smooth

OVERSAMPLING = 2


class Canvas:
    def __init__(self, width: int, height: int, background: str = PAPER) -> None:
        self.size = self.width, self.height = width, height
        self._image = Image.new("RGB", (width * OVERSAMPLING, height * OVERSAMPLING), background)
        self._pen = ImageDraw.Draw(self._image)

    def gradient(
        self, top: float, bottom: float, upper: str, lower: str, left: float = 0, right: float = 0
    ) -> None:
        """A band that turns from one colour into the other on its way down; `right` 0 means the
        whole width."""
        (x0, y0), (x1, y1) = _enlarged((left, top)), _enlarged((right or self.width, bottom))
        if x1 <= x0 or y1 <= y0:
            return
        ramp = Image.linear_gradient("L").resize((x1 - x0, y1 - y0), Image.Resampling.BILINEAR)
        self._image.paste(Image.new("RGB", ramp.size, upper), (x0, y0))
        self._image.paste(Image.new("RGB", ramp.size, lower), (x0, y0), ramp)

    def polygon(self, points: Iterable[Point], fill: str, opacity: float = 1) -> None:
        corners = [_enlarged(point) for point in points]
        if opacity >= 1:
            self._pen.polygon(corners, fill=fill)
            return
        mask = Image.new("L", self._image.size, 0)
        ImageDraw.Draw(mask).polygon(corners, fill=round(255 * opacity))
        self._image.paste(Image.new("RGB", self._image.size, fill), (0, 0), mask)

    def outlined(
        self, points: Sequence[Point], fill: str, edge: str = INK, width: float = 3
    ) -> None:
        self.polygon(points, fill)
        self.stroke([*points, points[0]], edge, width)

    def blob(self, points: Sequence[Point], fill: str, opacity: float = 1) -> None:
        """A closed shape with a soft outline through the points."""
        self.polygon(smooth(points, closed=True), fill, opacity)

    def box(self, corner: Point, width: float, height: float, fill: str, radius: float = 0) -> None:
        (left, top), (right, bottom) = (
            _enlarged(corner),
            _enlarged((corner[0] + width, corner[1] + height)),
        )
        edges = (left, top, max(left, right - 1), max(top, bottom - 1))
        self._pen.rounded_rectangle(edges, radius=radius * OVERSAMPLING, fill=fill)

    def framed(
        self,
        corner: Point,
        width: float,
        height: float,
        fill: str,
        edge: str = INK,
        rim: float = 3,
        radius: float = 0,
    ) -> None:
        """A box of the given outer size with a rim inside it."""
        self.box(corner, width, height, edge, radius)
        inner = (corner[0] + rim, corner[1] + rim)
        self.box(inner, width - 2 * rim, height - 2 * rim, fill, max(0, radius - rim))

    def disc(self, centre: Point, radius: float, fill: str, squeeze: float = 1) -> None:
        """A filled circle, or an ellipse `squeeze` times as high as it is wide."""
        x, y = centre
        first = _enlarged((x - radius, y - radius * squeeze))
        last = _enlarged((x + radius, y + radius * squeeze))
        self._pen.ellipse([*first, *last], fill=fill)

    def ring(
        self, centre: Point, radius: float, fill: str, edge: str = INK, width: float = 3
    ) -> None:
        self.disc(centre, radius, edge)
        self.disc(centre, radius - width, fill)

    def slice(self, centre: Point, radius: float, start: float, end: float, fill: str) -> None:
        """A piece of a pie, from `start` to `end` degrees clockwise from the top."""
        x, y = centre
        upper, lower = _enlarged((x - radius, y - radius)), _enlarged((x + radius, y + radius))
        self._pen.pieslice([*upper, *lower], start - 90, end - 90, fill=fill)

    def line(self, points: Sequence[Point], fill: str = INK, width: float = 3) -> None:
        """Straight pieces with flat ends."""
        thickness = max(1, round(width * OVERSAMPLING))
        self._pen.line(
            [_enlarged(point) for point in points], fill=fill, width=thickness, joint="curve"
        )

    def stroke(self, points: Sequence[Point], fill: str = INK, width: float = 3) -> None:
        """A line with round ends."""
        self.line(points, fill, width)
        for end in (points[0], points[-1]):
            self.disc(end, width / 2, fill)

    def dashes(
        self, start: Point, end: Point, fill: str = INK, width: float = 2, dash: float = 9
    ) -> None:
        length = math.dist(start, end)
        for place in range(math.ceil(length / (2 * dash))):
            ends = (2 * place * dash / length, min(1.0, (2 * place + 1) * dash / length))
            self.line([between(start, end, share) for share in ends], fill, width)

    def curve(self, points: Sequence[Point], fill: str = INK, width: float = 3) -> None:
        """A soft line through the points with round ends."""
        self.line(smooth(points, closed=False), fill, width)
        for end in (points[0], points[-1]):
            self.disc(end, width / 2 - 0.25, fill)

    def bezier(self, controls: Sequence[Point], fill: str = INK, width: float = 3) -> None:
        """A Bézier curve of any degree."""
        self.stroke([bezier(controls, step / 40) for step in range(41)], fill, width)

    def arc(
        self, centre: Point, radius: float, start: float, end: float, fill: str, width: float = 3
    ) -> None:
        """Part of a circle, from `start` to `end` degrees anticlockwise from the right."""
        steps = 48
        self.line(
            [at_angle(centre, radius, start + (end - start) * n / steps) for n in range(steps + 1)],
            fill,
            width,
        )

    def arrow(self, tail: Point, tip: Point, fill: str = INK, width: float = 3) -> None:
        direction = math.degrees(math.atan2(tail[1] - tip[1], tip[0] - tail[0]))
        head = 4 * width
        self.line([tail, at_angle(tip, -head / 2, direction)], fill, width)
        sides = [
            at_angle(tip, head, direction + 180 - 28),
            at_angle(tip, head, direction + 180 + 28),
        ]
        self.polygon([tip, *sides], fill)

    def soft(
        self, centre: Point, radius: float, fill: str, squeeze: float = 1, opacity: float = 0.5
    ) -> None:
        """A disc that fades out at its edge: a shadow, a glow."""
        x, y = centre
        mask = Image.new("L", (self.width // 2, self.height // 2), 0)
        edges = (
            x - radius * 0.7,
            y - radius * squeeze * 0.7,
            x + radius * 0.7,
            y + radius * squeeze * 0.7,
        )
        ImageDraw.Draw(mask).ellipse([edge / 2 for edge in edges], fill=round(255 * opacity))
        blur = max(1.0, radius * min(1.0, squeeze) / 6)
        faded = mask.filter(ImageFilter.GaussianBlur(blur)).resize(
            self._image.size, Image.Resampling.BILINEAR
        )
        self._image.paste(Image.new("RGB", self._image.size, fill), (0, 0), faded)

    def text(
        self,
        at: Point,
        words: str,
        size: float = 20,
        fill: str = INK,
        anchor: str = "mm",
        weight: float = 0,
    ) -> None:
        """`anchor` as in Pillow: l, m, r across and a, m, s (baseline), d down; `weight` thickens
        the strokes."""
        font = ImageFont.load_default(size=size * OVERSAMPLING)
        stroke = weight * OVERSAMPLING
        self._pen.text(
            _enlarged(at), words, fill=fill, font=font, anchor=anchor, stroke_width=stroke
        )

    def bold(
        self, at: Point, words: str, size: float = 20, fill: str = INK, anchor: str = "mm"
    ) -> None:
        font = ImageFont.load_default(size=size * OVERSAMPLING)
        thicker = max(1, round(size * OVERSAMPLING / 40))
        self._pen.text(
            _enlarged(at), words, fill=fill, font=font, anchor=anchor, stroke_width=thicker
        )

    def rows(
        self,
        at: Point,
        words: Sequence[str],
        size: float = 18,
        leading: float = 1.35,
        fill: str = INK,
        anchor: str = "mm",
    ) -> None:
        """Lines of text below each other, the first one at `at`."""
        for place, row in enumerate(words):
            self.text((at[0], at[1] + place * size * leading), row, size, fill, anchor)

    def paste(self, other: "Canvas", corner: Point) -> None:
        self._image.paste(other._image, _enlarged(corner))

    def speech(
        self,
        corner: Point,
        width: float,
        words: Sequence[str],
        tip: Point,
        size: float = 18,
        fill: str = WHITE,
    ) -> None:
        """A speech bubble whose tail ends at `tip`, below or above it."""
        height = size * (1.35 * len(words) + 0.9)
        root = (min(max(tip[0], corner[0] + 34), corner[0] + width - 34), corner[1] + height / 2)
        tail = [(root[0] - 13, root[1]), tip, (root[0] + 13, root[1])]
        self.stroke([*tail, tail[0]], INK, 5)
        self.framed(corner, width, height, fill, INK, 2.5, 16)
        self.polygon([between(tail[0], tip, 0.0), between(tail[1], root, 0.06), tail[2]], fill)
        first = (corner[0] + width / 2, corner[1] + size * 1.12)
        self.rows(first, words, size)

    def save(self, path: Path) -> None:
        self._image.reduce(OVERSAMPLING).save(path, format="PNG")


def _enlarged(point: Point) -> tuple[int, int]:
    return round(point[0] * OVERSAMPLING), round(point[1] * OVERSAMPLING)
