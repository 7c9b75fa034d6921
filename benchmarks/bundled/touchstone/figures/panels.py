"""Pictures joined from numbered panels, for questions that set one beside another."""

from collections.abc import Sequence
from dataclasses import dataclass

from .canvas import Canvas
from .comics import cat
from .shapes import (
    AMBER,
    BLUE,
    GREEN,
    INK,
    LINE,
    MUTED,
    PAPER,
    RED,
    STONE,
    TEAL,
    WHITE,
    WOOD,
    Point,
    at_angle,
)

FRAME = "#e6e1d6"


def _joined(panels: Sequence[Canvas], gap: int = 12) -> Canvas:
    """Panels of one size side by side, each with its number in the upper left corner."""
    width, height = panels[0].size
    canvas = Canvas(gap + (width + gap) * len(panels), height + 2 * gap, FRAME)
    for place, panel in enumerate(panels):
        panel.ring((30, 30), 19, WHITE, INK, 2.5)
        panel.text((30, 30), str(place + 1), 21)
        canvas.paste(panel, (gap + (width + gap) * place, gap))
    return canvas


def kettles() -> Canvas:
    first = Canvas(452, 560)
    _kettle(first, (226, 290), STONE, glass=False)
    _label(
        first,
        316,
        "Norda K1",
        (
            "1.7 litres",
            "2200 W",
            "Boils 1 litre in 3.5 min",
            "Switches off by itself: yes",
            "Keeps warm: no",
            "29 euros",
        ),
    )
    second = Canvas(452, 560)
    _kettle(second, (226, 290), "#cfe3e8", glass=True)
    _label(
        second,
        316,
        "Vela Glass",
        (
            "1.2 litres",
            "1500 W",
            "Boils 1 litre in 5 min",
            "Switches off by itself: yes",
            "Keeps warm: 30 min",
            "54 euros",
        ),
    )
    return _joined((first, second))


def _label(canvas: Canvas, top: float, name: str, rows: Sequence[str], size: float = 18.5) -> None:
    width = canvas.size[0]
    canvas.framed((24, top), width - 48, 64 + 1.55 * size * len(rows), WHITE, LINE, 2, 8)
    canvas.bold((width / 2, top + 26), name, 22, TEAL)
    canvas.rows((width / 2, top + 62), rows, size, 1.55)


def _kettle(canvas: Canvas, foot: Point, colour: str, glass: bool) -> None:
    x, y = foot
    canvas.box((x - 90, y - 16), 180, 18, INK, 8)
    canvas.bezier(
        [(x + 60, y - 170), (x + 150, y - 160), (x + 140, y - 60), (x + 78, y - 50)], INK, 14
    )
    canvas.outlined([(x - 70, y - 176), (x - 118, y - 158), (x - 76, y - 110)], colour, MUTED, 3)
    canvas.outlined(
        [(x - 84, y - 18), (x - 66, y - 190), (x + 66, y - 190), (x + 84, y - 18)], colour, MUTED, 3
    )
    canvas.box((x - 66, y - 200), 132, 14, INK, 6)
    canvas.disc((x, y - 206), 12, INK)
    if glass:
        canvas.polygon(
            [(x - 80, y - 20), (x - 73, y - 96), (x + 73, y - 96), (x + 80, y - 20)], "#8fc0d8"
        )
        for place in range(1, 5):
            canvas.line([(x + 30, y - 20 - 34 * place), (x + 52, y - 20 - 34 * place)], WHITE, 3)
    else:
        canvas.line([(x - 44, y - 34), (x - 34, y - 172)], "#d3d0c8", 8)


def bicycles() -> Canvas:
    city, folding, cargo = (Canvas(320, 500) for _ in range(3))
    _bicycle(city, 240, 58, BLUE)
    _label(
        city,
        294,
        "Tram 7",
        ("City bicycle, 7 gears", "16 kg", "Lights: yes", "Load: 25 kg on the rack", "590 euros"),
        17,
    )
    _bicycle(folding, 240, 36, RED)
    _label(
        folding,
        294,
        "Pocket 3",
        ("Folding bicycle, 3 gears", "11 kg", "Lights: no", "Folded: 60 x 55 x 30 cm", "890 euros"),
        17,
    )
    _bicycle(cargo, 240, 50, GREEN)
    cargo.outlined([(30, 130), (124, 130), (112, 206), (46, 206)], WOOD, "#6d4a2c", 3)
    _label(
        cargo,
        294,
        "Mule E",
        (
            "Cargo bicycle, motor",
            "38 kg, range 60 km",
            "Lights: yes",
            "Load: 80 kg in the box",
            "3,900 euros",
        ),
        17,
    )
    return _joined((city, folding, cargo), 10)


