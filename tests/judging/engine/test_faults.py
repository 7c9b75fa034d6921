"""A judge that cannot work is noticed at once: what it costs until then, who is paused, and what
else goes on."""

import itertools
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db.models import Sum
from django.utils import timezone

from judging import limits
from judging.engine import engine
from judging.engine.engine import FIRST_CALLS, judge_run
from judging.engine.faults import count_fruitless
from judging.judges.base import JudgeRefusedError, JudgeUnavailableError, Reply
from judging.judges.scripted import ScriptedJudge
from judging.limits import FAULTS_IN_ROW
from judging.models import Endpoint, JudgeCall, Judgement, JudgeRun
from judging.services import pause_run, resume_run
from judging.services.estimates import estimate_run
from tests.judging.crowd import crowd_release, crowd_run
from tests.judging.endpoint import Served, completion, failure, serve
from tests.judging.threads import at_once

State, Pause = Judgement.State, JudgeRun.Pause
PROSE = Reply("I am glad to help. The answer seems fine to me.")


def left(url: str) -> dict[str, dict[str, object]]:
    """The endpoint, at prices of a hosted model."""
    return {"none": {"url": url, "key": "", "limits": {}, "prices": {"m": (2.5, 10.0)}}}


def pause_of(run: JudgeRun) -> tuple[str, str]:
    run.refresh_from_db()
    return run.pause_kind, run.pause_reason


def spent() -> int:
    return JudgeCall.objects.aggregate(total=Sum("cost"))["total"] or 0


def left_calls() -> int:
    return JudgeCall.objects.exclude(outcome="unsent").count()


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


class SlowServer:
    """Works at `at_once` requests at a time, `seconds` each, in the order in which they came, given
    up on or not."""

    def __init__(self, at_once: int, seconds: float):
        self.places = threading.Semaphore(at_once)
        self.seconds = seconds

    def serve(self, body: dict[str, object]) -> Served:
        with self.places:
            time.sleep(self.seconds)
        return completion("right")


@pytest.mark.slow
def test_a_slow_judge_is_asked_as_much_as_it_bears_and_then_gives_its_verdicts(db, settings):
    settings.JUDGE_TIMEOUT_SECONDS = 1.0
    settings.JUDGE_RETRY_SECONDS = [0.5, 0.5, 0.5, 0.5]
    slow = SlowServer(4, 0.2)
    with serve(slow.serve, in_turn=False) as endpoint:
        settings.JUDGE_ENDPOINTS = left(endpoint.url)
        run = crowd_run(crowd_release(200))
        judge_run(run_id=run.pk, seconds=45.0, wait=True)
    judged = run.judgements.filter(state=State.JUDGED).count()
    lost = JudgeCall.objects.filter(outcome="unknown").count()
    assert (pause_of(run)[0], judged) == ("", 200)
    assert lost <= 40
    assert 2 <= Endpoint.objects.get().at_once <= 32


def test_what_left_before_a_hold_was_over_is_no_round_of_its_own(db, settings):
    """A timeout is longer than the first holds: calls of one moment come back over several of
    them."""
    settings.JUDGE_RETRY_SECONDS = [7.0, 7.0]
    fail = partial(limits.note_failures, "none", timeouts=9, others=0, reason="no answer")
    assert fail(seconds_ago=60.0) == 7.0
    Endpoint.objects.update(held_until=timezone.now() - timedelta(seconds=20))
    assert fail(seconds_ago=25.0) == 0.0
    assert fail(seconds_ago=15.0) == 7.0
    assert Endpoint.objects.get().strikes == 2


def test_an_endpoint_that_answers_again_starts_from_nothing(db, settings):
    settings.JUDGE_RETRY_SECONDS = [7.0, 600.0]
    for _ in range(FAULTS_IN_ROW):
        held = limits.note_failures("none", timeouts=0, others=1, reason="HTTP 500")
    assert held == 7.0
    assert limits.note_failures("none", timeouts=9, others=9, reason="HTTP 500") == 0.0
    limits.note_replies("none", judge=crowd_run(crowd_release(1)).judge_spec)
    row = Endpoint.objects.get()
    assert (row.failures, row.strikes, row.answered is None) == (0, 0, False)


def test_each_round_without_a_reply_is_waited_for_longer_and_the_last_halts(db, settings):
    settings.JUDGE_RETRY_SECONDS = [2.0, 30.0]
    held = []
    for _ in range(3):
        Endpoint.objects.update(held_until=None)
        held.append(limits.note_failures("none", timeouts=5, others=0, reason="no answer"))
    assert held == [2.0, 30.0, limits.UNTIL_SEEN_SECONDS]
    assert (
        limits.endpoint_status("none").halt_reason
        == "no reply from it, 3 times in a row; the last: no answer"
    )
    limits.reopen("none")
    assert limits.note_failures("none", timeouts=1, others=0, reason="no answer") == 0.0


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("served", "told"),
    [
        (completion(PROSE.text), "the last cannot be read"),
        (completion("", refusal="I will not."), "the last is a refusal"),
        (completion("right", finish_reason="length"), "the last was cut at the length limit"),
        (failure(400, "unsupported_parameter"), "the last is HTTP 400: unsupported_parameter"),
    ],
    ids=["prose", "refusals", "cut", "HTTP 400"],
)
def test_a_judge_that_gives_no_verdict_is_paused_after_a_few_calls(db, settings, served, told):
    with serve([served]) as endpoint:
        settings.JUDGE_ENDPOINTS = left(endpoint.url)
        run = crowd_run(crowd_release(202))
        judge_run(run_id=run.pk, wait=True)
    kind, reason = pause_of(run)
    assert kind == Pause.JUDGE
    assert told in reason
    assert f"manage.py try_judge {run.judge_spec.slug}" in reason
    assert len(endpoint.asked) == FAULTS_IN_ROW
    assert run.judgements.filter(state=State.WAITING).count() > 100
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
    nonsense = Slow(completion(PROSE.text), 0.3)
    with serve(nonsense.serve, in_turn=False) as endpoint:
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


