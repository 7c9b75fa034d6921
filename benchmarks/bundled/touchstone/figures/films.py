"""Drawn scenes after three stories that anyone may retell: two silent films and a novel of 1900."""

from collections.abc import Sequence
from itertools import pairwise

from .canvas import Canvas
from .shapes import INK, WHITE, Point, at_angle, between, moved, scattered

SILVER = "#c9d2d8"

# Bald crown, heavy brow, hooked nose and small chin, looking right.
HEAD_IN_PROFILE = [(206, 200), (204, 150), (222, 108), (256, 92), (286, 104), (298, 128),
                   (304, 142), (326, 168), (322, 178), (304, 174), (304, 186), (296, 194),
                   (300, 208), (284, 220), (262, 214), (246, 230)]  # fmt: skip


def moon_shot() -> Canvas:
    """After A Trip to the Moon (1902)."""
    canvas = Canvas(720, 600, "#17191d")
    canvas.gradient(0, 600, "#24272d", "#101216")
    for number, at in enumerate(scattered(70, 0, 0, 720, 600)):
        canvas.disc(at, 1 + number % 3 * 0.5, "#c9c5b8")
    centre = (360, 310)
    canvas.soft(centre, 330, "#d8d2c0", opacity=0.35)
    for number in range(26):
        canvas.disc(at_angle(centre, 218, 360 * number / 26), 34, "#8f8b80")
    canvas.disc(centre, 222, "#cfc9b8")
    canvas.soft((310, 250), 150, "#f1ecdd", opacity=0.7)
    for x, y, radius in (
        (230, 190, 20),
        (500, 420, 24),
        (256, 452, 17),
        (420, 148, 15),
        (520, 250, 12),
        (190, 330, 14),
    ):
        canvas.disc((x, y), radius, "#b3ad9c")
        canvas.disc((x + 2, y + 2), radius * 0.75, "#bdb7a6")
    _moon_face(canvas)
    _shell(canvas)
    return canvas


def shadow_on_stairs() -> Canvas:
    """After Nosferatu (1922)."""
    canvas = Canvas(720, 600)
    canvas.gradient(0, 600, "#d3d2c4", "#a6a597")
    canvas.soft((330, 200), 340, "#f0efe2", opacity=0.7)
    _vampire_shadow(canvas)
    for step in range(9):
        left, top = 640 - 80 * step, 300 + 32 * step
        canvas.box((left, top), 720 - left, 310, "#6f6e66" if step % 2 else "#77766d")
        canvas.line([(left, top), (left + 80, top)], "#a5a497", 4)
    for step in range(9):
        foot = (680 - 80 * step, 300 + 32 * step)
        canvas.box((foot[0] - 5, foot[1] - 70), 10, 70, "#2c2c2b")
        canvas.disc((foot[0], foot[1] - 34), 8, "#2c2c2b")
    canvas.line([(730, 208), (-10, 504)], "#242423", 14)
    return canvas


def brick_road() -> Canvas:
    """After The Wonderful Wizard of Oz (novel, 1900): silver shoes, not the ruby ones of the
    film."""
    canvas = Canvas(820, 600)
    canvas.gradient(0, 300, "#7fb6d9", "#dcecdf")
    for x, y in ((140, 80), (640, 60), (320, 46)):
        for shift, radius in ((-34, 20), (0, 30), (36, 22)):
            canvas.disc((x + shift, y), radius, "#f4f8f4", squeeze=0.7)
    _emerald_city(canvas)
    canvas.blob(
        [(-80, 620), (-60, 300), (160, 262), (410, 284), (660, 258), (890, 300), (900, 620)],
        "#86b06a",
    )
    _road(canvas)
    for at in scattered(84, 0, 330, 820, 600):
        if not 190 + (at[1] - 330) * -0.35 < at[0] < 620 + (at[1] - 330) * 0.35:
            _poppy(canvas, at)
    _lion(canvas, (606, 540))
    _girl(canvas, (394, 548))
    _scarecrow(canvas, (276, 536))
    _tin_woodman(canvas, (490, 536))
    _little_dog(canvas, (306, 576))
    return canvas


