"""Makers that do not exist, with names and marks good enough to be told apart."""

from .canvas import Canvas
from .shapes import INK, WHITE, Point, at_angle, moved

TEA_GREEN = "#1f4a40"
GOLD = "#d9b45a"


def tea_tin() -> Canvas:
    canvas = Canvas(680, 720)
    canvas.gradient(0, 520, "#efe6d6", "#e4d7c0")
    canvas.gradient(520, 720, "#c9ab85", "#ab8a63")
    canvas.soft((350, 640), 220, "#4a3826", squeeze=0.16, opacity=0.6)
    canvas.gradient(130, 640, "#2a5d51", "#1a4037", 170, 510)
    canvas.disc((340, 640), 170, "#1a4037", squeeze=0.1)
    canvas.box((160, 96), 360, 50, "#c9a349", radius=10)
    canvas.disc((340, 98), 178, "#e2c478", squeeze=0.1)
    canvas.box((170, 150), 340, 5, GOLD)
    canvas.box((170, 624), 340, 5, GOLD)
    canvas.disc((340, 286), 92, "#f4ead2")
    canvas.arc((340, 286), 84, 0, 360, GOLD, 4)
    _kestrel_on_vane(canvas, (340, 286))
    canvas.text((340, 420), "KESTREL & VANE", 36, "#f4ead2", weight=0.6)
    canvas.line([(230, 450), (450, 450)], GOLD, 2)
    canvas.text((340, 478), "SMOKED BLACK TEA", 26, GOLD, weight=0.3)
    canvas.text((340, 514), "loose leaf", 22, "#d8e2d6")
    canvas.text((340, 566), "125 g", 30, "#f4ead2", weight=0.3)
    canvas.text((340, 602), "EST. 1911", 18, GOLD)
    return canvas


def bottles() -> Canvas:
    canvas = Canvas(820, 560)
    canvas.gradient(0, 470, "#f0efe9", "#dfe3e2")
    canvas.box((0, 466), 820, 26, "#b98d60")
    canvas.gradient(490, 560, "#8d6740", "#a57c52")
    _bottle(canvas, (170, 466), "AQUELLO", "#2b6ea8", "drop")
    _bottle(canvas, (410, 466), "AQUELLA", "#3c8f62", "leaf")
    _bottle(canvas, (650, 466), "AQUELLO", "#2b6ea8", "drop")
    for x, price in ((170, "0.85"), (410, "0.49"), (650, "0.85")):
        canvas.box((x - 44, 498), 88, 38, WHITE, radius=4)
        canvas.text((x, 517), price, 22, INK, weight=0.3)
    return canvas


def delivery_van() -> Canvas:
    canvas = Canvas(860, 520)
    canvas.gradient(0, 400, "#cfe0ea", "#eef1ea")
    for number in range(9):
        width, height = 110, 90 + (number * 37) % 90
        canvas.box(
            (number * 104 - 30, 400 - height), width, height, "#c3ccd2" if number % 2 else "#b6c1c9"
        )
    canvas.box((0, 400), 860, 120, "#6d7278")
    canvas.box((0, 400), 860, 16, "#a9adb0")
    for x in range(20, 860, 150):
        canvas.box((x, 480), 80, 7, "#e9e6da")
    canvas.soft((420, 452), 330, "#2c2f33", squeeze=0.09, opacity=0.7)
    _van_body(canvas)
    for x in (250, 620):
        canvas.disc((x, 420), 48, "#26282b")
        canvas.disc((x, 420), 26, "#b9bfc4")
        canvas.disc((x, 420), 9, "#6d7278")
    return canvas


def _kestrel_on_vane(canvas: Canvas, centre: Point) -> None:
    """A bird on the arrow of a weathervane that points left."""
    x, y = centre
    canvas.line([(x, y + 66), (x, y + 18)], TEA_GREEN, 4)
    canvas.line([(x - 56, y + 34), (x + 52, y + 34)], TEA_GREEN, 4)
    canvas.polygon([(x - 70, y + 34), (x - 50, y + 24), (x - 50, y + 44)], TEA_GREEN)
    canvas.polygon([(x + 44, y + 34), (x + 62, y + 22), (x + 62, y + 46)], TEA_GREEN)
    for letter, spot in (("N", (x - 24, y + 54)), ("S", (x + 24, y + 54))):
        canvas.text(spot, letter, 17, TEA_GREEN, weight=0.4)
    body = [
        (-30, -44),
        (-14, -56),
        (2, -44),
        (22, -14),
        (44, 22),
        (26, 20),
        (4, 20),
        (-14, 4),
        (-20, -24),
    ]
    canvas.blob(moved(body, (x, y)), "#8d4b2a")
    canvas.blob(moved([(-4, -34), (12, -22), (50, 30), (20, 14), (2, -8)], (x, y)), "#5b2f1c")
    canvas.polygon([(x - 28, y - 50), (x - 40, y - 42), (x - 27, y - 40)], "#33342f")
    canvas.disc((x - 17, y - 46), 3.4, INK)
    canvas.line([(x - 20, y - 42), (x - 20, y - 32)], INK, 3)
    for row in range(3):
        canvas.disc((x - 8 + 5 * row, y - 18 + 10 * row), 2.4, "#f4ead2")
    for shift in (0, 12):
        canvas.line([(x + shift, y + 18), (x + shift - 2, y + 32)], "#c9a349", 3)


