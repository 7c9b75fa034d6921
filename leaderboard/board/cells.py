"""Table rows and cells as markup. A board of a hundred rows has thousands of them: joined strings, not template nodes.

Classes: `figure` every cell of a figure, `best` of those that may be first in their column, `missing` without a value;
`value` the figure, `small` its interval and `n` what it counts over; `against` a row's difference to the leader.
Sorting reads the value, and of several that are printed alike `data-after`: how many of them are lower. The whisker is
an SVG in pixels on the column's own scale, with its origin at the low end; its numbers stand in the cell as text.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from benchmarks.protocols.base import Metric, PublishedRow
from leaderboard.board.comparison import difference_words
from leaderboard.formatting import (
    MISSING,
    interval_text,
    no_interval,
    print_rank,
    print_share,
    print_value,
    scale,
)
from leaderboard.scoring import MetricValue
from leaderboard.selectors import MOST_FOLDED, BoardEntry

WHISKER_WIDTH = 72
WHISKER_ROOM = 2
WHISKER_LENGTH = 2 * (WHISKER_WIDTH - 2 * WHISKER_ROOM)
HALVES = tuple(
    f"{half / 2:g}" for half in (*range(2 * WHISKER_WIDTH + 1), *range(-2 * WHISKER_WIDTH, 0))
)
"""Lengths by their number of half pixels, which is how finely a whisker is drawn; below zero too, as Python counts."""


@dataclass(frozen=True, slots=True)
class ColumnScale:
    """What a column's cells share.

    printed: a value as text; width: the same without a sign. texts: its values in ascending order, printed; after: how
    many before each are printed alike. low: the lowest end of a whisker, which lies `start` half pixels from the left;
    span: from there to the highest.
    """

    printed: Callable[[float], str]
    width: Callable[[float], str]
    texts: Mapping[float, str]
    after: Mapping[float, int]
    low: float
    start: float
    span: float

    def place(self, value: float) -> float:
        """Position along the whisker, in half pixels, of a value between the ends."""
        return self.start + self.length(value - self.low)

    def length(self, difference: float) -> float:
        """A difference of values, in half pixels."""
        return difference / self.span * WHISKER_LENGTH


def column_scale(metric: Metric, figures: Sequence[MetricValue]) -> ColumnScale:
    """Scale over a column's figures. Values printed alike are alike: they share a place."""
    factor, form = scale(metric), f"%.{metric.digits}f"

    def width(value: float) -> str:
        return form % (value * factor)

    printed = (
        partial(print_value, metric) if metric.higher_is_better is None else width
    )  # the first may write a sign
    texts = {
        value: printed(value) for value in sorted({f.value for f in figures if f.value is not None})
    }
    ends = [
        *texts,
        *(f.low for f in figures if f.low is not None),
        *(f.high for f in figures if f.high is not None),
    ]
    low, high = min(ends, default=0.0), max(ends, default=0.0)
    return ColumnScale(
        printed,
        width,
        texts,
        places_after(texts),
        low,
        start=2 * WHISKER_ROOM if high > low else WHISKER_WIDTH,
        span=high - low or 1.0,
    )


def places_after(texts: Mapping[float, str]) -> Mapping[float, int]:
    """By value, how many lower ones are printed alike."""
    seen: Counter[str] = Counter()
    found = {}
    for value, text in texts.items():
        found[value] = seen[text]
        seen[text] += 1
    return found


def figure_cell(
    metric: Metric, figure: MetricValue | None, column: ColumnScale, *, may_be_first: bool = False
) -> str:
    """`column` is the scale over all figures of the column, this one among them."""
    if figure is None or figure.value is None:
        return missing_cell(metric.empty if figure else "not measured")
    text = column.texts[figure.value]
    mark = " best" if may_be_first else ""
    after = f' data-after="{places}"' if (places := column.after[figure.value]) else ""
    interval = no_interval_markup(figure) if figure.low is None else interval_markup(figure, column)
    incomplete = partial_markup(figure) if figure.judged < figure.asked else ""
    return f'<td class="figure{mark}"{after}><span class="value">{text}</span>{interval}{incomplete}</td>'


@cache
def missing_cell(reason: str) -> str:
    return f'<td class="figure missing" title="{escape(reason)}">–<span class="sr"> {escape(reason)}</span></td>'


def published_cell(metric: Metric, value: float | None) -> str:
    if value is None:
        return missing_cell(NOT_PRINTED)
    return f'<td class="figure"><span class="value">{print_value(metric, value)}</span></td>'


