"""Rooms, with and without people. What stands in them is what questions.json counts, names and
wants moved."""

from benchmarks.bundled.touchstone.figures.shapes import (
    AMBER,
    BLUE,
    GREEN,
    INK,
    LINE,
    RED,
    STONE,
    TEAL,
    WHITE,
    WOOD,
    Point,
    at_angle,
    moved,
)

from . import animals
from .people import SKIN, seated
from .sheet import Sheet
from .subjects import cloud

DARK_WOOD = "#7a5231"
STEEL = "#c8ced3"


def _room(width: float, height: float, wall: str, floor: str, skirting: float) -> Sheet:
    """An empty room whose floor begins at `skirting`."""
    canvas = Sheet(int(width), int(height), wall)
    canvas.box((0, skirting), width, height - skirting, floor)
    canvas.box((0, skirting - 8), width, 8, WHITE)
    return canvas


def _window(canvas: Sheet, corner: Point, width: float, height: float) -> None:
    canvas.framed(corner, width, height, "#bfe0f2", WHITE, 8)
    cloud(canvas, (corner[0] + width * 0.4, corner[1] + height * 0.4), width / 330)
    canvas.box((corner[0] + width / 2 - 3, corner[1]), 6, height, WHITE)
    canvas.box((corner[0], corner[1] + height / 2 - 3), width, 6, WHITE)


def _mug(canvas: Sheet, foot: Point, colour: str) -> None:
    x, y = foot
    canvas.arc((x + 15, y - 16), 9, -90, 90, colour, 5)
    canvas.box((x - 15, y - 32), 30, 32, colour, 5)


def kitchen() -> Sheet:
    """Refrigerator, oven with a pot, sink with two dirty plates, kettle, empty shelf, table with
    apples, one chair."""
    canvas = _room(760, 480, "#f2e9d8", "#c9a679", 360)
    canvas.box((26, 120), 130, 258, "#f7f7f5", 10)
    canvas.line([(26, 214), (156, 214)], STONE, 4)
    for top in (160, 236):
        canvas.box((136, top), 8, 40, STONE, 4)
    _counter(canvas)
    _window(canvas, (410, 60), 150, 110)
    canvas.box((590, 130), 150, 9, DARK_WOOD)
    for x in (606, 720):
        canvas.line([(x, 139), (x, 156)], DARK_WOOD, 5)
    _table_with_apples(canvas)
    return canvas


def _counter(canvas: Sheet) -> None:
    canvas.box((172, 244), 568, 14, DARK_WOOD)
    canvas.box((176, 258), 560, 120, "#7fa193")
    canvas.framed((196, 258), 124, 118, STEEL, "#8b9298", 3)
    canvas.box((214, 296), 88, 58, "#2d3034", 6)
    canvas.box((214, 284), 88, 6, "#6a7076", 3)
    for place in range(4):
        canvas.disc((222 + 24 * place, 270), 6, INK)
    canvas.box((214, 238), 88, 6, INK)
    canvas.box((226, 192), 64, 46, RED, 7)
    canvas.box((220, 186), 76, 9, "#8f3425", 4)
    canvas.disc((258, 182), 6, INK)
    for x in (216, 290):
        canvas.box((x, 204), 14, 7, INK, 3)
    canvas.blob([(344, 242), (348, 206), (366, 196), (386, 206), (390, 242)], TEAL)
    canvas.arc((367, 202), 20, 10, 170, INK, 5)
    canvas.polygon([(344, 232), (328, 214), (336, 210), (348, 220)], TEAL)
    _sink(canvas)
    for left in (340, 600, 668):
        canvas.line([(left, 262), (left, 374)], "#67897b", 3)


def _sink(canvas: Sheet) -> None:
    """Seen a little from above, so that the two plates with leftovers show."""
    canvas.box((420, 240), 168, 60, "#9aa3a9", 12)
    canvas.box((428, 246), 152, 48, "#e3e8eb", 10)
    for x in (466, 538):
        canvas.disc((x, 270), 33, WHITE, 0.62)
        canvas.disc((x, 270), 24, "#f1eee6", 0.58)
        for across, down in ((-9, -3), (5, 4), (10, -5)):
            canvas.disc((x + across, 270 + down), 5, "#8b5a2b", 0.7)
    canvas.curve([(504, 242), (504, 196), (526, 190), (530, 210)], "#8b9298", 8)
    canvas.box((494, 236), 20, 8, "#6a7076", 3)


