"""Charts whose every value can be read, so that a question about them has one answer."""

from collections.abc import Mapping, Sequence

from .canvas import Canvas
from .shapes import AMBER, BLUE, GREEN, INK, LINE, MUTED, RED, STONE, TEAL, WHITE, Point, at_angle

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
HARBOUR = (12, 13, 17, 22, 28, 35, 41, 44, 30, 21, 14, 16)
TOYS = (26, 24, 20, 18, 15, 12, 10, 11, 16, 21, 29, 38)

LOANS: dict[str, tuple[int, int, int]] = {
    "Novels": (5200, 4900, 4600),
    "Comics": (1800, 2700, 3900),
    "Audio books": (900, 1500, 1400),
    "Board games": (300, 800, 1600),
}

WATER = {
    "Shower and bath": 36,
    "Toilet": 27,
    "Washing machine": 12,
    "Kitchen": 10,
    "Garden": 9,
    "Other": 6,
}

HOUSES: dict[str, tuple[int, float]] = {
    "A": (60, 7),
    "B": (70, 7.5),
    "C": (80, 9),
    "D": (90, 9.5),
    "E": (100, 11),
    "F": (110, 11.5),
    "G": (120, 13),
    "H": (130, 13.5),
    "I": (140, 15),
    "J": (160, 17),
    "K": (150, 6),
    "L": (180, 18.5),
}


def museum_visitors() -> Canvas:
    canvas = Canvas(900, 560)
    canvas.bold((450, 34), "Visitors per month, 2024 (thousands)", 25)
    for place, (name, colour) in enumerate((("Harbour Museum", TEAL), ("Toy Museum", AMBER))):
        canvas.line([(250 + 230 * place, 74), (286 + 230 * place, 74)], colour, 4)
        canvas.disc((268 + 230 * place, 74), 6, colour)
        canvas.text((296 + 230 * place, 74), name, 19, anchor="lm")
    for value in range(0, 51, 10):
        canvas.line([(78, _museum_y(value)), (866, _museum_y(value))], LINE, 1.5)
        canvas.text((66, _museum_y(value)), str(value), 17, MUTED, "rm")
    for place, month in enumerate(MONTHS):
        canvas.text((_museum_x(place), 520), month, 18)
    for values, colour in ((HARBOUR, TEAL), (TOYS, AMBER)):
        points = [(_museum_x(place), _museum_y(value)) for place, value in enumerate(values)]
        canvas.line(points, colour, 4)
        for point in points:
            canvas.disc(point, 6, colour)
    _museum_labels(canvas)
    return canvas


def _museum_labels(canvas: Canvas) -> None:
    for place, (harbour, toys) in enumerate(zip(HARBOUR, TOYS, strict=True)):
        x, lower, upper = _museum_x(place), min(harbour, toys), max(harbour, toys)
        canvas.text(
            (x, _museum_y(upper) - 18), str(upper), 16, TEAL if harbour > toys else "#a86a10"
        )
        if lower != upper:
            canvas.text(
                (x, _museum_y(lower) + 19), str(lower), 16, TEAL if harbour < toys else "#a86a10"
            )


def _museum_x(place: int) -> float:
    return 112 + 66 * place


def _museum_y(value: float) -> float:
    return 496 - 7.8 * value


def library_loans() -> Canvas:
    canvas = Canvas(900, 560)
    canvas.bold((450, 34), "Loans at Millbrook Library", 25)
    colours = ("#b9cdd6", "#6fa0ba", TEAL)
    for place, year in enumerate(("2022", "2023", "2024")):
        canvas.box((318 + 110 * place, 63), 22, 22, colours[place], 4)
        canvas.text((348 + 110 * place, 74), year, 19, anchor="lm")
    for value in range(0, 6001, 1000):
        y = 490 - 0.063 * value
        canvas.line([(86, y), (870, y)], LINE, 1.5)
        canvas.text((76, y), f"{value:,}", 16, MUTED, "rm")
    for group, (name, values) in enumerate(LOANS.items()):
        left = 106 + 194 * group
        for place, value in enumerate(values):
            tall = 0.063 * value
            canvas.box((left + 56 * place, 490 - tall), 52, tall, colours[place])
            canvas.text((left + 26 + 56 * place, 478 - tall), f"{value:,}", 16)
        canvas.text((left + 82, 514), name, 20)
    canvas.line([(86, 490), (870, 490)], INK, 2)
    return canvas


