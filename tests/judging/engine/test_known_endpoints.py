"""How many calls leave for an endpoint before any is replied to: by what it bore before."""

import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F

from benchmarks.models import Release
from judging.coordination import limits
from judging.coordination.limits import FAULTS_IN_ROW
from judging.engine.engine import FIRST_CALLS, judge_run
from judging.models import Endpoint, Judgement, JudgeRun
from judging.services import resume_run
from tests.judging.crowd import crowd_release, crowd_run
from tests.judging.endpoint import Served, completion, failure, serve

AT_ONCE = 16
RUN_CALLS = 3 * AT_ONCE  # from four it has grown to 16 after twelve replies, if enough are sent
COMING_SECONDS = 30.0  # none takes one; a machine with much else to do may
MORE_SECONDS = 0.5  # in which those would come that ought not to
REPLY_SECONDS = 0.2  # so that they are under way together, also where two cores have more to do


class Server:
    """Replies to nobody until as many as expected have come, and any more that would; then to these
    in its way, and to everybody else as it does otherwise."""

    def __init__(self) -> None:
        self.otherwise = completion("right")
        self.expect(0)

    def expect(self, calls: int, first: Served | None = None) -> None:
        self.expected, self.first = calls, first or self.otherwise
        self.came = self.first_round = 0
        self.have_come, self.is_open = threading.Event(), threading.Event()
        self.lock = threading.Lock()

    def serve(self, body: dict[str, Any]) -> Served:
        with self.lock:
            self.came += 1
            number = self.came
        if number >= self.expected:
            self.have_come.set()
        if not self.is_open.is_set() and self.have_come.wait(COMING_SECONDS):
            self.is_open.wait(MORE_SECONDS)
            with self.lock:
                self.first_round = self.first_round or self.came
            self.is_open.set()
        time.sleep(REPLY_SECONDS)
        return self.first if number <= self.first_round else self.otherwise


@pytest.fixture
def release(db) -> Release:
    return crowd_release(RUN_CALLS)


@pytest.fixture
def server(settings) -> Iterator[Server]:
    settings.JUDGE_CONCURRENCY = AT_ONCE
    made = Server()
    with serve(made.serve, in_turn=False) as endpoint:
        settings.JUDGE_ENDPOINTS = known_as_none(endpoint.url)
        yield made


def known_as_none(url: str) -> dict[str, dict[str, object]]:
    return {"none": {"url": url, "key": "", "limits": {}, "prices": {}}}


def judged(run: JudgeRun, **engine: Any) -> int:
    judge_run(run_id=run.pk, seconds=60.0, wait=True, **engine)
    return run.judgements.filter(state=Judgement.State.JUDGED).count()


def first_round(
    server: Server, release: Release, name: str, expected: int, first: Served | None = None
) -> int:
    server.expect(expected, first)
    assert judged(crowd_run(release, name=name)) == RUN_CALLS
    return server.first_round


def borne(ago: timedelta = timedelta()) -> int:
    """What the runs before found out, which is less on a machine that is too busy to send AT_ONCE
    calls together; it is so long ago."""
    Endpoint.objects.update(bore=F("bore") - ago)
    found = Endpoint.objects.get().at_once or 0
    assert 2 * FIRST_CALLS < found <= AT_ONCE
    return found


def test_a_run_begins_with_four_calls_or_with_what_its_endpoint_bore_halved_for_each_day(
    release, server, settings
):
    assert first_round(server, release, "One", FIRST_CALLS) == FIRST_CALLS
    expected = borne(timedelta(hours=23))
    assert first_round(server, release, "Two", expected) == expected
    expected = borne(timedelta(hours=25)) // 2
    assert first_round(server, release, "Three", expected) == expected
    with serve(server.serve, in_turn=False) as other:  # of which nothing is known
        settings.JUDGE_ENDPOINTS = known_as_none(other.url)
        assert first_round(server, release, "Four", FIRST_CALLS) == FIRST_CALLS


def test_who_had_little_to_ask_does_not_forget_what_an_endpoint_bears(db, server):
    borne = []
    for calls, was_cut in ((64, False), (4, False), (16, True)):
        limits.note_bearing("none", calls, was_cut=was_cut)
        borne.append(limits.known_to_bear("none"))
    assert borne == [64, 64, 16]


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(failure(429, Retry_After="1"), id="HTTP 429"),
        pytest.param(Served(hang=True), id="timeout", marks=pytest.mark.slow),
    ],
)
def test_after_errors_the_next_run_begins_with_half(release, server, settings, fault):
    settings.JUDGE_TIMEOUT_SECONDS, settings.JUDGE_RETRY_SECONDS = 3.0, [0.2, 0.2]
    first_round(server, release, "One", FIRST_CALLS)
    expected = borne()
    assert first_round(server, release, "Two", expected, fault) == expected
    assert first_round(server, release, "Three", expected // 2) == expected // 2


@pytest.mark.slow
def test_a_judge_that_lost_its_mind_is_paid_no_more_than_a_new_one_when_it_is_resumed(
    release, server, settings
):
    first_round(server, release, "One", FIRST_CALLS)
    settings.JUDGE_CONCURRENCY = RUN_CALLS
    limits.note_bearing("none", RUN_CALLS, was_cut=False)
    server.otherwise = completion("I am glad to help.")
    server.expect(0)
    run = crowd_run(release, name="Two")
    assert judged(run) == 0
    run.refresh_from_db()
    assert run.pause_kind == JudgeRun.Pause.JUDGE
    asked = server.came
    resume_run(run=run)
    assert judged(run) == 0
    assert server.came - asked <= FAULTS_IN_ROW