def _bicycle(canvas: Canvas, ground: float, radius: float, colour: str) -> None:
    """A bicycle that heads left, its wheels as large as asked."""
    front, rear = (76.0, ground - radius), (248.0, ground - radius)
    for hub in (front, rear):
        canvas.ring(hub, radius, PAPER, INK, 5)
        for spoke in range(6):
            canvas.line([hub, at_angle(hub, radius - 4, 60 * spoke + 15)], STONE, 1.2)
    pedals, head, seat = (170.0, ground - 40), (104.0, ground - 122), (200.0, ground - 122)
    canvas.stroke([rear, pedals, head, seat, rear], colour, 6)
    canvas.stroke([seat, pedals], colour, 6)
    canvas.stroke([front, head, (98, ground - 150)], colour, 6)
    canvas.stroke([(98, ground - 150), (122, ground - 154)], INK, 6)
    canvas.stroke([seat, (206, ground - 142)], INK, 5)
    canvas.stroke([(188, ground - 144), (224, ground - 144)], INK, 9)
    canvas.ring(pedals, 14, PAPER, INK, 4)


def bean() -> Canvas:
    days = (("Day 1", 0), ("Day 5", 1), ("Day 9", 2), ("Day 14", 3))
    return _joined([_bean_day(caption, stage) for caption, stage in days], 10)


def _bean_day(caption: str, stage: int) -> Canvas:
    canvas = Canvas(236, 420, "#eef3ee")
    canvas.box((0, 350), 236, 70, "#cbb18d")
    canvas.polygon([(60, 270), (176, 270), (160, 356), (76, 356)], "#b9613f")
    canvas.box((52, 258), 132, 20, "#a5522f", 4)
    canvas.box((62, 252), 112, 10, "#4a3426", 4)
    if stage == 0:
        canvas.disc((118, 248), 15, "#efe4cd", 0.6)
        canvas.disc((118, 246), 4, "#7a5a3c", 0.6)
    else:
        height = (0, 60, 120, 180)[stage]
        canvas.line([(118, 254), (118, 254 - height)], GREEN, 6)
        for place in range(stage):
            _leaf_pair(canvas, (118, 254 - 56 * (place + 1) + 6))
    if stage == 3:
        for petal in range(5):
            canvas.disc(at_angle((118, 72), 11, 90 + 72 * petal), 8, WHITE)
        canvas.disc((118, 72), 6, AMBER)
    canvas.line([(206, 252), (206, 72)], MUTED, 2)
    for tick in range(4):
        canvas.line([(198, 252 - 60 * tick), (206, 252 - 60 * tick)], MUTED, 2)
        canvas.text((222, 252 - 60 * tick), str(10 * tick), 13, MUTED)
    canvas.text((206, 54), "cm", 14, MUTED)
    canvas.bold((118, 388), caption, 21)
    return canvas


def _leaf_pair(canvas: Canvas, at: Point) -> None:
    x, y = at
    for side in (-1, 1):
        canvas.polygon(
            [(x, y), (x + side * 20, y - 16), (x + side * 46, y - 12), (x + side * 26, y + 4)],
            "#4f8f5b",
        )


def lost_dog() -> Canvas:
    notices = (
        (
            "LOST DOG",
            (
                "Biscuit, brown, white chest,",
                "red collar. Ran off in",
                "Castle Park, Sat 3 May,",
                "about 10:00.",
                "Please call Ida, 555 0142",
            ),
            "#fdf4d6",
            True,
        ),
        (
            "DOG SEEN",
            (
                "Sat 3 May, 13:30:",
                "brown dog with red collar",
                "at the bakery in Ferry",
                "Street. It took a roll and",
                "went off to the harbour.",
            ),
            "#e6f0f4",
            False,
        ),
        (
            "FOUND",
            (
                "Biscuit slept on the ferry",
                "to Gull Island and is at",
                "the harbour office there.",
                "Well, and full of fish.",
                "Sun 4 May, 8:15",
            ),
            "#e7f1e2",
            True,
        ),
    )
    return _joined([_notice(*notice) for notice in notices], 12)