def interval_markup(figure: MetricValue, column: ColumnScale) -> str:
    """The interval of a figure that has one: as a number, in words, and as a whisker."""
    value, low, high = figure.value, figure.low, figure.high
    assert value is not None
    assert low is not None
    assert high is not None
    printed, length = column.printed, column.length
    shown = interval_text(value, low, high, printed, column.width)
    return (
        f'<small title="95 %: {printed(low)} to {printed(high)}">{shown}</small>'
        f'<span class="n">n {figure.n}</span>'
        f'<svg class="whisker" viewBox="-{HALVES[round(column.place(low))]} 0 {WHISKER_WIDTH} 8" aria-hidden="true">'
        f'<path d="M0 4h{HALVES[round(length(high - low))]}"/>'
        f'<path d="M{HALVES[round(length(value - low))]} 4h0"/></svg>'
    )


def no_interval_markup(figure: MetricValue) -> str:
    """A dash in the place of the interval, and why there is none."""
    reason = f"no interval: {no_interval(figure)}"
    return (
        f'<small title="{reason}">{MISSING}<span class="sr"> {reason}</span></small>'
        f'<span class="n">n {figure.n}</span>'
    )


def partial_markup(figure: MetricValue) -> str:
    share = print_share(figure.judged / figure.asked)
    return (
        f'<span class="partial" title="judged {figure.judged} of {figure.asked}">○ {share}</span>'
    )


WHOLE_BUT_FOR = 1e-6
"""What sums of shares lose as floats is far less; a part printed nowhere is far more."""


def stacked_bar(parts: Sequence[tuple[str, float | None]]) -> SafeString:
    """Shares of a whole as one bar; `part-1`, `part-2` … name the fills. Its text is the list of its values. A share
    that is not defined is left out where the others make up the whole, else there is no bar."""
    known = [share for _, share in parts if share is not None]
    if len(known) < len(parts) and (not known or abs(sum(known) - 1) > WHOLE_BUT_FOR):
        return mark_safe(missing_cell("nothing to divide"))  # noqa: S308 - built from escaped pieces here
    drawn, x = [], 0.0
    for i, (_, share) in enumerate(parts, start=1):
        width = round((share or 0.0) * 160, 2)
        drawn.append(f'<rect class="part-{i}" x="{x:.2f}" y="0" width="{width}" height="12"/>')
        x += width
    text = ", ".join(f"{label} {share * 100:.1f} %" for label, share in parts if share is not None)
    return mark_safe(  # noqa: S308 - labels are escaped, the rest are numbers
        f'<td class="bar"><svg class="stacked" viewBox="0 0 160 12" role="img" aria-label="{escape(text)}">'
        f"<title>{escape(text)}</title>{''.join(drawn)}</svg></td>"
    )


# --- whole rows -----------------------------------------------------------------------------------------------

DIRECTIONS = {
    True: ("↑", "higher is better"),
    False: ("↓", "lower is better"),
    None: ("", "no better direction"),
}
NOT_PRINTED = "not printed in the source"
EMPTY_AGAINST = '<td class="against"></td>'
EMPTY_BOX = '<td class="choose"></td>'
NO_RANK = f'<td class="rank">{MISSING}<span class="sr"> not ranked</span></td>'


def head_cell(metric: Metric, *, url: str, aria_sort: str) -> str:
    """The head of a column with the link that sorts by it; `data-first` is the order with its better end first."""
    arrow, direction = DIRECTIONS[metric.higher_is_better]
    first = "asc" if metric.higher_is_better is False else "desc"
    return (
        f'<th class="column" scope="col" aria-sort="{aria_sort}" data-metric="{metric.name}" data-first="{first}">'
        f'<a href="{escape(url)}" title="{escape(metric.about)}">{escape(metric.title)}<span aria-hidden="true"> '
        f'{arrow}</span><span class="sr">, {direction}</span></a></th>'
    )


def choose_cell(entry: BoardEntry, *, is_chosen: bool) -> str:
    """A box of the form `choose`, to draw the entry in the charts."""
    checked = " checked" if is_chosen else ""
    return (
        f'<td class="choose"><label><input type="checkbox" name="m" value="{entry.id}" form="choose"{checked}>'
        f'<span class="sr">Draw {escape(entry.model)}</span></label></td>'
    )


