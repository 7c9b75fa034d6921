"""Comic strips with jokes of our own."""

from .canvas import Canvas
from .shapes import (
    AMBER,
    BLUE,
    GREEN,
    INK,
    MUTED,
    RED,
    SHADE,
    STONE,
    TEAL,
    WHITE,
    WOOD,
    Point,
    at_angle,
)

SKIN = "#e8b990"


def sunday() -> Canvas:
    canvas = Canvas(940, 500, INK)
    canvas.paste(_sunday_plan(), (8, 8))
    canvas.paste(_sunday_truth(), (474, 8))
    return canvas


def _caption(canvas: Canvas, words: str) -> None:
    canvas.box((0, 0), canvas.size[0], 46, "#f5dc9a")
    canvas.bold((canvas.size[0] / 2, 24), words, 21)


def _sunday_plan() -> Canvas:
    canvas = Canvas(458, 484, SHADE)
    _caption(canvas, "MY PLAN FOR SUNDAY")
    canvas.box((94, 82), 280, 360, "#cfc8b8", 6)
    canvas.box((86, 74), 280, 360, WHITE, 6)
    canvas.box((190, 62), 72, 26, STONE, 6)
    for place, task in enumerate(
        ("Run 10 km", "Clean the windows", "Learn Spanish", "Fix the bicycle")
    ):
        y = 140 + 70 * place
        canvas.framed((110, y - 14), 28, 28, WHITE, INK, 2.5, 4)
        canvas.text((154, y), task, 22, anchor="lm")
    return canvas


def _sunday_truth() -> Canvas:
    canvas = Canvas(458, 484, "#e4ecec")
    _caption(canvas, "MY SUNDAY")
    canvas.framed((316, 74), 110, 110, "#a9c9dc", WHITE, 7)
    canvas.line([(371, 78), (371, 180)], WHITE, 5)
    canvas.box((0, 420), 458, 64, "#c9a882")
    canvas.box((30, 270), 398, 130, TEAL, 26)
    canvas.box((20, 320), 60, 106, "#0f544c", 20)
    canvas.box((378, 320), 60, 106, "#0f544c", 20)
    canvas.disc((112, 312), 32, SKIN)
    canvas.slice((112, 306), 34, -100, 100, "#5c4030")
    canvas.arc((102, 316), 6, 190, 350, INK, 2.5)
    canvas.arc((126, 316), 6, 190, 350, INK, 2.5)
    canvas.box((92, 338), 280, 74, RED, 26)
    for stripe in range(5):
        canvas.box((150 + 42 * stripe, 338), 14, 74, "#e5a08f")
    canvas.text((172, 250), "z Z", 24, MUTED)
    cat(canvas, (290, 338), "#e0a049")
    canvas.speech((150, 130), 158, ("Finally, a plan", "I can support."), (282, 268), 18)
    return canvas


def cat(canvas: Canvas, foot: Point, colour: str) -> None:
    """A sitting cat seen from the front; `foot` is the middle of its base."""
    x, y = foot
    canvas.bezier([(x + 26, y - 6), (x + 70, y - 4), (x + 58, y - 44)], colour, 10)
    canvas.disc((x, y - 24), 32, colour, 0.8)
    for side in (-1, 1):
        canvas.polygon(
            [(x + side * 24, y - 60), (x + side * 22, y - 90), (x + side * 4, y - 72)], colour
        )
    canvas.disc((x, y - 56), 25, colour)
    for side in (-1, 1):
        canvas.disc((x + side * 9, y - 60), 3.2, INK)
        canvas.line([(x + side * 8, y - 49), (x + side * 34, y - 53)], INK, 1.3)
        canvas.line([(x + side * 8, y - 47), (x + side * 34, y - 45)], INK, 1.3)
    canvas.polygon([(x - 4, y - 53), (x + 4, y - 53), (x, y - 48)], "#7d3b2c")


def update() -> Canvas:
    canvas = Canvas(1000, 480, INK)
    words = ("5 minutes left", "4 minutes left", "Done! 12 new updates found")
    years = ("9:00", "17:30", "SOME YEARS LATER")
    for place in range(3):
        canvas.paste(_update_panel(years[place], words[place], place), (8 + 331 * place, 8))
    return canvas


def _update_panel(caption: str, status: str, stage: int) -> Canvas:
    canvas = Canvas(323, 464, ("#e6eef2", "#efe6d8", "#e3dfe6")[stage])
    _caption(canvas, caption)
    canvas.box((0, 400), 323, 64, WOOD)
    if stage == 2:
        _endless_beard(canvas)
    canvas.box((150, 354), 40, 40, MUTED)
    canvas.box((120, 388), 100, 14, MUTED, 5)
    canvas.box((36, 178), 250, 182, INK, 10)
    canvas.box((48, 190), 226, 158, "#2d5c86")
    canvas.text((161, 234), "Updating..." if stage < 2 else "Updated", 23, WHITE)
    canvas.framed((70, 262), 182, 22, "#2d5c86", WHITE, 2.5)
    canvas.box((73, 265), (88, 106, 176)[stage], 16, "#9ed0a5")
    canvas.text((161, 312), status, 16.5, WHITE)
    _waiting_head(canvas, stage)
    return canvas


