"""Short stories in numbered frames, told forwards, backwards or out of order."""

from collections.abc import Sequence

from .canvas import BLUE, INK, LINE, RED, SKY, TEAL, WHITE, Canvas, Point

FRAME_WIDTH = 148
FRAME_HEIGHT = 200
GRASS = "#a9c6a2"
SLOPE_TOP: Point = (20, 78)
SLOPE_FOOT: Point = (128, 168)


def candle(heights: Sequence[float]) -> Canvas:
    canvas = Canvas(640, 240)
    for frame, height in enumerate(heights):
        x, y = _frame(canvas, frame, "#f4eee2")
        middle, table = x + FRAME_WIDTH / 2, y + 176
        canvas.box((x, table), FRAME_WIDTH, FRAME_HEIGHT - 176, "#c9b08c")
        canvas.disc((middle, table), 34, BLUE, squeeze=0.25)
        canvas.box((middle - 15, table - height), 30, height, WHITE, radius=3)
        canvas.box((middle - 15, table - height), 4, height, LINE, radius=2)
        canvas.line([(middle, table - height - 9), (middle, table - height)], INK, 2.5)
        _flame(canvas, (middle, table - height - 18))
    return canvas


def ball_on_slope(steps: Sequence[int]) -> Canvas:
    """In each frame the ball lies at a step of the slope: 0 is the top, 3 the foot."""
    canvas = Canvas(640, 240)
    for frame, step in enumerate(steps):
        x, y = _frame(canvas, frame, SKY)
        top = (x + SLOPE_TOP[0], y + SLOPE_TOP[1])
        foot = (x + SLOPE_FOOT[0], y + SLOPE_FOOT[1])
        right, ground = x + FRAME_WIDTH, y + FRAME_HEIGHT
        canvas.polygon(
            [(x, top[1]), top, foot, (right, foot[1]), (right, ground), (x, ground)], GRASS
        )
        canvas.disc(_resting_place(top, foot, 0.1 + 0.26 * step, 14), 14, RED)
    return canvas


def _frame(canvas: Canvas, index: int, background: str) -> Point:
    """Draws frame `index` with its number and returns its upper left corner."""
    corner = (12 + 156 * index, 20)
    canvas.box((corner[0] - 2, corner[1] - 2), FRAME_WIDTH + 4, FRAME_HEIGHT + 4, "#b9b3a7")
    canvas.box(corner, FRAME_WIDTH, FRAME_HEIGHT, background)
    badge = (corner[0] + FRAME_WIDTH - 20, corner[1] + 20)
    canvas.disc(badge, 14, TEAL)
    canvas.text(badge, str(index + 1), 18, WHITE)
    return corner


def _flame(canvas: Canvas, centre: Point) -> None:
    x, y = centre
    canvas.disc((x, y), 8, "#e9a23b", squeeze=1.5)
    canvas.polygon([(x - 7.2, y - 5), (x, y - 24), (x + 7.2, y - 5)], "#e9a23b")
    canvas.disc((x, y + 3), 4, "#fbe3a1", squeeze=1.6)


def _resting_place(top: Point, foot: Point, share: float, radius: float) -> Point:
    """The centre of a ball that touches the slope after `share` of its length."""
    run, fall = foot[0] - top[0], foot[1] - top[1]
    length = (run**2 + fall**2) ** 0.5
    return top[0] + run * share + radius * fall / length, top[
        1
    ] + fall * share - radius * run / length
