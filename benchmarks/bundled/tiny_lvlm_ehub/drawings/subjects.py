"""Single things to be named: objects, vehicles, flowers."""

from benchmarks.bundled.touchstone.figures.shapes import (
    AMBER,
    BLUE,
    GREEN,
    INK,
    RED,
    WHITE,
    WOOD,
    Point,
    at_angle,
    between,
    moved,
)

from .sheet import Sheet


def teapot() -> Sheet:
    canvas = Sheet(520, 400, "#f0e8db")
    canvas.box((0, 300), 520, 100, WOOD)
    canvas.box((0, 300), 520, 8, "#83592f")
    canvas.soft((262, 334), 190, "#4c321c", 0.14)
    canvas.arc((378, 200), 66, -92, 92, "#2d5d83", 24)
    canvas.blob(
        [(150, 250), (116, 200), (88, 134), (62, 128), (74, 178), (104, 250), (168, 296)], BLUE
    )
    canvas.disc((264, 224), 132, BLUE, 0.84)
    canvas.box((196, 318), 136, 18, "#2d5d83", 8)
    canvas.polygon([(137, 200), (391, 200), (396, 240), (132, 240)], WHITE)
    for place in range(7):
        canvas.disc((164 + 33 * place, 220), 9, "#2d5d83")
    canvas.disc((264, 124), 66, "#2d5d83", 0.34)
    canvas.disc((264, 118), 60, BLUE, 0.32)
    canvas.disc((264, 90), 16, AMBER)
    canvas.disc((206, 160), 20, "#7fb0d2", 0.6)
    return canvas


def balloon() -> Sheet:
    canvas = Sheet(520, 440)
    canvas.gradient(0, 440, "#8fc3e8", "#e6f2f8")
    for at in ((92, 96), (428, 190)):
        cloud(canvas, at, 1)
    canvas.blob(
        [(-20, 400), (110, 348), (230, 392), (360, 350), (540, 396), (540, 470), (-20, 470)],
        "#7ba66f",
    )
    canvas.blob([(-20, 430), (180, 396), (350, 424), (540, 402), (540, 470), (-20, 470)], "#628f59")
    stripes = (RED, AMBER, WHITE, AMBER, RED)
    edges = (-1, -0.68, -0.25, 0.25, 0.68, 1)
    for place, colour in enumerate(stripes):
        canvas.polygon(_gore(edges[place], edges[place + 1]), colour)
    for side in (-22, 22):
        canvas.line([(260 + side * 1.1, 268), (260 + side, 312)], INK, 2.5)
    canvas.box((232, 308), 56, 42, "#9c6a3c", 7)
    canvas.box((228, 304), 64, 9, "#6f4724", 4)
    for row in (322, 334):
        canvas.line([(234, row), (286, row)], "#6f4724", 2)
    return canvas


def _gore(left: float, right: float) -> list[Point]:
    """A strip of the envelope between two shares of its half width."""
    outline = [
        (0.0, 36.0),
        (64.0, 48.0),
        (106.0, 86.0),
        (122.0, 138.0),
        (108.0, 190.0),
        (70.0, 238.0),
        (26.0, 272.0),
    ]
    down = [(260 + left * half, y) for half, y in outline]
    up = [(260 + right * half, y) for half, y in reversed(outline)]
    return [*down, *up]


def cloud(canvas: Sheet, at: Point, scale: float) -> None:
    x, y = at
    for across, down, radius in ((-38, 6, 22), (-10, -8, 30), (26, -2, 26), (48, 10, 17)):
        canvas.disc((x + across * scale, y + down * scale), radius * scale, WHITE)
    canvas.box((x - 58 * scale, y + 6 * scale), 122 * scale, 21 * scale, WHITE, 10 * scale)


def car() -> Sheet:
    canvas = Sheet(560, 360)
    canvas.gradient(0, 230, "#bcdcee", "#eef6f9")
    canvas.box((0, 220), 560, 60, "#86ad77")
    canvas.box((0, 262), 560, 98, "#6d7075")
    for left in range(20, 560, 110):
        canvas.box((left, 322), 60, 8, WHITE)
    draw_car(canvas, (280, 296), 1, RED)
    return canvas


