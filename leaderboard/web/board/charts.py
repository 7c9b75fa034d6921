"""Charts of a board as values a template prints: an SVG drawn here, the table behind it, and a
figure for Plotly.

A radar and bars show the chosen entries, at most six, in the series colours; a heatmap is a table
of all entries of the page with shaded cells. Values and their order come from the reading: this
module asks the database nothing.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import count
from typing import Any
from uuid import UUID

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from benchmarks.protocols.base import Bars, Chart, ColumnGroup, Heatmap, Metric
from leaderboard.results.formatting import MISSING, print_number, print_value, scale, why_missing
from leaderboard.results.selectors import BoardEntry, BoardReading
from leaderboard.web.board.bars import Bar, draw_bars
from leaderboard.web.board.cells import heat_step, missing_cell
from leaderboard.web.board.choices import MOST_CHOSEN
from leaderboard.web.board.dots import draw_dots
from leaderboard.web.board.radar import (
    FIELD_MARKER,
    MARKERS,
    RINGS,
    SIDE_LETTERS,
    RadarAxis,
    draw_radar,
    has_lists,
    marker,
    wrapped,
)

CHOSEN_AT_FIRST = 3
MOST_MAPPED = 8
"""Rows of a heatmap: with 43 columns as heavy as the rest of a page may be."""
WHOLE_FROM = 100
"""Top of a scale whose cells need no digits behind the point."""
FEWEST_AXES = 3
"""Of a radar, and of what is drawn on it: two are a line."""
FEWEST_ENTRIES = 5
"""In the field: the median of fewer is one of them."""
MOST_GAPS = 3
"""Of a drawing that its note names."""
MEDIAN_MODEL = "Median model"
FEWEST_JUDGEMENTS = 20
"""Fewer say little: one verdict more moves a share by over five of a hundred."""


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """A drawn entry, and its colour and marker as markup."""

    id: UUID
    model: str
    score: str
    marker: SafeString


@dataclass(frozen=True, slots=True)
class ChartView:
    """`svg` is empty for a heatmap, whose table is the chart, and `table` for bars, whose figures
    stand beside them; `dots` has the figures of a radar that has more axes than titles fit, row by
    row. `groups`: titles of neighbouring axes, and each axis with its number. `low`, `high` are
    printed."""

    slug: str
    title: str
    about: str
    note: str
    svg: SafeString
    is_heatmap: bool
    is_numbered: bool
    groups: Sequence[tuple[str, Sequence[tuple[int, str]]]]
    table: Sequence[Mapping[str, Any]]
    low: str
    high: str
    figure: dict[str, Any]
    dots: SafeString | None = None

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
        ChosenModel(e.id, e.model, print_value(metric, value_of(e, metric)), marker(series))
        for series, e in enumerate(chosen, start=1)
    )


def chart_views(reading: BoardReading, chosen: Sequence[BoardEntry]) -> tuple[ChartView, ...]:
    """Every chart that the reading shows; none while the board is empty."""
    legend = chosen_models(reading, chosen)
    if not legend:
        return ()
    return tuple(chart_view(chart, reading.rows, chosen, legend) for chart in reading.shown.charts)


def chart_view(
    chart: Chart,
    rows: Sequence[BoardEntry],
    chosen: Sequence[BoardEntry],
    legend: tuple[ChosenModel, ...],
) -> ChartView:
    if isinstance(chart, Heatmap):
        return heatmap_view(chart, rows, legend)
    if isinstance(chart, Bars):
        return bars_view(chart, chosen, legend)
    return radar_view(chart, chosen, legend)


def radar_view(
    chart: Chart,
    chosen: Sequence[BoardEntry],
    legend: tuple[ChosenModel, ...],
    field: BoardReading | None = None,
) -> ChartView:
    """field: the board whose median model is drawn behind the chosen."""
    metrics = metrics_of(chart)
    medians = [median_of(field, metric) for metric in metrics]
    has_median = sum(median is not None for median in medians) >= FEWEST_AXES
    titles = [group.title for group in chart.groups]
    axes = [
        RadarAxis(metric.title, place)
        for place, group in enumerate(chart.groups)
        for metric in group.metrics
    ]
    rings = ring_labels(chart, metrics)
    series = [[share(chart, value_of(entry, metric)) for metric in metrics] for entry in chosen]
    is_numbered = has_lists(axes, titles)
    few = [few_judged(metrics, entry) for entry in chosen] if is_numbered else []
    label = label_of(chart, legend)
    drawing = draw_radar(
        label=label,
        axes=axes,
        groups=titles,
        rings=rings,
        series=series,
        few=few,
        field=[share(chart, median) for median in medians] if has_median else (),
    )
    view = chosen_view(chart, chosen, legend, drawing)
    if field and has_median:
        view = replace(view, table=(*view.table, median_row(field, metrics, medians)))
    figure = radar_figure(chart, metrics, chosen, few, is_numbered=is_numbered)
    if not is_numbered:
        return replace(view, figure=figure)
    ends = (rings[0], rings[-1])
    hollow = f"Hollow: fewer than {FEWEST_JUDGEMENTS} judgements." if any(few) else ""
    return replace(
        view,
        note=f"{view.note} {hollow}".strip(),
        is_numbered=True,
        figure=figure,
        dots=draw_dots(label=label, axes=axes, groups=titles, ends=ends, series=series, few=few),
    )


def bars_view(
    chart: Chart, chosen: Sequence[BoardEntry], legend: tuple[ChosenModel, ...]
) -> ChartView:
    metrics = metrics_of(chart)
    drawing = draw_bars(
        label=label_of(chart, legend),
        titles=[metric.title for metric in metrics],
        series=[[bar_of(chart, metric, entry) for metric in metrics] for entry in chosen],
    )
    view = chosen_view(chart, chosen, legend, drawing)
    return replace(view, table=(), figure=bars_figure(chart, metrics, chosen))


def bar_of(chart: Chart, metric: Metric, entry: BoardEntry) -> Bar:
    figure = entry.figure(metric.name)
    if figure is None or figure.value is None:
        return Bar(MISSING, None)
    low, high = (share(chart, end) for end in (figure.low, figure.high))
    return Bar(print_value(metric, figure.value), share(chart, figure.value), low, high)


def few_judged(metrics: Sequence[Metric], entry: BoardEntry) -> Set[int]:
    """Which of the figures rest on too few judgements to say much, by their places."""
    figures = [entry.figure(metric.name) for metric in metrics]
    return {n for n, one in enumerate(figures) if one and one.judged < FEWEST_JUDGEMENTS}


def label_of(chart: Chart, legend: Sequence[ChosenModel]) -> str:
    models = ", ".join(line.model for line in legend)
    return f"{chart.title}: {models}. Every value stands in the table below."


def chosen_view(
    chart: Chart,
    chosen: Sequence[BoardEntry],
    legend: tuple[ChosenModel, ...],
    svg: SafeString,
) -> ChartView:
    """What charts of chosen models have in common; without a figure for Plotly."""
    metrics = metrics_of(chart)
    return ChartView(
        slug=chart.slug,
        title=chart.title,
        about=chart.about,
        note=gaps_note(metrics, chosen),
        svg=svg,
        is_heatmap=False,
        is_numbered=False,
        groups=axis_groups(chart.groups),
        table=[
            {
                "model": line.model,
                "marker": line.marker,
                "cells": entry_cells(metrics, entry),
                "score": line.score,
            }
            for entry, line in zip(chosen, legend, strict=True)
        ],
        low=ring_labels(chart, metrics)[0],
        high=ring_labels(chart, metrics)[-1],
        figure={},
    )


def gaps_note(metrics: Sequence[Metric], chosen: Sequence[BoardEntry]) -> str:
    """Which values are missing in a drawing, and why; of many only that they are."""
    reasons = {
        metric.title: why_missing(metric, entry.figure(metric.name))
        for entry in chosen
        for metric in metrics
        if value_of(entry, metric) is None
    }
    if len(reasons) > MOST_GAPS:
        return "A gap is a value that is missing; the table says why."
    return " ".join(f"Gap at {title}: {why}." for title, why in reasons.items())


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
        table=[
            {
                "id": entry.id,
                "model": entry.model,
                "marker": markers.get(entry.id, ""),
                "cells": heat_cells(chart, metrics, entry),
            }
            for entry in entries
        ],
        low=print_value(metrics[0], chart.low),
        high=print_value(metrics[0], chart.high),
        figure=heatmap_figure(chart, metrics, entries),
    )


# --- axes and values ------------------------------------------------------------------------------


def metrics_of(chart: Chart) -> list[Metric]:
    return [metric for group in chart.groups for metric in group.metrics]


def axis_groups(groups: Sequence[ColumnGroup]) -> list[tuple[str, list[tuple[int, str]]]]:
    numbers = count(1)
    return [
        (group.title, [(next(numbers), metric.title) for metric in group.metrics])
        for group in groups
    ]


def value_of(entry: BoardEntry, metric: Metric) -> float | None:
    return entry.value(metric.name)


def median_of(field: BoardReading | None, metric: Metric) -> float | None:
    """None where the field is too small for one."""
    middle = field.middle(metric.name) if field else None
    return middle.value if middle and middle.entries >= FEWEST_ENTRIES else None


def share(chart: Chart, value: float | None) -> float | None:
    """Where a value lies between the chart's ends, kept inside them; None for a missing one."""
    return (
        None
        if value is None
        else min(max((value - chart.low) / (chart.high - chart.low), 0.0), 1.0)
    )


