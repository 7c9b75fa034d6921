"""Small drawings without words, for tables that say the same in figures: the best scores of a board
with their intervals, the range of a rank, and a difference with its interval. Classes do the looks
(static/css/site.css)."""

from collections.abc import Iterable, Sequence
from itertools import islice

from django.utils.safestring import SafeString, mark_safe

from benchmarks.protocols.base import Metric
from benchmarks.statistics.differences import Difference
from leaderboard.results.formatting import print_rank
from leaderboard.results.selectors import BoardEntry
from leaderboard.web.board.forest import ForestAxis
from leaderboard.web.board.lead_figure import axis_of, entry_row
from leaderboard.web.board.radar import tidy

SCORES, LINE = 300, 6
"""Width of all scores and height of each, in pixels."""
RANKS, RANKS_HIGH = 90, 12
DIFFERENCE, DIFFERENCE_HIGH = 320, 18
LEAST = 1.5
"""Width of its own rank, where a board has so many that it would not be seen."""
MOST_PLACED = 24
"""Entries of a page whose places are drawn: more would make a long page heavier than it may be."""


def score_strip(metric: Metric, entries: Sequence[BoardEntry]) -> SafeString:
    """A line for each entry, from end to end of its interval on the metric's own scale."""
    rows = [entry_row(metric, entry, entry.model) for entry in entries]
    axis = axis_of(metric, rows, ())
    drawn = ""
    for number, row in enumerate(rows):
        if row.value is None:
            continue
        y, x = LINE * number + LINE / 2, tidy(axis.share(row.value) * SCORES)
        low = axis.share(row.value if row.low is None else row.low) * SCORES
        high = axis.share(row.value if row.high is None else row.high) * SCORES
        drawn += f'<path d="M{tidy(low)} {y:g}H{tidy(high)}"/><circle cx="{x}" cy="{y:g}" r="2.5"/>'
    return drawing("scores", SCORES, LINE * len(rows), drawn)


def places_of(
    entries: Iterable[BoardEntry], ranked: int
) -> tuple[tuple[BoardEntry, str, SafeString], ...]:
    """Each entry that has a rank, with the ranks it may have in figures and drawn."""
    placed = (entry for entry in entries if entry.rank and not entry.scored_since)
    return tuple(
        (entry, print_rank(entry.rank_best, entry.rank_worst), rank_strip(entry, ranked))
        for entry in islice(placed, MOST_PLACED)
    )


def rank_strip(entry: BoardEntry, ranked: int) -> SafeString:
    """All ranks of the board from left to right: light those that the entry may have, dark its
    own."""
    step = RANKS / max(ranked, 1)
    best, worst = entry.rank_best or 1, entry.rank_worst or ranked
    own = min(max(entry.rank or best, best), worst)
    parts = (
        ("may", (best - 1) * step, (worst - best + 1) * step),
        ("own", (own - 1) * step, max(step, LEAST)),
    )
    drawn = (
        f'<path class="{name}" d="M{tidy(left)} 0h{tidy(width)}v{RANKS_HIGH}h-{tidy(width)}"/>'
        for name, left, width in parts
    )
    return drawing("ranks", RANKS, RANKS_HIGH, "".join(drawn))


def difference_axis(differences: Iterable[Difference]) -> ForestAxis:
    """One for all of these, on which nothing is zero."""
    ends = [0.0]
    for difference in differences:
        low, high = difference.low, difference.high
        ends += [difference.ahead, *(end for end in (low, high) if end is not None)]
    return ForestAxis("", min(ends), max(ends))


def difference_strip(axis: ForestAxis, difference: Difference) -> SafeString:
    """A point on its interval, and an upright line where neither would be ahead."""
    ahead, low, high = difference.ahead, difference.low, difference.high
    ends = (0.0, ahead, ahead if low is None else low, ahead if high is None else high)
    margin = DIFFERENCE_HIGH / 3
    zero, point, left, right = (
        tidy(margin + axis.share(end) * (DIFFERENCE - 2 * margin)) for end in ends
    )
    y = tidy(DIFFERENCE_HIGH / 2)
    drawn = (
        f'<path class="zero" d="M{zero} 0V{DIFFERENCE_HIGH}"/><path class="span" '
        f'd="M{left} {y}H{right}"/><circle cx="{point}" cy="{y}" r="5"/>'
    )
    return drawing("difference", DIFFERENCE, DIFFERENCE_HIGH, drawn)


def drawing(name: str, width: int, height: int, markup: str) -> SafeString:
    return mark_safe(  # noqa: S308 - numbers alone
        f'<svg class="strip-{name}" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" preserveAspectRatio="none" aria-hidden="true">{markup}</svg>'
    )
