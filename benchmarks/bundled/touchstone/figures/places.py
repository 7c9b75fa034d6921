"""Places with much to see at once: a market stall in the morning and a harbour in the evening."""

from collections.abc import Sequence

from .canvas import Canvas
from .shapes import INK, WHITE, Point, at_angle

SKIN = "#e9b999"
WOOD = "#a8764a"
DARK_WOOD = "#7d5533"
RED = "#c8493a"
CREAM = "#fbf1dc"


def market() -> Canvas:
    canvas = Canvas(860, 580, "#e8dfce")
    _house_front(canvas)
    _vendor(canvas, (330, 300))
    _awning(canvas)
    _counter(canvas)
    _boy(canvas, (752, 520))
    _sleeping_cat(canvas, (104, 520))
    _apple(canvas, (560, 542), "#b93a32")
    return canvas


def harbour() -> Canvas:
    canvas = Canvas(880, 580)
    canvas.gradient(0, 330, "#53618f", "#f6b679")
    canvas.soft((640, 318), 150, "#ffe2a0", opacity=0.7)
    canvas.disc((640, 330), 46, "#fdeab4")
    canvas.gradient(330, 580, "#c98a72", "#2f4a6b")
    for number in range(9):
        half = 52 - 4 * number + 10 * (number % 3)
        canvas.box((640 - half, 338 + 13 * number), 2 * half, 3.4, "#fbdca2", radius=1.5)
    _ripples(canvas)
    _lighthouse(canvas)
    _sailing_boat(canvas, (520, 372))
    _fishing_boat(canvas, (350, 440))
    _pier(canvas)
    _rowing_boat(canvas, (500, 528))
    _angler(canvas, (744, 418))
    for at, size in (((250, 120), 20), ((330, 84), 15), ((430, 148), 17), ((556, 96), 13)):
        _gull(canvas, at, size)
    return canvas


def _house_front(canvas: Canvas) -> None:
    canvas.gradient(0, 470, "#efe2c8", "#e2cfae")
    for row in range(12):
        for brick in range(16):
            if (row * 7 + brick * 5) % 11 == 0:
                canvas.box((brick * 58 + 22 * (row % 2), row * 38 + 8), 40, 15, "#d9c39e", radius=2)
    canvas.gradient(470, 580, "#b9ac98", "#a2957f")
    for x in range(-200, 1000, 90):
        canvas.line([(x + 80, 470), (x - 40, 580)], "#978b77", 1.6)
    canvas.line([(0, 518), (860, 518)], "#978b77", 1.6)


def _awning(canvas: Canvas) -> None:
    canvas.box((176, 110), 14, 400, DARK_WOOD)
    canvas.box((640, 110), 14, 400, DARK_WOOD)
    canvas.box((250, 16), 330, 54, "#2f6b52", radius=8)
    canvas.text((415, 43), "ROSA'S FRUIT", 34, CREAM, weight=0.6)
    for stripe in range(10):
        colour = RED if stripe % 2 == 0 else CREAM
        upper, lower = 186 + 45.6 * stripe, 150 + 53 * stripe
        canvas.polygon([(upper, 82), (upper + 45.6, 82), (lower + 53, 168), (lower, 168)], colour)
        canvas.disc((lower + 26.5, 168), 26.5, colour, squeeze=0.62)
    canvas.soft((415, 196), 290, "#6d5638", squeeze=0.07, opacity=0.25)


def _counter(canvas: Canvas) -> None:
    canvas.soft((415, 514), 300, "#3c3226", squeeze=0.08, opacity=0.45)
    canvas.box((150, 380), 530, 130, WOOD, radius=4)
    for plank in range(3):
        canvas.line([(150, 412 + 33 * plank), (680, 412 + 33 * plank)], DARK_WOOD, 2)
    canvas.box((142, 366), 546, 18, "#bd8a5b", radius=4)
    crates: Sequence[tuple[str, str, int, int]] = (
        ("APPLES", "2.40 / kg", 3, 4),
        ("LEMONS", "3.20 / kg", 2, 3),
        ("PEARS", "3.60 / kg", 3, 3),
        ("ORANGES", "1.90 / kg", 3, 4),
    )
    for place, (name, price, back, front) in enumerate(crates):
        _crate(canvas, (158 + 131 * place, 366), name, price, (back, front))


