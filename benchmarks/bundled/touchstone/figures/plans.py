"""Drawings one reasons with: a floor plan, a circuit, and sums in geometry and weights."""

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
    STONE,
    TEAL,
    WHITE,
    Point,
    at_angle,
    noise,
)

METRE = 60.0


def floor_plan() -> Canvas:
    canvas = Canvas(860, 680)
    rooms = (
        ("Living room", 0, 0, 6, 4, "#f3e9d4"),
        ("Kitchen", 6, 0, 3, 4, "#e3ece4"),
        ("Hall", 0, 4, 9, 1.5, "#eeebe4"),
        ("Bedroom", 0, 5.5, 4, 4, "#e4e6f0"),
        ("Bathroom", 4, 5.5, 2, 4, "#dcecf1"),
        ("Study", 6, 5.5, 3, 4, "#f1e3dd"),
    )
    for name, x, y, width, depth, colour in rooms:
        corner = _plan(x, y)
        canvas.framed(
            (corner[0] - 4, corner[1] - 4), width * METRE + 8, depth * METRE + 8, colour, INK, 8
        )
        middle = _plan(x + width / 2, y + depth / 2)
        canvas.text((middle[0], middle[1] - 12), name, 19)
        canvas.text((middle[0], middle[1] + 13), f"{width:g} m x {depth:g} m", 16, MUTED)
    for start, end in (
        ((1, 0), (2.5, 0)),
        ((3.5, 0), (5, 0)),
        ((9, 1), (9, 3)),
        ((0, 6.5), (0, 8.5)),
        ((9, 6.5), (9, 8.5)),
    ):
        canvas.line([_plan(*start), _plan(*end)], WHITE, 8)
        canvas.line([_plan(*start), _plan(*end)], BLUE, 4)
    _plan_doors(canvas)
    _plan_legend(canvas)
    return canvas


def _plan_doors(canvas: Canvas) -> None:
    for x, y in ((4.5, 4), (2.5, 5.5), (4.55, 5.5), (7, 5.5)):
        canvas.line([_plan(x, y), _plan(x + 0.9, y)], "#ecc869", 9)
    canvas.line([_plan(0, 4.3), _plan(0, 5.2)], "#ecc869", 9)
    canvas.line([_plan(6, 2.9), _plan(6, 3.6)], "#f0a08f", 9)
    canvas.text((_plan(6, 3.25)[0] - 10, _plan(6, 3.25)[1]), "70 cm", 16, RED, "rm")
    canvas.arrow((14, _plan(0, 4.75)[1]), (_plan(0, 4.75)[0] - 8, _plan(0, 4.75)[1]), TEAL, 4)
    canvas.text((8, _plan(0, 4.75)[1] - 22), "IN", 16, TEAL, "lm")


def _plan_legend(canvas: Canvas) -> None:
    canvas.bold((636, 80), "Flat 3, ground floor", 20, anchor="lm")
    canvas.line([(636, 130), (672, 130)], "#ecc869", 9)
    canvas.rows((686, 130), ("door, 90 cm wide",), 17, anchor="lm")
    canvas.line([(636, 166), (672, 166)], "#f0a08f", 9)
    canvas.rows((686, 166), ("door, 70 cm wide",), 17, anchor="lm")
    canvas.line([(636, 202), (672, 202)], BLUE, 4)
    canvas.rows((686, 202), ("window",), 17, anchor="lm")


def _plan(x: float, y: float) -> Point:
    return 56 + METRE * x, 50 + METRE * y


def circuit() -> Canvas:
    canvas = Canvas(820, 560)
    canvas.bold((410, 36), "Three identical lamps, one 6 V battery", 23)
    canvas.line([(110, 240), (110, 100), (700, 100), (700, 460), (110, 460), (110, 310)], INK, 4)
    canvas.line([(530, 100), (530, 460)], INK, 4)
    canvas.box((80, 242), 60, 66, PAPER)
    canvas.line([(74, 262), (146, 262)], INK, 4)
    canvas.line([(92, 288), (128, 288)], INK, 9)
    canvas.line([(110, 240), (110, 262)], INK, 4)
    canvas.line([(110, 288), (110, 310)], INK, 4)
    canvas.text((58, 250), "+", 22)
    canvas.text((58, 292), "6 V", 22, anchor="mm")
    for node in ((530, 100), (530, 460)):
        canvas.disc(node, 8, INK)
    _switch(canvas, (230, 100), "S1", False, True)
    _switch(canvas, (530, 200), "S2", True, False)
    _switch(canvas, (700, 200), "S3", False, False)
    for at, name in (((390, 100), "L1"), ((530, 340), "L2"), ((700, 340), "L3")):
        _lamp(canvas, at, name)
    canvas.text(
        (410, 520), "A switch drawn slanted is open; a switch drawn straight is closed.", 18, MUTED
    )
    return canvas


def _switch(canvas: Canvas, centre: Point, name: str, is_open: bool, across: bool) -> None:
    x, y = centre
    start, end = ((x - 34, y), (x + 34, y)) if across else ((x, y + 34), (x, y - 34))
    canvas.line([start, end], PAPER, 12)
    lever = (x + 36, y - 26) if is_open else end
    canvas.stroke([start, lever], RED, 5)
    for dot in (start, end):
        canvas.disc(dot, 7, RED)
    canvas.text((x, y + 34) if across else (x - 40, y), name, 22)


