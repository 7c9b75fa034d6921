"""The smaller parts of an engine alone: how fast replies come, and what calls say of an
endpoint."""

from collections.abc import Iterator

import pytest

from benchmarks.registry import protocol
from judging import limits
from judging.engine.dispatcher import Outcome
from judging.engine.engine import AHEAD_SECONDS, TICK_SECONDS, ReplyRate
from judging.engine.faults import Health
from judging.engine.stopping import STOPPING
from judging.judges.base import JudgeRefusedError, JudgeUnavailableError, Reply
from judging.limits import FAULTS_IN_ROW
from judging.models import Endpoint, JudgeRun
from judging.services import ensure_spec, request_run

AWAY = JudgeUnavailableError("HTTP 500")


@pytest.fixture
def health(submission) -> Health:
    spec = ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="none", model="m", repeats=1
    )
    run: JudgeRun = request_run(submission=submission, spec=spec)
    limits.known_to_bear("none")  # the row of the endpoint is there
    return Health(run, has_verdict=False)


@pytest.fixture
def stopping() -> Iterator[None]:
    STOPPING.set()
    yield
    STOPPING.clear()


def outcomes(*results: Reply | Exception) -> list[Outcome]:
    return [Outcome(key, result, 1) for key, result in enumerate(results)]


def failures() -> int:
    return Endpoint.objects.get(alias="none").failures


def test_failures_are_reported_once(health):
    health.note(outcomes(AWAY, AWAY), 1000.0)
    health.report_failures()
    health.report_failures()
    assert failures() == 2


def test_as_many_failures_as_hold_an_endpoint_say_for_how_long(health, settings):
    settings.JUDGE_RETRY_SECONDS = [7.0]
    health.note(outcomes(*[AWAY] * FAULTS_IN_ROW), 1000.0)
    assert health.report_failures() == 7.0


def test_failures_before_a_reply_are_forgotten(health):
    health.note(outcomes(AWAY, AWAY, JudgeRefusedError("HTTP 400"), AWAY), 1000.0)
    health.report_failures()
    assert failures() == 1


def test_a_reply_ends_the_failures_that_were_reported(health):
    health.note(outcomes(AWAY), 1000.0)
    health.report_failures()
    health.note(outcomes(Reply("right")), 1001.0)
    health.report_failures()
    assert failures() == 0


def test_what_a_process_waits_for_no_longer_says_nothing_of_the_endpoint(health, stopping):
    health.note(outcomes(AWAY), 1000.0)
    assert health.report_failures() == 0.0
    assert failures() == 0


def test_an_endpoint_answers_for_a_minute_after_its_last_reply(health, monkeypatch):
    health.note(outcomes(Reply("right")), 1000.0)
    health.note(outcomes(AWAY), 1030.0)
    for now, is_answering in ((1059.0, True), (1061.0, False)):
        monkeypatch.setattr("judging.engine.faults.time.monotonic", lambda now=now: now)
        assert health.is_answering() == is_answering


def test_a_rate_follows_what_was_counted_by_half(settings):
    settings.JUDGE_CONCURRENCY = 64
    rate = ReplyRate()
    rate.count(10, 1.0)
    assert rate.per_second == 37.0


def test_a_fast_endpoint_is_looked_at_more_often_within_bounds():
    rate, least, most = ReplyRate(), *TICK_SECONDS
    for per_second, seconds in ((0.0, most), (200.0, 0.02), (10_000.0, least)):
        rate.per_second = per_second
        assert rate.tick() == pytest.approx(seconds)


def test_half_of_what_is_under_way_stands_ready_and_a_fifth_of_a_second_of_replies():
    rate = ReplyRate()
    for per_second, limit, ahead in ((0.0, 2, 4), (0.0, 64, 32), (250.0, 64, 50), (1e4, 64, 64)):
        rate.per_second = per_second
        assert rate.ahead(limit) == ahead
    assert AHEAD_SECONDS == 0.2
