"""The context of a submission's own page: how far its judging is, and what its owner can do."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count

from benchmarks.protocols.base import Note
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.public_names import team_name
from benchmarks.submissions.selectors import is_held_by
from judging.models import Judgement, JudgeRun
from judging.selectors import RunPace, planned_calls, run_counts, run_pace, runs_ahead
from leaderboard.pages.cost import (
    EstimateCard,
    PauseNotice,
    RunMoney,
    cost_sentence,
    estimate_card,
    pause_notice,
    run_money,
)
from leaderboard.pages.dry_run import DryRunPanel, dry_run_panel
from leaderboard.pages.retry_offer import RetryOffer, retry_offer
from leaderboard.seals import JudgeSeal, judge_seal
from leaderboard.submission_states import MOVING, SENTENCES, states_of


@dataclass(frozen=True, slots=True)
class RunLine:
    """`money` is None where rules decide, `cost` the same as a sentence; `pause` is None unless the
    run is paused, `pace` once nothing is open."""

    judge: JudgeSeal
    asked: int
    judged: int
    unreadable: int
    failed: int
    excluded: int
    open: int
    percent_done: int
    reasons: tuple[tuple[str, int], ...]
    is_scored: bool
    retry: RetryOffer | None
    money: RunMoney | None
    cost: str
    pause: PauseNotice | None
    pace: RunPace | None


@dataclass(frozen=True, slots=True)
class SubmissionPage:
    """`state` is one of those of submission_states.SENTENCES. `is_moving`: the page should look
    again. `estimate`: what the default judge will take, and `dry_run`: what it said of a few
    answers, while the submission is to be confirmed. `ahead`: other runs in the queue then."""

    id: UUID
    model: str
    benchmark_slug: str
    benchmark: str
    release: str
    file_name: str
    has_file: bool
    sha256: str
    answers: int
    visibility: str
    state: str
    sentence: str
    notes: tuple[Note, ...]
    runs: tuple[RunLine, ...]
    calls_planned: int
    estimate: EstimateCard | None
    is_moving: bool
    dry_run: DryRunPanel | None
    ahead: int
    is_owner: bool
    team: str
    created: datetime


def submission_page(submission: Submission, user: Any) -> SubmissionPage:
    release = submission.release
    is_owner = is_held_by(user, submission)
    lines = tuple(
        run_line(run, is_owner=is_owner)
        for run in submission.runs.filter(dry_run=None).select_related("judge_spec", "scoresheet")
    )
    state = states_of([submission])[submission.pk]
    dry_run = dry_run_panel(submission, is_owner=is_owner) if state == "to confirm" else None
    estimate = estimate_card(submission) if state == "to confirm" else None
    return SubmissionPage(
        id=submission.id,
        model=submission.model.name,
        benchmark_slug=release.benchmark.slug,
        benchmark=release.benchmark.title,
        release=release.title,
        file_name=submission.file_name,
        has_file=bool(submission.file),
        sha256=submission.sha256,
        answers=release.question_count,
        visibility=submission.visibility,
        state=state,
        sentence=SENTENCES[state],
        notes=tuple(Note(**note) for note in submission.reading_notes),
        runs=lines,
        calls_planned=planned_calls(submission) if state == "to confirm" else 0,
        estimate=estimate,
        is_moving=state in MOVING,
        dry_run=dry_run,
        ahead=runs_ahead(None) if state == "to confirm" else 0,
        is_owner=is_owner,
        team=team_name(submission.team) if submission.team else "",
        created=submission.created,
    )


def run_line(run: JudgeRun, *, is_owner: bool) -> RunLine:
    counts = run_counts(run)
    money = run_money(run, counts.open)
    failed = run.judgements.exclude(state=Judgement.State.JUDGED).exclude(reason="").order_by()
    reasons = failed.values_list("reason").annotate(rows=Count("pk")).order_by("-rows")[:5]
    return RunLine(
        judge=judge_seal(run.judge_spec),
        asked=counts.asked,
        judged=counts.judged,
        unreadable=counts.unreadable,
        failed=counts.failed,
        excluded=counts.excluded,
        open=counts.open,
        percent_done=int(counts.share_done * 100),
        reasons=tuple(reasons),
        is_scored=hasattr(run, "scoresheet"),
        retry=retry_offer(run, is_owner=is_owner),
        money=money,
        cost=cost_sentence(money),
        pause=pause_notice(run),
        pace=run_pace(run, counts.open) if counts.open or not run.planned else None,
    )
