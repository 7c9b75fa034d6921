"""Table cells as markup. A board of a hundred rows has thousands of them: joined strings, not template nodes.

Classes: `figure` every cell, `best` / `second` of a column, `missing` without a value. `data-value` is the number
that sorting uses. The whisker is an SVG on the column's own scale; its numbers stand in the cell as text.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from benchmarks.protocols.base import Metric
from leaderboard.numbers import print_interval, print_range, print_share, print_value
from leaderboard.scoring import Figure

WHISKER_WIDTH = 72


@dataclass(frozen=True, slots=True)
class ColumnScale:
    """What a column's cells share: the ends of its whiskers, and its best and second-best printed values."""

    low: float
    high: float
    best: str
    second: str

    def place(self, value: float) -> float:
        """Position of a value along the whisker, in its units, kept inside it."""
        width = self.high - self.low
        share = (value - self.low) / width if width else 0.5
        return round(2 + min(max(share, 0.0), 1.0) * (WHISKER_WIDTH - 4), 1)


def column_scale(metric: Metric, figures: Sequence[Figure]) -> ColumnScale:
    """Scale over a column's figures. Values printed alike are alike: they share a place."""
    present = [f for f in figures if f.value is not None]
    ends = [v for f in present for v in (f.value, f.low, f.high) if v is not None] or [0.0]
    printed: list[str] = []
    if metric.higher_is_better is not None:
        ordered = sorted((f.value for f in present if f.value is not None), reverse=metric.higher_is_better)
        printed = list(dict.fromkeys(print_value(metric, value) for value in ordered))
    return ColumnScale(min(ends), max(ends), printed[0] if printed else "", printed[1] if len(printed) > 1 else "")


def figure_cell(metric: Metric, figure: Figure | None, column: ColumnScale) -> str:
    if figure is None or figure.value is None:
        return missing_cell(metric.empty if figure else "not measured")
    text = print_value(metric, figure.value)
    mark = " best" if text == column.best else " second" if text == column.second else ""
    interval = print_interval(metric, figure)
    parts = [f'<td class="figure{mark}" data-value="{figure.value:.6g}"><span class="value">{text}</span>']
    if interval:
        parts.append(f'<span class="interval" title="95 %: {print_range(metric, figure)}">{interval}</span>')
        parts.append(whisker(figure, column))
    if figure.judged < figure.asked:
        share = print_share(figure.judged / figure.asked)
        parts.append(f'<span class="partial" title="judged {figure.judged} of {figure.asked}">○ {share}</span>')
    parts.append("</td>")
    return "".join(parts)


def missing_cell(reason: str) -> str:
    return f'<td class="figure missing" title="{escape(reason)}">–<span class="sr"> {escape(reason)}</span></td>'


def published_cell(metric: Metric, value: float | None) -> str:
    if value is None:
        return missing_cell("not printed in the source")
    return f'<td class="figure" data-value="{value:.6g}"><span class="value">{print_value(metric, value)}</span></td>'


def whisker(figure: Figure, column: ColumnScale) -> str:
    assert figure.low is not None
    assert figure.high is not None
    assert figure.value is not None
    low, high, dot = column.place(figure.low), column.place(figure.high), column.place(figure.value)
    return (
        f'<svg class="whisker" viewBox="0 0 {WHISKER_WIDTH} 8" aria-hidden="true">'
        f'<line x1="{low}" x2="{high}" y1="4" y2="4"/><circle cx="{dot}" cy="4" r="2.5"/></svg>'
    )


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
