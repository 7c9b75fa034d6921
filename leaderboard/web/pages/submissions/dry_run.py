"""What a dry run says of a file that waits to be confirmed: a few answers with real verdicts."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from benchmarks.selectors import kept_truths, protocol_of, question_view
from benchmarks.submissions.models import Submission
from judging.models import JudgeRun
from judging.progress import calls_of
from judging.querysets import MOVING
from judging.selectors import run_counts, verdicts_of
from judging.services.dry_runs import QUESTIONS, dry_run_of, dry_run_places
from leaderboard.results.judges.seals import JudgeSeal, judge_seal
from leaderboard.web.pages.entries.questions import question_cards
from leaderboard.web.pages.submissions.cost import (
    PauseNotice,
    cost_sentence,
    pause_notice,
    run_money,
)


@dataclass(frozen=True, slots=True)
class DryRunResult:
    """How far the judge is with the few answers, and what it said. is_moving: the page should look
    again."""

    judge: JudgeSeal
    asked: int
    open: int
    percent_done: int
    is_moving: bool
    cost: str
    pause: PauseNotice | None
    cards: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class DryRunPanel:
    """`result` is None before there is one. limit, left: of the owner's places of the day, limit 0
    where there is none; `next_place` is None unless all are taken."""

    id: UUID
    questions: int
    result: DryRunResult | None
    limit: int
    left: int
    next_place: datetime | None
    is_owner: bool

    @property
    def is_moving(self) -> bool:
        return self.result is not None and self.result.is_moving


def dry_run_panel(submission: Submission, *, is_owner: bool) -> DryRunPanel | None:
    """None for what nobody owns, and for a hidden test."""
    if submission.owner is None or not submission.release.verdicts_are_public:
        return None
    run = dry_run_of(submission)
    places = dry_run_places(submission.owner)
    return DryRunPanel(
        id=submission.pk,
        questions=min(QUESTIONS, submission.release.question_count),
        result=dry_run_result(submission, run) if run else None,
        limit=places.limit,
        left=max(0, places.limit - places.taken),
        next_place=places.next_place,
        is_owner=is_owner,
    )


def dry_run_result(submission: Submission, run: JudgeRun) -> DryRunResult:
    counts = run_counts(run)
    states = set(run.judgements.order_by().values_list("state", flat=True).distinct())
    return DryRunResult(
        judge=judge_seal(run.judge_spec),
        asked=counts.asked,
        open=counts.open,
        percent_done=int(counts.share_done * 100),
        is_moving=run.paused is None and not states.isdisjoint(MOVING),
        cost=cost_sentence(run_money(calls_of(run), counts.open)),
        pause=pause_notice(run),
        cards=dry_run_cards(submission, run),
    )


def dry_run_cards(submission: Submission, run: JudgeRun) -> list[dict[str, Any]]:
    """What is hidden on an entry's page is hidden here: whose file it is makes no difference."""
    answers = list(
        submission.answers.filter(pk__in=run.judgements.values("answer"))
        .select_related("question__subtask__ability", "question__figure")
        .order_by("pk")
    )
    kept = kept_truths(submission.release)
    views = [question_view(answer.question, kept) for answer in answers]
    verdicts = verdicts_of(run, [view.public_id for view in views])
    texts = [answer.text for answer in answers]
    scored = protocol_of(submission.release).explain(views, texts, verdicts, {})
    rows = list(zip(answers, views, scored, strict=True))
    return question_cards(submission, run, run.judge_spec.slug, rows)
