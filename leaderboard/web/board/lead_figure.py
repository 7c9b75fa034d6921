"""The figure a board opens with: who leads, and how surely. What of the reading it draws, and what
it says of that in words; `leaderboard.web.board.forest` draws it."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.urls import reverse
from django.utils.safestring import SafeString

from benchmarks.protocols.base import LeadPanel, Metric
from leaderboard.results.formatting import print_interval, print_rank, print_value, scale
from leaderboard.results.selectors import BoardEntry, BoardReading
from leaderboard.web.board.comparison import days_of_namesakes, name_with_day
from leaderboard.web.board.forest import (
    NARROW,
    WIDE,
    WIDEST,
    ForestAxis,
    ForestMark,
    ForestRow,
    draw_forest,
)
from leaderboard.web.board.lead_panel import panel_heads, panel_row, panel_scales

MOST_ROWS = 12
"""With more, the table that has every one begins on the third screen of a laptop."""
GIVEN_TEXTS = "human-written description"
"""What stands beside the line of a baseline whose answers are the texts a judge reads."""


@dataclass(frozen=True, slots=True)
class LeadFigure:
    """The same drawing for wide and for narrow pages, in words what its signs mean, and how many
    entries it has, of how many on the page."""

    wide: SafeString
    narrow: SafeString
    about: str
    drawn: int
    entries: int


def lead_figure(reading: BoardReading, order: str) -> LeadFigure | None:
    """`order` names the metric in whose order the rows stand. None where nothing has a value."""
    metric, panel = reading.metrics[order], reading.board.panel
    if panel and reading.order != reading.board.ranking:
        panel = None  # which is of the ranking's own verdicts
    entries = [entry for entry in reading.rows if entry.origin != "baseline"]
    found = drawn(reading, metric, panel, entries[:MOST_ROWS])
    return found and replace(found, entries=len(entries))


def figure_of_entry(reading: BoardReading, entry: BoardEntry) -> LeadFigure | None:
    """The entry among the leader and those that the reading has of its neighbours."""
    metric = reading.metrics[reading.board.ranking]
    others = [found for found in reading.also if found.rank and found.same_answers_as is None]
    if reading.leader and not reading.leader.is_gone:
        others.append(reading.leader)
    rows = {other.id: other for other in (*others, entry)}
    sign = 1 if metric.higher_is_better is False else -1

    def place(row: BoardEntry) -> tuple[bool, float]:
        value = row.value(metric.name)
        return value is None, 0.0 if value is None else sign * value

    return drawn(
        reading, metric, reading.board.panel, sorted(rows.values(), key=place), own=entry.id
    )


def drawn(
    reading: BoardReading,
    metric: Metric,
    panel: LeadPanel | None,
    entries: Sequence[BoardEntry],
    own: UUID | None = None,
) -> LeadFigure | None:
    days = days_of_namesakes(entries)
    rows = [
        entry_row(
            metric,
            entry,
            name_with_day(entry, days),
            beside=panel_row(panel, entry) if panel else "",
        )
        for entry in entries
    ]
    rows = [
        replace(row, url="", is_own=True) if entry.id == own else row
        for row, entry in zip(rows, entries, strict=True)
    ]
    if not any(row.value is not None for row in rows):
        return None
    if not any(entry.rank_best for entry in entries):
        rows = [replace(row, place="") for row in rows]
    has_intervals = any(row.interval for row in rows)
    marks = floor_marks(metric, (*reading.rows, *reading.also))
    axis = axis_of(metric, rows, marks)
    intervals = " with 95 % intervals" if has_intervals else ""
    label = f"{metric.title}{intervals}. Every figure stands in the table below."
    wide = (
        draw_forest(
            rows, axis, marks, WIDEST, label=label, beside=panel_heads(panel), below=panel_scales()
        )
        if panel and any(row.beside for row in rows)
        else draw_forest(rows, axis, marks, WIDE, label=label)
    )
    return LeadFigure(
        wide=wide,
        narrow=draw_forest(rows, axis, marks, NARROW, label=label),
        about=" ".join(about(metric, marks, has_intervals=has_intervals)),
        drawn=len(rows),
        entries=len(entries),
    )


def entry_row(metric: Metric, entry: BoardEntry, name: str, *, beside: str = "") -> ForestRow:
    """name: as the row says it; beside: markup."""
    figure, factor = entry.figure(metric.name), scale(metric)
    value = figure.value if figure else None
    return ForestRow(
        name=name,
        url="" if entry.is_gone else reverse("entry", args=[entry.id]),
        place=print_rank(entry.rank_best, entry.rank_worst) if entry.rank else "–",
        score=print_value(metric, value),
        value=None if value is None else value * factor,
        low=None if figure is None or figure.low is None else figure.low * factor,
        high=None if figure is None or figure.high is None else figure.high * factor,
        interval=print_interval(metric, figure) if figure else "",
        beside=beside,
    )


def floor_marks(metric: Metric, entries: Iterable[BoardEntry]) -> tuple[ForestMark, ...]:
    """One band over all baselines, and a line for each that was given the texts a judge reads:
    these are no floor."""
    factor = scale(metric)
    baselines = [
        (entry, value)
        for entry in entries
        if entry.origin == "baseline" and (value := entry.value(metric.name)) is not None
    ]
    blind = [value for entry, value in baselines if not entry.repeats_texts]
    marks = [
        ForestMark(
            f"{GIVEN_TEXTS}, {print_value(metric, value)}", value * factor, value * factor, "rule"
        )
        for entry, value in baselines
        if entry.repeats_texts
    ]
    if blind:
        low, high = min(blind), max(blind)
        ends = print_value(metric, low)
        if high > low:
            ends = f"{ends} to {print_value(metric, high)}"
        marks.insert(0, ForestMark(f"baselines, {ends}", low * factor, high * factor))
    return tuple(marks)


def axis_of(metric: Metric, rows: Sequence[ForestRow], marks: Sequence[ForestMark]) -> ForestAxis:
    """The protocol's own scale; where that has no end, as far as what is drawn reaches."""
    factor = scale(metric)
    low, high = (end * factor for end in metric.scale)
    drawn = [v for row in rows for v in (row.value, row.low, row.high) if v is not None]
    drawn += [end for mark in marks for end in (mark.low, mark.high)]
    if math.isinf(low):
        low = min(drawn)
    if math.isinf(high):
        high = max(drawn)
    return ForestAxis(axis_title(metric), low, high)


def axis_title(metric: Metric) -> str:
    """ "Overall, of 1000", "Overall in %; higher is better" """
    most = metric.scale[1]
    if metric.unit == "percent" and most == 1:
        of = " in %"
    else:
        of = "" if math.isinf(most) else f", of {most * scale(metric):g}"
    better = {True: "; higher is better", False: "; lower is better", None: ""}
    return f"{metric.title}{of}{better[metric.higher_is_better]}"


def about(metric: Metric, marks: Sequence[ForestMark], *, has_intervals: bool) -> Iterable[str]:
    """What the signs mean that are there."""
    yield f"Point: {metric.title}."
    if has_intervals:
        yield "Line: 95 % interval."
    if any(mark.kind == "band" for mark in marks):
        yield "Shaded: the range of baselines, which never look at a picture."
    if any(mark.kind == "rule" for mark in marks):
        yield "Dashed: the human-written description of each picture, scored as an answer."
