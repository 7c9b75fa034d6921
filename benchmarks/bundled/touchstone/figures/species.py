"""Animals drawn with the marks by which one tells them from their look-alikes."""

from .canvas import Canvas
from .shapes import INK, WHITE, Point, at_angle, between, moved, scattered

ORANGE = "#e5842a"
VEIN = "#231d1c"

# Right-hand wings in their own units: x away from the body, y downwards.
FORE_WING = [(0, -14), (70, -92), (150, -150), (206, -168), (222, -140), (206, -84), (172, -22),
             (110, 8), (40, 16), (0, 8)]  # fmt: skip
HIND_WING = [
    (0, 6),
    (60, 10),
    (120, 26),
    (150, 70),
    (142, 122),
    (104, 152),
    (56, 142),
    (22, 96),
    (0, 40),
]
FORE_CELLS = [
    [(14, -12), (72, -80), (112, -106), (120, -82), (88, -44), (40, -6)],
    [(126, -112), (152, -124), (160, -104), (132, -84)],
    [(128, -72), (158, -86), (176, -66), (160, -44), (120, -50)],
    [(110, -44), (154, -34), (146, -20), (104, -22)],
    [(88, -32), (98, -16), (112, -8), (70, 0), (44, 4)],
]
HIND_CELLS = [
    [(12, 17), (46, 20), (72, 40), (70, 62), (48, 60), (20, 38)],
    [(62, 22), (104, 34), (112, 50), (88, 46)],
    [(86, 54), (120, 60), (122, 84), (86, 70)],
    [(86, 78), (119, 92), (108, 114), (84, 98)],
    [(74, 100), (100, 120), (78, 128), (68, 112)],
    [(20, 50), (44, 72), (58, 122), (36, 100)],
]


def butterfly() -> Canvas:
    canvas = Canvas(760, 580)
    canvas.gradient(0, 580, "#dcead6", "#a9c8a0")
    for at in scattered(26, 0, 0, 760, 580):
        canvas.soft(at, 50, "#f1f6e4", opacity=0.3)
    _flower_head(canvas, (380, 420))
    middle = (380, 270)
    canvas.soft((386, 300), 190, "#4f6a48", squeeze=0.7, opacity=0.3)
    for mirrored in (False, True):
        _wing_pair(canvas, middle, mirrored)
    _insect_body(canvas, middle)
    return canvas


def penguins() -> Canvas:
    canvas = Canvas(760, 600)
    canvas.gradient(0, 330, "#a9cbe4", "#e6f0f4")
    canvas.polygon([(0, 330), (0, 200), (120, 170), (210, 236), (330, 214), (420, 262), (560, 190),
                    (680, 226), (760, 180), (760, 330)], "#c7dce8")  # fmt: skip
    canvas.polygon([(0, 330), (0, 252), (90, 236), (200, 290), (340, 268), (470, 300), (620, 262),
                    (760, 286), (760, 330)], "#b2cede")  # fmt: skip
    canvas.gradient(318, 600, "#f2f7f8", "#d7e4ea")
    for x, y in ((90, 336), (136, 344), (560, 338), (608, 346), (660, 336)):
        _far_penguin(canvas, (x, y))
    _adult(canvas, (330, 548))
    _chick(canvas, (506, 552))
    return canvas


def _flower_head(canvas: Canvas, centre: Point) -> None:
    x, y = centre
    canvas.curve([(x, y), (x - 8, y + 90), (x + 4, y + 180)], "#5c7f4a", 14)
    for side in (-1, 1):
        leaf = [(0, 0), (70, -40), (170, -30), (110, 18)]
        canvas.blob(moved(leaf, (x, y + 120), mirrored=side < 0), "#6f9657")
        canvas.curve(
            [(x, y + 120), (x + side * 80, y + 106), (x + side * 150, y + 94)], "#88ab6d", 2.5
        )
    canvas.disc(centre, 88, "#b067a0", squeeze=0.66)
    for ring, (count, distance, colour) in enumerate(
        ((22, 92, "#b96fa8"), (16, 62, "#cb86b8"), (9, 32, "#dba3ca"))
    ):
        for number in range(count):
            spot = at_angle((x, y), distance, 360 * number / count + 11 * ring)
            spot = (spot[0], y + (spot[1] - y) * 0.66)
            for petal in range(5):
                canvas.disc(at_angle(spot, 8, 72 * petal + 18), 7, colour)
            canvas.disc(spot, 4, "#f6e3ee")


def _wing_pair(canvas: Canvas, middle: Point, mirrored: bool) -> None:
    for outline, cells in ((HIND_WING, HIND_CELLS), (FORE_WING, FORE_CELLS)):
        canvas.blob(moved(outline, middle, 1.25, mirrored), VEIN)
        for cell in cells:
            canvas.blob(moved(cell, middle, 1.25, mirrored), ORANGE)
    for spot in _border_spots():
        canvas.disc(moved([spot], middle, 1.25, mirrored)[0], 4, WHITE)
    for spot in ((176, -132), (190, -116), (166, -112)):
        canvas.disc(moved([spot], middle, 1.25, mirrored)[0], 6, "#f6c58a")


def _border_spots() -> list[Point]:
    fore = [between((208, -150), (186, -56), share / 6) for share in range(7)]
    fore += [between((180, -42), (130, -8), share / 4) for share in range(5)]
    hind = [
        (128, 48),
        (136, 64),
        (138, 82),
        (134, 100),
        (124, 118),
        (108, 132),
        (90, 139),
        (72, 137),
        (54, 130),
    ]
    return [*fore, *hind]


