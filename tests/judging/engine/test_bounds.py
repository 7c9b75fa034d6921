"""What bounds an engine: the ledger, budgets, seats, rates, and being told to stop."""

import asyncio
import threading
import time
from collections.abc import Iterator

import pytest
from django.db import OperationalError, connections
from django.db.models import Sum

from judging.coordination import limits, money
from judging.engine import stopping
from judging.engine.engine import NO_SPACE_SECONDS, PATIENCE_SECONDS, Engine, judge_run
from judging.engine.stopping import STOPPING
from judging.judges.base import Reply
from judging.models import JudgeCall, Judgement, JudgeRun
from judging.services import end_pauses
from tests.judging.endpoint import Served, completion, failure, serve
from tests.judging.engine.test_dispatcher import SlowJudge
from tests.judging.holding import stopped_when_held
from tests.judging.runs import planned, spent_on, states
from tests.judging.scripted import ScriptedJudge

State = Judgement.State
PRICED = {
    "url": "http://127.0.0.1:9/v1",
    "key": "",
    "limits": {},
    "prices": {"m": (1000.0, 1000.0)},
}


@pytest.fixture
def run(submission, settings) -> JudgeRun:
    settings.JUDGE_ENDPOINTS = {"lab": PRICED}
    return planned(submission, endpoint="lab", repeats=2)


def limit(settings, **rates: int) -> None:
    settings.JUDGE_ENDPOINTS = {"lab": {**PRICED, "limits": rates}}


def ledger(run: JudgeRun) -> int:
    """What the calls cost, which is what is stored as spent."""
    assert money.spend_drift() == []
    total: int = JudgeCall.objects.aggregate(total=Sum("cost"))["total"]
    assert spent_on(run.submission) == total
    return total


# --- the ledger -----------------------------------------------------------------------------------


def seen_from_another_connection() -> int:
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT COUNT(*) FROM judging_judgecall WHERE outcome = 'open'")
            return int(cursor.fetchone()[0])
    finally:
        other.connection.close()  # Django's own close() leaves databases in memory open


class LookingJudge(ScriptedJudge):
    """Looks into the ledger while its requests are under way, each time before it replies."""

    def __init__(self, script):
        super().__init__(script)
        self.found: list[int] = []

    async def ask(self, request):
        self.found.append(await asyncio.to_thread(seen_from_another_connection))
        return await super().ask(request)


def test_the_ledger_is_committed_before_a_request_leaves(committed, request):
    run = request.getfixturevalue("run")
    judge = LookingJudge(["right"])
    judge_run(run_id=run.pk, judge=judge)
    assert len(judge.found) == 8
    assert min(judge.found) >= 1  # its own; others may be closed by then, or not sent
    assert seen_from_another_connection() == 0


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("server closed the connection", PATIENCE_SECONDS),
        ("database or disk is full", NO_SPACE_SECONDS),
    ],
)
def test_replies_are_kept_longer_where_nobody_can_store_anything(said, seconds):
    engine, error = object.__new__(Engine), OperationalError(said)
    engine.lost_since = time.monotonic() - seconds + 5
    assert engine.may_wait_for_database(error)
    engine.lost_since -= 10
    assert not engine.may_wait_for_database(error)


# --- budgets --------------------------------------------------------------------------------------


def test_a_run_stops_at_its_budget_and_goes_on_at_the_same_answer(run, settings):
    settings.BUDGET_SUBMISSION = 3.5 * money.worst_case(run.judge_spec, 100) / 1_000_000
    judge = ScriptedJudge([Reply("right")])
    judge_run(run_id=run.pk, judge=judge)
    run.refresh_from_db()
    assert (run.pause_kind, "budget" in run.pause_reason.lower()) == ("budget", True)
    judged = run.judgements.filter(state=State.JUDGED).count()
    assert 0 < judged == len(judge.asked) < 8
    end_pauses()
    run.refresh_from_db()
    if run.paused:
        assert judge_run(run_id=run.pk, judge=judge) == 0
    settings.BUDGET_SUBMISSION = 0.0
    end_pauses()
    judge_run(run_id=run.pk, judge=judge)
    assert states(run) == {State.JUDGED}
    assert len(judge.asked) == JudgeCall.objects.count() == 8
    assert ledger(run) > 0


@pytest.mark.slow
def test_a_run_waits_for_what_is_reserved_and_uses_its_whole_budget(run, settings):
    settings.BUDGET_SUBMISSION = 3.5 * money.worst_case(run.judge_spec, 100) / 1_000_000
    judge_run(
        run_id=run.pk, judge=ScriptedJudge([Reply("right", prompt_tokens=100, reply_tokens=10)])
    )
    assert states(run) == {State.JUDGED}
    assert ledger(run) == 8 * 110_000


def test_with_a_budget_nothing_is_asked_whose_price_nobody_knows(run, settings):
    settings.JUDGE_ENDPOINTS = {"lab": {**PRICED, "prices": {"another": (1.0, 1.0)}}}
    settings.BUDGET_SITE_DAY = 5.0
    judge = ScriptedJudge([Reply("right")])
    judge_run(run_id=run.pk, judge=judge)
    end_pauses()
    run.refresh_from_db()
    assert (run.pause_kind, judge.asked) == ("budget", [])
    assert "no price of m at lab: set JUDGE_PRICES_LAB (m=0/0 if it is free)" in run.pause_reason
    settings.JUDGE_ENDPOINTS = {"lab": {**PRICED, "prices": {"m": (0.0, 0.0)}}}
    end_pauses()
    judge_run(run_id=run.pk, judge=judge)
    assert states(run) == {State.JUDGED}