def _notice(title: str, rows: Sequence[str], colour: str, pictured: bool) -> Canvas:
    canvas = Canvas(308, 480, "#b99568")
    canvas.polygon([(18, 26), (288, 18), (294, 458), (22, 462)], "#9c7a50")
    canvas.polygon([(16, 22), (286, 14), (290, 452), (18, 456)], colour)
    canvas.disc((152, 26), 8, RED)
    canvas.bold((160, 66), title, 29)
    if pictured:
        _dog(canvas, (152, 236))
    else:
        canvas.disc((152, 200), 62, "#d9a860", 0.55)
        for slash in (-26, 0, 26):
            canvas.stroke([(146 + slash, 216), (158 + slash, 186)], "#b17f3c", 6)
    canvas.rows((152, 290), rows, 18, 1.6)
    return canvas


def _dog(canvas: Canvas, foot: Point) -> None:
    """A sitting dog seen from the front."""
    x, y = foot
    brown = "#8a5a34"
    canvas.bezier([(x + 36, y - 14), (x + 78, y - 20), (x + 70, y - 54)], brown, 10)
    canvas.disc((x, y - 36), 46, brown, 0.86)
    canvas.disc((x, y - 34), 22, WHITE, 1.2)
    canvas.box((x - 28, y - 72), 56, 10, RED, 5)
    canvas.disc((x, y - 98), 36, brown, 0.92)
    for side in (-1, 1):
        canvas.disc((x + side * 36, y - 92), 13, "#6d4526", 2)
        canvas.disc((x + side * 13, y - 106), 4.5, INK)
    canvas.disc((x, y - 90), 8, INK, 0.75)
    canvas.arc((x, y - 84), 9, 200, 340, INK, 2.5)


def forecast() -> Canvas:
    days = (
        ("Thursday", "sun", "19 / 9 °C", "Rain 0 %", "Wind 10 km/h"),
        ("Friday", "cloud", "17 / 10 °C", "Rain 20 %", "Wind 15 km/h"),
        ("Saturday", "rain", "12 / 8 °C", "Rain 90 %", "Wind 45 km/h"),
        ("Sunday", "sun", "15 / 6 °C", "Rain 10 %", "Wind 20 km/h"),
    )
    return _joined([_weather_day(*day) for day in days], 10)


def _weather_day(name: str, sky: str, degrees: str, rain: str, wind: str) -> Canvas:
    canvas = Canvas(236, 400, "#eaf1f5")
    canvas.bold((132, 32), name, 23)
    if sky == "sun":
        for ray in range(12):
            canvas.stroke(
                [at_angle((118, 136), 56, 30 * ray), at_angle((118, 136), 70, 30 * ray)], AMBER, 5
            )
        canvas.disc((118, 136), 44, "#f0b840")
    else:
        colour = "#b9c3ca" if sky == "cloud" else "#7f8c96"
        for centre, radius in (((86, 146), 32), ((120, 124), 42), ((156, 146), 32)):
            canvas.disc(centre, radius, colour)
        canvas.box((60, 140), 124, 38, colour, 18)
    if sky == "rain":
        for drop in range(5):
            canvas.stroke([(72 + 24 * drop, 188), (64 + 24 * drop, 210)], BLUE, 4)
    canvas.bold((118, 262), degrees, 26)
    canvas.rows((118, 312), (rain, wind), 20, 1.7, MUTED)
    return canvas


def pond() -> Canvas:
    return _joined((_pond_season(winter=False), _pond_season(winter=True)))


def _pond_season(winter: bool) -> Canvas:
    canvas = Canvas(462, 480)
    canvas.gradient(0, 240, *(("#c3ccd4", "#e9ecee") if winter else ("#a9d3ea", "#e2f1f4")))
    canvas.box((0, 230), 462, 250, "#f2f5f7" if winter else "#8fb873")
    canvas.disc((240, 350), 180, "#c9dbe6" if winter else "#5e9cc0", 0.44)
    canvas.box((84, 110), 18, 150, "#5e4634")
    if winter:
        for tip in ((40, 60), (74, 40), (120, 44), (150, 78)):
            canvas.stroke([(93, 130), tip], "#5e4634", 6)
    else:
        for blob in ((93, 80), (54, 108), (134, 106)):
            canvas.disc(blob, 46, "#4f8a4f")
    _hut(canvas, (350, 240), winter)
    if winter:
        _snowman(canvas, (150, 300))
        canvas.bezier([(180, 380), (240, 330), (300, 420), (350, 350)], WHITE, 3)
        for post in (304, 386):
            canvas.line([(post, 430), (post, 456)], "#5e4634", 6)
        canvas.framed((286, 396), 124, 42, "#f6e27c", INK, 2, 4)
        canvas.text((348, 417), "THIN ICE", 19, RED)
    else:
        for lily in ((170, 340), (220, 390), (330, 380)):
            canvas.disc(lily, 24, "#5a9a56", 0.45)
        canvas.disc((220, 384), 8, "#e59ab8")
        canvas.polygon([(250, 316), (330, 316), (316, 336), (264, 336)], RED)
    return canvas


