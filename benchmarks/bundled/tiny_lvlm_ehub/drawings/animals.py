"""Animals that stand in scenes. `foot`, `ground` and `at` say where; `scale` 1 suits a picture 700
wide."""

from benchmarks.bundled.touchstone.figures.shapes import AMBER, INK, WHITE, Point, moved

from .sheet import Sheet


def sheep(canvas: Sheet, foot: Point, scale: float = 1) -> None:
    x, y = foot
    for leg in (-22, -8, 12, 24):
        canvas.line([(x + leg * scale, y), (x + leg * scale, y - 26 * scale)], "#3c3836", 6 * scale)
    for across, down, radius in (
        (-26, -40, 19),
        (-8, -52, 20),
        (14, -50, 20),
        (28, -38, 18),
        (0, -34, 24),
    ):
        canvas.disc((x + across * scale, y + down * scale), radius * scale, "#f7f4ec")
    canvas.disc((x - 46 * scale, y - 48 * scale), 12 * scale, "#3c3836", 1.3)
    canvas.stroke(moved([(-38, -58), (-28, -56)], foot, scale), "#3c3836", 6 * scale)
    canvas.disc((x - 49 * scale, y - 52 * scale), 2.4 * scale, WHITE)


def dog(canvas: Sheet, foot: Point, scale: float = 1, colour: str = "#8a5a33") -> None:
    """A dog that stands and looks to the left."""
    dark = "#5e3b1f"
    for leg in (-30, -18, 24, 36):
        canvas.stroke(moved([(leg, -3), (leg, -34)], foot, scale), colour, 9 * scale)
    canvas.curve(moved([(40, -50), (60, -66), (62, -86)], foot, scale), colour, 8 * scale)
    canvas.blob(
        moved([(-40, -34), (-40, -58), (0, -60), (42, -58), (46, -34), (0, -30)], foot, scale),
        colour,
    )
    canvas.blob(moved([(-30, -50), (-36, -84), (-52, -94), (-66, -82), (-84, -74), (-82, -64),
                      (-58, -60)], foot, scale), colour)  # fmt: skip
    canvas.blob(moved([(-46, -92), (-34, -92), (-30, -66), (-42, -64)], foot, scale), dark)
    canvas.disc(moved([(-83, -72)], foot, scale)[0], 5 * scale, INK)
    canvas.disc(moved([(-60, -80)], foot, scale)[0], 3.2 * scale, INK)
    canvas.line(moved([(-48, -56), (-30, -58)], foot, scale), "#c23b2e", 6 * scale)


def lying_dog(canvas: Sheet, ground: Point, scale: float = 1) -> None:
    """A dog that lies and looks to the left."""
    colour, dark = "#8a5a33", "#5e3b1f"
    canvas.curve(moved([(70, -10), (92, -14), (104, -4)], ground, scale), colour, 10 * scale)
    canvas.blob(
        moved([(-50, 0), (-46, -36), (0, -46), (56, -44), (78, -20), (74, 0)], ground, scale),
        colour,
    )
    canvas.stroke(moved([(-30, -5), (-78, -5)], ground, scale), colour, 12 * scale)
    canvas.blob(moved([(-34, -26), (-40, -58), (-58, -64), (-74, -52), (-96, -44), (-94, -32),
                      (-66, -26)], ground, scale), colour)  # fmt: skip
    canvas.blob(moved([(-54, -62), (-40, -62), (-36, -34), (-50, -34)], ground, scale), dark)
    canvas.disc(moved([(-94, -42)], ground, scale)[0], 5.5 * scale, INK)
    canvas.arc(moved([(-68, -50)], ground, scale)[0], 4 * scale, 200, 340, INK, 2.4 * scale)
    canvas.disc(moved([(48, -14)], ground, scale)[0], 22 * scale, "#7d4f2b", 0.6)


