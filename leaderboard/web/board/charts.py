"""Charts of a board as values a template prints: an SVG drawn here, the table behind it, and a
figure for Plotly.

A radar shows the chosen entries, at most six, in the series colours; a heatmap is a table of all
entries of the page with shaded cells. Values and their order come from the reading: this module
asks the database nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from benchmarks.protocols.base import ColumnGroup, Heatmap, Metric, Radar
from leaderboard.results.formatting import print_value, scale
from leaderboard.results.selectors import BoardEntry, BoardReading
from leaderboard.web.board.cells import heat_step, missing_cell
from leaderboard.web.board.choices import MOST_CHOSEN
from leaderboard.web.board.radar import (
    FIELD_MARKER,
    MARKERS,
    RINGS,
    SIDE_LETTERS,
    RadarAxis,
    draw_radar,
    marker,
    wrapped,
)

CHOSEN_AT_FIRST = 3
MOST_MAPPED = 8
"""Rows of a heatmap: with 43 columns as heavy as the rest of a page may be."""
FEWEST_AXES = 3
"""Of a radar, and of what is drawn on it: two are a line."""
FEWEST_ENTRIES = 5
"""In the field: the median of fewer is one of them."""


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """A drawn entry. `series` is its number from 1, which names colour and marker; `marker` is that
    as markup."""

    id: UUID
    model: str
    score: str
    series: int
    marker: SafeString


@dataclass(frozen=True, slots=True)
class ChartAxis:
    number: int
    title: str
    about: str


@dataclass(frozen=True, slots=True)
class AxisGroup:
    """Neighbouring axes under one title; `letter` marks the group in a drawing that has only
    numbers."""

    letter: str
    title: str
    axes: tuple[ChartAxis, ...]


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A model's values as cells; `id` is None of the median model. `score`: in the chosen order, as
    printed."""

    id: UUID | None
    model: str
    marker: SafeString
    cells: SafeString
    score: str = ""


@dataclass(frozen=True, slots=True)
class ChartView:
    """`svg` is empty for a heatmap, whose table is the chart. `low`, `high` are printed."""

    slug: str
    title: str
    about: str
    note: str
    svg: SafeString
    is_heatmap: bool
    is_numbered: bool
    groups: tuple[AxisGroup, ...]
    table: tuple[ChartRow, ...]
    low: str
    high: str
    figure: dict[str, Any]

    @property
    def is_wide(self) -> bool:
        return self.is_heatmap or self.is_numbered

    @property
    def figure_id(self) -> str:
        return f"{self.slug}-figure"


def choose_entries(entries: Sequence[BoardEntry], asked: Sequence[str]) -> tuple[BoardEntry, ...]:
    """The entries asked for by id, at most six, in board order; where none is known, the first
    three with a rank. Of what is not public any more there is nothing to draw."""
    wanted, public = set(asked), [entry for entry in entries if not entry.is_gone]
    found = sorted((e for e in public if str(e.id) in wanted), key=lambda e: e.position)
    at_first = [entry for entry in public if entry.rank] or public
    return tuple(found[:MOST_CHOSEN] or at_first[:CHOSEN_AT_FIRST])


def chosen_models(reading: BoardReading, chosen: Sequence[BoardEntry]) -> tuple[ChosenModel, ...]:
    metric = reading.metrics[reading.order]
    return tuple(
        ChosenModel(e.id, e.model, print_value(metric, value_of(e, metric)), series, marker(series))
        for series, e in enumerate(chosen, start=1)
    )


def chart_views(reading: BoardReading, chosen: Sequence[BoardEntry]) -> tuple[ChartView, ...]:
    """Every chart that the reading shows; none while the board is empty."""
    legend = chosen_models(reading, chosen)
    if not legend:
        return ()
    return tuple(
        radar_view(chart, chosen, legend)
        if isinstance(chart, Radar)
        else heatmap_view(chart, reading.rows, legend)
        for chart in reading.shown.charts
    )


