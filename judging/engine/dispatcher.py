"""Requests under way: an event loop in a thread of its own, so that whoever feeds it may block on a
database.

How many are under way at once follows the endpoint, and is never more than the cap. It doubles from
a few with every round of replies up to where it was cut last, and grows a little per round from
there, as long as replies do not take long because there are so many. A third is cut when the
endpoint says that it is overloaded, half of it when a share of the calls times out, and most of it
when all of them do.
"""

import asyncio
import math
import sys
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from judging.judges.base import (
    Judge,
    JudgeHaltedError,
    JudgeRefusedError,
    JudgeRequest,
    JudgeUnavailableError,
    Reply,
)

# What is left of the calls at once after a refusal, after late replies, and at an endpoint that is
# silent. A refusal comes at once and costs nothing: cubic congestion control keeps 0.7 (RFC 9438).
# Every call of a silent endpoint may be paid for: 64, 16, 4, 1.
BACK_OFF = 0.7
BACK_OFF_OF_LATE = 0.5
BACK_OFF_OF_SILENT = 0.25
SILENT_SECONDS = 0.1  # until the next call may leave: whoever takes outcomes may want to hold it
LATE_SHARE = 0.1  # of the calls since the last cut; fewer hang by chance, more wait for each other
FEWEST_LATE = 2  # one call hangs by chance
REMEMBERED = 200  # calls; or an endpoint that was quick for hours could be slow for as long unseen
# Of the timeout, and of the quickest reply: growth shows in a reply's time only a reply later.
LONG_SHARE, LONG_FACTOR = 1 / 3, 1.5
PROBE = 2.0  # more calls at once per round of replies, above where it was cut last
CALM_SECONDS = 30.0  # without growth after timeouts: what was given up on is still being worked at
STOP_SECONDS = 5.0  # for the loop to end: its calls are cut off, so that it has nothing to wait for
SWITCH_SECONDS = (
    0.0005  # the loop must not wait 5 ms for its turn whenever the other thread computes
)


@dataclass(frozen=True, slots=True)
class Call:
    """A request that may leave at the monotonic time `not_before`; `key` says whose it is."""

    key: int
    request: JudgeRequest
    not_before: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """A reply, a named failure, or the exception of a defect."""

    key: int
    result: Reply | Exception
    latency_ms: int


