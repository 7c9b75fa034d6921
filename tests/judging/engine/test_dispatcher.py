"""Requests under way: how many, when they leave, and what an overloaded endpoint does to their
number."""

import asyncio
import threading
import time
from collections.abc import Callable

import pytest

from benchmarks.protocols.base import JudgeCase, QuestionView, Slot
from judging.engine.dispatcher import BACK_OFF, Call, Dispatcher, Outcome
from judging.judges.base import JudgeHaltedError, JudgeRequest, JudgeUnavailableError, Reply
from tests.judging.engine.simulated import SimulatedLoop

QUESTION = QuestionView("1", "words", "words/short", "", "1", "Spell two.", {}, {})
REQUEST = JudgeRequest(JudgeCase(Slot("spelled"), QUESTION, "two", "", "two"))
PATIENCE_SECONDS = 60.0  # nothing here takes one; a machine with much else to do may


class SlowJudge:
    """Takes a moment for each request and remembers how many it had at once."""

    makes_requests = True

    def __init__(self, seconds: float = 0.02, answer: Callable[[], Reply] = lambda: Reply("right")):
        self.seconds, self.answer = seconds, answer
        self.now = self.peak = self.asked = 0
        self.is_closed = False
        self.lock = threading.Lock()

    async def ask(self, request: JudgeRequest) -> Reply:
        self.now += 1
        self.asked += 1
        self.peak = max(self.peak, self.now)
        await asyncio.sleep(self.seconds)
        self.now -= 1
        return self.answer()

    async def close(self) -> None:
        self.is_closed = True


def overloaded() -> Reply:
    raise JudgeUnavailableError("HTTP 429", is_limit=True)


def halted() -> Reply:
    raise JudgeHaltedError("HTTP 401")


def defective() -> Reply:
    raise ZeroDivisionError


@pytest.fixture
def make():
    made: list[Dispatcher] = []

    def start(judge: SlowJudge, cap: int) -> Dispatcher:
        made.append(Dispatcher(judge, cap=cap))
        return made[-1]

    yield start
    for dispatcher in made:
        dispatcher.close(judge=True)


def calls(number: int, not_before: float = 0.0) -> list[Call]:
    return [Call(key, REQUEST, not_before) for key in range(number)]


def collected(dispatcher: Dispatcher, number: int) -> list[Outcome]:
    found: list[Outcome] = []

    def have_come() -> bool:
        found.extend(dispatcher.take())
        return len(found) >= number

    wait_for(have_come)
    return found


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.002)


def test_every_call_comes_back_once_under_its_key(make):
    dispatcher = make(SlowJudge(), 8)
    dispatcher.send(calls(50))
    assert sorted(outcome.key for outcome in collected(dispatcher, 50)) == list(range(50))
    assert dispatcher.load == 0


def test_no_more_than_the_cap_are_under_way_and_it_is_used(make):
    judge = SlowJudge()
    dispatcher = make(judge, 7)
    dispatcher.send(calls(40))
    collected(dispatcher, 40)
    assert judge.peak == 7


def test_a_call_leaves_no_earlier_than_its_time(make):
    dispatcher = make(SlowJudge(0.0), 8)
    start = time.monotonic()
    dispatcher.send(calls(1, not_before=start + 0.2))
    collected(dispatcher, 1)
    assert time.monotonic() - start >= 0.2


def test_what_is_cut_off_comes_back_as_perhaps_carried_out_and_the_next_may_go(make):
    judge = SlowJudge(60.0)
    dispatcher = make(judge, 3)
    dispatcher.send(calls(4))
    wait_for(lambda: judge.asked == 3)
    dispatcher.cut_off()
    outcomes = collected(dispatcher, 3)
    assert [type(outcome.result) for outcome in outcomes] == [JudgeUnavailableError] * 3
    assert all(outcome.result.is_unknown for outcome in outcomes)
    wait_for(lambda: judge.asked == 4)
    assert dispatcher.load == 1


@pytest.mark.slow
def test_a_hold_keeps_everything_back_and_is_never_shortened(make):
    judge = SlowJudge(0.0)
    dispatcher = make(judge, 8)
    start = time.monotonic()
    dispatcher.hold(0.3)
    dispatcher.hold(0.1)
    dispatcher.send(calls(3))
    collected(dispatcher, 3)
    assert time.monotonic() - start >= 0.3


