"""Figures that deceive the eye, and copies in which what the eye believes, or its opposite, has
become true.

All lengths, radii and greys are arguments, so that the questions can state them.
"""

from .canvas import INK, RED, TEAL, Canvas, Point, at_angle

ORANGE = "#dd8a3c"
STONE = "#a9b0b2"
SLATE = "#7a8587"


def finned_lines(length_a: float, length_b: float) -> Canvas:
    """Line A ends in arrowheads, line B in opened fins: B looks longer than it is."""
    canvas = Canvas(640, 340)
    _finned_line(canvas, "A", 110, length_a, fin=-38)
    _finned_line(canvas, "B", 240, length_b, fin=38)
    return canvas


def ringed_discs(left_radius: float, right_radius: float) -> Canvas:
    """Large neighbours on the left, small ones on the right: the right disc looks larger than it
    is."""
    canvas = Canvas(640, 360)
    _ringed_disc(canvas, (185, 180), left_radius, neighbours=6, neighbour_radius=46, distance=108)
    _ringed_disc(canvas, (490, 180), right_radius, neighbours=8, neighbour_radius=14, distance=78)
    return canvas


def lines_over_rays(bulge: float, rays: bool) -> Canvas:
    """Two level lines; each runs `bulge` further outwards in the middle than at its ends."""
    canvas = Canvas(640, 380)
    centre = (320, 190)
    if rays:
        for direction in range(3, 180, 6):
            canvas.line(
                [at_angle(centre, -400, direction), at_angle(centre, 400, direction)], STONE, 1.6
            )
        canvas.disc(centre, 18, STONE)
    for side in (-1, 1):
        canvas.line([(x, 190 + side * _height(x, bulge)) for x in range(20, 621, 4)], RED, 7)
    return canvas


def squares_on_panels(on_dark: str, on_light: str) -> Canvas:
    """A grey looks lighter on a dark ground and darker on a light one."""
    canvas = Canvas(640, 340)
    canvas.box((40, 40), 280, 260, "#33393c")
    canvas.box((320, 40), 280, 260, "#e6e2da")
    canvas.box((135, 125), 90, 90, on_dark)
    canvas.box((415, 125), 90, 90, on_light)
    return canvas


def _finned_line(canvas: Canvas, name: str, y: float, length: float, fin: float) -> None:
    left, right = 330 - length / 2, 330 + length / 2
    canvas.text((46, y), name, 34, TEAL)
    for end, outwards in ((left, -1), (right, 1)):
        tip = end + outwards * fin
        canvas.line([(tip, y - 30), (end, y), (tip, y + 30)], SLATE, 5)
    canvas.line([(left, y), (right, y)], INK, 5)


def _ringed_disc(
    canvas: Canvas,
    centre: Point,
    radius: float,
    neighbours: int,
    neighbour_radius: float,
    distance: float,
) -> None:
    for place in range(neighbours):
        canvas.disc(
            at_angle(centre, distance, 90 + 360 * place / neighbours), neighbour_radius, STONE
        )
    canvas.disc(centre, radius, ORANGE)


def _height(x: float, bulge: float) -> float:
    return 62 + bulge * (1 - ((x - 320) / 300) ** 2)
