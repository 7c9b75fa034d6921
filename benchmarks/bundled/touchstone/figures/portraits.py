"""Drawn likenesses of three people of whom everyone has an image in mind."""

from .canvas import Canvas
from .shapes import WHITE, Point, at_angle, moved, scattered

SKIN = "#e8bd9b"
SHADE = "#c99672"
GOLD_PLATE = "#b8934a"
GREY_HAIR = "#8f8577"
FAIR_SKIN = "#e6c3a4"


def einstein() -> Canvas:
    canvas = Canvas(700, 720, "#2f4a42")
    canvas.gradient(0, 720, "#35534a", "#263d37")
    for number, at in enumerate(scattered(16, 0, 0, 700, 720)):
        canvas.soft(at, 60 + 10 * (number % 3), "#5b786e", squeeze=0.5, opacity=0.2)
    canvas.text((90, 86), "E = mc", 58, "#e9efe6", "lm")
    canvas.text((277, 66), "2", 32, "#e9efe6", "lm")
    canvas.curve([(96, 124), (190, 118), (292, 124)], "#c7d3c9", 3)
    _physicist_clothes(canvas, (380, 720))
    _physicist_head(canvas, (380, 360))
    return canvas


def tramp() -> Canvas:
    """Chaplin's tramp, all in greys, as on the screen of his time."""
    canvas = Canvas(640, 720)
    canvas.gradient(0, 560, "#c9c9c6", "#e6e6e3")
    for row in range(9):
        for brick in range(8):
            if (3 * row + 5 * brick) % 4 == 0:
                canvas.box(
                    (brick * 90 + 40 * (row % 2) - 20, 30 + row * 58), 62, 22, "#bdbdba", radius=2
                )
    canvas.gradient(560, 720, "#8e8e8b", "#a9a9a6")
    canvas.line([(0, 562), (640, 562)], "#6d6d6b", 5)
    canvas.soft((320, 664), 190, "#3f3f3e", squeeze=0.14, opacity=0.6)
    _tramp_legs(canvas, (320, 660))
    _tramp_coat(canvas, (320, 400))
    _tramp_head(canvas, (320, 190))
    return canvas


def curie() -> Canvas:
    canvas = Canvas(820, 640)
    canvas.gradient(0, 640, "#3a4048", "#24282f")
    canvas.box((40, 90), 300, 16, "#5d4630")
    for number, colour in enumerate(("#6f8b8a", "#8a7b5d", "#5f7a68", "#7d6a7a", "#6f8b8a")):
        x = 66 + 54 * number
        canvas.box((x, 42), 32, 48, colour, radius=6)
        canvas.box((x + 9, 28), 14, 18, "#8f8a7c")
    canvas.soft((560, 400), 200, "#7df0c4", opacity=0.45)
    _chemist(canvas, (300, 508))
    canvas.box((0, 500), 820, 140, "#6b4a30")
    canvas.box((0, 500), 820, 14, "#8a6342")
    _glowing_flask(canvas, (560, 500))
    _medal(canvas, (650, 562), "1903", "PHYSICS")
    _medal(canvas, (756, 562), "1911", "CHEMISTRY")
    canvas.box((200, 540), 230, 60, GOLD_PLATE, radius=5)
    canvas.box((206, 546), 218, 48, "#e8cf8d", radius=4)
    canvas.text((315, 570), "MME CURIE", 30, "#4a3518", weight=0.5)
    return canvas


