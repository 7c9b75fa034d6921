"""Printed matter in which every line of text counts."""

from collections.abc import Sequence

from .canvas import Canvas
from .shapes import INK, WHITE, Point

BLUE = "#1f5673"
RED = "#b23a34"
MUTED = "#6b6a66"


def ticket() -> Canvas:
    canvas = Canvas(860, 480, "#8b6f54")
    for line in range(12):
        canvas.curve(
            [(0, 20 + 42 * line), (400, 12 + 42 * line), (860, 24 + 42 * line)], "#7e6349", 2
        )
    canvas.box((58, 60), 760, 380, "#5b4531", radius=14)
    canvas.box((50, 50), 760, 380, "#f6efdc", radius=14)
    canvas.box((50, 50), 760, 66, BLUE, radius=14)
    canvas.box((50, 96), 760, 20, BLUE)
    canvas.text((78, 84), "NORTHLINE RAIL", 32, WHITE, "lm", 0.6)
    canvas.text((782, 84), "SINGLE / STANDARD", 20, "#dce9ee", "rm")
    _stations(canvas)
    fields: Sequence[tuple[float, float, str, str]] = (
        (78, 254, "DATE", "14 MAR 2025"),
        (262, 254, "COACH", "C"),
        (360, 254, "SEAT", "27 WINDOW"),
        (540, 254, "PRICE", "36.50"),
        (78, 322, "PASSENGER", "1 ADULT"),
        (262, 322, "BOOKING", "QX4-7719"),
        (430, 322, "CHANGE", "AT MILLBROOK"),
    )
    for x, y, label, value in fields:
        canvas.text((x, y), label, 14, MUTED, "lm")
        canvas.text((x, y + 26), value, 24, INK, "lm", 0.3)
    canvas.text((78, 402), "Not valid via Carrow. Not for resale.", 18, RED, "lm")
    _stub(canvas)
    return canvas


def opening_hours() -> Canvas:
    canvas = Canvas(680, 640, "#7f9a8f")
    canvas.gradient(0, 640, "#8ea99d", "#6f8b80")
    canvas.box((116, 48), 460, 560, "#54695f", radius=6)
    canvas.box((110, 40), 460, 560, "#fbfaf4", radius=6)
    canvas.text((340, 92), "HILL LANE LIBRARY", 36, "#24483c", weight=0.7)
    canvas.text((340, 136), "Opening hours", 24, MUTED)
    canvas.line([(150, 164), (530, 164)], "#c9c4b4", 2)
    hours = (
        ("Monday", "closed"),
        ("Tuesday", "10:00 - 18:00"),
        ("Wednesday", "10:00 - 20:00"),
        ("Thursday", "10:00 - 18:00"),
        ("Friday", "12:00 - 18:00"),
        ("Saturday", "9:00 - 13:00"),
        ("Sunday", "closed"),
    )
    for row, (day, time) in enumerate(hours):
        y = 194 + 40 * row
        canvas.text((150, y), day, 25, INK, "lm")
        canvas.text((530, y), time, 25, RED if time == "closed" else INK, "rm")
    canvas.line([(150, 472), (530, 472)], "#c9c4b4", 2)
    canvas.text((340, 570), "Book drop at the side door, day and night", 18, "#24483c")
    _note(canvas)
    for corner in ((124, 54), (556, 54), (124, 586), (556, 586)):
        canvas.disc(corner, 6, "#8f949a")
        canvas.disc((corner[0] - 1.5, corner[1] - 1.5), 2.5, "#d5d9dc")
    return canvas


def _stations(canvas: Canvas) -> None:
    canvas.text((78, 146), "FROM", 14, MUTED, "lm")
    canvas.text((78, 180), "ALDERBY", 36, INK, "lm", 0.5)
    canvas.text((78, 214), "dep. 08:47", 22, BLUE, "lm", 0.3)
    canvas.text((400, 146), "TO", 14, MUTED, "lm")
    canvas.text((400, 180), "PORT ENNIS", 36, INK, "lm", 0.5)
    canvas.text((400, 214), "arr. 11:02", 22, BLUE, "lm", 0.3)
    canvas.line([(284, 180), (362, 180)], RED, 4)
    canvas.polygon([(378, 180), (358, 170), (358, 190)], RED)


def _stub(canvas: Canvas) -> None:
    """The right-hand end: a line of perforation, a bar code and the hole of the inspector."""
    for y in range(126, 428, 16):
        canvas.disc((664, y), 3, "#bfb392")
    x = 692.0
    for number in range(19):
        width = 1.5 + (number * 7) % 4
        canvas.box((x, 140), width, 170, INK)
        x += width + 1.2 + (number * 5) % 3 * 0.6
    canvas.text((736, 330), "QX47719", 17)
    canvas.disc((736, 384), 17, "#7e6349")
    canvas.arc((736, 384), 17, 20, 200, "#5f4a35", 2)


def _note(canvas: Canvas) -> None:
    """A sticky note, a little crooked, below the table."""
    corners: list[Point] = [(236, 488), (452, 480), (456, 546), (240, 552)]
    canvas.polygon([(x + 5, y + 6) for x, y in corners], "#b9b6a4")
    canvas.polygon(corners, "#f8e27a")
    canvas.text((346, 504), "THIS WEEK ONLY:", 17, "#3b4a8c", weight=0.3)
    canvas.text((346, 530), "Wed. we close at 17:00", 18, "#3b4a8c")
