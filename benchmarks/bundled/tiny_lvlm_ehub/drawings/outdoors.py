"""Scenes in the open that several datasets ask about. What stands in them is what questions.json
counts and names."""

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
    between,
    moved,
)

from . import animals
from .people import SKIN, standing
from .sheet import Sheet
from .subjects import cloud, draw_car, wheel


def tree(canvas: Sheet, foot: Point, scale: float = 1) -> None:
    x, y = foot
    canvas.box((x - 13 * scale, y - 130 * scale), 26 * scale, 130 * scale, "#7a5434", 6 * scale)
    for across, down, radius in ((-44, -150, 48), (40, -150, 50), (0, -200, 58), (0, -140, 46)):
        canvas.disc((x + across * scale, y + down * scale), radius * scale, "#4f8a4d")
    for across, down in ((-34, -176), (20, -214), (44, -160)):
        canvas.disc((x + across * scale, y + down * scale), 20 * scale, "#67a15d")


def meadow() -> Sheet:
    """Five sheep, and a brown dog to the right of them."""
    canvas = Sheet(720, 460)
    canvas.gradient(0, 210, "#9ccbe9", "#e5f2f8")
    cloud(canvas, (300, 70), 1)
    canvas.blob(
        [(-60, 230), (140, 150), (380, 196), (600, 140), (800, 220), (800, 520), (-60, 520)],
        "#a8c98c",
    )
    canvas.box((0, 220), 720, 240, "#8cbb6b")
    canvas.box((540, 120), 120, 84, "#a5402f")
    canvas.polygon([(524, 126), (600, 70), (676, 126)], "#6c3a30")
    canvas.box((578, 152), 44, 52, "#e9dcc6")
    for left in range(-10, 740, 62):
        canvas.box((left, 204), 9, 50, WOOD, 2)
    for top in (214, 234):
        canvas.box((0, top), 720, 6, WOOD)
    tree(canvas, (86, 300), 1)
    for foot, scale in (
        ((220, 300), 0.95),
        ((350, 290), 0.9),
        ((270, 384), 1.15),
        ((420, 372), 1.1),
        ((150, 418), 1.2),
    ):
        animals.sheep(canvas, foot, scale)
    animals.dog(canvas, (620, 396), 1.05)
    return canvas


def beach() -> Sheet:
    """Three parasols, two towels, a ball and a sailing boat; nobody is there."""
    canvas = Sheet(720, 460)
    canvas.gradient(0, 170, "#7fc0ea", "#dff1f8")
    canvas.disc((640, 66), 38, "#fae08a")
    canvas.gradient(166, 270, "#2f86b4", "#6fbad2")
    canvas.blob(
        [(-40, 270), (160, 252), (400, 276), (620, 254), (780, 272), (780, 560), (-40, 560)],
        "#efd9a7",
    )
    canvas.polygon([(250, 184), (350, 184), (334, 208), (266, 208)], "#8a5a36")
    canvas.line([(298, 184), (298, 84)], INK, 4)
    canvas.polygon([(304, 90), (304, 176), (356, 176)], WHITE)
    canvas.polygon([(292, 100), (292, 176), (256, 176)], "#f3efe6")
    for at, colour in (((130, 300), RED), ((356, 322), AMBER), ((574, 298), BLUE)):
        _parasol(canvas, at, colour)
    canvas.polygon([(190, 404), (300, 404), (270, 436), (156, 436)], "#5aa68f")
    canvas.polygon([(440, 408), (548, 408), (580, 440), (470, 440)], "#d37a92")
    canvas.disc((650, 416), 22, WHITE)
    canvas.slice((650, 416), 22, 0, 90, RED)
    canvas.slice((650, 416), 22, 180, 270, BLUE)
    return canvas


def _parasol(canvas: Sheet, at: Point, colour: str) -> None:
    x, y = at
    canvas.soft((x + 16, y + 92), 70, "#7d6430", 0.2)
    canvas.line([(x, y - 60), (x, y + 92)], "#8c6a43", 6)
    canvas.slice((x, y), 92, -90, 90, colour)
    for start in (-54, 18):
        canvas.slice((x, y), 92, start, start + 36, WHITE)
    canvas.disc((x, y - 94), 5, "#8c6a43")


def street() -> Sheet:
    """A yellow bus 27 to the harbour, a blue car, a traffic light at green, a walker, a bench and a
    tree."""
    canvas = Sheet(760, 480)
    canvas.gradient(0, 250, "#bcd9ea", "#eef4f6")
    for left, top, width, colour in ((0, 70, 150, "#c98f6d"), (150, 30, 170, "#d8c7a5"),
                                     (320, 90, 150, "#a9b3b0"), (470, 50, 150, "#cda59a"),
                                     (620, 80, 140, "#c5bf9c")):  # fmt: skip
        _house(canvas, left, top, width, colour)
    canvas.box((0, 300), 760, 40, "#cfcac0")
    canvas.box((0, 340), 760, 140, "#63666b")
    for left in range(10, 760, 120):
        canvas.box((left, 428), 66, 7, WHITE)
    tree(canvas, (64, 316), 0.8)
    _bench(canvas, (150, 318))
    standing(canvas, (600, 330), 118, RED, "#3a4657", SKIN[0], "#4b3221")
    _traffic_light(canvas, (700, 336))
    _bus(canvas, (376, 392))
    draw_car(canvas, (632, 466), 0.52, BLUE)
    return canvas