def _moon_face(canvas: Canvas) -> None:
    dark, shade = "#5b564b", "#a09a89"
    canvas.curve([(214, 232), (252, 206), (300, 220)], shade, 14)
    canvas.curve([(400, 214), (450, 198), (494, 226)], shade, 14)
    canvas.disc((264, 262), 34, "#efeadb", squeeze=0.62)
    canvas.disc((270, 262), 15, dark)
    canvas.curve([(226, 262), (262, 238), (302, 264)], dark, 5)
    canvas.blob([(340, 250), (380, 250), (398, 352), (360, 374), (322, 352)], "#dcd6c5")
    canvas.curve([(326, 348), (342, 366), (360, 360), (380, 366), (394, 346)], shade, 6)
    canvas.curve([(278, 432), (320, 414), (360, 422), (404, 412), (444, 428)], dark, 6)
    canvas.blob([(290, 430), (340, 424), (360, 428), (384, 424), (434, 426), (362, 452)], "#8a6a60")
    canvas.curve([(318, 470), (362, 480), (408, 466)], shade, 6)
    for points in (
        [(206, 300), (230, 318), (262, 318)],
        [(250, 380), (240, 412), (254, 440)],
        [(476, 372), (488, 404), (474, 440)],
    ):
        canvas.curve(points, shade, 5)


def _shell(canvas: Canvas) -> None:
    """The capsule, stuck in the eye on the right-hand side of the picture, its flat end up to the
    right."""
    for number in range(7):
        canvas.curve(
            [(448, 268), at_angle((448, 268), 50 + 9 * (number % 3), 200 + 24 * number)],
            "#f3efe2",
            7,
        )
    body = [(448, 268), (446, 226), (508, 142), (558, 178), (494, 262)]
    canvas.polygon(body, "#4a4d52")
    canvas.polygon([(448, 268), (446, 226), (508, 142), (520, 151), (462, 232)], "#6a6e74")
    for share in (0.3, 0.62):
        canvas.line(
            [between((446, 226), (508, 142), share), between((494, 262), (558, 178), share)],
            "#2a2c30",
            4,
        )
    canvas.line([(503, 138), (563, 181)], "#2a2c30", 9)
    canvas.curve([(452, 290), (446, 330), (456, 372)], "#8a6a60", 9)


def _vampire_shadow(canvas: Canvas) -> None:
    """A gaunt, bent figure with long fingers, going up to the right; all of it shadow on the
    wall."""
    dark = "#33332f"
    canvas.blob([(120, 560), (128, 420), (118, 320), (134, 236), (186, 188), (240, 190), (274, 222),
                 (278, 300), (262, 400), (280, 560)], dark)  # fmt: skip
    canvas.blob(HEAD_IN_PROFILE, dark)
    canvas.polygon([(214, 150), (176, 84), (244, 120)], dark)
    for shoulder, elbow, palm in (
        ((230, 226), (320, 262), (400, 176)),
        ((236, 262), (350, 330), (452, 262)),
    ):
        canvas.curve([shoulder, elbow, palm], dark, 24)
        _long_hand(canvas, palm, dark)


def _long_hand(canvas: Canvas, palm: Point, dark: str) -> None:
    canvas.disc(palm, 17, dark)
    for number, bend in enumerate((88, 64, 42, 20, -14)):
        reach = 46 if number < 4 else 30
        knuckle = at_angle(palm, reach, bend)
        tip = at_angle(knuckle, reach, bend - 44)
        canvas.curve([palm, knuckle, tip], dark, 7.5)
        canvas.polygon(
            [
                at_angle(tip, 4, bend + 46),
                at_angle(tip, 4, bend - 134),
                at_angle(tip, 22, bend - 56),
            ],
            dark,
        )


def _emerald_city(canvas: Canvas) -> None:
    canvas.soft((410, 210), 190, "#d9f5d0", opacity=0.8)
    towers = (
        (300, 210, 30),
        (340, 160, 36),
        (386, 92, 48),
        (440, 140, 38),
        (484, 190, 32),
        (266, 236, 26),
        (524, 228, 28),
    )
    for number, (x, top, width) in enumerate(towers):
        colour = ("#2f9e6a", "#3fb27b", "#278a5c")[number % 3]
        canvas.box((x - width / 2, top), width, 310 - top, colour)
        canvas.polygon(
            [(x - width / 2 - 3, top), (x, top - 44), (x + width / 2 + 3, top)], "#1f7750"
        )
        for row in range(3):
            canvas.box((x - 4, top + 16 + 26 * row), 8, 14, "#d9f5c0", radius=3)
    canvas.box((246, 262), 300, 48, "#278a5c")
    canvas.box((378, 268), 36, 42, "#125236", radius=16)


