"""Writing that is hard to read: bent, drawn, seen from the side, half hidden."""

from benchmarks.bundled.touchstone.figures.shapes import (
    AMBER,
    BLUE,
    GREEN,
    INK,
    RED,
    TEAL,
    WHITE,
    at_angle,
)

from .outdoors import tree
from .sheet import Sheet


def inn_sign() -> Sheet:
    canvas = Sheet(480, 420, "#b79f82")
    for row in range(8):
        for column in range(6):
            canvas.framed((column * 92 - 46 * (row % 2), row * 54), 92, 54, "#b5714f", "#cbb59a", 3)
    canvas.disc((240, 226), 178, INK)
    canvas.disc((240, 226), 170, "#f3e8cc")
    canvas.bent((240, 226), 126, "RIVERSIDE INN", 46, "#25455f", 1)
    for row, top in enumerate((236, 264, 292)):
        half = 104 - 14 * row
        canvas.curve([(240 - half, top), (240 - half / 2, top - 16), (240, top),
                      (240 + half / 2, top + 16), (240 + half, top)], BLUE, 8)  # fmt: skip
    return canvas


def oak_sign() -> Sheet:
    canvas = Sheet(480, 420, "#26402f")
    canvas.framed((20, 20), 440, 380, "#2f5239", AMBER, 6, 20)
    canvas.bent((240, 280), 190, "GOLDEN OAK", 60, "#f0c75a", 1.5)
    tree(canvas, (240, 372), 0.85)
    return canvas


def coffee_badge() -> Sheet:
    canvas = Sheet(440, 440, "#ded2c3")
    canvas.disc((220, 220), 186, "#4a2f20")
    canvas.disc((220, 220), 176, "#f6ecdc")
    canvas.disc((220, 220), 168, "#4a2f20")
    canvas.bent((220, 220), 122, "COFFEE", 58, "#f6ecdc", 1.5)
    canvas.arc((292, 254), 24, -90, 90, "#f6ecdc", 10)
    canvas.blob([(146, 214), (294, 214), (280, 282), (254, 306), (186, 306), (160, 282)], "#f6ecdc")
    canvas.disc((220, 216), 72, "#8a5a36", 0.2)
    canvas.disc((220, 320), 88, "#f6ecdc", 0.12)
    for degrees in (-36, 0, 180, 216):
        canvas.disc(at_angle((220, 220), 138, degrees), 7, AMBER)
    return canvas


def shirt() -> Sheet:
    canvas = Sheet(440, 440, "#cfd8dc")
    canvas.polygon([(130, 70), (180, 54), (260, 54), (310, 70), (400, 150), (350, 206),
                    (318, 180), (318, 400), (122, 400), (122, 180), (90, 206),
                    (40, 150)], RED)  # fmt: skip
    canvas.disc((220, 56), 42, "#8f2f22", 0.5)
    canvas.disc((220, 50), 36, "#cfd8dc", 0.5)
    canvas.bent((220, 270), 124, "UNITED", 48, WHITE, 1.5)
    canvas.bold((220, 276), "7", 170, WHITE)
    return canvas


def library() -> Sheet:
    """A long wall seen from its left end."""
    canvas = Sheet(600, 400)
    canvas.gradient(0, 400, "#9cc7e3", "#eef4f6")
    canvas.polygon([(0, 20), (600, 150), (600, 300), (0, 380)], "#d9cdb8")
    canvas.polygon([(0, 380), (600, 300), (600, 400), (0, 400)], "#a8a59e")
    for place in range(5):
        left, right = 600 * (1 - 0.72**place), 600 * (1 - 0.72 ** (place + 0.6))
        top, bottom = 200, 350
        sides = [(x, 20 + 0.217 * x + (top - 20) * (1 - x / 760)) for x in (left, right)]
        feet = [(x, bottom - 0.1 * x) for x in (right, left)]
        canvas.polygon(
            [(left + 14, sides[0][1]), sides[1], feet[0], (left + 14, feet[1][1])], "#7d95a3"
        )
    canvas.leaned([(40, 66), (560, 160), (560, 192), (40, 146)], "LIBRARY", "#3d342a", 3)
    return canvas


def cinema() -> Sheet:
    canvas = Sheet(600, 400)
    canvas.gradient(0, 400, "#1d2340", "#544a6d")
    canvas.polygon([(80, 150), (600, 10), (600, 390), (80, 330)], "#7d2a3b")
    canvas.polygon([(80, 330), (600, 390), (600, 400), (0, 400), (0, 330)], "#3a3644")
    canvas.polygon([(110, 158), (586, 40), (586, 196), (110, 224)], "#2a1520")
    for step in range(17):
        x = 116 + 464 * step / 16
        rise = (x - 110) / 476
        for y in (164 - 118 * rise, 218 - 28 * rise):
            canvas.disc((x, y), 3 + 3 * rise, "#ffe08a")
    canvas.leaned([(136, 168), (566, 70), (566, 176), (136, 208)], "CINEMA", "#ffd24d", 4)
    canvas.polygon([(200, 240), (330, 234), (330, 358), (200, 344)], "#ffdf9e")
    canvas.polygon([(400, 232), (560, 226), (560, 384), (400, 366)], "#ffdf9e")
    return canvas