def test_what_a_call_cost_replaces_what_was_reserved_and_an_unknown_one_keeps_it(run, settings):
    with serve([completion("right"), failure(500), Served(body=b"<html>")]) as endpoint:
        settings.JUDGE_ENDPOINTS = {"lab": {**PRICED, "url": endpoint.url}}
        settings.JUDGE_CONCURRENCY = 1
        judge_run(run_id=run.pk, seconds=5)
    costs = dict(JudgeCall.objects.values_list("outcome", "cost"))
    assert (costs["answered"], costs["failed"]) == (13_000, 0)
    assert costs["unknown"] > 1_000_000
    assert ledger(run) > 1_000_000


# --- told to stop ---------------------------------------------------------------------------------


@pytest.fixture
def stopped_at_two(settings) -> Iterator[SlowJudge]:
    """A judge that is asked two at a time; then the worker is told to stop."""
    settings.JUDGE_CONCURRENCY = 2
    judge = SlowJudge(0.8)

    def stop() -> None:
        while judge.asked < 2:
            time.sleep(0.01)
        STOPPING.set()

    stopper = threading.Thread(target=stop)
    stopper.start()
    yield judge
    stopper.join()
    STOPPING.clear()


def test_told_to_stop_it_ends_what_is_under_way_and_gives_back_the_rest(run, stopped_at_two):
    judge_run(run_id=run.pk, judge=stopped_at_two)
    rows = sorted(run.judgements.values_list("state", "attempts"))
    assert rows == [(State.JUDGED, 1)] * 2 + [(State.WAITING, 0)] * 6
    outcomes = list(JudgeCall.objects.values_list("outcome", flat=True))
    assert set(outcomes) <= {"answered", "unsent"}
    assert outcomes.count("answered") == 2
    assert ledger(run) > 0


@pytest.mark.slow
def test_told_to_stop_it_waits_for_an_endpoint_that_hangs_no_longer_than_its_grace(
    run, stopped_at_two, monkeypatch
):
    monkeypatch.setattr(stopping, "GRACE_SECONDS", 0.5)
    stopped_at_two.seconds = 60.0
    start = time.monotonic()
    judge_run(run_id=run.pk, judge=stopped_at_two)
    assert time.monotonic() - start < 30
    rows = sorted(run.judgements.values_list("state", "attempts"))
    assert rows == [(State.WAITING, 0)] * 6 + [(State.WAITING, 1)] * 2
    unknown = JudgeCall.objects.exclude(outcome="unsent").values_list("outcome", "error")
    assert list(unknown) == [("unknown", "not waited for any longer")] * 2
    assert ledger(run) > 0


@pytest.mark.slow
def test_time_that_is_up_gives_back_what_was_not_asked(run, settings):
    settings.JUDGE_CONCURRENCY = 1
    judge_run(run_id=run.pk, judge=SlowJudge(0.3), seconds=0.4)
    assert State.LEASED not in states(run)
    assert run.judgements.filter(state=State.WAITING).count() >= 5


# --- what the endpoint bears ----------------------------------------------------------------------


def test_an_endpoint_gets_no_more_calls_at_once_than_its_limit(run, settings):
    limit(settings, concurrent=2)
    judge = SlowJudge(0.05)
    judge_run(run_id=run.pk, judge=judge)
    assert (states(run), judge.peak) == ({State.JUDGED}, 2)
    assert limits.take_seat("lab", holder=run.submission_id, wanted=64, seconds=1) == 2


def test_an_endpoint_is_asked_at_its_rates(run, settings):
    limit(settings, requests=600, tokens=10**6)
    start = time.monotonic()
    reply = Reply("right", prompt_tokens=9, reply_tokens=1)
    judge_run(run_id=run.pk, judge=ScriptedJudge([reply]))
    assert time.monotonic() - start >= 0.7
    assert states(run) == {State.JUDGED}


@pytest.mark.slow
def test_a_wish_to_wait_holds_the_next_engine_too(run, settings):
    with serve([failure(429, Retry_After="2"), completion("right")]) as endpoint:
        settings.JUDGE_ENDPOINTS = {"lab": {**PRICED, "url": endpoint.url}}
        settings.JUDGE_CONCURRENCY = 1
        with stopped_when_held():
            judge_run(run_id=run.pk)
        asked = len(endpoint.asked)
        start = time.monotonic()
        judge_run(run_id=run.pk, wait=True)
        assert time.monotonic() - start >= 0.5
    assert (asked, states(run)) == (1, {State.JUDGED})


def test_a_verdict_found_meanwhile_is_not_paid_again(run):
    first, second = run.judgements.order_by("pk")[:2]
    Judgement.objects.filter(pk=first.pk).update(
        state=State.JUDGED, verdict="right", content_key=second.content_key
    )
    judge = ScriptedJudge(["wrong"])
    judge_run(run_id=run.pk, judge=judge)
    second.refresh_from_db()
    assert (second.verdict, second.reused_from_id) == ("right", first.pk)
    assert len(judge.asked) == 6