def _waiting_head(canvas: Canvas, stage: int) -> None:
    """Someone looking over the monitor, with more beard the later it is."""
    x, y = 161.0, 126.0
    beard, hair = ((None, "#4a3326"), ("#4a3326", "#4a3326"), ("#eeeae4", "#eeeae4"))[stage]
    canvas.box((x - 46, 160), 92, 20, BLUE, 8)
    canvas.disc((x, y), 42, SKIN)
    canvas.slice((x, y - 4), 44, -82, 82, hair)
    canvas.disc((x, y - 2), 34, SKIN)
    for side in (-1, 1):
        canvas.disc((x + side * 14, y - 6), 4.5, INK)
    if beard:
        canvas.slice((x, y + 4), 42, 108, 252, beard)
    canvas.line([(x - 10, y + 18), (x + 10, y + 18)], INK if stage < 1 else "#a8604e", 3)


def _endless_beard(canvas: Canvas) -> None:
    """Hangs behind the monitor and comes out below it, over the edge of the desk."""
    canvas.polygon(
        [(66, 300), (262, 300), (270, 400), (216, 424), (170, 456), (122, 430), (58, 404)],
        "#eeeae4",
    )
    for x in (86, 116, 206, 238):
        canvas.bezier([(x, 362), (x - 8, 390), (161 + 0.5 * (x - 161), 424)], STONE, 2)


def cactus() -> Canvas:
    canvas = Canvas(940, 500, INK)
    canvas.paste(_cactus_panel(False), (8, 8))
    canvas.paste(_cactus_panel(True), (474, 8))
    return canvas


def _cactus_panel(is_answer: bool) -> Canvas:
    canvas = Canvas(458, 484, "#edf0e2")
    canvas.framed((250, 40), 180, 190, "#bfdcea", WHITE, 8)
    canvas.line([(340, 44), (340, 226)], WHITE, 6)
    canvas.box((0, 400), 458, 84, WOOD)
    canvas.box((0, 400), 458, 10, "#8a5f3b")
    _cactus_plant(canvas, (300, 400), in_bloom=is_answer)
    _fern(canvas, (404, 400))
    if is_answer:
        canvas.speech((24, 40), 210, ("Best six weeks", "of my life."), (262, 236), 19)
        canvas.speech((256, 92), 182, ("Nobody asked me.",), (404, 306), 18)
    else:
        _carer(canvas, (96, 400))
        canvas.speech(
            (20, 30),
            220,
            ("Sorry! I forgot you", "for six weeks.", "Are you all right?"),
            (110, 210),
            19,
        )
    return canvas


def _cactus_plant(canvas: Canvas, foot: Point, in_bloom: bool) -> None:
    x, y = foot
    canvas.polygon([(x - 38, y - 62), (x + 38, y - 62), (x + 28, y), (x - 28, y)], "#b9613f")
    canvas.box((x - 43, y - 72), 86, 16, "#a5522f", 4)
    canvas.stroke([(x + 18, y - 120), (x + 44, y - 120), (x + 44, y - 152)], GREEN, 16)
    canvas.box((x - 24, y - 190), 48, 120, GREEN, 24)
    for rib in (-10, 4):
        canvas.line([(x + rib, y - 178), (x + rib, y - 80)], "#477a54", 2)
    for side in (-8, 8):
        canvas.disc((x + side, y - 148), 3.4, INK)
    canvas.arc((x, y - 138), 7, 200, 340, INK, 2.5)
    if in_bloom:
        for bloom in ((x, y - 194), (x + 44, y - 164)):
            for petal in range(6):
                canvas.disc(at_angle(bloom, 11, 60 * petal), 8, "#d9618c")
            canvas.disc(bloom, 6, "#f3c54b")


def _fern(canvas: Canvas, foot: Point) -> None:
    """A fern with every frond hanging down."""
    x, y = foot
    for reach, drop in ((-58, -20), (-40, -6), (36, -14), (48, -40), (-20, 0)):
        canvas.bezier(
            [
                (x, y - 56),
                (x + reach * 0.5, y - 130),
                (x + reach, y - 90),
                (x + reach, y + drop - 14),
            ],
            "#a89a52",
            6,
        )
    canvas.polygon([(x - 28, y - 54), (x + 28, y - 54), (x + 20, y), (x - 20, y)], STONE)
    canvas.box((x - 32, y - 62), 64, 13, MUTED, 4)


def _carer(canvas: Canvas, foot: Point) -> None:
    """A grown-up with a watering can, behind the table."""
    x, y = foot
    canvas.box((x - 48, y - 116), 96, 116, BLUE, 30)
    canvas.disc((x, y - 150), 38, SKIN)
    canvas.slice((x, y - 156), 40, -100, 100, "#7c4a2c")
    for side in (-12, 12):
        canvas.disc((x + side, y - 146), 3.6, INK)
    canvas.disc((x, y - 130), 5, "#7d3b2c")
    canvas.stroke([(x + 34, y - 84), (x + 84, y - 66)], BLUE, 22)
    canvas.disc((x + 92, y - 64), 13, SKIN)
    canvas.box((x + 88, y - 60), 44, 42, AMBER, 5)
    canvas.stroke([(x + 130, y - 28), (x + 154, y - 58)], AMBER, 8)
