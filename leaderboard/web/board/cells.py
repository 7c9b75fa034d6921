"""Table rows and cells as markup. A board of a hundred rows has thousands of them: joined strings,
not template nodes.

A cell without a class is a figure; `best` is one that may be first in its column, `sorted` one of
the column in whose order the rows stand, `missing` one without a value; `against` a row's
difference to the leader. In a figure `b` is the value, `small` its interval, `i` what it counts
over where that is not what the column's head says. Sorting reads the value, and of several that are
printed alike `data-after`: how many of them are lower. The whisker is an SVG in pixels on the
column's own scale; its numbers stand in the cell as text. Every byte of a cell counts a thousand
times on a page, so cells have few attributes; `data-label` is the column's title, for narrow pages
where a row is a card.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from benchmarks.protocols.base import Chart, Metric, PublishedRow, StackedBar
from benchmarks.scoring.sheets import MetricValue
from benchmarks.submissions.naming.names import isolated
from leaderboard.results.formatting import (
    MISSING,
    interval_text,
    no_interval,
    print_missing_labels,
    print_rank,
    print_share,
    print_value,
    why_missing,
)
from leaderboard.results.selectors import BoardEntry, ColumnSpan, most_common
from leaderboard.web.board.comparison import (
    NOT_COMPARABLE,
    of_values,
    print_difference,
    print_ends,
    verdict_words,
)

WHISKER_WIDTH = 72
WHISKER_ROOM = 2
WHISKER_LENGTH = 2 * (WHISKER_WIDTH - 2 * WHISKER_ROOM)
HALVES = tuple(f"{half / 2:g}" for half in range(2 * WHISKER_WIDTH + 1))
"""Lengths by their number of half pixels, which is how finely a whisker is drawn."""


@dataclass(frozen=True, slots=True)
class ColumnScale:
    """What a column's cells share.

    printed: a value as text. texts: its values in ascending order, printed; after: how many before
    each are printed alike. low: the lowest end of a whisker, which lies `start` half pixels from
    the left; span: from there to the highest. n: what most of them count over. label: its title as
    an attribute.
    """

    printed: Callable[[float], str]
    texts: Mapping[float, str]
    after: Mapping[float, int]
    low: float
    start: float
    span: float
    n: int | None = None
    label: str = ""

    def place(self, value: float) -> float:
        """Position along the whisker, in half pixels, of a value between the ends."""
        return self.start + self.length(value - self.low)

    def length(self, difference: float) -> float:
        """A difference of values, in half pixels."""
        return difference / self.span * WHISKER_LENGTH


def column_scale(
    metric: Metric, figures: Sequence[MetricValue], whole: ColumnSpan | None = None
) -> ColumnScale:
    """Scale over a column's figures, and over `whole`, that of the board of which they are a part.
    Values printed alike are alike: they share a place."""
    printed = partial(print_value, metric)
    texts = {
        value: printed(value) for value in sorted({f.value for f in figures if f.value is not None})
    }
    ends = [
        *texts,
        *(f.low for f in figures if f.low is not None),
        *(f.high for f in figures if f.high is not None),
        *(end for end in (whole[:2] if whole else ()) if end is not None),
    ]
    low, high = min(ends, default=0.0), max(ends, default=0.0)
    return ColumnScale(
        printed,
        texts,
        places_after(texts),
        low,
        start=2 * WHISKER_ROOM if high > low else WHISKER_WIDTH,
        span=high - low or 1.0,
        n=whole.n if whole else common_count(figures),
        label=label_of(metric.title),
    )


def label_of(title: str) -> str:
    return f' data-label="{escape(title)}"'


def common_count(figures: Sequence[MetricValue]) -> int | None:
    """What most figures with a value count over; None where there are none."""
    counts = Counter(figure.n for figure in figures if figure.value is not None)
    return most_common(counts) if counts else None


def places_after(texts: Mapping[float, str]) -> Mapping[float, int]:
    """By value, how many lower ones are printed alike."""
    seen: Counter[str] = Counter()
    found = {}
    for value, text in texts.items():
        found[value] = seen[text]
        seen[text] += 1
    return found


def figure_cell(
    metric: Metric,
    figure: MetricValue | None,
    column: ColumnScale,
    *,
    is_drawn: bool = True,
    is_sorted: bool = False,
    shaded_on: Chart | None = None,
    may_be_first: bool = False,
) -> str:
    """`column` is the scale over all figures of the column, this one among them. is_drawn: with a
    whisker; is_sorted: the rows stand in the order of this column; shaded_on: the chart on whose
    scale its cells are shaded, for columns to be read beside one another."""
    if figure is None or figure.value is None:
        shown = print_missing_labels(metric, figure)
        return missing_cell(why_missing(metric, figure), column.label, shown)
    classes = [name for name, has in (("best", may_be_first), ("sorted", is_sorted)) if has]
    if shaded_on:
        classes.append(f"heat-{heat_step(shaded_on, figure.value)}")
    mark = f' class="{" ".join(classes)}"' if classes else ""
    after = f' data-after="{places}"' if (places := column.after[figure.value]) else ""
    text = f"<b>{column.texts[figure.value]}</b>"
    if not metric.is_count:
        text += interval_markup(figure, column)
        text += "" if figure.n == column.n else f"<i>n {figure.n:,}</i>"
    if is_drawn and figure.low is not None and figure.high is not None:
        text += whisker_markup(figure.value, figure.low, figure.high, column)
    if figure.judged < figure.asked:
        counted = f"judged {figure.judged:,} of {figure.asked:,}"
        share = print_share(figure.judged / figure.asked)
        text += f'<span class="partial" title="{counted}">○ {share}</span>'
    return f"<td{mark}{column.label}{after}>{text}</td>"


HEAT_STEPS = 10


def heat_step(chart: Chart, value: float) -> int:
    """The shade of a value from 0 (the chart's low end) to 9 (its high end)."""
    share = (value - chart.low) / (chart.high - chart.low)
    return min(max(int(share * HEAT_STEPS), 0), HEAT_STEPS - 1)


@cache
def missing_cell(reason: str, label: str = "", shown: str = "") -> str:
    """`label` is an attribute, as `label_of` has it; `shown` a few words that stand below the
    dash."""
    below = f'<small aria-hidden="true">{escape(shown)}</small>' if shown else ""
    return (
        f'<td class="missing"{label} title="{escape(reason)}">'
        f'–<span class="sr"> {escape(reason)}</span>{below}</td>'
    )


def published_cell(metric: Metric, value: float | None) -> str:
    """Why a value is missing is said once, above all published rows."""
    label = label_of(metric.title)
    if value is None:
        return f"<td{label}>{MISSING}</td>"
    return f"<td{label}><b>{print_value(metric, value)}</b></td>"


def interval_markup(figure: MetricValue, column: ColumnScale) -> str:
    """The interval, or a dash in its place and why there is none."""
    shown = interval_text(figure.low, figure.high, column.printed)
    if not shown:
        reason = f"no interval: {no_interval(figure)}"
        return f'<small title="{reason}">{MISSING}<span class="sr"> {reason}</span></small>'
    return f"<small>{shown}</small>"


def whisker_markup(value: float, low: float, high: float, column: ColumnScale) -> str:
    """A line from end to end, and a dot on the value, which may lie outside. Drawn for the eye."""
    start, dot = HALVES[round(column.place(low))], HALVES[round(column.place(value))]
    return (
        f'<svg aria-hidden="true"><path d="M{start} 4h{HALVES[round(column.length(high - low))]}"/>'
        f'<path d="M{dot} 4h0"/></svg>'
    )


BAR_WIDTH = 160
"""Of a stacked bar, in pixels; its parts are drawn to the tenth of one."""
WHOLE_BUT_FOR = 1e-6
"""What sums of shares lose as floats is far less; a part printed nowhere is far more."""


def stacked_bar(bar: StackedBar, value_of: Callable[[str], float | None]) -> SafeString:
    """Shares of a whole as one bar; `part-1`, `part-2` … name the fills. Its text is the list of
    its values. A share that is not defined is left out where the others make up the whole, else
    there is no bar."""
    parts = [(label, value_of(name)) for name, label in bar.parts]
    known = [share for _, share in parts if share is not None]
    if len(known) < len(parts) and (not known or abs(sum(known) - 1) > WHOLE_BUT_FOR):
        return mark_safe(missing_cell("nothing to divide", label_of(bar.title)))  # noqa: S308 - built from escaped pieces here
    drawn, x = [], 0.0
    for i, (_, share) in enumerate(parts, start=1):
        width = round((share or 0.0) * BAR_WIDTH, 1)
        drawn.append(f'<rect class="{bar.fill}-{i}" x="{x:g}" width="{width:g}" height="12"/>')
        x = round(x + width, 1)
    text = ", ".join(f"{label} {share * 100:.1f} %" for label, share in parts if share is not None)
    return mark_safe(  # noqa: S308 - labels are escaped, the rest are numbers
        f'<td class="bar"{label_of(bar.title)}>'
        f'<svg class="stacked" viewBox="0 0 {BAR_WIDTH} 12" role="img">'
        f"<title>{escape(text)}</title>{''.join(drawn)}</svg></td>"
    )


# --- whole rows -----------------------------------------------------------------------------------

DIRECTIONS = {
    True: "Higher is better.",
    False: "Lower is better.",
    None: "Neither higher nor lower is better.",
}
UNPRINTED = f"<td>{MISSING}</td>"
EMPTY_AGAINST = '<td class="against"></td>'
AGAINST_LABEL, COVERAGE_LABEL = label_of("Against the leader"), label_of("Coverage")
EMPTY_BOX = '<td class="choose"></td>'
SCORED_SINCE = "scored anew since; its rank follows"
NO_RANK = f'<td class="rank">{MISSING}<span class="sr"> not ranked</span></td>'


def head_cell(
    metric: Metric, *, url: str, aria_sort: str, number: int = 0, n: int | None = None
) -> str:
    """The head of a column: a link that sorts by it, and a button that shows what it means, which
    works by keys and by touch and without a script. `data-first` is the order with its better end
    first, `number` tells the heads of a table apart, `n` is what figures below count over unless
    they say otherwise. Arrows are for sorting alone: which end is better is said in words."""
    first = "asc" if metric.higher_is_better is False else "desc"
    counted = "" if n is None else f"<i>n {n:,}</i>"
    lower = "<em>lower is better</em>" if metric.higher_is_better is False else ""
    about = f"{metric.about} {DIRECTIONS[metric.higher_is_better]}"
    return (
        f'<th class="column" scope="col" aria-sort="{aria_sort}" data-metric="{metric.name}" '
        f'data-first="{first}"><a href="{escape(url)}">{escape(metric.title)}</a>'
        f"{lower}{counted}{about_button(metric.title, about, number)}</th>"
    )


def about_button(title: str, about: str, number: int | str) -> str:
    """A question mark that opens what a head means."""
    name = f"about-{number}"
    return (
        f'<button type="button" class="why" popovertarget="{name}" aria-label="About '
        f'{escape(title)}">?</button><span class="why-text" id="{name}" popover>'
        f"<b>{escape(title)}</b> {escape(about)}</span>"
    )


def choose_cell(entry: BoardEntry, *, is_chosen: bool) -> str:
    """A box of the form `choose`, to compare the entry or draw it in the charts; none for what is
    gone."""
    if entry.is_gone:
        return EMPTY_BOX
    checked = " checked" if is_chosen else ""
    return (
        f'<td class="choose"><input type="checkbox" name="m" value="{entry.id}" form="choose"'
        f' aria-label="Tick {escape(entry.model)}"{checked}></td>'
    )


def rank_cell(entry: BoardEntry) -> str:
    ranks = print_rank(entry.rank_best, entry.rank_worst)
    return f'<td class="rank">{ranks}</td>' if entry.rank else NO_RANK


def model_cell(entry: BoardEntry, folded: str = "", *, all_figures: int = 0, day: str = "") -> str:
    """folded: the entries with equal answers, as markup; all_figures: how many a card of a narrow
    page has where it does not show all of them at once; day: when it was handed in, where that
    tells it from another of its model."""
    about = " · ".join(filter(None, (f"submitted {day}" if day else "", about_entry(entry))))
    more = ""
    if all_figures:  # a box and no fold: cells of a row cannot stand in one
        of = f'<span class="sr"> of {escape(entry.model)}</span>'
        more = f'<label class="more"><input type="checkbox"> all {all_figures} figures{of}</label>'
    return (
        f'<th class="model" scope="row">{name_markup(entry)} '
        f'<span class="about" title="{about}">{about}</span>'
        f"{team_markup(entry)}{verified_markup(entry)}"
        f"{flag_markup(escape(entry.standing.sentence))}{late_markup(entry)}"
        f"{folded}{more}</th>"
    )


def name_markup(entry: BoardEntry) -> str:
    """What is not public any more has no page."""
    name = escape(entry.model)
    if entry.is_gone:
        return name
    return f'<a href="{reverse("entry", args=[entry.id])}" title="{name}">{name}</a>'


def fold_markup(count: int, lines: Sequence[tuple[BoardEntry, str]]) -> str:
    """`count` entries share the place of one; `lines` are the first of them, each with its score as
    printed."""
    shown = "".join(
        f"<li>{name_markup(entry)} "
        f'<span class="about">{about_entry(entry)} · {score}</span>{late_markup(entry)}</li>'
        for entry, score in lines
    )
    more = count - len(lines)
    prefix = "and " if lines else ""
    rest = f"<li>{prefix}{more:,} more, in the CSV and JSON files</li>" if more > 0 else ""
    return (
        f'<details class="same"><summary>{count:,} more with the same answers</summary>'
        f"<ul>{shown}{rest}</ul></details>"
    )


def team_markup(entry: BoardEntry) -> str:
    """A seal that leads to who staff say is behind the name."""
    if entry.verified_team is None:
        return ""
    address, name = reverse("team", args=[entry.verified_team]), escape(entry.handed_in_by)
    return (
        f' <a class="verified" href="{address}">✓ verified team<span class="sr"> {name}</span></a>'
    )


def verified_markup(entry: BoardEntry) -> str:
    if not entry.verified:
        return ""
    sentence = escape(entry.verified)
    return (
        f' <span class="verified" title="{sentence}">✓ verified<span class="sr">: '
        f"{sentence}</span></span>"
    )


def flag_markup(sentence: str) -> str:
    """A mark in words, the whole sentence also where it is cut; nothing where there is none."""
    return f' <span class="flagged" title="{sentence}">{sentence}</span>' if sentence else ""


def late_markup(entry: BoardEntry) -> str:
    """By which texts it was judged, where not by today's, and whether it was scored anew since the
    board was stored."""
    since = f' <span class="flagged">{SCORED_SINCE}</span>' if entry.scored_since else ""
    return f"{flag_markup(entry.by_older_texts)}{since}"


def about_entry(entry: BoardEntry) -> str:
    """Who handed it in comes first: a narrow column cuts the rest, and the organisation is what
    they say of it. That of samples says what they are."""
    if entry.is_gone or entry.origin == "baseline":
        return entry.origin
    by = "" if entry.origin == "sample" else f"by {isolated(entry.handed_in_by)}"
    return escape(" · ".join(filter(None, [by, *map(isolated, entry.facts.words())])))


def against_cell(metric: Metric, entry: BoardEntry) -> str:
    """The entry's value less the leader's, whether chance explains that, and its interval; `metric`
    ranks. Empty without a rank, and of what is gone."""
    if entry.rank is None or entry.is_gone:
        return EMPTY_AGAINST
    if entry.to_leader is None:
        return f'<td class="against"{AGAINST_LABEL}>leads</td>'
    found = of_values(metric, entry.to_leader)
    return (
        f'<td class="against"{AGAINST_LABEL}><b>{print_difference(metric, found.ahead)}</b> '
        f"<span>{verdict_words(found)}</span>"
        f"<small>{print_ends(metric, found) or NOT_COMPARABLE}</small></td>"
    )


def is_incomplete(entry: BoardEntry) -> bool:
    """Nothing is known of what is gone."""
    return not entry.is_gone and (entry.coverage < 1 or bool(entry.unreadable or entry.failed))


def coverage_cell(entry: BoardEntry) -> str:
    """What a row ends with."""
    if entry.is_gone:
        return f'<td class="coverage"{COVERAGE_LABEL}>{MISSING}</td>'
    if not is_incomplete(entry):
        return f'<td class="coverage"{COVERAGE_LABEL}>{print_share(1)}</td>'
    mark = "" if entry.coverage >= 1 else '<span aria-hidden="true">○ </span>'
    reasons = f"{entry.unreadable:,} unreadable, {entry.failed:,} failed"
    return (
        f'<td class="coverage"{COVERAGE_LABEL} title="{reasons}">{mark}'
        f"{print_share(entry.coverage)}</td>"
    )


def published_row(row: PublishedRow, start: str, cells: str) -> str:
    """A row printed in a paper; in a table with boxes its own place for one is empty. `cells` are
    all that follow its model."""
    model, source, judged = escape(row.model), escape(row.source), escape(print_judging(row))
    name = f'<a href="{escape(row.url)}">{source}</a>' if row.url else source
    mark = (
        f' <span class="tag" title="{escape(row.reproduced)}">reproduced in part</span>'
        if row.reproduced
        else ""
    )
    return (
        f'<tr class="printed">{start}<th class="model" scope="row"><b title="{model}">{model}</b> '
        f'<span class="about" title="{judged} · {source}">{judged} · '
        f"{name}</span>{mark}</th>{cells}</tr>"
    )


def print_judging(row: PublishedRow) -> str:
    """By which judge and on how many questions, as far as the source says."""
    if not row.judge and not row.questions:
        return "judge and questions not stated"
    questions = f"{row.questions:,} questions" if row.questions else "questions not stated"
    return f"{row.judge or 'judge not stated'} · {questions}"
