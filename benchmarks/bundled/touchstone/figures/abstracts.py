"""Compositions of our own in manners one can recognise, and three pictures in a marked style."""

from .canvas import Canvas
from .shapes import Point, at_angle, bezier, blend, noise, spread, tilted

CREAM = "#f4eddc"


def grid() -> Canvas:
    """Black lines, three primaries and a grey on white."""
    canvas = Canvas(720, 720, "#f8f6f0")
    canvas.box((150, 0), 280, 300, "#efc02f")
    canvas.box((430, 120), 170, 180, "#20489a")
    canvas.box((0, 540), 150, 180, "#c8261d")
    canvas.box((150, 540), 280, 180, "#d7d6d2")
    for start, end in (
        ((150, 0), (150, 720)),
        ((430, 0), (430, 720)),
        ((600, 0), (600, 300)),
        ((0, 300), (720, 300)),
        ((430, 120), (720, 120)),
        ((0, 540), (430, 540)),
    ):
        canvas.line([start, end], "#151515", 14)
    return canvas


def tilted_bars() -> Canvas:
    canvas = Canvas(760, 760, CREAM)
    canvas.polygon(tilted((270, 330), 270, 230, 18), "#191919")
    canvas.polygon(tilted((410, 420), 680, 44, 38), "#c4331f")
    canvas.polygon(tilted((560, 520), 190, 34, 38), "#27509b")
    for place in range(3):
        canvas.polygon(tilted((500 + 22 * place, 612 + 28 * place), 260, 5, 38), "#191919")
    canvas.disc((606, 150), 58, "#e8b52c")
    canvas.polygon(tilted((120, 150), 52, 52, 18), "#c4331f")
    return canvas


def rings() -> Canvas:
    columns = (
        ("#7c1f1c", "#c73e2c", "#ef8b6a", "#f7d3c0"),
        ("#a35a0c", "#e39a24", "#f6d265", "#fbf0c4"),
        ("#1f5a3a", "#4f9a5d", "#a2cd8d", "#e1efd2"),
        ("#17356b", "#3a71b4", "#8bbbdd", "#dcebf5"),
    )
    grey = ("#3b3b3b", "#767676", "#b1b1b1", "#e3e3e3")
    canvas = Canvas(800, 600)
    for row in range(3):
        for column in range(4):
            colours = grey if (row, column) == (2, 3) else columns[column]
            ordered = colours if row % 2 else colours[::-1]
            canvas.box((200 * column, 200 * row), 200, 200, ordered[0])
            for place, radius in enumerate((84, 58, 30)):
                canvas.disc((200 * column + 100, 200 * row + 100), radius, ordered[place + 1])
    return canvas


def dots() -> Canvas:
    """A sunset over the sea made of nothing but dots."""
    canvas = Canvas(860, 580, "#efe3cc")
    for place, point in enumerate(spread(16000, 868, 588)):
        canvas.disc(point, 4.4, _dot_colour(point, int(4.999 * noise(place, 3))))
    return canvas


def _dot_colour(at: Point, turn: int) -> str:
    """What is seen at this place; one dot in five takes a contrasting colour."""
    x, y = at
    if (x - 600) ** 2 + (y - 270) ** 2 < 58**2 and y < 300:
        return ("#fff0a8", "#ffd75a", "#ffe27a", "#fbc23c", "#f58e3c")[turn]
    if y < 300:
        glow = max(0.0, 1 - abs(y - 300) / 300)
        return (
            "#f6a96b"
            if turn == 4
            else blend("#6b6fb5", "#f3b98a", glow - 0.06 * turn if glow > 0.2 else glow)
        )
    if _in_sail(x, y):
        return ("#f7f2e2", "#fdf9ee", "#e9dfc8", "#fdf9ee", "#b9a5c9")[turn]
    if y + 0.16 * x > 420 and y > 470 - 0.09 * x + 40:
        return ("#3f7a48", "#5c9a50", "#2f6340", "#7db35c", "#b0563c")[turn]
    if abs(x - 600) < 26 + 0.32 * (y - 300):
        return ("#f6b25c", "#e58a55", "#5d82b8", "#f8cf7d", "#4a6fae")[turn]
    return ("#3c67a5", "#5487bd", "#2f5590", "#6fa3c9", "#e09a6a")[turn]


def _in_sail(x: float, y: float) -> bool:
    in_cloth = 305 < y < 400 and 220 < x < 220 + 0.74 * (y - 300)
    in_hull = 406 < y < 424 and 176 + (y - 406) < x < 312 - (y - 406)
    return in_cloth or in_hull


