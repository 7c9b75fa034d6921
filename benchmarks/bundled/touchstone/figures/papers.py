"""Printed things to be read: a timetable, a till receipt, a menu and a table of books."""

from collections.abc import Sequence

from .canvas import Canvas
from .shapes import AMBER, BLUE, INK, LINE, MUTED, PAPER, RED, SHADE, TEAL, WHITE, WOOD, Point

TRAINS = ("11", "13", "15", "17 *")
STOPS: dict[str, tuple[str, str, str, str]] = {
    "Northgate": ("7:05", "7:35", "8:05", "8:50"),
    "Millbrook": ("7:19", "7:49", "8:19", "9:04"),
    "Pine Hill": ("7:32", "|", "8:32", "9:17"),
    "Lake Pier": ("7:50", "8:14", "8:50", "9:35"),
}

PURCHASES = (
    ("Bread, rye", "", "3.20"),
    ("Milk 1 l", "2 x 1.45", "3.90"),
    ("Tomatoes", "0.600 kg x 4.50", "2.70"),
    ("Cheese", "", "5.80"),
    ("Coffee", "", "7.40"),
)


def timetable() -> Canvas:
    canvas = Canvas(840, 540, SHADE)
    canvas.box((20, 20), 800, 500, WHITE, 10)
    canvas.box((20, 20), 800, 66, TEAL, 10)
    canvas.bold((44, 53), "LAKESIDE LINE", 27, WHITE, "lm")
    canvas.text((796, 53), "Monday to Friday", 21, WHITE, "rm")
    canvas.text((48, 118), "Train", 20, MUTED, "lm")
    for column, train in enumerate(TRAINS):
        canvas.bold((320 + 135 * column, 118), train, 21)
    for row, (stop, times) in enumerate(STOPS.items()):
        y = 172 + 60 * row
        canvas.box((36, y - 30), 768, 60, SHADE if row % 2 == 0 else WHITE)
        canvas.text((48, y), stop, 23, anchor="lm")
        for column, time in enumerate(times):
            canvas.text((320 + 135 * column, y), time, 23)
    notes = (
        "|   train passes without stopping",
        "*   Fridays only",
        "Ferries leave Lake Pier at 8:20 and 9:50.",
        "Allow 10 minutes on foot from the platform to the ferry.",
    )
    canvas.rows((48, 412), notes, 19, 1.4, anchor="lm")
    return canvas


def receipt() -> Canvas:
    canvas = Canvas(640, 800, WOOD)
    for board in range(5):
        canvas.box((0, 160 * board), 640, 156, ("#a97a52", "#a0714a")[board % 2])
    canvas.box((130, 30), 390, 726, "#7d5636", 2)
    canvas.box((122, 22), 390, 720, PAPER)
    for tooth in range(13):
        left = 122 + 30 * tooth
        canvas.polygon([(left, 742), (left + 15, 756), (left + 30, 742)], PAPER)
    canvas.bold((317, 66), "CORNER GROCERY", 27)
    canvas.rows((317, 100), ("14 Mill Street", "Tue 12 Nov    17:42"), 17, 1.5, MUTED)
    y = 172.0
    for name, detail, price in PURCHASES:
        y = _purchase(canvas, y, name, detail, price)
    _totals(canvas, y)
    return canvas


def _purchase(canvas: Canvas, y: float, name: str, detail: str, price: str) -> float:
    canvas.text((150, y), name, 21, anchor="lm")
    if detail:
        y += 26
        canvas.text((172, y), detail, 18, MUTED, "lm")
    canvas.text((484, y), price, 21, anchor="rm")
    return y + 40


def _totals(canvas: Canvas, y: float) -> None:
    canvas.dashes((150, y - 6), (484, y - 6), MUTED)
    for name, amount in (("Subtotal", "23.00"), ("Coupon", "-1.00")):
        y += 28
        canvas.text((150, y), name, 21, anchor="lm")
        canvas.text((484, y), amount, 21, anchor="rm")
    canvas.bold((150, y + 44), "TOTAL", 25, anchor="lm")
    canvas.bold((484, y + 44), "22.00", 25, anchor="rm")
    for place, (name, amount) in enumerate((("Cash", "50.00"), ("Change", "28.00"))):
        canvas.text((150, y + 92 + 32 * place), name, 21, anchor="lm")
        canvas.text((484, y + 92 + 32 * place), amount, 21, anchor="rm")
    canvas.text((317, y + 176), "Thank you. Goodbye!", 18, MUTED)


