"""Receipts, forms, books and labels: every number and name on them is asked for or stands beside
one that is."""

from collections.abc import Sequence

from benchmarks.bundled.touchstone.figures.shapes import (
    AMBER,
    BLUE,
    GREEN,
    INK,
    LINE,
    MUTED,
    RED,
    STONE,
    WHITE,
    WOOD,
    Point,
)

from .sheet import Sheet


def receipt(head: Sequence[str], goods: Sequence[tuple[str, str]], total: str) -> Sheet:
    """`head`: company, address, telephone, date."""
    canvas = Sheet(420, 560, "#8d7a66")
    canvas.box((46, 26), 340, 520, "#6c5b4a", 2)
    canvas.box((40, 20), 340, 520, "#fcfbf6", 2)
    canvas.text((210, 58), head[0], 23, INK, weight=0.5)
    canvas.text((210, 92), head[1], 18)
    canvas.text((210, 118), head[2], 18, MUTED)
    canvas.dashes((60, 144), (360, 144), MUTED)
    canvas.text((64, 168), f"DATE {head[3]}", 19, INK, "lm")
    canvas.dashes((60, 192), (360, 192), MUTED)
    for row, (name, price) in enumerate(goods):
        canvas.text((64, 224 + 36 * row), name, 20, INK, "lm")
        canvas.text((356, 224 + 36 * row), price, 20, INK, "rm")
    canvas.dashes((60, 408), (360, 408), MUTED)
    canvas.text((64, 440), "TOTAL", 28, INK, "lm", 0.8)
    canvas.text((356, 440), total, 28, INK, "rm", 0.8)
    canvas.text((210, 496), "Thank you for your visit", 18, MUTED)
    return canvas


def grocery() -> Sheet:
    goods = (("Oats 1 kg", "2.35"), ("Cheese", "6.80"), ("Apples", "3.15"), ("Coffee", "6.15"))
    return receipt(
        ("MAPLE CORNER GROCERY", "5 Canal Road, Tanford", "Tel. 555 0142", "02/09/2023"),
        goods,
        "18.45",
    )


def hardware() -> Sheet:
    goods = (("Paint, white", "14.90"), ("Brush", "4.20"), ("Screws 50", "3.60"), ("Tape", "2.50"))
    return receipt(
        ("HOBBS HARDWARE", "27 Weir Street, Tanford", "Tel. 555 0187", "14/03/2024"), goods, "25.20"
    )


def form() -> Sheet:
    canvas = Sheet(560, 480, "#d9d6cd")
    canvas.box((26, 20), 508, 444, "#f7f5ee")
    canvas.text((280, 58), "MATERIAL REQUEST", 29, INK, weight=0.7)
    canvas.line([(50, 84), (510, 84)], INK, 2.5)
    fields = (
        ("REQUESTED BY:", "L. Hartmann"),
        ("DEPARTMENT:", "Print room"),
        ("DATE NEEDED:", "May 3, 1994"),
        ("MATERIAL:", "Blotting paper"),
        ("QUANTITY:", "250 sheets"),
        ("DELIVER TO:", "Room 18"),
    )
    for row, (name, value) in enumerate(fields):
        y = 122 + 58 * row
        canvas.text((54, y), name, 19, INK, "lm", 0.4)
        canvas.line([(234, y + 15), (506, y + 15)], STONE, 2)
        canvas.turned((244 + 5.4 * len(value), y - 4), value, 25, 1, "#2b4a9b", 0.3)
    return canvas


def memo() -> Sheet:
    canvas = Sheet(560, 480, "#cfd3d3")
    canvas.box((36, 18), 488, 450, WHITE)
    canvas.box((36, 18), 488, 60, "#27476a")
    canvas.text((60, 49), "ALDER VALLEY BUSES", 26, WHITE, "lm", 0.5)
    canvas.text((60, 112), "MEMO", 30, INK, "lm", 0.8)
    for row, (name, value) in enumerate(
        (("From:", "Depot manager"), ("To:", "All drivers"), ("Date:", "9 October 2023"))
    ):
        canvas.text((60, 158 + 36 * row), name, 22, MUTED, "lm")
        canvas.text((150, 158 + 36 * row), value, 22, INK, "lm", 0.3)
    canvas.line([(60, 258), (500, 258)], LINE, 2)
    body = (
        "The bridge at Mill Lane is closed",
        "until 20 October. Line 4 goes round",
        "by the station and leaves the depot",
        "six minutes earlier.",
    )
    canvas.rows((60, 292), body, 22, 1.5, anchor="lm")
    return canvas


