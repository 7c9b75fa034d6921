"""Writing in its place: on boards, shops, vehicles, near and far."""

from benchmarks.bundled.touchstone.figures.shapes import (
    AMBER,
    GREEN,
    INK,
    RED,
    STONE,
    TEAL,
    WHITE,
    WOOD,
)

from .outdoors import tree
from .sheet import Sheet
from .subjects import draw_car


def plate(words: str, wall: str, ground: str, ink: str, size: float = 70) -> Sheet:
    """A sign board, cut out closely."""
    canvas = Sheet(440, 180, wall)
    canvas.box((28, 30), 392, 128, STONE, 12)
    canvas.framed((22, 22), 396, 132, ground, ink, 5, 12)
    canvas.text((220, 88), words, size, ink, weight=1.5)
    return canvas


def exit_sign() -> Sheet:
    canvas = Sheet(480, 240, "#d8dcdd")
    canvas.box((40, 50), 400, 140, "#1f8a50", 10)
    canvas.bold((190, 120), "EXIT", 92, WHITE)
    canvas.disc((358, 80), 13, WHITE)
    for limb in ([(352, 98), (344, 132)], [(344, 132), (368, 148), (362, 176)], [(344, 132),
                 (332, 156), (306, 160)], [(352, 102), (376, 118), (392, 108)], [(352, 102),
                                           (330, 108), (322, 128)]):  # fmt: skip
        canvas.stroke(limb, WHITE, 11)
    return canvas


def caution_sign() -> Sheet:
    canvas = Sheet(440, 420, "#cdd6da")
    canvas.box((0, 350), 440, 70, "#a9b2b5")
    canvas.polygon([(150, 40), (290, 40), (356, 376), (84, 376)], "#f2c72c")
    canvas.stroke([(150, 40), (290, 40)], "#d3a910", 12)
    canvas.bold((220, 110), "CAUTION", 35, INK)
    canvas.polygon([(220, 156), (292, 286), (148, 286)], INK)
    canvas.polygon([(220, 180), (272, 274), (168, 274)], "#f2c72c")
    canvas.box((214, 204), 12, 40, INK, 5)
    canvas.disc((220, 258), 7.5, INK)
    return canvas


def platform_sign() -> Sheet:
    """Far away in a station hall and slightly out of focus."""
    canvas = Sheet(560, 380, "#9aa6ad")
    canvas.polygon([(0, 0), (560, 0), (400, 130), (160, 130)], "#6c777d")
    for x in (60, 160, 400, 500):
        canvas.line([(x, 0), (280 + (x - 280) * 0.42, 130)], "#565f64", 6)
    canvas.polygon([(0, 380), (240, 200), (320, 200), (560, 380)], "#77706a")
    canvas.polygon([(0, 380), (0, 300), (240, 196), (240, 204)], "#c5bba9")
    canvas.polygon([(560, 380), (560, 300), (320, 196), (320, 204)], "#c5bba9")
    canvas.box((250, 150), 60, 52, "#b6543b", 8)
    for x in (206, 354):
        canvas.line([(x, 60), (x, 92)], INK, 4)
    canvas.box((184, 90), 192, 44, "#1f3d63", 4)
    canvas.text((280, 112), "Platform", 32, WHITE, weight=0.6)
    canvas.blur(1.1)
    return canvas


def sale_window() -> Sheet:
    canvas = Sheet(560, 380, "#8d6a58")
    canvas.framed((60, 40), 440, 280, "#bcd0d6", "#4b3a31", 12)
    for x in (160, 290):
        canvas.disc((x, 130), 22, "#e5d5c3")
        canvas.polygon(
            [(x - 30, 160), (x + 30, 160), (x + 56, 308), (x - 56, 308)],
            TEAL if x < 200 else "#86506f",
        )
    canvas.polygon([(352, 96), (484, 128), (466, 204), (334, 172)], RED)
    canvas.turned((409, 150), "SALE", 46, -13.5, WHITE, 1)
    canvas.polygon([(80, 52), (180, 52), (70, 260), (72, 120)], WHITE, 0.16)
    return canvas


def taxi() -> Sheet:
    canvas = Sheet(560, 380)
    canvas.gradient(0, 380, "#3d4a66", "#8b7f86")
    for left, top in ((30, 60), (120, 20), (420, 40), (490, 90)):
        canvas.box((left, top), 70, 200, "#2c3448")
        for row in range(4):
            canvas.box((left + 12, top + 16 + 40 * row), 16, 20, "#f2d581")
            canvas.box((left + 42, top + 16 + 40 * row), 16, 20, "#4b5368")
    canvas.box((0, 264), 560, 116, "#4a4c52")
    draw_car(canvas, (280, 320), 1, "#f0efe9")
    canvas.box((226, 128), 96, 36, "#f7d447", 7)
    canvas.bold((274, 146), "TAXI", 30, INK)
    return canvas


