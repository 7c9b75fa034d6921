"""The drawing surface of the mini set.

Pillow draws hard edges, so a canvas is twice too large and is shrunk when saved; the drawings only ever see the
small units. The font is Pillow's own, which knows little beyond ASCII, so the pictures look alike on every machine.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFilter, ImageFont

Point = tuple[float, float]

OVERSAMPLING = 2
CURVE_STEPS = 14
SPREAD = (0.7548776662466927, 0.5698402909980532)  # powers of the plastic ratio: no two places fall together

INK = "#22242a"
PAPER = "#faf7f0"
WHITE = "#ffffff"


def at_angle(centre: Point, distance: float, degrees: float) -> Point:
    """The point at `distance` from `centre`; 0 degrees points right, 90 up."""
    turn = math.radians(degrees)
    return centre[0] + distance * math.cos(turn), centre[1] - distance * math.sin(turn)


def moved(points: Iterable[Point], by: Point, scale: float = 1, mirrored: bool = False) -> list[Point]:
    """The shape in its own units, put at `by`; mirrored means left and right change places."""
    across = -scale if mirrored else scale
    return [(by[0] + across * x, by[1] + scale * y) for x, y in points]


def between(start: Point, end: Point, share: float) -> Point:
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def scattered(count: int, left: float, top: float, right: float, bottom: float) -> Iterator[Point]:
    """Places that look random, fill the box evenly and are the same on every machine."""
    for number in range(1, count + 1):
        across, down = number * SPREAD[0] % 1, number * SPREAD[1] % 1
        yield left + (right - left) * across, top + (bottom - top) * down


def smooth(points: Sequence[Point], closed: bool) -> list[Point]:
    """A soft curve through all the points (Catmull-Rom)."""
    count = len(points)
    pieces = count if closed else count - 1
    curve: list[Point] = []
    for piece in range(pieces):
        near = [_neighbour(points, piece + offset, closed) for offset in (-1, 0, 1, 2)]
        curve.extend(_on_piece(near, step / CURVE_STEPS) for step in range(CURVE_STEPS))
    return curve if closed else [*curve, points[-1]]


class Canvas:
    def __init__(self, width: int, height: int, background: str = PAPER) -> None:
        self.width, self.height = width, height
        self._image = Image.new("RGB", (width * OVERSAMPLING, height * OVERSAMPLING), background)
        self._pen = ImageDraw.Draw(self._image)

    def gradient(self, top: float, bottom: float, upper: str, lower: str, left: float = 0, right: float = 0) -> None:
        """A band that turns from one colour into the other on its way down; `right` 0 means the whole width."""
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

    def blob(self, points: Sequence[Point], fill: str, opacity: float = 1) -> None:
        """A closed shape with a soft outline through the points."""
        self.polygon(smooth(points, closed=True), fill, opacity)

    def box(self, corner: Point, width: float, height: float, fill: str, radius: float = 0) -> None:
        (left, top), (right, bottom) = _enlarged(corner), _enlarged((corner[0] + width, corner[1] + height))
        edges = (left, top, max(left, right - 1), max(top, bottom - 1))
        self._pen.rounded_rectangle(edges, radius=radius * OVERSAMPLING, fill=fill)

    def disc(self, centre: Point, radius: float, fill: str, squeeze: float = 1) -> None:
        """A filled circle, or an ellipse `squeeze` times as high as it is wide."""
        x, y = centre
        first = _enlarged((x - radius, y - radius * squeeze))
        last = _enlarged((x + radius, y + radius * squeeze))
        self._pen.ellipse([*first, *last], fill=fill)

    def line(self, points: Sequence[Point], fill: str = INK, width: float = 3) -> None:
        """Straight pieces with flat ends."""
        thickness = max(1, round(width * OVERSAMPLING))
        self._pen.line([_enlarged(point) for point in points], fill=fill, width=thickness, joint="curve")

    def curve(self, points: Sequence[Point], fill: str = INK, width: float = 3) -> None:
        """A soft line through the points with round ends."""
        self.line(smooth(points, closed=False), fill, width)
        for end in (points[0], points[-1]):
            self.disc(end, width / 2 - 0.25, fill)

    def arc(self, centre: Point, radius: float, start: float, end: float, fill: str, width: float = 3) -> None:
        """Part of a circle, from `start` to `end` degrees anticlockwise from the right."""
        steps = 48
        self.line([at_angle(centre, radius, start + (end - start) * n / steps) for n in range(steps + 1)], fill, width)

    def soft(self, centre: Point, radius: float, fill: str, squeeze: float = 1, opacity: float = 0.5) -> None:
        """A disc that fades out at its edge: a shadow, a glow."""
        x, y = centre
        mask = Image.new("L", (self.width // 2, self.height // 2), 0)
        edges = (x - radius * 0.7, y - radius * squeeze * 0.7, x + radius * 0.7, y + radius * squeeze * 0.7)
        ImageDraw.Draw(mask).ellipse([edge / 2 for edge in edges], fill=round(255 * opacity))
        blur = max(1.0, radius * min(1.0, squeeze) / 6)
        faded = mask.filter(ImageFilter.GaussianBlur(blur)).resize(self._image.size, Image.Resampling.BILINEAR)
        self._image.paste(Image.new("RGB", self._image.size, fill), (0, 0), faded)

    def text(
        self, at: Point, words: str, size: float = 20, fill: str = INK, anchor: str = "mm", weight: float = 0
    ) -> None:
        """`anchor` as in Pillow: l, m, r across and a, m, s (baseline), d down; `weight` thickens the strokes."""
        font = ImageFont.load_default(size=size * OVERSAMPLING)
        stroke = weight * OVERSAMPLING
        self._pen.text(_enlarged(at), words, fill=fill, font=font, anchor=anchor, stroke_width=stroke)

    def save(self, path: Path) -> None:
        self._image.reduce(OVERSAMPLING).save(path, format="PNG")


def _enlarged(point: Point) -> tuple[int, int]:
    return round(point[0] * OVERSAMPLING), round(point[1] * OVERSAMPLING)


def _neighbour(points: Sequence[Point], place: int, closed: bool) -> Point:
    if closed:
        return points[place % len(points)]
    return points[max(0, min(len(points) - 1, place))]


def _on_piece(near: Sequence[Point], share: float) -> Point:
    x, y = (_blend([point[axis] for point in near], share) for axis in (0, 1))
    return x, y


def _blend(values: Sequence[float], share: float) -> float:
    before, start, end, after = values
    slope = end - before
    bend = 2 * before - 5 * start + 4 * end - after
    twist = 3 * (start - end) + after - before
    return 0.5 * (2 * start + slope * share + bend * share**2 + twist * share**3)