def visitors() -> Sheet:
    canvas = Sheet(480, 460, "#f8f6f0")
    canvas.text((240, 44), "Visitors of the Clock Museum", 26, INK, weight=0.5)
    rows = (("Month", "Visitors"), ("January", "912"), ("February", "1,047"), ("March", "1,284"),
            ("April", "1,530"), ("May", "1,406"))  # fmt: skip
    for place, (month, count) in enumerate(rows):
        y = 84 + 58 * place
        canvas.framed((50, y), 380, 60, "#d8e3e2" if place == 0 else WHITE, STONE, 2)
        canvas.text((74, y + 30), month, 25, INK, "lm", 0.5 if place == 0 else 0)
        canvas.text((406, y + 30), count, 25, INK, "rm", 0.5 if place == 0 else 0)
    canvas.line([(250, 84), (250, 434)], STONE, 2)
    return canvas


def poster() -> Sheet:
    canvas = Sheet(420, 540, "#a9a59c")
    canvas.box((30, 20), 360, 500, "#1f2b4a")
    canvas.disc((210, 196), 104, "#f0b93c")
    canvas.disc((166, 250), 27, "#1f2b4a", 0.75)
    canvas.disc((250, 236), 27, "#1f2b4a", 0.75)
    canvas.line([(190, 250), (190, 142), (274, 128), (274, 236)], "#1f2b4a", 9)
    canvas.line([(190, 158), (274, 144)], "#1f2b4a", 12)
    canvas.text((210, 62), "BRASS IN THE PARK", 31, WHITE, weight=0.7)
    canvas.text((210, 346), "Saturday, 14 June", 34, "#f0b93c", weight=0.7)
    canvas.text((210, 394), "7 p.m.", 30, WHITE)
    canvas.text((210, 444), "Willow Park bandstand", 24, WHITE)
    canvas.text((210, 484), "Admission free", 22, "#b9c3dc")
    return canvas


def salt_road() -> Sheet:
    canvas = _cover("#d97b3a", "#7d3f16")
    canvas.disc((222, 210), 66, "#f7d98b")
    canvas.polygon(
        [(66, 410), (66, 360), (136, 296), (216, 344), (300, 288), (392, 356), (392, 410)],
        "#a95724",
    )
    canvas.polygon([(205, 320), (235, 320), (300, 440), (120, 440)], "#f8efdf")
    canvas.text((226, 82), "THE SALT ROAD", 39, WHITE, weight=1)
    canvas.text((226, 472), "Ida Morrow", 32, WHITE, weight=0.5)
    return canvas


def bread_book() -> Sheet:
    canvas = _cover("#4f7d6b", "#2b4a3e")
    canvas.text((226, 76), "BREAD", 58, WHITE, weight=1.3)
    canvas.text((226, 122), "for beginners", 32, "#e9dfc2")
    canvas.blob(
        [
            (112, 300),
            (122, 226),
            (190, 204),
            (262, 204),
            (330, 226),
            (340, 300),
            (300, 326),
            (152, 326),
        ],
        "#b9752f",
    )
    for x in (168, 222, 276):
        canvas.curve([(x, 228), (x + 16, 262), (x, 296)], "#eac68b", 9)
    canvas.box((96, 322), 260, 16, WOOD, 6)
    canvas.text((226, 384), "60 simple recipes", 30, WHITE)
    canvas.text((226, 472), "Jonas Ekwall", 30, WHITE, weight=0.5)
    return canvas


def _cover(colour: str, spine: str) -> Sheet:
    canvas = Sheet(440, 540, "#e6e1d6")
    canvas.box((50, 30), 352, 492, "#b9b2a2", 4)
    canvas.box((42, 22), 350, 490, colour, 4)
    canvas.box((42, 22), 24, 490, spine, 4)
    return canvas


def bottle() -> Sheet:
    canvas = Sheet(360, 520, "#dfe9ee")
    canvas.box((0, 460), 360, 60, WOOD)
    canvas.box((152, 24), 56, 34, AMBER, 6)
    canvas.blob([(156, 58), (204, 58), (208, 130), (262, 196), (266, 330), (260, 476), (100, 476),
                 (94, 330), (98, 196), (152, 130)], "#cfe3a1")  # fmt: skip
    canvas.box((96, 220), 168, 196, WHITE, 4)
    canvas.text((180, 254), "BROOKFALL", 26, "#2b6a4c", weight=0.6)
    canvas.disc((180, 318), 40, "#f4d431", 0.8)
    canvas.disc((142, 318), 8, "#f4d431")
    canvas.disc((218, 318), 8, "#f4d431")
    canvas.text((180, 376), "lemon", 34, "#8a7406", weight=0.4)
    return canvas


