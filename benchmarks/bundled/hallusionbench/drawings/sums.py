"""Small exercises whose answer follows from what is drawn, not from what usually stands there."""

import math
from collections.abc import Collection

from .canvas import BLUE, INK, SHADE, TEAL, WHITE, WOOD, Canvas, at_angle

CHALK = "#f2efe6"
GROUND = "#e8f0ec"


def triangle(left_angle: int, right_angle: int) -> Canvas:
    """A triangle drawn true to its two lower angles; the upper one is left to the reader."""
    canvas = Canvas(640, 400)
    left, right = (130.0, 330.0), (530.0, 330.0)
    upper_angle = 180 - left_angle - right_angle
    side = 400 * math.sin(math.radians(right_angle)) / math.sin(math.radians(upper_angle))
    apex = at_angle(left, side, left_angle)
    canvas.polygon([left, right, apex], GROUND)
    canvas.arc(left, 44, 0, left_angle, BLUE)
    canvas.arc(right, 60, 180 - right_angle, 180, BLUE)
    canvas.arc(apex, 40, left_angle - 180, left_angle - 180 + upper_angle, BLUE)
    canvas.line([left, right, apex, left, right], INK, 4)
    canvas.text(at_angle(left, 78, left_angle / 2), f"{left_angle}°", 26)
    canvas.text(at_angle(right, 96, 180 - right_angle / 2), f"{right_angle}°", 26)
    canvas.text(at_angle(apex, 66, left_angle - 180 + upper_angle / 2), "?", 30, TEAL)
    return canvas


def blackboard(first: int, second: int, result: int) -> Canvas:
    canvas = Canvas(640, 420)
    canvas.box((60, 30), 520, 340, WOOD, radius=8)
    canvas.box((76, 46), 488, 308, "#2f4a43", radius=3)
    canvas.text((390, 110), str(first), 64, CHALK, anchor="rm")
    canvas.text((390, 188), str(second), 64, CHALK, anchor="rm")
    canvas.text((268, 188), "+", 56, CHALK)
    canvas.line([(236, 236), (410, 236)], CHALK, 4)
    canvas.text((390, 288), str(result), 64, CHALK, anchor="rm")
    canvas.box((40, 366), 560, 18, "#83593a", radius=4)
    canvas.box((430, 356), 64, 11, WHITE, radius=5)
    return canvas


def grid(shaded: Collection[int]) -> Canvas:
    """Twelve equal cells, four in a row, counted from the upper left; `shaded` says which are
    dark."""
    canvas = Canvas(640, 440)
    for cell in range(12):
        row, column = divmod(cell, 4)
        corner = (120 + 102 * column, 68 + 102 * row)
        canvas.box(corner, 94, 94, TEAL if cell in shaded else SHADE, radius=6)
    return canvas
