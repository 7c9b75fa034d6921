"""Entries by ability: radars, and tables of who is ahead in what."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.protocols.base import ColumnGroup, Metric, Radar
from benchmarks.statistics.differences import Difference
from benchmarks.statistics.unpaired import Ends, unpaired_difference
from leaderboard.board.charts import ChartView, ChosenModel, radar_view
from leaderboard.board.comparison import range_words, side
from leaderboard.formatting import MISSING, print_interval, print_value
from leaderboard.scoring import MetricValue
from leaderboard.selectors import BoardEntry, BoardReading

FEWEST_AXES = 3
"""Of a radar: two are a line."""


@dataclass(frozen=True, slots=True)
class AbilityCell:
    """A value, and how it compares with that of the first entry. `told` is "ahead", "behind", or
    empty where the two are not told apart; `ends` is empty where there is no interval."""

    value: str
    interval: str
    reason: str
    difference: str = ""
    ends: str = ""
    told: str = ""


@dataclass(frozen=True, slots=True)
class AbilityRow:
    title: str
    about: str
    cells: tuple[AbilityCell, ...]


@dataclass(frozen=True, slots=True)
class AbilityTable:
    """looked_at: how many differences have an interval, which hold all at once; told: in how many
    of these the two are told apart."""

    slug: str
    title: str
    rows: tuple[AbilityRow, ...]
    looked_at: int
    told: int
    is_open: bool


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
        drawn = (metric for group in chart.groups for metric in group.metrics)
        metrics = tuple(dict.fromkeys(drawn))
        radar = chart if isinstance(chart, Radar) else None
        key = frozenset(metric.name for metric in metrics)
        if key not in found:
            found[key] = Axes(chart.slug, chart.title, metrics, radar)
    if found:
        return tuple(found.values())
    scoped = tuple(metric for metric in reading.shown.metrics() if "@" in metric.name)
    return (Axes("abilities", "By ability", scoped, made_radar(scoped)),) if scoped else ()


def made_radar(metrics: Sequence[Metric]) -> Radar | None:
    """Of shares, from 0 to 100 %."""
    if len(metrics) < FEWEST_AXES or any(metric.unit != "percent" for metric in metrics):
        return None
    group = ColumnGroup("Abilities", tuple(metrics))
    return Radar("abilities", "By ability", "From 0 in the centre to 100 %.", (group,), 0.0, 1.0)


def radars(
    reading: BoardReading, entries: Sequence[BoardEntry], legend: tuple[ChosenModel, ...]
) -> tuple[ChartView, ...]:
    return tuple(radar_view(axes.chart, entries, legend) for axes in axes_of(reading) if axes.chart)


def ability_tables(
    reading: BoardReading, entries: Sequence[BoardEntry]
) -> tuple[AbilityTable, ...]:
    """A table per set of axes, the first one open; rows in which no compared entry has a value are
    left out."""
    found: list[AbilityTable] = []
    for axes in axes_of(reading):
        metrics = [m for m in axes.metrics if any(e.value(m.name) is not None for e in entries)]
        if metrics:
            found.append(ability_table(axes, metrics, entries, is_open=not found))
    return tuple(found)


def ability_table(
    axes: Axes, metrics: Sequence[Metric], entries: Sequence[BoardEntry], *, is_open: bool
) -> AbilityTable:
    first, *others = entries
    looked_at = sum(
        known(first, metric) is not None and known(other, metric) is not None
        for metric in metrics
        for other in others
    )
    rows = tuple(ability_row(metric, entries, looked_at) for metric in metrics)
    return AbilityTable(
        slug=axes.slug,
        title=axes.title,
        rows=rows,
        looked_at=looked_at,
        told=sum(bool(cell.told) for row in rows for cell in row.cells),
        is_open=is_open,
    )


def ability_row(metric: Metric, entries: Sequence[BoardEntry], looked_at: int) -> AbilityRow:
    first, *others = entries
    cells = [value_cell(metric, first)]
    for other in others:
        difference = difference_in(metric, other, first, looked_at)
        cells.append(value_cell(metric, other, difference))
    return AbilityRow(metric.title, metric.about, tuple(cells))


def known(entry: BoardEntry, metric: Metric) -> Ends | None:
    figure = entry.figure(metric.name)
    return ends_of(figure) if figure else None


def ends_of(figure: MetricValue) -> Ends | None:
    """None where it has no interval."""
    if figure.value is None or figure.low is None or figure.high is None:
        return None
    return Ends(figure.value, figure.low, figure.high, figure.groups)


def difference_in(
    metric: Metric, one: BoardEntry, other: BoardEntry, looked_at: int
) -> Difference | None:
    """How far `one` is ahead; None where a value is missing."""
    ends = known(one, metric), known(other, metric)
    higher = metric.higher_is_better is not False
    if ends[0] and ends[1]:
        return unpaired_difference(ends[0], ends[1], looked_at=looked_at, higher_is_better=higher)
    values = one.value(metric.name), other.value(metric.name)
    if values[0] is None or values[1] is None:
        return None
    return Difference((1 if higher else -1) * (values[0] - values[1]), None, None)


def value_cell(
    metric: Metric, entry: BoardEntry, difference: Difference | None = None
) -> AbilityCell:
    figure = entry.figure(metric.name)
    if figure is None or figure.value is None:
        return AbilityCell(MISSING, "", metric.empty if figure else "not measured")
    cell = AbilityCell(print_value(metric, figure.value), print_interval(metric, figure), "")
    if difference is None:
        return cell
    return AbilityCell(
        cell.value,
        cell.interval,
        "",
        difference=side_words(metric, difference.ahead),
        ends=range_words(metric, difference),
        told=told_side(difference),
    )


def side_words(metric: Metric, ahead: float) -> str:
    """ "2.31 ahead", "0.40 behind", or "level" """
    return side(metric, ahead) if ahead else "level"


def told_side(difference: Difference) -> str:
    if not difference.is_told_apart:
        return ""
    return "ahead" if difference.ahead > 0 else "behind"
