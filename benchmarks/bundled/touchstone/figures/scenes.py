"""Places and moments: some ask to be explained, others to be told on."""

from .canvas import Canvas
from .shapes import (
    AMBER,
    BLUE,
    GREEN,
    INK,
    LINE,
    MUTED,
    PAPER,
    RED,
    SHADE,
    STONE,
    TEAL,
    WHITE,
    WOOD,
    Point,
    at_angle,
    noise,
    spread,
)


def power_strip() -> Canvas:
    """A strip plugged into itself beside an unused wall socket."""
    canvas = Canvas(920, 540, "#ece6da")
    canvas.box((0, 330), 920, 210, "#b98b60")
    canvas.box((0, 330), 920, 10, "#94693f")
    canvas.framed((70, 130), 110, 110, WHITE, LINE, 3, 12)
    canvas.disc((125, 185), 38, SHADE)
    for side in (-14, 14):
        canvas.disc((125 + side, 185), 6, INK)
    _dark_lamp(canvas, (740, 345))
    canvas.bezier([(474, 440), (500, 380), (640, 400), (700, 345)], TEAL, 6)
    canvas.bezier([(550, 440), (560, 366), (470, 350), (440, 372)], WHITE, 5)
    canvas.box((214, 410), 430, 66, "#d9d6cf", 14)
    canvas.box((214, 404), 430, 66, WHITE, 14)
    for place in range(5):
        centre = (262 + 72 * place, 437)
        canvas.disc(centre, 26, SHADE)
        for side in (-9, 9):
            canvas.disc((centre[0] + side, centre[1]), 4, INK)
    canvas.bezier(
        [(641, 440), (800, 440), (880, 560), (560, 530), (300, 530), (262, 520), (262, 437)], INK, 7
    )
    for place, colour in ((0, INK), (3, TEAL), (4, STONE)):
        canvas.disc((262 + 72 * place, 437), 21, colour)
    canvas.framed((590, 418), 40, 38, RED, INK, 2, 6)
    canvas.bold((610, 437), "ON", 15, WHITE)
    canvas.box((360, 350), 82, 44, INK, 8)
    canvas.box((366, 355), 64, 34, "#39434d", 3)
    canvas.bold((398, 372), "4 %", 17, "#f0a08f")
    return canvas