def _crate(canvas: Canvas, foot: Point, name: str, price: str, rows: tuple[int, int]) -> None:
    x, y = foot
    canvas.box((x, y - 58), 122, 20, DARK_WOOD, radius=2)
    for count, level in zip(rows, (y - 62, y - 44), strict=True):
        for number in range(count):
            spot = (x + 61 + (number - (count - 1) / 2) * 28, level)
            FRUIT[name](canvas, spot)
    canvas.box((x, y - 34), 122, 34, "#c79a68", radius=2)
    canvas.line([(x + 2, y - 17), (x + 120, y - 17)], WOOD, 2)
    canvas.box((x + 11, y + 22), 100, 48, CREAM, radius=4)
    canvas.text((x + 61, y + 37), name, 17, INK, weight=0.3)
    canvas.text((x + 61, y + 57), price, 16, "#9c2f25")


def _apple(canvas: Canvas, at: Point, colour: str = "#c23f35") -> None:
    x, y = at
    canvas.disc((x - 4, y), 12, colour, squeeze=1.05)
    canvas.disc((x + 4, y), 12, colour, squeeze=1.05)
    canvas.line([(x, y - 10), (x + 2, y - 18)], DARK_WOOD, 2.4)
    canvas.disc((x - 7, y - 5), 3, "#e9a49a")


def _lemon(canvas: Canvas, at: Point) -> None:
    x, y = at
    canvas.blob(
        [(x - 18, y), (x - 10, y - 9), (x, y - 11), (x + 10, y - 9), (x + 18, y), (x, y + 11)],
        "#f0cf45",
    )
    canvas.disc((x - 5, y - 4), 3, "#fbedb0")


def _pear(canvas: Canvas, at: Point) -> None:
    x, y = at
    canvas.blob([(x - 4, y - 18), (x + 4, y - 18), (x + 7, y - 8), (x + 13, y + 4), (x, y + 13),
                 (x - 13, y + 4), (x - 7, y - 8)], "#8faf4a")  # fmt: skip
    canvas.line([(x, y - 17), (x + 3, y - 24)], DARK_WOOD, 2.4)
    canvas.disc((x - 5, y - 1), 3, "#cfe09a")


def _orange(canvas: Canvas, at: Point) -> None:
    x, y = at
    canvas.disc(at, 14, "#ea8f2e")
    canvas.disc((x + 1, y - 9), 2, "#5d7a33")
    canvas.disc((x - 5, y - 4), 3, "#f8c78d")


FRUIT = {"APPLES": _apple, "LEMONS": _lemon, "PEARS": _pear, "ORANGES": _orange}


