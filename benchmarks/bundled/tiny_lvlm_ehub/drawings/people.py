"""People without particular faces: sitting behind a table, or standing."""

from benchmarks.bundled.touchstone.figures.shapes import INK, Point

from .sheet import Sheet

SKIN = ("#f0c8a4", "#c98e62", "#8a5a3c", "#e8b78e")


def seated(
    canvas: Sheet, chest: Point, shirt: str, skin: str, hair: str, long_hair: bool = False
) -> None:
    """The upper half of somebody; `chest` is where head and shoulders meet, the rest ends 130
    below."""
    x, y = chest
    if long_hair:
        canvas.box((x - 42, y - 96), 84, 118, hair, 38)
    canvas.box((x - 62, y + 2), 124, 140, shirt, 40)
    canvas.box((x - 14, y - 26), 28, 44, skin, 10)
    canvas.disc((x, y - 54), 36, skin, 1.12)
    canvas.slice((x, y - 60), 39, -96, 96, hair)
    face(canvas, (x, y - 50))


def face(canvas: Sheet, at: Point, scale: float = 1) -> None:
    x, y = at
    for side in (-13, 13):
        canvas.disc((x + side * scale, y), 3.6 * scale, INK)
    canvas.arc((x, y + 6 * scale), 12 * scale, 205, 335, INK, 2.6 * scale)


def standing(
    canvas: Sheet, foot: Point, height: float, shirt: str, trousers: str, skin: str, hair: str
) -> None:
    """Somebody seen from the front with the arms down."""
    x, y = foot
    unit = height / 100
    for side in (-1, 1):
        canvas.stroke(
            [(x + side * 6 * unit, y - 3 * unit), (x + side * 6 * unit, y - 46 * unit)],
            trousers,
            10 * unit,
        )
        canvas.box(
            (x + side * 6 * unit - 7 * unit, y - 5 * unit), 14 * unit, 6 * unit, INK, 3 * unit
        )
        canvas.stroke(
            [(x + side * 13 * unit, y - 74 * unit), (x + side * 18 * unit, y - 46 * unit)],
            shirt,
            7 * unit,
        )
        canvas.disc((x + side * 18 * unit, y - 43 * unit), 4 * unit, skin)
    canvas.box((x - 14 * unit, y - 80 * unit), 28 * unit, 38 * unit, shirt, 9 * unit)
    canvas.disc((x, y - 90 * unit), 10 * unit, skin)
    canvas.slice((x, y - 92 * unit), 11 * unit, -92, 92, hair)
    face(canvas, (x, y - 89 * unit), unit / 3.4)