def _insect_body(canvas: Canvas, middle: Point) -> None:
    x, y = middle
    canvas.blob(
        [
            (x - 9, y - 26),
            (x + 9, y - 26),
            (x + 11, y + 20),
            (x + 6, y + 100),
            (x - 6, y + 100),
            (x - 11, y + 20),
        ],
        VEIN,
    )
    canvas.disc((x, y - 36), 12, VEIN)
    for side in (-1, 1):
        canvas.curve(
            [(x + side * 5, y - 44), (x + side * 24, y - 82), (x + side * 50, y - 108)], VEIN, 2.6
        )
        canvas.disc((x + side * 51, y - 109), 4.4, VEIN)
        canvas.disc((x + side * 7, y - 42), 2, WHITE)
        canvas.disc((x + side * 5, y - 30), 1.8, WHITE)
        for row in range(3):
            canvas.disc((x + side * 5, y - 16 + 9 * row), 1.8, WHITE)


def _far_penguin(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    canvas.blob([(x - 7, y), (x - 8, y - 18), (x, y - 36), (x + 8, y - 18), (x + 7, y)], "#3a4250")
    canvas.disc((x + 1, y - 12), 4.6, "#e9edef", squeeze=1.9)


def _adult(canvas: Canvas, foot: Point) -> None:
    """A full-grown bird that bends its head to the right."""
    x, y = foot
    canvas.soft((x + 10, y + 6), 130, "#7f98a8", squeeze=0.2, opacity=0.5)
    for shift in (-40, 30):
        canvas.blob(
            [(x + shift - 30, y + 8), (x + shift, y - 16), (x + shift + 32, y + 8)], "#2f3338"
        )
    black, belly = "#23272e", "#f8f6ee"
    canvas.blob([(x - 92, y - 30), (x - 104, y - 170), (x - 72, y - 300), (x - 24, y - 362),
                 (x + 30, y - 356), (x + 72, y - 290), (x + 100, y - 170), (x + 86, y - 30),
                 (x, y - 2)], "#4a525c")  # fmt: skip
    canvas.blob([(x - 58, y - 40), (x - 66, y - 170), (x - 36, y - 290), (x + 8, y - 330),
                 (x + 52, y - 284), (x + 80, y - 170), (x + 66, y - 40),
                 (x, y - 10)], belly)  # fmt: skip
    canvas.soft((x + 12, y - 296), 60, "#f3d36a", opacity=0.75)
    canvas.blob(
        [
            (x - 96, y - 286),
            (x - 74, y - 292),
            (x - 78, y - 180),
            (x - 112, y - 96),
            (x - 122, y - 120),
        ],
        black,
    )
    canvas.blob(
        [
            (x + 78, y - 288),
            (x + 94, y - 280),
            (x + 122, y - 130),
            (x + 116, y - 100),
            (x + 88, y - 180),
        ],
        black,
    )
    canvas.blob([(x - 40, y - 326), (x - 46, y - 390), (x - 6, y - 428), (x + 40, y - 412),
                 (x + 58, y - 366), (x + 46, y - 326), (x + 8, y - 320)], black)  # fmt: skip
    canvas.blob(
        [
            (x - 26, y - 372),
            (x - 6, y - 380),
            (x - 2, y - 346),
            (x + 10, y - 314),
            (x - 22, y - 322),
        ],
        "#f0a92f",
    )
    canvas.blob([(x + 46, y - 398), (x + 70, y - 392), (x + 92, y - 374), (x + 91, y - 369),
                 (x + 68, y - 376), (x + 48, y - 380)], black)  # fmt: skip
    canvas.curve([(x + 54, y - 382), (x + 72, y - 379), (x + 86, y - 372)], "#d8763a", 4)
    canvas.disc((x + 26, y - 392), 5, "#5a4638")
    canvas.disc((x + 27, y - 393), 2, WHITE)


def _chick(canvas: Canvas, foot: Point) -> None:
    """A chick that looks up to the left."""
    x, y = foot
    canvas.soft((x, y + 4), 74, "#7f98a8", squeeze=0.22, opacity=0.5)
    for shift in (-20, 20):
        canvas.blob(
            [(x + shift - 20, y + 6), (x + shift, y - 12), (x + shift + 20, y + 6)], "#2f3338"
        )
    canvas.blob([(x - 58, y - 20), (x - 64, y - 90), (x - 34, y - 160), (x + 34, y - 160),
                 (x + 64, y - 90), (x + 56, y - 20), (x, y - 2)], "#a9aeb4")  # fmt: skip
    canvas.blob(
        [
            (x - 34, y - 24),
            (x - 36, y - 90),
            (x, y - 140),
            (x + 34, y - 90),
            (x + 32, y - 24),
            (x, y - 12),
        ],
        "#c6cacd",
    )
    for side in (-1, 1):
        canvas.blob(
            moved(
                [(44, -140), (60, -130), (76, -62), (66, -56), (50, -96)], (x, y), mirrored=side < 0
            ),
            "#8d939a",
        )
    canvas.disc((x, y - 186), 44, "#262a30")
    canvas.blob(
        [
            (x - 36, y - 196),
            (x - 16, y - 214),
            (x - 4, y - 190),
            (x - 10, y - 158),
            (x - 32, y - 166),
        ],
        "#f2f1ec",
    )
    canvas.blob(
        [
            (x + 4, y - 190),
            (x + 18, y - 212),
            (x + 32, y - 192),
            (x + 28, y - 164),
            (x + 8, y - 160),
        ],
        "#f2f1ec",
    )
    canvas.disc((x - 19, y - 188), 6, INK)
    canvas.disc((x + 16, y - 188), 6, INK)
    canvas.polygon([(x - 11, y - 182), (x + 7, y - 182), (x - 2, y - 164)], "#3a3d42")
