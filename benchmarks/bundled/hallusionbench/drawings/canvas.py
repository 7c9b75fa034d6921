"""The drawing surface of the mini set.

Pillow draws hard edges, so a canvas is three times too large and is shrunk when saved; the drawings
only ever see the small units. The font is Pillow's own, so the pictures look alike on every
machine.
"""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

Point = tuple[float, float]

OVERSAMPLING = 3

INK = "#1c1b19"
MUTED = "#5f5b53"
PAPER = "#fbfaf7"
WHITE = "#ffffff"
LINE = "#d8d3c8"
SHADE = "#ece8df"
TEAL = "#0b5e57"
BLUE = "#3b7ea8"
SKY = "#dcebf3"
GREEN = "#4f8f6b"
AMBER = "#e2a336"
RED = "#c2543f"
WOOD = "#9a6b43"


def at_angle(centre: Point, distance: float, degrees: float) -> Point:
    """The point at `distance` from `centre`; 0 degrees points right, 90 up."""
    turn = math.radians(degrees)
    return centre[0] + distance * math.cos(turn), centre[1] - distance * math.sin(turn)


class Canvas:
    def __init__(self, width: int, height: int, background: str = PAPER) -> None:
        self.size = (width, height)
        self._image = Image.new("RGB", (width * OVERSAMPLING, height * OVERSAMPLING), background)
        self._pen = ImageDraw.Draw(self._image)

    def polygon(self, points: Iterable[Point], fill: str) -> None:
        self._pen.polygon([_enlarged(point) for point in points], fill=fill)

    def box(self, corner: Point, width: float, height: float, fill: str, radius: float = 0) -> None:
        (left, top), (right, bottom) = (
            _enlarged(corner),
            _enlarged((corner[0] + width, corner[1] + height)),
        )
        edges = (left, top, right - 1, bottom - 1)
        self._pen.rounded_rectangle(edges, radius=radius * OVERSAMPLING, fill=fill)

    def disc(self, centre: Point, radius: float, fill: str, squeeze: float = 1) -> None:
        """A filled circle, or an ellipse `squeeze` times as high as it is wide."""
        x, y = centre
        corners = (
            _enlarged((x - radius, y - radius * squeeze)),
            _enlarged((x + radius, y + radius * squeeze)),
        )
        self._pen.ellipse([*corners[0], *corners[1]], fill=fill)

    def slice(self, centre: Point, radius: float, start: float, end: float, fill: str) -> None:
        """A piece of a pie, from `start` to `end` degrees clockwise from the top."""
        x, y = centre
        corners = (_enlarged((x - radius, y - radius)), _enlarged((x + radius, y + radius)))
        self._pen.pieslice([*corners[0], *corners[1]], start - 90, end - 90, fill=fill)

    def line(self, points: Sequence[Point], fill: str = INK, width: float = 3) -> None:
        """Straight pieces with flat ends: a shaft of length n is n long, not n plus its caps."""
        thickness = round(width * OVERSAMPLING)
        self._pen.line(
            [_enlarged(point) for point in points], fill=fill, width=thickness, joint="curve"
        )

    def arc(
        self, centre: Point, radius: float, start: float, end: float, fill: str, width: float = 3
    ) -> None:
        """Part of a circle, from `start` to `end` degrees anticlockwise from the right."""
        steps = range(25)
        self.line(
            [at_angle(centre, radius, start + (end - start) * step / 24) for step in steps],
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

    def text(
        self, at: Point, words: str, size: float = 20, fill: str = INK, anchor: str = "mm"
    ) -> None:
        """`anchor` as in Pillow: l, m, r across and a, m, s (baseline), d down."""
        font = ImageFont.load_default(size=size * OVERSAMPLING)
        self._pen.text(_enlarged(at), words, fill=fill, font=font, anchor=anchor)

    def save(self, path: Path) -> None:
        self._image.reduce(OVERSAMPLING).save(path, format="PNG")


def _enlarged(point: Point) -> tuple[int, int]:
    return round(point[0] * OVERSAMPLING), round(point[1] * OVERSAMPLING)