def radar_view(
    chart: Radar,
    chosen: Sequence[BoardEntry],
    legend: tuple[ChosenModel, ...],
    field: BoardReading | None = None,
) -> ChartView:
    """field: the board whose median model is drawn behind the chosen."""
    metrics = metrics_of(chart)
    medians = [median_of(field, metric) for metric in metrics]
    values = [[value_of(entry, metric) for metric in metrics] for entry in chosen]
    table = [
        ChartRow(e.id, line.model, line.marker, radar_cells(metrics, own, e), line.score)
        for e, line, own in zip(chosen, legend, values, strict=True)
    ]
    has_median = sum(median is not None for median in medians) >= FEWEST_AXES
    if field and has_median:
        ranking = field.metrics[field.order]
        score = print_value(ranking, median_of(field, ranking))
        cells = radar_cells(metrics, medians)
        table.append(ChartRow(None, "Median model", FIELD_MARKER, cells, score))
    groups = axis_groups(chart.groups)
    axes = [
        RadarAxis(metric.title, place)
        for place, group in enumerate(chart.groups)
        for metric in group.metrics
    ]
    drawing = draw_radar(
        slug=chart.slug,
        label=f"{chart.title}: {', '.join(row.model for row in table)}. Every value stands in "
        "the table below.",
        axes=axes,
        groups=[(group.letter, group.title) for group in groups],
        rings=ring_labels(chart, metrics),
        series=[[share(chart, value) for value in own] for own in values],
        field=[share(chart, median) for median in medians] if has_median else (),
    )
    gaps = any(None in own for own in values)
    return ChartView(
        slug=chart.slug,
        title=chart.title,
        about=chart.about,
        note="A gap in a line is a value that is missing; the table says why." if gaps else "",
        svg=drawing.svg,
        is_heatmap=False,
        is_numbered=drawing.is_numbered,
        groups=groups,
        table=tuple(table),
        low=ring_labels(chart, metrics)[0],
        high=ring_labels(chart, metrics)[-1],
        figure=radar_figure(chart, metrics, chosen, is_numbered=drawing.is_numbered),
    )


def heatmap_view(
    chart: Heatmap, rows: Sequence[BoardEntry], legend: tuple[ChosenModel, ...]
) -> ChartView:
    """Of the entries of the page that are public; those drawn elsewhere have their marker."""
    metrics = metrics_of(chart)
    public = [entry for entry in rows if not entry.is_gone]
    entries = public[:MOST_MAPPED]
    markers = {line.id: line.marker for line in legend}
    return ChartView(
        slug=chart.slug,
        title=chart.title,
        about=chart.about,
        note=f"The first {MOST_MAPPED} models of this page." if public[MOST_MAPPED:] else "",
        svg=SafeString(),
        is_heatmap=True,
        is_numbered=True,
        groups=axis_groups(chart.groups),
        table=tuple(
            ChartRow(e.id, e.model, markers.get(e.id, SafeString()), heat_cells(chart, metrics, e))
            for e in entries
        ),
        low=print_value(metrics[0], chart.low),
        high=print_value(metrics[0], chart.high),
        figure=heatmap_figure(chart, metrics, entries),
    )


# --- axes and values ------------------------------------------------------------------------------


def metrics_of(chart: Radar | Heatmap) -> list[Metric]:
    return [metric for group in chart.groups for metric in group.metrics]


def axis_groups(groups: Sequence[ColumnGroup]) -> tuple[AxisGroup, ...]:
    numbers = iter(range(1, 1 + sum(len(group.metrics) for group in groups)))
    return tuple(
        AxisGroup(
            chr(ord("A") + place),
            group.title,
            tuple(ChartAxis(next(numbers), metric.title, metric.about) for metric in group.metrics),
        )
        for place, group in enumerate(groups)
    )


def value_of(entry: BoardEntry, metric: Metric) -> float | None:
    return entry.value(metric.name)


def median_of(field: BoardReading | None, metric: Metric) -> float | None:
    """None where the field is too small for one."""
    middle = field.middle(metric.name) if field else None
    return middle.value if middle and middle.entries >= FEWEST_ENTRIES else None


def share(chart: Radar | Heatmap, value: float | None) -> float | None:
    """Where a value lies between the chart's ends, kept inside them; None for a missing one."""
    return (
        None
        if value is None
        else min(max((value - chart.low) / (chart.high - chart.low), 0.0), 1.0)
    )


def ring_labels(chart: Radar, metrics: Sequence[Metric]) -> list[str]:
    """What stands at the centre and at each ring. Axes of several units have no common label."""
    if len({metric.unit for metric in metrics}) > 1:
        return [""] * (RINGS + 1)
    step = (chart.high - chart.low) / RINGS
    return [f"{(chart.low + step * ring) * scale(metrics[0]):g}" for ring in range(RINGS + 1)]


# --- tables ---------------------------------------------------------------------------------------


def missing_value(metric: Metric, entry: BoardEntry) -> str:
    return missing_cell(metric.empty if entry.figure(metric.name) else "not measured")