def _table_with_apples(canvas: Sheet) -> None:
    canvas.box((360, 398), 240, 14, WOOD, 4)
    for x in (374, 578):
        canvas.box((x, 410), 10, 70, WOOD)
    for x, colour in ((452, RED), (478, "#9dbb3f"), (504, RED)):
        canvas.disc((x, 346), 15, colour)
    canvas.slice((478, 348), 48, 90, 270, BLUE)
    canvas.box((458, 391), 40, 7, "#2d5d83", 3)
    for x in (640, 700):
        canvas.line([(x, 480), (x, 424)], DARK_WOOD, 8)
    canvas.line([(704, 480), (704, 338)], DARK_WOOD, 8)
    canvas.box((630, 418), 78, 11, DARK_WOOD, 3)


def living_room() -> Sheet:
    """A brown dog on a green sofa, a lamp left of it, a low table with book and cup, shelves with a
    gap."""
    canvas = _room(760, 480, "#efe6dc", "#b98b60", 350)
    canvas.disc((350, 428), 240, "#9d4b45", 0.17)
    canvas.disc((350, 428), 214, "#d7b08f", 0.15)
    canvas.framed((270, 60), 150, 100, "#cfe3ea", DARK_WOOD, 7)
    canvas.polygon([(278, 152), (330, 92), (376, 152)], "#6d8b74")
    canvas.polygon([(336, 152), (382, 108), (412, 152)], "#8fac92")
    canvas.line([(110, 372), (110, 150)], INK, 5)
    canvas.disc((110, 374), 34, INK, 0.24)
    canvas.polygon([(84, 100), (136, 100), (156, 164), (64, 164)], "#e7cf9a")
    sofa = "#4f8a5b"
    canvas.box((180, 190), 336, 120, "#3f7349", 22)
    canvas.box((196, 286), 304, 64, sofa, 12)
    for x in (168, 480):
        canvas.box((x, 240), 50, 124, sofa, 20)
    for x in (186, 488):
        canvas.box((x, 360), 16, 16, DARK_WOOD)
    canvas.line([(348, 292), (348, 348)], "#3f7349", 3)
    animals.lying_dog(canvas, (346, 290), 1.15)
    _low_table(canvas)
    _bookshelf(canvas, (570, 110))
    return canvas


def _low_table(canvas: Sheet) -> None:
    """Seen a little from above, so that the book shows its cover."""
    for x in (226, 454):
        canvas.box((x, 430), 14, 42, DARK_WOOD)
    canvas.polygon([(250, 382), (446, 382), (484, 432), (210, 432)], WOOD)
    canvas.box((210, 432), 274, 9, DARK_WOOD)
    canvas.polygon([(262, 420), (356, 420), (356, 430), (262, 430)], WHITE)
    canvas.polygon([(276, 388), (352, 388), (358, 420), (260, 420)], BLUE)
    canvas.polygon([(290, 396), (340, 396), (342, 404), (288, 404)], WHITE)
    canvas.line([(260, 420), (260, 430), (358, 430)], BLUE, 3)
    _mug(canvas, (414, 416), WHITE)


def _bookshelf(canvas: Sheet, corner: Point) -> None:
    x, y = corner
    canvas.framed(corner, 160, 264, "#d9bf98", DARK_WOOD, 8)
    colours = (BLUE, RED, AMBER, TEAL, "#7a5c8e", GREEN)
    for row in range(3):
        floor = y + 86 + 84 * row
        canvas.box((x, floor), 160, 8, DARK_WOOD)
        for place in range(7):
            if row == 1 and place in (3, 4):
                continue
            height = 48 + (place * 7 + row * 5) % 19
            canvas.box(
                (x + 12 + 19.5 * place, floor - height),
                17,
                height,
                colours[(place + 2 * row) % 6],
                2,
            )


