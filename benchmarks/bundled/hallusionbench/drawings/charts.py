"""Charts and a table of facts that hold still, with copies in which two entries have changed
places."""

from collections.abc import Mapping, Sequence

from .canvas import AMBER, BLUE, GREEN, INK, LINE, MUTED, SHADE, TEAL, WHITE, Canvas, at_angle

PLANET_COLOURS = {"Mercury": "#9b958c", "Venus": "#dcb36a", "Earth": "#4d8fb8", "Mars": "#c0603f"}


def mountain_heights(metres: Mapping[str, int]) -> Canvas:
    canvas = Canvas(640, 440)
    canvas.text((320, 34), "Height of four mountains (metres)", 24)
    for thousand in range(0, 10, 2):
        y = 380 - 32 * thousand
        canvas.line([(80, y), (610, y)], LINE, 1.5)
        canvas.text((70, y), f"{1000 * thousand:,}", 16, MUTED, anchor="rm")
    for place, (name, height) in enumerate(metres.items()):
        x, tall = 148 + 131 * place, 32 * height / 1000
        canvas.box((x - 38, 380 - tall), 76, tall, TEAL)
        canvas.text((x, 380 - tall - 14), f"{height:,}", 18)
        canvas.text((x, 402), name, 18)
    canvas.line([(80, 380), (610, 380)], INK, 2)
    return canvas


def dry_air(percent: Mapping[str, int]) -> Canvas:
    """A pie of at most four parts, the largest first."""
    canvas = Canvas(640, 400)
    canvas.text((320, 34), "What dry air is made of", 24)
    centre, start = (220, 225), 0.0
    for place, (gas, share) in enumerate(percent.items()):
        colour = (BLUE, AMBER, GREEN, MUTED)[place]
        end = start + 3.6 * share
        canvas.slice(centre, 145, start, end, colour)
        canvas.box((410, 152 + 50 * place), 26, 26, colour, radius=4)
        canvas.text((450, 165 + 50 * place), f"{gas}  {share} %", 22, anchor="lm")
        start = end
    for boundary in _boundaries(list(percent.values())):
        canvas.line([centre, at_angle(centre, 147, 90 - boundary)], WHITE, 2)
    return canvas


def planet_table(names: Sequence[str]) -> Canvas:
    """The four inner planets; `names` fills the places from the Sun outwards."""
    canvas = Canvas(640, 340)
    canvas.box((40, 30), 560, 56, TEAL, radius=6)
    for x, heading in ((110, "Place"), (270, "Planet"), (470, "Distance from the Sun")):
        canvas.text((x, 58), heading, 21, WHITE)
    for row, (name, million_km) in enumerate(zip(names, (58, 108, 150, 228), strict=True)):
        y = 114 + 56 * row
        canvas.box((40, y - 28), 560, 56, SHADE if row % 2 else WHITE)
        canvas.text((110, y), str(row + 1), 22)
        canvas.disc((218, y), 13, PLANET_COLOURS[name])
        canvas.text((244, y), name, 22, anchor="lm")
        canvas.text((470, y), f"{million_km} million km", 22)
    return canvas


def _boundaries(shares: Sequence[int]) -> list[float]:
    return [3.6 * sum(shares[:count]) for count in range(len(shares))]