def cat(canvas: Sheet, foot: Point, scale: float = 1, colour: str = "#d98c3c") -> None:
    """A cat that sits and looks at us."""
    canvas.curve(moved([(30, -8), (62, -10), (66, -36)], foot, scale), colour, 11 * scale)
    canvas.blob(
        moved([(-34, 0), (-34, -40), (-18, -72), (18, -72), (34, -40), (34, 0)], foot, scale),
        colour,
    )
    for side in (-1, 1):
        canvas.polygon(moved([(6, -114), (34, -138), (34, -98)], foot, scale, side < 0), colour)
        canvas.box(
            moved([(-13 + side * 13, -40)], foot, scale)[0],
            26 * scale,
            40 * scale,
            colour,
            10 * scale,
        )
    canvas.line(moved([(0, -34), (0, -2)], foot, scale), "#a9662a", 3 * scale)
    canvas.disc(moved([(0, -94)], foot, scale)[0], 36 * scale, colour, 0.86)
    for side in (-1, 1):
        canvas.disc(moved([(side * 14, -98)], foot, scale)[0], 6 * scale, "#4c7a3a")
        canvas.disc(moved([(side * 14, -98)], foot, scale)[0], 2.4 * scale, INK, 2)
        for rise in (-6, 2):
            canvas.line(
                moved([(side * 12, -84), (side * 46, -84 + rise)], foot, scale), WHITE, 1.6 * scale
            )
    canvas.polygon(moved([(-5, -88), (5, -88), (0, -82)], foot, scale), "#7d3b35")
    for across in (-10, 0, 10):
        canvas.stroke(
            moved([(across, -124), (across * 0.8, -112)], foot, scale), "#a9662a", 4 * scale
        )


def duck(canvas: Sheet, at: Point, scale: float = 1) -> None:
    """A duck that swims to the left."""
    canvas.blob(
        moved([(-34, -4), (-20, -18), (20, -16), (44, -28), (34, 6), (-20, 8)], at, scale),
        "#8f6d4c",
    )
    canvas.blob(moved([(-10, -12), (18, -12), (22, 0), (-8, 0)], at, scale), "#c9b79c")
    canvas.disc(moved([(-34, -28)], at, scale)[0], 14 * scale, "#2f7a56")
    canvas.stroke(moved([(-32, -16), (-28, -8)], at, scale), WHITE, 8 * scale)
    canvas.polygon(moved([(-46, -30), (-64, -24), (-46, -22)], at, scale), AMBER)
    canvas.disc(moved([(-38, -31)], at, scale)[0], 2.4 * scale, INK)


def goldfish(canvas: Sheet, at: Point, scale: float = 1) -> None:
    """A fish that swims to the left."""
    orange, fin = "#ee7d22", "#f5a351"
    canvas.blob(
        moved([(46, 0), (92, -40), (104, -14), (88, 0), (104, 14), (92, 40)], at, scale), fin
    )
    canvas.blob(moved([(-18, -30), (10, -56), (36, -24)], at, scale), fin)
    canvas.blob(
        moved([(-70, 2), (-44, -28), (10, -36), (54, -8), (54, 8), (10, 34), (-44, 28)], at, scale),
        orange,
    )
    canvas.blob(moved([(-6, 8), (24, 20), (8, 36), (-10, 24)], at, scale), fin)
    canvas.disc(moved([(-44, -8)], at, scale)[0], 9 * scale, WHITE)
    canvas.disc(moved([(-45, -8)], at, scale)[0], 5 * scale, INK)
    for x in (-8, 12, 32):
        canvas.arc(moved([(x, 0)], at, scale)[0], 14 * scale, 110, 250, "#c85f10", 2.6 * scale)


def bee(canvas: Sheet, at: Point, scale: float = 1, mirrored: bool = False) -> None:
    """A bee that flies to the right unless mirrored."""
    canvas.blob(moved([(2, -10), (-22, -44), (-4, -48), (12, -14)], at, scale, mirrored), "#dbe9f0")
    canvas.blob(moved([(8, -12), (8, -50), (26, -44), (20, -14)], at, scale, mirrored), "#eaf3f7")
    canvas.disc(at, 26 * scale, "#f2b822", 0.68)
    for x in (-12, 4):
        canvas.line(moved([(x, -15), (x, 15)], at, scale, mirrored), INK, 7 * scale)
    canvas.disc(moved([(26, -1)], at, scale, mirrored)[0], 11 * scale, INK)
    canvas.disc(moved([(30, -4)], at, scale, mirrored)[0], 3 * scale, WHITE)
    canvas.line(moved([(30, -10), (40, -22)], at, scale, mirrored), INK, 2 * scale)
    canvas.polygon(moved([(-24, -4), (-38, 0), (-24, 4)], at, scale, mirrored), INK)


