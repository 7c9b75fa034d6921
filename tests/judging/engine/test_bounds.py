"""What bounds an engine: budgets, seats, rates, and being told to stop."""

import threading
import time
from collections.abc import Iterator

import pytest
from django.db.models import Sum

from benchmarks.registry import protocol
from judging import limits, money
from judging.engine import stopping
from judging.engine.engine import judge_run
from judging.engine.stopping import STOPPING
from judging.judges.base import Reply
from judging.judges.scripted import ScriptedJudge
from judging.models import JudgeCall, Judgement, JudgeRun
from judging.services import end_pauses, ensure_spec, plan_run, request_run
from tests.judging.endpoint import Endpoint, Served, completion, failure, serve
from tests.judging.engine.test_dispatcher import SlowJudge
from tests.judging.holding import stopped_when_held

State = Judgement.State
PRICED = {
    "url": "http://127.0.0.1:9/v1",
    "key": "",
    "limits": {},
    "prices": {"m": (1000.0, 1000.0)},
}


@pytest.fixture
def run(submission) -> JudgeRun:
    spec = ensure_spec(of=protocol("spelling"), kind="openai", endpoint="lab", model="m", repeats=2)
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    return run


def states(run: JudgeRun) -> dict[str, int]:
    found = list(run.judgements.values_list("state", flat=True))
    return {state: found.count(state) for state in set(found)}


def dear(endpoint: Endpoint, **limits_: int) -> dict[str, dict[str, object]]:
    return {"lab": {**PRICED, "url": endpoint.url, "limits": limits_}}


@pytest.mark.slow
def test_a_run_stops_at_its_budget_and_goes_on_at_the_same_answer(run, settings):
    settings.JUDGE_ENDPOINTS = {"lab": PRICED}
    worst = money.worst_case(run.judge_spec, 100)
    settings.BUDGET_SUBMISSION = 3.5 * worst / 1_000_000
    judge = ScriptedJudge([Reply("right")])
    judge_run(run_id=run.pk, judge=judge)
    run.refresh_from_db()
    assert (run.pause_kind, "budget" in run.pause_reason.lower()) == ("budget", True)
    judged = states(run)[State.JUDGED]
    assert 0 < judged == len(judge.asked) < 8
    end_pauses()
    run.refresh_from_db()
    if run.paused:
        assert judge_run(run_id=run.pk, judge=judge) == 0
    settings.BUDGET_SUBMISSION = 0.0
    end_pauses()
    judge_run(run_id=run.pk, judge=judge)
    assert states(run) == {State.JUDGED: 8}
    assert len(judge.asked) == JudgeCall.objects.count() == 8
    assert JudgeCall.objects.aggregate(Sum("cost"))["cost__sum"] == money.spent_on(run.submission)
    assert money.spend_drift() == []


@pytest.mark.slow
def test_a_run_waits_for_what_is_reserved_and_uses_its_whole_budget(run, settings):
    settings.JUDGE_ENDPOINTS = {"lab": PRICED}
    settings.BUDGET_SUBMISSION = 3.5 * money.worst_case(run.judge_spec, 100) / 1_000_000
    judge_run(
        run_id=run.pk, judge=ScriptedJudge([Reply("right", prompt_tokens=100, reply_tokens=10)])
    )
    assert states(run) == {State.JUDGED: 8}
    assert money.spent_on(run.submission) == 8 * 110_000


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
    assert states(run) == {State.JUDGED: 8}


def test_what_a_call_cost_replaces_what_was_reserved_and_an_unknown_one_keeps_it(run, settings):
    with serve([completion("right"), failure(500), Served(body=b"<html>")]) as endpoint:
        settings.JUDGE_ENDPOINTS = dear(endpoint)
        settings.JUDGE_CONCURRENCY = 1
        judge_run(run_id=run.pk, seconds=5)
    costs = dict(JudgeCall.objects.values_list("outcome", "cost"))
    assert costs["answered"] == 13_000
    assert costs["failed"] == 0
    assert costs["unknown"] > 1_000_000
    assert money.spend_drift() == []


@pytest.fixture
def stopped_at_two() -> Iterator[SlowJudge]:
    """A judge; once it is asked twice, the worker is told to stop."""
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


