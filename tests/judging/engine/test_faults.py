"""A judge that cannot work is noticed at once: what it costs until then, who is paused, and what
else goes on."""

import itertools
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db.models import Sum
from django.utils import timezone

from judging.coordination import limits
from judging.coordination.limits import FAULTS_IN_ROW
from judging.engine import engine
from judging.engine.dispatcher import Outcome
from judging.engine.engine import FIRST_CALLS, judge_run
from judging.engine.faults import Health, count_fruitless
from judging.engine.stopping import STOPPING
from judging.judges.base import JudgeRefusedError, JudgeUnavailableError, Reply
from judging.models import Endpoint, JudgeCall, Judgement, JudgeRun
from judging.services import pause_run, resume_run
from judging.services.estimates import estimate_run
from tests.judging.crowd import crowd_release, crowd_run
from tests.judging.endpoint import Served, completion, failure, serve
from tests.judging.runs import pause_of, undone
from tests.judging.scripted import ScriptedJudge
from tests.judging.threads import at_once

State, Pause = Judgement.State, JudgeRun.Pause
PROSE = Reply("I am glad to help. The answer seems fine to me.")


def left(url: str) -> dict[str, dict[str, object]]:
    """The endpoint, at prices of a hosted model."""
    return {"none": {"url": url, "key": "", "limits": {}, "prices": {"m": (2.5, 10.0)}}}


def spent() -> int:
    return JudgeCall.objects.aggregate(total=Sum("cost"))["total"] or 0


def left_calls() -> int:
    return JudgeCall.objects.exclude(outcome="unsent").count()


@pytest.fixture
def run(db) -> JudgeRun:
    return crowd_run(crowd_release(30))


# --- silence --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_endpoint_that_hangs_costs_less_than_twice_the_estimate_and_is_halted(db, settings):
    settings.JUDGE_TIMEOUT_SECONDS = 0.4
    settings.JUDGE_RETRY_SECONDS = [0.2, 0.2, 0.2, 0.2]
    with serve([Served(hang=True)]) as endpoint:
        settings.JUDGE_ENDPOINTS = left(endpoint.url)
        run = crowd_run(crowd_release(520))
        estimate = estimate_run(run.submission, run.judge_spec).cost
        judge_run(run_id=run.pk, seconds=60.0, wait=True)
    assert pause_of(run)[0] == Pause.ENDPOINT
    assert limits.endpoint_status("none").halt_reason.startswith(
        "no reply from it, 5 times in a row"
    )
    assert left_calls() == len(endpoint.asked) <= FIRST_CALLS + 6
    assert spent() <= 2 * estimate
    assert not run.judgements.filter(state=State.PAUSED).exists()


def slowly(
    reply: Served, seconds: float, *, places: int = 999
) -> Callable[[dict[str, Any]], Served]:
    """Works at so many requests at a time, in the order in which they came, given up on or not."""
    free = threading.Semaphore(places)

    def serve_one(body: dict[str, Any]) -> Served:
        with free:
            time.sleep(seconds)
        return reply

    return serve_one


@pytest.mark.slow
def test_a_slow_judge_is_asked_as_much_as_it_bears_and_then_gives_its_verdicts(db, settings):
    settings.JUDGE_TIMEOUT_SECONDS = 1.0
    settings.JUDGE_RETRY_SECONDS = [0.5, 0.5, 0.5, 0.5]
    with serve(slowly(completion("right"), 0.2, places=4), in_turn=False) as endpoint:
        settings.JUDGE_ENDPOINTS = left(endpoint.url)
        run = crowd_run(crowd_release(200))
        judge_run(run_id=run.pk, seconds=45.0, wait=True)
    judged = run.judgements.filter(state=State.JUDGED).count()
    lost = JudgeCall.objects.filter(outcome="unknown").count()
    assert (pause_of(run)[0], judged) == ("", 200)
    assert lost <= 40
    assert 2 <= Endpoint.objects.get().at_once <= 32


def failed(**more: Any) -> float:
    return limits.note_failures("none", **{"timeouts": 5, "others": 0, "reason": "mute", **more})