def draw_car(canvas: Sheet, ground: Point, scale: float, colour: str) -> None:
    """A saloon that drives to the left; `ground` is below its middle."""
    hull = [
        (-210, -40),
        (-204, -86),
        (-130, -104),
        (-84, -158),
        (70, -160),
        (132, -104),
        (196, -92),
        (210, -40),
    ]
    canvas.soft((ground[0], ground[1] - 2), 220 * scale, INK, 0.1)
    canvas.polygon(moved(hull, ground, scale), colour)
    canvas.polygon(
        moved([(-112, -106), (-76, -146), (-8, -146), (-8, -106)], ground, scale), "#d5e8f1"
    )
    canvas.polygon(moved([(4, -106), (4, -146), (64, -148), (106, -106)], ground, scale), "#d5e8f1")
    for x in (-118, -2, 110):
        canvas.line(moved([(x, -104), (x, -46)], ground, scale), "#5c5f64", 2 * scale)
    for x in (-24, 84):
        canvas.box(moved([(x, -92)], ground, scale)[0], 18 * scale, 5 * scale, INK, 2 * scale)
    canvas.disc(moved([(-196, -76)], ground, scale)[0], 11 * scale, "#fbe6a2")
    canvas.box(moved([(196, -86)], ground, scale)[0], 13 * scale, 18 * scale, AMBER, 3 * scale)
    for x in (-126, 122):
        wheel(canvas, moved([(x, -34)], ground, scale)[0], 36 * scale)


def wheel(canvas: Sheet, at: Point, radius: float) -> None:
    canvas.disc(at, radius, INK)
    canvas.disc(at, radius * 0.56, "#c9ccd0")
    canvas.disc(at, radius * 0.2, "#7b7f85")


def airplane() -> Sheet:
    canvas = Sheet(560, 360)
    canvas.gradient(0, 360, "#6fb1de", "#d6eaf5")
    for at in ((120, 80), (430, 300), (90, 300)):
        cloud(canvas, at, 0.9)
    canvas.polygon([(306, 150), (346, 150), (446, 66), (412, 66)], "#d7dade")
    canvas.polygon([(90, 160), (124, 160), (80, 74), (48, 74)], BLUE)
    canvas.blob([(62, 158), (120, 148), (300, 144), (430, 148), (492, 170), (498, 184),
                 (440, 200), (280, 206), (130, 194), (64, 170)], WHITE)  # fmt: skip
    canvas.line([(84, 186), (300, 200), (470, 188)], BLUE, 6)
    canvas.polygon([(452, 156), (476, 164), (482, 172), (448, 172)], "#41586b")
    for place in range(10):
        canvas.box((164 + 26 * place, 164), 12, 13, "#41586b", 4)
    canvas.polygon([(254, 196), (330, 196), (232, 298), (196, 298)], "#c3c8cd")
    canvas.box((256, 232), 62, 26, "#8f979f", 11)
    canvas.disc((316, 245), 12, INK)
    canvas.polygon([(76, 172), (128, 172), (78, 210), (50, 210)], "#c3c8cd")
    return canvas


def sunflower() -> Sheet:
    canvas = Sheet(440, 440, "#dcecf3")
    canvas.box((0, 380), 440, 60, "#8db27b")
    canvas.curve([(220, 220), (226, 330), (214, 440)], "#4f8346", 16)
    for tip, side in (((96, 330), -1), ((346, 348), 1)):
        canvas.blob([(220, 376), (220 + side * 50, 318), tip, (220 + side * 60, 372)], GREEN)
    for ring, (reach, colour) in enumerate(((150, "#e3a41f"), (138, "#f6c934"))):
        for step in range(18):
            _petal(canvas, (220, 190), 20 * step + 10 * ring, 60, reach, 21, colour)
    canvas.disc((220, 190), 70, "#5d3a1c")
    for step in range(90):
        seed = at_angle((220, 190), 6.6 * step**0.5, 137.5 * step)
        canvas.disc(seed, 2.6, "#8a5b2e" if step > 30 else "#3f2612")
    return canvas


def _petal(
    canvas: Sheet,
    centre: Point,
    degrees: float,
    start: float,
    reach: float,
    half: float,
    colour: str,
) -> None:
    root, tip = at_angle(centre, start, degrees), at_angle(centre, reach, degrees)
    belly = between(root, tip, 0.45)
    sides = [at_angle(belly, half, degrees + 90), at_angle(belly, half, degrees - 90)]
    canvas.blob([root, sides[0], tip, sides[1]], colour)


def daffodil() -> Sheet:
    canvas = Sheet(440, 440, "#e7eef4")
    for side, top in ((-1, 150), (1, 120)):
        canvas.blob([(206 + side * 20, 450), (206 + side * 60, 300), (206 + side * 104, top),
                     (206 + side * 88, 300), (206 + side * 48, 450)], "#6fa05f")  # fmt: skip
    canvas.curve([(220, 190), (224, 330), (212, 450)], "#578a4c", 13)
    for step in range(6):
        _petal(
            canvas, (220, 180), 30 + 60 * step, 20, 150, 44, "#f3d544" if step % 2 else "#f9e26a"
        )
    canvas.disc((220, 180), 64, "#e08a1e")
    for step in range(12):
        canvas.disc(at_angle((220, 180), 58, 30 * step), 13, "#e08a1e")
    canvas.disc((220, 180), 48, "#b9650f")
    canvas.disc((220, 184), 36, "#96500a")
    for step in range(6):
        canvas.stroke([(220, 182), at_angle((220, 182), 22, 60 * step)], "#f4dc6a", 4)
    return canvas