@pytest.mark.slow
def test_told_to_stop_it_ends_what_is_under_way_and_gives_back_the_rest(
    run, settings, stopped_at_two
):
    settings.JUDGE_ENDPOINTS = {"lab": PRICED}
    settings.JUDGE_CONCURRENCY = 2
    judge_run(run_id=run.pk, judge=stopped_at_two)
    assert states(run) == {State.JUDGED: 2, State.WAITING: 6}
    assert set(run.judgements.filter(state=State.WAITING).values_list("attempts", flat=True)) == {0}
    outcomes = list(JudgeCall.objects.values_list("outcome", flat=True))
    assert set(outcomes) <= {"answered", "unsent"}
    assert outcomes.count("answered") == 2
    assert money.spend_drift() == []


@pytest.mark.slow
def test_told_to_stop_it_waits_for_an_endpoint_that_hangs_no_longer_than_its_grace(
    run, settings, stopped_at_two, monkeypatch
):
    monkeypatch.setattr(stopping, "GRACE_SECONDS", 0.5)
    settings.JUDGE_ENDPOINTS = {"lab": PRICED}
    settings.JUDGE_CONCURRENCY = 2
    stopped_at_two.seconds = 60.0
    start = time.monotonic()
    judge_run(run_id=run.pk, judge=stopped_at_two)
    assert time.monotonic() - start < 30
    assert states(run) == {State.WAITING: 8}
    assert sorted(run.judgements.values_list("attempts", flat=True)) == [0] * 6 + [1] * 2
    unknown = JudgeCall.objects.exclude(outcome="unsent")
    assert [(call.outcome, call.error) for call in unknown] == [
        ("unknown", "not waited for any longer")
    ] * 2
    assert money.spent_on(run.submission) == sum(unknown.values_list("cost", flat=True)) > 0
    assert money.spend_drift() == []


@pytest.mark.slow
def test_time_that_is_up_gives_back_what_was_not_asked(run, settings):
    settings.JUDGE_ENDPOINTS = {"lab": PRICED}
    settings.JUDGE_CONCURRENCY = 1
    judge_run(run_id=run.pk, judge=SlowJudge(0.3), seconds=0.4)
    assert State.LEASED not in states(run)
    assert states(run)[State.WAITING] >= 5


@pytest.mark.slow
def test_an_endpoint_gets_no_more_calls_at_once_than_its_limit(run, settings):
    settings.JUDGE_ENDPOINTS = {"lab": {**PRICED, "limits": {"concurrent": 2}}}
    judge = SlowJudge(0.05)
    judge_run(run_id=run.pk, judge=judge)
    assert states(run) == {State.JUDGED: 8}
    assert judge.peak == 2
    assert limits.take_seat("lab", holder=run.submission_id, wanted=64, seconds=1) == 2


@pytest.mark.slow
def test_an_endpoint_is_asked_at_its_rate(run, settings):
    settings.JUDGE_ENDPOINTS = {"lab": {**PRICED, "limits": {"requests": 600}}}
    start = time.monotonic()
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    assert time.monotonic() - start >= 0.7
    assert states(run) == {State.JUDGED: 8}


@pytest.mark.slow
def test_a_wish_to_wait_holds_the_next_engine_too(run, settings):
    with serve([failure(429, Retry_After="2"), completion("right")]) as endpoint:
        settings.JUDGE_ENDPOINTS = dear(endpoint)
        settings.JUDGE_CONCURRENCY = 1
        with stopped_when_held():
            judge_run(run_id=run.pk)
        asked = len(endpoint.asked)
        start = time.monotonic()
        judge_run(run_id=run.pk, wait=True)
        assert time.monotonic() - start >= 0.5
    assert asked == 1
    assert states(run) == {State.JUDGED: 8}


def test_a_verdict_found_meanwhile_is_not_paid_again(run, settings):
    settings.JUDGE_ENDPOINTS = {"lab": PRICED}
    first, second = run.judgements.order_by("pk")[:2]
    Judgement.objects.filter(pk=first.pk).update(
        state=State.JUDGED, verdict="right", content_key=second.content_key
    )
    judge = ScriptedJudge(["wrong"])
    judge_run(run_id=run.pk, judge=judge)
    second.refresh_from_db()
    assert (second.verdict, second.reused_from_id) == ("right", first.pk)
    assert len(judge.asked) == 6
