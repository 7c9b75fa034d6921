"""Pictures one has to reason about: knowledge, clocks and counts, arrows and poles, things that
cannot be."""

from benchmarks.bundled.touchstone.figures.shapes import (
    AMBER,
    BLUE,
    GREEN,
    INK,
    RED,
    STONE,
    WHITE,
    WOOD,
    Point,
    at_angle,
)

from . import animals
from .sheet import Sheet


def hive() -> Sheet:
    canvas = Sheet(520, 420, "#dcebd8")
    canvas.box((0, 360), 520, 60, "#8fb878")
    canvas.box((240, 330), 40, 50, WOOD)
    canvas.box((150, 320), 220, 18, WOOD, 5)
    for row, half in enumerate((70, 96, 110, 112, 104, 88)):
        canvas.box(
            (260 - half, 92 + 38 * row), 2 * half, 42, "#e0b154" if row % 2 else "#d39d3c", 20
        )
    canvas.disc((260, 284), 22, "#3d2a12")
    for at, mirrored in (
        ((92, 120), False),
        ((440, 150), True),
        ((110, 260), False),
        ((416, 290), True),
    ):
        animals.bee(canvas, at, 1.25, mirrored)
    return canvas


def cactus() -> Sheet:
    canvas = Sheet(460, 440)
    canvas.gradient(0, 330, "#f6d7a0", "#fdf0d4")
    canvas.disc((370, 84), 42, "#f5b03d")
    canvas.blob(
        [(-40, 320), (110, 288), (260, 318), (400, 284), (520, 316), (520, 480), (-40, 480)],
        "#dcaa62",
    )
    for points in (
        [(226, 386), (226, 110)],
        [(226, 270), (140, 270), (140, 180)],
        [(226, 236), (312, 236), (312, 150)],
    ):
        canvas.stroke(points, "#4f8f52", 54)
        canvas.disc(points[1], 27, "#4f8f52")
    for x, top, bottom in ((210, 110, 384), (242, 110, 384), (140, 184, 270), (312, 154, 236)):
        canvas.line([(x, top), (x, bottom)], "#3b7340", 4)
        for y in range(int(top), int(bottom), 22):
            canvas.line([(x - 6, y), (x + 6, y - 4)], "#e6edc7", 2)
    canvas.disc((226, 78), 15, "#df5d8a")
    canvas.disc((80, 396), 26, STONE, 0.5)
    return canvas


def stars() -> Sheet:
    """Four and three."""
    canvas = Sheet(480, 280, WHITE)
    for row, count in enumerate((4, 3)):
        for place in range(count):
            _star(canvas, (84 + 104 * place, 84 + 112 * row), 46)
    return canvas


def _star(canvas: Sheet, centre: Point, reach: float) -> None:
    corners = [
        at_angle(centre, reach if step % 2 == 0 else reach * 0.42, 90 + 36 * step)
        for step in range(10)
    ]
    canvas.outlined(corners, "#f6c638", "#b8860b", 4)


def clock() -> Sheet:
    """Half past four."""
    canvas = Sheet(420, 420, WHITE)
    canvas.ring((210, 210), 180, "#fdfcf7", BLUE, 14)
    for hour in range(1, 13):
        canvas.text(at_angle((210, 210), 138, 90 - 30 * hour), str(hour), 36)
    canvas.stroke([(210, 210), at_angle((210, 210), 84, 90 - 30 * 4.5)], INK, 13)
    canvas.stroke([(210, 210), at_angle((210, 210), 120, 270)], RED, 8)
    canvas.disc((210, 210), 13, INK)
    return canvas


def birdcage() -> Sheet:
    canvas = Sheet(440, 480, "#e6e0ee")
    canvas.box((0, 430), 440, 50, WOOD)
    canvas.line([(220, 0), (220, 40)], "#8f6b2a", 6)
    canvas.arc((220, 50), 14, 0, 360, "#8f6b2a", 6)
    animals.goldfish(canvas, (216, 262), 1.25)
    canvas.arc((220, 214), 150, 0, 180, "#b98a34", 8)
    for place in range(7):
        x = 70 + 50 * place
        rise = (150**2 - (x - 220) ** 2) ** 0.5
        canvas.line([(x, 214 - rise), (x, 400)], "#b98a34", 5)
    for top in (214, 400):
        canvas.box((64, top - 5), 312, 11, "#b98a34", 5)
    canvas.box((58, 398), 324, 34, "#8f6b2a", 8)
    return canvas


def food_chain() -> Sheet:
    canvas = Sheet(860, 300, "#f4f7ee")
    for place, name in enumerate(("grass", "grasshopper", "frog", "heron")):
        canvas.text((110 + 214 * place, 268), name, 30, INK, weight=0.3)
    for place in range(9):
        x = 70 + 10 * place
        canvas.curve(
            [(x, 220), (x + (place % 3 - 1) * 8, 160), (x + (place - 4) * 7, 110 + place % 2 * 20)],
            GREEN,
            7,
        )
    animals.grasshopper(canvas, (330, 220), 0.95)
    animals.frog(canvas, (538, 220), 1.1)
    animals.heron(canvas, (758, 228), 1.0)
    for left in (180, 410, 616):
        canvas.arrow((left, 180), (left + 54, 180), RED, 7)
    return canvas


def magnets() -> Sheet:
    """North faces north."""
    canvas = Sheet(640, 240, WHITE)
    for left, letters in ((40, "SN"), (360, "NS")):
        for place, letter in enumerate(letters):
            canvas.box((left + 120 * place, 74), 120, 92, RED if letter == "N" else BLUE)
            canvas.bold((left + 60 + 120 * place, 120), letter, 54, WHITE)
    canvas.dashes((320, 50), (320, 190), AMBER, 3)
    return canvas
