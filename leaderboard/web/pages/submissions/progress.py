"""The moving part of a submission's own page: how far each of its runs is, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from benchmarks.protocols.base import Metric
from benchmarks.registry import protocol
from benchmarks.scoring.sheets import MetricValue
from judging.progress import RunPace
from leaderboard.results.entries.submission_states import MOVING, PLACING, SENTENCES, why_unranked
from leaderboard.results.formatting import print_interval, print_rank, print_value
from leaderboard.results.judges.seals import JudgeSeal, judge_seal
from leaderboard.results.selectors.progress import Watched, WatchedRun
from leaderboard.web.pages.entries.retry_offer import RetryOffer, offer_of
from leaderboard.web.pages.submissions.cost import (
    PauseNotice,
    RunMoney,
    cost_sentence,
    pause_notice,
    print_duration,
    run_money,
)


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
    """`money` is None where rules decide and for a hidden test, `cost` the same as a sentence;
    `pause` is None unless the run is paused, `pace` once nothing is open; `moving` says the pace in
    words. `result` is None before there is a score."""

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
    is_hidden_test: bool


@dataclass(frozen=True, slots=True)
class ProgressPage:
    """`state` is one of those of submission_states.SENTENCES. `is_moving`: it is to be looked at
    again, in so many seconds."""

    id: UUID
    benchmark_slug: str
    state: str
    sentence: str
    runs: tuple[RunLine, ...]
    is_moving: bool
    look_again: int


SOONEST, LATEST = 2, 10
"""Seconds until the next look: a page that stands still for longer than ten seems to have ended."""
MOST_POLLS = 60
"""Of what is left to wait: a bar of sixty steps seems to move, and hours cost no look every two
seconds."""


def progress_page(found: Watched) -> ProgressPage:
    runs = tuple(run_line(found, run) for run in found.runs)
    state = found.state
    return ProgressPage(
        id=found.id,
        benchmark_slug=found.benchmark,
        state=state,
        sentence=SENTENCES[state],
        runs=runs,
        is_moving=state in MOVING or is_being_placed(runs),
        look_again=LATEST if is_being_placed(runs) else seconds_until_look(runs),
    )


def is_being_placed(runs: Sequence[RunLine]) -> bool:
    return any(run.result and run.result.unplaced == PLACING for run in runs)


def seconds_until_look(runs: Sequence[RunLine]) -> int:
    left = [run.pace.seconds_left for run in runs if run.pace and run.pace.seconds_left]
    return min(LATEST, max(SOONEST, min(left, default=0) // MOST_POLLS))


def run_line(found: Watched, watched: WatchedRun) -> RunLine:
    progress = watched.progress
    run, counts, pace = progress.run, progress.counts, progress.pace
    money = run_money(progress.calls, counts.open)
    may_retry = found.is_held and not found.withdrawn
    return RunLine(
        judge=judge_seal(run.judge_spec),
        asked=counts.asked,
        judged=counts.judged,
        unreadable=counts.unreadable,
        failed=counts.failed,
        excluded=counts.excluded,
        open=counts.open,
        percent_done=int(counts.share_done * 100),
        reasons=progress.reasons,
        is_scored=watched.is_scored,
        retry=offer_of(run, progress.states) if may_retry else None,
        money=money,
        cost="" if money is None and not run.judge_spec.is_offline else cost_sentence(money),
        pause=pause_notice(run),
        pace=pace,
        moving=pace_sentence(pace) if pace and run.paused is None else "",
        result=run_result(found, watched) if watched.is_scored else None,
        is_hidden_test=progress.is_hidden_test,
    )


def pace_sentence(pace: RunPace) -> str:
    """How fast it moves, what is left, and what stands ahead of it."""
    if pace.per_minute and pace.seconds_left is not None:
        rate = f"{pace.per_minute:,.0f}" if pace.per_minute >= 1 else f"{pace.per_minute:.1f}"
        return f"{rate} a minute; about {print_duration(pace.seconds_left)} left."
    if pace.ahead:
        runs = "1 run" if pace.ahead == 1 else f"{pace.ahead:,} runs"
        return f"Nothing judged in the last few minutes; {runs} before it in the queue."
    return "Nothing judged in the last few minutes; it is next in the queue."


def run_result(found: Watched, run: WatchedRun) -> RunResult:
    port = protocol(found.benchmark).board
    metric = port.METRICS[port.BOARD.ranking]
    unplaced = why_unranked(found, run.place)
    return RunResult(
        metric=metric.title,
        score=shown_score(metric, run.figures.get(metric.name)),
        place=print_rank(run.place.best, run.place.worst) if run.place and not unplaced else "",
        unplaced=unplaced,
    )


def shown_score(metric: Metric, packed: Sequence[Any] | None) -> str:
    """The value with its 95 % interval; a dash where there is none."""
    if not packed:
        return print_value(metric, None)
    figure = MetricValue.unpacked(packed)
    interval = print_interval(metric, figure)
    value = print_value(metric, figure.value)
    return f"{value} (95 % interval {interval})" if interval else value
