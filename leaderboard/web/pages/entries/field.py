"""An entry among the others of its board: where it lies, its profile against the leader and the
median model, and what it is clearly better and worse at."""

from dataclasses import replace
from typing import Any

from leaderboard.models import BoardFacts, Scoresheet
from leaderboard.results.selectors import BoardEntry, BoardReading, PackedFigures
from leaderboard.web.board.charts import ChartView, chosen_models
from leaderboard.web.board.comparison import entry_claims, placement_claims
from leaderboard.web.board.lead_figure import figure_of_entry
from leaderboard.web.pages.boards.abilities import radars
from leaderboard.web.pages.models.strengths import strengths_of

NEIGHBOURS = 2
"""On either side of the entry in its figure."""


def field_of(reading: BoardReading, entry: BoardEntry, *, is_public: bool) -> dict[str, Any]:
    """`profile`: None where the board has no abilities, or draws beside a score why answers are
    wrong."""
    claims = entry_claims if is_public else placement_claims
    return {
        "claims": claims(reading, entry),
        "figure": figure_of_entry(reading, entry),
        "profile": None if reading.board.panel else profile_of(reading, entry),
        "strengths": strengths_of([(reading, entry)]),
    }


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


def profile_of(reading: BoardReading, entry: BoardEntry) -> ChartView | None:
    """The first radar that the board has, of the entry and the leader before the median model."""
    drawn, leader = [entry], reading.leader
    if leader and not leader.is_gone and leader.id != entry.id:
        drawn.append(replace(leader, model=f"{leader.model}, leader"))
    return next(radars(reading, drawn, chosen_models(reading, drawn)), None)
