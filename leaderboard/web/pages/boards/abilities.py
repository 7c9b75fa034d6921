"""Entries by ability: radars, and tables of who is ahead in what."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.protocols.base import Bars, Board, ColumnGroup, Metric, Radar
from benchmarks.scoring.sheets import MetricValue
from benchmarks.statistics.differences import Difference
from benchmarks.statistics.likeness import likeness
from benchmarks.statistics.resampling import Floats
from benchmarks.statistics.unpaired import Ends, fewest, unpaired_difference
from leaderboard.results.formatting import print_interval, print_value, why_missing
from leaderboard.results.selectors import BoardEntry, BoardReading
from leaderboard.web.board.charts import FEWEST_AXES, ChartView, ChosenModel, radar_view
from leaderboard.web.board.comparison import of_values, print_difference, print_ends

Moves = Mapping[str, Floats]
"""Of an entry, by metric: how far its value moves with each group of questions
(leaderboard.results.scoresheets.ability_moves); empty where that is not kept yet."""

Compared = tuple[BoardEntry, Moves]


@dataclass(frozen=True, slots=True)
class Axes:
    """Abilities or subtasks that belong together. chart: how the board draws them."""

    slug: str
    title: str
    metrics: tuple[Metric, ...]
    chart: Radar | None


def axes_of(reading: BoardReading) -> tuple[Axes, ...]:
    """What the board draws, each set of metrics once; where it draws nothing, all that it shows by
    ability."""
    found: dict[frozenset[str], Axes] = {}
    for chart in reading.shown.charts:
        if isinstance(chart, Bars):
            continue  # its metrics are those of a radar
        drawn = (metric for group in chart.groups for metric in group.metrics)
        metrics = tuple(dict.fromkeys(drawn))
        radar = chart if isinstance(chart, Radar) else None
        key = frozenset(metric.name for metric in metrics)
        if key not in found:
            found[key] = Axes(chart.slug, chart.title, metrics, radar)
    if found:
        return tuple(found.values())
    scoped = scoped_metrics(reading.shown)
    return (Axes("abilities", "By ability", scoped, made_radar(scoped)),) if scoped else ()


def scoped_metrics(board: Board) -> tuple[Metric, ...]:
    """Columns that are of one ability; those that share their title with one of another group of
    columns have the group's before it."""
    found = {
        metric.name: (group.title, metric)
        for table in board.tables
        for group in table.groups
        for metric in group.metrics
        if "@" in metric.name
    }
    times = Counter(metric.title for _, metric in found.values())
    return tuple(
        metric if times[metric.title] == 1 else replace(metric, title=f"{group}: {metric.title}")
        for group, metric in found.values()
    )


def made_radar(metrics: Sequence[Metric]) -> Radar | None:
    """Of shares, from 0 to 100 %."""
    if len(metrics) < FEWEST_AXES or any(metric.unit != "percent" for metric in metrics):
        return None
    group = ColumnGroup("Abilities", tuple(metrics))
    return Radar("abilities", "By ability", "From 0 in the centre to 100 %.", (group,), 0.0, 1.0)


def radars(
    reading: BoardReading, entries: Sequence[BoardEntry], legend: tuple[ChosenModel, ...]
) -> Iterator[ChartView]:
    """With the median model of the board behind the entries."""
    for axes in axes_of(reading):
        if axes.chart:
            yield radar_view(axes.chart, entries, legend, reading)


def ability_tables(
    reading: BoardReading, entries: Sequence[BoardEntry], moves: Sequence[Moves]
) -> list[dict[str, Any]]:
    """A table per set of axes; rows in which no compared entry has a value are left out. moves: in
    the order of the entries."""
    compared = list(zip(entries, moves, strict=True))
    found = []
    for axes in axes_of(reading):
        metrics = [m for m in axes.metrics if any(e.value(m.name) is not None for e in entries)]
        if metrics:
            found.append(ability_table(axes, metrics, compared))
    return found


def ability_table(
    axes: Axes, metrics: Sequence[Metric], compared: Sequence[Compared]
) -> dict[str, Any]:
    """looked_at: how many differences have an interval; the intervals hold all at once.
    significant: how many of these leave out zero. unpaired: of how many the shared questions are
    not stored, so that the interval is wider."""
    first, *others = compared
    pairs = [
        metric.name in first[1] and metric.name in other[1]
        for metric in metrics
        for other in others
        if known(first[0], metric) and known(other[0], metric)
    ]
    rows: list[dict[str, Any]] = []
    for metric in metrics:
        cells = [ability_cell(metric, first[0])]
        for other in others:
            difference = difference_in(metric, other, first, len(pairs))
            cells.append(ability_cell(metric, other[0], difference))
        rows.append({"metric": metric, "cells": cells})
    return {
        "axes": axes,
        "rows": rows,
        "looked_at": len(pairs),
        "unpaired": pairs.count(False),
        "significant": sum(bool(cell["side"]) for row in rows for cell in row["cells"]),
    }


def known(entry: BoardEntry, metric: Metric) -> Ends | None:
    figure = entry.figure(metric.name)
    return ends_of(figure) if figure else None


def ends_of(figure: MetricValue) -> Ends | None:
    """None where it has no interval."""
    if figure.value is None or figure.low is None or figure.high is None:
        return None
    return Ends(figure.value, figure.low, figure.high, figure.groups)


def difference_in(
    metric: Metric, one: Compared, other: Compared, looked_at: int
) -> Difference | None:
    """How far `one` is ahead on the same questions; None where a value is missing."""
    ends = known(one[0], metric), known(other[0], metric)
    higher = metric.higher_is_better is not False
    if ends[0] and ends[1]:
        return unpaired_difference(
            ends[0],
            ends[1],
            looked_at=looked_at,
            higher_is_better=higher,
            likeness=likeness_in(metric, one, other, fewest(ends[0].groups, ends[1].groups)),
        )
    values = one[0].value(metric.name), other[0].value(metric.name)
    if values[0] is None or values[1] is None:
        return None
    return Difference((1 if higher else -1) * (values[0] - values[1]), None, None)


def likeness_in(metric: Metric, one: Compared, other: Compared, groups: float | None) -> float:
    """0 where it is not kept how far both move."""
    moves = one[1].get(metric.name), other[1].get(metric.name)
    if moves[0] is None or moves[1] is None:
        return 0.0
    return likeness(moves[0], moves[1], groups)


def ability_cell(
    metric: Metric, entry: BoardEntry, difference: Difference | None = None
) -> dict[str, Any]:
    """A value of the entry, and how far it is ahead of that of the first one. `side` is "ahead",
    "behind", or empty where the difference is not significant; `ends` is empty where there is no
    interval."""
    figure, value = entry.figure(metric.name), entry.value(metric.name)
    shown = of_values(metric, difference) if difference else None
    return {
        "model": entry.model,
        "value": print_value(metric, value),
        "interval": print_interval(metric, figure) if figure else "",
        "reason": why_missing(metric, figure) if value is None else "",
        "difference": print_difference(metric, shown.ahead) if shown else "",
        "ends": print_ends(metric, shown) if shown else "",
        "side": significant_side(difference) if difference else "",
        "ahead": difference,
    }


def significant_side(difference: Difference) -> str:
    if not difference.is_significant:
        return ""
    return "ahead" if difference.ahead > 0 else "behind"