def poster() -> Canvas:
    canvas = Canvas(660, 860, "#16161a")
    gold, cream, teal = "#d8b15a", "#f2e6c9", "#1c5c5e"
    canvas.framed((24, 24), 612, 812, "#16161a", gold, 4)
    canvas.framed((38, 38), 584, 784, teal, gold, 2)
    for ray in range(17):
        tips = [_on_frame(10 * ray + turn) for turn in (7.5, 12.5)]
        canvas.polygon([(330, 640), *tips], cream if ray % 2 else gold)
    for level, (half, top) in enumerate(((150, 470), (110, 360), (74, 240), (36, 150))):
        canvas.box(
            (330 - half, top),
            2 * half,
            640 - top,
            ("#16161a", "#22232a", "#16161a", "#22232a")[level],
        )
    canvas.polygon([(322, 150), (330, 78), (338, 150)], gold)
    for half, top in ((130, 490), (92, 380), (56, 262), (18, 170)):
        for x in (330 - half, 330 + half):
            canvas.line([(x, top), (x, 640)], gold, 3)
    canvas.box((40, 640), 580, 180, "#16161a")
    canvas.box((40, 640), 580, 6, gold)
    canvas.slice((330, 640), 66, -90, 90, gold)
    canvas.slice((330, 640), 54, -90, 90, "#16161a")
    canvas.bold((330, 712), "GRAND TERMINUS", 48, gold)
    canvas.text((330, 776), "NIGHT TRAINS DAILY", 27, cream)
    return canvas


def _on_frame(degrees: float) -> Point:
    """Where a ray from the foot of the tower meets the inner frame."""
    x, y = at_angle((330, 640), 1000, degrees)
    share = min(
        290 / abs(x - 330) if x != 330 else 9.0, 600 / abs(640 - y) if abs(640 - y) > 1e-6 else 9.0
    )
    return 330 + (x - 330) * share, 640 + (y - 640) * share


def woodblock() -> Canvas:
    canvas = Canvas(920, 600, CREAM)
    canvas.gradient(0, 150, "#274d77", CREAM)
    canvas.disc((690, 190), 62, "#c23a2b")
    slope = [bezier([(120, 430), (280, 330), (350, 150)], step / 20) for step in range(21)]
    other = [bezier([(400, 150), (470, 330), (650, 430)], step / 20) for step in range(21)]
    canvas.outlined([*slope, *other], "#7f99ab", "#22384f", 3)
    snow = [
        *slope[14:],
        *other[:7],
        (408, 232),
        (384, 262),
        (362, 226),
        (340, 258),
        (322, 226),
        (304, 252),
    ]
    canvas.outlined(snow, "#fdfaf1", "#22384f", 3)
    for left, top, width in ((0, 330, 300), (420, 350, 420), (110, 386, 300)):
        canvas.box((left - 40 if left == 0 else left, top), width, 26, "#efe4cb", 13)
    _boat(canvas, (700, 424))
    for row in range(5):
        for column in range(-1, 13):
            _scale(canvas, (80 * column + 40 * (row % 2), 470 + 34 * row))
    canvas.framed((34, 200), 46, 104, "#c23a2b", "#8d2419", 3, 4)
    for y in (222, 242, 262, 282):
        canvas.stroke([(46, y), (68, y)], CREAM, 3)
    canvas.stroke([(57, 216), (57, 288)], CREAM, 3)
    return canvas


def _scale(canvas: Canvas, centre: Point) -> None:
    for radius, colour in (
        (44, "#22384f"),
        (41, "#3d6c97"),
        (30, CREAM),
        (27, "#6f9fc0"),
        (16, CREAM),
        (13, "#3d6c97"),
    ):
        canvas.disc(centre, radius, colour)


def _boat(canvas: Canvas, at: Point) -> None:
    x, y = at
    canvas.outlined(
        [(x - 70, y - 8), (x + 74, y - 12), (x + 46, y + 18), (x - 44, y + 18)],
        "#8a5f3b",
        "#22384f",
        3,
    )
    canvas.line([(x, y - 10), (x, y - 106)], "#22384f", 4)
    canvas.outlined(
        [(x - 40, y - 98), (x + 40, y - 98), (x + 34, y - 26), (x - 34, y - 26)],
        "#fdfaf1",
        "#22384f",
        3,
    )
    for place in (-14, 14):
        canvas.line([(x + place, y - 98), (x + place, y - 26)], "#22384f", 1.5)