def stall() -> Sheet:
    canvas = Sheet(620, 420, "#d8e6ea")
    for place in range(10):
        left = 20 + 58 * place
        canvas.polygon(
            [(left, 20), (left + 58, 20), (left + 58, 84), (left, 84)], RED if place % 2 else WHITE
        )
        canvas.slice((left + 29, 84), 29, 90, 270, RED if place % 2 else WHITE)
    for x in (36, 576):
        canvas.box((x, 84), 10, 300, WOOD)
    goods: tuple[tuple[str, str, str], ...] = (
        ("Apples", "2.40", RED),
        ("Pears", "3.10", "#b9c04a"),
        ("Plums", "2.80", "#6b3a78"),
    )
    for place, (name, price, colour) in enumerate(goods):
        _crate_of(canvas, (62 + 172 * place, 270), colour, pears=name == "Pears")
        canvas.framed((86 + 172 * place, 140), 112, 84, "#fdfbf2", INK, 2, 4)
        canvas.text((142 + 172 * place, 162), name, 23)
        canvas.text((142 + 172 * place, 194), price, 29, RED, weight=0.6)
        canvas.line([(142 + 172 * place, 224), (142 + 172 * place, 250)], WOOD, 5)
    canvas.text((310, 396), "all prices per kilo", 23, INK)
    return canvas


def _crate_of(canvas: Sheet, corner: Point, colour: str, pears: bool) -> None:
    x, y = corner
    for row in range(2):
        for place in range(5):
            at = (x + 24 + 28 * place, y - 12 + 24 * row)
            canvas.disc(at, 17, colour)
            if pears:
                canvas.disc((at[0], at[1] - 15), 9, colour, 1.2)
            canvas.stroke(
                [
                    (at[0], at[1] - (26 if pears else 14)),
                    (at[0] + 3, at[1] - (32 if pears else 22)),
                ],
                "#5d4022",
                3,
            )
    canvas.box((x, y + 24), 160, 66, "#c99a61", 4)
    canvas.line([(x, y + 56), (x + 160, y + 56)], "#9b6f3c", 4)


def can() -> Sheet:
    """Taken by somebody who does not see the picture: tilted, cut off, out of focus, but
    legible."""
    canvas = Sheet(440, 440, "#7c7468")
    canvas.box((-60, 340), 600, 200, "#5f564a")
    canvas.box((110, 40), 250, 380, "#b9302a", 12)
    canvas.disc((235, 44), 125, "#d5d9db", 0.2)
    canvas.disc((235, 44), 108, "#aeb4b8", 0.18)
    canvas.box((110, 150), 250, 150, "#f7efe0")
    canvas.text((235, 196), "TOMATO", 50, "#a3211c", weight=1.2)
    canvas.text((235, 254), "SOUP", 50, "#a3211c", weight=1.2)
    canvas.disc((235, 350), 30, "#e2553f", 0.9)
    canvas.polygon([(215, 326), (235, 336), (255, 326), (240, 318)], GREEN)
    canvas.turn(11, "#6c6459")
    canvas.blur(2.2)
    return canvas


def milk() -> Sheet:
    """The front of a carton, without any date."""
    canvas = Sheet(420, 480, "#c9b79f")
    canvas.box((0, 400), 420, 80, "#9b805f")
    canvas.polygon([(120, 160), (160, 70), (290, 70), (310, 160)], "#e3ecf2")
    canvas.box((158, 46), 134, 34, "#cfdbe4", 3)
    canvas.box((120, 160), 190, 280, WHITE)
    canvas.polygon(
        [(310, 160), (290, 70), (322, 96), (350, 150), (350, 424), (310, 440)], "#c3d3de"
    )
    canvas.box((120, 330), 190, 110, BLUE)
    canvas.text((215, 216), "MILK", 60, BLUE, weight=1.5)
    canvas.text((215, 284), "fresh, 1 litre", 24, MUTED)
    canvas.blob([(150, 400), (168, 362), (262, 362), (280, 400), (260, 420), (170, 420)], WHITE)
    for x, y in ((184, 384), (236, 396), (220, 374)):
        canvas.disc((x, y), 11, INK, 0.7)
    canvas.turn(-6, "#b39a7c")
    canvas.blur(0.9)
    return canvas