MENU: dict[str, tuple[tuple[str, str, str], ...]] = {
    "TO BEGIN": (
        ("Roasted tomato soup", "V", "5.50"),
        ("Walnut and beetroot salad", "V, N", "6.50"),
        ("Smoked trout on rye", "", "7.80"),
    ),
    "MAINS": (
        ("Mushroom risotto with butter", "", "13.50"),
        ("Chickpea curry with rice", "V", "12.00"),
        ("Grilled perch, new potatoes", "", "17.50"),
        ("Beef stew in dark beer", "", "16.00"),
    ),
    "SWEET": (
        ("Hazelnut cake", "N", "5.00"),
        ("Baked apple, oat crumble", "V", "4.80"),
        ("Lemon tart", "", "5.20"),
    ),
}


def menu() -> Canvas:
    canvas = Canvas(700, 860, "#cfc5b3")
    canvas.box((26, 22), 648, 816, "#fffaf0", 6)
    canvas.framed((40, 36), 620, 788, "#fffaf0", "#b0703c", 2)
    canvas.polygon([(316, 62), (384, 62), (376, 98), (324, 98)], "#b0703c")
    canvas.line([(306, 62), (394, 62)], "#b0703c", 5)
    canvas.bold((350, 128), "The Copper Pot", 32, "#7a4720")
    y = 182.0
    for course, dishes in MENU.items():
        canvas.bold((350, y), course, 21, "#b0703c")
        for name, marks, price in dishes:
            y += 42
            canvas.text((72, y), name, 22, anchor="lm")
            canvas.bold((540, y), marks, 19, TEAL)
            canvas.text((628, y), price, 22, anchor="rm")
        y += 54
    canvas.line([(72, y - 12), (628, y - 12)], LINE, 2)
    canvas.rows(
        (350, y + 16),
        ("V = vegan     N = contains nuts", "Two courses of your choice: 1.00 off the bill"),
        18,
    )
    return canvas


BOOKS: tuple[tuple[str, str, str, str, tuple[str, ...]], ...] = (
    (
        "SALT ROADS",
        "Travel",
        "212 pages",
        BLUE,
        ("On foot along old", "trade routes.", "Many maps."),
    ),
    (
        "THE NINTH KEY",
        "Crime novel",
        "548 pages",
        "#3c3a44",
        ("A murder in a", "clockmaker's house.", "Dark, violent."),
    ),
    (
        "SMALL ENGINES",
        "Science",
        "176 pages",
        TEAL,
        ("How insects fly.", "For ages 9 to 12,", "with experiments."),
    ),
    (
        "BREAD, SLOWLY",
        "Cookery",
        "240 pages",
        AMBER,
        ("Thirty sourdough", "recipes. No", "photographs."),
    ),
    (
        "TWO TALL SHIPS",
        "Picture book",
        "32 pages",
        RED,
        ("Two boats become", "friends. For ages", "3 to 6."),
    ),
)


def books() -> Canvas:
    canvas = Canvas(1000, 520, "#efe6d6")
    canvas.bold((500, 36), "New this week at the Owl Bookshop", 26)
    canvas.box((0, 430), 1000, 90, WOOD)
    canvas.box((0, 430), 1000, 8, "#8a5f3b")
    for place, (title, kind, pages, colour, blurb) in enumerate(BOOKS):
        _book(canvas, (28 + 194 * place, 78), title, colour)
        _shelf_card(canvas, (28 + 194 * place, 330), (f"{kind}, {pages}", *blurb))
    return canvas


def _book(canvas: Canvas, corner: Point, title: str, colour: str) -> None:
    x, y = corner
    canvas.box((x + 6, y + 6), 168, 236, "#cdbfa6", 4)
    canvas.box(corner, 168, 236, colour, 4)
    canvas.box((x + 10, y), 3, 236, "#ffffff")
    first, _, last = title.rpartition(" ")
    canvas.bold((x + 90, y + 62), first, 20, WHITE)
    canvas.bold((x + 90, y + 90), last, 20, WHITE)
    canvas.line([(x + 50, y + 124), (x + 130, y + 124)], WHITE, 2)
    canvas.ring((x + 90, y + 178), 28, colour, WHITE, 2.5)


def _shelf_card(canvas: Canvas, corner: Point, words: Sequence[str]) -> None:
    canvas.framed(corner, 172, 128, WHITE, LINE, 2, 4)
    canvas.text((corner[0] + 86, corner[1] + 22), words[0], 14, TEAL)
    canvas.rows((corner[0] + 86, corner[1] + 52), words[1:], 16.5, 1.4, INK)
