"""The embedded default, two workers: their clock goes two hours forward and back again while they
judge, then that of one alone is off by ten minutes.

python -m tests.drill.clock      own endpoint, a minute and a half; needs libfaketime
"""

import sys
import time
from dataclasses import replace
from pathlib import Path

from deploy.private_services import ServiceError, StopSignals
from tests.chaos.workers import Worker, running_workers
from tests.drill.ground import START_SECONDS, Ground, ground, is_scored, request_run
from tests.drill.outcome import Outcome, books, play

QUESTIONS = 500
LATENCY_MS = 700
HOURS, MINUTES = 2 * 3600, 600
TOLD_SECONDS = 25.0  # two heartbeats, of which one may come late
GOES_ON_SECONDS = 20.0  # after the clock is as it was: two heartbeats and a sweep
LIMIT_SECONDS = 240.0


# libfaketime 0.9.10 (Debian 12) answers Python's sleep by the monotonic clock with EINVAL.
SLEEP = "import select, time; time.sleep = lambda seconds: select.select([], [], [], seconds)\n"


class Clock:
    """Of a process and its children, by how many seconds it is off. What measures durations goes
    on as ever."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.set(0)

    def set(self, seconds: int) -> None:
        beside = self.file.with_suffix(".new")
        beside.write_text(f"{seconds:+d}\n")
        beside.rename(self.file)

    def give_to(self, worker: Worker) -> None:
        (self.file.parent / "sitecustomize.py").write_text(SLEEP)
        worker.environment |= {
            "PYTHONPATH": str(self.file.parent),
            "LD_PRELOAD": str(library()),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }


def library() -> Path:
    found = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
    if found is None:
        raise ServiceError("libfaketime is missing: run deploy/install_debian.sh services.")
    return found


def drill(signals: StopSignals) -> Outcome:
    settings = {"JUDGE_LEASE_SECONDS": "6", "JUDGE_CONCURRENCY": "8", "SWEEP_SECONDS": "1"}
    with ground(signals, settings, on_servers=False, judge={"latency": LATENCY_MS}) as site:
        from leaderboard.models import WorkerBeat

        run = request_run(site, QUESTIONS)
        workers = list(site.processes().values())
        clocks = [Clock(site.folder / f"{worker.name}.clock") for worker in workers]
        for worker, clock in zip(workers, clocks, strict=True):
            clock.give_to(worker)
        with running_workers(workers):
            site.wait(lambda: all(worker.is_ready for worker in workers), START_SECONDS)
            start = time.monotonic()
            goes_on(site, 100)
            stood = {}
            for name, seconds in (("forward", HOURS), ("back", 0)):
                for clock in clocks:
                    clock.set(seconds)
                time.sleep(2)  # until all processes have read it
                stood[name] = goes_on(site, 100)
            clocks[1].set(MINUTES)
            told = site.wait(
                lambda: WorkerBeat.objects.exclude(clock="").exists(), TOLD_SECONDS, "a word of it"
            )
            clocks[1].set(0)
            stood["set right"] = goes_on(site, 50)
            site.wait(lambda: is_scored(run.pk), LIMIT_SECONDS, "the score")
            whole = time.monotonic() - start
            site.wait(lambda: not WorkerBeat.objects.exclude(clock="").exists(), TOLD_SECONDS)
        found = books(run.pk, 2 * QUESTIONS, site.judge, seconds=max(stood.values()))
        return replace(
            found,
            notes=(
                f"{whole:.0f} s in all; a worker off by ten minutes told it after {told:.1f} s",
            ),
            promises={
                **found.promises,
                **{
                    f"{name}: went on within {GOES_ON_SECONDS:.0f} s ({took:.1f} s)": (
                        took <= GOES_ON_SECONDS
                    )
                    for name, took in stood.items()
                },
            },
        )


def goes_on(site: Ground, calls: int) -> float:
    """Seconds until the endpoint was asked for the first of so many more, which are waited for."""

    def asked() -> int:
        return int(site.judge.stats(with_answers=False)["requests"])

    before = asked()
    first = site.wait(lambda: asked() > before, LIMIT_SECONDS, "the next call")
    site.wait(lambda: asked() >= before + calls, LIMIT_SECONDS, f"{calls} more calls")
    return first


if __name__ == "__main__":
    sys.exit(play("clock", drill))
