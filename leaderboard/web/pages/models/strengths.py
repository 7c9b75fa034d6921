"""What a model is better and worse at than the middle of its field, as far as that is told."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from benchmarks.protocols.base import Metric
from benchmarks.scoring.sheets import MetricValue
from benchmarks.statistics.differences import Difference
from benchmarks.statistics.unpaired import Ends, Middle, against_middle
from leaderboard.results.formatting import print_interval, print_value
from leaderboard.results.selectors import BoardEntry, BoardReading
from leaderboard.web.board.charts import FEWEST_ENTRIES
from leaderboard.web.board.comparison import of_values, print_difference, print_ends
from leaderboard.web.pages.boards.abilities import axes_of, ends_of

MOST_LOWEST = 2  # named where no weakness is clear


class ComparedFigure(NamedTuple):
    reading: BoardReading
    metric: Metric
    figure: MetricValue
    ends: Ends
    middle: Middle


def strengths_of(readings: Sequence[tuple[BoardReading, BoardEntry]]) -> dict[str, Any]:
    """On boards on which the model's entry has a rank, the surest first. `lowest`: of what is too
    close to call, what is furthest below the middle, or least above it, while nothing is clearly
    weaker. `looked_at`: abilities and subtasks in all, whose intervals hold at once, on so many
    `boards`; `too_few`: titles of boards with fewer entries than a middle needs."""
    figures: list[ComparedFigure] = []
    too_few = []
    for reading, entry in readings:
        if entry.rank is None or entry.scored_since:
            continue
        if reading.counts.ranked_rows < FEWEST_ENTRIES:
            too_few.append(reading.benchmark.title)
            continue
        figures += compared_figures(reading, entry)
    told = [(look, difference_of(look, len(figures))) for look in figures]
    clear = [one for one in told if one[1].is_significant]
    clear.sort(key=lambda one: -surely(one[1]))
    weaker = [strength_line(*one) for one in clear if one[1].ahead < 0]
    unclear = [one for one in told if not one[1].is_significant]
    unclear.sort(key=lambda one: math.copysign(surely(one[1]), one[1].ahead))
    return {
        "stronger": [strength_line(*one) for one in clear if one[1].ahead > 0],
        "weaker": weaker,
        "lowest": [] if weaker else [strength_line(*one) for one in unclear[:MOST_LOWEST]],
        "looked_at": len(figures),
        "boards": len({look.reading.benchmark.pk for look in figures}),
        "too_few": too_few,
    }


def compared_figures(reading: BoardReading, entry: BoardEntry) -> list[ComparedFigure]:
    """Each ability and subtask once in which both have an interval, and in which higher or lower is
    better."""
    found = []
    metrics = dict.fromkeys(m for axes in axes_of(reading) for m in axes.metrics)
    for metric in metrics:
        figure, middle = entry.figure(metric.name), reading.middle(metric.name)
        if figure is None or middle is None or metric.higher_is_better is None:
            continue
        if (ends := ends_of(figure)) and middle.entries >= FEWEST_ENTRIES:
            found.append(ComparedFigure(reading, metric, figure, ends, middle))
    return found


def difference_of(look: ComparedFigure, looked_at: int) -> Difference:
    """To the middle of the field."""
    better = look.metric.higher_is_better is not False
    return against_middle(look.ends, look.middle, looked_at=looked_at, higher_is_better=better)


def surely(difference: Difference) -> float:
    """How many half widths of its interval it is from zero."""
    if difference.low is None or difference.high is None or difference.high == difference.low:
        return 0.0
    return 2 * abs(difference.ahead) / (difference.high - difference.low)


def strength_line(look: ComparedFigure, difference: Difference) -> dict[str, Any]:
    """An ability or subtask in which the model differs from the middle of the field: `words` say by
    how much, between what."""
    metric, shown = look.metric, of_values(look.metric, difference)
    return {
        "benchmark": look.reading.benchmark,
        "metric": metric,
        "value": print_value(metric, look.ends.value),
        "interval": print_interval(metric, look.figure),
        "middle": print_value(metric, look.middle.value),
        "entries": look.middle.entries,
        "words": print_difference(metric, shown.ahead),
        "ends": print_ends(metric, shown),
    }