def test_each_round_without_a_reply_is_waited_for_longer_and_the_last_halts(run, settings):
    settings.JUDGE_RETRY_SECONDS = [2.0, 30.0]
    assert [failed(timeouts=0, others=1) for _ in range(FAULTS_IN_ROW)][-1] == 2.0
    Endpoint.objects.update(held_until=timezone.now() - timedelta(seconds=20))
    assert failed(seconds_ago=25.0) == 0.0  # it left before the hold: no round of its own
    assert failed(seconds_ago=15.0) == 30.0
    limits.note_replies("none", judge=run.judge_spec)
    row = Endpoint.objects.get()
    assert (row.failures, row.strikes, row.answered is None) == (0, 0, False)
    held = []
    for _ in range(3):
        Endpoint.objects.update(held_until=None)
        held.append(failed())
    assert held == [2.0, 30.0, limits.UNTIL_SEEN_SECONDS]
    halted = limits.endpoint_status("none").halt_reason
    assert halted == "no reply from it, 3 times in a row; the last: mute"
    limits.reopen("none")
    assert failed(timeouts=1) == 0.0


def test_failures_are_reported_once_and_forgotten_where_it_replied_since(run, settings):
    settings.JUDGE_RETRY_SECONDS = [7.0]
    limits.known_to_bear("none")  # the row of the endpoint is there
    health, away = Health(run, has_verdict=False), JudgeUnavailableError("HTTP 500")
    counted, held = [], []

    def note(*results: Reply | Exception) -> None:
        came = [Outcome(key, result, 1) for key, result in enumerate(results)]
        health.note(came, time.monotonic())
        held.append(health.report_failures())
        counted.append(Endpoint.objects.get().failures)

    note(away, away)
    note()
    note(away, JudgeRefusedError("HTTP 400"), away)
    note(PROSE)
    STOPPING.set()  # it is we who wait no longer
    try:
        note(away)
    finally:
        STOPPING.clear()
    note(*[away] * FAULTS_IN_ROW)
    assert counted[:5] == [2, 2, 1, 0, 0]
    assert held == [0.0] * 5 + [7.0]


def test_an_endpoint_answers_for_a_minute_after_its_last_reply(run, monkeypatch):
    health = Health(run, has_verdict=False)
    health.note([Outcome(1, PROSE, 1)], 1000.0)
    health.note([Outcome(2, JudgeUnavailableError("HTTP 500"), 1)], 1030.0)
    answering = []
    for now in (1059.0, 1061.0):
        monkeypatch.setattr("judging.engine.faults.time.monotonic", lambda now=now: now)
        answering.append(health.is_answering())
    assert answering == [True, False]


@pytest.mark.slow
@pytest.mark.parametrize("is_limit", [True, False], ids=["HTTP 429", "HTTP 503"])
def test_an_endpoint_that_only_ever_asks_to_be_left_alone_is_halted(db, settings, is_limit):
    settings.JUDGE_RETRY_SECONDS = [0.2, 0.2, 0.2, 0.2]
    wish = JudgeUnavailableError("later", 0.1, is_limit=is_limit, is_overload=True)
    run = crowd_run(crowd_release(202))
    judge_run(run_id=run.pk, judge=ScriptedJudge([wish]), seconds=30.0, wait=True)
    assert pause_of(run)[0] == Pause.ENDPOINT
    assert limits.endpoint_status("none").halt_reason.startswith(
        "no reply from it, 5 times in a row"
    )
    assert left_calls() <= 2 * FAULTS_IN_ROW


@pytest.mark.slow
def test_an_endpoint_that_asks_to_be_left_alone_between_replies_is_not_halted(db, settings):
    settings.JUDGE_RETRY_SECONDS = [0.2, 0.2, 0.2, 0.2]
    wish = JudgeUnavailableError("later", 0.05, is_limit=True)
    script: list[Reply | Exception | str] = [wish, wish, "right"]
    run = crowd_run(crowd_release(20))
    judge_run(run_id=run.pk, judge=ScriptedJudge(script * 20), seconds=30.0, wait=True)
    assert pause_of(run) == ("", "")
    assert not limits.endpoint_status("none").halt_reason
    assert run.judgements.filter(state=State.JUDGED).count() >= 15


# --- replies without a verdict --------------------------------------------------------------------


NO_VERDICT = {
    "the last cannot be read": completion(PROSE.text),
    "the last is a refusal": completion("", refusal="I will not."),
    "the last was cut at the length limit": completion("right", finish_reason="length"),
    "the last is HTTP 400: unsupported_parameter": failure(400, "unsupported_parameter"),
}


