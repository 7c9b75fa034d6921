"""The drawing surface of part B.

Pillow draws hard edges, so a canvas is twice too large and is shrunk when saved; the drawings only ever see the
small units. The font is Pillow's own, which knows little beyond ASCII: units are written "sq m", a product "x".
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from PIL import Image, ImageColor, ImageDraw, ImageFont

Point = tuple[float, float]

OVERSAMPLING = 2

INK = "#24221f"
MUTED = "#6a655c"
PAPER = "#fbf9f4"
WHITE = "#ffffff"
LINE = "#d9d4c9"
SHADE = "#eeeae1"
TEAL = "#14695f"
BLUE = "#3b76a3"
SKY = "#d8e8f0"
GREEN = "#5a9468"
AMBER = "#dd9a32"
RED = "#bf4d3a"
WOOD = "#a0714a"
STONE = "#a9a59c"


def at_angle(centre: Point, distance: float, degrees: float) -> Point:
    """The point at `distance` from `centre`; 0 degrees points right, 90 up."""
    turn = math.radians(degrees)
    return centre[0] + distance * math.cos(turn), centre[1] - distance * math.sin(turn)


def tilted(centre: Point, width: float, height: float, degrees: float) -> list[Point]:
    """The corners of a rectangle turned anticlockwise about its centre."""
    reach, slope = math.hypot(width, height) / 2, math.degrees(math.atan2(height, width))
    return [at_angle(centre, reach, degrees + turn) for turn in (slope, 180 - slope, 180 + slope, -slope)]


def noise(place: int, salt: int = 0) -> float:
    """A number from 0 to 1 that looks drawn by lot and is the same each time."""
    mixed = (place * 2654435761 + salt * 40503 + 12345) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 15)) * 2246822519) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 13)) * 3266489917) & 0xFFFFFFFF
    return (mixed ^ (mixed >> 16)) / 0xFFFFFFFF


def spread(count: int, width: float, height: float) -> Iterator[Point]:
    """Points strewn evenly but not in rows: the R2 sequence, shaken a little."""
    shake = 0.7 * math.sqrt(width * height / count)
    for place in range(1, count + 1):
        x, y = width * (0.7548776662 * place % 1), height * (0.5698402910 * place % 1)
        yield x + shake * (noise(place, 1) - 0.5), y + shake * (noise(place, 2) - 0.5)


def blend(start: str, end: str, share: float) -> str:
    """The colour `share` (0 to 1) of the way from `start` to `end`."""
    pairs = zip(ImageColor.getrgb(start)[:3], ImageColor.getrgb(end)[:3], strict=True)
    red, green, blue = (round(a + (b - a) * share) for a, b in pairs)
    return f"#{red:02x}{green:02x}{blue:02x}"


class Canvas:
    def __init__(self, width: int, height: int, background: str = PAPER) -> None:
        self.size = (width, height)
        self._image = Image.new("RGB", (width * OVERSAMPLING, height * OVERSAMPLING), background)
        self._pen = ImageDraw.Draw(self._image)

    def polygon(self, points: Iterable[Point], fill: str) -> None:
        self._pen.polygon([_enlarged(point) for point in points], fill=fill)

    def outlined(self, points: Sequence[Point], fill: str, edge: str = INK, width: float = 3) -> None:
        self.polygon(points, fill)
        self.stroke([*points, points[0]], edge, width)

    def box(self, corner: Point, width: float, height: float, fill: str, radius: float = 0) -> None:
        (left, top), (right, bottom) = _enlarged(corner), _enlarged((corner[0] + width, corner[1] + height))
        edges = (left, top, max(left, right - 1), max(top, bottom - 1))
        self._pen.rounded_rectangle(edges, radius=radius * OVERSAMPLING, fill=fill)

    def framed(
        self, corner: Point, width: float, height: float, fill: str, edge: str = INK, rim: float = 3, radius: float = 0
    ) -> None:
        """A box of the given outer size with a rim inside it."""
        self.box(corner, width, height, edge, radius)
        inner = (corner[0] + rim, corner[1] + rim)
        self.box(inner, width - 2 * rim, height - 2 * rim, fill, max(0, radius - rim))

    def disc(self, centre: Point, radius: float, fill: str, squeeze: float = 1) -> None:
        """A filled circle, or an ellipse `squeeze` times as high as it is wide."""
        x, y = centre
        upper, lower = (
            _enlarged((x - radius, y - radius * squeeze)),
            _enlarged((x + radius, y + radius * squeeze)),
        )
        self._pen.ellipse([*upper, *lower], fill=fill)

    def ring(self, centre: Point, radius: float, fill: str, edge: str = INK, width: float = 3) -> None:
        self.disc(centre, radius, edge)
        self.disc(centre, radius - width, fill)

    def slice(self, centre: Point, radius: float, start: float, end: float, fill: str) -> None:
        """A piece of a pie, from `start` to `end` degrees clockwise from the top."""
        x, y = centre
        upper, lower = _enlarged((x - radius, y - radius)), _enlarged((x + radius, y + radius))
        self._pen.pieslice([*upper, *lower], start - 90, end - 90, fill=fill)

    def line(self, points: Sequence[Point], fill: str = INK, width: float = 3) -> None:
        thickness = round(width * OVERSAMPLING)
        self._pen.line([_enlarged(point) for point in points], fill=fill, width=thickness, joint="curve")

    def stroke(self, points: Sequence[Point], fill: str = INK, width: float = 3) -> None:
        """A line with round ends."""
        self.line(points, fill, width)
        for end in (points[0], points[-1]):
            self.disc(end, width / 2, fill)

    def dashes(self, start: Point, end: Point, fill: str = INK, width: float = 2, dash: float = 9) -> None:
        length = math.dist(start, end)
        for place in range(math.ceil(length / (2 * dash))):
            ends = (2 * place * dash / length, min(1.0, (2 * place + 1) * dash / length))
            self.line([_between(start, end, share) for share in ends], fill, width)

    def curve(self, controls: Sequence[Point], fill: str = INK, width: float = 3) -> None:
        """A Bézier curve of any degree."""
        self.stroke([bezier(controls, step / 40) for step in range(41)], fill, width)

    def arc(self, centre: Point, radius: float, start: float, end: float, fill: str, width: float = 3) -> None:
        """Part of a circle, from `start` to `end` degrees anticlockwise from the right."""
        self.line([at_angle(centre, radius, start + (end - start) * step / 40) for step in range(41)], fill, width)

    def arrow(self, tail: Point, tip: Point, fill: str = INK, width: float = 3) -> None:
        direction = math.degrees(math.atan2(tail[1] - tip[1], tip[0] - tail[0]))
        head = 4 * width
        self.line([tail, at_angle(tip, -head / 2, direction)], fill, width)
        sides = [at_angle(tip, head, direction + 180 - 28), at_angle(tip, head, direction + 180 + 28)]
        self.polygon([tip, *sides], fill)

    def text(self, at: Point, words: str, size: float = 20, fill: str = INK, anchor: str = "mm") -> None:
        """`anchor` as in Pillow: l, m, r across and a, m, s (baseline), d down."""
        font = ImageFont.load_default(size=size * OVERSAMPLING)
        self._pen.text(_enlarged(at), words, fill=fill, font=font, anchor=anchor)

    def bold(self, at: Point, words: str, size: float = 20, fill: str = INK, anchor: str = "mm") -> None:
        font = ImageFont.load_default(size=size * OVERSAMPLING)
        thicker = max(1, round(size * OVERSAMPLING / 40))
        self._pen.text(_enlarged(at), words, fill=fill, font=font, anchor=anchor, stroke_width=thicker)

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

    def gradient(self, top: float, bottom: float, start: str, end: str) -> None:
        """The whole width from `top` to `bottom`, shading from one colour to the other."""
        first, last = round(top * OVERSAMPLING), round(bottom * OVERSAMPLING)
        for row in range(first, last):
            colour = blend(start, end, (row - first) / max(1, last - first - 1))
            self._pen.line([(0, row), (self.size[0] * OVERSAMPLING, row)], fill=colour)

    def glaze(self, points: Sequence[Point], colour: str, opacity: float) -> None:
        """A see-through polygon."""
        mask = Image.new("L", self._image.size, 0)
        ImageDraw.Draw(mask).polygon([_enlarged(point) for point in points], fill=round(255 * opacity))
        self._image.paste(Image.new("RGB", self._image.size, colour), mask=mask)

    def paste(self, other: "Canvas", corner: Point) -> None:
        self._image.paste(other._image, _enlarged(corner))

    def speech(
        self, corner: Point, width: float, words: Sequence[str], tip: Point, size: float = 18, fill: str = WHITE
    ) -> None:
        """A speech bubble whose tail ends at `tip`, below or above it."""
        height = size * (1.35 * len(words) + 0.9)
        root = (min(max(tip[0], corner[0] + 34), corner[0] + width - 34), corner[1] + height / 2)
        tail = [(root[0] - 13, root[1]), tip, (root[0] + 13, root[1])]
        self.stroke([*tail, tail[0]], INK, 5)
        self.framed(corner, width, height, fill, INK, 2.5, 16)
        self.polygon([_between(tail[0], tip, 0.0), _between(tail[1], root, 0.06), tail[2]], fill)
        first = (corner[0] + width / 2, corner[1] + size * 1.12)
        self.rows(first, words, size)

    def save(self, path: Path) -> None:
        self._image.reduce(OVERSAMPLING).save(path, format="PNG")


def bezier(controls: Sequence[Point], share: float) -> Point:
    """The point at `share` (0 to 1) of the curve, by de Casteljau's halving."""
    points = list(controls)
    while len(points) > 1:
        points = [_between(a, b, share) for a, b in pairwise(points)]
    return points[0]


def _between(start: Point, end: Point, share: float) -> Point:
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def _enlarged(point: Point) -> tuple[int, int]:
    return round(point[0] * OVERSAMPLING), round(point[1] * OVERSAMPLING)