def radar_cells(
    metrics: Sequence[Metric], values: Sequence[float | None], entry: BoardEntry | None = None
) -> SafeString:
    """entry: None of the median model."""
    cells = [
        f'<td class="number">{print_value(metric, value)}</td>'
        if value is not None
        else missing_value(metric, entry)
        if entry
        else missing_cell("too few models with an interval")
        for metric, value in zip(metrics, values, strict=True)
    ]
    return mark_safe("".join(cells))  # noqa: S308 - numbers, and missing_cell escapes


def heat_cells(chart: Heatmap, metrics: Sequence[Metric], entry: BoardEntry) -> SafeString:
    cells = []
    for metric in metrics:
        value = value_of(entry, metric)
        if value is None:
            cells.append(missing_value(metric, entry))
        else:
            step = heat_step(chart, value)
            cells.append(f'<td class="heat heat-{step}">{print_value(metric, value)}</td>')
    return mark_safe("".join(cells))  # noqa: S308 - numbers, and missing_cell escapes


# --- figures for Plotly ---------------------------------------------------------------------------
# Colours are the page's: static/js/chart.js adds them. `meta.series` says which.

SYMBOLS = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
assert len(SYMBOLS) == len(MARKERS) == MOST_CHOSEN


def printed_number(metric: Metric, value: float | None) -> float | None:
    return None if value is None else round(value * scale(metric), metric.digits)


def plain_text(text: str) -> str:
    """Plotly reads a few tags in any text; a name is none of them."""
    return str(escape(text))


def radar_figure(
    chart: Radar, metrics: Sequence[Metric], chosen: Sequence[BoardEntry], *, is_numbered: bool
) -> dict[str, Any]:
    closed = [*range(len(metrics)), 0]
    turns = [round(360 * place / len(metrics), 3) for place in closed]
    titles = [plain_text(metric.title) for metric in metrics]
    traces = [
        {
            "type": "scatterpolar",
            "mode": "lines+markers",
            "name": plain_text(entry.model),
            "r": [
                printed_number(metrics[place], value_of(entry, metrics[place])) for place in closed
            ],
            "theta": turns,
            "text": [titles[place] for place in closed],
            "hovertemplate": "%{text}: %{r}",
            "connectgaps": False,
            "marker": {"symbol": SYMBOLS[series], "size": 8},
            "meta": {"series": series + 1},
        }
        for series, entry in enumerate(chosen)
    ]
    ticks = [
        str(place)
        if is_numbered
        else "<br>".join(plain_text(line) for line in wrapped(metric.title, SIDE_LETTERS))
        for place, metric in enumerate(metrics, start=1)
    ]
    factor = scale(metrics[0])
    low, high = chart.low * factor, chart.high * factor
    polar = {
        "radialaxis": {
            "range": [low, high],
            "autorange": False,
            "rangemode": "normal",  # plotly.js would begin at zero, and the drawing does not
            "tickmode": "array",
            "tickvals": [low + (high - low) * ring / RINGS for ring in range(1, RINGS + 1)],
            "angle": 90,
            "tickangle": 90,
        },
        "angularaxis": {
            "tickmode": "array",
            "tickvals": turns[:-1],
            "ticktext": ticks,
            "rotation": 90,
            "direction": "clockwise",
        },
    }
    return {"data": traces, "layout": {"polar": polar, "showlegend": False}}


def heatmap_figure(
    chart: Heatmap, metrics: Sequence[Metric], shown: Sequence[BoardEntry]
) -> dict[str, Any]:
    """Rows and columns by number, so that two models of one name stay two rows."""
    factor = scale(metrics[0])
    trace = {
        "type": "heatmap",
        "z": [
            [printed_number(metric, value_of(entry, metric)) for metric in metrics]
            for entry in shown
        ],
        "x": list(range(len(metrics))),
        "y": list(range(len(shown))),
        "zmin": chart.low * factor,
        "zmax": chart.high * factor,
        "hoverongaps": False,
        "hovertemplate": "%{y}<br>%{x}: %{z}<extra></extra>",
        "xgap": 1,
        "ygap": 1,
    }
    titles = [plain_text(metric.title) for metric in metrics]
    models = [plain_text(entry.model) for entry in shown]
    xaxis = {
        "tickmode": "array",
        "tickvals": trace["x"],
        "ticktext": titles,
        "tickangle": -90,
        "automargin": True,
    }
    yaxis = {
        "tickmode": "array",
        "tickvals": trace["y"],
        "ticktext": models,
        "automargin": True,
        "autorange": "reversed",
    }
    return {
        "data": [trace],
        "layout": {"xaxis": xaxis, "yaxis": yaxis, "height": 220 + 26 * len(shown)},
    }
