"""Whole pictures of an animal: of which breed, of what colour, with how many legs."""

from benchmarks.bundled.touchstone.figures.shapes import (
    INK,
    WHITE,
    Point,
    at_angle,
    moved,
)

from .sheet import Sheet


def siamese() -> Sheet:
    canvas = Sheet(460, 440, "#dfe6df")
    canvas.box((0, 366), 460, 74, "#b9a88e")
    cream, point = "#efe2cc", "#4d382c"
    canvas.curve([(310, 372), (392, 384), (414, 320), (378, 280)], point, 22)
    canvas.blob([(156, 386), (150, 290), (186, 216), (274, 216), (312, 290), (306, 386)], cream)
    for x in (190, 270):
        canvas.box((x - 20, 290), 40, 74, cream, 14)
        canvas.box((x - 22, 346), 44, 42, point, 16)
    canvas.blob(
        [
            (142, 172),
            (160, 96),
            (230, 78),
            (300, 96),
            (318, 172),
            (276, 232),
            (230, 244),
            (184, 232),
        ],
        cream,
    )
    for side in (-1, 1):
        canvas.polygon(moved([(36, -88), (108, -152), (98, -42)], (230, 176), 1, side < 0), point)
        canvas.polygon(
            moved([(58, -88), (98, -124), (92, -64)], (230, 176), 1, side < 0), "#8a6858"
        )
    canvas.blob(
        [
            (168, 178),
            (196, 138),
            (230, 130),
            (264, 138),
            (292, 178),
            (262, 226),
            (230, 236),
            (198, 226),
        ],
        point,
    )
    for side in (-1, 1):
        canvas.disc((230 + side * 34, 166), 17, "#58a6e0", 0.82)
        canvas.disc((230 + side * 34, 166), 6, INK, 1.7)
        for rise in (-8, 4, 16):
            canvas.line([(230 + side * 26, 208), (230 + side * 112, 200 + rise)], WHITE, 1.6)
    canvas.polygon([(218, 194), (242, 194), (230, 207)], "#c9938a")
    canvas.curve([(208, 218), (222, 220), (230, 207), (238, 220), (252, 218)], "#1d1310", 3)
    return canvas


def pug() -> Sheet:
    canvas = Sheet(460, 440, "#e3e4ec")
    canvas.box((0, 366), 460, 74, "#a8b59c")
    fawn, shade, mask = "#ddb888", "#bf9565", "#2b2524"
    canvas.arc((344, 286), 26, -80, 250, shade, 17)
    canvas.blob([(126, 392), (116, 298), (156, 230), (304, 230), (346, 298), (334, 392)], fawn)
    for x in (178, 282):
        canvas.box((x - 26, 290), 52, 100, fawn, 20)
        canvas.line([(x - 12, 384), (x - 12, 374)], mask, 3)
        canvas.line([(x + 12, 384), (x + 12, 374)], mask, 3)
    canvas.line([(230, 330), (230, 392)], shade, 4)
    canvas.disc((230, 156), 104, fawn, 0.92)
    for side in (-1, 1):
        canvas.blob(
            moved([(56, -84), (108, -74), (122, -12), (92, -20)], (230, 156), 1, side < 0), mask
        )
    canvas.disc((230, 196), 60, mask, 0.78)
    for side in (-1, 1):
        canvas.disc((230 + side * 50, 152), 27, mask)
        canvas.disc((230 + side * 50, 150), 21, "#4a2c18")
        canvas.disc((230 + side * 50, 150), 12, INK)
        canvas.disc((230 + side * 50 - 6, 143), 5, WHITE)
    for row in range(3):
        canvas.curve([(196, 104 - 15 * row), (230, 96 - 15 * row), (264, 104 - 15 * row)], shade, 5)
    canvas.disc((230, 178), 20, "#110e0e", 0.66)
    canvas.curve([(192, 218), (212, 224), (230, 194), (248, 224), (268, 218)], "#5e5553", 4)
    canvas.disc((230, 232), 12, "#d77d86", 0.9)
    return canvas


def snail() -> Sheet:
    canvas = Sheet(500, 380, "#e4eee0")
    canvas.box((0, 300), 500, 80, "#8fb07a")
    body = "#c9a983"
    canvas.blob([(70, 306), (90, 268), (110, 190), (140, 176), (164, 206), (176, 262), (300, 262),
                 (420, 288), (470, 306)], body)  # fmt: skip
    for tip in ((92, 108), (146, 100)):
        canvas.stroke([(132, 196), tip], body, 8)
        canvas.disc(tip, 8, INK)
    canvas.arc((112, 222), 14, 200, 320, "#84623f", 3.5)
    canvas.disc((286, 190), 104, "#8a4f2d")
    spiral = [at_angle((286, 190), 96 - 88 * step / 110, 230 + 9.6 * step) for step in range(111)]
    canvas.line(spiral, "#dcb07c", 15)
    canvas.blob([(190, 268), (230, 288), (350, 290), (390, 270), (340, 280), (240, 280)], "#6f3d20")
    return canvas