def _hut(canvas: Canvas, foot: Point, snowy: bool) -> None:
    x, y = foot
    canvas.box((x - 50, y - 70), 100, 74, "#a5764c")
    canvas.box((x - 14, y - 44), 28, 48, "#5a4030")
    canvas.polygon(
        [(x - 64, y - 66), (x, y - 120), (x + 64, y - 66)], WHITE if snowy else "#8c4434"
    )


def _snowman(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    for lift, radius in ((-26, 34), (-74, 26), (-112, 19)):
        canvas.ring((x, y + lift), radius, WHITE, "#b9c5ce", 2)
    canvas.box((x - 16, y - 152), 32, 26, INK, 2)
    canvas.box((x - 25, y - 130), 50, 6, INK, 2)
    canvas.polygon([(x, y - 114), (x + 22, y - 109), (x, y - 106)], AMBER)
    for side in (-7, 7):
        canvas.disc((x + side, y - 117), 2.6, INK)


@dataclass(frozen=True)
class Room:
    """What may differ between two views of the same living room."""

    clock: str
    curtain: str
    has_cat: bool
    books: int
    lamp_is_lit: bool


def rooms() -> Canvas:
    before = Room(clock="3:00", curtain=RED, has_cat=True, books=5, lamp_is_lit=False)
    after = Room(clock="9:00", curtain=BLUE, has_cat=False, books=3, lamp_is_lit=True)
    return _joined((_room(before), _room(after)))


def _room(room: Room) -> Canvas:
    canvas = Canvas(470, 500, "#efe7d8")
    canvas.box((0, 400), 470, 100, "#c29a6d")
    canvas.framed((60, 70), 150, 150, "#bcdcea", WHITE, 8)
    canvas.line([(135, 74), (135, 216)], WHITE, 6)
    for left in (40, 192):
        canvas.box((left, 56), 40, 182, room.curtain, 6)
    canvas.ring((300, 92), 42, WHITE, INK, 5)
    canvas.stroke([(300, 92), at_angle((300, 92), 22, 0 if room.clock == "3:00" else 180)], INK, 5)
    canvas.stroke([(300, 92), at_angle((300, 92), 32, 90)], INK, 3.5)
    canvas.box((236, 214), 124, 10, WOOD)
    for place in range(room.books):
        canvas.box((244 + 22 * place, 158), 18, 56, (TEAL, AMBER, RED, BLUE, GREEN)[place], 2)
    canvas.box((60, 300), 240, 84, "#6c8f86", 20)
    canvas.box((46, 336), 30, 78, "#557870", 12)
    canvas.box((284, 336), 30, 78, "#557870", 12)
    canvas.box((66, 360), 228, 46, "#7fa39a", 12)
    if room.has_cat:
        cat(canvas, (176, 362), "#5c5750")
    _floor_lamp(canvas, (408, 420), room.lamp_is_lit)
    canvas.disc((180, 456), 130, "#b5654a", 0.2)
    return canvas


def _floor_lamp(canvas: Canvas, foot: Point, is_lit: bool) -> None:
    x, y = foot
    if is_lit:
        canvas.polygon(
            [(x - 32, y - 150), (x + 32, y - 150), (x + 62, y), (x - 110, y)], "#ffe48a", 0.5
        )
    canvas.box((x - 3, y - 160), 6, 160, INK)
    canvas.disc((x, y), 34, INK, 0.2)
    canvas.polygon(
        [(x - 22, y - 214), (x + 22, y - 214), (x + 38, y - 148), (x - 38, y - 148)],
        "#ffd65c" if is_lit else STONE,
    )
