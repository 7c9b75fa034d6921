"""A dot plot as SVG: a row for each axis, grouped, and on it the sign of each series at its share
from 0 (left) to 1 (right). Classes are those of `leaderboard.web.board.radar`."""

from collections.abc import Sequence, Set

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from leaderboard.web.board.radar import RadarAxis, signs, tidy

WIDTH, NAME, LEFT, LENGTH = 380, 26, 224, 148
"""Of the drawing; where names begin, and where the scale does, and how long it is: the longest
title of an axis ends before it, and the drawing is readable on the narrowest pages."""
ROW, GROUP = 19, 28
TOP = 20
TICKS = 4


def draw_dots(
    *,
    label: str,
    axes: Sequence[RadarAxis],
    groups: Sequence[str],
    ends: tuple[str, str],
    series: Sequence[Sequence[float | None]],
    few: Sequence[Set[int]],
) -> SafeString:
    """`ends` are printed above the scale; `few` says of each series at which axes its sign is
    hollow."""
    heights, y, titles = [], TOP, ""
    for place, axis in enumerate(axes):
        if len(groups) > 1 and (not place or axis.group != axes[place - 1].group):
            y += GROUP
            title = escape(groups[axis.group])
            titles += f'<text class="group" x="{NAME}" y="{y - ROW + 5}">{title}</text>'
        titles += (
            f'<text class="number" x="{NAME - 7}" y="{y + 5}">{place + 1}</text>'
            f'<text x="{NAME}" y="{y + 5}">{escape(axis.title)}</text>'
        )
        heights.append(y)
        y += ROW
    rows = "".join(f"M{LEFT} {height}h{LENGTH}" for height in heights)
    ticks = "".join(f"M{LEFT + LENGTH * tick / TICKS:g} {TOP}V{y}" for tick in range(TICKS + 1))
    scale = (
        f'<text class="ring-text" x="{LEFT}" y="{TOP - 6}">{escape(ends[0])}</text>'
        f'<text class="ring-text end" x="{LEFT + LENGTH}" y="{TOP - 6}">{escape(ends[1])}</text>'
    )
    drawn = []
    for number, shares in enumerate(series, start=1):
        spots = [
            (place, f"{tidy(LEFT + LENGTH * share)} {heights[place]}")
            for place, share in enumerate(shares)
            if share is not None
        ]
        sure = [spot for place, spot in spots if place not in few[number - 1]]
        unsure = [spot for place, spot in spots if place in few[number - 1]]
        drawn.append(
            f'<g class="series-{number}">{signs(number, sure)}{signs(number, unsure, "few")}</g>'
        )
    return mark_safe(  # noqa: S308 - titles and label are escaped, the rest are numbers
        f'<svg class="dots" viewBox="0 0 {WIDTH} {y}" role="img" aria-label="{escape(label)}">'
        f'<path class="spoke" d="{rows}{ticks}"/>{scale}{titles}{"".join(reversed(drawn))}</svg>'
    )