def model_cells(entry: BoardEntry, folded: Sequence[tuple[BoardEntry, str]] = ()) -> str:
    """Rank and model: what a row begins with. `folded` are the entries that share its place, each with its score."""
    rank = (
        f'<td class="rank">{print_rank(entry.rank_best, entry.rank_worst)}</td>'
        if entry.rank
        else NO_RANK
    )
    name, about = escape(entry.model), about_entry(entry)
    return (
        f'{rank}<th class="model" scope="row"><a href="{reverse("entry", args=[entry.id])}" title="{name}">{name}</a> '
        f'<span class="about" title="{about}">{about}</span>{verified_markup(entry)}'
        f"{standing_markup(entry)}{texts_markup(entry)}"
        f"{fold_markup(folded)}</th>"
    )


def fold_markup(folded: Sequence[tuple[BoardEntry, str]]) -> str:
    if not folded:
        return ""
    lines = "".join(
        f'<li><a href="{reverse("entry", args=[entry.id])}">{escape(entry.model)}</a> '
        f'<span class="about">{about_entry(entry)} · {score}</span>{texts_markup(entry)}</li>'
        for entry, score in folded[:MOST_FOLDED]
    )
    more = len(folded) - MOST_FOLDED
    rest = f"<li>and {more:,} more, in the CSV and JSON files</li>" if more > 0 else ""
    return (
        f'<details class="same"><summary>{len(folded):,} more with the same answers</summary>'
        f"<ul>{lines}{rest}</ul></details>"
    )


def verified_markup(entry: BoardEntry) -> str:
    if not entry.verified:
        return ""
    sentence = escape(entry.verified)
    return f' <span class="verified" title="{sentence}">✓ verified<span class="sr">: {sentence}</span></span>'


def texts_markup(entry: BoardEntry) -> str:
    """By which texts it was judged, where not by today's."""
    if not entry.by_older_texts:
        return ""
    return f' <span class="flagged" title="{entry.by_older_texts}">{entry.by_older_texts}</span>'


def standing_markup(entry: BoardEntry) -> str:
    """Why the entry is marked or not ranked, in words; the whole sentence also where it is cut."""
    if not entry.standing.sentence:
        return ""
    sentence = escape(entry.standing.sentence)
    return f' <span class="flagged" title="{sentence}">{sentence}</span>'


def about_entry(entry: BoardEntry) -> str:
    """Who handed it in comes first: a narrow column cuts the rest, and the organisation is what they say of it. That
    of samples says what they are."""
    if entry.origin == "baseline":
        return "baseline"
    by = "" if entry.origin == "sample" else f"by {entry.handed_in_by}"
    parts = [by, entry.organisation, "open" if entry.is_open_weights else ""]
    return escape(" · ".join(part for part in parts if part))


def against_cell(metric: Metric, entry: BoardEntry) -> str:
    """How the entry compares with the leader, as a sentence; `metric` ranks. Empty without a rank."""
    if entry.rank is None:
        return EMPTY_AGAINST
    words = difference_words(metric, entry.to_leader) if entry.to_leader else "leads"
    return f'<td class="against">{words}</td>'


def coverage_cell(entry: BoardEntry) -> str:
    """What a row ends with."""
    mark = "" if entry.coverage >= 1 else '<span aria-hidden="true">○ </span>'
    reasons = f"{entry.unreadable} unreadable, {entry.failed} failed"
    return f'<td class="coverage" title="{reasons}">{mark}{print_share(entry.coverage)}</td>'


def published_row(row: PublishedRow, cells: str, *, is_choosing: bool) -> str:
    """A row printed in a paper; in a table with boxes its own place for one is empty."""
    model, source, judged = escape(row.model), escape(row.source), escape(print_judging(row))
    name = f'<a href="{escape(row.url)}">{source}</a>' if row.url else source
    mark = (
        f' <span class="tag" title="{escape(row.reproduced)}">reproduced in part</span>'
        if row.reproduced
        else ""
    )
    return (
        f'<tr class="printed">{EMPTY_BOX if is_choosing else ""}{NO_RANK}'
        f'<th class="model" scope="row"><b title="{model}">{model}</b> '
        f'<span class="about" title="{judged} · {source}">{judged} · {name}</span>{mark}</th>{cells}'
        f'<td class="coverage missing" title="{NOT_PRINTED}">–<span class="sr"> {NOT_PRINTED}</span></td></tr>'
    )


def print_judging(row: PublishedRow) -> str:
    """By which judge and on how many questions, as far as the source says."""
    if not row.judge and not row.questions:
        return "judge and questions not stated"
    questions = f"{row.questions:,} questions" if row.questions else "questions not stated"
    return f"{row.judge or 'judge not stated'} · {questions}"
