"""Requests for nobody's submission: canaries, references, and trials of a judge.

Their calls stand in the ledger before they leave, and are charged to the site alone.
"""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from django.db import transaction

from judging.coordination import limits, money, queue
from judging.coordination.clock import database_now
from judging.engine.dispatcher import Call, Dispatcher
from judging.engine.faults import tell_others
from judging.engine.gates import SEAT_SECONDS
from judging.engine.outcomes import NAMED, closing_of
from judging.engine.stopping import STOPPING
from judging.judges.base import Judge, JudgeRequest, Reply
from judging.models import JudgeCall, JudgeSpec

HEARTBEAT_SECONDS = 0.5  # as an engine's: how long a hold or a halt may go unnoticed
TICK_SECONDS = 0.01  # few calls: nothing is gained by looking around less often


class NotPaidError(Exception):
    """The budget of the site has no room; the message says so."""


@dataclass(slots=True)
class SiteCall:
    """A request on its way, with its row of the ledger. `start`, monotonic, and `tokens` are what
    was reserved of the endpoint's rates. result: None where it never left."""

    row: JudgeCall
    request: JudgeRequest
    start: float = 0.0
    tokens: int = 0
    result: Reply | Exception | None = None


def open_calls(calls: Sequence[SiteCall], spec: JudgeSpec) -> None:
    """Every call has its ledger row, at its worst-case cost. Raises NotPaidError."""
    costs = [money.worst_case(spec, money.token_estimate(call.request.messages)) for call in calls]
    with transaction.atomic():
        started = database_now()
        reserved = money.reserve_for_site(costs, started=started)
        if reserved.count < len(calls):
            raise NotPaidError(reserved.reason)
        for call, cost in zip(calls, costs, strict=True):
            call.row.started, call.row.cost = started, cost
        queue.opened(call.row for call in calls)


def ask(
    calls: Sequence[SiteCall],
    judge: Judge,
    *,
    at_once: int,
    closes_judge: bool,
    endpoint: str = "",
    seconds: float = math.inf,
) -> None:
    """Every call has its result; what has not left after `seconds`, once the judge is halted or
    this process stops, never does. Raises the first defect.

    With `endpoint` no more are under way than that allows, nothing leaves while it is held or
    halted, its rates learn what was used, and failures are told to all workers.
    """
    dispatcher, holder = Dispatcher(judge, cap=0 if endpoint else at_once), uuid4()
    end, next_heartbeat = time.monotonic() + seconds, 0.0
    try:
        dispatcher.send([Call(key, call.request, call.start) for key, call in enumerate(calls)])
        while dispatcher.load:
            if endpoint and time.monotonic() >= next_heartbeat:
                steer(dispatcher, endpoint, holder, at_once)
                next_heartbeat = time.monotonic() + HEARTBEAT_SECONDS
            if dispatcher.is_halted or STOPPING.is_set() or time.monotonic() > end:
                dispatcher.recall()
            for outcome in dispatcher.take():
                calls[outcome.key].result = outcome.result
                if endpoint:
                    tell_others(outcome.result, endpoint)
            time.sleep(TICK_SECONDS)
    finally:
        dispatcher.close(judge=closes_judge)
        limits.release_seat(holder=holder)
    for call in calls:
        if isinstance(call.result, Exception) and not isinstance(call.result, NAMED):
            raise call.result
    limits.charge_each(endpoint, list(token_differences(calls)))


def steer(dispatcher: Dispatcher, alias: str, holder: UUID, wanted: int) -> None:
    """Not more at once than the endpoint allows, and nothing more while it is held or once it is
    halted."""
    busy = max(0, dispatcher.load - dispatcher.waiting)
    dispatcher.set_cap(
        limits.take_seat(alias, holder=holder, wanted=wanted, seconds=SEAT_SECONDS, busy=busy)
    )
    status = limits.endpoint_status(alias)
    dispatcher.hold(status.held_seconds)
    if status.halt_reason:
        dispatcher.recall()


def token_differences(calls: Sequence[SiteCall]) -> Iterator[tuple[int, float]]:
    """Tokens used beyond those that were reserved, and how many seconds ago the call started."""
    for call in calls:
        reply = call.result
        if isinstance(reply, Reply) and reply.tokens is not None:
            yield reply.tokens - call.tokens, time.monotonic() - call.start


@transaction.atomic
def close_calls(calls: Sequence[SiteCall], spec: JudgeSpec) -> None:
    """The ledger says what came of the calls and what each cost, and so does the site's spend."""
    closings = [closing_of(call.row, call.result, spec) for call in calls]
    queue.close_calls(closings)
    reserved = sum(call.row.cost for call in calls)
    for call, closing in zip(calls, closings, strict=True):
        call.row.cost = closing.cost or 0
    money.correct_for_site(sum(call.row.cost for call in calls) - reserved, calls[0].row.started)
