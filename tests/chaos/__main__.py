import argparse
import os
import random
import secrets
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import django

from deploy.private_services import (
    Postgres,
    Programs,
    Redis,
    StopSignals,
    find_programs,
    running_postgres,
    running_redis,
)
from leaderboard.operations.processes.supervisor import site_processes
from tests.chaos.faults import schedule
from tests.chaos.workers import Worker, running_workers, stop
from tests.drill.outcome import Outcome, play
from tests.provider import RunningProvider, running_provider

DURABLE = (
    "synchronous_commit = on\nfull_page_writes = on\n"  # what was committed must outlive a crash
)
FAULTS = (
    "429:1=0.04,500=0.04,hang=0.03,html=0.005,empty=0.005,no-choices=0.005,cut=0.005,say-prose=0.01"
)
LEASE_SECONDS = 4
FROZEN_SECONDS = LEASE_SECONDS + 20  # a sweep may be 15 s late where every worker judges
FROZEN_SHARE = 0.3  # of the time of the faults, at most
OWN_SETTINGS = ("JUDGE_", "BUDGET_", "SWEEP_")
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "tests.settings_chaos",
    "SECRET_KEY": "chaos-only-key-that-protects-nothing-at-all",
    "EMAIL_URL": "memory:",
    "DEBUG": "false",
    "LOG_LEVEL": "INFO",
    "JUDGE_LEASE_SECONDS": str(LEASE_SECONDS),
    "JUDGE_TIMEOUT_SECONDS": "3",
    "JUDGE_RETRY_SECONDS": "0.5,1,2,4",
    "JUDGE_CONCURRENCY": "4",
    "JUDGE_PROCESSES_PER_RUN": "4",
    "JUDGE_LIMITS_FAULTY": "requests=1500,tokens=600000,concurrent=64",
    "JUDGE_PRICES_FAULTY": "judge=2.5/10",
    "JUDGE_PRICES_PLAIN": "judge=0.4/1.6",
    "BUDGET_SUBMISSION": "0",
    "BUDGET_ACCOUNT_DAY": "0",
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


@contextmanager
def servers(programs: Programs, signals: StopSignals) -> Iterator[tuple[Postgres, Redis]]:
    with tempfile.TemporaryDirectory(prefix="assay-chaos-servers-") as name:
        signals.raise_if_received()
        with running_postgres(programs.postgres_folder, Path(name), DURABLE) as postgres:
            signals.raise_if_received()
            with running_redis(programs.redis_server, Path(name)) as redis:
                signals.raise_if_received()
                yield postgres, redis


def environment_of(
    folder: Path, postgres: Postgres, redis: Redis, urls: Mapping[str, str]
) -> dict[str, str]:
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(OWN_SETTINGS)
    }
    return (
        inherited
        | SETTINGS
        | {
            "VAR_DIR": str(folder),
            "DATABASE_URL": postgres.url,
            "BROKER_URL": redis.url,
            "JUDGE_ENDPOINTS": ",".join(f"{alias}={url}" for alias, url in urls.items()),
        }
    )


def make_workers(broker_url: str, environment: Mapping[str, str], logs: Path) -> dict[str, Worker]:
    """Two workers with two pool processes each, and beat, as a site runs them."""
    processes = site_processes(port=0, broker_url=broker_url, workers=2, with_beat=True)
    return {
        name: Worker(
            name,
            command.replace("--loglevel WARNING", "--loglevel INFO"),
            {**environment, **own},
            logs,
        )
        for name, (command, own) in processes.items()
        if name != "web"
    }


def drill(arguments: argparse.Namespace, signals: StopSignals) -> Outcome:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assay-chaos-")))
        logs = arguments.logs or folder / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        postgres, redis = stack.enter_context(servers(find_programs(), signals))
        behaviour = {"reply": "auto", "model": "judge", "seed": arguments.seed}
        faulty = stack.enter_context(
            running_provider(faults=FAULTS, latency=120, jitter=160, **behaviour)
        )
        plain = stack.enter_context(running_provider(**behaviour))
        environment = environment_of(
            folder, postgres, redis, {"faulty": faulty.url, "plain": plain.url}
        )
        os.environ.update(environment)
        django.setup()
        processes = make_workers(redis.url, environment, logs)
        return judge_under_fire(arguments, signals, postgres, redis, faulty, processes)


def judge_under_fire(
    arguments: argparse.Namespace,
    signals: StopSignals,
    postgres: Postgres,
    redis: Redis,
    provider: RunningProvider,
    processes: Mapping[str, Worker],
) -> Outcome:
    from django.core.management import call_command

    from tests.chaos.conductor import TERMINAL_SECONDS, Conductor, say
    from tests.chaos.content import SUBMISSIONS, judge_plainly, make_release
    from tests.chaos.invariants import check_all, table

    call_command("migrate", verbosity=0, interactive=False)
    conductor = Conductor(
        postgres=postgres,
        redis=redis,
        workers=[worker for name, worker in processes.items() if name != "beat"],
        release=make_release(),
        provider_port=urlsplit(provider.url).port or 0,
        rng=random.Random(arguments.seed),
        signals=signals,
    )
    frozen = min(FROZEN_SECONDS, FROZEN_SHARE * arguments.seconds)
    events = schedule(
        seed=arguments.seed, seconds=arguments.seconds, uploads=SUBMISSIONS, frozen_seconds=frozen
    )
    signals.raise_if_received()
    with running_workers(list(processes.values())):
        conductor.await_workers()
        conductor.play(events)
        provider.control(faults="")
        conductor.end()
        stop(list(processes.values()))
    signals.raise_if_received()
    judge_plainly()
    course = conductor.course
    stats = provider.stats()
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
