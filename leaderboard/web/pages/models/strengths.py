"""What a model is better and worse at than the middle of its field, as far as that is told."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.protocols.base import Metric
from benchmarks.statistics.differences import Difference
from benchmarks.statistics.unpaired import Ends, Middle, against_middle
from leaderboard.results.formatting import print_interval, print_value
from leaderboard.results.selectors import BoardEntry, BoardReading
from leaderboard.web.board.comparison import of_values, print_difference, print_ends
from leaderboard.web.pages.boards.abilities import axes_of, ends_of

FEWEST_ENTRIES = 5
"""In the field: the middle of fewer is one of them."""


@dataclass(frozen=True, slots=True)
class StrengthLine:
    """An ability or subtask in which the model differs from the middle of the field: `words` say by
    how much, between what."""

    benchmark: str
    benchmark_slug: str
    ability: str
    about: str
    value: str
    interval: str
    middle: str
    entries: int
    words: str
    ends: str


@dataclass(frozen=True, slots=True)
class Strengths:
    """looked_at: abilities and subtasks in all, whose intervals hold at once, on so many boards;
    too_few: titles of boards with fewer entries than a middle needs."""

    stronger: tuple[StrengthLine, ...]
    weaker: tuple[StrengthLine, ...]
    looked_at: int
    boards: int
    too_few: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComparedFigure:
    reading: BoardReading
    metric: Metric
    ends: Ends
    middle: Middle
    entry: BoardEntry


def strengths_of(readings: Sequence[tuple[BoardReading, BoardEntry]]) -> Strengths:
    """On boards on which the model's entry has a rank."""
    figures: list[ComparedFigure] = []
    too_few = []
    for reading, entry in readings:
        if entry.rank is None or entry.scored_since:
            continue
        if reading.counts.ranked_rows < FEWEST_ENTRIES:
            too_few.append(reading.benchmark.title)
            continue
        figures += compared_figures(reading, entry)
    stronger: list[tuple[float, StrengthLine]] = []
    weaker: list[tuple[float, StrengthLine]] = []
    for look in figures:
        difference = against_middle(
            look.ends,
            look.middle,
            looked_at=len(figures),
            higher_is_better=look.metric.higher_is_better is not False,
        )
        if difference.is_significant:
            found = stronger if difference.ahead > 0 else weaker
            found.append((surely(difference), strength_line(look, difference)))
    return Strengths(
        stronger=in_order(stronger),
        weaker=in_order(weaker),
        looked_at=len(figures),
        boards=len({look.reading.benchmark.pk for look in figures}),
        too_few=tuple(too_few),
    )


def compared_figures(reading: BoardReading, entry: BoardEntry) -> list[ComparedFigure]:
    """Each ability and subtask once in which both have an interval, and in which higher or lower is
    better."""
    found = []
    metrics = dict.fromkeys(m for axes in axes_of(reading) for m in axes.metrics)
    for metric in metrics:
        figure, middle = entry.figure(metric.name), reading.middle(metric.name)
        ends = ends_of(figure) if figure else None
        if ends is None or middle is None or metric.higher_is_better is None:
            continue
        if middle.entries >= FEWEST_ENTRIES:
            found.append(ComparedFigure(reading, metric, ends, middle, entry))
    return found


def surely(difference: Difference) -> float:
    """How many half widths of its interval it is from zero."""
    if difference.low is None or difference.high is None or difference.high == difference.low:
        return 0.0
    return 2 * abs(difference.ahead) / (difference.high - difference.low)


def in_order(found: Sequence[tuple[float, StrengthLine]]) -> tuple[StrengthLine, ...]:
    """The surest first."""
    return tuple(line for _, line in sorted(found, key=lambda pair: -pair[0]))


def strength_line(look: ComparedFigure, difference: Difference) -> StrengthLine:
    metric = look.metric
    figure, shown = look.entry.figure(metric.name), of_values(metric, difference)
    return StrengthLine(
        benchmark=look.reading.benchmark.title,
        benchmark_slug=look.reading.benchmark.slug,
        ability=metric.title,
        about=metric.about,
        value=print_value(metric, look.ends.value),
        interval=print_interval(metric, figure) if figure else "",
        middle=print_value(metric, look.middle.value),
        entries=look.middle.entries,
        words=print_difference(metric, shown.ahead),
        ends=print_ends(metric, shown),
    )