def _road(canvas: Canvas) -> None:
    left = [(392, 300), (372, 326), (352, 360), (306, 412), (230, 480), (120, 600)]
    right = [(404, 300), (414, 326), (440, 360), (500, 412), (590, 480), (720, 600)]
    canvas.polygon([*left, *reversed(right)], "#efc53c")
    rows = 15
    for row in range(rows):
        y = 300 + 300 * (row / rows) ** 1.3
        ends = [_edge_at(side, y) for side in (left, right)]
        canvas.line([(ends[0], y), (ends[1], y)], "#c99b22", 2)
        following = 300 + 300 * ((row + 1) / rows) ** 1.3
        lower = [_edge_at(side, following) for side in (left, right)]
        for brick in range(1, 8):
            share = (brick - 0.5 * (row % 2)) / 7.5
            top, foot = (
                (ends[0] + (ends[1] - ends[0]) * share, y),
                (lower[0] + (lower[1] - lower[0]) * share, following),
            )
            canvas.line([top, foot], "#c99b22", 1.6)


def _edge_at(side: Sequence[Point], y: float) -> float:
    for upper, lower in pairwise(side):
        if upper[1] <= y <= lower[1]:
            return between(upper, lower, (y - upper[1]) / (lower[1] - upper[1]))[0]
    return side[-1][0]


def _poppy(canvas: Canvas, at: Point) -> None:
    x, y = at
    size = 3 + (y - 330) / 40
    canvas.line([at, (x, y + 2.4 * size)], "#5c8a45", 2)
    canvas.disc(at, size, "#d23b30", squeeze=0.85)
    canvas.disc(at, size * 0.35, INK)


def _girl(canvas: Canvas, foot: Point) -> None:
    """From behind: pigtails, checked dress, silver shoes, a basket."""
    x, y = foot
    for side in (-1, 1):
        canvas.box((x + side * 13 - 6, y - 40), 12, 32, "#f1f0ea")
        canvas.blob(
            [(x + side * 13 - 10, y + 2), (x + side * 13, y - 14), (x + side * 13 + 10, y + 2)],
            SILVER,
        )
        canvas.disc((x + side * 13 - 3, y - 5), 2.4, WHITE)
    canvas.polygon(
        [(x - 18, y - 112), (x + 18, y - 112), (x + 46, y - 34), (x - 46, y - 34)], "#6f9bd1"
    )
    for row in range(1, 6):
        half = 18 + 28 * (row / 6)
        canvas.line([(x - half, y - 112 + 13 * row), (x + half, y - 112 + 13 * row)], "#e4eef8", 3)
    for column in (-2, -1, 0, 1, 2):
        canvas.line([(x + column * 7, y - 112), (x + column * 17, y - 34)], "#e4eef8", 2.4)
    canvas.box((x - 19, y - 142), 38, 34, "#f6f4ee", radius=8)
    canvas.curve([(x - 17, y - 134), (x - 34, y - 108), (x - 32, y - 84)], "#efc5a2", 10)
    canvas.curve([(x + 17, y - 134), (x + 36, y - 110), (x + 40, y - 88)], "#efc5a2", 10)
    canvas.box((x + 28, y - 84), 32, 20, "#a8743d", radius=6)
    canvas.arc((x + 44, y - 84), 13, 0, 180, "#8a5c2c", 3)
    canvas.disc((x, y - 164), 25, "#6b4022")
    canvas.line([(x, y - 188), (x, y - 142)], "#85552f", 2)
    for side in (-1, 1):
        canvas.curve(
            [(x + side * 20, y - 156), (x + side * 30, y - 136), (x + side * 26, y - 114)],
            "#6b4022",
            11,
        )
        canvas.disc((x + side * 29, y - 138), 6, "#6f9bd1")