def frog(canvas: Sheet, foot: Point, scale: float = 1) -> None:
    green, dark = "#5fa243", "#3f7a2b"
    for side in (-1, 1):
        canvas.blob(
            moved([(10, -6), (54, -44), (66, -16), (58, 0), (16, 0)], foot, scale, side < 0), dark
        )
    canvas.disc(moved([(0, -28)], foot, scale)[0], 42 * scale, green, 0.68)
    canvas.disc(moved([(0, -18)], foot, scale)[0], 26 * scale, "#cfe0a8", 0.6)
    for side in (-1, 1):
        canvas.disc(moved([(side * 22, -58)], foot, scale)[0], 15 * scale, green)
        canvas.disc(moved([(side * 22, -60)], foot, scale)[0], 10 * scale, WHITE)
        canvas.disc(moved([(side * 22, -60)], foot, scale)[0], 5 * scale, INK)
        canvas.box(
            moved([(side * 18 - 9, -8)], foot, scale)[0], 18 * scale, 9 * scale, green, 4 * scale
        )
    canvas.arc(moved([(0, -46)], foot, scale)[0], 20 * scale, 200, 340, INK, 3 * scale)


def grasshopper(canvas: Sheet, foot: Point, scale: float = 1) -> None:
    green, dark = "#7fae3c", "#4f7a1f"
    canvas.blob(
        moved([(-56, -30), (-36, -46), (30, -36), (70, -24), (26, -22), (-40, -20)], foot, scale),
        green,
    )
    canvas.blob(moved([(-20, -42), (40, -40), (78, -26), (20, -28)], foot, scale), "#a9c96a")
    canvas.stroke(moved([(4, -26), (34, -66), (60, 0)], foot, scale), dark, 7 * scale)
    for x in (-40, -22):
        canvas.stroke(moved([(x, -24), (x - 8, -12), (x - 4, 0)], foot, scale), dark, 4 * scale)
    canvas.disc(moved([(-56, -36)], foot, scale)[0], 14 * scale, green, 1.1)
    canvas.disc(moved([(-60, -40)], foot, scale)[0], 4.5 * scale, INK)
    canvas.curve(moved([(-60, -48), (-82, -70), (-100, -74)], foot, scale), dark, 2.5 * scale)


def heron(canvas: Sheet, foot: Point, scale: float = 1) -> None:
    """A heron that stands and looks to the left."""
    grey = "#8d9cab"
    for x in (0, 16):
        canvas.line(moved([(x, 0), (x, -66)], foot, scale), "#b08b4a", 4 * scale)
        canvas.line(moved([(x - 12, 0), (x + 8, 0)], foot, scale), "#b08b4a", 3.5 * scale)
    canvas.curve(
        moved([(-16, -100), (-40, -128), (-10, -152), (-28, -176)], foot, scale),
        "#dfe5ea",
        15 * scale,
    )
    canvas.blob(
        moved([(-30, -94), (0, -116), (44, -92), (76, -58), (20, -60), (-14, -68)], foot, scale),
        grey,
    )
    canvas.blob(moved([(0, -96), (44, -84), (70, -56), (22, -66)], foot, scale), "#5f6f7f")
    canvas.disc(moved([(-34, -180)], foot, scale)[0], 14 * scale, "#dfe5ea", 0.9)
    canvas.polygon(moved([(-44, -188), (-100, -172), (-44, -174)], foot, scale), AMBER)
    canvas.curve(moved([(-42, -190), (-24, -194), (4, -182)], foot, scale), INK, 5 * scale)
    canvas.disc(moved([(-40, -182)], foot, scale)[0], 2.8 * scale, INK)
