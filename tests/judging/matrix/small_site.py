"""A small site of which every part can be taken away: databases under the ORM of this process, and
a worker."""

import io
import os
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from celery import Celery
from django.db import connection, connections

from benchmarks.models import Release
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.samples.floor import set_floor_version
from benchmarks.wake import SWEEP
from deploy.private_services import find_programs, running_redis
from judging.models import JudgeRun
from leaderboard.settings import read_database
from tests.chaos.content import patiently
from tests.chaos.workers import Worker, running_workers
from tests.conftest import submit
from tests.judging.runs import planned
from tests.processes import close_idle_connections
from tests.provider import RunningProvider, running_provider
from tests.site import OWN_SETTINGS

START_SECONDS = 60
WORKER = (
    "-m celery -q -A leaderboard worker --concurrency 2 --loglevel INFO --without-gossip "
    "--without-mingle"
)


# --- databases ------------------------------------------------------------------------------------


@contextmanager
def database_at(url: str) -> Iterator[str]:
    """The ORM of this process works on that database, and so do requests, which borrow connections
    that others gave back."""
    close_idle_connections()
    usual_settings, usual = connections.settings["default"], connections["default"]
    connections.settings["default"] = connections.configure_settings(
        {"default": read_database(url)}
    )["default"]
    connections["default"] = connections.create_connection("default")
    try:
        yield url
    finally:
        close_idle_connections()
        connections["default"].close()
        connections.settings["default"], connections["default"] = usual_settings, usual


@contextmanager
def own_database() -> Iterator[str]:
    """A copy of the tests' empty database, on the same server, for whoever spoils its database."""
    template, name = connection.settings_dict["NAME"], f"matrix_{uuid.uuid4().hex}"
    connection.close()  # a database that somebody uses cannot be copied
    server = os.environ["DATABASE_URL"]
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        try:
            with database_at(urlsplit(server)._replace(path=name).geturl()) as url:
                yield url
        finally:
            admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


# --- what is judged -------------------------------------------------------------------------------


def make_release(words: int) -> Release:
    lines = "\n".join(f"{number}|word{number}|word{number}" for number in range(words))
    return without_baselines(
        import_release(
            protocol=protocol("spelling"), stream=io.BytesIO(lines.encode()), slug=f"w{words}"
        ).release
    )


def without_baselines(release: Release) -> Release:
    """A worker's sweep adds none, which would be judged and scored beside what a test is about."""
    set_floor_version(release)
    return release


def make_run(words: int) -> JudgeRun:
    """That many answers, one call each, which carry the numbers the provider counts by."""
    answers = "\n".join(f"{number}=#{number}# answer" for number in range(words))
    return planned(submit(make_release(words), None, answers.encode()), endpoint="lab")


def paid(provider: RunningProvider) -> int:
    """How many replies went out whole."""
    return sum(count["completed"] for count in provider.stats()["answers"].values())


# --- its worker -----------------------------------------------------------------------------------


def environment_of(
    folder: Path, *, database: str, broker: str, judge: str, **more: str
) -> dict[str, str]:
    inherited = {key: value for key, value in os.environ.items() if key not in OWN_SETTINGS}
    return inherited | {
        "DJANGO_SETTINGS_MODULE": "tests.settings_small_site",
        "SECRET_KEY": "tests-only-key-that-protects-nothing-at-all",
        "PYTHONWARNINGS": "ignore",
        "VAR_DIR": str(folder),
        "DATABASE_URL": database,
        "BROKER_URL": broker,
        "JUDGE_ENDPOINTS": f"lab={judge}",
        "JUDGE_PRICES_LAB": "m=2/2",
        "BUDGET_SITE_DAY": "1000000",
        "JUDGE_CONCURRENCY": "8",
        "JUDGE_LEASE_SECONDS": "5",
        "SWEEP_SECONDS": "1",
        "DEFAULT_JUDGE": "openai:m@lab",
        **more,
    }


@contextmanager
def working(folder: Path, environment: dict[str, str], *options: str) -> Iterator[Worker]:
    """A worker that has said that it is ready, and is killed in the end."""
    command = " ".join([sys.executable, WORKER, "-n", f"{uuid.uuid4().hex}@test", *options])
    worker = Worker("worker", command, environment, folder)
    with running_workers([worker]):
        wait_until(lambda: worker.is_ready, START_SECONDS)
        yield worker


@contextmanager
def judging(
    folder: Path, database: str, words: int, *, latency: int, **more: str
) -> Iterator[tuple[JudgeRun, RunningProvider]]:
    """A run of so many words, which a worker with a broker of its own has begun to judge."""
    with (
        running_redis(find_programs().redis_server, folder) as redis,
        running_provider(reply="auto", model="m", latency=latency) as provider,
    ):
        at = {"database": database, "broker": redis.url, "judge": provider.url}
        run = make_run(words)
        with working(folder, environment_of(folder, **at, **more)):
            wake_at(redis.url)
            yield run, provider


def wake_at(broker: str) -> None:
    with Celery(broker=broker) as sender:
        sender.send_task(SWEEP)


def wait_until(condition: Callable[[], bool], seconds: float) -> None:
    """Also while the database is away for a moment."""
    end = time.monotonic() + seconds
    while not patiently(condition):
        assert time.monotonic() < end, "it did not come about in time"
        time.sleep(0.1)
