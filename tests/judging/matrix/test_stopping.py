"""Rows 10 and 12: a real worker that is told to stop, and one whose task runs into the hard time
limit."""

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from celery import Celery
from django.db import connection

from judging import money
from judging.models import JudgeCall, Judgement, JudgeRun
from tests.judging.matrix.small_site import make_run, wait_until
from tests.provider import running_provider
from tests.site import OWN_SETTINGS, PROJECT

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif("DATABASE_URL" not in os.environ, reason="needs `make test-services`"),
]
State = Judgement.State
WORDS = 40
START_SECONDS = 60
STOP_SECONDS = 30
WORKER = (
    "-m celery -q -A leaderboard worker --concurrency 2 --loglevel WARNING --without-gossip "
    "--without-mingle"
)


@pytest.fixture
def run(committed) -> JudgeRun:
    return make_run(WORDS)


@contextmanager
def worker(
    folder: Path, url: str, *options: str, **environment: str
) -> Iterator["subprocess.Popen[bytes]"]:
    """A worker with a pool on the tests' own database; the run's message waits for it."""
    settings = connection.settings_dict
    own = {
        "DJANGO_SETTINGS_MODULE": "tests.settings_small_site",
        "SECRET_KEY": "tests-only-key-that-protects-nothing-at-all",
        "DATABASE_URL": urlsplit(os.environ["DATABASE_URL"])
        ._replace(path=settings["NAME"])
        .geturl(),
        "BROKER_URL": urlsplit(os.environ["BROKER_URL"])._replace(path="8").geturl(),
        "VAR_DIR": str(folder),
        "JUDGE_ENDPOINTS": f"lab={url}",
        "JUDGE_PRICES_LAB": "m=2/2",
        "BUDGET_SITE_DAY": "1000000",
        "JUDGE_CONCURRENCY": "4",
    }
    inherited = {key: value for key, value in os.environ.items() if key not in OWN_SETTINGS}
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *WORKER.split(), "-n", f"{uuid.uuid4().hex}@test", *options],
            cwd=PROJECT,
            env=inherited | own | environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    broker = Celery(broker=own["BROKER_URL"])
    try:
        broker.send_task("judging.judge_run", [JudgeRun.objects.get().pk])
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=10)
        broker.control.purge()
        broker.close()


def states() -> set[str]:
    return set(Judgement.objects.values_list("state", flat=True))


def outcomes() -> set[str]:
    return set(JudgeCall.objects.values_list("outcome", flat=True))


def test_told_to_stop_a_worker_ends_its_calls_gives_back_the_rest_and_is_gone_in_time(
    run, tmp_path, settings
):
    settings.JUDGE_ENDPOINTS = {"lab": {"url": "", "key": "", "prices": {"m": (2.0, 2.0)}}}
    with (
        running_provider(latency=1500, reply="auto") as provider,
        worker(tmp_path, provider.url) as process,
    ):
        wait_until(lambda: provider.stats()["requests"] > 4, START_SECONDS)
        process.terminate()
        process.wait(timeout=STOP_SECONDS)
        billed = sum(count["completed"] for count in provider.stats()["answers"].values())
    assert states() == {State.JUDGED, State.WAITING}
    assert outcomes() <= {"answered", "unsent"}
    assert (
        billed
        == JudgeCall.objects.filter(outcome="answered").count()
        == run.judgements.filter(state="judged").count()
    )
    assert set(run.judgements.filter(state=State.WAITING).values_list("attempts", flat=True)) == {0}
    assert money.spend_drift() == []


def test_told_to_stop_a_worker_does_not_wait_for_an_endpoint_that_hangs(run, tmp_path):
    with running_provider(faults="hang=1") as provider, worker(tmp_path, provider.url) as process:
        wait_until(lambda: provider.stats()["requests"] >= 4, START_SECONDS)
        process.terminate()
        process.wait(timeout=STOP_SECONDS)
    assert State.LEASED not in states()
    assert money.spend_drift() == []


def test_a_task_beyond_the_hard_limit_loses_its_leases_and_another_takes_over(run, tmp_path):
    limits = ("--time-limit", "5", "--soft-time-limit", "0")
    timing = {"JUDGE_TIMEOUT_SECONDS": "120", "JUDGE_LEASE_SECONDS": "3", "SWEEP_SECONDS": "1"}
    with running_provider(faults="hang=1", reply="auto") as provider:
        with worker(tmp_path, provider.url, *limits, **timing):
            wait_until(lambda: provider.stats()["requests"] >= 4, START_SECONDS)
            lost = "the worker that held it did not come back"
            wait_until(
                lambda: run.judgements.filter(state=State.WAITING, reason=lost).exists(),
                START_SECONDS,
            )
            provider.control(faults="")
            wait_until(lambda: states() == {State.JUDGED}, START_SECONDS)
        counts = provider.stats()["answers"].values()
    assert sum(count["good"] for count in counts) == WORDS
    assert max(count["seen"] for count in counts) <= 3
    assert JudgeCall.objects.filter(outcome="open").count() >= 4
    assert money.spend_drift() == []