def ring_labels(chart: Chart, metrics: Sequence[Metric]) -> list[str]:
    """What stands at the centre and at each ring. Axes of several units have no common label."""
    if len({metric.unit for metric in metrics}) > 1:
        return [""] * (RINGS + 1)
    step = (chart.high - chart.low) / RINGS
    return [f"{(chart.low + step * ring) * scale(metrics[0]):g}" for ring in range(RINGS + 1)]


# --- tables ---------------------------------------------------------------------------------------


def missing_value(metric: Metric, entry: BoardEntry) -> str:
    return missing_cell(why_missing(metric, entry.figure(metric.name)))


def median_row(
    field: BoardReading, metrics: Sequence[Metric], medians: Sequence[float | None]
) -> dict[str, str]:
    ranking = field.metrics[field.order]
    score = print_value(ranking, median_of(field, ranking))
    cells = radar_cells(metrics, medians)
    return {"model": MEDIAN_MODEL, "marker": FIELD_MARKER, "cells": cells, "score": score}


def entry_cells(metrics: Sequence[Metric], entry: BoardEntry) -> SafeString:
    return radar_cells(metrics, [value_of(entry, metric) for metric in metrics], entry)


def radar_cells(
    metrics: Sequence[Metric], values: Sequence[float | None], entry: BoardEntry | None = None
) -> SafeString:
    """entry: None of the median model."""
    cells = [
        f"<td>{print_value(metric, value)}</td>"
        if value is not None
        else missing_value(metric, entry)
        if entry
        else missing_cell("too few models with an interval")
        for metric, value in zip(metrics, values, strict=True)
    ]
    return mark_safe("".join(cells))  # noqa: S308 - numbers, and missing_cell escapes