class InterruptedLoop(SimulatedLoop):
    """Whoever asks it for the time, meanwhile something else happens, for as long as it can."""

    meanwhile: threading.Thread | None = None

    def time(self) -> float:
        if self.meanwhile is not None and self.meanwhile.ident is None:
            self.meanwhile.start()
            self.meanwhile.join(timeout=0.2)
        return super().time()


def test_of_two_threads_that_hold_at_once_the_longer_hold_stands():
    judge, loop = SlowJudge(0.0), InterruptedLoop()
    dispatcher = Dispatcher(judge, cap=8, loop=loop)
    loop.meanwhile = threading.Thread(target=dispatcher.hold, args=(100.0,))
    dispatcher.hold(1.0)
    loop.meanwhile.join()
    dispatcher.send(calls(1))
    collected(dispatcher, 1)
    assert loop.seconds >= 100.0
    dispatcher.close(judge=True)


@pytest.mark.slow
def test_an_overloaded_endpoint_gets_fewer_at_once_and_more_again_later(make):
    judge = SlowJudge(0.01, overloaded)
    dispatcher = make(judge, 20)
    dispatcher.send(calls(20))
    collected(dispatcher, 20)
    assert 1 <= dispatcher.limit <= 20 * BACK_OFF
    cut = dispatcher.limit
    judge.answer = lambda: Reply("right")
    dispatcher.send(calls(100))
    collected(dispatcher, 100)
    assert cut < dispatcher.limit <= 20


class Queue(SlowJudge):
    """Works at one request after the other, `seconds` each."""

    def __init__(self, seconds: float):
        super().__init__(seconds)
        self.line = asyncio.Lock()

    async def ask(self, request: JudgeRequest) -> Reply:
        async with self.line:
            return await super().ask(request)


def test_no_more_leave_at_once_where_they_only_wait_for_each_other():
    """Growth shows one reply's time later: 20 would be under way before the tenth is late."""
    dispatcher = Dispatcher(Queue(0.02), cap=64, start=2, timeout=0.2, loop=SimulatedLoop())
    try:
        dispatcher.send(calls(60))
        assert len(collected(dispatcher, 60)) == 60
        assert 2 < dispatcher.limit < 10
    finally:
        dispatcher.close(judge=True)


def test_a_judge_that_takes_its_time_is_asked_more_at_once():
    judge = SlowJudge(0.1)
    dispatcher = Dispatcher(judge, cap=64, start=2, timeout=0.2, loop=SimulatedLoop())
    try:
        dispatcher.send(calls(60))
        assert len(collected(dispatcher, 60)) == 60
        assert dispatcher.limit > 30
    finally:
        dispatcher.close(judge=True)


def test_ordinary_failures_change_nothing_about_how_many(make):
    def failing() -> Reply:
        raise JudgeUnavailableError("HTTP 500")

    dispatcher = make(SlowJudge(0.0, failing), 5)
    dispatcher.send(calls(20))
    collected(dispatcher, 20)
    assert dispatcher.limit == 5


def test_after_a_halt_nothing_more_leaves(make):
    judge = SlowJudge(0.01, halted)
    dispatcher = make(judge, 2)
    dispatcher.send(calls(10))
    collected(dispatcher, 2)
    time.sleep(0.05)
    assert judge.asked == 2
    assert len(dispatcher.recall()) == 8


def test_what_has_not_left_can_be_called_back(make):
    judge = SlowJudge(60.0)
    dispatcher = make(judge, 2)
    dispatcher.send(calls(6))
    wait_for(lambda: judge.asked == 2)
    assert dispatcher.recall() == [2, 3, 4, 5]
    dispatcher.cut_off()
    assert len(collected(dispatcher, 2)) == 2


def test_a_defect_of_a_judge_is_handed_over_and_not_swallowed(make):
    dispatcher = make(SlowJudge(0.0, defective), 2)
    dispatcher.send(calls(1))
    (outcome,) = collected(dispatcher, 1)
    assert isinstance(outcome.result, ZeroDivisionError)


def test_a_smaller_cap_holds_at_once(make):
    judge = SlowJudge()
    dispatcher = make(judge, 10)
    dispatcher.set_cap(3)
    dispatcher.send(calls(20))
    collected(dispatcher, 20)
    assert judge.peak == 3


def test_without_a_seat_nothing_leaves_until_there_is_one(make):
    judge = SlowJudge()
    dispatcher = make(judge, 0)
    dispatcher.send(calls(4))
    time.sleep(0.05)
    assert judge.asked == 0
    dispatcher.set_cap(2)
    assert len(collected(dispatcher, 4)) == 4