def _house(canvas: Sheet, left: float, top: float, width: float, colour: str) -> None:
    canvas.box((left, top), width, 300 - top, colour)
    canvas.box((left, top), width, 8, "#7d7468")
    for row in range(int((270 - top) // 56)):
        for column in range(3):
            at = (left + 16 + column * (width - 26) / 3, top + 22 + 56 * row)
            canvas.framed(at, 30, 36, "#dcecf3", WHITE, 3)


def _bench(canvas: Sheet, foot: Point) -> None:
    x, y = foot
    for leg in (-34, 34):
        canvas.line([(x + leg, y), (x + leg, y - 46)], INK, 5)
    for rise in (46, 36, 20):
        canvas.box((x - 44, y - rise), 88, 7, WOOD, 2)


def _traffic_light(canvas: Sheet, foot: Point) -> None:
    x, y = foot
    canvas.box((x - 4, y - 170), 8, 170, "#474a4d")
    canvas.box((x - 21, y - 246), 42, 104, INK, 9)
    for place, colour in enumerate(("#5b2a24", "#5e4a22", "#3ddc6a")):
        canvas.disc((x, y - 226 + 32 * place), 12.5, colour)


def _bus(canvas: Sheet, ground: Point) -> None:
    """A bus that drives to the left."""
    canvas.box(moved([(-176, -174)], ground)[0], 352, 158, "#f0bc2e", 18)
    canvas.box(moved([(-176, -64)], ground)[0], 352, 12, "#3a3f45")
    for place in range(5):
        canvas.box(moved([(-74 + 48 * place, -130)], ground)[0], 40, 52, "#d5e8f1", 5)
    canvas.box(moved([(-170, -130)], ground)[0], 38, 66, "#d5e8f1", 5)
    canvas.framed(moved([(-124, -132)], ground)[0], 42, 116, "#d5e8f1", "#3a3f45", 3, 4)
    canvas.box(moved([(-166, -168)], ground)[0], 206, 32, INK, 5)
    canvas.bold(moved([(-142, -152)], ground)[0], "27", 27, "#ffcf4a")
    canvas.bold(moved([(-40, -152)], ground)[0], "HARBOUR", 23, "#ffcf4a")
    canvas.disc(moved([(-168, -38)], ground)[0], 8, "#fdf3cd")
    for x in (-102, 108):
        wheel(canvas, moved([(x, -16)], ground)[0], 28)


def park() -> Sheet:
    """A child flies a kite; a bicycle leans against a tree, a bench stands by a pond with two
    ducks."""
    canvas = Sheet(760, 480)
    canvas.gradient(0, 240, "#8fc6ea", "#e7f3f8")
    cloud(canvas, (120, 76), 0.9)
    cloud(canvas, (430, 60), 0.7)
    canvas.blob([(-40, 240), (200, 206), (460, 236), (800, 200), (800, 560), (-40, 560)], "#93bf73")
    canvas.blob([(440, 380), (520, 336), (660, 332), (750, 372), (700, 440), (540, 452)], "#6db2cd")
    for at in ((560, 390), (656, 404)):
        animals.duck(canvas, at, 0.75)
    _bench(canvas, (610, 322))
    tree(canvas, (140, 386), 1.15)
    bicycle(canvas, (206, 398), 0.9)
    standing(canvas, (390, 420), 128, AMBER, "#33536e", SKIN[1], INK)
    canvas.stroke([(406, 342), (428, 320)], AMBER, 9)
    canvas.disc((430, 317), 6, SKIN[1])
    canvas.bezier([(430, 317), (500, 300), (560, 200), (618, 120)], INK, 2)
    kite = [(618, 40), (662, 84), (618, 156), (574, 84)]
    canvas.polygon(kite, RED)
    canvas.polygon([kite[0], kite[1], (618, 84)], "#e8877a")
    canvas.polygon([kite[2], kite[3], (618, 84)], "#e8877a")
    canvas.curve([(618, 156), (640, 186), (616, 206), (640, 232)], RED, 4)
    return canvas


def bicycle(
    canvas: Sheet, ground: Point, scale: float = 1, square: bool = False, colour: str = BLUE
) -> None:
    """A bicycle that points to the right; `square` is about its wheels."""
    hubs = moved([(-62, -42), (66, -42)], ground, scale)
    for hub in hubs:
        if square:
            side = 78 * scale
            canvas.framed(
                (hub[0] - side / 2, hub[1] - side / 2), side, side, "#e9eef0", INK, 7 * scale
            )
            for degrees in (45, 135, 225, 315):
                canvas.line([hub, at_angle(hub, 48 * scale, degrees)], STONE, 2 * scale)
        else:
            canvas.arc(hub, 40 * scale, 0, 360, INK, 6 * scale)
            for degrees in range(0, 360, 45):
                canvas.line([hub, at_angle(hub, 38 * scale, degrees)], STONE, 1.6 * scale)
        canvas.disc(hub, 6 * scale, INK)
    pedal, saddle, head = moved([(-4, -40), (-26, -104), (50, -104)], ground, scale)
    for tube in ((hubs[0], pedal), (hubs[0], between(saddle, pedal, 0.16)), (pedal, saddle),
                 (pedal, head), (between(saddle, pedal, 0.16), head), (hubs[1], head)):  # fmt: skip
        canvas.stroke(tube, colour, 7 * scale)
    canvas.stroke([head, *moved([(46, -126), (70, -132)], ground, scale)], INK, 6 * scale)
    canvas.box(moved([(-46, -114)], ground, scale)[0], 42 * scale, 11 * scale, INK, 5 * scale)
    canvas.disc(pedal, 11 * scale, "#4b4f54")
    canvas.stroke([pedal, *moved([(8, -20), (20, -20)], ground, scale)], "#4b4f54", 5 * scale)


def square_wheels() -> Sheet:
    canvas = Sheet(560, 400, "#dcebf2")
    canvas.box((0, 310), 560, 90, "#a7a49c")
    canvas.box((0, 310), 560, 8, "#85827a")
    bicycle(canvas, (276, 318), 2, square=True, colour=GREEN)
    return canvas
