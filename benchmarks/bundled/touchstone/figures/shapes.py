"""Points, curves and colours of the mini set: what the drawings compute before they draw."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from PIL import ImageColor

Point = tuple[float, float]

CURVE_STEPS = 14
SPREAD = (
    0.7548776662466927,
    0.5698402909980532,
)  # powers of the plastic ratio: no two places fall together

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


def moved(
    points: Iterable[Point], by: Point, scale: float = 1, mirrored: bool = False
) -> list[Point]:
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


def spread(count: int, width: float, height: float) -> Iterator[Point]:
    """Points strewn evenly but not in rows: the R2 sequence, shaken a little."""
    shake = 0.7 * math.sqrt(width * height / count)
    for place in range(1, count + 1):
        x, y = width * (0.7548776662 * place % 1), height * (0.5698402910 * place % 1)
        yield x + shake * (noise(place, 1) - 0.5), y + shake * (noise(place, 2) - 0.5)


def noise(place: int, salt: int = 0) -> float:
    """A number from 0 to 1 that looks drawn by lot and is the same each time."""
    mixed = (place * 2654435761 + salt * 40503 + 12345) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 15)) * 2246822519) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 13)) * 3266489917) & 0xFFFFFFFF
    return (mixed ^ (mixed >> 16)) / 0xFFFFFFFF


def tilted(centre: Point, width: float, height: float, degrees: float) -> list[Point]:
    """The corners of a rectangle turned anticlockwise about its centre."""
    reach, slope = math.hypot(width, height) / 2, math.degrees(math.atan2(height, width))
    return [
        at_angle(centre, reach, degrees + turn)
        for turn in (slope, 180 - slope, 180 + slope, -slope)
    ]


def smooth(points: Sequence[Point], closed: bool) -> list[Point]:
    """A soft curve through all the points (Catmull-Rom)."""
    count = len(points)
    pieces = count if closed else count - 1
    curve: list[Point] = []
    for piece in range(pieces):
        near = [_neighbour(points, piece + offset, closed) for offset in (-1, 0, 1, 2)]
        curve.extend(_on_piece(near, step / CURVE_STEPS) for step in range(CURVE_STEPS))
    return curve if closed else [*curve, points[-1]]


def _neighbour(points: Sequence[Point], place: int, closed: bool) -> Point:
    if closed:
        return points[place % len(points)]
    return points[max(0, min(len(points) - 1, place))]


def _on_piece(near: Sequence[Point], share: float) -> Point:
    x, y = (_bent([point[axis] for point in near], share) for axis in (0, 1))
    return x, y


def _bent(values: Sequence[float], share: float) -> float:
    before, start, end, after = values
    slope = end - before
    bend = 2 * before - 5 * start + 4 * end - after
    twist = 3 * (start - end) + after - before
    return 0.5 * (2 * start + slope * share + bend * share**2 + twist * share**3)


def bezier(controls: Sequence[Point], share: float) -> Point:
    """The point at `share` (0 to 1) of the curve, by de Casteljau's halving."""
    points = list(controls)
    while len(points) > 1:
        points = [between(a, b, share) for a, b in pairwise(points)]
    return points[0]


def blend(start: str, end: str, share: float) -> str:
    """The colour `share` (0 to 1) of the way from `start` to `end`."""
    pairs = zip(ImageColor.getrgb(start)[:3], ImageColor.getrgb(end)[:3], strict=True)
    red, green, blue = (round(a + (b - a) * share) for a, b in pairs)
    return f"#{red:02x}{green:02x}{blue:02x}"
