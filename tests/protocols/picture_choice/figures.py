"""The pictures of the example, drawn from tables, so that a test can hold the questions against
them."""

from collections.abc import Callable, Mapping, Sequence
from math import cos, pi, sin
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

SIZE = 480, 360
CELL = 120
"""Pixels of a cell: a scene has four columns and three rows."""
COLOURS = {"red": "#c0392b", "blue": "#2471a3", "green": "#1e8449", "yellow": "#d4ac0d"}


class Shape(NamedTuple):
    colour: str
    kind: str
    column: int
    row: int


SCENES: Mapping[str, Sequence[Shape]] = {
    "scene-1": (
        Shape("red", "circle", 0, 0),
        Shape("blue", "square", 1, 0),
        Shape("red", "circle", 3, 0),
        Shape("green", "triangle", 0, 1),
        Shape("red", "square", 2, 1),
        Shape("blue", "triangle", 1, 2),
        Shape("yellow", "circle", 3, 2),
    ),
    "scene-2": (
        Shape("green", "triangle", 0, 0),
        Shape("blue", "square", 2, 0),
        Shape("red", "triangle", 1, 1),
        Shape("green", "triangle", 2, 1),
        Shape("red", "circle", 3, 1),
        Shape("blue", "triangle", 0, 2),
        Shape("yellow", "square", 1, 2),
        Shape("blue", "circle", 3, 2),
    ),
    "scene-3": (
        Shape("blue", "square", 0, 0),
        Shape("red", "triangle", 1, 0),
        Shape("red", "square", 3, 0),
        Shape("yellow", "triangle", 0, 1),
        Shape("green", "circle", 1, 1),
        Shape("blue", "triangle", 3, 1),
        Shape("yellow", "square", 1, 2),
        Shape("red", "square", 2, 2),
    ),
}
BARS: Mapping[str, Mapping[str, int]] = {
    "bars-1": {"tea": 3, "milk": 7, "juice": 5, "water": 9},
    "bars-2": {"Mon": 8, "Tue": 2, "Wed": 6, "Thu": 2, "Fri": 4},
}
CLOCKS: Mapping[str, tuple[int, int]] = {"clock-1": (3, 0), "clock-2": (7, 30)}
SIGNS: Mapping[str, Sequence[str]] = {"sign-1": ("OPEN 8 TO 5", "CLOSED ON TUESDAY")}


def draw_figures(folder: Path) -> int:
    """Writes every picture below the folder and returns how many there are."""
    drawings: list[tuple[str, Callable[[ImageDraw.ImageDraw], None]]] = [
        *((name, lambda pen, of=shapes: draw_scene(pen, of)) for name, shapes in SCENES.items()),
        *((name, lambda pen, of=bars: draw_bars(pen, of)) for name, bars in BARS.items()),
        *((name, lambda pen, of=time: draw_clock(pen, *of)) for name, time in CLOCKS.items()),
        *((name, lambda pen, of=lines: draw_sign(pen, of)) for name, lines in SIGNS.items()),
    ]
    for name, draw in drawings:
        picture = Image.new("RGB", SIZE, "white")
        draw(ImageDraw.Draw(picture))
        picture.save(folder / f"{name}.png")
    return len(drawings)


def draw_scene(pen: ImageDraw.ImageDraw, shapes: Sequence[Shape]) -> None:
    for colour, kind, column, row in shapes:
        left, top = column * CELL + 25, row * CELL + 25
        right, bottom = left + 70, top + 70
        if kind == "circle":
            pen.ellipse((left, top, right, bottom), fill=COLOURS[colour])
        elif kind == "square":
            pen.rectangle((left, top, right, bottom), fill=COLOURS[colour])
        else:
            corners = [(left, bottom), (right, bottom), ((left + right) / 2, top)]
            pen.polygon(corners, fill=COLOURS[colour])


def draw_bars(pen: ImageDraw.ImageDraw, values: Mapping[str, int]) -> None:
    """Bars over lines at every whole number, with a scale at the left."""
    font = ImageFont.load_default(16)
    for value in range(11):
        y = 310 - 28 * value
        pen.line((50, y, 460, y), fill="#dddddd")
        pen.text((20, y - 9), str(value), fill="black", font=font)
    for place, (name, value) in enumerate(values.items()):
        left = 70 + 80 * place
        pen.rectangle((left, 310 - 28 * value, left + 50, 310), fill=COLOURS["blue"])
        pen.text((left + 5, 320), name, fill="black", font=font)


def draw_clock(pen: ImageDraw.ImageDraw, hour: int, minute: int) -> None:
    pen.ellipse((80, 20, 400, 340), outline="black", width=4)
    font = ImageFont.load_default(24)
    for numeral in range(1, 13):
        x, y = on_dial(numeral / 12, 135)
        pen.text((x, y), str(numeral), fill="black", font=font, anchor="mm")
    pen.line(((240, 180), on_dial((hour + minute / 60) / 12, 70)), fill="black", width=10)
    pen.line(((240, 180), on_dial(minute / 60, 110)), fill="black", width=5)


def on_dial(turn: float, radius: float) -> tuple[float, float]:
    """The point after a share of a full turn from the top, clockwise."""
    return 240 + radius * sin(2 * pi * turn), 180 - radius * cos(2 * pi * turn)


def draw_sign(pen: ImageDraw.ImageDraw, lines: Sequence[str]) -> None:
    pen.rectangle((20, 60, 460, 300), outline="black", width=6)
    for number, line in enumerate(lines):
        place = 240, 140 + 80 * number
        pen.text(place, line, fill="black", font=ImageFont.load_default(36), anchor="mm")
