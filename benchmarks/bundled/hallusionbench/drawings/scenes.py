"""Everyday things drawn as one knows them, then with one detail that habit will not see."""

from collections.abc import Sequence

from .canvas import AMBER, BLUE, INK, LINE, RED, SKY, TEAL, WHITE, WOOD, Canvas, Point, at_angle

LAMPS = {"red": RED, "amber": AMBER, "green": "#3f9d68"}
CASING = "#2c3236"
GRASS = "#a9c6a2"


def traffic_light(top_to_bottom: Sequence[str]) -> Canvas:
    canvas = Canvas(640, 460, SKY)
    _hills(canvas, 400)
    canvas.box((311, 330), 18, 130, "#565d61")
    canvas.box((250, 40), 140, 320, CASING, radius=26)
    for place, lamp in enumerate(top_to_bottom):
        centre = (320, 98 + 102 * place)
        canvas.disc(centre, 44, "#171b1d")
        canvas.disc(centre, 38, LAMPS[lamp])
        canvas.disc((centre[0] - 13, centre[1] - 14), 8, "#f6e9d2")
    return canvas


def clock(clockwise: bool) -> Canvas:
    """A clock with its short hand to the right and its long hand up, whichever way the numbers
    run."""
    canvas = Canvas(640, 460)
    centre = (320, 230)
    canvas.disc(centre, 206, TEAL)
    canvas.disc(centre, 190, WHITE)
    for number in range(1, 13):
        direction = 90 - 30 * number if clockwise else 90 + 30 * number
        canvas.line([at_angle(centre, 176, direction), at_angle(centre, 188, direction)], INK, 4)
        canvas.text(at_angle(centre, 148, direction), str(number), 34)
    canvas.arrow(centre, at_angle(centre, 92, 0), INK, 8)
    canvas.arrow(centre, at_angle(centre, 124, 90), INK, 5)
    canvas.disc(centre, 12, RED)
    return canvas


def shop_sign(upper: str, lower: str) -> Canvas:
    canvas = Canvas(640, 420, "#efe3d3")
    canvas.box((50, 30), 540, 130, TEAL, radius=10)
    canvas.box((60, 40), 520, 110, "#fdf6e7", radius=6)
    canvas.text((320, 72), upper, 42, TEAL)
    canvas.text((320, 121), lower, 34, RED)
    for stripe in range(12):
        left = 50 + 45 * stripe
        colour = RED if stripe % 2 == 0 else "#fdf6e7"
        canvas.box((left, 174), 45, 44, colour)
        canvas.disc((left + 22.5, 218), 22.5, colour, squeeze=0.6)
    canvas.box((80, 252), 320, 130, "#bcd8e0", radius=4)
    for loaf in range(3):
        _loaf(canvas, (140 + 100 * loaf, 360))
    canvas.box((440, 252), 120, 168, WOOD, radius=4)
    canvas.box((460, 270), 80, 70, "#bcd8e0", radius=3)
    canvas.disc((546, 358), 6, AMBER)
    canvas.box((0, 400), 640, 20, "#b9ab98")
    return canvas


def signpost(lake_km: int, mill_km: int) -> Canvas:
    canvas = Canvas(640, 420, SKY)
    _hills(canvas, 340)
    canvas.disc((548, 78), 36, "#f3d48a")
    canvas.box((308, 60), 24, 330, WOOD, radius=6)
    canvas.polygon([(340, 90), (120, 90), (76, 130), (120, 170), (340, 170)], BLUE)
    canvas.text((218, 130), f"LAKE  {lake_km} km", 34, WHITE)
    canvas.polygon([(300, 196), (520, 196), (564, 236), (520, 276), (300, 276)], TEAL)
    canvas.text((422, 236), f"MILL  {mill_km} km", 34, WHITE)
    return canvas


def _hills(canvas: Canvas, horizon: float) -> None:
    canvas.disc((130, horizon + 60), 260, "#c7dcc0", squeeze=0.4)
    canvas.disc((540, horizon + 70), 300, "#bcd4b5", squeeze=0.4)
    canvas.box((0, horizon + 20), 640, 200, GRASS)


def _loaf(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    canvas.disc((x, y - 14), 40, "#c98e4f", squeeze=0.62)
    for cut in (-16, 0, 16):
        canvas.line([(x + cut - 4, y - 24), (x + cut + 5, y - 6)], "#f0d3a4", 4)
    canvas.box((x - 46, y + 6), 92, 6, LINE)
