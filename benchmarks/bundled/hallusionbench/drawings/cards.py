"""Printed cards with a piece of school knowledge, and misprinted copies of them."""

from .canvas import AMBER, BLUE, INK, MUTED, SHADE, TEAL, WHITE, Canvas, Point

DARK_SQUARE = "#b9c8bd"


def water(freezes: int, boils: int) -> Canvas:
    canvas = Canvas(640, 400, SHADE)
    _card(canvas, 340)
    canvas.polygon([(150, 84), (98, 208), (202, 208)], BLUE)
    canvas.disc((150, 226), 54.5, BLUE)
    canvas.disc((130, 236), 11, "#bcd8e8")
    canvas.text((250, 92), "WATER", 44, TEAL, anchor="lm")
    canvas.text((250, 156), "Formula:  H", 28, anchor="lm")
    canvas.text((393, 166), "2", 19, anchor="lm")
    canvas.text((405, 156), "O", 28, anchor="lm")
    canvas.text((250, 208), f"Freezes at {freezes} °C", 28, anchor="lm")
    canvas.text((250, 260), f"Boils at {boils} °C", 28, anchor="lm")
    canvas.text((250, 316), "at sea-level pressure", 20, MUTED, anchor="lm")
    return canvas


def chess(rook: str, bishop: str) -> Canvas:
    """Two rules; each says `diagonally` or another way in words and shows it in arrows."""
    canvas = Canvas(640, 420, SHADE)
    _card(canvas, 360)
    canvas.text((320, 68), "HOW THEY MOVE", 30, TEAL)
    for middle, letter, name, way in ((185, "R", "rook", rook), (455, "B", "bishop", bishop)):
        _board(canvas, (middle - 90, 104), letter, way)
        canvas.text((middle, 318), f"The {name} moves", 22)
        canvas.text((middle, 348), way, 22, TEAL)
    return canvas


def _card(canvas: Canvas, height: float) -> None:
    canvas.box((33, 34), 580, height, "#d3cdc0", radius=14)
    canvas.box((30, 30), 580, height, WHITE, radius=14)


def _board(canvas: Canvas, corner: Point, letter: str, way: str) -> None:
    """Five by five squares with one piece in the middle and arrows along its four ways."""
    x, y = corner
    for square in range(25):
        row, column = divmod(square, 5)
        canvas.box(
            (x + 36 * column, y + 36 * row), 36, 36, DARK_SQUARE if square % 2 else "#eef1ea"
        )
    middle = (x + 90, y + 90)
    ways = (
        ((1, 1), (1, -1), (-1, 1), (-1, -1))
        if way == "diagonally"
        else ((1, 0), (-1, 0), (0, 1), (0, -1))
    )
    for across, down in ways:
        canvas.arrow(middle, (middle[0] + 80 * across, middle[1] + 80 * down), INK, 4)
    canvas.disc(middle, 17, AMBER)
    canvas.text(middle, letter, 22, INK)
