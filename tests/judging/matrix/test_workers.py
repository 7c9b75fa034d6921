"""Rows 15, 21, 22, 24 and 26: several workers on one run, and a database that throws a worker
out."""

import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.db import connection

from judging.coordination import money, queue
from judging.engine.engine import judge_run
from judging.judges.base import JudgeRequest, Reply
from judging.models import JudgeCall, Judgement, JudgeRun
from judging.tasks import judge_run as judge_run_task
from leaderboard.models import Scoresheet
from leaderboard.operations.sweeps import sweep_here
from tests.judging.endpoint import Endpoint, completion, serve
from tests.judging.engine.test_dispatcher import SlowJudge
from tests.judging.runs import planned
from tests.judging.threads import JOIN_SECONDS, at_once

State = Judgement.State
NOW = timedelta(0)


@pytest.fixture
def run(committed, request, settings) -> JudgeRun:
    settings.JUDGE_ENDPOINTS = {
        "none": {"url": "http://127.0.0.1:9/", "key": "", "prices": {"m": (1000.0, 1000.0)}}
    }
    return planned(request.getfixturevalue("submission"), repeats=2)


@pytest.fixture
def endpoint(settings) -> Iterator[Endpoint]:
    with serve([completion("right")]) as endpoint:
        settings.JUDGE_ENDPOINTS = {
            "none": {"url": endpoint.url, "key": "", "prices": {"m": (1000.0, 1000.0)}}
        }
        yield endpoint


def check_paid_once(run: JudgeRun, asked: int) -> None:
    assert set(run.judgements.values_list("state", flat=True)) == {State.JUDGED}
    assert asked == 8
    assert (
        list(JudgeCall.objects.exclude(outcome="unsent").values_list("outcome", flat=True))
        == ["answered"] * 8
    )
    assert money.spend_drift() == []


# --- 15, 21: the same work offered often ----------------------------------------------------------


@pytest.mark.slow
def test_a_message_delivered_ten_times_at_once_is_paid_once(run, endpoint):
    at_once(*[lambda: judge_run_task(run.pk)] * 10)
    check_paid_once(run, len(endpoint.asked))


@pytest.mark.slow
def test_sweeps_at_once_do_nothing_twice(run, endpoint):
    at_once(*[lambda: sweep_here(grace=NOW)] * 4)
    sweep_here(grace=NOW)
    check_paid_once(run, len(endpoint.asked))
    assert Scoresheet.objects.get().judged == 8


# --- 22: a call that takes longer than its lease --------------------------------------------------


@pytest.mark.slow
def test_a_lease_is_renewed_as_long_as_its_call_takes(run, settings):
    settings.JUDGE_LEASE_SECONDS = 2.0
    slow, idle = SlowJudge(5.0), SlowJudge(0.0)

    def watch() -> None:
        time.sleep(0.5)
        end = time.monotonic() + 4.0
        while time.monotonic() < end:
            queue.release_expired()
            judge_run(run_id=run.pk, judge=idle)
            time.sleep(0.1)

    at_once(lambda: judge_run(run_id=run.pk, judge=slow), watch)
    assert idle.asked == 0
    check_paid_once(run, slow.asked)


# --- 24, 26: the database throws a worker out -----------------------------------------------------


class InterruptingJudge(SlowJudge):
    """Something happens to the database while its third request is under way."""

    def __init__(self, interrupt: Callable[[], None]) -> None:
        super().__init__(0.2)
        self.interrupt = interrupt
        self.is_interrupted = False

    async def ask(self, request: JudgeRequest) -> Reply:
        reply = await super().ask(request)
        if self.asked >= 3 and not self.is_interrupted:
            self.is_interrupted = True
            self.interrupt()
        return reply


def session() -> "psycopg.Connection[Any]":
    return psycopg.connect(
        **connection.get_connection_params() | {"cursor_factory": psycopg.Cursor}, autocommit=True
    )


@pytest.fixture
def sessions(committed) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has no sessions that could be cut, and locks the whole file")


def test_a_worker_whose_connections_are_cut_goes_on_without_asking_again(sessions, run, settings):
    settings.JUDGE_CONCURRENCY = 1
    cut: list[int] = []

    def cut_all() -> None:
        with session() as other:
            found = other.execute(
                "SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            cut.extend(pid for pid, _ in found)

    judge = InterruptingJudge(cut_all)
    at_once(lambda: judge_run(run_id=run.pk, judge=judge))
    assert cut
    connection.close()
    check_paid_once(run, judge.asked)


def test_a_worker_that_loses_a_deadlock_stores_what_it_heard_all_the_same(sessions, run):
    """Another session holds the last row, and wants the first once the worker, which has it, waits
    for the last."""
    first, *_, last = run.judgements.order_by("pk").values_list("pk", flat=True)
    lock = "SELECT 1 FROM judging_judgement WHERE id = %s FOR UPDATE"
    holds = threading.Event()
    met: list[bool] = []

    def collide() -> None:
        with session() as other, other.transaction():
            other.execute("SET LOCAL deadlock_timeout = '30s'")
            other.execute(lock, [last])
            holds.set()
            met.append(wait_until_blocked(other))
            other.execute(lock, [first])

    collision = threading.Thread(target=collide)

    def begin() -> None:
        collision.start()
        assert holds.wait(JOIN_SECONDS)

    judge = InterruptingJudge(begin)
    at_once(lambda: judge_run(run_id=run.pk, judge=judge))
    collision.join(timeout=JOIN_SECONDS)
    assert met == [True]
    check_paid_once(run, judge.asked)


def wait_until_blocked(other: "psycopg.Connection[Any]") -> bool:
    waiting = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
        "wait_event_type = 'Lock'"
    )
    end = time.monotonic() + JOIN_SECONDS
    while time.monotonic() < end:
        if other.execute(waiting).fetchone() != (0,):
            return True
        time.sleep(0.02)
    return False
