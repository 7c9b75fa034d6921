"""The moving part of a submission's own page: how far each of its runs is, and what came of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.registry import protocol
from benchmarks.scoring.sheets import MetricValue
from judging.progress import RunPace
from leaderboard.results.entries.submission_states import MOVING, PLACING, SENTENCES, why_unranked
from leaderboard.results.formatting import print_rank
from leaderboard.results.judges.seals import judge_seal
from leaderboard.results.selectors.progress import Watched, WatchedRun
from leaderboard.web.pages.entries.retry_offer import offer_of
from leaderboard.web.pages.submissions.cost import (
    cost_sentence,
    pause_words,
    print_duration,
    run_money,
)

SOONEST, LATEST = 2, 10
"""Seconds until the next look: a page that stands still for longer than ten seems to have ended."""
MOST_POLLS = 60
"""Of what is left to wait: a bar of sixty steps seems to move, and hours cost no look every two
seconds."""


def progress_page(found: Watched) -> dict[str, Any]:
    """`state` is one of those of submission_states.SENTENCES. is_moving: it is to be looked at
    again, in so many seconds."""
    runs = [run_line(found, run) for run in found.runs]
    is_being_placed = any(run["result"] and run["result"]["unplaced"] == PLACING for run in runs)
    return {
        "id": found.id,
        "benchmark": found.benchmark,
        "state": found.state,
        "sentence": SENTENCES[found.state],
        "runs": runs,
        "is_moving": found.state in MOVING or is_being_placed,
        "look_again": LATEST if is_being_placed else seconds_until_look(runs),
    }


def seconds_until_look(runs: Sequence[Mapping[str, Any]]) -> int:
    paces = [run["pace"] for run in runs]
    left = [pace.seconds_left for pace in paces if pace and pace.seconds_left]
    return min(LATEST, max(SOONEST, min(left, default=0) // MOST_POLLS))


def run_line(found: Watched, watched: WatchedRun) -> dict[str, Any]:
    """`money` is None where rules decide and for a hidden test, `cost` the same as a sentence;
    `pace` is None once nothing is open, and `moving` says it in words. `result` is None before
    there is a score."""
    progress = watched.progress
    run, counts, pace = progress.run, progress.counts, progress.pace
    money = run_money(progress.calls, counts.open)
    may_retry = found.is_held and not found.withdrawn
    return {
        "judge": judge_seal(run.judge_spec),
        "counts": counts,
        "reasons": progress.reasons,
        "is_scored": watched.is_scored,
        "retry": offer_of(run, progress.states) if may_retry else None,
        "money": money,
        "cost": "" if money is None and not run.judge_spec.is_offline else cost_sentence(money),
        "pause": pause_words(run),
        "pace": pace,
        "moving": pace_sentence(pace) if pace and run.paused is None else "",
        "result": run_result(found, watched) if watched.is_scored else None,
        "is_hidden_test": progress.is_hidden_test,
    }


def pace_sentence(pace: RunPace) -> str:
    """How fast it moves, what is left, and what stands ahead of it."""
    if pace.per_minute and pace.seconds_left is not None:
        rate = f"{pace.per_minute:,.0f}" if pace.per_minute >= 1 else f"{pace.per_minute:.1f}"
        return f"{rate} a minute; about {print_duration(pace.seconds_left)} left."
    if pace.ahead:
        runs = "1 run" if pace.ahead == 1 else f"{pace.ahead:,} runs"
        return f"Nothing judged in the last few minutes; {runs} before it in the queue."
    return "Nothing judged in the last few minutes; it is next in the queue."


def run_result(found: Watched, run: WatchedRun) -> dict[str, Any]:
    """place: its rank range on the board as it is stored; empty where it has none, which `unplaced`
    explains."""
    port = protocol(found.benchmark).board
    metric = port.METRICS[port.BOARD.ranking]
    packed = run.figures.get(metric.name)
    unplaced = why_unranked(found, run.place)
    return {
        "metric": metric,
        "figure": MetricValue.unpacked(packed) if packed else None,
        "place": print_rank(run.place.best, run.place.worst) if run.place and not unplaced else "",
        "unplaced": unplaced,
    }