def _physicist_clothes(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    canvas.blob([(x - 250, y + 60), (x - 230, y - 130), (x - 90, y - 190), (x + 90, y - 190),
                 (x + 230, y - 130), (x + 250, y + 60)], "#6f6558")  # fmt: skip
    for row in range(9):
        canvas.curve(
            [(x - 232, y - 116 + 16 * row), (x, y - 150 + 18 * row), (x + 232, y - 116 + 16 * row)],
            "#7d7264",
            2.5,
        )
    canvas.polygon(
        [(x - 74, y - 196), (x, y - 96), (x + 74, y - 196), (x + 50, y - 226), (x - 50, y - 226)],
        "#f0ece2",
    )
    canvas.polygon(
        [(x - 16, y - 130), (x + 16, y - 130), (x + 24, y + 4), (x - 24, y + 4)], "#33404f"
    )
    canvas.disc((x, y - 122), 18, "#33404f")
    for side in (-1, 1):
        canvas.polygon(
            moved([(58, -222), (84, -190), (22, -96), (0, -112)], foot, mirrored=side < 0),
            "#fbf8f0",
        )


def _physicist_head(canvas: Canvas, centre: Point) -> None:
    x, y = centre
    _wild_hair(canvas, centre)
    canvas.box((x - 52, y + 100), 104, 80, SHADE, radius=30)
    outline = [
        (-110, -20),
        (-92, -118),
        (0, -150),
        (92, -118),
        (110, -20),
        (92, 84),
        (0, 146),
        (-92, 84),
    ]
    canvas.blob(moved(outline, centre), SKIN)
    for mirrored in (True, False):
        canvas.blob(
            moved([(106, -16), (128, -22), (126, 28), (104, 36)], centre, mirrored=mirrored), SHADE
        )
        canvas.blob(
            moved([(98, -60), (118, -110), (140, -60), (120, -6)], centre, mirrored=mirrored),
            "#eceae4",
        )
        _physicist_eye(canvas, centre, mirrored)
    for row in range(3):
        wrinkle = [(-50, -84 - 17 * row), (0, -90 - 17 * row), (50, -84 - 17 * row)]
        canvas.curve(moved(wrinkle, centre), SHADE, 3.5)
    canvas.blob(
        [(x - 14, y), (x + 14, y), (x + 32, y + 54), (x, y + 66), (x - 32, y + 54)], "#dca883"
    )
    canvas.curve([(x - 22, y + 56), (x, y + 66), (x + 22, y + 56)], SHADE, 4)
    canvas.curve([(x - 30, y + 112), (x, y + 118), (x + 30, y + 112)], "#9c5a4a", 7)
    _moustache(canvas, centre)


def _wild_hair(canvas: Canvas, centre: Point) -> None:
    x, y = centre
    for number in range(19):
        tuft = at_angle((x, y - 22), 128 + 12 * (number % 3), -30 + 240 * number / 18)
        canvas.disc(tuft, 42, "#cfccc4" if number % 2 else "#dcd9d1")
    for number in range(90):
        direction = -34 + 248 * number / 89
        length = 178 + 17 * ((number * 7) % 5)
        root = at_angle((x, y - 10), 90, direction)
        bend = at_angle((x, y - 16), length * 0.8, direction + 5 * (-1) ** number)
        tip = at_angle((x, y - 24), length, direction + 9 * (-1) ** (number // 2))
        canvas.curve([root, bend, tip], "#eceae4" if number % 3 else "#cfccc4", 8 - number % 3)


def _physicist_eye(canvas: Canvas, centre: Point, mirrored: bool) -> None:
    (x, y) = moved([(42, 0)], centre, mirrored=mirrored)[0]
    canvas.disc((x, y - 2), 17, WHITE, squeeze=0.72)
    canvas.disc((x, y), 9, "#4a3426")
    canvas.disc((x - 3, y - 3), 3, WHITE)
    canvas.curve(moved([(20, -8), (42, -18), (64, -6)], centre, mirrored=mirrored), SHADE, 5)
    canvas.curve(moved([(22, 20), (44, 28), (64, 18)], centre, mirrored=mirrored), SHADE, 4)
    canvas.curve(moved([(16, -36), (44, -54), (76, -34)], centre, mirrored=mirrored), "#a8a59d", 13)
    canvas.curve(moved([(70, 14), (84, 22), (96, 18)], centre, mirrored=mirrored), SHADE, 3)


def _moustache(canvas: Canvas, centre: Point) -> None:
    for mirrored in (True, False):
        half = [(0, 68), (34, 70), (68, 98), (60, 108), (30, 100), (0, 102)]
        canvas.blob(moved(half, centre, mirrored=mirrored), "#b9b6ae")
        for number in range(5):
            hair = [(6 + 11 * number, 74 + 2 * number), (10 + 12 * number, 100)]
            canvas.curve(moved(hair, centre, mirrored=mirrored), "#e6e3db", 2.4)


def _tramp_legs(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    for side in (-1, 1):
        canvas.blob(
            moved(
                [(0, -260), (62, -256), (82, -120), (78, -26), (22, -22), (10, -130)],
                foot,
                mirrored=side < 0,
            ),
            "#5e5e5c",
        )
        canvas.blob(
            moved([(16, -30), (64, -36), (128, -14), (132, 10), (20, 10)], foot, mirrored=side < 0),
            "#1f1f1f",
        )
        canvas.curve(
            moved([(50, -24), (84, -14), (110, -8)], foot, mirrored=side < 0), "#5a5a58", 4
        )
        for fold in range(3):
            canvas.curve(
                moved(
                    [(22, -64 + 14 * fold), (48, -56 + 14 * fold), (74, -66 + 14 * fold)],
                    foot,
                    mirrored=side < 0,
                ),
                "#484846",
                3,
            )
    canvas.line([(x + 150, y - 252), (x + 178, y + 6)], "#3a3a39", 7)
    canvas.curve(
        [(x + 150, y - 252), (x + 146, y - 286), (x + 120, y - 286), (x + 118, y - 262)],
        "#3a3a39",
        7,
    )


def _tramp_coat(canvas: Canvas, waist: Point) -> None:
    x, y = waist
    coat = "#2b2b2b"
    canvas.polygon(
        [(x - 34, y - 128), (x + 34, y - 128), (x + 30, y + 40), (x - 30, y + 40)], "#d6d6d3"
    )
    for side in (-1, 1):
        front = [(16, -118), (64, -120), (88, -96), (74, 0), (92, 66), (40, 60), (12, 10)]
        canvas.blob(moved(front, waist, mirrored=side < 0), coat)
        canvas.polygon(
            moved([(18, -126), (46, -122), (16, -40)], waist, mirrored=side < 0), "#454544"
        )
    canvas.curve([(x - 76, y - 96), (x - 124, y - 20), (x - 70, y + 26)], coat, 36)
    canvas.disc((x - 62, y + 30), 17, "#e6e6e3")
    canvas.curve([(x + 76, y - 96), (x + 130, y - 40), (x + 134, y - 6)], coat, 36)
    canvas.disc((x + 136, y + 10), 17, "#e6e6e3")
    for button in range(2):
        canvas.disc((x + 2, y + 6 + 24 * button), 5, "#6d6d6b")
    canvas.polygon([(x, y - 112), (x - 30, y - 126), (x - 30, y - 98)], "#1f1f1f")
    canvas.polygon([(x, y - 112), (x + 30, y - 126), (x + 30, y - 98)], "#1f1f1f")
    canvas.disc((x, y - 112), 7, "#454544")


def _tramp_head(canvas: Canvas, centre: Point) -> None:
    x, y = centre
    face, dark = "#ececea", "#1f1f1f"
    canvas.box((x - 20, y + 54), 40, 40, "#d2d2cf", radius=12)
    for side in (-1, 1):
        canvas.blob(
            moved([(44, -24), (74, -10), (80, 22), (62, 34), (48, 16)], centre, mirrored=side < 0),
            dark,
        )
    canvas.disc(centre, 62, face, squeeze=1.16)
    for side in (-1, 1):
        canvas.disc((x + side * 62, y + 10), 11, face)
        canvas.disc((x + side * 24, y), 12, WHITE, squeeze=0.8)
        canvas.disc((x + side * 24, y + 1), 7, dark)
        canvas.curve(moved([(10, -2), (24, -12), (38, -2)], centre, mirrored=side < 0), dark, 4)
        canvas.curve(moved([(12, -26), (26, -34), (42, -24)], centre, mirrored=side < 0), dark, 6)
    canvas.curve([(x - 4, y + 8), (x + 10, y + 26), (x - 6, y + 28)], "#b5b5b2", 4)
    canvas.box((x - 15, y + 33), 30, 15, dark, radius=3)
    canvas.curve([(x - 18, y + 56), (x, y + 60), (x + 22, y + 53)], "#5a5a58", 4)
    canvas.blob(
        [
            (x - 62, y - 42),
            (x - 60, y - 92),
            (x - 30, y - 118),
            (x + 30, y - 118),
            (x + 60, y - 92),
            (x + 62, y - 42),
        ],
        dark,
    )
    canvas.box((x - 62, y - 62), 124, 16, "#4a4a49")
    canvas.blob([(x - 92, y - 52), (x - 60, y - 50), (x, y - 44), (x + 60, y - 50),
                 (x + 92, y - 52), (x + 70, y - 36), (x, y - 30),
                 (x - 70, y - 36)], dark)  # fmt: skip


def _chemist(canvas: Canvas, foot: Point) -> None:
    """A woman in a dark dress, seen from the front, looking at the flask on the right."""
    x, y = foot
    dress = [(-150, 40), (-140, -90), (-70, -150), (70, -150), (140, -90), (150, 40)]
    canvas.blob(moved(dress, foot), "#17191d")
    canvas.box((x - 28, y - 196), 56, 60, "#17191d", radius=12)
    canvas.box((x - 28, y - 190), 56, 10, "#e6e0d2", radius=4)
    _chemist_head(canvas, foot)
    canvas.curve(moved([(110, -90), (180, -10), (222, -66)], foot), "#22252b", 46)
    canvas.disc((x + 226, y - 76), 21, FAIR_SKIN)
    canvas.curve(moved([(230, -86), (240, -104), (248, -108)], foot), FAIR_SKIN, 10)


def _chemist_head(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    canvas.disc((x - 4, y - 372), 46, GREY_HAIR)
    for number in range(15):
        canvas.disc(at_angle((x, y - 284), 74, 8 + 164 * number / 14), 27, GREY_HAIR)
    for side in (-1, 1):
        canvas.disc((x + side * 78, y - 268), 24, GREY_HAIR)
    face = [(-74, -290), (-50, -344), (50, -344), (74, -290), (58, -220), (4, -182), (-54, -220)]
    canvas.blob(moved(face, foot), FAIR_SKIN)
    fringe = [(-74, -300), (-40, -346), (40, -350), (76, -300), (30, -328), (-30, -322)]
    canvas.blob(moved(fringe, foot), GREY_HAIR)
    for number in range(5):
        strand = [(-56 + 26 * number, -338), (-62 + 28 * number, -362), (-40 + 22 * number, -384)]
        canvas.curve(moved(strand, foot), "#a79c8c", 3)
    for side in (-1, 1):
        eye = (x + side * 30 + 4, y - 270)
        canvas.disc(eye, 12, WHITE, squeeze=0.7)
        canvas.disc((eye[0] + 4, eye[1] + 1), 7, "#5a6a72")
        canvas.curve(moved([(-15, -4), (0, -11), (15, -4)], eye), "#6d5a4a", 4)
        canvas.curve(moved([(-18, -22), (0, -27), (18, -22)], eye), "#7d7060", 5)
    canvas.curve(moved([(6, -262), (16, -238), (2, -234)], foot), SHADE, 4)
    canvas.curve(moved([(-12, -212), (6, -210), (22, -213)], foot), "#9c5a4a", 5)


def _glowing_flask(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    canvas.blob(
        [
            (x - 70, y),
            (x - 56, y - 40),
            (x - 20, y - 120),
            (x + 20, y - 120),
            (x + 56, y - 40),
            (x + 70, y),
        ],
        "#a9cfc6",
    )
    canvas.box((x - 19, y - 176), 38, 70, "#a9cfc6", radius=4)
    canvas.box((x - 25, y - 182), 50, 10, "#d3e6e0", radius=4)
    canvas.blob([(x - 60, y - 4), (x - 44, y - 52), (x + 44, y - 52), (x + 60, y - 4)], "#7df0c4")
    canvas.soft((x, y - 30), 46, "#e8fff4", squeeze=0.6, opacity=0.8)
    canvas.box((x - 70, y - 3), 140, 5, "#8fb5ac")


def _medal(canvas: Canvas, at: Point, year: str, subject: str) -> None:
    canvas.disc(at, 36, "#a8822f")
    canvas.disc(at, 31, "#e2be5e")
    canvas.text(at, year, 21, "#5b4312", weight=0.4)
    canvas.text((at[0], at[1] + 52), subject, 14, "#e8dcc0")
