"""The context of a submission's own page: how far its judging is, and what its owner can do."""

from typing import Any

from django.db.models import Count, Q

from benchmarks.protocols.base import Note
from benchmarks.selectors import protocol_of
from benchmarks.submissions.models import Submission
from judging.models import Judgement, JudgeRun
from judging.selectors import planned_calls, run_counts
from leaderboard.cost_page import cost_sentence, estimate_card, pause_notice, run_money
from leaderboard.judge_page import judge_seal
from leaderboard.models import Scoresheet
from leaderboard.numbers import print_value
from leaderboard.pages import MyEntryLine, RunLine, SubmissionPage
from leaderboard.retry_offer import retry_offer

SENTENCES = {
    "to confirm": "The file was read without a problem. Confirm it to have it judged.",
    "waiting": "Accepted and in the queue. A worker will plan its judging within a few seconds.",
    "judging": "Being judged. This page moves by itself; you can close it, nothing is lost.",
    "paused": "Judging is paused. What is judged is kept, and it will go on at the same answer.",
    "scoring": "Every answer is judged. The scoresheet is being computed.",
    "judged": "Judged and scored.",
    "withdrawn": "Withdrawn. It is on no board; this line remains so that nothing vanishes unseen.",
}
PAUSED = Q(paused__isnull=False) | Q(judgements__state=Judgement.State.PAUSED)
MOVING = {"waiting", "judging", "scoring"}


def submission_page(submission: Submission, user: Any) -> SubmissionPage:
    release = submission.release
    is_owner = submission.owner_id == user.pk
    lines = tuple(
        run_line(run, is_owner=is_owner)
        for run in submission.runs.select_related("judge_spec", "scoresheet")
    )
    state = state_of(submission, lines)
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
        is_owner=is_owner,
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
    )


def state_of(submission: Submission, runs: tuple[RunLine, ...]) -> str:
    """The state of a submission, from its rows."""
    if submission.withdrawn:
        return "withdrawn"
    if not submission.confirmed:
        return "to confirm"
    if not runs or any(not run.asked and not run.pause for run in runs):
        return "waiting"
    if any(run.open for run in runs):
        return "paused" if submission.runs.filter(PAUSED).exists() else "judging"
    if all(run.is_scored for run in runs):
        return "judged"
    return "paused" if any(run.pause and not run.is_scored for run in runs) else "scoring"


def my_entry_lines(user: Any) -> tuple[MyEntryLine, ...]:
    """The user's submissions, newest first."""
    found = Submission.objects.filter(owner=user).select_related("model", "release__benchmark")
    own = Scoresheet.objects.filter(submission__owner=user).defer(
        "figures", "draws", "lengths", "losses"
    )
    sheets = {sheet.submission_id: sheet for sheet in own}
    paused = set(
        JudgeRun.objects.filter(PAUSED, submission__owner=user).values_list("submission", flat=True)
    )
    return tuple(my_entry_line(s, sheets.get(s.pk), is_paused=s.pk in paused) for s in found)


def my_entry_line(
    submission: Submission, sheet: Scoresheet | None, *, is_paused: bool
) -> MyEntryLine:
    family = protocol_of(submission.release)
    metric = family.board.METRICS[family.board.BOARD.ranking]
    if submission.withdrawn:
        state = "withdrawn"
    elif not submission.confirmed:
        state = "to confirm"
    elif is_paused:
        state = "paused"
    else:
        state = "judged" if sheet else "judging"
    return MyEntryLine(
        id=submission.id,
        model=submission.model.name,
        benchmark=submission.release.benchmark.title,
        release=submission.release.title,
        state=state,
        visibility=submission.visibility,
        score=print_value(metric, sheet.ranking) if sheet else "",
        created=submission.created,
    )