def _dark_lamp(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    canvas.disc((x, y), 62, TEAL, 0.28)
    canvas.stroke([(x, y - 6), (x + 36, y - 120), (x - 36, y - 214)], TEAL, 9)
    canvas.disc((x + 36, y - 120), 9, "#0c4740")
    canvas.disc((x - 74, y - 178), 20, "#8d887e")
    canvas.polygon(
        [(x - 28, y - 236), (x - 6, y - 202), (x - 60, y - 140), (x - 110, y - 206)], TEAL
    )


def cottages() -> Canvas:
    canvas = Canvas(920, 560)
    canvas.gradient(0, 330, "#b9c8d6", "#e6ebee")
    canvas.disc((460, 420), 700, "#f3f6f8", 0.22)
    canvas.box((0, 380), 920, 180, "#f7f9fa")
    _cottage(canvas, (190, 400), warm=True)
    _cottage(canvas, (700, 400), warm=False)
    for step in range(13):
        _footprint(canvas, (218 + 37.5 * step, 446 + (9 if step % 2 else -9)))
    _pine(canvas, (462, 360))
    canvas.line([(879, 404), (879, 312)], WOOD, 6)
    canvas.framed((846, 282), 66, 36, RED, "#8a3324", 2, 5)
    canvas.text((879, 300), "MAIL", 17, WHITE)
    canvas.box((844, 270), 70, 14, WHITE, 7)
    return canvas


def _cottage(canvas: Canvas, foot: Point, warm: bool) -> None:
    x, y = foot
    canvas.box((x + 46, y - 262), 34, 80, "#8e6350")
    if warm:
        for place, radius in enumerate((13, 18, 24, 30)):
            canvas.disc((x + 66 + 16 * place, y - 284 - 30 * place), radius, "#dfe3e6")
    canvas.box((x - 120, y - 150), 240, 150, "#b98d66" if warm else "#9aa39a")
    canvas.polygon([(x - 150, y - 140), (x, y - 250), (x + 150, y - 140)], "#7c4034")
    if warm:
        canvas.polygon(
            [(x + 46, y - 205), (x + 80, y - 205), (x + 80, y - 262), (x + 46, y - 262)], "#8e6350"
        )
    else:
        canvas.polygon(
            [
                (x - 158, y - 138),
                (x - 150, y - 168),
                (x, y - 282),
                (x + 150, y - 168),
                (x + 158, y - 138),
            ],
            WHITE,
        )
        canvas.box((x + 46, y - 262), 34, 40, "#8e6350")
        canvas.box((x + 42, y - 276), 42, 18, WHITE, 8)
    glass = "#fbd879" if warm else "#4a545c"
    for left in (-96, 62):
        canvas.framed((x + left, y - 116), 50, 50, glass, PAPER, 4)
        canvas.line([(x + left + 25, y - 114), (x + left + 25, y - 68)], PAPER, 3)
    canvas.box((x - 28, y - 100), 56, 100, TEAL if warm else "#5a4538", 4)
    canvas.disc((x + 18, y - 48), 4, AMBER)


def _footprint(canvas: Canvas, at: Point) -> None:
    """A shoe pointing right: the heel on the left, the broader sole on the right."""
    canvas.disc((at[0] - 9, at[1]), 5, "#aebdc9", 0.8)
    canvas.disc((at[0] + 5, at[1]), 9, "#aebdc9", 0.62)


def _pine(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    canvas.box((x - 8, y - 20), 16, 40, WOOD)
    for level in range(3):
        half, base = 60 - 14 * level, y - 12 - 46 * level
        canvas.polygon([(x - half, base), (x + half, base), (x, base - 76)], "#3f6b54")
        canvas.polygon(
            [(x - half * 0.4, base - 45), (x + half * 0.4, base - 45), (x, base - 76)], WHITE
        )


def lighthouse() -> Canvas:
    canvas = Canvas(920, 580)
    canvas.gradient(0, 370, "#141f3d", "#3c5277")
    for star in ((80, 60), (230, 140), (300, 50), (420, 110), (520, 44), (610, 96), (860, 70)):
        canvas.disc(star, 3.2, "#f6eecb")
    outer = [at_angle((120, 160), 38, 71.3 + 259.5 * step / 40) for step in range(41)]
    inner = [at_angle((133, 155), 31, 310.6 - 219.1 * step / 40) for step in range(41)]
    canvas.polygon([*outer, *inner], "#f6e7b4")
    canvas.polygon([(700, 150), (0, 250), (0, 350)], "#ffe9a0", 0.42)
    canvas.gradient(370, 580, "#27405f", "#122238")
    for place, (x, y) in enumerate(spread(46, 900, 190)):
        canvas.stroke([(x, 384 + y), (x + 26 + place % 4 * 6, 384 + y)], "#3f5c7d", 2)
    canvas.polygon(
        [
            (560, 440),
            (620, 384),
            (690, 372),
            (780, 366),
            (870, 396),
            (920, 440),
            (920, 470),
            (570, 462),
        ],
        "#2b2d35",
    )
    _tower(canvas, 730)
    _rowing_boat(canvas, (270, 468))
    return canvas


def _tower(canvas: Canvas, x: float) -> None:
    for stripe in range(5):
        top, bottom = 180 + 40 * stripe, 220 + 40 * stripe
        canvas.polygon(
            [
                (x - 28 - stripe * 5, top),
                (x + 28 + stripe * 5, top),
                (x + 33 + stripe * 5, bottom),
                (x - 33 - stripe * 5, bottom),
            ],
            "#e9e2d2" if stripe % 2 == 0 else "#b5402f",
        )
    canvas.box((x - 38, 172), 76, 10, INK, 3)
    canvas.framed((x - 22, 128), 44, 44, "#ffe9a0", INK, 4)
    canvas.polygon([(x - 30, 130), (x, 96), (x + 30, 130)], "#b5402f")
    canvas.box((x - 9, 270), 18, 26, "#ffd764", 4)
    canvas.box((x - 15, 334), 30, 48, "#ffd764", 6)
    canvas.polygon([(x + 15, 334), (x + 33, 342), (x + 33, 386), (x + 15, 382)], WOOD)


def _rowing_boat(canvas: Canvas, at: Point) -> None:
    x, y = at
    canvas.stroke([(x - 10, y - 24), (x - 92, y + 28)], WOOD, 5)
    canvas.box((x - 26, y - 62), 38, 56, "#6d7f74", 14)
    canvas.disc((x - 6, y - 80), 19, "#e8b990")
    canvas.slice((x - 6, y - 84), 20, -95, 95, "#c9a23c")
    canvas.polygon(
        [(x - 100, y - 20), (x + 110, y - 24), (x + 78, y + 22), (x - 70, y + 22)], "#8a4b34"
    )
    canvas.line([(x - 97, y - 18), (x + 108, y - 22)], "#b9795c", 5)
    canvas.line([(x + 92, y - 24), (x + 92, y - 74)], INK, 4)
    canvas.polygon(
        [at_angle((x + 92, y - 64), 32, 10 * step) for step in range(36)], "#ffe9a0", 0.4
    )
    canvas.framed((x + 80, y - 80), 24, 32, "#ffd764", INK, 3, 4)


def platform() -> Canvas:
    canvas = Canvas(920, 560)
    canvas.gradient(0, 400, "#e8d9c0", "#f3ece0")
    canvas.box((0, 400), 920, 70, "#bdb6aa")
    canvas.box((0, 398), 920, 8, "#f2d36b")
    canvas.box((0, 470), 920, 90, "#77716a")
    for rail in (490, 534):
        canvas.line([(0, rail), (920, rail)], "#4c4842", 6)
    canvas.box((730, 210), 190, 236, "#356a6a", 14)
    canvas.box((730, 330), 190, 16, "#f2e3b8")
    for left in (758, 846):
        canvas.framed((left, 240), 64, 66, "#f6dd94", "#234747", 4, 6)
    for wheel in (784, 872):
        canvas.ring((wheel, 462), 24, STONE, INK, 7)
    canvas.box((718, 380), 14, 26, RED, 3)
    canvas.framed((300, 110), 260, 62, "#24497a", WHITE, 4, 6)
    canvas.bold((430, 141), "ELM JUNCTION", 27, WHITE)
    canvas.text((600, 141), "Platform 2", 21, INK, "lm")
    _station_clock(canvas, (160, 150))
    _bench(canvas, (430, 400))
    canvas.stroke([(568, 400), (590, 312)], INK, 7)
    canvas.arc((599, 312), 10, 0, 180, INK, 4)
    _suitcase(canvas, (265, 400))
    return canvas


def _station_clock(canvas: Canvas, centre: Point) -> None:
    canvas.line([(centre[0], 60), (centre[0], 90)], INK, 6)
    canvas.ring(centre, 62, WHITE, INK, 6)
    for mark in range(12):
        canvas.line([at_angle(centre, 44, 30 * mark), at_angle(centre, 52, 30 * mark)], INK, 3)
    canvas.stroke([centre, at_angle(centre, 28, 92.5)], INK, 6)
    canvas.stroke([centre, at_angle(centre, 44, 120)], INK, 4)


def _bench(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    for left in (-104, 92):
        canvas.box((x + left, y - 52), 12, 52, "#4c4842")
    canvas.box((x - 124, y - 62), 248, 14, WOOD, 4)
    for slat in (-120, -96):
        canvas.box((x - 124, y + slat), 248, 14, WOOD, 4)
    for left in (-98, 90):
        canvas.box((x + left, y - 120), 8, 62, "#4c4842")


def _suitcase(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    canvas.framed((x - 18, y - 106), 36, 30, "#eadfca", "#7e2b20", 6, 8)
    canvas.box((x - 56, y - 84), 112, 84, RED, 10)
    for strap in (-34, 24):
        canvas.box((x + strap, y - 84), 10, 84, "#8b3022")
    canvas.line([(x + 8, y - 80), (x + 22, y - 54)], INK, 2)
    canvas.polygon(
        [(x + 2, y - 54), (x + 46, y - 54), (x + 46, y - 28), (x + 2, y - 28)], "#f4d35e"
    )
    canvas.text((x + 24, y - 41), "M. K.", 14)


def attic() -> Canvas:
    canvas = Canvas(920, 580, "#3b3029")
    canvas.polygon([(40, 580), (40, 470), (460, 20), (880, 470), (880, 580)], "#8b6a4e")
    for share in range(7):
        x = 120 + 113 * share
        canvas.line([(x, 580), (x, max(30, 470 - (420 - abs(x - 460)) * 1.07))], "#7c5d43", 3)
    canvas.box((0, 490), 920, 90, "#6b4c34")
    for board in range(9):
        canvas.line([(110 * board, 490), (110 * board - 30, 580)], "#573c28", 3)
    canvas.ring((460, 150), 52, "#cfe4ee", "#573c28", 8)
    canvas.line([(460, 102), (460, 198)], "#573c28", 5)
    canvas.line([(412, 150), (508, 150)], "#573c28", 5)
    canvas.polygon([(424, 172), (496, 172), (640, 560), (330, 560)], "#ffedb8", 0.3)
    _treasure_map(canvas, (250, 290))
    _mirror(canvas, (664, 494))
    _trunk(canvas, (470, 530))
    _toy_train(canvas, (226, 540))
    canvas.slice((850, 490), 20, -90, 90, "#241b15")
    canvas.disc((848, 482), 9, STONE, 0.8)
    canvas.disc((841, 476), 4, "#c9b3ac")
    canvas.disc((843, 481), 1.6, INK)
    return canvas


def _treasure_map(canvas: Canvas, corner: Point) -> None:
    x, y = corner
    canvas.polygon([(x, y + 4), (x + 134, y - 4), (x + 138, y + 92), (x + 4, y + 98)], "#ecd9ac")
    canvas.disc((x + 66, y + 48), 48, "#cdb87e", 0.6)
    for step in range(5):
        canvas.line(
            [(x + 28 + 14 * step, y + 62 - 5 * step), (x + 35 + 14 * step, y + 59 - 5 * step)],
            INK,
            2.5,
        )
    for turn in (45, 135):
        canvas.stroke(
            [at_angle((x + 104, y + 34), 11, turn), at_angle((x + 104, y + 34), -11, turn)],
            RED,
            4.5,
        )
    canvas.disc((x + 68, y + 6), 5, BLUE)


def _mirror(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    canvas.line([(x - 40, y), (x - 30, y - 30)], WOOD, 8)
    canvas.line([(x + 40, y), (x + 30, y - 30)], WOOD, 8)
    canvas.disc((x, y - 110), 56, "#c9a14a", 1.7)
    canvas.disc((x, y - 110), 47, "#b9cbd2", 1.74)
    canvas.line(
        [(x - 30, y - 160), (x - 4, y - 128), (x - 12, y - 110), (x + 22, y - 70)], INK, 2.5
    )


def _trunk(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    canvas.polygon(
        [(x - 104, y - 90), (x - 92, y - 166), (x + 92, y - 166), (x + 104, y - 90)], "#4f3320"
    )
    canvas.polygon(
        [(x - 92, y - 96), (x - 82, y - 156), (x + 82, y - 156), (x + 92, y - 96)], "#33211a"
    )
    canvas.disc((x - 30, y - 92), 48, "#3f6ea5", 0.6)
    canvas.disc((x + 34, y - 92), 42, "#5584b8", 0.5)
    canvas.box((x - 104, y - 92), 208, 92, "#6d4527", 4)
    for band in (-80, 60):
        canvas.box((x + band, y - 92), 20, 92, "#c9a14a")
    canvas.box((x - 16, y - 92), 32, 26, "#c9a14a", 4)


def _toy_train(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    for left, colour in ((-120, GREEN), (-62, AMBER)):
        canvas.box((x + left, y - 40), 50, 28, colour, 4)
    canvas.box((x - 4, y - 40), 68, 28, RED, 4)
    canvas.box((x - 4, y - 64), 28, 30, RED, 4)
    canvas.box((x + 42, y - 58), 12, 20, INK, 2)
    for wheel in (-108, -82, -50, -24, 10, 48):
        canvas.ring((x + wheel, y - 9), 9, AMBER, INK, 3)


def sink() -> Canvas:
    canvas = Canvas(860, 600, "#e9e4d8")
    for row in range(4):
        for column in range(12):
            canvas.box(
                (4 + 72 * column, 4 + 50 * row),
                68,
                46,
                "#dfe8e8" if (row + column) % 2 else "#e8eeee",
                2,
            )
    canvas.box((0, 520), 860, 80, "#c7ab87")
    canvas.box((60, 216), 560, 26, STONE)
    canvas.box((70, 242), 540, 288, "#8fa8a0")
    canvas.box((210, 258), 260, 262, "#4b4640")
    canvas.polygon([(210, 258), (140, 276), (140, 536), (210, 520)], "#a5bbb3")
    canvas.polygon([(470, 258), (540, 276), (540, 536), (470, 520)], "#a5bbb3")
    canvas.stroke([(340, 212), (340, 140), (390, 140), (390, 166)], "#8b9196", 12)
    canvas.stroke([(340, 258), (340, 330), (410, 330), (410, 258)], "#c9cdd0", 18)
    canvas.box((324, 312), 32, 30, RED, 4)
    for drop in (368, 400, 432):
        canvas.disc((340, drop), 6, "#7fb8dc", 1.4)
    _bucket(canvas, (340, 520))
    canvas.disc((330, 560), 170, "#8fc1dd", 0.17)
    canvas.disc((300, 556), 50, "#b9dcec", 0.16)
    canvas.polygon([(486, 420), (540, 430), (540, 490), (486, 478)], "#f6e27c")
    canvas.rows((513, 442), ("Leak!", "Mon."), 15, 1.4)
    _calendar(canvas, (664, 60))
    return canvas


def _bucket(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    canvas.arc((x, y - 66), 48, 0, 180, "#d9d5cb", 3)
    canvas.polygon([(x - 52, y - 66), (x + 52, y - 66), (x + 40, y), (x - 40, y)], "#e2b84f")
    canvas.disc((x, y - 66), 52, "#b98d2b", 0.2)
    canvas.disc((x, y - 63), 45, "#7fb8dc", 0.17)


def _calendar(canvas: Canvas, corner: Point) -> None:
    x, y = corner
    canvas.framed(corner, 130, 142, WHITE, MUTED, 3, 6)
    canvas.box((x + 3, y + 3), 124, 38, RED)
    canvas.bold((x + 65, y + 22), "MAY", 21, WHITE)
    canvas.bold((x + 65, y + 78), "16", 44)
    canvas.text((x + 65, y + 122), "Thursday", 17, MUTED)


def parcel() -> Canvas:
    canvas = Canvas(880, 560, "#e7e0d2")
    canvas.box((0, 340), 880, 220, "#b58a60")
    canvas.box((0, 340), 880, 8, "#8f6a45")
    canvas.polygon([(70, 250), (300, 228), (390, 262), (390, 470), (70, 470)], "#caa070")
    canvas.polygon(
        [(70, 250), (300, 228), (340, 276), (250, 300), (190, 262), (130, 296)], "#b28552"
    )
    canvas.polygon([(340, 380), (390, 366), (390, 470), (312, 470), (334, 430)], "#4d3a28")
    canvas.polygon(
        [(340, 380), (352, 404), (334, 430), (358, 440), (312, 470), (300, 420)], "#e0bf92"
    )
    canvas.framed((90, 322), 206, 128, WHITE, LINE, 2, 4)
    canvas.rows(
        (104, 344),
        ("Order 40817", "1 table lamp, white", "Anna Berg, 7 Hill Road"),
        16.5,
        1.5,
        anchor="lm",
    )
    canvas.bold((193, 430), "FRAGILE", 19, RED)
    canvas.disc((590, 470), 76, "#f6f3ec", 0.26)
    canvas.disc((590, 464), 76, WHITE, 0.26)
    canvas.box((580, 300), 20, 166, WHITE)
    canvas.outlined(
        [(520, 310), (552, 180), (640, 180), (628, 236), (654, 262), (640, 310)],
        "#fbf8f0",
        STONE,
        2,
    )
    canvas.line([(566, 182), (580, 226), (566, 256), (588, 308)], INK, 2.5)
    for shard in (
        [(700, 470), (748, 450), (738, 492)],
        [(766, 500), (812, 486), (796, 524)],
        [(690, 522), (726, 510), (730, 536)],
    ):
        canvas.outlined(shard, "#fbf8f0", STONE, 2)
    return canvas


def empty_plot() -> Canvas:
    canvas = Canvas(940, 580)
    canvas.gradient(0, 400, "#cfe3ee", "#eef4f4")
    canvas.box((0, 400), 940, 110, "#b8b07e")
    _town_house(canvas, (0, 130), 200, "#d9b08c", 3)
    _town_house(canvas, (770, 90), 170, "#b8c2c9", 3)
    canvas.box((200, 380), 570, 34, "#a5b37f")
    for place, (x, y) in enumerate(spread(70, 540, 80)):
        canvas.line([(212 + x, 420 + y), (212 + x + place % 3 - 1, 408 + y)], "#7f9458", 2.5)
    canvas.box((0, 510), 940, 70, "#a9a59c")
    canvas.box((662, 220), 30, 190, "#7b5a3e")
    for blob in ((676, 190), (632, 214), (722, 210), (650, 160), (706, 160)):
        canvas.disc(blob, 50, "#5f8f5c")
    _pump(canvas, (290, 440))
    for post in range(14):
        x = 212 + 40 * post
        if post not in (5, 6):
            canvas.polygon(
                [(x, 512), (x, 462), (x + 13, 450), (x + 26, 462), (x + 26, 512)], "#efe9dd"
            )
    for left, width in ((206, 196), (486, 278)):
        canvas.box((left, 476), width, 9, "#e0d8c8")
    canvas.box((450, 300), 10, 150, WOOD)
    canvas.framed((346, 238), 218, 96, "#fdf8e6", WOOD, 4, 4)
    canvas.rows((455, 264), ("A PLOT FOR", "THE NEIGHBOURHOOD", "12 m x 20 m. Ideas?"), 17, 1.35)
    return canvas


def _town_house(canvas: Canvas, corner: Point, width: float, colour: str, storeys: int) -> None:
    x, y = corner
    canvas.box(corner, width, 380 + 130 - y, colour)
    canvas.box((x, y - 14), width, 18, "#8a5b48")
    for storey in range(storeys):
        for column in range(2):
            left = x + width * (0.16 + 0.4 * column)
            canvas.framed((left, y + 34 + 106 * storey), width * 0.27, 66, "#dfeaf0", WHITE, 5)


def _pump(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    canvas.box((x - 10, y - 96), 20, 96, "#2f5d57", 4)
    canvas.disc((x, y - 98), 14, "#2f5d57")
    canvas.stroke([(x - 4, y - 74), (x - 32, y - 74), (x - 32, y - 60)], "#2f5d57", 8)
    canvas.stroke([(x + 6, y - 98), (x + 46, y - 62)], "#2f5d57", 7)
    canvas.disc((x - 4, y + 2), 28, STONE, 0.25)


def autumn() -> Canvas:
    canvas = Canvas(940, 580)
    canvas.gradient(0, 400, "#cfdfe6", "#f4e7cf")
    canvas.disc((760, 440), 300, "#c7b779", 0.3)
    canvas.box((0, 400), 940, 180, "#b5a35e")
    canvas.disc((770, 460), 150, "#8db4c4", 0.3)
    for duck in (720, 800):
        canvas.disc((duck, 452), 22, "#6d5138", 0.5)
        canvas.disc((duck - 20, 438), 9, "#2f6b4f")
        canvas.polygon([(duck - 28, 436), (duck - 40, 440), (duck - 28, 443)], AMBER)
    _autumn_tree(canvas, 240)
    _kite(canvas, (330, 150))
    _bench(canvas, (500, 470))
    canvas.box((440, 396), 52, 12, TEAL, 2)
    canvas.box((443, 399), 48, 5, PAPER)
    canvas.box((540, 362), 22, 46, "#7d868c", 5)
    canvas.box((542, 350), 18, 14, RED, 3)
    for place, (x, y) in enumerate(spread(60, 520, 130)):
        canvas.disc((30 + x, 440 + y), 6, ("#c75d2c", "#e0a03a", "#a8452a")[place % 3], 0.6)
    return canvas


def _autumn_tree(canvas: Canvas, x: float) -> None:
    canvas.polygon([(x - 26, 470), (x - 16, 260), (x + 16, 260), (x + 26, 470)], "#6b4a33")
    canvas.stroke([(x + 8, 290), (x + 100, 190)], "#6b4a33", 11)
    canvas.stroke([(x - 8, 290), (x - 90, 190)], "#6b4a33", 11)
    for place, (dx, dy) in enumerate(spread(150, 330, 210)):
        if ((dx - 165) / 165) ** 2 + ((dy - 105) / 105) ** 2 < 1:
            colour = ("#d0702c", "#e2a23c", "#b9502a", "#d98a34")[int(3.999 * noise(place, 5))]
            canvas.disc((x - 165 + dx, 70 + dy), 25, colour)


def _kite(canvas: Canvas, at: Point) -> None:
    x, y = at
    canvas.outlined([(x, y - 58), (x + 38, y), (x, y + 58), (x - 38, y)], "#c9252d", WHITE, 3)
    canvas.line([(x, y - 58), (x, y + 58)], WHITE, 2.5)
    canvas.line([(x - 38, y), (x + 38, y)], WHITE, 2.5)
    canvas.bezier([(x, y + 58), (x + 40, y + 100), (x - 10, y + 140), (x + 30, y + 190)], WHITE, 3)
    for share in ((x + 15, y + 92), (x + 14, y + 130), (x + 16, y + 166)):
        canvas.polygon([(share[0] - 13, share[1] - 7), share, (share[0] - 13, share[1] + 7)], BLUE)
        canvas.polygon([(share[0] + 13, share[1] - 7), share, (share[0] + 13, share[1] + 7)], BLUE)