def _lamp(canvas: Canvas, centre: Point, name: str) -> None:
    canvas.ring(centre, 32, WHITE, INK, 4)
    for turn in (45, 135):
        canvas.line([at_angle(centre, 31, turn), at_angle(centre, -31, turn)], INK, 4)
    canvas.text(
        (centre[0], centre[1] + 52) if centre[1] < 150 else (centre[0] - 56, centre[1]), name, 22
    )


def triangle() -> Canvas:
    """Legs of 9 and 12 with the height on the long side, true to scale at 40 units a centimetre."""
    canvas = Canvas(780, 500)
    a, b, c, d = (90.0, 410.0), (690.0, 410.0), (306.0, 122.0), (306.0, 410.0)
    canvas.polygon([a, b, c], "#e2edf0")
    canvas.polygon([a, d, c], "#cfe2e6")
    canvas.stroke([a, b, c, a], INK, 4)
    canvas.dashes(c, d, RED, 3.5, 8)
    canvas.line([(306, 388), (328, 388), (328, 410)], RED, 3)
    toward_a, toward_b = (c[0] - 15, c[1] + 20), (c[0] + 20, c[1] + 15)
    canvas.line([toward_a, (c[0] + 5, c[1] + 35), toward_b], INK, 3)
    for at, name in (((64, 424), "A"), ((714, 424), "B"), ((306, 92), "C"), ((306, 438), "D")):
        canvas.bold(at, name, 25)
    canvas.text((166, 246), "9 cm", 24)
    canvas.text((540, 246), "12 cm", 24)
    canvas.text((338, 300), "h", 26, RED)
    canvas.text((500, 440), "AB = ?     h = ?", 22, MUTED)
    return canvas


def garden() -> Canvas:
    """A garden of 20 m by 14 m with a path all round, at 36 units a metre."""
    canvas = Canvas(880, 640)
    canvas.box((120, 90), 720, 504, "#d9c6a2")
    for x, y in _pebbles():
        canvas.disc((120 + x, 90 + y), 2.2, "#bfa87d")
    canvas.box((192, 162), 576, 360, "#9cc08e")
    canvas.box((408, 270), 144, 144, "#7fb4cf")
    canvas.framed((408, 270), 144, 144, "#8fc0d8", WHITE, 4)
    canvas.rows((480, 330), ("pond", "4 m x 4 m"), 19)
    canvas.text((480, 214), "lawn", 22)
    canvas.text((480, 558), "gravel path, 2 m wide all round", 20)
    canvas.arrow((330, 56), (122, 56), INK, 2.5)
    canvas.arrow((630, 56), (838, 56), INK, 2.5)
    canvas.text((480, 56), "20 m (outer edge)", 21)
    canvas.arrow((72, 270), (72, 92), INK, 2.5)
    canvas.arrow((72, 414), (72, 592), INK, 2.5)
    canvas.text((64, 342), "14 m", 21)
    canvas.arrow((150, 240), (191, 240), INK, 2.5)
    canvas.arrow((160, 240), (121, 240), INK, 2.5)
    canvas.text((156, 222), "2 m", 18)
    return canvas


def _pebbles() -> list[Point]:
    return [(4 + 712 * noise(place, 1), 4 + 496 * noise(place, 2)) for place in range(900)]


def scales() -> Canvas:
    canvas = Canvas(1000, 420, "#e6e1d6")
    for place, (left, right) in enumerate((("ccc", "w12"), ("cbb", "w14"), ("bbp", "cccb"))):
        canvas.paste(_balance(str(place + 1), left, right), (10 + 328 * place, 10))
    return canvas


def _balance(number: str, left: str, right: str) -> Canvas:
    canvas = Canvas(322, 400)
    canvas.ring((32, 32), 18, WHITE, INK, 2)
    canvas.text((32, 32), number, 20)
    canvas.polygon([(161, 130), (176, 340), (146, 340)], STONE)
    canvas.box((96, 336), 130, 18, MUTED, 6)
    canvas.box((56, 126), 210, 10, MUTED, 4)
    canvas.disc((161, 131), 10, INK)
    for x, load in ((84, left), (238, right)):
        _pan(canvas, (x, 240), load)
    return canvas


def _pan(canvas: Canvas, foot: Point, load: str) -> None:
    x, y = foot
    canvas.line([(x, 132), (x - 66, y)], LINE, 2.5)
    canvas.line([(x, 132), (x + 66, y)], LINE, 2.5)
    canvas.box((x - 72, y), 144, 11, TEAL, 5)
    if load.startswith("w"):
        canvas.polygon([(x - 40, y), (x - 28, y - 52), (x + 28, y - 52), (x + 40, y)], "#4a4e54")
        canvas.ring((x, y - 60), 12, PAPER, "#4a4e54", 5)
        canvas.bold((x, y - 24), f"{load[1:]} kg", 19, WHITE)
        return
    pitch = 34 if len(load) == 4 else 42
    for place, kind in enumerate(load):
        _weight(canvas, (x + pitch * (place - (len(load) - 1) / 2), y), kind)


def _weight(canvas: Canvas, foot: Point, kind: str) -> None:
    x, y = foot
    if kind == "c":
        canvas.framed((x - 15, y - 30), 30, 30, AMBER, "#9a6414", 2)
    elif kind == "b":
        canvas.ring((x, y - 17), 17, BLUE, "#234f70", 2)
    else:
        canvas.outlined([(x - 19, y - 1), (x, y - 44), (x + 19, y - 1)], GREEN, "#2f5c3d", 2)