def heat_cells(chart: Heatmap, metrics: Sequence[Metric], entry: BoardEntry) -> SafeString:
    """Whole numbers on a scale up to a hundred or more: so more columns fit."""
    cells = []
    for metric in metrics:
        value = value_of(entry, metric)
        if value is None:
            cells.append(missing_value(metric, entry))
        else:
            digits = 0 if chart.high * scale(metric) >= WHOLE_FROM else metric.digits
            text = print_number(value * scale(metric), digits)
            cells.append(f'<td class="heat-{heat_step(chart, value)}">{text}</td>')
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
    chart: Chart,
    metrics: Sequence[Metric],
    chosen: Sequence[BoardEntry],
    few: Sequence[Set[int]],
    *,
    is_numbered: bool,
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
            "text": [titles[place] for place in closed] if series == 0 else None,
            "hovertemplate": "%{text}: %{r}",
            "connectgaps": False,
            "marker": {"symbol": symbols(series, few, closed), "size": 8},
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


def symbols(series: int, few: Sequence[Set[int]], places: Sequence[int]) -> str | list[str]:
    """The sign of a series, and of each place where it is hollow somewhere."""
    sign = SYMBOLS[series]
    if not any(few):
        return sign
    return [f"{sign}-open" if place in few[series] else sign for place in places]


def bars_figure(
    chart: Chart, metrics: Sequence[Metric], chosen: Sequence[BoardEntry]
) -> dict[str, Any]:
    factor = scale(metrics[0])
    titles = [plain_text(metric.title) for metric in metrics]
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "name": plain_text(entry.model),
            "x": [printed_number(metric, value_of(entry, metric)) for metric in metrics],
            "y": titles,
            "hovertemplate": "%{y}: %{x}",
            "meta": {"series": series},
        }
        for series, entry in enumerate(chosen, start=1)
    ]
    layout = {
        "barmode": "group",
        "showlegend": False,
        "xaxis": {"range": [chart.low * factor, chart.high * factor]},
        "yaxis": {"autorange": "reversed", "automargin": True},
        "height": 60 + len(metrics) * (20 + 16 * len(chosen)),
    }
    return {"data": traces, "layout": layout}


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