def spider() -> Sheet:
    canvas = Sheet(460, 400, "#eceaf2")
    for step in range(12):
        canvas.line([(230, 200), at_angle((230, 200), 330, 30 * step + 15)], "#c6c3d6", 2)
    for radius in (70, 130, 190, 250):
        corners = [at_angle((230, 200), radius, 30 * step + 15) for step in range(13)]
        canvas.line(corners, "#c6c3d6", 2)
    legs = (((70, -30), (96, -108), (140, -150)), ((84, -6), (140, -50), (182, -28)),
            ((84, 12), (138, 24), (168, 88)), ((66, 30), (94, 84), (92, 160)))  # fmt: skip
    for mirrored in (False, True):
        for knee in legs:
            canvas.stroke(moved([(14, -14), *knee], (230, 200), 1, mirrored), "#2d2730", 9)
    canvas.disc((230, 240), 54, "#3a323e", 1.12)
    canvas.disc((230, 174), 32, "#2d2730")
    for side in (-1, 1):
        canvas.disc((230 + side * 11, 160), 6.5, WHITE)
        canvas.disc((230 + side * 11, 159), 3, INK)
    for across, down in ((0, 226), (-16, 246), (16, 246), (0, 266)):
        canvas.disc((across + 230, down), 6, "#b0413a")
    return canvas


def flamingo() -> Sheet:
    canvas = Sheet(420, 480, "#d9ecf2")
    canvas.box((0, 390), 420, 90, "#9fc7d6")
    for left, top in ((40, 410), (240, 424), (120, 452), (330, 456)):
        canvas.stroke([(left, top), (left + 56, top)], "#c8e2ec", 4)
    pink, deep = "#f28fae", "#df6690"
    canvas.line([(224, 280), (224, 442)], deep, 7)
    canvas.line([(258, 278), (292, 340), (232, 352)], deep, 7)
    canvas.curve([(168, 250), (120, 214), (128, 160), (182, 142), (188, 96), (150, 80)], pink, 22)
    canvas.blob(
        [(140, 256), (176, 212), (262, 204), (346, 250), (330, 268), (262, 298), (180, 292)], pink
    )
    canvas.blob([(206, 234), (276, 222), (344, 252), (268, 278)], deep)
    canvas.disc((146, 82), 25, pink, 0.9)
    canvas.blob([(126, 80), (98, 98), (96, 130), (112, 116), (132, 100)], "#f6e6dc")
    canvas.blob([(101, 108), (94, 120), (96, 134), (110, 120)], INK)
    canvas.disc((142, 76), 5, "#f8e08a")
    canvas.disc((142, 76), 2.6, INK)
    return canvas


def giraffe_and_zebra() -> Sheet:
    canvas = Sheet(560, 460, "#d5e8f0")
    canvas.disc((470, 80), 40, "#f6dd82")
    canvas.box((0, 360), 560, 100, "#d8c27e")
    _giraffe(canvas, (190, 420))
    _zebra(canvas, (440, 420))
    return canvas


def _giraffe(canvas: Sheet, foot: Point) -> None:
    hide, patch = "#eec069", "#b4702c"
    for leg in (-52, -32, 40, 58):
        canvas.line(moved([(leg, 0), (leg, -120)], foot), hide, 13)
        canvas.line(moved([(leg, 0), (leg, -10)], foot), "#6b4a22", 13)
    canvas.curve(moved([(66, -160), (88, -130), (84, -96)], foot), hide, 6)
    canvas.blob(
        moved([(-66, -110), (-64, -170), (0, -176), (66, -164), (72, -112), (0, -104)], foot), hide
    )
    canvas.polygon(moved([(-66, -140), (-20, -172), (-66, -356), (-96, -346)], foot), hide)
    canvas.blob(
        moved(
            [(-64, -330), (-70, -372), (-96, -376), (-142, -344), (-138, -330), (-96, -332)], foot
        ),
        hide,
    )
    for x in (-84, -72):
        canvas.stroke(moved([(x, -372), (x + 2, -392)], foot), patch, 5)
        canvas.disc(moved([(x + 2, -394)], foot)[0], 5.5, "#6b4a22")
    canvas.disc(moved([(-92, -358)], foot)[0], 4.5, INK)
    for x, y, radius in ((-48, -140, 13), (-16, -130, 14), (-14, -158, 10), (18, -146, 14),
                         (46, -136, 12), (44, -156, 8), (-52, -190, 11), (-60, -226, 11),
                         (-66, -262, 10), (-74, -298, 9), (-44, -208, 6)):  # fmt: skip
        canvas.disc(moved([(x, y)], foot)[0], radius, patch, 0.85)


def _zebra(canvas: Sheet, foot: Point) -> None:
    for leg in (-44, -28, 34, 50):
        canvas.line(moved([(leg, 0), (leg, -74)], foot), WHITE, 12)
        for rung in (-16, -32, -48):
            canvas.line(moved([(leg - 6, rung), (leg + 6, rung)], foot), INK, 5)
        canvas.line(moved([(leg, 0), (leg, -8)], foot), INK, 12)
    canvas.curve(moved([(60, -106), (78, -88), (74, -56)], foot), INK, 5)
    canvas.blob(
        moved([(-60, -66), (-58, -116), (0, -122), (60, -114), (64, -70), (0, -62)], foot), WHITE
    )
    canvas.polygon(moved([(-60, -84), (-22, -116), (-66, -172), (-92, -154)], foot), WHITE)
    canvas.blob(
        moved(
            [(-64, -146), (-66, -176), (-86, -180), (-126, -152), (-122, -136), (-90, -138)], foot
        ),
        WHITE,
    )
    canvas.disc(moved([(-121, -144)], foot)[0], 9, "#55504c")
    canvas.curve(moved([(-66, -184), (-40, -150), (-14, -118)], foot), INK, 8)
    canvas.disc(moved([(-90, -162)], foot)[0], 4, INK)
    for x in range(-40, 60, 18):
        canvas.curve(moved([(x, -118), (x + 5, -92), (x, -66)], foot), INK, 7)
    for share in (0, 1, 2):
        canvas.line(
            moved(
                [(-80 + 14 * share, -146 + 18 * share), (-56 + 14 * share, -160 + 18 * share)], foot
            ),
            INK,
            6,
        )
