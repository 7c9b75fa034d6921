"""Things one knows: their colour, their shape, what they are made of, what belongs to them."""

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
    scattered,
)

from .sheet import Sheet
from .subjects import cloud, wheel


def fire_engine() -> Sheet:
    canvas = Sheet(600, 380)
    canvas.gradient(0, 300, "#cfe2ec", "#f2f5f5")
    canvas.box((0, 296), 600, 84, "#73767a")
    red = "#cf2b22"
    canvas.box((30, 150), 350, 150, red, 8)
    canvas.box((376, 110), 186, 190, red, 18)
    canvas.box((440, 132), 112, 72, "#d5e8f1", 8)
    canvas.box((390, 132), 40, 72, "#d5e8f1", 6)
    canvas.line([(434, 120), (434, 290)], "#8f1812", 4)
    canvas.box((30, 234), 532, 16, WHITE)
    for left in (52, 150, 248):
        canvas.framed((left, 168), 84, 56, "#b8bec3", "#8f1812", 4)
    canvas.box((430, 92), 60, 20, BLUE, 8)
    for y in (104, 130):
        canvas.line([(40, y + 10), (360, y)], "#8b9298", 7)
    for x in range(56, 360, 28):
        canvas.line([(x, 112 - (x - 40) / 32), (x, 138 - (x - 40) / 32)], "#8b9298", 5)
    canvas.box((546, 262), 18, 18, "#fff3c4", 4)
    for x in (110, 292, 478):
        wheel(canvas, (x, 300), 38)
    return canvas


def pizza() -> Sheet:
    canvas = Sheet(440, 440, "#a97c50")
    for top in range(0, 440, 72):
        canvas.line([(0, top), (440, top)], "#94683f", 4)
    canvas.disc((220, 224), 186, "#7d5a38")
    canvas.disc((220, 220), 180, "#d9a353")
    canvas.disc((220, 220), 158, "#c8412b")
    canvas.disc((220, 220), 150, "#f4d27a")
    for place, at in enumerate(scattered(22, 100, 100, 340, 340)):
        if (at[0] - 220) ** 2 + (at[1] - 220) ** 2 > 124**2:
            continue
        if place % 3 == 0:
            canvas.blob(
                [
                    (at[0] - 16, at[1]),
                    (at[0], at[1] - 9),
                    (at[0] + 18, at[1] + 2),
                    (at[0], at[1] + 9),
                ],
                GREEN,
            )
        else:
            canvas.disc(at, 21, "#b23a2b")
            canvas.disc(at, 16, "#cb5340")
    return canvas


def stop_sign() -> Sheet:
    canvas = Sheet(420, 480)
    canvas.gradient(0, 480, "#a3cde8", "#edf4f6")
    cloud(canvas, (90, 90), 0.8)
    canvas.box((202, 330), 16, 150, "#8b9096")
    for reach, colour in ((172, INK), (168, WHITE), (155, "#c8281f")):
        canvas.polygon(
            [at_angle((210, 200), reach, 22.5 + 45 * corner) for corner in range(8)], colour
        )
    canvas.text((210, 200), "STOP", 98, WHITE, weight=2.5)
    return canvas


def die() -> Sheet:
    canvas = Sheet(420, 420, "#2f6b4f")
    canvas.soft((220, 344), 140, INK, 0.24, 0.4)
    top, left, right = (210, 70), (90, 132), (330, 132)
    middle, foot = (210, 200), (210, 344)
    canvas.polygon([top, right, middle, left], WHITE)
    canvas.polygon([left, middle, foot, (90, 270)], "#e8e4da")
    canvas.polygon([middle, right, (330, 270), foot], "#cdc8bb")
    canvas.disc((210, 135), 15, RED, 0.62)
    for across, down in ((0.25, 0.25), (0.75, 0.75)):
        canvas.disc(_on_face(left, middle, 141, across, down), 13, INK, 1.1)
    for across, down in ((0.22, 0.24), (0.5, 0.5), (0.78, 0.76)):
        canvas.disc(_on_face(middle, right, 141, across, down), 13, INK, 1.1)
    return canvas


def _on_face(left: Point, right: Point, height: float, across: float, down: float) -> Point:
    return left[0] + (right[0] - left[0]) * across, left[1] + (
        right[1] - left[1]
    ) * across + height * down


def honeycomb() -> Sheet:
    canvas = Sheet(460, 400, "#8a5310")
    reach = 58.0
    for row in range(-1, 6):
        for column in range(-1, 6):
            centre = (column * reach * 1.732 + (reach * 0.866 if row % 2 else 0), row * reach * 1.5)
            corners = [at_angle(centre, reach - 5, 30 + 60 * corner) for corner in range(6)]
            canvas.polygon(corners, "#f2b632" if (row * 3 + column) % 4 else "#f8cf62")
            canvas.polygon(
                [at_angle(centre, reach - 20, 30 + 60 * corner) for corner in range(6)], "#e09a1c"
            )
    return canvas


