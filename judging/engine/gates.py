"""What a request passes before it leaves: the rates and seats of its endpoint, which all workers
share, and the budgets, by a row of the ledger that stands there first."""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction

from judging.coordination import limits, money, queue
from judging.coordination.clock import database_now
from judging.coordination.queue import CallClosing, Settlement
from judging.engine.intake import Item, call_of
from judging.judges.base import Reply
from judging.models import JudgeCall, JudgeRun, JudgeSpec

# Starts that are reserved and not used are lost to all workers, so no more than is sent before the
# process looks around a few times; at 0.1 s the row of an endpoint is locked ten times a second by
# each of them.
RESERVE_SECONDS, RATE_SECONDS = 0.3, 0.1
BUDGET_SECONDS = 0.5  # twice a second it is looked for what came back cheaper than was reserved
REPLY_SHARE = 0.05  # of the estimate is the newest reply: about the last twenty tell the length
SEAT_SECONDS = 10.0  # how long the calls of a killed process are nobody's
RENEWALS_PER_SEAT = 5  # and how soon the others' shares follow a newcomer: two seconds


@dataclass(frozen=True, slots=True)
class Ended:
    """A call that came back, and what its result makes of the judgement and of its ledger row."""

    item: Item
    result: Reply | Exception
    settlement: Settlement
    closing: CallClosing


class RateGate:
    """The endpoint's rates of requests and tokens.

    reply_tokens: how long a reply is likely to be; the longest allowed until replies came.
    """

    def __init__(self, spec: JudgeSpec) -> None:
        self.endpoint = spec.endpoint
        self.is_limited = bool({"requests", "tokens"} & limits.limits_of(spec.endpoint).keys())
        self.reply_tokens = float(money.reply_allowance(spec))
        self.shut_until = 0.0

    def is_shut(self, now: float) -> bool:
        return now < self.shut_until

    def admit(self, items: Sequence[Item], now: float) -> Sequence[Item]:
        """Those of the first ones that the rates let go soon, each with its start."""
        if not self.is_limited:
            return items
        self.shut_until = now + RATE_SECONDS
        for item in items:
            item.tokens = item.prompt_tokens + math.ceil(self.reply_tokens)
        delays = limits.reserve(
            self.endpoint, [item.tokens for item in items], within=RESERVE_SECONDS
        )
        for item, delay in zip(items, delays, strict=False):
            item.start = time.monotonic() + delay
        return items[: len(delays)]

    def charge(self, ended: Iterable[Ended]) -> None:
        """The rate of tokens learns what the calls used, this process what a reply may use."""
        if not self.is_limited:
            return
        used = []
        for call in ended:
            reply = call.result
            if isinstance(reply, Reply) and reply.tokens is not None:
                ago = time.monotonic() - call.item.start
                used.append((reply.tokens - call.item.tokens, ago))
                assert reply.reply_tokens is not None
                self.reply_tokens += REPLY_SHARE * (reply.reply_tokens - self.reply_tokens)
        limits.charge_each(self.endpoint, used)


class SeatGate:
    """This process's share of the calls that the endpoint bears at once; all it wants where nobody
    limits them."""

    def __init__(self, endpoint: str, holder: UUID) -> None:
        self.endpoint, self.holder = endpoint, holder
        self.is_limited = "concurrent" in limits.limits_of(endpoint)
        self.wanted: int = settings.JUDGE_CONCURRENCY
        self.next_renewal = 0.0

    @property
    def first_cap(self) -> int:
        """How many calls at once may be under way before a seat was taken."""
        return 0 if self.is_limited else self.wanted

    def renewed(self, now: float, *, busy: int) -> int | None:
        """The seat is kept, and how many calls at once it allows now; None where that is not due.

        busy: calls under way.
        """
        if not self.is_limited or now < self.next_renewal:
            return None
        self.next_renewal = now + SEAT_SECONDS / RENEWALS_PER_SEAT
        return limits.take_seat(
            self.endpoint, holder=self.holder, wanted=self.wanted, seconds=SEAT_SECONDS, busy=busy
        )

    def release(self) -> None:
        if self.is_limited:
            limits.release_seat(holder=self.holder)


class BudgetGate:
    """The ledger of one run: no request leaves before its row is committed at its worst case, and
    what budgets hold is what the ledger says."""

    def __init__(self, run: JudgeRun) -> None:
        self.run = run
        self.shut_until = 0.0

    def is_shut(self, now: float) -> bool:
        return now < self.shut_until

    def wait(self) -> None:
        """What is under way is reserved at its worst case, and will have cost less."""
        self.shut_until = time.monotonic() + BUDGET_SECONDS

    def admit(
        self, items: Sequence[Item], *, first: Callable[[], int | None] = lambda: None
    ) -> tuple[Sequence[Item], str]:
        """The first items whose calls every budget allows, with their ledger rows, and why the next
        is not allowed; "" where all are.

        first: asked in the transaction, how many of them at most; None where nothing limits them.
        """
        with transaction.atomic():
            items = items[: first()]
            now = database_now()
            reserved = money.reserve(self.run, [item.cost for item in items], started=now)
            chosen = items[: reserved.count]
            calls = queue.open_calls(
                [item.row for item in chosen], [item.cost for item in chosen], started=now
            )
        for item, call in zip(chosen, calls, strict=True):
            item.call = call
        return chosen, reserved.reason

    def store(self, ended: Sequence[Ended]) -> None:
        """Verdicts, ledger rows and costs are stored in one transaction.

        Calls that are closed already move no money again: after a lost connection nobody knows
        whether a commit had its way.
        """
        with transaction.atomic():
            now_open = queue.still_open(call_of(call.item) for call in ended)
            queue.close_calls([call.closing for call in ended if call.closing.pk in now_open])
            queue.settle([call.settlement for call in ended])
            self.correct(
                (call_of(call.item).started, (call.closing.cost or 0) - call.item.cost)
                for call in ended
                if call.closing.pk in now_open
            )

    def cancel(self, items: Iterable[Item]) -> list[Item]:
        """The ledger says of the calls that they never left; those of which it did not say so yet.
        Their money is still reserved."""
        sent = [item for item in items if item.call is not None]
        now_open = queue.still_open(call_of(item) for item in sent)
        queue.close_calls([CallClosing(key, JudgeCall.Outcome.UNSENT, cost=0) for key in now_open])
        return [item for item in sent if call_of(item).pk in now_open]

    def refund(self, items: Iterable[Item]) -> None:
        self.correct((call_of(item).started, -item.cost) for item in items)

    def correct(self, differences: Iterable[tuple[datetime, int]]) -> None:
        """Spent is what the ledger says: by the day each call started, earlier days first as every
        lock is taken. A difference is in micro."""
        by_day: dict[datetime, int] = {}
        for started, difference in differences:
            day = started.replace(hour=0, minute=0, second=0, microsecond=0)
            by_day[day] = by_day.get(day, 0) + difference
        for day, difference in sorted(by_day.items()):
            money.correct(self.run, difference, day)
