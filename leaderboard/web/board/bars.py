"""Bars as SVG: a panel for each axis, and in it a bar for each series from 0 (left) to 1 (right),
with its interval and its figure. Classes are those of `leaderboard.web.board.radar`."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from leaderboard.web.board.radar import signs, tidy

WIDTH, COLUMNS, GAP = 400, 2, 16
COLUMN = (WIDTH - GAP) // COLUMNS
SIGN, LEFT, LENGTH = 6, 16, 128
"""Where the sign of a series stands in a panel, where bars begin, and how long they are."""
TITLE, ROW, BELOW, HIGH = 20, 17, 14, 10


@dataclass(frozen=True, slots=True)
class Bar:
    """The ends of the interval are None where there is none. Without a share only what is printed
    is there."""

    printed: str
    share: float | None
    low: float | None = None
    high: float | None = None


def draw_bars(*, label: str, titles: Sequence[str], series: Sequence[Sequence[Bar]]) -> SafeString:
    """`series` have a bar for each title."""
    panel = TITLE + ROW * len(series) + BELOW
    corners = [
        (place % COLUMNS * (COLUMN + GAP), place // COLUMNS * panel) for place in range(len(titles))
    ]
    heads = "".join(
        f'<text x="{x}" y="{y + 13}">{escape(title)}</text>'
        for (x, y), title in zip(corners, titles, strict=True)
    )
    grid = drawn = intervals = values = ""
    for number, bars in enumerate(series, start=1):
        filled, spots = "", []
        for (x, top), bar in zip(corners, bars, strict=True):
            y, left = top + TITLE + ROW * number - ROW // 2, x + LEFT
            spots.append(f"{x + SIGN} {y}")
            grid += f"M{left} {y}h{LENGTH}"
            values += f'<text x="{x + COLUMN}" y="{y + 5}">{escape(bar.printed)}</text>'
            if bar.share is not None:
                length = tidy(LENGTH * bar.share)
                filled += f"M{left} {y - HIGH // 2}h{length}v{HIGH}h-{length}z"
            if bar.low is not None and bar.high is not None:
                low, high = (tidy(left + LENGTH * end) for end in (bar.low, bar.high))
                intervals += f"M{low} {y}H{high}"
        drawn += f'<g class="series-{number}">{signs(number, spots)}'
        drawn += f'<path class="bar" d="{filled}"/></g>'
    rows = -(-len(titles) // COLUMNS)
    return mark_safe(  # noqa: S308 - titles, figures and label are escaped, the rest are numbers
        f'<svg class="bars" viewBox="0 0 {WIDTH} {rows * panel}" role="img" '
        f'aria-label="{escape(label)}"><path class="spoke" d="{grid}"/>{drawn}'
        f'<path class="interval" d="{intervals}"/>'
        f'<g class="group">{heads}</g><g class="end">{values}</g></svg>'
    )
