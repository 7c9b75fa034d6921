"""How far a submission is, by one rule wherever it is told: its own page, the list of mine, the
API."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from benchmarks.submissions.models import Submission
from judging.models import Judgement, JudgeRun
from judging.querysets import UNFINISHED
from leaderboard.models import Scoresheet

SENTENCES = {
    "to confirm": "The file is fine. Confirm it to have it judged.",
    "waiting": "In the queue. You can close this page.",
    "judging": "Being judged. You can close this page.",
    "paused": "Judging is paused. Finished judgements are kept, and it will continue where it "
    "stopped.",
    "scoring": "Every answer is judged. The scoresheet is being computed.",
    "judged": "Judged and scored.",
    "withdrawn": "Withdrawn. It is on no board; this line remains as a record.",
}
PLACING = "being placed on the board, within a minute or two"
MOVING = {"waiting", "judging", "scoring"}
STAGES = {
    "to-confirm": "to confirm",
    "under-way": "waiting, judging or paused",
    "judged": "judged",
    "withdrawn": "withdrawn",
}
"""States by which submissions are chosen from many, in words: those a database finds by columns and
by one look at the runs of each."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What of a run its submission's state depends on. is_parked: a judgement waits for a
    person."""

    is_planned: bool
    is_open: bool
    is_paused: bool
    is_parked: bool
    is_scored: bool


class Handed(Protocol):
    """A submission, or what was read of one."""

    @property
    def withdrawn(self) -> datetime | None: ...

    @property
    def confirmed(self) -> datetime | None: ...

    @property
    def visibility(self) -> str: ...


class Placed(Protocol):
    @property
    def rank(self) -> int | None: ...


def why_unranked(submission: Handed, place: Placed | None) -> str:
    """What a submission with a score is instead of ranked; empty for one with a rank. `place`: on
    the stored board, None while that knows an earlier score or none."""
    if submission.withdrawn:
        return "withdrawn, and on no board"
    if submission.visibility != Submission.Visibility.PUBLIC:
        return "private, and on no board until it is published"
    if place is None:
        return PLACING
    return "on the board without a rank; its page says why" if place.rank is None else ""


def states_of(submissions: Collection[Submission]) -> dict[UUID, str]:
    """The state of each, one of `SENTENCES`; one query, which looks up an index per run."""
    facts: dict[UUID, list[RunFacts]] = {submission.pk: [] for submission in submissions}
    own = Judgement.objects.filter(run=OuterRef("pk"))
    found = (
        JudgeRun.objects.whole()
        .filter(submission__in=list(facts))
        .values_list(
            "submission",
            Exists(own),
            Exists(own.filter(state__in=UNFINISHED)),
            "paused",
            Exists(own.filter(state=Judgement.State.PAUSED)),
            Exists(Scoresheet.objects.filter(run=OuterRef("pk"))),
        )
    )
    for submission, is_planned, is_open, paused, is_parked, is_scored in found:
        run = RunFacts(is_planned, is_open, paused is not None, is_parked, is_scored)
        facts[submission].append(run)
    return {one.pk: state_of(one, facts[one.pk]) for one in submissions}


def at_stage(submissions: QuerySet[Submission], stage: str) -> QuerySet[Submission]:
    """Those of them at this one of `STAGES`."""
    if stage == "withdrawn":
        return submissions.filter(withdrawn__isnull=False)
    submissions = submissions.filter(withdrawn__isnull=True)
    if stage == "to-confirm":
        return submissions.filter(confirmed__isnull=True)
    runs = JudgeRun.objects.whole().filter(submission=OuterRef("pk"))
    is_judged = Exists(runs) & ~Exists(runs.unscored())
    confirmed = submissions.filter(confirmed__isnull=False)
    return confirmed.filter(is_judged if stage == "judged" else ~is_judged)


def state_of(submission: Handed, runs: Sequence[RunFacts]) -> str:
    if submission.withdrawn:
        return "withdrawn"
    if not submission.confirmed:
        return "to confirm"
    return state_of_runs(runs)


def state_of_runs(runs: Sequence[RunFacts]) -> str:
    if not runs or any(not run.is_planned and not run.is_paused for run in runs):
        return "waiting"
    if any(run.is_open for run in runs):
        return "paused" if any(run.is_paused or run.is_parked for run in runs) else "judging"
    if all(run.is_scored for run in runs):
        return "judged"
    return "paused" if any(run.is_paused and not run.is_scored for run in runs) else "scoring"