def _bottle(canvas: Canvas, foot: Point, name: str, colour: str, mark: str) -> None:
    x, y = foot
    canvas.soft((x + 6, y - 2), 84, "#5f6a6c", squeeze=0.12, opacity=0.5)
    outline = [(-66, 0), (-66, -230), (-56, -270), (-24, -312), (-22, -350), (22, -350), (24, -312),
               (56, -270), (66, -230), (66, 0)]  # fmt: skip
    canvas.polygon(moved(outline, foot), "#cfe4ee")
    canvas.polygon(
        moved([(-66, 0), (-66, -230), (-58, -262), (-48, -262), (-50, 0)], foot), "#b5d3e2"
    )
    canvas.box((x + 40, y - 230), 10, 220, "#e6f2f7", radius=5)
    canvas.box((x - 25, y - 384), 50, 38, colour, radius=6)
    for ridge in range(5):
        canvas.line([(x - 18 + 9 * ridge, y - 380), (x - 18 + 9 * ridge, y - 350)], "#e7eef2", 1.4)
    canvas.box((x - 66, y - 214), 132, 150, WHITE)
    canvas.box((x - 66, y - 214), 132, 10, colour)
    canvas.box((x - 66, y - 74), 132, 10, colour)
    _drop(canvas, (x, y - 166), colour) if mark == "drop" else _leaf(canvas, (x, y - 166), colour)
    canvas.text((x, y - 122), name, 25, colour, weight=0.6)
    canvas.text((x, y - 98), "still water", 15, "#5f6a6c")
    canvas.text((x, y - 84), "0.5 L", 13, "#5f6a6c")


def _drop(canvas: Canvas, at: Point, colour: str) -> None:
    canvas.blob(
        moved([(0, -28), (6, -14), (18, 6), (12, 22), (0, 27), (-12, 22), (-18, 6), (-6, -14)], at),
        colour,
    )
    canvas.disc((at[0] - 6, at[1] + 8), 4, WHITE)


def _leaf(canvas: Canvas, at: Point, colour: str) -> None:
    canvas.blob(moved([(-24, 18), (-14, -10), (26, -24), (22, 8), (-4, 20)], at), colour)
    canvas.curve(moved([(-28, 24), (-6, 8), (16, -12)], at), WHITE, 2.6)


def _van_body(canvas: Canvas) -> None:
    teal = "#16616b"
    canvas.polygon([(600, 190), (672, 200), (734, 290), (770, 310), (776, 410), (590, 410)], teal)
    canvas.box((110, 110), 500, 300, "#f7f5ee", radius=16)
    canvas.box((110, 330), 500, 80, teal)
    canvas.box((104, 396), 680, 20, "#3a3f44", radius=8)
    canvas.polygon([(626, 214), (664, 216), (714, 292), (626, 292)], "#bfdbe4")
    canvas.line([(618, 200), (618, 400)], "#0f4850", 3)
    canvas.box((632, 318), 32, 7, "#0f4850", radius=3)
    canvas.disc((762, 342), 13, "#f7e2a0")
    canvas.box((106, 350), 12, 34, "#c8493a", radius=3)
    _ring_and_arrow(canvas, (196, 218))
    canvas.text((272, 206), "ORBELLO", 64, teal, "lm", 1)
    canvas.text((274, 262), "Anywhere by noon", 28, "#e07b2c", "lm", 0.3)
    canvas.text((360, 361), "orders: 0555 010 220", 24, WHITE)
    canvas.box((690, 378), 88, 26, WHITE, radius=3)
    canvas.text((734, 391), "KV 308", 18, INK, weight=0.3)


def _ring_and_arrow(canvas: Canvas, centre: Point) -> None:
    """An open orange ring whose upper end is an arrowhead."""
    canvas.arc(centre, 48, 60, 350, "#e07b2c", 15)
    tip = at_angle(centre, 48, 30)
    canvas.polygon(
        [at_angle(centre, 72, 64), at_angle(centre, 24, 64), (tip[0] + 2, tip[1] + 2)], "#e07b2c"
    )
    canvas.disc(centre, 15, "#16616b")
