"""An entry among the others of its board: where it lies, its profile against the leader and the
median model, and what it is clearly better and worse at."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmarks.protocols.base import Metric
from benchmarks.scoring.sheets import MetricValue
from leaderboard.models import BoardFacts, Scoresheet
from leaderboard.results.selectors import BoardEntry, BoardReading, PackedFigures
from leaderboard.web.board.charts import ChartView, ChosenModel, chosen_models, radar_view
from leaderboard.web.board.comparison import entry_claims, placement_claims
from leaderboard.web.board.lead_figure import LeadFigure, figure_of_entry
from leaderboard.web.pages.boards.abilities import axes_of
from leaderboard.web.pages.models.strengths import FEWEST_ENTRIES, Strengths, strengths_of

NEIGHBOURS = 2
"""On either side of the entry in its figure."""


@dataclass(frozen=True, slots=True)
class Field:
    """profile: None where the board has no abilities, or draws beside a score why answers are
    wrong."""

    claims: tuple[str, ...]
    figure: LeadFigure | None
    profile: ChartView | None
    legend: tuple[ChosenModel, ...]
    strengths: Strengths


def field_of(reading: BoardReading, entry: BoardEntry, *, is_public: bool) -> Field:
    drawn, profile = profile_of(reading, entry)
    claims = entry_claims if is_public else placement_claims
    return Field(
        claims=claims(reading, entry),
        figure=figure_of_entry(reading, entry),
        profile=profile,
        legend=chosen_models(reading, drawn),
        strengths=strengths_of([(reading, entry)]),
    )


def unplaced_entry(sheet: Scoresheet) -> BoardEntry:
    """What a board would show of an entry that it does not have."""
    submission = sheet.submission
    return BoardEntry(
        id=submission.pk,
        model_id=submission.model_id,
        model=submission.model.name,
        facts=BoardFacts.of_model(submission.model),
        origin=submission.origin,
        submitted=submission.created,
        rank=None,
        rank_best=None,
        rank_worst=None,
        coverage=sheet.coverage,
        judged=sheet.judged,
        unreadable=sheet.unreadable,
        failed=sheet.failed,
        excluded=sheet.excluded,
        figures=PackedFigures(sheet.figures),
    )


def profile_of(
    reading: BoardReading, entry: BoardEntry
) -> tuple[Sequence[BoardEntry], ChartView | None]:
    """Of the first radar that the board has, with the entries that it draws."""
    axes = next((axes for axes in axes_of(reading) if axes.chart), None)
    if axes is None or axes.chart is None or reading.board.panel:
        return (), None
    drawn, leader = [entry], reading.leader
    if leader and not leader.is_gone and leader.id != entry.id:
        drawn.append(replace(leader, model=f"{leader.model}, leader"))
    if median := median_model(reading, entry, axes.metrics):
        drawn.append(median)
    return drawn, radar_view(axes.chart, drawn, chosen_models(reading, drawn))


def median_model(
    reading: BoardReading, entry: BoardEntry, metrics: Sequence[Metric]
) -> BoardEntry | None:
    """The median of each of these and of the ranking, as if a model had them all; None where the
    field is too small for any. It is nobody: only its name and figures are used."""
    names = [reading.board.ranking, *(metric.name for metric in metrics)]
    middles = ((name, reading.middle(name)) for name in names)
    figures = {
        name: MetricValue(
            found.value, found.low, found.high, None, found.entries, found.entries, found.entries
        )
        for name, found in middles
        if found and found.entries >= FEWEST_ENTRIES
    }
    return replace(entry, model="Median model", figures=figures) if figures else None