def dream() -> Sheet:
    canvas = Sheet(520, 300, "#f6eef6")
    colours = ("#7b4fb0", "#d1477e", "#e88a2b", "#3f9c86", "#3b76a3")
    for place, (letter, colour) in enumerate(zip("Dream", colours, strict=True)):
        at = (90 + 86 * place, 150 + (14 if place % 2 else -14))
        for shift, shade in ((7, "#d9c9de"), (0, colour)):
            canvas.turned(
                (at[0] + shift, at[1] + shift), letter, 140, (8, -6, 10, -8, 5)[place], shade, 4
            )
    for at in ((40, 60), (480, 60), (250, 268), (60, 250), (470, 250)):
        for degrees in (0, 90):
            canvas.stroke([at_angle(at, 11, degrees), at_angle(at, -11, degrees)], AMBER, 4)
    return canvas


def sunny() -> Sheet:
    canvas = Sheet(520, 320, "#8ed0ec")
    for step in range(24):
        edges = [at_angle((260, 190), 420, 15 * step + turn) for turn in (-3.6, 3.6)]
        canvas.polygon([(260, 190), *edges], "#b5e1f3")
    canvas.disc((260, 190), 128, "#ffd94f")
    canvas.bent((260, 470), 280, "SUNNY", 116, WHITE, 9)
    canvas.bent((260, 470), 280, "SUNNY", 116, "#e8641b", 3)
    return canvas


def tea_tin() -> Sheet:
    canvas = Sheet(440, 440, "#e9e2d3")
    canvas.soft((220, 402), 150, INK, 0.14)
    canvas.box((90, 90), 260, 310, TEAL, 24)
    canvas.box((84, 60), 272, 56, "#0d4740", 16)
    canvas.disc((220, 262), 112, "#f5ead0")
    canvas.bent((220, 262), 82, "MOUNTAIN", 32, TEAL, 0.8)
    canvas.bent((220, 262), 86, "TEA", 36, TEAL, 0.8, below=True, middle=270)
    canvas.polygon([(156, 296), (206, 222), (232, 262), (248, 244), (284, 296)], "#6b8f86")
    canvas.polygon([(192, 244), (206, 222), (221, 244)], WHITE)
    return canvas


def birthday() -> Sheet:
    canvas = Sheet(640, 350, "#fbe9d8")
    colours = (RED, BLUE, AMBER, GREEN, "#86506f")
    for word, top, count in (("HAPPY", -232, 5), ("BIRTHDAY", -96, 8)):
        spread = 13 if count == 8 else 14
        centre = (320.0, float(top))
        ends = (spread * count / 2 + 2, -spread * count / 2 - 2)
        canvas.arc(centre, 300, 270 + ends[1], 270 + ends[0], INK, 3)
        for place, letter in enumerate(word):
            angle = 270 + spread * (place - (count - 1) / 2)
            corners = [
                at_angle(centre, 300, angle - 6),
                at_angle(centre, 300, angle + 6),
                at_angle(centre, 392, angle),
            ]
            canvas.polygon(corners, colours[(place + count) % 5])
            canvas.turned(at_angle(centre, 327, angle), letter, 40, angle + 90, WHITE, 0.8)
    for at in ((52, 240), (588, 240)):
        canvas.disc(at, 34, RED, 1.2)
        canvas.curve(
            [(at[0], at[1] + 40), (at[0] - 8, at[1] + 64), (at[0] + 6, at[1] + 90)], INK, 2
        )
    return canvas


def hidden_garden() -> Sheet:
    """Leaves cover half of the letters' height; what is left fits one word only."""
    canvas = Sheet(520, 240, "#cfd9c6")
    canvas.box((20, 30), 480, 170, "#f3ead2", 8)
    canvas.bold((260, 112), "GARDEN", 104, "#3b5a34")
    for place in range(13):
        x = 34 + 38 * place
        tip = (x + 14, 104 + (place * 13) % 19)
        canvas.blob(
            [(x - 22, 214), (x - 12, 150), tip, (x + 26, 156), (x + 22, 214)],
            "#4d8743" if place % 2 else "#6aa45a",
        )
    return canvas


def taped_market() -> Sheet:
    canvas = Sheet(520, 240, "#b9b3a6")
    canvas.box((20, 40), 480, 150, "#24507a", 6)
    canvas.bold((260, 116), "MARKET", 100, WHITE)
    for left, lean in ((66, 22), (196, -20), (330, 18), (440, -16)):
        canvas.polygon(
            [(left, 34), (left + 40, 34), (left + 40 + lean, 198), (left + lean, 198)], "#d8c48f"
        )
    return canvas


def school() -> Sheet:
    canvas = Sheet(520, 300)
    canvas.gradient(0, 300, "#bfdcea", "#eef3f3")
    canvas.box((30, 70), 460, 130, "#a94a38", 8)
    canvas.bold((260, 136), "SCHOOL", 96, WHITE)
    canvas.box((0, 256), 520, 44, "#a39f96")
    canvas.box((286, 0), 18, 270, "#5f6468")
    return canvas


def crate() -> Sheet:
    canvas = Sheet(520, 360, "#e7dfd0")
    canvas.box((0, 300), 520, 60, "#b7a78c")
    for place in range(8):
        canvas.disc((92 + 48 * place, 124 - 14 * (place % 2)), 32, "#ef8b1e")
    for row in range(3):
        canvas.box((50, 134 + 62 * row), 420, 54, "#cfa26a", 4)
    canvas.box((100, 150), 320, 110, "#f6eeda", 8)
    canvas.bold((260, 206), "ORANGE", 70, "#c75b0c")
    for x in (50, 440):
        canvas.box((x, 126), 30, 196, "#a97a43", 3)
    canvas.blob([(330, 120), (376, 96), (402, 132), (384, 186), (352, 178)], "#4d8743")
    canvas.curve([(338, 118), (366, 150), (374, 184)], "#35652d", 4)
    return canvas
