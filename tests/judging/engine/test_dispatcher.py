"""Requests under way: how many, when they leave, and what an overloaded endpoint does to their
number. The time is simulated."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from benchmarks.protocols.base import JudgeCase, QuestionView, Slot
from judging.engine.dispatcher import BACK_OFF, Call, Dispatcher, Outcome
from judging.judges.base import JudgeHaltedError, JudgeRequest, JudgeUnavailableError, Reply
from tests.judging.engine.simulated import SimulatedLoop

QUESTION = QuestionView("1", "words", "words/short", "", "1", "Spell two.", {}, {})
REQUEST = JudgeRequest(JudgeCase(Slot("spelled"), QUESTION, "two", "", "two"))
PATIENCE_SECONDS = 60.0  # nothing here takes one; a machine with much else to do may
RIGHT = Reply("right")
LATE = JudgeUnavailableError("no answer", is_unknown=True, is_timeout=True)


class SlowJudge:
    """Takes a moment for each request and remembers how many it had at once."""

    makes_requests = True

    def __init__(self, seconds: float = 0.02, answer: Reply | Exception = RIGHT):
        self.seconds, self.answer = seconds, answer
        self.now = self.peak = self.asked = 0
        self.is_closed = False

    async def ask(self, request: JudgeRequest) -> Reply:
        self.now += 1
        self.asked += 1
        self.peak = max(self.peak, self.now)
        await asyncio.sleep(self.seconds)
        self.now -= 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def close(self) -> None:
        self.is_closed = True


class HangingJudge(SlowJudge):
    """So many of its first requests are never answered."""

    def __init__(self, hanging: int = 999):
        super().__init__(1.0)
        self.hanging = hanging

    async def ask(self, request: JudgeRequest) -> Reply:
        if self.asked < self.hanging:
            self.asked += 1
            await asyncio.Event().wait()
        return await super().ask(request)


class Queue(SlowJudge):
    """Works at one request after the other, `seconds` each."""

    def __init__(self, seconds: float):
        super().__init__(seconds)
        self.line = asyncio.Lock()

    async def ask(self, request: JudgeRequest) -> Reply:
        async with self.line:
            return await super().ask(request)


class InterruptedLoop(SimulatedLoop):
    """Whoever asks it for the time, meanwhile something else happens, for as long as it can."""

    meanwhile: threading.Thread | None = None

    def time(self) -> float:
        if self.meanwhile is not None and self.meanwhile.ident is None:
            self.meanwhile.start()
            self.meanwhile.join(timeout=0.2)
        return super().time()


@pytest.fixture
def loop() -> SimulatedLoop:
    return InterruptedLoop()


@pytest.fixture
def make(loop) -> Iterator[Callable[..., Dispatcher]]:
    made: list[Dispatcher] = []

    def start(judge: SlowJudge, cap: int, **more) -> Dispatcher:
        made.append(Dispatcher(judge, cap=cap, loop=loop, **more))
        return made[-1]

    yield start
    for dispatcher in made:
        dispatcher.close(judge=True)


def send(dispatcher: Dispatcher, number: int, not_before: float = 0.0) -> None:
    dispatcher.send([Call(key, REQUEST, not_before) for key in range(number)])


def collected(dispatcher: Dispatcher, number: int) -> list[Outcome]:
    found: list[Outcome] = []

    def have_come() -> bool:
        found.extend(dispatcher.take())
        return len(found) >= number

    wait_for(have_come)
    return found


def asked(dispatcher: Dispatcher, number: int, not_before: float = 0.0) -> list[Outcome]:
    send(dispatcher, number, not_before)
    return collected(dispatcher, number)


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.002)


# --- what leaves, and comes back ------------------------------------------------------------------


def test_every_call_comes_back_once_and_no_more_are_under_way_than_the_cap_and_the_seat(make):
    judge = SlowJudge()
    dispatcher = make(judge, 0)
    send(dispatcher, 50)
    time.sleep(0.02)
    assert judge.asked == 0
    dispatcher.set_cap(7)
    assert sorted(outcome.key for outcome in collected(dispatcher, 50)) == list(range(50))
    assert (judge.peak, dispatcher.load) == (7, 0)
    dispatcher.set_cap(3)
    judge.peak = 0
    asked(dispatcher, 20)
    assert judge.peak == 3


def test_a_call_leaves_no_earlier_than_its_time_and_than_the_longest_hold(make, loop):
    dispatcher = make(SlowJudge(0.0), 8)
    asked(dispatcher, 1, not_before=20.0)
    assert 20.0 <= loop.seconds < 30.0
    dispatcher.hold(30.0)
    dispatcher.hold(10.0)
    asked(dispatcher, 3)
    assert 50.0 <= loop.seconds < 60.0


def test_of_two_threads_that_hold_at_once_the_longer_hold_stands(make, loop):
    dispatcher = make(SlowJudge(0.0), 8)
    loop.meanwhile = threading.Thread(target=dispatcher.hold, args=(100.0,))
    dispatcher.hold(1.0)
    loop.meanwhile.join()
    asked(dispatcher, 1)
    assert loop.seconds >= 100.0


def test_what_has_not_left_is_called_back_and_what_is_cut_off_may_have_been_carried_out(make):
    judge = HangingJudge()
    dispatcher = make(judge, 3)
    send(dispatcher, 6)
    wait_for(lambda: judge.asked == 3)
    assert dispatcher.recall() == [3, 4, 5]
    send(dispatcher, 1)
    dispatcher.cut_off()
    outcomes = collected(dispatcher, 3)
    assert all(isinstance(outcome.result, JudgeUnavailableError) for outcome in outcomes)
    assert all(outcome.result.is_unknown for outcome in outcomes)
    wait_for(lambda: judge.asked == 4)
    assert dispatcher.load == 1


def test_after_a_halt_nothing_more_leaves(make):
    judge = SlowJudge(0.01, JudgeHaltedError("HTTP 401"))
    dispatcher = make(judge, 2)
    send(dispatcher, 10)
    collected(dispatcher, 2)
    time.sleep(0.02)
    assert (judge.asked, len(dispatcher.recall())) == (2, 8)


def test_a_defect_of_a_judge_is_handed_over_and_not_swallowed(make):
    (outcome,) = asked(make(SlowJudge(0.0, ZeroDivisionError()), 2), 1)
    assert isinstance(outcome.result, ZeroDivisionError)


def test_closing_ends_the_thread_and_the_judge():
    judge = HangingJudge()
    dispatcher = Dispatcher(judge, cap=2)
    send(dispatcher, 2)
    wait_for(lambda: judge.asked == 2)
    dispatcher.close(judge=True)
    assert judge.is_closed
    assert "dispatcher" not in [thread.name for thread in threading.enumerate()]


def test_a_call_is_given_up_once_nothing_was_replied_to_for_long(make, loop):
    """As long as others are replied to it is waited for; afterwards it counts as late."""
    judge = HangingJudge(1)
    dispatcher = make(judge, 1, slowest=1.0)
    send(dispatcher, 2)
    wait_for(lambda: judge.asked == 1)
    loop.call_soon_threadsafe(
        lambda: [loop.call_later(at, dispatcher._give_up, 30.0) for at in (29.0, 31.0)]
    )
    late_one, answered = sorted(collected(dispatcher, 2), key=lambda outcome: outcome.key)
    assert isinstance(late_one.result, JudgeUnavailableError)
    assert (late_one.result.is_timeout, late_one.result.is_unknown) == (True, True)
    assert (late_one.latency_ms, answered.result) == (31_000, RIGHT)


def test_a_call_is_waited_for_as_long_as_others_are_replied_to(make, loop):
    dispatcher = make(HangingJudge(1), 2, slowest=1.0)

    def begin() -> None:  # both at one time of the loop, which goes on while this thread rests
        send(dispatcher, 41)
        loop.call_later(40.0, dispatcher._give_up, 30.0)

    loop.call_soon_threadsafe(begin)
    found = collected(dispatcher, 40)
    assert 0 not in {outcome.key for outcome in found}
    assert dispatcher.load == 1


# --- how many at once -----------------------------------------------------------------------------


def test_an_overloaded_endpoint_gets_fewer_at_once_and_more_again_later(make):
    judge = SlowJudge(0.01, JudgeUnavailableError("HTTP 500"))
    dispatcher = make(judge, 20)
    asked(dispatcher, 20)
    assert dispatcher.limit == 20  # a failure says nothing of how many
    judge.answer = JudgeUnavailableError("HTTP 429", is_limit=True)
    asked(dispatcher, 20)
    assert 1 <= (cut := dispatcher.limit) <= 20 * BACK_OFF
    judge.answer = RIGHT
    asked(dispatcher, 100)
    assert cut < dispatcher.limit <= 20


def test_no_more_leave_at_once_where_they_only_wait_for_each_other(make):
    """Growth shows one reply's time later: 20 would be under way before the tenth is late."""
    dispatcher = make(Queue(0.02), 64, start=2, timeout=0.2)
    assert len(asked(dispatcher, 60)) == 60
    assert 2 < dispatcher.limit < 10