def _vendor(canvas: Canvas, at: Point) -> None:
    """A woman behind the counter; `at` is the middle of her shoulders' foot line."""
    x, y = at
    canvas.blob([(x - 52, y + 70), (x - 50, y), (x - 22, y - 22), (x + 22, y - 22), (x + 50, y),
                (x + 52, y + 70)], "#e6dccb")  # fmt: skip
    canvas.blob([(x - 28, y + 80), (x - 26, y + 6), (x + 26, y + 6), (x + 28, y + 80)], "#34618c")
    canvas.line([(x - 22, y + 8), (x - 14, y - 24)], "#34618c", 7)
    canvas.line([(x + 22, y + 8), (x + 14, y - 24)], "#34618c", 7)
    canvas.box((x - 10, y - 42), 20, 26, "#dba886", radius=8)
    canvas.disc((x, y - 92), 17, "#b9b5af")
    canvas.disc((x, y - 62), 31, "#b9b5af")
    canvas.disc((x, y - 56), 27, SKIN)
    canvas.blob(
        [(x - 28, y - 60), (x - 14, y - 86), (x + 14, y - 86), (x + 28, y - 60), (x, y - 74)],
        "#b9b5af",
    )
    for side in (-1, 1):
        canvas.disc((x + side * 10, y - 57), 3, INK)
        canvas.disc((x + side * 16, y - 47), 5, "#e39c86")
    canvas.curve([(x - 10, y - 43), (x, y - 38), (x + 10, y - 43)], "#9c4438", 2.6)
    canvas.curve([(x + 46, y + 10), (x + 84, y + 4), (x + 100, y - 28)], "#e6dccb", 20)
    canvas.polygon(
        [(x + 82, y - 84), (x + 128, y - 84), (x + 122, y - 30), (x + 88, y - 30)], "#c8a26e"
    )
    canvas.polygon(
        [(x + 82, y - 84), (x + 128, y - 84), (x + 127, y - 74), (x + 83, y - 74)], "#b08a58"
    )
    canvas.disc((x + 104, y - 30), 11, SKIN)


def _boy(canvas: Canvas, foot: Point) -> None:
    """A boy seen from the side, looking left; `foot` is where he stands."""
    x, y = foot
    canvas.soft((x, y + 6), 60, "#3c3226", squeeze=0.2, opacity=0.4)
    for shift in (-12, 12):
        canvas.box((x + shift - 9, y - 92), 19, 84, "#3d5478")
        canvas.blob([(x + shift - 20, y + 4), (x + shift - 10, y - 12), (x + shift + 10, y - 12),
                     (x + shift + 11, y + 4)], "#5a3f2c")  # fmt: skip
    canvas.blob(
        [(x + 22, y - 190), (x + 54, y - 184), (x + 58, y - 118), (x + 24, y - 108)], "#3f8f5c"
    )
    canvas.blob([(x - 26, y - 196), (x + 24, y - 196), (x + 34, y - 120), (x + 30, y - 76),
                 (x - 32, y - 76), (x - 32, y - 130)], "#efc12f")  # fmt: skip
    canvas.curve([(x - 4, y - 178), (x - 34, y - 150), (x - 66, y - 156)], "#dcab1c", 19)
    canvas.disc((x - 72, y - 158), 9, SKIN)
    canvas.disc((x - 84, y - 162), 8, "#d9b44a")
    canvas.text((x - 84, y - 162), "1", 11, "#7a5a14")
    canvas.box((x - 12, y - 212), 20, 22, "#dba886", radius=6)
    canvas.disc((x - 4, y - 234), 31, SKIN)
    canvas.disc((x - 36, y - 230), 5, SKIN)
    canvas.blob([(x - 30, y - 246), (x - 16, y - 268), (x + 14, y - 266), (x + 30, y - 240),
                 (x + 24, y - 212), (x + 10, y - 236), (x - 10, y - 250)], "#4a2f1f")  # fmt: skip
    canvas.disc((x - 22, y - 236), 3.2, INK)
    canvas.curve([(x - 28, y - 218), (x - 22, y - 215), (x - 16, y - 217)], "#9c4438", 2.6)
    canvas.disc((x + 4, y - 230), 6, "#dba886")


