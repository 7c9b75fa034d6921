"""What stands beside the score of an entry in the figure a board opens with: several figures on one
line, and a bar of what the rest is made of. Markup for the room at the right of
`leaderboard.web.board.forest`, a row's line at a height of 0; classes do the looks."""

from collections.abc import Iterator

from django.utils.html import escape

from benchmarks.protocols.base import LeadPanel
from leaderboard.results.selectors import BoardEntry
from leaderboard.web.board.radar import MARKERS, tidy

DOTS, BAR = 170, 200
"""Widths of both drawings, in pixels."""
BAR_LEFT = 210
BAR_HEIGHT = 10
LETTER = 7.6
"""Width of a letter of a legend at 13 px."""
SIGN = 16
"""Room of a sign before its word."""


def panel_heads(panel: LeadPanel) -> str:
    """Both titles, and below each the legend."""
    dots = [(f"series-{n}", m.title) for n, m in enumerate(panel.dots.metrics, start=1)]
    parts = [(f"part-{n}", label) for n, (_, label) in enumerate(panel.bar.parts, start=1)]
    return "".join(
        [
            f'<text class="head">{escape(panel.dots.title)}</text>',
            *legend(dots, 0),
            f'<text class="head" x="{BAR_LEFT}">{escape(panel.bar.title)}</text>',
            *legend(parts, BAR_LEFT),
        ]
    )


def panel_scales() -> str:
    """Under each drawing what its line begins and ends with, at a height of 0."""
    ends = ((0, "0", ""), (DOTS, "100 %", " end"))
    bar = ((BAR_LEFT, "0", ""), (BAR_LEFT + BAR, "100 % of answers", " end"))
    return "".join(
        f'<text class="head{end}" x="{x}">{words}</text>' for x, words, end in (*ends, *bar)
    )


def legend(lines: list[tuple[str, str]], left: float) -> Iterator[str]:
    """Of each class its sign and what it means, in a line."""
    x = left
    for number, (name, title) in enumerate(lines):
        shape = (
            f'<path class="{name} marks" d="M{tidy(x + 5)} 14{MARKERS[number]}"/>'
            if name.startswith("series")
            else f'<rect class="{name}" x="{tidy(x)}" y="9" width="10" height="10"/>'
        )
        yield f'{shape}<text class="head" x="{tidy(x + SIGN)}" y="18">{escape(title)}</text>'
        x += SIGN + LETTER * (len(title) + 1)


def panel_row(panel: LeadPanel, entry: BoardEntry) -> str:
    return f"{dots_markup(panel, entry)}{bar_markup(panel, entry)}"


def dots_markup(panel: LeadPanel, entry: BoardEntry) -> str:
    """A sign for each value on a line from 0 to 1, and a stroke from the least to the most."""
    values = [entry.value(metric.name) for metric in panel.dots.metrics]
    known = [value * DOTS for value in values if value is not None]
    if not known:
        return ""
    stroke = f'<path class="span" d="M{tidy(min(known))} 0H{tidy(max(known))}"/>'
    signs = [
        f'<path class="series-{n + 1} marks" d="M{tidy(value * DOTS)} 0{MARKERS[n]}"/>'
        for n, value in enumerate(values)
        if value is not None
    ]
    return f'<path class="grid" d="M0 0H{DOTS}"/>{stroke}{"".join(reversed(signs))}'


def bar_markup(panel: LeadPanel, entry: BoardEntry) -> str:
    """As long as the share that is wrong, in its parts; the longest would be all of them."""
    right = entry.value(panel.rest_of.name)
    shares = [entry.value(name) for name, _ in panel.bar.parts]
    if right is None or not any(shares):
        return ""
    drawn, x = "", float(BAR_LEFT)
    for number, share in enumerate(shares, start=1):
        width = (share or 0.0) * (1 - right) * BAR
        place = f'x="{tidy(x)}" y="{-BAR_HEIGHT / 2:g}"'
        drawn += (
            f'<rect class="part-{number}" {place} width="{tidy(width)}" height="{BAR_HEIGHT}"/>'
        )
        x += width
    return drawn