def bedroom() -> Sheet:
    """A shirt, trousers and two socks on the floor; a laundry basket beside the wardrobe."""
    canvas = _room(760, 480, "#e4e9f0", "#c7a47c", 320)
    _window(canvas, (300, 60), 160, 130)
    for x, lean in ((272, 14), (468, -14)):
        canvas.polygon([(x, 46), (x + 30, 46), (x + 30 - lean, 214), (x - lean, 214)], "#d78f7b")
    canvas.line([(250, 46), (516, 46)], DARK_WOOD, 6)
    canvas.box((20, 190), 16, 180, DARK_WOOD, 5)
    canvas.box((28, 280), 230, 70, "#f4f1ea", 8)
    canvas.box((84, 268), 178, 82, BLUE, 14)
    canvas.box((40, 256), 70, 34, WHITE, 14)
    for x in (34, 238):
        canvas.box((x, 348), 14, 28, DARK_WOOD)
    canvas.framed((560, 90), 176, 250, "#b98a5c", DARK_WOOD, 6)
    canvas.line([(648, 94), (648, 336)], DARK_WOOD, 4)
    for x in (636, 660):
        canvas.disc((x, 220), 6, AMBER)
    _basket(canvas, (500, 352))
    _clothes(canvas)
    return canvas


def _basket(canvas: Sheet, foot: Point) -> None:
    x, y = foot
    canvas.polygon([(x - 46, y - 84), (x + 46, y - 84), (x + 36, y), (x - 36, y)], "#d9b67a")
    for row in range(4):
        canvas.line(
            [(x - 44 + 2 * row, y - 70 + 18 * row), (x + 44 - 2 * row, y - 70 + 18 * row)],
            "#a98146",
            3,
        )
    for column in (-24, 0, 24):
        canvas.line([(x + column * 1.1, y - 84), (x + column * 0.85, y)], "#a98146", 3)
    canvas.disc((x, y - 84), 48, "#a98146", 0.22)
    canvas.disc((x, y - 84), 41, "#5d4526", 0.18)


def _clothes(canvas: Sheet) -> None:
    shirt = [(-46, -24), (-20, -34), (20, -34), (46, -24), (60, 2), (38, 10), (30, -2), (34, 40),
             (-34, 40), (-30, -2), (-38, 10), (-60, 2)]  # fmt: skip
    canvas.polygon(moved(shirt, (160, 424)), RED)
    canvas.disc((160, 391), 13, "#c7a47c", 0.5)
    canvas.polygon(
        [(324, 386), (400, 386), (416, 460), (378, 462), (362, 412), (346, 462), (306, 458)],
        "#39507a",
    )
    canvas.line([(324, 389), (400, 389)], "#22324f", 6)
    for at in ((520, 420), (606, 440)):
        canvas.stroke(moved([(0, -26), (0, 0), (24, 10)], at), WHITE, 20)
        canvas.line(moved([(-10, -20), (10, -20)], at), RED, 5)


def dinner() -> Sheet:
    """Four people at a table with four plates, four glasses of red wine, two candles and a cake."""
    canvas = Sheet(760, 460, "#d9cdbd")
    for left in range(0, 760, 76):
        canvas.box((left, 0), 38, 330, "#d2c4b1")
    guests = ((130, TEAL, SKIN[0], "#3d2a1c", True), (296, "#b98a34", SKIN[2], INK, False),
              (462, "#86506f", SKIN[1], "#5b3a22", True),
              (628, BLUE, SKIN[3], "#c9c2b8", False))  # fmt: skip
    for x, shirt, skin, hair, long_hair in guests:
        seated(canvas, (x, 190), shirt, skin, hair, long_hair)
    canvas.box((40, 300), 680, 70, "#fbf8f1", 14)
    canvas.box((40, 344), 680, 116, "#ece4d5", 4)
    for x, *_ in guests:
        canvas.disc((x - 10, 328), 46, WHITE, 0.28)
        canvas.disc((x - 10, 328), 32, "#e9e5db", 0.26)
        _wine_glass(canvas, (x + 54, 330))
    for x in (262, 520):
        canvas.box((x - 3, 268), 8, 62, "#f2e3b8")
        canvas.disc((x + 1, 258), 5, AMBER, 1.9)
        canvas.disc((x + 1, 332), 17, "#8f7136", 0.36)
    canvas.box((392 - 36, 300), 72, 40, "#8b5633", 8)
    canvas.box((392 - 36, 296), 72, 14, "#f7ecec", 7)
    for x in (372, 392, 412):
        canvas.disc((x, 294), 6, RED)
    return canvas