@pytest.mark.slow
def test_what_several_processes_see_is_counted_together(db, settings):
    settings.JUDGE_CONCURRENCY = 1
    run = crowd_run(crowd_release(30))
    later = timezone.now() + timedelta(hours=1)
    keys = list(run.judgements.order_by("pk").values_list("pk", flat=True))
    for start in (0, 6, 12, 18):
        assert pause_of(run)[0] == ""
        run.judgements.update(not_before=later)
        run.judgements.filter(pk__in=keys[start : start + 6]).update(not_before=None)
        judge_run(run_id=run.pk, judge=ScriptedJudge([JudgeRefusedError("HTTP 400")]))
    assert pause_of(run)[0] == Pause.JUDGE
    assert run.fruitless >= FAULTS_IN_ROW


@pytest.mark.slow
def test_one_verdict_ends_the_row(db, settings):
    settings.JUDGE_CONCURRENCY = 1
    run = crowd_run(crowd_release(60))
    script: list[Reply | Exception | str] = [JudgeRefusedError("HTTP 400")] * (FAULTS_IN_ROW - 3)
    judge_run(run_id=run.pk, judge=ScriptedJudge([*script, "right", *script, "right"]))
    assert (pause_of(run)[0], run.fruitless) == ("", 0)
    assert run.judgements.filter(state=State.FAILED).count() == 2 * (FAULTS_IN_ROW - 3)


@dataclass(frozen=True)
class Slow:
    reply: Served
    seconds: float

    def serve(self, body: dict[str, object]) -> Served:
        time.sleep(self.seconds)
        return self.reply


class HalfGood:
    """Every second request gets a verdict, after `seconds`; the others get `bad` at once."""

    def __init__(self, bad: Served, seconds: float):
        self.bad, self.seconds = bad, seconds
        self.turns = itertools.count()

    def serve(self, body: dict[str, object]) -> Served:
        if next(self.turns) % 2 == 0:
            return self.bad
        time.sleep(self.seconds)
        return completion("right")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bad", "seconds"),
    [(completion(PROSE.text), 0.2), (failure(400, "content_filter"), 1.0)],
    ids=["prose", "HTTP 400"],
)
def test_good_replies_that_are_slower_than_bad_ones_end_the_row(known_to_bear_64, bad, seconds):
    with serve(HalfGood(bad, seconds).serve, in_turn=False) as endpoint:
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


def test_the_count_a_run_was_paused_for_stays_in_its_row(db):
    run = crowd_run(crowd_release(30))
    faults = ["is HTTP 400"] * FAULTS_IN_ROW
    reason = count_fruitless(run, has_verdict=False, faults=faults)
    pause_run(run=run, kind=Pause.JUDGE, reason=reason)
    assert count_fruitless(run, has_verdict=True, faults=[]) == ""
    assert pause_of(run)[1].startswith(f"{run.fruitless} replies in a row gave no verdict")


def test_a_run_that_is_resumed_has_all_its_tries_before_it(db):
    run = crowd_run(crowd_release(60))
    judge_run(run_id=run.pk, judge=ScriptedJudge([JudgeRefusedError("HTTP 400")]))
    assert pause_of(run)[0] == Pause.JUDGE
    resume_run(run=run)
    run.refresh_from_db()
    assert run.fruitless == 0


@pytest.mark.slow
def test_where_no_run_gets_a_verdict_the_endpoint_is_halted_too(db):
    release = crowd_release(60)
    first, second = crowd_run(release), crowd_run(release, name="Other")
    for run in (first, second):
        judge_run(run_id=run.pk, judge=ScriptedJudge([PROSE]))
    assert pause_of(second)[0] == Pause.JUDGE
    assert limits.endpoint_status("none").halt_reason.startswith("no run there gets a verdict")


@pytest.mark.slow
def test_where_another_judge_gave_a_verdict_since_the_endpoint_stays_open(db):
    release = crowd_release(60)
    first, second = crowd_run(release), crowd_run(release, name="Other")
    judge_run(run_id=first.pk, judge=ScriptedJudge([PROSE]))
    good = crowd_run(release, name="Good", model="m-2")
    judge_run(run_id=good.pk, judge=ScriptedJudge(["right"]))
    judge_run(run_id=second.pk, judge=ScriptedJudge([PROSE]))
    assert [pause_of(run)[0] for run in (first, second, good)] == [Pause.JUDGE, Pause.JUDGE, ""]
    assert not limits.endpoint_status("none").halt_reason


def test_pauses_of_people_and_budgets_say_nothing_about_the_endpoint(db):
    release = crowd_release(60)
    other, run = crowd_run(release, name="Other"), crowd_run(release)
    pause_run(run=other, kind=Pause.PERSON, reason="on holiday")
    judge_run(run_id=run.pk, judge=ScriptedJudge([PROSE]))
    assert not limits.endpoint_status("none").halt_reason


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


def test_who_had_little_to_ask_does_not_forget_what_an_endpoint_bears(known_to_bear_64):
    known_to_bear_64("http://127.0.0.1:9/v1")
    limits.note_bearing("none", 4, was_cut=False)
    assert limits.known_to_bear("none") == 64
    limits.note_bearing("none", 16, was_cut=True)
    assert limits.known_to_bear("none") == 16