def test_a_judge_that_takes_its_time_is_asked_more_at_once(make):
    dispatcher = make(SlowJudge(0.1), 64, start=2, timeout=0.2)
    assert len(asked(dispatcher, 60)) == 60
    assert dispatcher.limit > 30


def test_an_endpoint_of_which_nothing_is_known_is_asked_a_little_and_then_more(make):
    judge = SlowJudge(0.01)
    dispatcher = make(judge, 64, start=4)
    dispatcher.may_grow = False  # what it replies is worth nothing
    asked(dispatcher, 50)
    assert (judge.peak, dispatcher.limit) == (4, 4)
    dispatcher.may_grow = True
    asked(dispatcher, 4)
    assert dispatcher.limit == 8
    asked(dispatcher, 200)
    assert judge.peak == 64


def test_an_endpoint_that_is_silent_is_soon_asked_one_at_a_time_and_not_more_for_a_while(make):
    judge = SlowJudge(0.01, LATE)
    dispatcher = make(judge, 64)
    limits = []
    for number in (64, 16, 4):
        asked(dispatcher, number)
        limits.append(dispatcher.limit)
    assert limits == [16, 4, 1]
    judge.answer = RIGHT
    asked(dispatcher, 40)
    assert dispatcher.limit == 1


def test_one_call_that_hangs_changes_nothing_and_many_halve_what_leaves(make):
    judge = SlowJudge(0.01)
    dispatcher = make(judge, 40)
    asked(dispatcher, 40)
    judge.answer, limits = LATE, []
    for number in (1, 10):
        asked(dispatcher, number)
        limits.append(dispatcher.limit)
    assert limits == [40, 20]