def egg() -> Sheet:
    canvas = Sheet(400, 440, "#cfdde4")
    canvas.soft((200, 392), 120, INK, 0.16)
    canvas.blob([(200, 70), (262, 108), (304, 190), (310, 280), (268, 364), (200, 392),
                 (132, 364), (90, 280), (96, 190), (138, 108)], "#e6b98d")  # fmt: skip
    canvas.blob([(150, 150), (176, 124), (184, 150), (150, 220), (132, 220)], "#f2d4b3")
    return canvas


def barrel() -> Sheet:
    canvas = Sheet(420, 480, "#dcd6ca")
    canvas.box((0, 420), 420, 60, "#a39a8a")
    canvas.soft((210, 446), 150, INK, 0.12)
    edges = [-1, -0.72, -0.42, -0.14, 0.14, 0.42, 0.72, 1]
    for place in range(7):
        colour = ("#a8713c", "#b97f46", "#9d6733")[place % 3]
        left = [(210 + edges[place] * half, y) for half, y in _staves()]
        right = [(210 + edges[place + 1] * half, y) for half, y in reversed(_staves())]
        canvas.polygon([*left, *right], colour)
        canvas.line(left, "#6f4520", 3)
    for y, half in ((98, 121), (166, 142), (344, 144), (412, 124)):
        canvas.line(
            [(210 - half, y), (210 - half / 2, y + 9), (210 + half / 2, y + 9), (210 + half, y)],
            "#5a5f63",
            17,
        )
    canvas.disc((210, 62), 106, "#6f4520", 0.2)
    canvas.disc((210, 60), 96, "#b98a55", 0.17)
    for x in (160, 210, 260):
        canvas.line([(x, 46), (x, 74)], "#6f4520", 2.5)
    return canvas


def _staves() -> list[Point]:
    """Half width and height of the barrel's outline, from top to bottom."""
    return [
        (106.0, 62.0),
        (128.0, 120.0),
        (143.0, 190.0),
        (148.0, 255.0),
        (143.0, 330.0),
        (128.0, 400.0),
        (108.0, 446.0),
    ]


def mitten() -> Sheet:
    canvas = Sheet(420, 460, "#e3e9ee")
    hand = [(120, 330), (112, 220), (124, 120), (180, 70), (240, 82), (276, 140), (280, 210),
            (318, 168), (356, 176), (352, 222), (296, 290), (276, 330)]  # fmt: skip
    canvas.blob(hand, "#b5413d")
    for row in range(11):
        y = 104 + 21 * row
        for column in range(7):
            x = 136 + 22 * column
            if x > 262 - max(0, 124 - y) * 0.8 or x < 128 + max(0, 150 - y) * 0.5:
                continue
            canvas.curve(
                [(x - 8, y - 7), (x, y + 5), (x + 8, y - 7)],
                "#e8dccb" if row in (4, 6) else "#8f2d2b",
                4,
            )
    canvas.box((106, 316), 184, 84, "#e8dccb", 12)
    for column in range(9):
        canvas.line([(120 + 20 * column, 320), (120 + 20 * column, 396)], "#c4b49c", 6)
    canvas.curve([(292, 400), (330, 430), (300, 446), (380, 440)], "#b5413d", 5)
    return canvas


def windmill() -> Sheet:
    canvas = Sheet(460, 480)
    canvas.gradient(0, 400, "#9bcbe8", "#eaf4f8")
    cloud(canvas, (84, 110), 0.9)
    canvas.blob([(-40, 410), (130, 384), (330, 400), (500, 380), (500, 520), (-40, 520)], "#8cb86e")
    canvas.polygon([(178, 190), (282, 190), (318, 430), (142, 430)], "#e9dcc3")
    canvas.blob([(166, 196), (184, 142), (230, 122), (276, 142), (294, 196)], "#8a4a35")
    canvas.box((204, 356), 52, 76, WOOD, 20)
    for at in ((196, 262), (240, 300)):
        canvas.framed(at, 26, 32, "#6f93a8", WHITE, 3)
    for arm in range(4):
        _sail(canvas, (230, 180), 30 + 90 * arm)
    canvas.disc((230, 180), 14, INK)
    return canvas


def _sail(canvas: Sheet, hub: Point, degrees: float) -> None:
    tip = at_angle(hub, 168, degrees)
    canvas.stroke([hub, tip], "#5d3a1c", 7)
    inner, outer = at_angle(hub, 44, degrees), at_angle(hub, 164, degrees)
    sides = [at_angle(outer, 40, degrees - 90), at_angle(inner, 40, degrees - 90)]
    canvas.outlined([inner, outer, *sides], "#f6f1e4", "#5d3a1c", 4)
    for share in (1, 2, 3):
        along = at_angle(hub, 44 + 30 * share, degrees)
        canvas.line([along, at_angle(along, 40, degrees - 90)], STONE, 3)
    canvas.disc(tip, 4, AMBER)
