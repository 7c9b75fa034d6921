"""Homages to pictures whose painters died long ago, each with a change that a careful eye will
notice."""

import math

from .canvas import Canvas
from .shapes import WHITE, Point, at_angle, moved, scattered

PRUSSIAN = "#1f3f66"
FOAM = "#f4f1e4"


def great_wave() -> Canvas:
    """After Hokusai; two boats, where his print has three."""
    canvas = Canvas(860, 590)
    canvas.gradient(0, 430, "#d9cfb6", "#eee3c8")
    canvas.gradient(424, 590, "#a9bcc4", "#5f86a3")
    canvas.polygon(
        [(470, 424), (560, 366), (594, 340), (632, 340), (668, 368), (760, 424)], "#5b7288"
    )
    canvas.polygon(
        [
            (560, 366),
            (594, 340),
            (632, 340),
            (668, 368),
            (650, 376),
            (632, 362),
            (614, 380),
            (594, 362),
            (578, 378),
        ],
        FOAM,
    )
    canvas.blob([(380, 600), (400, 440), (560, 416), (720, 430), (900, 380), (900, 600)], "#7d9db4")
    _boat(canvas, (640, 466), mirrored=False)
    canvas.blob(
        [(300, 620), (400, 500), (520, 452), (600, 490), (700, 520), (900, 470), (900, 620)],
        "#345f88",
    )
    for shift in range(4):
        canvas.curve(
            [(420 + 30 * shift, 560), (540 + 26 * shift, 510 + 9 * shift), (680 + 30 * shift, 552)],
            "#86a9c2",
            4,
        )
    _big_wave(canvas)
    _boat(canvas, (330, 530), mirrored=True)
    canvas.blob(
        [
            (-60, 640),
            (-20, 552),
            (120, 530),
            (260, 566),
            (420, 560),
            (560, 584),
            (700, 570),
            (920, 560),
            (920, 640),
        ],
        PRUSSIAN,
    )
    for number, at in enumerate(scattered(34, 372, 50, 560, 290)):
        canvas.disc(at, 1.6 + number % 3, FOAM)
    return canvas


def starry_night() -> Canvas:
    """After Van Gogh; nine stars, where his canvas has eleven."""
    canvas = Canvas(860, 640, "#27477f")
    canvas.gradient(0, 440, "#1d3a75", "#5b86b8")
    _sky_strokes(canvas)
    _swirl(canvas, (400, 200), 104)
    _swirl(canvas, (530, 262), 66)
    for centre, size in _stars():
        _star(canvas, centre, size)
    _moon(canvas, (752, 104))
    canvas.blob(
        [
            (-60, 520),
            (80, 460),
            (260, 440),
            (420, 408),
            (600, 392),
            (760, 346),
            (930, 330),
            (930, 560),
            (-60, 560),
        ],
        "#2c4f86",
    )
    for shift in range(4):
        canvas.curve(
            [
                (240, 470 + 14 * shift),
                (430, 432 + 16 * shift),
                (620, 414 + 18 * shift),
                (860, 356 + 26 * shift),
            ],
            "#5577aa",
            4,
        )
    canvas.blob(
        [(-60, 660), (-40, 530), (200, 498), (460, 500), (700, 486), (930, 500), (930, 660)],
        "#23405f",
    )
    _village(canvas)
    _cypress(canvas)
    return canvas


def composition() -> Canvas:
    """After the neoplastic pictures of Mondrian; our own arrangement."""
    canvas = Canvas(640, 640, "#f4f1e8")
    canvas.box((0, 0), 212, 250, "#1f4e9c")
    canvas.box((228, 266), 412, 374, "#c9281f")
    canvas.box((0, 560), 104, 80, "#efc51e")
    black = "#171717"
    canvas.box((212, 0), 16, 640, black)
    canvas.box((0, 250), 640, 16, black)
    canvas.box((470, 0), 12, 250, black)
    canvas.box((0, 545), 212, 15, black)
    canvas.box((104, 545), 12, 95, black)
    canvas.box((482, 118), 158, 20, black)
    return canvas


def _big_wave(canvas: Canvas) -> None:
    crest = [(-60, 620), (-60, 250), (40, 130), (150, 62), (260, 54), (330, 92), (352, 150),
             (316, 132), (290, 150), (270, 136), (250, 176), (246, 250), (276, 340), (350, 440),
             (440, 520), (520, 620)]  # fmt: skip
    canvas.blob(crest, "#2b5788")
    for shift in range(6):
        inner = [
            (-40 + 30 * shift, 560),
            (-6 + 32 * shift, 360 - 8 * shift),
            (70 + 26 * shift, 220 - 16 * shift),
            (150 + 18 * shift, 120),
        ]
        canvas.curve(inner, "#8fb2ca" if shift % 2 else PRUSSIAN, 9)
    canvas.blob([(246, 250), (258, 180), (276, 146), (300, 150), (330, 140), (304, 190), (290, 250),
                 (310, 340), (372, 440), (300, 380)], "#16304f")  # fmt: skip
    rim = [
        (-30, 228),
        (40, 132),
        (140, 68),
        (250, 54),
        (330, 92),
        (352, 150),
        (330, 176),
        (300, 166),
        (276, 168),
    ]
    for number, at in enumerate(rim):
        canvas.disc(at, 30 - number, FOAM)
    canvas.curve(rim, FOAM, 34)
    for number, (x, y) in enumerate(
        (
            (352, 160),
            (334, 184),
            (306, 178),
            (280, 182),
            (366, 130),
            (262, 96),
            (200, 82),
            (140, 98),
        )
    ):
        _claw(canvas, (x, y), 20 - number * 0.8, -60 - 12 * (number % 3))
    for x, y in ((10, 190), (60, 140), (110, 100), (170, 76), (230, 68), (300, 96)):
        canvas.curve([(x - 10, y + 18), (x + 6, y + 4), (x + 22, y + 10)], "#9db8c8", 4)


