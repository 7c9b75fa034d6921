"""The context of a submission's own page: how far its judging is, and what its owner can do."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count

from benchmarks.protocols.base import Metric, Note
from benchmarks.selectors import protocol_of
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.public_names import team_name
from benchmarks.submissions.selectors import is_held_by
from judging.models import Judgement, JudgeRun
from judging.selectors import RunPace, planned_calls, run_counts, run_pace, runs_ahead
from leaderboard.formatting import print_interval, print_rank, print_value
from leaderboard.models import BoardRow, Scoresheet
from leaderboard.pages.cost import (
    EstimateCard,
    PauseNotice,
    RunMoney,
    cost_sentence,
    estimate_card,
    pause_notice,
    print_duration,
    run_money,
)
from leaderboard.pages.dry_run import DryRunPanel, dry_run_panel
from leaderboard.pages.retry_offer import RetryOffer, retry_offer
from leaderboard.scoring import MetricValue
from leaderboard.seals import JudgeSeal, judge_seal
from leaderboard.submission_states import MOVING, SENTENCES, states_of


@dataclass(frozen=True, slots=True)
class RunResult:
    """score: with its interval. place: its rank range on the board as it is stored; empty where it
    has none, which `unplaced` explains."""

    metric: str
    score: str
    place: str
    unplaced: str


@dataclass(frozen=True, slots=True)
class RunLine:
    """`money` is None where rules decide, `cost` the same as a sentence; `pause` is None unless the
    run is paused, `pace` once nothing is open; `moving` says the pace in words. `result` is None
    before there is a score."""

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
    moving: str
    result: RunResult | None


@dataclass(frozen=True, slots=True)
class SubmissionPage:
    """`state` is one of those of submission_states.SENTENCES. `is_moving`: the page should look
    again. replaces, newer: the earlier version it takes the place of, and the one that takes its
    own. `estimate`: what the default judge will take, and `dry_run`: what it said of a few answers,
    while the submission is to be confirmed. `ahead`: other runs in the queue then."""

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
    withdrawal_reason: str
    replaces: UUID | None
    has_taken_place: bool
    newer: UUID | None
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
        withdrawal_reason=submission.withdrawal_reason,
        replaces=submission.replaces_id,
        has_taken_place=submission.replacement_settled is not None,
        newer=submission.replaced_by_id or newer_version(submission),
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


def newer_version(submission: Submission) -> UUID | None:
    """One that is under way to take its place."""
    standing = Submission.objects.not_withdrawn().filter(replaces=submission.pk)
    return standing.values_list("pk", flat=True).first()


def run_line(run: JudgeRun, *, is_owner: bool) -> RunLine:
    counts = run_counts(run)
    money = run_money(run, counts.open)
    failed = run.judgements.exclude(state=Judgement.State.JUDGED).exclude(reason="").order_by()
    reasons = failed.values_list("reason").annotate(rows=Count("pk")).order_by("-rows")[:5]
    pace = run_pace(run, counts.open) if counts.open or not run.planned else None
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
        pace=pace,
        moving=pace_sentence(pace) if pace and run.paused is None else "",
        result=run_result(run, run.scoresheet) if hasattr(run, "scoresheet") else None,
    )


def pace_sentence(pace: RunPace) -> str:
    """How fast it moves, what is left, and what stands ahead of it."""
    if pace.per_minute and pace.seconds_left is not None:
        rate = f"{pace.per_minute:,.0f}" if pace.per_minute >= 1 else f"{pace.per_minute:.1f}"
        return f"{rate} a minute; about {print_duration(pace.seconds_left)} left."
    if pace.ahead:
        runs = "1 run" if pace.ahead == 1 else f"{pace.ahead:,} runs"
        return f"Nothing judged in the last minutes; {runs} asked for earlier stand ahead."
    return "Nothing judged in the last minutes; nothing stands ahead of it in the queue."


def run_result(run: JudgeRun, sheet: Scoresheet) -> RunResult:
    submission = run.submission
    port = protocol_of(submission.release).board
    metric = port.METRICS[port.BOARD.ranking]
    packed = sheet.board_figures.get(metric.name)
    row = BoardRow.objects.filter(sheet=sheet.pk, edition__replaced__isnull=True).first()
    place, unplaced = "", ""
    if submission.withdrawn:
        unplaced = "It is withdrawn and on no board."
    elif submission.visibility != Submission.Visibility.PUBLIC:
        unplaced = "It is private: once it is published, it is placed on the board."
    elif row is None or row.scored is None or row.scored < sheet.computed:
        unplaced = "It is being placed on the board, within a minute or two."
    elif row.rank is None:
        unplaced = "It stands on the board without a rank; its page says why."
    else:
        place = print_rank(row.best, row.worst)
    return RunResult(
        metric=metric.title,
        score=shown_score(metric, packed),
        place=place,
        unplaced=unplaced,
    )


def shown_score(metric: Metric, packed: Sequence[Any] | None) -> str:
    """The value with its 95 % interval; a dash where there is none."""
    if not packed:
        return print_value(metric, None)
    figure = MetricValue(*packed)
    interval = print_interval(metric, figure)
    value = print_value(metric, figure.value)
    return f"{value} (95 % interval {interval})" if interval else value
