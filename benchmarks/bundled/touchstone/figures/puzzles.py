"""Pictures to doubt: a body that cannot be built and a scene with one impossible shadow."""

from .canvas import Canvas
from .shapes import Point


def impossible_triangle() -> Canvas:
    """Three beams of one thickness, each passing before the next: locally right, as a whole
    impossible."""
    canvas = Canvas(680, 620)
    canvas.gradient(0, 620, "#f4efe4", "#e2dac8")
    canvas.soft((340, 556), 270, "#8f8264", squeeze=0.1, opacity=0.5)
    faces = _faces((340, 372), hole=150, beam=62)
    for corners, colour in zip(faces, ("#c8574a", "#e3b04b", "#3f7d8c"), strict=True):
        canvas.polygon(corners, colour)
        canvas.line([*corners, corners[0]], "#2b2a28", 2.5)
    return canvas


def park_shadows() -> Canvas:
    """The sun stands low on the left; every shadow falls to the right but that of the lamp post."""
    canvas = Canvas(880, 560)
    canvas.gradient(0, 320, "#f7d9a6", "#f9ecd2")
    canvas.soft((110, 150), 150, "#fff3c0", opacity=0.9)
    canvas.disc((110, 150), 44, "#fbd15b")
    canvas.blob(
        [
            (-60, 340),
            (120, 276),
            (320, 300),
            (520, 264),
            (740, 296),
            (960, 270),
            (960, 360),
            (-60, 360),
        ],
        "#b9cc9a",
    )
    canvas.gradient(316, 560, "#9dbb7a", "#83a664")
    canvas.polygon([(0, 470), (880, 440), (880, 520), (0, 556)], "#d9c8a4")
    shade = "#5d7a48"
    canvas.polygon([(206, 404), (222, 404), (360, 420), (356, 432)], shade)
    canvas.blob([(340, 424), (380, 406), (450, 416), (468, 436), (400, 448)], shade)
    _tree(canvas, (214, 404))
    canvas.polygon([(462, 402), (570, 416), (612, 421), (612, 433), (566, 429), (456, 410)], shade)
    _bench(canvas, (520, 408))
    canvas.polygon([(634, 506), (646, 506), (500, 524), (496, 518)], "#a8946c")
    canvas.disc((490, 521), 17, "#a8946c", squeeze=0.35)
    _lamp_post(canvas, (640, 508))
    canvas.polygon([(748, 496), (774, 496), (862, 512), (858, 522)], "#a8946c")
    canvas.disc((866, 518), 13, "#a8946c", squeeze=0.5)
    _walker(canvas, (760, 496))
    return canvas


def _faces(centre: Point, hole: float, beam: float) -> list[list[Point]]:
    """The three L-shaped faces around a triangular hole of side `hole`, each a turned copy of the
    first.

    The first has its outer arm along the bottom and its inner arm up the left-hand side. Its
    corners are given along two axes of a triangular lattice, one pointing right and one pointing up
    at 60 degrees.
    """
    lattice = (
        (-beam, -2 * beam), (hole + 3 * beam, -2 * beam), (hole + 3 * beam, -beam),
        (0, -beam), (0, hole + beam), (-beam, hole + 2 * beam),
    )  # fmt: skip
    middle = hole / 3
    first = [
        (centre[0] + (right - middle) + (up - middle) / 2, centre[1] - (up - middle) * 3**0.5 / 2)
        for right, up in lattice
    ]
    return [[_turned(point, centre, thirds) for point in first] for thirds in range(3)]


def _turned(point: Point, centre: Point, thirds: int) -> Point:
    cosine, sine = ((1.0, 0.0), (-0.5, 3**0.5 / 2), (-0.5, -(3**0.5) / 2))[thirds]
    across, down = point[0] - centre[0], point[1] - centre[1]
    return centre[0] + across * cosine - down * sine, centre[1] + across * sine + down * cosine


def _tree(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    canvas.polygon([(x - 12, y), (x + 12, y), (x + 7, y - 110), (x - 7, y - 110)], "#7a5738")
    for across, up, radius, colour in (
        (-46, 140, 48, "#4f7f4a"),
        (46, 136, 46, "#446f42"),
        (0, 186, 58, "#568a50"),
        (0, 130, 48, "#4b7947"),
    ):
        canvas.disc((x + across, y - up), radius, colour)
    canvas.disc((x - 24, y - 196), 22, "#74a566")


def _bench(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    for shift in (-58, 50):
        canvas.box((x + shift, y - 40), 8, 42, "#3d4145")
    for row in range(3):
        canvas.box((x - 72, y - 78 + 15 * row), 144, 10, "#a8744a", radius=3)
    canvas.box((x - 76, y - 36), 152, 10, "#8f5f3a", radius=3)


def _lamp_post(canvas: Canvas, foot: Point) -> None:
    x, y = foot
    canvas.box((x - 5, y - 220), 10, 222, "#3d4145")
    canvas.box((x - 13, y - 14), 26, 16, "#3d4145", radius=3)
    canvas.polygon(
        [(x - 22, y - 262), (x + 22, y - 262), (x + 13, y - 220), (x - 13, y - 220)], "#f1ead4"
    )
    canvas.polygon([(x - 28, y - 260), (x, y - 284), (x + 28, y - 260)], "#3d4145")


def _walker(canvas: Canvas, foot: Point) -> None:
    """A woman in a red coat, walking to the left towards the sun."""
    x, y = foot
    canvas.curve([(x + 6, y - 60), (x + 12, y - 30), (x + 20, y - 3)], "#3a4256", 11)
    canvas.curve([(x - 4, y - 60), (x - 8, y - 30), (x - 16, y - 3)], "#48516a", 11)
    canvas.blob(
        [(x - 20, y - 46), (x - 18, y - 116), (x, y - 126), (x + 18, y - 116), (x + 24, y - 46)],
        "#c2483a",
    )
    canvas.curve([(x + 8, y - 108), (x + 22, y - 84), (x + 14, y - 62)], "#a83a2e", 11)
    canvas.disc((x - 2, y - 144), 18, "#e8bd9b")
    canvas.blob(
        [
            (x - 12, y - 160),
            (x + 8, y - 164),
            (x + 20, y - 146),
            (x + 18, y - 124),
            (x + 6, y - 140),
        ],
        "#4a2f1f",
    )
    canvas.disc((x - 10, y - 145), 2, "#22242a")