def _claw(canvas: Canvas, at: Point, size: float, lean: float) -> None:
    """Three hooked fingers of foam."""
    for finger in (-26, 0, 26):
        knuckle = at_angle(at, size * 1.2, lean + finger)
        tip = at_angle(knuckle, size * 0.9, lean + finger - 50)
        canvas.curve([at, knuckle, tip], FOAM, 9)
        canvas.disc(tip, 5, FOAM)


def _boat(canvas: Canvas, at: Point, mirrored: bool) -> None:
    hull = [(-130, -26), (-60, 4), (40, 6), (110, -14), (150, -44), (120, 18), (30, 34), (-70, 28)]
    canvas.blob(moved(hull, at, 0.86, mirrored), "#d9b874")
    canvas.curve(
        moved([(-126, -24), (-60, 6), (40, 8), (112, -12), (146, -40)], at, 0.86, mirrored),
        "#8d6a35",
        3.5,
    )
    for number in range(6):
        rower = moved([(-60 + 28 * number, -8)], at, 0.86, mirrored)[0]
        canvas.disc((rower[0], rower[1] + 5), 10, "#3c587c")
        canvas.disc((rower[0], rower[1] - 7), 6.4, "#ecd2ae")


def _sky_strokes(canvas: Canvas) -> None:
    for number, (x, y) in enumerate(scattered(420, -20, 0, 880, 430)):
        colour = ("#3f68a6", "#7fa6cf", "#2a4c8c", "#a9c6dd")[number % 4]
        sway = 14 * math.sin(x / 70 + y / 44)
        canvas.curve(
            [(x - 20, y + sway * 0.4), (x, y - sway * 0.4), (x + 20, y + sway * 0.3)], colour, 3.4
        )


def _swirl(canvas: Canvas, centre: Point, radius: float) -> None:
    canvas.disc(centre, radius, "#3a66a3")
    for ring, colour in enumerate(("#dbe6dd", "#6f9ac6", "#f0ecc2", "#2a4f8f", "#b9d2e0")):
        turns = []
        for step in range(60):
            share = step / 59
            turns.append(at_angle(centre, radius * (0.12 + 0.88 * share), 72 * ring + 400 * share))
        canvas.line(turns, colour, 5)


def _stars() -> tuple[tuple[Point, float], ...]:
    return (
        ((230, 70), 22), ((330, 48), 18), ((90, 120), 20), ((250, 330), 27), ((470, 70), 17),
        ((590, 110), 22), ((660, 210), 18), ((690, 300), 15), ((40, 270), 17),
    )  # fmt: skip


def _star(canvas: Canvas, centre: Point, size: float) -> None:
    canvas.soft(centre, size * 2.3, "#f4eeb0", opacity=0.55)
    for ring, colour in ((1.7, "#e9e3a4"), (1.3, "#cfe0d2")):
        for number in range(12):
            start = 30 * number + 15 * ring
            canvas.arc(centre, size * ring, start, start + 18, colour, 3)
    canvas.disc(centre, size * 0.75, "#f6dc6a")
    canvas.disc(centre, size * 0.4, WHITE)


def _moon(canvas: Canvas, centre: Point) -> None:
    canvas.soft(centre, 120, "#f6e08a", opacity=0.6)
    for ring in range(3):
        for number in range(16):
            start = 22.5 * number + 9 * ring
            canvas.arc(
                centre,
                58 + 16 * ring,
                start,
                start + 15,
                ("#f3dc7a", "#e8e2a8", "#bcd3d0")[ring],
                4,
            )
    canvas.disc(centre, 42, "#f2b632")
    canvas.disc((centre[0] - 18, centre[1] - 4), 33, "#f5e7a0")


def _village(canvas: Canvas) -> None:
    houses = (
        (300, 560, 70),
        (390, 572, 60),
        (470, 556, 54),
        (610, 566, 66),
        (700, 556, 58),
        (784, 570, 64),
    )
    for number, (x, y, width) in enumerate(houses):
        canvas.box((x, y), width, 40, ("#35577d", "#41648a", "#2d4b70")[number % 3])
        canvas.polygon(
            [(x - 6, y), (x + width / 2, y - 26), (x + width + 6, y)],
            ("#1b2f4a", "#4e3d3a", "#23395a")[number % 3],
        )
        canvas.box((x + width / 2 - 7, y + 12), 14, 16, "#f2cf5b")
    canvas.box((548, 520), 40, 80, "#3d6088")
    canvas.polygon([(544, 522), (568, 392), (592, 522)], "#16283f")
    canvas.box((561, 540), 14, 22, "#f2cf5b", radius=5)
    for x, y in (
        (270, 604),
        (370, 616),
        (520, 606),
        (660, 612),
        (760, 616),
        (840, 606),
        (450, 618),
    ):
        canvas.disc((x, y), 26, "#1d3a3b")
        canvas.arc((x, y), 16, 40, 180, "#3d6656", 4)


def _cypress(canvas: Canvas) -> None:
    canvas.blob([(60, 660), (76, 520), (104, 380), (118, 250), (144, 92), (160, 236), (186, 340),
                 (192, 470), (232, 560), (240, 660)], "#16241f")  # fmt: skip
    for shift in range(7):
        x = 94 + 17 * shift
        top = 240 + abs(x - 145) * 2.6
        middle = 145 + (x - 145) * 0.6
        canvas.curve(
            [(x, 636), (middle - 6, 540), (middle + 6, 440), (145 + (x - 145) * 0.3, top)],
            "#3b4a2c" if shift % 2 else "#27382b",
            5,
        )
