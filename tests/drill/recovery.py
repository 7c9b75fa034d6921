"""Judging goes on by itself within 45 s, at the settings a site has by default: all workers killed
while they ask, all of them killed while one scores, and an endpoint that takes calls and says
nothing for half a minute.

python -m tests.drill.recovery
"""

import sys
import time
from collections.abc import Callable, Mapping, Sequence

from django.db.models import Exists

from deploy.private_services import StopSignals
from tests.chaos.workers import Worker, running_workers
from tests.drill.ground import START_SECONDS, Ground, ground, is_scored, request_run
from tests.drill.outcome import Outcome, play

PROMISED_SECONDS = 45.0
LIMIT_SECONDS = 180.0
LATENCY_MS = 500
UNDER_WAY = 16
SILENCE_SECONDS = 35.0  # a little beyond the first round of calls: the second meets it too
Fault = Callable[[Ground, Sequence[Worker], int], float]


def drill(signals: StopSignals) -> Outcome:
    with ground(signals, {}, judge={"latency": LATENCY_MS}) as site:
        workers = list(site.processes(workers=2).values())
        with running_workers(workers):
            all_ready(site, workers)
            # Each has the verdicts of the one before, and asks about the rest.
            faults: dict[str, tuple[Fault, int]] = {
                "all workers killed while one scores": (kill_scoring, 200),
                "all workers killed while they ask": (kill_asking, 400),
                "an endpoint silent for half a minute": (fall_silent, 600),
            }
            seconds = {
                fault: recover(site, workers, do, questions)
                for fault, (do, questions) in faults.items()
            }
        return counted(site, seconds)


def counted(site: Ground, seconds: Mapping[str, float]) -> Outcome:
    from judging.models import JudgeCall, Judgement, JudgeSpec

    stats = site.judge.stats()
    completed = sum(count["completed"] for count in stats["answers"].values())
    asked = Judgement.objects.filter(reused_from=None).exclude(judge_spec__kind=JudgeSpec.RULES)
    judged = asked.filter(state=Judgement.State.JUDGED).count()
    lost = JudgeCall.objects.filter(
        outcome__in=[JudgeCall.Outcome.OPEN, JudgeCall.Outcome.UNKNOWN]
    ).count()
    twice = completed - judged
    return Outcome(
        seconds=max(seconds.values()),
        calls=stats["requests"],
        verdicts=judged,
        twice=twice,
        promises={
            f"{twice} calls answered twice <= {lost} of unknown outcome in the ledger": twice
            <= lost,
            **{
                f"{fault}: scored {took:.1f} s later": took <= PROMISED_SECONDS
                for fault, took in seconds.items()
            },
        },
    )


def recover(site: Ground, workers: Sequence[Worker], do: Fault, questions: int) -> float:
    """Seconds from the moment at which the cause was gone, which `do` tells, until all of a run is
    judged and scored."""
    from benchmarks.wake import wake

    run = request_run(site, questions)
    wake()
    gone = do(site, workers, run.pk)
    site.wait(lambda: is_scored(run.pk), LIMIT_SECONDS, "the scores")
    took = time.monotonic() - gone
    all_ready(site, workers)
    return took


def all_ready(site: Ground, workers: Sequence[Worker]) -> None:
    site.wait(lambda: all(worker.is_ready for worker in workers), START_SECONDS, "workers")


def kill_all(workers: Sequence[Worker]) -> float:
    """And start them again at once, as a host does: what that takes is counted, too."""
    killed = time.monotonic()
    for worker in workers:
        worker.kill()
    for worker in workers:
        worker.start()
    return killed


def kill_asking(site: Ground, workers: Sequence[Worker], run: int) -> float:
    site.wait(lambda: site.in_flight() >= UNDER_WAY, START_SECONDS, "calls under way")
    return kill_all(workers)


def kill_scoring(site: Ground, workers: Sequence[Worker], run: int) -> float:
    from judging.models import Judgement, JudgeRun

    moving = Judgement.objects.filter(run=run).exclude(state=Judgement.State.JUDGED)
    site.wait(lambda: site.in_flight() >= UNDER_WAY, START_SECONDS, "calls under way")
    begun = JudgeRun.objects.filter(~Exists(moving), pk=run, failures=1, held_until__isnull=False)
    while not begun.exists():  # as often as it can: scoring takes a moment
        if is_scored(run):
            raise AssertionError("scoring was over before anybody saw it begin")
        site.signals.raise_if_received()
    return kill_all(workers)


def fall_silent(site: Ground, workers: Sequence[Worker], run: int) -> float:
    site.wait(lambda: site.in_flight() >= UNDER_WAY, START_SECONDS, "calls under way")
    site.judge.control(faults="hang=1")
    end = time.monotonic() + SILENCE_SECONDS
    site.wait(lambda: time.monotonic() >= end, 2 * SILENCE_SECONDS)
    site.judge.control(faults="")
    return time.monotonic()


if __name__ == "__main__":
    sys.exit(play("recovery", drill))