class Dispatcher:
    """Calls go in by `send`, outcomes come out by `take`. `load` counts calls handed in and not yet
    come back.

    may_grow: whether replies let more leave at once; whoever reads them may know that they are
    worth nothing. allowed: so many under way at most, while nobody knows what replies are worth.
    """

    def __init__(
        self,
        judge: Judge,
        *,
        cap: int,
        start: int | None = None,
        timeout: float = math.inf,
        slowest: float = 0.0,
        loop: asyncio.AbstractEventLoop | None = None,
    ):
        """`start`: how many calls may be under way before any has come back; None: as many as the
        cap.

        timeout: seconds after which a call is given up. slowest: that a reply took, in seconds, as
        far as is known; 0 where nothing is. loop: runs in the thread and tells the time
        of everything here; None: asyncio's, on the monotonic clock.
        """
        self.judge = judge
        self.cap = cap
        self.timeout = timeout
        self.ceiling = math.inf if start is None else max(1.0, float(start))
        self.load = 0
        self.is_halted = False
        self.may_grow = True
        self.allowed = math.inf
        self._waiting: deque[Call] = deque()
        self._outcomes: deque[Outcome] = deque()
        self._flying = 0
        self._held_until = 0.0
        self._holding = threading.Lock()
        self._cut_at = self._late_at = -math.inf
        self._answered_of = 0  # the most under way of which one was replied to
        self._half_of_cut = 0.0
        self._brisk_below = math.inf
        self._in_time = self._late = 0
        self._quickest = math.inf  # seconds
        self.slowest = slowest
        self._replied = -math.inf
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: dict[asyncio.Task[None], float] = {}  # and when each left
        self._given_up: set[asyncio.Task[None] | None] = set()
        self._switch_seconds = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_SECONDS)
        self._loop = loop or asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="dispatcher", daemon=True
        )
        self._thread.start()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @property
    def flying(self) -> int:
        """Calls that have left and are not taken back."""
        return self.load - len(self._waiting)

    @property
    def limit(self) -> int:
        return max(0, int(min(self.cap, self.ceiling, self.allowed)))

    @property
    def bears(self) -> int:
        """With how many calls at once the next may begin: the most of which one was replied to, or
        half of what was allowed when it was cut last."""
        return int(max(1.0, self._half_of_cut)) if self.was_cut else self._answered_of

    @property
    def was_cut(self) -> bool:
        return self._cut_at > -math.inf

    def send(self, calls: Sequence[Call]) -> None:
        self.load += len(calls)
        self._loop.call_soon_threadsafe(self._add, calls)

    def take(self) -> list[Outcome]:
        """The outcomes that have arrived since the last call."""
        taken = [self._outcomes.popleft() for _ in range(len(self._outcomes))]
        self.load -= len(taken)
        return taken

    def set_cap(self, cap: int) -> None:
        if cap != self.cap:
            self.cap = cap
            self._loop.call_soon_threadsafe(self._start_more)

    def allow(self, under_way: float) -> None:
        if under_way != self.allowed:
            self.allowed = under_way
            self._loop.call_soon_threadsafe(self._start_more)

    def hold(self, seconds: float) -> None:
        """Nothing leaves for so long; a shorter hold does not shorten a longer one, whichever of
        both threads asks for it."""
        if seconds <= 0:
            return
        with self._holding:
            self._held_until = max(self._held_until, self._loop.time() + seconds)

    def recall(self) -> list[int]:
        """Withdraw the calls that have not been sent, and return their keys."""
        found: list[int] = []
        done = threading.Event()

        def empty() -> None:
            found.extend(call.key for call in self._waiting)
            self._waiting.clear()
            done.set()

        self._loop.call_soon_threadsafe(empty)
        done.wait()
        self.load -= len(found)
        return found

    def cut_off(self) -> None:
        """Stop waiting for calls under way: they end as unavailable, and may have been carried
        out."""
        self._loop.call_soon_threadsafe(self._cancel)

    def give_up(self, seconds: float) -> None:
        """Calls that wait for so long, while no other was replied to, come back as if their time
        were up."""
        self._loop.call_soon_threadsafe(self._give_up, seconds)

    def close(self, *, judge: bool) -> None:
        """End the thread. Calls still under way are cut off: their outcome is unknown."""
        ending = asyncio.run_coroutine_threadsafe(self._end(judge), self._loop)
        ending.result(timeout=STOP_SECONDS)
        sys.setswitchinterval(self._switch_seconds)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=STOP_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()

    # --- in the loop ------------------------------------------------------------------------------

    def _add(self, calls: Sequence[Call]) -> None:
        self._waiting.extend(calls)
        self._start_more()

    def _start_more(self) -> None:
        while self._waiting and self._flying < self.limit and not self.is_halted:
            due = max(self._waiting[0].not_before, self._held_until)
            if due > self._loop.time():
                self._wake_at(due)
                return
            call = self._waiting.popleft()
            self._flying += 1
            task = self._loop.create_task(self._ask(call))
            self._tasks[task] = self._loop.time()
            task.add_done_callback(self._forget)

    def _wake_at(self, due: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(due, self._start_more)

    def _forget(self, task: asyncio.Task[None]) -> None:
        del self._tasks[task]
        self._given_up.discard(task)

    async def _ask(self, call: Call) -> None:
        start = self._loop.time()
        result: Reply | Exception
        try:
            result = await self.judge.ask(call.request)
        except asyncio.CancelledError:
            is_timeout = asyncio.current_task() in self._given_up
            reason = "no answer from the endpoint" if is_timeout else "not waited for any longer"
            result = JudgeUnavailableError(reason, is_unknown=True, is_timeout=is_timeout)
        except Exception as error:
            result = error
        self._flying -= 1
        self._adapt(result, self._loop.time() - start)
        self._outcomes.append(Outcome(call.key, result, round((self._loop.time() - start) * 1000)))
        self._start_more()

    def _adapt(self, result: Reply | Exception, seconds: float) -> None:
        if isinstance(result, JudgeHaltedError):
            self.is_halted = True
        elif isinstance(result, JudgeUnavailableError) and result.is_overload:
            self.hold(result.hold_seconds)
            self._cut(BACK_OFF, seconds)
        elif isinstance(result, JudgeUnavailableError) and result.is_timeout:
            self._remember(late=1)
            if not self._in_time:
                self.hold(SILENT_SECONDS)
                self._late_at = self._loop.time()
                self._cut(BACK_OFF_OF_SILENT, seconds)
            elif self._late >= max(FEWEST_LATE, LATE_SHARE * (self._late + self._in_time)):
                self._late_at = self._loop.time()
                self._cut(BACK_OFF_OF_LATE, seconds)
        elif isinstance(result, Reply | JudgeRefusedError):
            self._remember(in_time=1)
            self._quickest = min(self._quickest, seconds)
            self.slowest = max(self.slowest, seconds)
            self._replied = self._loop.time()
            self._answered_of = max(self._answered_of, self._flying + 1)
            if not self._waited_in_line(seconds):
                self._grow()

    def _remember(self, *, in_time: int = 0, late: int = 0) -> None:
        self._in_time += in_time
        self._late += late
        if self._in_time + self._late > REMEMBERED:
            self._in_time //= 2
            self._late //= 2

    def _cut(self, share: float, seconds: float) -> None:
        """Once for all calls that were under way together: one that began before the last cut says
        nothing new."""
        if self._loop.time() - self._cut_at <= seconds:
            return
        allowed = min(self.ceiling, float(self.cap))
        self._half_of_cut = allowed / 2
        self.ceiling = self._brisk_below = max(1.0, allowed * share)
        self._cut_at = self._loop.time()
        self._in_time = self._late = 0

    def _waited_in_line(self, seconds: float) -> bool:
        """More calls at once would only wait longer for each other, and be given up in the end,
        though worked at."""
        return seconds > max(LONG_SHARE * self.timeout, LONG_FACTOR * self._quickest)

    def _grow(self) -> None:
        if not self.may_grow or self._loop.time() - self._late_at < CALM_SECONDS:
            return
        more = 1.0 if self.ceiling < self._brisk_below else PROBE / max(1.0, self.ceiling)
        self.ceiling = max(1.0, min(float(self.cap), self.ceiling + more))

    def _give_up(self, seconds: float) -> None:
        now = self._loop.time()
        for task, left in self._tasks.items():
            if now - max(left, self._replied) >= seconds:
                self._given_up.add(task)
                task.cancel()

    def _cancel(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def _end(self, judge: bool) -> None:
        self._cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if judge:
            await self.judge.close()
