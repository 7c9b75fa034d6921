"""Table rows and cells as markup. A board of a hundred rows has thousands of them: joined strings, not template nodes.

Classes: `figure` every cell of a figure, `best` / `second` of a column, `missing` without a value. `data-value` is the
number that sorting uses. The whisker is an SVG on the column's own scale; its numbers stand in the cell as text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from benchmarks.protocols.base import Metric
from leaderboard.numbers import MISSING, print_interval, print_range, print_rank, print_share, print_value
from leaderboard.scoring import Figure
from leaderboard.selectors import BoardEntry

WHISKER_WIDTH = 72


@dataclass(frozen=True, slots=True)
class ColumnScale:
    """What a column's cells share: the ends of its whiskers, and its best and second-best printed values."""

    low: float
    high: float
    best: str
    second: str

    def place(self, value: float) -> float:
        """Position along the whisker, in its units, of a value between the ends."""
        width = self.high - self.low
        share = (value - self.low) / width if width else 0.5
        return 2 + share * (WHISKER_WIDTH - 4)


def column_scale(metric: Metric, figures: Sequence[Figure]) -> ColumnScale:
    """Scale over a column's figures. Values printed alike are alike: they share a place."""
    values = [f.value for f in figures if f.value is not None]
    ends = [end for f in figures if f.value is not None for end in (f.low, f.high) if end is not None] + values or [0.0]
    best, second = ("", "") if metric.higher_is_better is None else first_two(metric, values)
    return ColumnScale(min(ends), max(ends), best, second)


def first_two(metric: Metric, values: Sequence[float]) -> tuple[str, str]:
    """The best printed value and the next that is printed differently; empty where there is none."""
    ordered = sorted(values, reverse=metric.higher_is_better is not False)
    best = print_value(metric, ordered[0]) if ordered else ""
    others = (text for value in ordered if (text := print_value(metric, value)) != best)
    return best, next(others, "")


def figure_cell(metric: Metric, figure: Figure | None, column: ColumnScale) -> str:
    if figure is None or figure.value is None:
        return missing_cell(metric.empty if figure else "not measured")
    text = print_value(metric, figure.value)
    mark = " best" if text == column.best else " second" if text == column.second else ""
    interval = "" if figure.low is None else interval_markup(metric, figure, column)
    partial = partial_markup(figure) if figure.judged < figure.asked else ""
    return (
        f'<td class="figure{mark}" data-value="{figure.value:.6g}">'
        f'<span class="value">{text}</span>{interval}{partial}</td>'
    )


@cache
def missing_cell(reason: str) -> str:
    return f'<td class="figure missing" title="{escape(reason)}">–<span class="sr"> {escape(reason)}</span></td>'


def published_cell(metric: Metric, value: float | None) -> str:
    if value is None:
        return missing_cell("not printed in the source")
    return f'<td class="figure" data-value="{value:.6g}"><span class="value">{print_value(metric, value)}</span></td>'


def interval_markup(metric: Metric, figure: Figure, column: ColumnScale) -> str:
    """The interval of a figure that has one: as a number, in words, and as a whisker."""
    assert figure.low is not None
    assert figure.high is not None
    assert figure.value is not None
    low, high, dot = column.place(figure.low), column.place(figure.high), column.place(figure.value)
    return (
        f'<span class="interval" title="95 %: {print_range(metric, figure)}">{print_interval(metric, figure)}</span>'
        f'<svg class="whisker" viewBox="0 0 {WHISKER_WIDTH} 8" aria-hidden="true">'
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="4" y2="4"/><circle cx="{dot:.1f}" cy="4" r="2.5"/></svg>'
    )


def partial_markup(figure: Figure) -> str:
    share = print_share(figure.judged / figure.asked)
    return f'<span class="partial" title="judged {figure.judged} of {figure.asked}">○ {share}</span>'


def stacked_bar(parts: Sequence[tuple[str, float | None]]) -> SafeString:
    """Shares of a whole as one bar; `part-1`, `part-2` … name the fills. Its text is the list of its values."""
    if any(share is None for _, share in parts):
        return mark_safe(missing_cell("nothing to divide"))  # noqa: S308 - built from escaped pieces here
    drawn, x = [], 0.0
    for i, (_, share) in enumerate(parts, start=1):
        width = round((share or 0.0) * 160, 2)
        drawn.append(f'<rect class="part-{i}" x="{x:.2f}" y="0" width="{width}" height="12"/>')
        x += width
    text = ", ".join(f"{label} {(share or 0.0) * 100:.1f} %" for label, share in parts)
    return mark_safe(  # noqa: S308 - labels are escaped, the rest are numbers
        f'<td class="bar"><svg class="stacked" viewBox="0 0 160 12" role="img" aria-label="{escape(text)}">'
        f"<title>{escape(text)}</title>{''.join(drawn)}</svg></td>"
    )


# --- whole rows -----------------------------------------------------------------------------------------------

NO_RANK = f'<td class="rank">{MISSING}<span class="sr"> not ranked</span></td>'


def choose_cell(entry: BoardEntry, *, is_chosen: bool) -> str:
    """A box of the form `choose`, to draw the entry in the charts."""
    checked = " checked" if is_chosen else ""
    return (
        f'<td class="choose"><label><input type="checkbox" name="m" value="{entry.id}" form="choose"{checked}>'
        f'<span class="sr">Draw {escape(entry.model)}</span></label></td>'
    )


def model_cells(entry: BoardEntry) -> str:
    """Rank and model: what a row begins with."""
    rank = f'<td class="rank">{print_rank(entry.rank_best, entry.rank_worst)}</td>' if entry.rank else NO_RANK
    name = escape(entry.model)
    return (
        f'{rank}<th class="model" scope="row"><a href="{reverse("entry", args=[entry.id])}" title="{name}">{name}</a> '
        f'<span class="about">{about_entry(entry)}</span></th>'
    )


def about_entry(entry: BoardEntry) -> str:
    if entry.origin == "baseline":
        return "baseline"
    openness = " · open" if entry.is_open_weights else ""
    sample = " · sample" if entry.origin == "sample" else ""
    return f"{escape(entry.organisation or 'no organisation named')}{openness}{sample}"


def coverage_cell(entry: BoardEntry) -> str:
    """What a row ends with."""
    mark = "" if entry.coverage >= 1 else '<span aria-hidden="true">○ </span>'
    reasons = f"{entry.unreadable} unreadable, {entry.failed} failed"
    return f'<td class="coverage" title="{reasons}">{mark}{print_share(entry.coverage)}</td>'
