"""Drawings of the draft, of which annotators and reviewers of a demo have work: small, and each
with something to count, to read or to compare."""

from collections.abc import Callable

from .canvas import Canvas
from .shapes import AMBER, BLUE, GREEN, INK, LINE, MUTED, RED, SKY, STONE, TEAL, WHITE, WOOD


def bookshelf() -> Canvas:
    canvas = Canvas(720, 420)
    canvas.box((40, 40), 640, 340, WOOD)
    for row, books in enumerate(
        (
            ((70, 120, RED), (50, 104, BLUE), (50, 104, BLUE), (62, 128, GREEN)),
            ((80, 112, AMBER), (56, 124, TEAL), (44, 96, RED)),
        )
    ):
        shelf = 200 + 168 * row
        canvas.box((56, shelf - 148), 608, 148, "#f0e4d3")
        left = 70.0
        for width, height, colour in books:
            canvas.framed((left, shelf - height), width, height, colour, INK, 2)
            canvas.box((left + 8, shelf - height + 14), width - 16, 8, WHITE)
            left += width + 4
    canvas.framed((540, 128), 92, 72, SKY, INK, 2)
    canvas.text((586, 164), "12 Oct", 20)
    canvas.ring((520, 330), 34, STONE)
    canvas.text((520, 330), "N", 24)
    return canvas


def forecast() -> Canvas:
    canvas = Canvas(760, 320)
    canvas.bold((380, 36), "Weather for Oakford", 24)
    days = (("Mon", 18, "sun"), ("Tue", 15, "cloud"), ("Wed", 11, "rain"), ("Thu", 16, "cloud"))
    for place, (day, degrees, sky) in enumerate(days):
        left = 30 + 178 * place
        canvas.framed((left, 70), 166, 220, SKY, LINE, 2, 10)
        canvas.bold((left + 83, 98), day, 20)
        if sky == "sun":
            canvas.disc((left + 83, 172), 34, AMBER)
        else:
            canvas.disc((left + 62, 176), 26, STONE)
            canvas.disc((left + 96, 168), 34, STONE)
        for drop in (50, 83, 116) if sky == "rain" else ():
            canvas.stroke([(left + drop, 208), (left + drop - 6, 226)], BLUE, 4)
        canvas.text((left + 83, 262), f"{degrees} C", 24)
    return canvas


def fruit_bowl() -> Canvas:
    canvas = Canvas(640, 420)
    canvas.box((0, 320), 640, 100, WOOD)
    for x, y, colour in (
        (240, 216, RED),
        (310, 200, GREEN),
        (380, 210, RED),
        (280, 250, AMBER),
        (350, 252, AMBER),
    ):
        canvas.ring((x, y), 46, colour, INK, 2)
        canvas.stroke([(x, y - 44), (x + 6, y - 58)], INK, 4)
    canvas.outlined([(170, 262), (470, 262), (410, 344), (230, 344)], "#dfe9ee")
    canvas.ring((540, 340), 40, GREEN, INK, 2)
    canvas.text((320, 304), "KITCHEN", 24, MUTED)
    return canvas


def thermometers() -> Canvas:
    canvas = Canvas(620, 460)
    for place, (name, degrees) in enumerate((("Cellar", 9), ("Kitchen", 21), ("Attic", 27))):
        x = 120 + 190 * place
        canvas.bold((x, 36), name, 22)
        canvas.framed((x - 18, 70), 36, 300, WHITE, INK, 3, 18)
        canvas.disc((x, 390), 34, RED)
        top = 360 - 9 * degrees
        canvas.box((x - 9, top), 18, 380 - top, RED)
        for mark in (0, 10, 20, 30):
            canvas.line([(x + 20, 360 - 9 * mark), (x + 34, 360 - 9 * mark)], INK, 2)
            canvas.text((x + 40, 360 - 9 * mark), str(mark), 16, MUTED, "lm")
    return canvas


def parking_sign() -> Canvas:
    canvas = Canvas(420, 520)
    canvas.box((200, 330), 20, 190, STONE)
    canvas.framed((60, 30), 300, 310, BLUE, WHITE, 8, 18)
    canvas.bold((210, 120), "P", 120, WHITE)
    canvas.rows(
        (210, 216), ("Mon - Fri 8 - 18", "2 hours, with disc", "free on Saturday"), 24, 1.5, WHITE
    )
    return canvas


def bus_line() -> Canvas:
    canvas = Canvas(800, 300)
    canvas.bold((60, 44), "Line 4", 26, TEAL, "lm")
    canvas.line([(70, 150), (730, 150)], TEAL, 10)
    stops = ("Harbour", "Market", "School", "Clinic", "Forest")
    for place, stop in enumerate(stops):
        x = 70 + 165 * place
        canvas.ring((x, 150), 16, WHITE, TEAL, 5)
        canvas.text((x, 198), stop, 20)
        canvas.text((x, 108), f"10:{5 + 7 * place:02}", 18, MUTED)
    canvas.line([(400, 218), (400, 262)], AMBER, 6)
    canvas.text((414, 258), "change to line 7", 18, INK, "lm")
    return canvas


def balance() -> Canvas:
    canvas = Canvas(640, 420)
    canvas.outlined([(300, 380), (340, 380), (324, 120), (316, 120)], STONE)
    canvas.line([(120, 170), (520, 110)], INK, 8)
    for x, y, label, colour in ((120, 170, "2 kg", RED), (520, 110, "?", BLUE)):
        canvas.line([(x, y), (x - 56, y + 120)], INK, 2)
        canvas.line([(x, y), (x + 56, y + 120)], INK, 2)
        canvas.outlined([(x - 70, y + 120), (x + 70, y + 120), (x, y + 156)], LINE)
        canvas.framed((x - 34, y + 62), 68, 58, colour, INK, 3)
        canvas.bold((x, y + 92), label, 22, WHITE)
    return canvas


def seed_beds() -> Canvas:
    canvas = Canvas(720, 360, "#e6efdc")
    beds = (("Carrots", 3, AMBER), ("Peas", 4, GREEN), ("Beetroot", 2, RED))
    for place, (name, rows, colour) in enumerate(beds):
        left = 30 + 230 * place
        canvas.framed((left, 60), 200, 240, "#b58a63", INK, 3)
        canvas.text((left + 100, 36), name, 22)
        for row in range(rows):
            for plant in range(4):
                canvas.disc((left + 34 + 44 * plant, 96 + 56 * row), 12, colour)
    return canvas


PREPARED: dict[str, Callable[[], Canvas]] = {
    f"prepared/{draw.__name__}": draw
    for draw in (
        bookshelf,
        forecast,
        fruit_bowl,
        thermometers,
        parking_sign,
        bus_line,
        balance,
        seed_beds,
    )
}