@pytest.mark.parametrize("told", NO_VERDICT)
def test_a_judge_that_gives_no_verdict_is_paused_after_a_few_calls(run, settings, told):
    with serve([NO_VERDICT[told]]) as endpoint:
        settings.JUDGE_ENDPOINTS = left(endpoint.url)
        judge_run(run_id=run.pk, wait=True)
    kind, reason = pause_of(run)
    assert (kind, told in reason) == (Pause.JUDGE, True)
    assert f"manage.py try_judge {run.judge_spec.slug}" in reason
    assert len(endpoint.asked) == left_calls() == FAULTS_IN_ROW
    assert run.judgements.filter(state=State.WAITING).count() >= 30 - FAULTS_IN_ROW
    assert not limits.endpoint_status("none").halt_reason


@pytest.fixture
def known_to_bear_64(db, settings) -> Callable[[str], None]:
    settings.JUDGE_CONCURRENCY = 64

    def know(url: str) -> None:
        settings.JUDGE_ENDPOINTS = left(url)
        limits.note_bearing("none", 64, was_cut=False)

    return know


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_an_endpoint_that_was_well_and_talks_nonsense_now_is_paid_no_more_calls_than_promised(
    committed, known_to_bear_64, settings, processes
):
    """What is under way counts: each of those calls may be paid for nothing."""
    settings.JUDGE_PROCESSES_PER_RUN = processes
    with serve(slowly(completion(PROSE.text), 0.3), in_turn=False) as endpoint:
        known_to_bear_64(endpoint.url)
        run = crowd_run(crowd_release(202))
        at_once(*[partial(judge_run, run_id=run.pk, wait=True)] * processes)
    assert pause_of(run)[0] == Pause.JUDGE
    assert len(endpoint.asked) == FAULTS_IN_ROW


@pytest.mark.slow
def test_a_judge_that_loses_its_mind_midway_is_paid_for_what_was_under_way_alone(
    known_to_bear_64, settings
):
    turns = itertools.count()

    def answer(body: dict[str, Any]) -> Served:
        time.sleep(0.3)
        return completion("right" if next(turns) < 60 else PROSE.text)

    with serve(answer, in_turn=False) as endpoint:
        known_to_bear_64(endpoint.url)
        run = crowd_run(crowd_release(520))
        judge_run(run_id=run.pk, wait=True)
    assert pause_of(run)[0] == Pause.JUDGE
    assert len(endpoint.asked) - 60 <= 2 * settings.JUDGE_CONCURRENCY


def test_one_verdict_ends_the_row(db, settings):
    settings.JUDGE_CONCURRENCY = 1
    run = crowd_run(crowd_release(60))
    script: list[Reply | Exception | str] = [JudgeRefusedError("HTTP 400")] * (FAULTS_IN_ROW - 3)
    judge_run(run_id=run.pk, judge=ScriptedJudge([*script, "right", *script, "right"]))
    assert (pause_of(run)[0], run.fruitless) == ("", 0)
    assert run.judgements.filter(state=State.FAILED).count() == 2 * (FAULTS_IN_ROW - 3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bad", "seconds"),
    [(completion(PROSE.text), 0.2), (failure(400, "content_filter"), 1.0)],
    ids=["prose", "HTTP 400"],
)
def test_good_replies_that_are_slower_than_bad_ones_end_the_row(known_to_bear_64, bad, seconds):
    good, turns = slowly(completion("right"), seconds), itertools.count()
    with serve(lambda body: good(body) if next(turns) % 2 else bad, in_turn=False) as endpoint:
        known_to_bear_64(endpoint.url)
        run = crowd_run(crowd_release(202))
        judge_run(run_id=run.pk, seconds=60.0, wait=True)
    assert pause_of(run) == ("", "")
    assert not run.judgements.filter(state__in=[State.WAITING, State.LEASED]).exists()
    assert run.judgements.filter(state=State.JUDGED).count() >= 90


