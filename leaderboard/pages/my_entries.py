"""The page of what somebody handed in."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from benchmarks.selectors import protocol_of
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.public_names import team_name
from leaderboard.formatting import print_value
from leaderboard.models import Scoresheet
from leaderboard.seals import judge_seal
from leaderboard.submission_states import states_of


@dataclass(frozen=True, slots=True)
class MyEntryLine:
    """score: of the judge that was asked first, whose name is `judge`."""

    id: UUID
    model: str
    benchmark: str
    release: str
    state: str
    visibility: str
    team: str
    score: str
    judge: str
    created: datetime


@dataclass(frozen=True, slots=True)
class MyEntriesPage:
    lines: tuple[MyEntryLine, ...]


def my_entry_lines(user: Any) -> tuple[MyEntryLine, ...]:
    """The submissions of the user and their teams, newest first."""
    mine = Submission.objects.held_by(user)
    found = mine.select_related("model", "release__benchmark", "team__public_name")
    own = Scoresheet.objects.filter(submission__in=mine).defer(
        "figures", "draws", "lengths", "losses", "item_scores", "ability_moves"
    )
    sheets: dict[UUID, Scoresheet] = {}
    for sheet in own.select_related("judge_spec").order_by("run"):
        sheets.setdefault(sheet.submission_id, sheet)
    states = states_of(found)
    return tuple(my_entry_line(s, sheets.get(s.pk), states[s.pk]) for s in found)


def my_entry_line(submission: Submission, sheet: Scoresheet | None, state: str) -> MyEntryLine:
    family = protocol_of(submission.release)
    metric = family.board.METRICS[family.board.BOARD.ranking]
    return MyEntryLine(
        id=submission.id,
        model=submission.model.name,
        benchmark=submission.release.benchmark.title,
        release=submission.release.title,
        state=state,
        visibility=submission.visibility,
        team=team_name(submission.team) if submission.team else "",
        score=print_value(metric, sheet.ranking) if sheet else "",
        judge=judge_seal(sheet.judge_spec).label if sheet else "",
        created=submission.created,
    )
