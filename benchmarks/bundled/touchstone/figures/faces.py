"""Feelings: four faces in a row of panels, and two players after a game of chess."""

from collections.abc import Callable

from .canvas import Canvas
from .shapes import INK, WHITE, Point, at_angle, smooth

SKINS = ("#f0c8a4", "#c98f63", "#8d5a3b", "#eab88f")
MOUTH = "#8d3a34"
TEAR = "#6db4dc"
RED = "#c2483a"


def four_faces() -> Canvas:
    canvas = Canvas(760, 760, "#f6f1e6")
    draw: tuple[Callable[[Canvas, Point], None], ...] = (_laughing, _angry, _frightened, _sad)
    grounds = ("#f7dfa5", "#eeb9a6", "#c3d0e8", "#c9d6cf")
    for place, (face, ground) in enumerate(zip(draw, grounds, strict=True)):
        left, top = 20 + 365 * (place % 2), 20 + 365 * (place // 2)
        canvas.box((left, top), 355, 355, ground, radius=18)
        centre = (left + 178.0, top + 190.0)
        _head(canvas, centre, SKINS[place], place)
        face(canvas, centre)
        canvas.disc((left + 36, top + 36), 22, WHITE)
        canvas.text((left + 36, top + 36), "ABCD"[place], 26, INK, weight=0.4)
    return canvas


def chess_players() -> Canvas:
    canvas = Canvas(860, 560)
    canvas.gradient(0, 560, "#e9ddc7", "#d8c6a6")
    canvas.box((330, 40), 200, 150, "#fffaf0", radius=4)
    canvas.box((340, 50), 180, 130, "#a9cde0")
    canvas.disc((476, 84), 18, "#f7d56b")
    canvas.blob([(340, 180), (380, 130), (430, 158), (480, 124), (520, 180)], "#7fa678")
    canvas.box((426, 50), 8, 130, "#fffaf0")
    _winner(canvas, (200, 420))
    _loser(canvas, (668, 420))
    canvas.box((90, 408), 680, 26, "#9a6a40", radius=6)
    canvas.gradient(434, 560, "#6f4a2b", "#85593a", 130, 730)
    for left in (150, 440):
        canvas.box((left, 452), 270, 92, "#7d5432", radius=6)
    _board(canvas)
    return canvas


def _head(canvas: Canvas, centre: Point, skin: str, place: int) -> None:
    x, y = centre
    hair = ("#5b3a22", "#2a2320", "#1d1a1b", "#b5792f")[place]
    shirt = ("#3f7d6b", "#4a4f68", "#b5713a", "#6a5687")[place]
    shoulders = [
        (x - 134, y + 165),
        (x - 112, y + 136),
        (x, y + 106),
        (x + 112, y + 136),
        (x + 134, y + 165),
    ]
    canvas.polygon(smooth(shoulders, closed=False), shirt)
    if place in (0, 3):
        canvas.blob([(x - 112, y + 70), (x - 108, y - 40), (x - 56, y - 116), (x + 56, y - 116),
                     (x + 108, y - 40), (x + 112, y + 70), (x, y + 40)], hair)  # fmt: skip
    canvas.box((x - 30, y + 66), 60, 66, skin, radius=20)
    canvas.disc(centre, 94, skin, squeeze=1.08)
    for side in (-1, 1):
        canvas.disc((x + side * 95, y + 6), 15, skin)
    canvas.blob([(x - 96, y - 20), (x - 84, y - 82), (x, y - 118), (x + 84, y - 82),
                 (x + 96, y - 20), (x + 66, y - 62), (x, y - 74),
                 (x - 66, y - 62)], hair)  # fmt: skip
    canvas.curve([(x - 4, y + 2), (x + 8, y + 22), (x - 4, y + 26)], _darker(place), 4)


def _darker(place: int) -> str:
    return ("#d29a72", "#a26d45", "#6a4029", "#c98f63")[place]


def _laughing(canvas: Canvas, at: Point) -> None:
    x, y = at
    for side in (-1, 1):
        canvas.curve(
            [(x + side * 62, y - 6), (x + side * 40, y - 24), (x + side * 18, y - 6)], INK, 6
        )
        canvas.curve(
            [(x + side * 66, y - 46), (x + side * 42, y - 56), (x + side * 18, y - 46)],
            "#5b3a22",
            7,
        )
        canvas.blob(
            [
                (x + side * 74, y - 6),
                (x + side * 84, y + 14),
                (x + side * 76, y + 26),
                (x + side * 67, y + 14),
            ],
            TEAR,
        )
        canvas.soft((x + side * 62, y + 34), 22, "#e8836c", opacity=0.5)
    canvas.blob(
        [
            (x - 54, y + 34),
            (x, y + 42),
            (x + 54, y + 34),
            (x + 34, y + 76),
            (x, y + 86),
            (x - 34, y + 76),
        ],
        MOUTH,
    )
    canvas.blob(
        [(x - 46, y + 38), (x, y + 44), (x + 46, y + 38), (x + 36, y + 52), (x - 36, y + 52)], WHITE
    )
    canvas.blob([(x - 20, y + 78), (x, y + 66), (x + 20, y + 78), (x, y + 84)], "#d9746a")


def _angry(canvas: Canvas, at: Point) -> None:
    x, y = at
    canvas.soft((x - 52, y + 30), 26, RED, opacity=0.35)
    canvas.soft((x + 52, y + 30), 26, RED, opacity=0.35)
    for side in (-1, 1):
        _eye(canvas, (x + side * 40, y - 8), 15, 8)
        canvas.polygon(
            [
                (x + side * 72, y - 52),
                (x + side * 72, y - 38),
                (x + side * 14, y - 14),
                (x + side * 14, y - 28),
            ],
            "#2a2320",
        )
        canvas.curve(
            [(x + side * 8, y - 40), (x + side * 5, y - 28), (x + side * 7, y - 18)], "#a26d45", 4
        )
    canvas.box((x - 42, y + 48), 84, 30, MOUTH, radius=10)
    canvas.box((x - 37, y + 53), 74, 20, WHITE, radius=5)
    canvas.line([(x - 37, y + 63), (x + 37, y + 63)], "#b9a69c", 2)
    for number in range(1, 6):
        canvas.line(
            [(x - 37 + number * 12.4, y + 53), (x - 37 + number * 12.4, y + 73)], "#b9a69c", 2
        )


def _frightened(canvas: Canvas, at: Point) -> None:
    x, y = at
    for side in (-1, 1):
        _eye(canvas, (x + side * 40, y - 10), 25, 7)
        canvas.curve(
            [(x + side * 74, y - 38), (x + side * 46, y - 50), (x + side * 18, y - 52)],
            "#1d1a1b",
            7,
        )
    canvas.disc((x, y + 60), 22, "#4a1d1c", squeeze=1.1)
    canvas.disc((x, y + 72), 12, "#a8504a", squeeze=0.6)
    for side in (-1, 1):
        hand = (x + side * 92, y + 84)
        canvas.disc(hand, 30, SKINS[2], squeeze=1.1)
        for finger in range(4):
            start = (hand[0] - side * (2 + 10 * finger) + side * 18, hand[1] - 12)
            canvas.line([start, (start[0] - side * 4, start[1] - 34)], SKINS[2], 12)
            canvas.disc((start[0] - side * 4, start[1] - 34), 6, SKINS[2])
            canvas.line(
                [(start[0] + side * 6, start[1] + 4), (start[0] + side * 3, start[1] - 24)],
                "#6a4029",
                1.6,
            )
    canvas.blob([(x + 82, y - 34), (x + 89, y - 20), (x + 82, y - 12), (x + 75, y - 20)], TEAR)


def _sad(canvas: Canvas, at: Point) -> None:
    x, y = at
    for side in (-1, 1):
        _eye(canvas, (x + side * 40, y - 4), 16, 8, look_down=5)
        canvas.polygon(
            [
                (x + side * 58, y - 24),
                (x + side * 58, y - 10),
                (x + side * 22, y - 10),
                (x + side * 22, y - 26),
            ],
            SKINS[3],
        )
        canvas.curve(
            [(x + side * 58, y - 6), (x + side * 40, y - 11), (x + side * 24, y - 14)], "#8a5f3c", 4
        )
        canvas.curve(
            [(x + side * 70, y - 30), (x + side * 46, y - 38), (x + side * 20, y - 54)],
            "#8a5a20",
            7,
        )
    canvas.curve([(x - 36, y + 70), (x, y + 54), (x + 36, y + 70)], MOUTH, 7)


def _eye(canvas: Canvas, at: Point, radius: float, pupil: float, look_down: float = 0) -> None:
    canvas.disc(at, radius, WHITE)
    canvas.disc((at[0], at[1] + look_down), pupil, INK)
    canvas.disc((at[0] - pupil * 0.3, at[1] + look_down - pupil * 0.3), pupil * 0.3, WHITE)


def _winner(canvas: Canvas, at: Point) -> None:
    """A girl with both arms up; `at` is the middle of the table's edge before her."""
    x, y = at
    canvas.blob([(x - 70, y + 10), (x - 62, y - 108), (x - 30, y - 136), (x + 30, y - 136),
                 (x + 62, y - 108), (x + 70, y + 10)], "#3f7d8c")  # fmt: skip
    for side in (-1, 1):
        canvas.curve(
            [(x + side * 54, y - 106), (x + side * 96, y - 170), (x + side * 92, y - 256)],
            "#356b78",
            28,
        )
        fist = (x + side * 92, y - 272)
        canvas.disc(fist, 21, SKINS[1])
        canvas.line([(fist[0] - 10, fist[1] + 4), (fist[0] + 10, fist[1] + 4)], "#a26d45", 2)
    canvas.disc((x - 62, y - 178), 20, "#2a2320", squeeze=1.5)
    canvas.disc((x + 62, y - 178), 20, "#2a2320", squeeze=1.5)
    canvas.box((x - 16, y - 152), 32, 30, "#b87d53", radius=8)
    canvas.disc((x, y - 200), 58, SKINS[1])
    canvas.blob([(x - 60, y - 204), (x - 44, y - 254), (x, y - 272), (x + 44, y - 254),
                 (x + 60, y - 204), (x + 30, y - 238), (x - 30, y - 238)], "#2a2320")  # fmt: skip
    for side in (-1, 1):
        canvas.disc((x + side * 58, y - 200), 8, "#d8594b")
        canvas.disc((x + side * 22, y - 206), 6, INK)
        canvas.curve(
            [(x + side * 34, y - 226), (x + side * 22, y - 231), (x + side * 12, y - 226)],
            "#2a2320",
            4,
        )
    canvas.blob(
        [(x - 30, y - 184), (x, y - 180), (x + 30, y - 184), (x + 16, y - 160), (x - 16, y - 160)],
        MOUTH,
    )
    canvas.blob(
        [(x - 24, y - 182), (x, y - 178), (x + 24, y - 182), (x + 18, y - 174), (x - 18, y - 174)],
        WHITE,
    )


def _loser(canvas: Canvas, at: Point) -> None:
    """A boy who leans his cheek on his fist and looks at the board."""
    x, y = at
    canvas.blob([(x - 74, y + 10), (x - 66, y - 90), (x - 24, y - 118), (x + 34, y - 118),
                 (x + 66, y - 92), (x + 74, y + 10)], "#b5713a")  # fmt: skip
    canvas.box((x - 20, y - 138), 32, 32, "#dba882", radius=8)
    canvas.disc((x - 8, y - 178), 58, SKINS[0])
    canvas.blob([(x - 66, y - 190), (x - 50, y - 234), (x - 4, y - 250), (x + 42, y - 228),
                 (x + 52, y - 176), (x + 34, y - 204), (x - 10, y - 222),
                 (x - 46, y - 206)], "#9a5a2b")  # fmt: skip
    for side, eye in ((-1, x - 36), (1, x + 4)):
        canvas.disc((eye, y - 178), 9, WHITE)
        canvas.disc((eye - 3, y - 174), 5, INK)
        canvas.polygon(
            [(eye - 11, y - 188), (eye + 11, y - 188), (eye + 11, y - 180), (eye - 11, y - 180)],
            SKINS[0],
        )
        canvas.curve(
            [(eye - 10, y - 198 + 5 * -side), (eye + 10, y - 198 + 5 * side)], "#9a5a2b", 4.5
        )
    canvas.curve([(x - 34, y - 142), (x - 18, y - 150), (x - 2, y - 143)], MOUTH, 4.5)
    canvas.curve(
        [(x + 66, y - 74), (x + 84, y - 14), (x + 50, y - 96), (x + 46, y - 128)], "#99602f", 26
    )
    canvas.disc((x + 40, y - 148), 22, SKINS[0])
    for knuckle in range(3):
        canvas.line(
            [(x + 28 + 8 * knuckle, y - 164), (x + 26 + 8 * knuckle, y - 152)], "#d29a72", 2
        )
    canvas.curve([(x - 60, y - 70), (x - 96, y - 18), (x - 130, y - 20)], "#99602f", 24)
    canvas.disc((x - 140, y - 20), 15, SKINS[0])


def _board(canvas: Canvas) -> None:
    canvas.polygon([(322, 408), (552, 408), (530, 376), (344, 376)], "#5a3b22")
    for row in range(8):
        for file in range(8):
            if (row + file) % 2:
                continue
            upper, lower = row / 8, (row + 1) / 8
            canvas.polygon(
                [
                    _square(file, upper),
                    _square(file + 1, upper),
                    _square(file + 1, lower),
                    _square(file, lower),
                ],
                "#ead3a4",
            )
    _piece(canvas, (398, 390), "#f8efdb", height=30)
    _king(canvas, (430, 384), "#f8efdb")
    _piece(canvas, (478, 394), "#f8efdb", height=30)
    _fallen_king(canvas, (506, 388))


def _square(file: int, share: float) -> Point:
    left, right = 344 - 22 * share, 530 + 22 * share
    return left + (right - left) * file / 8, 376 + 32 * share


def _piece(canvas: Canvas, foot: Point, colour: str, height: float) -> None:
    x, y = foot
    canvas.disc((x, y), 11, "#6b4a2c", squeeze=0.4)
    canvas.polygon(
        [(x - 10, y), (x + 10, y), (x + 4, y - height * 0.7), (x - 4, y - height * 0.7)], colour
    )
    canvas.disc((x, y - height * 0.78), 8, colour)


def _king(canvas: Canvas, foot: Point, colour: str) -> None:
    x, y = foot
    _piece(canvas, foot, colour, height=46)
    canvas.line([(x, y - 40), (x, y - 60)], colour, 4)
    canvas.line([(x - 6, y - 54), (x + 6, y - 54)], colour, 4)


def _fallen_king(canvas: Canvas, at: Point) -> None:
    """A dark king on its side, its cross to the right."""
    x, y = at
    dark = "#2b211b"
    canvas.polygon([(x - 14, y - 11), (x - 14, y + 9), (x + 22, y + 3), (x + 22, y - 5)], dark)
    canvas.disc((x + 24, y - 1), 8, dark)
    tip = at_angle((x + 24, y - 1), 19, 0)
    canvas.line([(x + 24, y - 1), tip], dark, 4)
    canvas.line([(x + 38, y - 8), (x + 38, y + 6)], dark, 4)
