"""Two sketch maps, and copies of them in which something has been moved."""

import math
from collections.abc import Iterable, Mapping

from .canvas import INK, MUTED, RED, WHITE, Canvas, Point
from .coasts import (
    AUSTRALIAN_MAINLAND,
    FRANCE,
    IBERIA,
    IBIZA,
    MALLORCA,
    NORTH_AFRICA,
    PORTUGUESE_BORDER,
    TASMANIA,
)

SEA = "#cfe3ec"
SEA_NAME = "#356a86"
LAND = "#f3ead3"
NEIGHBOUR = "#e2ddd2"
BORDER = "#a08f6c"

MADRID: Point = (-3.7, 40.4)
LISBON: Point = (-9.3, 38.75)
BARCELONA: Point = (2.2, 41.4)


class Projection:
    """Degrees to canvas units: north up, equal scale along the middle parallel."""

    def __init__(self, west: float, north: float, scale: float, middle: float) -> None:
        self._west, self._north, self._down = west, north, scale
        self._across = scale * math.cos(math.radians(middle))

    def place(self, point: Point) -> Point:
        return (point[0] - self._west) * self._across, (self._north - point[1]) * self._down

    def places(self, points: Iterable[Point]) -> list[Point]:
        return [self.place(point) for point in points]


def iberia(cities: Mapping[str, Point]) -> Canvas:
    canvas = Canvas(640, 460, SEA)
    projection = Projection(west=-12.8, north=44.7, scale=44, middle=40)
    for neighbour in (FRANCE, NORTH_AFRICA):
        canvas.polygon(projection.places(neighbour), NEIGHBOUR)
    for land in (IBERIA, MALLORCA, IBIZA):
        _land(canvas, projection.places(land))
    canvas.line(projection.places(PORTUGUESE_BORDER), BORDER, 2)
    canvas.text(projection.place((-3.6, 38.6)), "Spain", 26, MUTED)
    canvas.text(projection.place((-7.95, 39.9)), "Portugal", 15, MUTED)
    canvas.text(projection.place((2.2, 44.0)), "France", 18, MUTED)
    canvas.text(projection.place((-11.3, 41.4)), "Atlantic", 20, SEA_NAME)
    canvas.text(projection.place((-11.3, 40.9)), "Ocean", 20, SEA_NAME)
    canvas.text(projection.place((2.6, 37.7)), "Mediterranean Sea", 20, SEA_NAME)
    for name, location in cities.items():
        _city(canvas, projection.place(location), name)
    _north_arrow(canvas, (52, 86))
    return canvas


def australia(tasmania_moved: Point = (0, 0)) -> Canvas:
    """`tasmania_moved`: degrees east and north by which the island is drawn away from its place."""
    canvas = Canvas(640, 500, SEA)
    projection = Projection(west=105.0, north=-3.5, scale=12, middle=25)
    east, north = tasmania_moved
    island = [(longitude + east, latitude + north) for longitude, latitude in TASMANIA]
    _land(canvas, projection.places(AUSTRALIAN_MAINLAND))
    _land(canvas, projection.places(island))
    canvas.text(projection.place((134.0, -25.0)), "Australian mainland", 24, MUTED)
    canvas.text(projection.place((149.3 + east, -42.3 + north)), "Tasmania", 20, INK, anchor="lm")
    canvas.text(projection.place((111.2, -38.0)), "Indian Ocean", 18, SEA_NAME)
    canvas.text(projection.place((157.2, -22.0)), "Pacific", 18, SEA_NAME)
    canvas.text(projection.place((157.2, -23.8)), "Ocean", 18, SEA_NAME)
    _north_arrow(canvas, (52, 86))
    return canvas


def _land(canvas: Canvas, outline: list[Point]) -> None:
    canvas.polygon(outline, LAND)
    canvas.line([*outline, outline[0]], BORDER, 1.5)


def _city(canvas: Canvas, at: Point, name: str) -> None:
    canvas.disc(at, 7, WHITE)
    canvas.disc(at, 5, RED)
    westwards = (
        at[0] < canvas.size[0] / 3
    )  # a name on the west coast stands in the sea, clear of the border
    canvas.text(
        (at[0] - 12, at[1]) if westwards else (at[0] + 12, at[1]),
        name,
        20,
        INK,
        "rm" if westwards else "lm",
    )


def _north_arrow(canvas: Canvas, foot: Point) -> None:
    canvas.arrow(foot, (foot[0], foot[1] - 44), INK, 4)
    canvas.text((foot[0], foot[1] + 14), "N", 20)