def _wine_glass(canvas: Sheet, foot: Point) -> None:
    x, y = foot
    canvas.disc((x, y), 14, "#b9c6cc", 0.3)
    canvas.line([(x, y), (x, y - 30)], "#b9c6cc", 3)
    canvas.slice((x, y - 54), 20, 90, 270, "#8d2438")
    canvas.line([(x - 20, y - 72), (x - 20, y - 54)], "#b9c6cc", 3)
    canvas.line([(x + 20, y - 72), (x + 20, y - 54)], "#b9c6cc", 3)
    canvas.arc((x, y - 54), 20, 180, 360, "#b9c6cc", 3)


def office() -> Sheet:
    """Two people without ties at a desk with one laptop and a cup at each end; a clock on the wall,
    a plant."""
    canvas = Sheet(760, 460, "#e2e7e6")
    canvas.framed((70, 60), 190, 120, WHITE, STONE, 5)
    canvas.line([(90, 160), (130, 120), (170, 136), (236, 82)], TEAL, 5)
    canvas.ring((640, 90), 50, WHITE, INK, 6)
    for hour in range(12):
        canvas.disc(at_angle((640, 90), 38, 30 * hour), 3, INK)
    canvas.stroke([(640, 90), at_angle((640, 90), 22, 60)], INK, 5)
    canvas.stroke([(640, 90), at_angle((640, 90), 34, 90)], INK, 4)
    seated(canvas, (270, 200), AMBER, SKIN[0], "#7a3f22", long_hair=True)
    seated(canvas, (500, 196), "#6d7fa8", SKIN[2], INK)
    canvas.polygon([(476, 198), (500, 222), (524, 198), (512, 194), (500, 206), (488, 194)], WHITE)
    canvas.box((40, 326), 680, 20, DARK_WOOD, 5)
    canvas.box((66, 346), 628, 114, "#a57548")
    canvas.box((322, 232), 136, 92, "#5b6066", 8)
    canvas.disc((390, 278), 11, "#d9dde0")
    canvas.box((300, 320), 180, 9, "#8b9298", 4)
    _mug(canvas, (130, 326), RED)
    _mug(canvas, (620, 326), TEAL)
    canvas.box((666, 286), 40, 40, "#b5653c", 6)
    for degrees in (50, 75, 90, 105, 130):
        canvas.stroke([(686, 288), at_angle((686, 288), 62, degrees)], GREEN, 9)
    return canvas


def table() -> Sheet:
    """A cat under a table; a vase with flowers on it, a chair to the left."""
    canvas = _room(640, 460, "#e9e4da", "#c9a679", 340)
    canvas.box((60, 180), 12, 232, DARK_WOOD, 4)
    canvas.box((60, 296), 110, 13, DARK_WOOD, 4)
    canvas.box((156, 300), 12, 112, DARK_WOOD, 4)
    canvas.box((66, 200), 40, 10, DARK_WOOD)
    canvas.box((190, 226), 400, 20, WOOD, 5)
    for x in (206, 558):
        canvas.box((x, 244), 18, 170, WOOD, 3)
    animals.cat(canvas, (390, 412), 1.05)
    for tip, colour in (((356, 76), RED), ((396, 54), AMBER), ((432, 84), "#c9688a")):
        canvas.curve([(394, 160), (394, 130), tip], GREEN, 5)
        for step in range(5):
            canvas.disc(at_angle(tip, 13, 72 * step), 10, colour)
        canvas.disc(tip, 7, "#f7e7a5")
    canvas.blob(
        [
            (376, 226),
            (362, 194),
            (376, 164),
            (372, 146),
            (416, 146),
            (412, 164),
            (426, 194),
            (412, 226),
        ],
        BLUE,
    )
    canvas.box((380, 180), 28, 6, LINE)
    return canvas
