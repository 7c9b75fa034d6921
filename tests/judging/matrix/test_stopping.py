"""Rows 10 and 12: a real worker that is told to stop, and one whose task runs into the hard time
limit."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from celery import Celery
from django.db import connection

from judging.coordination import money
from judging.models import JudgeCall, Judgement, JudgeRun
from tests.judging.matrix.small_site import environment_of, make_run, wait_until, working
from tests.provider import running_provider

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif("DATABASE_URL" not in os.environ, reason="needs `make test-services`"),
]
State = Judgement.State
WORDS = 40
START_SECONDS = 60
STOP_SECONDS = 30


@pytest.fixture
def run(committed) -> JudgeRun:
    return make_run(WORDS)


@contextmanager
def worker(
    folder: Path, url: str, *options: str, **environment: str
) -> Iterator["subprocess.Popen[bytes]"]:
    """A worker with a pool on the tests' own database; the run's message waits for it."""
    database = urlsplit(os.environ["DATABASE_URL"])
    broker = urlsplit(os.environ["BROKER_URL"])._replace(path="8").geturl()
    own = environment_of(
        folder,
        database=database._replace(path=connection.settings_dict["NAME"]).geturl(),
        broker=broker,
        judge=url,
        **{"JUDGE_CONCURRENCY": "4", "JUDGE_LEASE_SECONDS": "60", **environment},
    )
    with Celery(broker=broker) as sender:
        try:
            sender.send_task("judging.judge_run", [JudgeRun.objects.get().pk])
            with working(folder, own, *options) as started:
                assert started.process is not None
                yield started.process
        finally:
            sender.control.purge()


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
    # The worker's own sweep may take the rows over while the provider still hangs, and no limit
    # of a task ends that: its calls time out, long after the task was killed.
    timing = {"JUDGE_TIMEOUT_SECONDS": "15", "JUDGE_LEASE_SECONDS": "3", "SWEEP_SECONDS": "1"}
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