def _scarecrow(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    straw = "#e3c565"
    for side in (-1, 1):
        canvas.curve(
            [(x + side * 10, y - 80), (x + side * 14, y - 40), (x + side * 12, y - 6)],
            "#5d6b8d",
            19,
        )
        for spike in (-8, 0, 8):
            canvas.line(
                [(x + side * 12 + spike * 0.5, y - 8), (x + side * 12 + spike, y + 8)], straw, 3
            )
        canvas.curve(
            [(x + side * 20, y - 146), (x + side * 54, y - 132), (x + side * 64, y - 100)],
            "#4d5f9a",
            17,
        )
        for spike in (-8, 0, 8):
            canvas.line([(x + side * 64, y - 100), (x + side * 66 + spike, y - 82)], straw, 3)
    canvas.box((x - 27, y - 156), 54, 84, "#4d5f9a", radius=10)
    canvas.box((x - 27, y - 90), 54, 8, "#d9b25a")
    canvas.box((x + 2, y - 136), 18, 18, "#c86b4a")
    canvas.disc((x, y - 178), 25, "#e5d3a6")
    for spike in (-18, -9, 0, 9, 18):
        canvas.line([(x + spike, y - 162), (x + spike * 1.4, y - 146)], straw, 3)
    canvas.polygon(
        [
            (x - 40, y - 190),
            (x + 40, y - 190),
            (x + 20, y - 202),
            (x + 4, y - 250),
            (x - 20, y - 202),
        ],
        "#3d4f86",
    )


def _tin_woodman(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    tin, shade = "#aab4bb", "#7f8a92"
    for side in (-1, 1):
        canvas.box((x + side * 13 - 8, y - 74), 16, 70, tin, radius=5)
        canvas.disc((x + side * 13, y - 40), 9, shade)
        canvas.blob(
            [(x + side * 13 - 12, y + 4), (x + side * 13, y - 10), (x + side * 13 + 12, y + 4)],
            shade,
        )
    canvas.line([(x + 52, y - 40), (x + 26, y - 226)], "#8a5c2c", 6)
    canvas.polygon(
        [(x + 24, y - 226), (x + 62, y - 232), (x + 66, y - 196), (x + 30, y - 202)], "#d5dbdf"
    )
    for side, hand in ((-1, (x - 44, y - 92)), (1, (x + 45, y - 98))):
        canvas.curve([(x + side * 26, y - 140), (x + side * 46, y - 124), hand], tin, 13)
        canvas.disc(hand, 9, shade)
    canvas.box((x - 28, y - 154), 56, 84, tin, radius=8)
    canvas.box((x - 28, y - 116), 56, 4, shade)
    for rivet in (-20, -7, 7, 20):
        canvas.disc((x + rivet, y - 146), 2.4, shade)
    canvas.box((x - 9, y - 166), 18, 14, shade)
    canvas.box((x - 22, y - 208), 44, 46, tin, radius=12)
    canvas.polygon(
        [
            (x - 30, y - 204),
            (x + 30, y - 204),
            (x + 7, y - 234),
            (x + 7, y - 256),
            (x - 7, y - 256),
            (x - 7, y - 234),
        ],
        shade,
    )


def _lion(canvas: Canvas, foot: Point) -> None:
    """From behind, upright, with a mane all round and a tufted tail."""
    x, y = foot
    coat, mane = "#cf9a4c", "#8f5726"
    canvas.curve([(x + 20, y - 50), (x + 72, y - 40), (x + 78, y - 96)], coat, 8)
    canvas.disc((x + 78, y - 104), 13, mane)
    for side in (-1, 1):
        canvas.curve(
            [(x + side * 18, y - 60), (x + side * 22, y - 30), (x + side * 20, y - 4)], coat, 25
        )
        canvas.disc((x + side * 21, y), 15, coat, squeeze=0.6)
        canvas.curve(
            [(x + side * 32, y - 134), (x + side * 50, y - 106), (x + side * 46, y - 74)], coat, 18
        )
    canvas.blob(
        [
            (x - 38, y - 44),
            (x - 40, y - 120),
            (x, y - 156),
            (x + 40, y - 120),
            (x + 38, y - 44),
            (x, y - 32),
        ],
        coat,
    )
    for number in range(14):
        canvas.disc(at_angle((x, y - 166), 32, 360 * number / 14), 15, mane)
    canvas.disc((x, y - 166), 34, "#9d632d")
    for side in (-1, 1):
        canvas.disc((x + side * 25, y - 200), 12, coat)
        canvas.disc((x + side * 25, y - 198), 6, mane)
    for number in range(12):
        start = at_angle((x, y - 166), 12, 30 * number)
        canvas.curve([start, at_angle((x, y - 166), 28, 30 * number + 10)], mane, 3)


def _little_dog(canvas: Canvas, foot: Point) -> None:
    black = "#2b2727"
    body = [(-30, -12), (-26, -30), (0, -34), (26, -30), (30, -12), (0, -8)]
    canvas.blob(moved(body, foot), black)
    x, y = foot
    for shift in (-22, -12, 14, 23):
        canvas.box((x + shift - 4, y - 16), 8, 18, black, radius=3)
    canvas.disc((x + 32, y - 38), 15, black)
    canvas.polygon([(x + 22, y - 46), (x + 24, y - 64), (x + 34, y - 50)], black)
    canvas.polygon([(x + 34, y - 50), (x + 42, y - 62), (x + 46, y - 44)], black)
    canvas.disc((x + 45, y - 34), 7, black)
    canvas.curve([(x - 28, y - 26), (x - 42, y - 38), (x - 40, y - 50)], black, 6)
    canvas.line([(x + 20, y - 32), (x + 30, y - 24)], "#c8493a", 4)