def _sleeping_cat(canvas: Canvas, at: Point) -> None:
    x, y = at
    canvas.soft((x, y + 22), 72, "#3c3226", squeeze=0.2, opacity=0.45)
    black = "#2b2a2d"
    canvas.blob(
        [(x - 52, y + 20), (x - 50, y - 14), (x, y - 34), (x + 48, y - 12), (x + 52, y + 22)], black
    )
    canvas.disc((x - 36, y - 2), 24, black)
    canvas.polygon([(x - 56, y - 12), (x - 54, y - 38), (x - 38, y - 22)], black)
    canvas.polygon([(x - 34, y - 22), (x - 18, y - 38), (x - 16, y - 10)], black)
    canvas.curve([(x - 48, y - 2), (x - 44, y + 1), (x - 40, y - 2)], "#cfc9bd", 2)
    canvas.curve([(x - 32, y - 2), (x - 28, y + 1), (x - 24, y - 2)], "#cfc9bd", 2)
    canvas.disc((x - 36, y + 7), 2.6, "#d59a98")
    canvas.curve([(x + 48, y + 14), (x + 20, y + 24), (x - 18, y + 23)], "#3d3c40", 11)
    canvas.text((x + 40, y - 48), "z", 18, "#6f6657")
    canvas.text((x + 54, y - 66), "z", 24, "#6f6657")


def _ripples(canvas: Canvas) -> None:
    for row in range(10):
        for wave in range(8):
            left = wave * 120 + (row * 47) % 90 - 20
            y = 352 + row * 23
            canvas.curve(
                [(left, y), (left + 16, y - 3), (left + 32, y)],
                "#e7b59a" if row < 4 else "#5d7796",
                1.6,
            )


def _lighthouse(canvas: Canvas) -> None:
    canvas.polygon([(100, 116), (880, -20), (880, 176)], "#ffe9b5", opacity=0.18)
    canvas.blob(
        [(-40, 420), (20, 330), (90, 306), (160, 322), (214, 372), (236, 420), (90, 440)], "#4b4450"
    )
    canvas.blob([(-40, 430), (10, 372), (70, 350), (120, 390), (100, 432)], "#5d5563")
    bands = 5
    for band in range(bands):
        upper, lower = 26 + 3.4 * band, 26 + 3.4 * (band + 1)
        top = 140 + 36 * band
        colour = "#f5efe4" if band % 2 == 0 else RED
        canvas.polygon(
            [
                (100 - upper, top),
                (100 + upper, top),
                (100 + lower, top + 36),
                (100 - lower, top + 36),
            ],
            colour,
        )
    canvas.box((66, 132), 68, 9, "#33323a", radius=2)
    canvas.box((82, 100), 36, 32, "#ffe58f")
    for x in (82, 99, 116):
        canvas.box((x, 100), 2.5, 32, "#33323a")
    canvas.polygon([(76, 101), (100, 76), (124, 101)], RED)
    canvas.disc((100, 74), 4, "#33323a")
    canvas.soft((100, 116), 54, "#fff3c4", opacity=0.5)
    canvas.box((90, 284), 20, 36, "#4d3b2c", radius=8)


def _sailing_boat(canvas: Canvas, at: Point) -> None:
    x, y = at
    canvas.line([(x, y), (x, y - 122)], DARK_WOOD, 3.4)
    canvas.polygon([(x + 5, y - 118), (x + 5, y - 16), (x + 62, y - 16)], WHITE)
    canvas.polygon([(x - 5, y - 108), (x - 5, y - 16), (x - 42, y - 16)], "#f1e7d8")
    canvas.blob([(x - 50, y - 10), (x + 66, y - 10), (x + 50, y + 12), (x - 36, y + 12)], "#2d5d8c")
    canvas.line([(x - 48, y - 7), (x + 64, y - 7)], WHITE, 3)


def _fishing_boat(canvas: Canvas, at: Point) -> None:
    x, y = at
    canvas.soft((x, y + 30), 110, "#2a3348", squeeze=0.16, opacity=0.5)
    canvas.line([(x + 46, y - 30), (x + 46, y - 118)], INK, 4)
    canvas.line([(x + 46, y - 112), (x + 96, y - 40)], INK, 2)
    canvas.box((x - 50, y - 76), 64, 54, "#f3ead9", radius=4)
    canvas.box((x - 58, y - 84), 80, 10, "#3a3f4c", radius=3)
    for left in (x - 42, x - 12):
        canvas.box((left, y - 66), 20, 18, "#ffd77e", radius=2)
    canvas.polygon(
        [(x - 96, y - 26), (x + 108, y - 36), (x + 78, y + 28), (x - 78, y + 28)], "#b23a34"
    )
    canvas.polygon(
        [(x - 84, y + 14), (x + 85, y + 14), (x + 78, y + 28), (x - 78, y + 28)], "#6d2422"
    )
    canvas.text((x, y - 4), "MIRA 12", 26, WHITE, weight=0.5)