def test_closing_ends_the_thread_and_the_judge():
    judge = SlowJudge(30.0)
    dispatcher = Dispatcher(judge, cap=2)
    dispatcher.send(calls(2))
    wait_for(lambda: judge.asked == 2)
    dispatcher.close(judge=True)
    assert judge.is_closed
    assert "dispatcher" not in [thread.name for thread in threading.enumerate()]


def late() -> Reply:
    raise JudgeUnavailableError("no answer", is_unknown=True, is_timeout=True)


def test_an_endpoint_of_which_nothing_is_known_is_asked_a_little_and_then_more(make):
    judge = SlowJudge(0.01)
    dispatcher = make(judge, 64)
    dispatcher.ceiling = 4.0
    dispatcher.send(calls(4))
    collected(dispatcher, 4)
    assert (judge.peak, dispatcher.limit) == (4, 8)
    dispatcher.send(calls(200))
    collected(dispatcher, 200)
    assert judge.peak == 64


def test_replies_that_are_worth_nothing_let_no_more_leave(make):
    judge = SlowJudge(0.01)
    dispatcher = make(judge, 64)
    dispatcher.ceiling, dispatcher.may_grow = 4.0, False
    dispatcher.send(calls(50))
    collected(dispatcher, 50)
    assert judge.peak == 4


def test_an_endpoint_that_is_silent_is_soon_asked_one_at_a_time(make):
    dispatcher = make(SlowJudge(0.01, late), 64)
    limits = []
    for asked in (64, 16, 4):
        dispatcher.send(calls(asked))
        collected(dispatcher, asked)
        limits.append(dispatcher.limit)
    assert limits == [16, 4, 1]


def test_one_call_that_hangs_changes_nothing_and_many_halve_what_leaves(make):
    judge = SlowJudge(0.01)
    dispatcher = make(judge, 40)
    dispatcher.send(calls(40))
    collected(dispatcher, 40)
    judge.answer = late
    dispatcher.send(calls(1))
    collected(dispatcher, 1)
    assert dispatcher.limit == 40
    dispatcher.send(calls(10))
    collected(dispatcher, 10)
    assert dispatcher.limit == 20


def test_an_endpoint_that_was_late_is_not_asked_more_for_a_while(make):
    judge = SlowJudge(0.01, late)
    dispatcher = make(judge, 16)
    dispatcher.send(calls(16))
    collected(dispatcher, 16)
    judge.answer = lambda: Reply("right")
    dispatcher.send(calls(40))
    collected(dispatcher, 40)
    assert dispatcher.limit == 4


class OneThatHangs(SlowJudge):
    """Its first request is never answered; the next ones are, after a second."""

    async def ask(self, request: JudgeRequest) -> Reply:
        if self.asked == 0:
            self.asked += 1
            await asyncio.Event().wait()
        return await super().ask(request)


def test_a_call_is_given_up_once_nothing_was_replied_to_for_long():
    """As long as others are replied to it is waited for; afterwards it counts as late."""
    loop = SimulatedLoop()
    judge = OneThatHangs(1.0)
    dispatcher = Dispatcher(judge, cap=1, slowest=1.0, loop=loop)
    try:
        dispatcher.send(calls(2))
        wait_for(lambda: judge.asked == 1)
        loop.call_soon_threadsafe(
            lambda: [loop.call_later(at, dispatcher._give_up, 30.0) for at in (29.0, 31.0)]
        )
        late_one, answered = sorted(collected(dispatcher, 2), key=lambda o: o.key)
    finally:
        dispatcher.close(judge=True)
    assert isinstance(late_one.result, JudgeUnavailableError)
    assert (late_one.result.is_timeout, late_one.result.is_unknown) == (True, True)
    assert late_one.latency_ms == 31_000
    assert isinstance(answered.result, Reply)


def test_a_call_is_waited_for_as_long_as_others_are_replied_to():
    loop = SimulatedLoop()
    dispatcher = Dispatcher(OneThatHangs(1.0), cap=2, slowest=1.0, loop=loop)
    try:
        dispatcher.send(calls(41))
        loop.call_soon_threadsafe(lambda: loop.call_later(40.0, dispatcher._give_up, 30.0))
        found = collected(dispatcher, 40)
    finally:
        dispatcher.close(judge=True)
    assert 0 not in {outcome.key for outcome in found}
    assert dispatcher.load == 1