def fruit_awning() -> Sheet:
    canvas = Sheet(560, 380, "#cabfae")
    canvas.box((60, 150), 440, 180, "#5d4a3b")
    for place in range(9):
        colour = WHITE if place % 2 else GREEN
        left = 40 + 480 / 9 * place
        canvas.polygon([(left, 150), (left + 54, 150), (left + 50, 70), (left + 6, 70)], colour)
        canvas.slice((left + 26.7, 150), 26.7, 90, 270, colour)
    canvas.box((190, 176), 180, 46, "#f5eeda", 6)
    canvas.turned((280, 199), "Fruit", 36, 2, "#7d3b1d", 0.8)
    for row, colour in enumerate((RED, AMBER, "#9dbb3f")):
        left = 86 + 136 * row
        for place in range(6):
            canvas.disc((left + 20 + 19 * place, 268 - 8 * (place % 2)), 15, colour)
        canvas.box((left, 272), 126, 60, WOOD, 4)
    canvas.box((0, 330), 560, 50, "#a39c90")
    canvas.blur(0.8)
    return canvas


def toilets_sign() -> Sheet:
    canvas = Sheet(560, 380)
    canvas.gradient(0, 380, "#a9d0e8", "#eaf3f6")
    canvas.box((0, 310), 560, 70, "#8bb071")
    tree(canvas, (110, 330), 1)
    tree(canvas, (480, 322), 0.8)
    canvas.box((292, 140), 12, 200, "#74583c")
    canvas.polygon([(216, 128), (374, 116), (402, 142), (378, 172), (218, 178)], "#2a5d8f")
    canvas.turned((290, 150), "Toilets", 33, 3, WHITE, 0.6)
    canvas.arrow((350, 146), (388, 143), WHITE, 3)
    return canvas


def shop(words: str, front: str, sign: str, door: str) -> Sheet:
    """A shop of one floor with a sign above door and window."""
    canvas = Sheet(600, 400)
    canvas.gradient(0, 400, "#cfe2ec", "#f3f6f6")
    canvas.box((40, 50), 520, 300, front)
    canvas.box((30, 40), 540, 20, "#6d655b")
    canvas.box((60, 80), 480, 74, sign, 6)
    canvas.text((300, 117), words, 54, WHITE, weight=1.2)
    canvas.framed((80, 180), 290, 130, "#cfe4ec", WHITE, 7)
    canvas.box((222, 184), 6, 122, WHITE)
    canvas.framed((410, 180), 110, 170, door, WHITE, 7)
    canvas.box((426, 200), 78, 70, "#cfe4ec")
    canvas.disc((500, 288), 7, AMBER)
    canvas.box((0, 350), 600, 50, "#b5b0a7")
    return canvas


def boat() -> Sheet:
    canvas = Sheet(600, 400)
    canvas.gradient(0, 230, "#bfe0f0", "#f2f6f5")
    canvas.gradient(226, 400, "#3f89ad", "#2a6283")
    canvas.box((330, 96), 120, 110, WHITE, 8)
    for left in (346, 398):
        canvas.box((left, 116), 38, 36, "#6f93a8", 5)
    canvas.line([(300, 210), (300, 50)], INK, 5)
    canvas.polygon([(300, 56), (300, 84), (344, 70)], RED)
    canvas.polygon([(60, 190), (560, 190), (510, 300), (130, 300)], "#f3f1ea")
    canvas.polygon([(60, 190), (560, 190), (552, 208), (68, 208)], RED)
    canvas.turned((250, 252), "MARLIN", 46, 0, "#22405c", 1)
    for left in (20, 180, 330, 480):
        canvas.curve(
            [(left, 320), (left + 30, 308), (left + 60, 320), (left + 90, 310)], "#a9d0e0", 5
        )
    return canvas


def train() -> Sheet:
    canvas = Sheet(480, 420)
    canvas.gradient(0, 420, "#b9cfd8", "#e9efee")
    canvas.polygon([(0, 420), (190, 300), (290, 300), (480, 420)], "#80786d")
    for share in (-1, 1):
        canvas.line([(240 + share * 40, 300), (240 + share * 130, 420)], "#4b4f54", 8)
    canvas.box((96, 50), 288, 300, TEAL, 44)
    canvas.box((126, 116), 228, 96, "#25333b", 20)
    canvas.line([(240, 116), (240, 212)], TEAL, 8)
    canvas.box((176, 66), 128, 40, INK, 8)
    canvas.bold((240, 86), "314", 38, "#ffb52e")
    canvas.box((96, 244), 288, 36, AMBER)
    for x in (134, 346):
        canvas.disc((x, 312), 19, "#fff6cf")
    canvas.box((120, 344), 240, 24, INK, 8)
    return canvas