def water_use() -> Canvas:
    canvas = Canvas(860, 480)
    canvas.bold((430, 36), "Where one person's water goes", 25)
    canvas.text((430, 72), "150 litres a day = 100 %", 19, MUTED)
    colours = (BLUE, TEAL, AMBER, RED, GREEN, STONE)
    centre, start = (250.0, 282.0), 0.0
    for place, (use, share) in enumerate(WATER.items()):
        end = start + 3.6 * share
        canvas.slice(centre, 170, start, end, colours[place])
        canvas.text(at_angle(centre, 128, 90 - (start + end) / 2), f"{share} %", 19, WHITE)
        canvas.box((500, 135 + 50 * place), 26, 26, colours[place], 4)
        canvas.text((542, 148 + 50 * place), f"{use}: {share} %", 21, anchor="lm")
        start = end
    for boundary in _boundaries(list(WATER.values())):
        canvas.line([centre, at_angle(centre, 172, 90 - boundary)], WHITE, 2)
    return canvas


def _boundaries(shares: Sequence[int]) -> list[float]:
    return [3.6 * sum(shares[:count]) for count in range(len(shares))]


def heated_houses() -> Canvas:
    canvas = Canvas(860, 560)
    canvas.bold((440, 34), "Twelve houses: floor area and heating", 25)
    for value in range(0, 21, 5):
        canvas.line([(90, _heat_at(40, value)[1]), (830, _heat_at(40, value)[1])], LINE, 1.5)
        canvas.text((78, _heat_at(40, value)[1]), str(value), 17, MUTED, "rm")
    for area in range(40, 201, 20):
        x, y = _heat_at(area, 0)
        canvas.line([(x, y), (x, y + 7)], INK, 2)
        canvas.text((x, y + 22), str(area), 17, MUTED)
    canvas.line([_heat_at(40, 0), (830, _heat_at(40, 0)[1])], INK, 2)
    canvas.text((460, 536), "Floor area (sq m)", 19)
    canvas.text((24, 66), "Heating per year (MWh)", 19, anchor="lm")
    for name, (area, heat) in HOUSES.items():
        x, y = _heat_at(area, heat)
        canvas.disc((x, y), 9, BLUE)
        canvas.text((x + 15, y + 15), name, 18)
    return canvas


def _heat_at(area: float, heat: float) -> Point:
    return 90 + 4.5 * (area - 40), 480 - 19 * heat


def same_sales_two_axes() -> Canvas:
    """One set of numbers drawn from two different zero points."""
    sales = {"2021": 96, "2022": 98, "2023": 99, "2024": 102}
    canvas = Canvas(980, 500, "#e6e1d6")
    canvas.paste(_sales_panel("1", "Steady sales", sales, (0, 120, 20), STONE), (12, 12))
    canvas.paste(_sales_panel("2", "Sales take off!", sales, (94, 104, 2), RED), (496, 12))
    return canvas


def _sales_panel(
    number: str, title: str, sales: Mapping[str, int], axis: tuple[int, int, int], colour: str
) -> Canvas:
    low, high, step = axis
    canvas = Canvas(472, 476)
    canvas.ring((34, 34), 19, WHITE, INK, 2)
    canvas.text((34, 34), number, 21)
    canvas.bold((250, 34), title, 23)
    canvas.text((236, 68), "Umbrellas sold (thousands)", 17, MUTED)
    scale = 320 / (high - low)
    for value in range(low, high + 1, step):
        y = 420 - scale * (value - low)
        canvas.line([(62, y), (450, y)], LINE, 1.5)
        canvas.text((52, y), str(value), 16, MUTED, "rm")
    for place, (year, value) in enumerate(sales.items()):
        x, tall = 112 + 96 * place, scale * (value - low)
        canvas.box((x - 30, 420 - tall), 60, tall, colour)
        canvas.text((x, 406 - tall), str(value), 18)
        canvas.text((x, 444), year, 18)
    canvas.line([(62, 420), (450, 420)], INK, 2)
    return canvas