def _pier(canvas: Canvas) -> None:
    for x in (632, 704, 776, 848):
        canvas.box((x, 410), 15, 140, "#4f3a2b")
    canvas.box((610, 414), 280, 20, "#8a6443")
    for x in range(632, 880, 24):
        canvas.line([(x, 414), (x, 434)], "#6b4a30", 2)


def _rowing_boat(canvas: Canvas, at: Point) -> None:
    x, y = at
    canvas.curve([(x + 78, y - 12), (x + 108, y + 4), (x + 136, y - 38)], "#d9c9a3", 2.6)
    canvas.polygon(
        [(x - 92, y - 22), (x + 92, y - 22), (x + 64, y + 22), (x - 64, y + 22)], "#3f8a5f"
    )
    canvas.polygon(
        [(x - 84, y - 18), (x + 84, y - 18), (x + 78, y - 9), (x - 78, y - 9)], "#2c5f42"
    )
    for seat in (-40, 14):
        canvas.box((x + seat, y - 18), 26, 7, "#b58a5a", radius=2)
    canvas.line([(x - 118, y + 10), (x - 10, y - 30)], "#caa173", 5)
    canvas.blob(
        [(x - 134, y + 20), (x - 116, y + 4), (x - 106, y + 8), (x - 122, y + 22)], "#caa173"
    )


def _angler(canvas: Canvas, foot: Point) -> None:
    """A person sitting on the edge of the pier, facing left, with a rod and a bucket."""
    x, y = foot
    canvas.curve([(x, y - 6), (x - 30, y - 8), (x - 32, y + 34)], "#33405c", 17)
    canvas.blob([(x - 44, y + 40), (x - 40, y + 28), (x - 24, y + 30), (x - 24, y + 42)], "#2a211b")
    canvas.blob([(x - 18, y), (x - 14, y - 54), (x + 14, y - 54), (x + 22, y)], "#d98a2f")
    canvas.curve([(x - 4, y - 42), (x - 26, y - 24), (x - 44, y - 34)], "#bf7422", 12)
    canvas.disc((x - 46, y - 36), 7, SKIN)
    canvas.disc((x - 2, y - 70), 18, SKIN)
    canvas.blob([(x - 20, y - 74), (x - 12, y - 92), (x + 12, y - 92), (x + 18, y - 72)], "#2f4a6b")
    canvas.line([(x - 18, y - 73), (x - 34, y - 70)], "#2f4a6b", 5)
    canvas.disc((x - 12, y - 66), 2, INK)
    canvas.line([(x - 34, y - 32), (x - 130, y - 100)], "#3a2b20", 3)
    canvas.line([(x - 130, y - 100), (x - 132, y + 62)], "#e8e2d4", 1)
    canvas.disc((x - 132, y + 64), 4, RED)
    canvas.polygon(
        [(x + 42, y - 28), (x + 76, y - 28), (x + 70, y - 2), (x + 48, y - 2)], "#7d8894"
    )
    canvas.arc((x + 59, y - 28), 16, 0, 180, "#4f5863", 2)


def _gull(canvas: Canvas, at: Point, size: float) -> None:
    for side in (-1, 1):
        tip = at_angle(at, size * 1.3, 90 - side * 62)
        bend = at_angle(at, size * 0.8, 90 - side * 40)
        canvas.curve([at, bend, tip], "#f4efe6", 2.6)
