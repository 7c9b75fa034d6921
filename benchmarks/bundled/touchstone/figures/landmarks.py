"""Buildings that are known by their outlines."""

from itertools import pairwise

from .canvas import Canvas
from .shapes import Point, between, scattered

IRON = "#4a3a33"
STONE = "#6d6a72"


def eiffel_tower() -> Canvas:
    canvas = Canvas(700, 820)
    canvas.gradient(0, 700, "#2d3a6b", "#f4b083")
    for x, y in ((120, 430), (560, 380), (240, 300)):
        for shift, radius in ((-60, 26), (0, 36), (64, 24)):
            canvas.disc((x + shift, y), radius, "#c98d87", squeeze=0.28)
    _roofs(canvas)
    _tower(canvas)
    canvas.gradient(690, 820, "#3d5a4a", "#23382f")
    for number in range(10):
        x = 20 + 74 * number
        if not 230 < x < 470:
            canvas.disc((x, 680), 34, "#274236")
            canvas.disc((x + 20, 692), 28, "#2f4d40")
    canvas.polygon([(300, 820), (336, 690), (364, 690), (400, 820)], "#c9b694")
    for x in (262, 438):
        canvas.line([(x, 800), (x, 740)], "#1d1d22", 4)
        canvas.soft((x, 734), 30, "#ffe3a0", opacity=0.6)
        canvas.disc((x, 734), 9, "#fff0c0")
    return canvas


def giza() -> Canvas:
    canvas = Canvas(880, 540)
    canvas.gradient(0, 380, "#8fc1dc", "#f3e2bd")
    canvas.disc((64, 70), 34, "#fff3c4")
    _pyramid(canvas, (186, 116), 250, 384)
    _pyramid(canvas, (456, 82), 236, 384)
    canvas.polygon(
        [
            (456, 82),
            (420, 126),
            (432, 122),
            (444, 132),
            (458, 124),
            (472, 134),
            (482, 122),
            (491, 126),
        ],
        "#f2e3bf",
    )
    canvas.polygon([(456, 82), (469, 133), (482, 122), (491, 126)], "#cdb78c")
    _pyramid(canvas, (706, 240), 128, 384)
    canvas.gradient(378, 540, "#e2bf84", "#c79c5f")
    for x, y, width in (
        (0, 420, 260),
        (300, 452, 320),
        (560, 414, 320),
        (80, 498, 300),
        (520, 510, 300),
    ):
        canvas.curve([(x, y), (x + width / 2, y - 9), (x + width, y)], "#b98d52", 3)
    for x in (566, 690):
        _camel(canvas, (x, 492))
    return canvas


def stonehenge() -> Canvas:
    canvas = Canvas(880, 540)
    canvas.gradient(0, 350, "#4d5a8c", "#f6b37c")
    canvas.soft((421, 344), 210, "#ffe0a0", opacity=0.8)
    canvas.disc((421, 346), 34, "#fff2c8")
    canvas.gradient(346, 540, "#7d8a4f", "#49552f")
    for at in scattered(90, 0, 356, 880, 540):
        canvas.line([at, (at[0] + 3, at[1] - 9)], "#6c7a45", 2)
    for left in (70, 190, 330, 466, 620, 740):
        _upright(canvas, left, 356, 46, 150)
    for left in (60, 320, 610):
        _lintel(canvas, (left, 200), 190 if left == 320 else 182, 34)
    canvas.blob([(250, 482), (262, 448), (300, 440), (372, 446), (392, 470), (378, 486)], "#56535c")
    canvas.blob([(262, 462), (300, 446), (368, 452), (380, 466)], "#77737d")
    for x, scale in ((548, 1.0), (580, 0.8)):
        _walker(canvas, (x, 470), scale)
    return canvas


def _roofs(canvas: Canvas) -> None:
    for number in range(14):
        width, height = 56, 46 + (number * 29) % 40
        canvas.box(
            (number * 52 - 10, 690 - height),
            width,
            height + 40,
            "#5b4a66" if number % 2 else "#665373",
        )
        for row in range(2):
            canvas.box((number * 52 + 6, 700 - height + 18 * row), 7, 9, "#f4c97c")
            canvas.box((number * 52 + 26, 700 - height + 18 * row), 7, 9, "#f4c97c")


def _tower(canvas: Canvas) -> None:
    """Four legs that bend inwards, two platforms, a spire."""
    half = {100: 5, 170: 8, 300: 17, 420: 32, 440: 34, 560: 66, 580: 72, 640: 104, 700: 146}
    levels = list(half.items())
    for side in (-1, 1):
        outer = [(350 + side * width, y) for y, width in levels]
        inner = [(350 + side * width * 0.52, y) for y, width in levels if y >= 420]
        canvas.polygon([(350, 100), *outer, *reversed(inner), (350, 420)], IRON)
    canvas.polygon([(345, 100), (355, 100), (384, 430), (316, 430)], IRON)
    for y in range(130, 420, 24):
        width = 4 + (y - 100) * 0.085
        canvas.line([(350 - width, y), (350 + width, y + 20)], "#8d7363", 2)
        canvas.line([(350 + width, y), (350 - width, y + 20)], "#8d7363", 2)
    for upper, lower in pairwise(levels[3:]):
        _leg_lattice(canvas, upper, lower)
    canvas.arc((350, 668), 84, 8, 172, IRON, 9)
    canvas.box((262, 562), 176, 22, "#3b2d28", radius=3)
    canvas.box((306, 420), 88, 18, "#3b2d28", radius=3)
    canvas.box((334, 150), 32, 12, "#3b2d28", radius=3)
    canvas.box((340, 112), 20, 38, IRON, radius=6)
    canvas.line([(350, 112), (350, 56)], IRON, 4)
    for y, width in ((573, 80), (429, 38)):
        for number in range(9):
            canvas.disc((350 - width + number * width / 4, y), 2.6, "#ffd98a")