@pytest.mark.slow
def test_cases_that_a_judge_cannot_decide_are_no_row_when_they_are_asked_again(db, settings):
    """They come back together, and so does the next process to take the run up begin with them."""

    def answer(body: dict[str, Any]) -> Served:
        number = int(body["messages"][0]["content"].split("word ")[1].split(".")[0])
        return completion(PROSE.text if number % 2 else "right")

    with serve(answer, in_turn=False) as endpoint:
        settings.JUDGE_ENDPOINTS = left(endpoint.url)
        run = crowd_run(crowd_release(202))
        judge_run(run_id=run.pk, seconds=0.8)
        judge_run(run_id=run.pk, seconds=60.0, wait=True)
    assert pause_of(run) == ("", "")
    assert run.judgements.filter(state=State.JUDGED).count() == 101
    assert run.judgements.filter(state=State.UNREADABLE).count() == 101


@pytest.mark.slow
def test_what_one_call_holds_up_is_paid_for_only_so_far(db, settings):
    """The first call hangs and might yet give a verdict; what fails meanwhile is not asked for
    without end."""
    settings.JUDGE_TIMEOUT_SECONDS = 3.0
    turns = itertools.count()
    with serve(
        lambda body: Served(hang=True) if next(turns) == 0 else failure(400), in_turn=False
    ) as endpoint:
        settings.JUDGE_ENDPOINTS = left(endpoint.url)
        run = crowd_run(crowd_release(202))
        judge_run(run_id=run.pk, seconds=30.0, wait=True)
    assert pause_of(run)[0] == Pause.JUDGE
    assert len(endpoint.asked) <= FAULTS_IN_ROW + 1
    assert run.fruitless >= FAULTS_IN_ROW


def test_a_run_is_paused_with_its_count_and_resumed_with_all_its_tries(run):
    judge_run(run_id=run.pk, judge=ScriptedJudge([JudgeRefusedError("HTTP 400")]))
    assert pause_of(run)[0] == Pause.JUDGE
    assert count_fruitless(run, has_verdict=True, faults=[]) == ""
    assert pause_of(run)[1].startswith(f"{run.fruitless} replies in a row gave no verdict")
    resume_run(run=run)
    run.refresh_from_db()
    assert run.fruitless == 0


def test_where_no_run_gets_a_verdict_the_endpoint_is_halted_too(run):
    release, prose = run.submission.release, ScriptedJudge([PROSE])
    other, good = crowd_run(release, name="Other"), crowd_run(release, name="Good", model="m-2")
    with undone():
        pause_run(run=other, kind=Pause.PERSON, reason="on holiday")
        judge_run(run_id=run.pk, judge=prose)
        assert pause_of(run)[0] == Pause.JUDGE
        assert not limits.endpoint_status("none").halt_reason
    with undone():  # another judge gave a verdict there meanwhile
        judge_run(run_id=run.pk, judge=prose)
        judge_run(run_id=good.pk, judge=ScriptedJudge(["right"]))
        judge_run(run_id=other.pk, judge=prose)
        assert [pause_of(one)[0] for one in (run, good, other)] == [Pause.JUDGE, "", Pause.JUDGE]
        assert not limits.endpoint_status("none").halt_reason
    judge_run(run_id=run.pk, judge=prose)
    judge_run(run_id=other.pk, judge=prose)
    assert pause_of(other)[0] == Pause.JUDGE
    reason = limits.endpoint_status("none").halt_reason
    assert reason.startswith("no run there gets a verdict")


# --- away for a moment ----------------------------------------------------------------------------


@pytest.mark.slow
def test_an_endpoint_that_was_silent_is_asked_again_before_the_time_of_its_calls_is_up(
    known_to_bear_64, settings, monkeypatch
):
    monkeypatch.setattr(engine, "SILENT_SECONDS", 5.0)  # a busy machine answers late
    settings.JUDGE_RETRY_SECONDS = [0.2, 0.2, 0.2, 0.2]
    turns = itertools.count()

    def answer(body: dict[str, Any]) -> Served:
        return Served(hang=True) if 20 <= next(turns) < 60 else completion("right")

    with serve(answer, in_turn=False) as endpoint:
        known_to_bear_64(endpoint.url)
        run = crowd_run(crowd_release(60))
        start = time.monotonic()
        judge_run(run_id=run.pk, seconds=60.0, wait=True)
    assert run.judgements.filter(state=State.JUDGED).count() == 60
    assert time.monotonic() - start < settings.JUDGE_TIMEOUT_SECONDS / 2
    assert JudgeCall.objects.filter(outcome="unknown").count() == 40
