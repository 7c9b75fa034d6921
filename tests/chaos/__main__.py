import argparse
import random
import secrets
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from deploy.private_services import StopSignals
from tests.chaos.faults import schedule
from tests.chaos.workers import Worker, running_workers, stop
from tests.drill.ground import Ground, ground
from tests.drill.outcome import Outcome, play
from tests.provider import running_provider

DURABLE = (
    "synchronous_commit = on\nfull_page_writes = on\n"  # what was committed must outlive a crash
)
FAULTS = (
    "429:1=0.04,500=0.04,hang=0.03,html=0.005,empty=0.005,no-choices=0.005,cut=0.005,say-prose=0.01"
)
MODEL = "judge"
LEASE_SECONDS = 4
FROZEN_SECONDS = LEASE_SECONDS + 20  # a sweep may be 15 s late where every worker judges
FROZEN_SHARE = 0.3  # of the time of the faults, at most
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "tests.settings_chaos",
    "JUDGE_LEASE_SECONDS": str(LEASE_SECONDS),
    "JUDGE_TIMEOUT_SECONDS": "3",
    "JUDGE_RETRY_SECONDS": "0.5,1,2,4",
    "JUDGE_CONCURRENCY": "4",
    "JUDGE_PROCESSES_PER_RUN": "4",
    "JUDGE_LIMITS_LAB": "requests=1500,tokens=600000,concurrent=64",
    "JUDGE_PRICES_PLAIN": "judge=0.4/1.6",
    "BUDGET_SITE_DAY": "1000",
    "DEFAULT_JUDGE": "rules",
    "SWEEP_SECONDS": "1",
}


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.chaos", description="Judging while everything fails."
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="of the faults and of the provider's (default: any)"
    )
    parser.add_argument("--seconds", type=float, default=90.0, help="how long the faults last")
    parser.add_argument(
        "--logs", type=Path, default=None, help="keep the workers' logs in this folder"
    )
    arguments = parser.parse_args()
    arguments.seed = arguments.seed or secrets.randbelow(999_999) + 1
    return arguments


def make_workers(site: Ground, logs: Path) -> dict[str, Worker]:
    """Two workers with two pool processes each, and beat, as a site runs them."""
    processes = site.processes(workers=2, with_beat=True)
    for worker in processes.values():
        worker.logs = logs
    return processes


def drill(arguments: argparse.Namespace, signals: StopSignals) -> Outcome:
    behaviour = {"reply": "auto", "model": MODEL, "seed": arguments.seed}
    faulty = {"faults": FAULTS, "latency": 120, "jitter": 160, **behaviour}
    with (
        running_provider(**behaviour) as plain,
        ground(
            signals,
            SETTINGS,
            postgres_settings=DURABLE,
            judge=faulty,
            endpoints={"plain": plain.url},
        ) as site,
    ):
        logs = arguments.logs or site.folder / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        return judge_under_fire(arguments, site, make_workers(site, logs))


def judge_under_fire(
    arguments: argparse.Namespace, site: Ground, processes: Mapping[str, Worker]
) -> Outcome:
    from tests.chaos.conductor import TERMINAL_SECONDS, Conductor, say
    from tests.chaos.content import SUBMISSIONS, judge_plainly, make_release
    from tests.chaos.invariants import check_all, table

    conductor = Conductor(
        site=site,
        workers=[worker for name, worker in processes.items() if name != "beat"],
        release=make_release(),
        rng=random.Random(arguments.seed),
    )
    frozen = min(FROZEN_SECONDS, FROZEN_SHARE * arguments.seconds)
    events = schedule(
        seed=arguments.seed, seconds=arguments.seconds, uploads=SUBMISSIONS, frozen_seconds=frozen
    )
    site.signals.raise_if_received()
    with running_workers(list(processes.values())):
        conductor.await_workers()
        conductor.play(events)
        site.judge.control(faults="")
        conductor.end()
        stop(list(processes.values()))
    site.signals.raise_if_received()
    judge_plainly()
    course = conductor.course
    stats = site.judge.stats()
    lines = list(check_all(stats=stats, course=course, seconds_limit=TERMINAL_SECONDS))
    said = ", ".join(
        f"{count} {name}" for name, count in sorted(stats["outcomes"].items()) if count
    )
    say(
        "\n"
        f"{course.report()}\n"
        f"{stats['requests']:4} requests to the provider: {said}\n"
        "\n"
        f"{table(lines)}"
    )
    return Outcome(
        seconds=course.terminal_seconds or TERMINAL_SECONDS,
        calls=stats["requests"],
        promises={"all of the table": all(line.holds for line in lines)},
        notes=(f"seed {arguments.seed}",),
    )


def main() -> int:
    arguments = read_arguments()
    sys.stdout.write(f"chaos: seed {arguments.seed}, faults for {arguments.seconds:g} s\n")
    sys.stdout.flush()
    return play("chaos", partial(drill, arguments))


if __name__ == "__main__":
    sys.exit(main())