def _leg_lattice(canvas: Canvas, upper: tuple[int, int], lower: tuple[int, int]) -> None:
    for side in (-1, 1):
        corners = [
            (350 + side * width * share, y) for y, width in (upper, lower) for share in (0.56, 0.96)
        ]
        canvas.line([corners[0], corners[3]], "#8d7363", 2.4)
        canvas.line([corners[1], corners[2]], "#8d7363", 2.4)


def _pyramid(canvas: Canvas, top: Point, height: float, foot: float) -> None:
    x = top[0]
    base = foot + 4
    half = height * 0.84
    canvas.polygon([top, (x - half, base), (x + half * 0.34, base)], "#d9b373")
    canvas.polygon([top, (x + half * 0.34, base), (x + half, base)], "#a9804a")
    rows = 11
    for row in range(2, rows):
        share = row / rows
        left, edge, right = (between(top, (x + half * at, base), share) for at in (-1, 0.34, 1))
        canvas.line([left, edge], "#c79f60", 1.6)
        canvas.line([edge, right], "#966f3e", 1.6)


def _camel(canvas: Canvas, foot: Point) -> None:
    """A dark outline with one hump and a rider, walking to the left."""
    x, y = foot
    dark = "#4b3526"
    canvas.soft((x, y + 4), 60, "#8a6432", squeeze=0.14, opacity=0.6)
    for shift, lean in ((-30, -6), (-20, 5), (20, -5), (30, 6)):
        canvas.line([(x + shift, y - 44), (x + shift + lean, y)], dark, 6)
    canvas.blob([(x - 40, y - 46), (x - 34, y - 66), (x - 10, y - 70), (x + 2, y - 90),
                 (x + 16, y - 70), (x + 38, y - 64), (x + 42, y - 44),
                 (x, y - 38)], dark)  # fmt: skip
    canvas.curve([(x - 34, y - 56), (x - 56, y - 58), (x - 62, y - 96)], dark, 11)
    canvas.blob(
        [
            (x - 56, y - 104),
            (x - 66, y - 106),
            (x - 82, y - 96),
            (x - 80, y - 90),
            (x - 60, y - 92),
        ],
        dark,
    )
    canvas.curve([(x + 40, y - 56), (x + 50, y - 48), (x + 48, y - 34)], dark, 3.5)
    canvas.blob([(x - 12, y - 70), (x - 8, y - 116), (x + 8, y - 116), (x + 14, y - 70)], "#f1ead9")
    canvas.disc((x, y - 124), 9, "#6b4630")
    canvas.blob([(x - 10, y - 126), (x, y - 136), (x + 10, y - 126)], "#b5402f")


def _upright(canvas: Canvas, left: float, foot: float, width: float, height: float) -> None:
    """A rough standing stone; light falls on it from the middle of the picture."""
    top = foot - height + 24
    base = foot + 24
    canvas.blob([(left - 4, base), (left + 2, top + 60), (left + 4, top), (left + width - 4, top),
                 (left + width, top + 70), (left + width + 5, base)], STONE)  # fmt: skip
    bright = left + width - 12 if left < 440 else left + 8
    canvas.curve([(bright, base - 4), (bright + 2, top + 60), (bright, top + 10)], "#a59a94", 7)
    for row in range(3):
        canvas.curve(
            [
                (left + 14, top + 30 + 36 * row),
                (left + 22, top + 36 + 36 * row),
                (left + 30, top + 32 + 36 * row),
            ],
            "#57545c",
            2.5,
        )
    canvas.soft((left + width / 2, base + 2), width, "#2f3820", squeeze=0.2, opacity=0.5)


def _lintel(canvas: Canvas, corner: Point, width: float, height: float) -> None:
    x, y = corner
    canvas.polygon(
        [(x + 3, y + height), (x - 2, y + 8), (x + 6, y), (x + width * 0.4, y + 3),
         (x + width - 6, y), (x + width, y + 9), (x + width - 4, y + height),
         (x + width * 0.6, y + height + 3)], "#5f5c65")  # fmt: skip
    canvas.curve([(x + 10, y + 4), (x + width * 0.4, y + 6), (x + width - 12, y + 4)], "#8b858a", 4)


def _walker(canvas: Canvas, foot: Point, scale: float) -> None:
    x, y = foot
    canvas.line([(x - 3, y), (x - 1, y - 22 * scale)], "#23222a", 5 * scale)
    canvas.line([(x + 5, y), (x + 2, y - 22 * scale)], "#23222a", 5 * scale)
    canvas.box((x - 7 * scale, y - 48 * scale), 15 * scale, 30 * scale, "#23222a", radius=5)
    canvas.disc((x, y - 53 * scale), 7 * scale, "#23222a")
