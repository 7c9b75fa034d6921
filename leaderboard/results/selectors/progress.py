"""A submission as whoever watches it is told of it: what is handed in, its runs, scores and places,
and whether the person may know, in one query."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, QuerySet
from django.http import Http404

from benchmarks.submissions.models import Submission
from benchmarks.submissions.selectors import VIEW
from benchmarks.submissions.team_models import Membership
from judging.models import Judgement
from judging.progress import (
    NONE,
    Row,
    RunProgress,
    as_text,
    moment,
    part,
    progress_parts,
    read_progress,
)
from leaderboard.models import BoardRow, Scoresheet
from leaderboard.results.entries.submission_states import RunFacts, state_of

NO_RUN = NONE
NOT_YOURS = "There is no such submission, or it is not yours."
SUBMISSION_FIELDS = ("owner", "team", "visibility", "withdrawn", "confirmed")


@dataclass(frozen=True, slots=True)
class Place:
    """Of a run's scoresheet on the board that is stored; rank, best, worst: null without one."""

    rank: int | None
    best: int | None
    worst: int | None


@dataclass(frozen=True, slots=True)
class WatchedRun:
    """figure: the packed metric by which its board ranks, empty where it is not defined. place:
    None while there is no score, or the stored board knows an earlier one."""

    progress: RunProgress
    is_scored: bool
    figures: dict[str, Sequence[Any]]
    place: Place | None


@dataclass(frozen=True, slots=True)
class Watched:
    """What is told of a submission while it moves. is_held: the person who asks is its owner, or of
    its team."""

    id: UUID
    benchmark: str
    visibility: str
    withdrawn: datetime | None
    confirmed: datetime | None
    is_held: bool
    runs: tuple[WatchedRun, ...]

    @property
    def state(self) -> str:
        return state_of(self, [facts_of(run) for run in self.runs])


def facts_of(run: WatchedRun) -> RunFacts:
    counts = run.progress.counts
    return RunFacts(
        is_planned=counts.asked > 0,
        is_open=counts.open > 0,
        is_paused=run.progress.run.paused is not None,
        is_parked=bool(run.progress.states.get(Judgement.State.PAUSED)),
        is_scored=run.is_scored,
    )


def own_watched(user: Any, submission_id: UUID) -> Watched:
    """A submission of the user's or their teams', or any for who may view them all, which alone
    takes more queries. Raises Http404 for everything else, as `own_submission` does."""
    found = watched(user, submission_id)
    if not (found.is_held or user.has_perm(VIEW)):
        raise Http404(NOT_YOURS)
    return found


def watched(user: Any, submission_id: UUID) -> Watched:
    """Whoever asks. Raises Http404 where there is no such submission."""
    first, *others = watched_parts(user, submission_id)
    found = watched_of(submission_id, list(first.union(*others, all=True)), user)
    if found is None:
        raise Http404(NOT_YOURS)
    return found


def watched_parts(user: Any, submission_id: UUID) -> list[QuerySet[Any]]:
    submission = Submission.objects.filter(pk=submission_id).order_by()
    member = Membership.objects.filter(team=OuterRef("team"), user=user.pk)
    columns: dict[str, Any] = {name: F(name) for name in SUBMISSION_FIELDS}
    columns |= {"benchmark": F("release__benchmark__slug"), "is_member": Exists(member)}
    sheets = Scoresheet.objects.filter(submission=submission_id).order_by()
    rows = BoardRow.objects.filter(
        sheet__in=sheets.values("pk"),
        edition__replaced__isnull=True,
        scored__gte=F("sheet__computed"),
    ).order_by()
    place = {"rank": F("rank"), "best": F("best"), "worst": F("worst")}
    return [
        part(submission, "submission", NO_RUN, as_text(**columns), NONE),
        part(sheets, "sheet", "run", as_text(figures=F("board_figures")), NONE),
        part(rows, "place", "sheet__run", as_text(**place), "pk"),
        *progress_parts(submission_id),
    ]


def watched_of(submission_id: UUID, rows: Sequence[Row], user: Any) -> Watched | None:
    """None where no submission is among the rows."""
    submission_values = next(
        (json.loads(text) for name, _, text, _ in rows if name == "submission"), None
    )
    if submission_values is None:
        return None
    is_own = (
        submission_values["team"] is None
        and submission_values["owner"] is not None
        and submission_values["owner"] == user.pk
    )
    figures = {run: figures_in(text) for name, run, text, _ in rows if name == "sheet"}
    places = places_in(rows)
    return Watched(
        id=submission_id,
        benchmark=submission_values["benchmark"],
        visibility=submission_values["visibility"],
        withdrawn=moment(submission_values["withdrawn"]),
        confirmed=moment(submission_values["confirmed"]),
        is_held=is_own or bool(submission_values["is_member"]),
        runs=tuple(
            WatchedRun(
                progress=one,
                is_scored=one.run.pk in figures,
                figures=figures.get(one.run.pk, {}),
                place=places.get(one.run.pk),
            )
            for one in read_progress(rows)
        ),
    )


def figures_in(text: str) -> dict[str, Sequence[Any]]:
    """SQLite has JSON in JSON as a text, PostgreSQL as what it is."""
    found = json.loads(text)["figures"]
    read: dict[str, Sequence[Any]] = json.loads(found) if isinstance(found, str) else found
    return read


def places_in(rows: Iterable[Row]) -> dict[int, Place]:
    """By run; the board's own row before those of boards beside it, which are stored later."""
    found = sorted((key, run, text) for name, run, text, key in rows if name == "place")
    return {run: Place(**json.loads(text)) for _, run, text in reversed(found)}
