"""Judging what waits: claimed ahead, asked as fast as the endpoint allows, settled in bulk.

`judge_run` does all database work in the calling thread and hands the requests to a `Dispatcher`.
A ledger row is committed before its request may leave; verdict, closed ledger row and cost are
committed together. Several processes may judge one run: they share nothing but rows.

What an engine is made of stands beside it: `leases` (what it holds), `intake` (what is claimed),
`gates` (what a request passes before it leaves), `dispatcher` (requests under way), `outcomes`
(what comes of a reply), `faults` (what failures say of endpoint and judge).
"""

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from datetime import timedelta

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import Max

from benchmarks.common.file_storage import is_no_space
from benchmarks.registry import protocol
from judging.coordination import limits, money
from judging.coordination.queue import Settlement
from judging.coordination.spending import reason_to_wait
from judging.engine.dispatcher import Call, Dispatcher, Outcome
from judging.engine.faults import Health, halt_if_everywhere, tell_others
from judging.engine.gates import BudgetGate, Ended, RateGate, SeatGate
from judging.engine.intake import Intake, Item, call_of
from judging.engine.leases import Leases, work_of
from judging.engine.offline import judge_offline
from judging.engine.outcomes import NAMED, closing_of, settlement_of, with_reading
from judging.engine.stopping import STOPPING, Grace
from judging.judge_names import PREFIX
from judging.judges import judge_for
from judging.judges.base import Judge, JudgeHaltedError, JudgeUnavailableError, Reply
from judging.models import Judgement, JudgeRun, JudgeSpec
from judging.selectors import reported_model_of, why_never_asked
from judging.services.runs import pause_run

State = Judgement.State
Pause = JudgeRun.Pause

CLAIM_ROWS = 64  # the queries of a claim are shared by so many; given back where the process stops
# Stored in bulk, for a transaction per reply costs more than the reply; a verdict that is lost with
# its process is paid for twice, so none waits longer than this.
FLUSH_ROWS, FLUSH_SECONDS = 100, 0.5
HEARTBEAT_SECONDS = 0.5  # how long a pause, a hold or a withdrawal may go unnoticed
# Thirty looks a second at a slow endpoint, a hundred at a fast one: every look takes the
# interpreter from the thread that sends, and what stands ready lasts until the next.
TICK_SECONDS = (0.01, 0.03)
TICK_REPLIES = 4  # come between two looks, within these bounds
POLL_SECONDS = 0.5  # between two tries to reach a database that is away
PATIENCE_SECONDS = 60.0  # with one: two leases; one that restarts or fails over is back by then
# With one that has no space: nobody else can claim what this process holds, so its replies are kept
# until somebody made room. A task of a broker's worker is ended sooner, after 270 s.
NO_SPACE_SECONDS = 1800.0
IDLE_SECONDS = 0.1  # between two looks at what others hold, where the caller waits for the end
AHEAD_SECONDS = 0.2  # of replies stand ready, which a kill leaves as unknown and paid
# An endpoint that takes calls and says nothing, whose replies took less than a quarter of this, is
# asked again before the time of its calls is up: it may be back. While it is tried, sooner. Both
# with the wait that follows stay below 45 s, in which judging goes on once the cause is gone.
SILENT_SECONDS, TRIED_SECONDS = 30.0, 10.0
SLOW_FACTOR = 4
FIRST_CALLS = 4  # at once, at an endpoint of which nothing is known: so many are lost if it hangs


def judge_run(
    *,
    run_id: int,
    judge: Judge | None = None,
    seconds: float = 240.0,
    wait: bool = False,
    on_progress: Callable[[int], object] = lambda judged: None,
) -> int:
    """Claimable judgements of the run are settled until none is left or the time is up; how many
    were.

    With `wait`, judgements whose next try is not due yet, or that another process holds, are waited
    for.
    """
    run = JudgeRun.objects.select_related(
        "judge_spec__prompt_set", "submission__release__benchmark"
    ).get(pk=run_id)
    try:
        chosen = judge or judge_for(run.judge_spec)
    except JudgeHaltedError as error:
        pause_run(run=run, kind=Pause.JUDGE, reason=str(error))
        return 0
    if reason := why_never_asked(run.judge_spec):
        pause_run(run=run, kind=Pause.JUDGE, reason=reason)
        return 0
    if not chosen.makes_requests:
        return judge_offline(run, chosen, seconds, on_progress)
    if reason := money.lacks_price(run.judge_spec):
        pause_run(run=run, kind=Pause.BUDGET, reason=reason)
        return 0
    if reason_to_wait():
        return 0
    return Engine(run, chosen, closes_judge=judge is None).judge(seconds, wait, on_progress)


class ReplyRate:
    """Replies per second, as they were counted lately; as many as may be under way until then."""

    def __init__(self) -> None:
        self.per_second = float(settings.JUDGE_CONCURRENCY)

    def count(self, replies: int, seconds: float) -> None:
        self.per_second = 0.5 * self.per_second + 0.5 * replies / max(seconds, 0.01)

    def tick(self) -> float:
        """Seconds until it is worth looking around again: a few replies later, for what stands
        ready lasts longer than that."""
        least, most = TICK_SECONDS
        return min(most, max(least, TICK_REPLIES / max(self.per_second, 1.0)))

    def ahead(self, limit: int) -> int:
        """How many calls stand ready where `limit` are under way, so that slots which fall free are
        filled at once, also in waves."""
        return max(4, limit // 2, min(limit, math.ceil(self.per_second * AHEAD_SECONDS)))


class Engine:
    """One process at work on one run.

    sent: items whose calls have not been stored, by judgement. recalled: those that never left, and
    of which the ledger does not say so yet. ended, defects, unhandled: what came back and is not
    stored, and failures that other workers do not know of yet. settled: how many judgements were.
    """

    def __init__(self, run: JudgeRun, judge: Judge, *, closes_judge: bool):
        self.run, self.spec = run, run.judge_spec
        self.judging = protocol(self.spec.protocol).judging
        self.model = reported_model_of(self.spec)
        self.closes_judge = closes_judge
        self.leases = Leases(timedelta(seconds=settings.JUDGE_LEASE_SECONDS))
        self.intake = Intake(run, self.judging, self.leases)
        self.rates = RateGate(self.spec)
        self.budgets = BudgetGate(run)
        self.seat = SeatGate(self.spec.endpoint, self.leases.holder)
        known = limits.known_to_bear(self.spec.endpoint)
        self.health = Health(run, has_verdict=bool(known))
        self.dispatcher = Dispatcher(
            judge,
            cap=self.seat.first_cap,
            start=max(FIRST_CALLS, known),
            timeout=settings.JUDGE_TIMEOUT_SECONDS,
            slowest=slowest_reply(run),
        )
        self.dispatcher.may_grow = self.health.has_verdict
        self.sent: dict[int, Item] = {}
        self.recalled: list[Item] = []
        self.ended: list[Ended] = []
        self.defects: list[Exception] = []
        self.unhandled: deque[Reply | Exception] = deque()
        self.rate = ReplyRate()
        self.grace = Grace()
        self.lost_since = 0.0  # when the database went away, monotonic
        self.is_stopped = False
        self.next_heartbeat = 0.0
        self.flushed = time.monotonic()
        self.settled = 0

    def judge(self, seconds: float, wait: bool, on_progress: Callable[[int], object]) -> int:
        end = time.monotonic() + seconds
        try:
            while True:
                before = self.settled
                try:
                    is_stopping = self.step(end, wait)
                    self.lost_since = 0.0
                except (OperationalError, InterfaceError) as error:
                    if not self.may_wait_for_database(error):
                        raise
                    is_stopping = False
                    connection.close()
                    time.sleep(POLL_SECONDS)
                if self.settled > before:
                    on_progress(self.settled - before)
                if is_stopping:
                    return self.settled
                time.sleep(self.rate.tick())
        finally:
            self.close()

    def step(self, end: float, wait: bool) -> bool:
        """Take what has arrived and hand out what may be sent; returns whether the engine is done.
        The database may interrupt it anywhere."""
        now = time.monotonic()
        if self.grace.has_expired():
            self.dispatcher.cut_off()
        is_stopping = self.is_stopped or now >= end or STOPPING.is_set()
        is_feeding = not (is_stopping or reason_to_wait())
        if not is_feeding and (self.intake.waiting or self.recalled or self.dispatcher.waiting):
            self.release_unasked()
        self.collect(now)
        self.heartbeat(now)
        self.dispatcher.allow(
            self.health.fruitless.allowed(flying=self.dispatcher.flying, holder=self.leases.holder)
        )
        if not is_feeding:
            return not self.sent
        self.feed(now)
        if not self.intake.is_dry or self.sent or self.intake.waiting:
            return False
        if not (wait and self.others_have_work()):
            return True
        time.sleep(min(IDLE_SECONDS, max(0.0, end - now)))
        return False

    def others_have_work(self) -> bool:
        return work_of(self.run).filter(state__in=[State.WAITING, State.LEASED]).exists()

    def may_wait_for_database(self, error: Exception) -> bool:
        """What came back is kept, and stored once the database is there again; not for ever, and
        not inside somebody else's transaction, which is lost."""
        now = time.monotonic()
        self.lost_since = self.lost_since or now
        patience = NO_SPACE_SECONDS if is_no_space(error) else PATIENCE_SECONDS
        return now - self.lost_since <= patience and not connection.in_atomic_block

    # --- in ---------------------------------------------------------------------------------------

    def feed(self, now: float) -> None:
        """Hands over as many calls as fill the slots that fall free, and few more: what is handed
        over stands in the ledger, and is lost as unknown if this process dies."""
        limit = self.dispatcher.limit
        is_free = not (self.rates.is_limited or self.health.fruitless.is_in_doubt)
        ahead = self.rate.ahead(limit) if is_free else 0
        room = limit + ahead - self.dispatcher.load
        if room < max(1, min(ahead, limit) / 2) or limit == 0:
            return
        if self.rates.is_shut(now) or self.budgets.is_shut(now):
            return
        if len(self.intake.waiting) < room and now >= self.intake.next_claim:
            rows = max(room, CLAIM_ROWS)
            self.settled += self.intake.claim(rows, held=self.held())
        items = self.intake.first(room)
        admitted = self.rates.admit(items, now) if items else items
        if admitted and not self.leases.may_have_expired(time.monotonic()):
            self.send(admitted)

    def held(self) -> list[int]:
        """The keys of the rows that this engine believes to have leased."""
        return [*self.sent, *self.intake.keys()]

    def send(self, items: Sequence[Item]) -> None:
        """Hand over calls, with their ledger rows, as far as the budgets reach."""
        chosen, refusal = self.budgets.admit(items, first=self.more_allowed)
        for item in chosen:
            self.sent[item.row.pk] = item
            self.intake.waiting.popleft()
        self.dispatcher.send([Call(item.row.pk, item.request, item.start) for item in chosen])
        if refusal and self.sent:
            self.budgets.wait()
        elif refusal:
            self.pause(Pause.BUDGET, refusal)

    def more_allowed(self) -> int | None:
        return self.health.fruitless.more_allowed(
            under_way=self.dispatcher.load, holder=self.leases.holder
        )

    # --- out --------------------------------------------------------------------------------------

    def collect(self, now: float) -> None:
        """Outcomes are stored once there are many, or they have waited long enough, or nothing else
        is under way."""
        outcomes = self.dispatcher.take()
        self.health.note(outcomes, now)
        ended = [self.end_of(outcome) for outcome in outcomes if isinstance(outcome.result, NAMED)]
        self.ended += ended
        self.defects += [o.result for o in outcomes if not isinstance(o.result, NAMED)]
        self.unhandled += [o.result for o in outcomes if not isinstance(o.result, Reply)]
        self.health.fruitless.note(ended)
        # before a wish to wait is handled: what fails in that hold is counted as no round
        self.dispatcher.hold(self.health.report_failures())
        while self.unhandled:
            self.handle_failure(self.unhandled[0])
            self.unhandled.popleft()
        count = len(self.ended) + len(self.defects)
        is_due = count >= FLUSH_ROWS or now - self.flushed >= FLUSH_SECONDS
        if is_due or (count and (count == len(self.sent) or self.health.is_unproven)):
            self.rate.count(count, now - self.flushed)
            self.flush()
            self.flushed = now

    def handle_failure(self, result: Reply | Exception) -> None:
        tell_others(result, self.spec.endpoint)
        if isinstance(result, JudgeHaltedError):
            self.pause(Pause.ENDPOINT if result.is_endpoint_wide else Pause.JUDGE, str(result))
        elif isinstance(result, JudgeUnavailableError) and result.is_overload:
            # no call leaves before the hold of the endpoint's row is over
            self.dispatcher.hold(result.hold_seconds)

    def flush(self) -> None:
        """Store what has arrived. Raises the first defect among it after the rest is stored."""
        if ended := self.ended:
            self.judge_the_judge(ended)
            self.budgets.store(ended)
            for call in ended:
                del self.sent[call.item.row.pk]
            self.settled += len(ended)
            self.ended = []  # stored: whatever is lost from here on is not stored again
            self.learn(ended)
        if self.defects:
            raise self.defects[0]

    def judge_the_judge(self, ended: Sequence[Ended]) -> None:
        """What gave no verdict is counted before its calls are closed: another process that counts
        what is under way may find it in both, and never in neither."""
        over = {call.item.row.pk for call in ended}
        under_way = [call_of(item).pk for key, item in self.sent.items() if key not in over]
        reason = self.health.note_ended(ended, under_way=under_way)
        self.dispatcher.may_grow = self.health.has_verdict
        if reason:
            self.pause(Pause.JUDGE, reason)
            halt_if_everywhere(self.run, reason)

    def learn(self, ended: Sequence[Ended]) -> None:
        """What replies that are stored say of the model and the rates."""
        if other := next(filter(None, (self.other_model(call.result) for call in ended)), ""):
            self.pause(Pause.JUDGE, another_model(self.spec, self.model, other))
        if any(is_asked_again(call.settlement) for call in ended):
            self.intake.look_again()
        self.rates.charge(ended)

    def end_of(self, outcome: Outcome) -> Ended:
        item, result = self.sent[outcome.key], outcome.result
        settlement = self.settlement_of(item, outcome)
        closing = with_reading(closing_of(call_of(item), result, self.spec), result, settlement)
        return Ended(item, result, settlement, closing)

    def settlement_of(self, item: Item, outcome: Outcome) -> Settlement:
        row, result = item.row, outcome.result
        if self.other_model(result):
            return Settlement(
                row.pk, row.fence, State.WAITING, reason="another model replied", is_free=True
            )
        return settlement_of(
            row,
            result,
            outcome.latency_ms,
            self.spec,
            self.judging,
            item.content_key,
            is_answering=self.health.is_answering(),
        )

    def other_model(self, result: Reply | Exception) -> str:
        """The model the endpoint reports, where it reported another before: two never stand in one
        table."""
        if not isinstance(result, Reply) or not result.model:
            return ""
        self.model = self.model or result.model
        return result.model if result.model != self.model else ""

    # --- the world outside ------------------------------------------------------------------------

    def heartbeat(self, now: float) -> None:
        """Renew the leases and the seat, and follow what others decided about the run and the
        endpoint."""
        if now < self.next_heartbeat:
            return
        self.next_heartbeat = now + HEARTBEAT_SECONDS
        if self.leases.is_renewal_due(now):
            if self.leases.may_have_expired(now):
                self.intake.drop_lost()
            self.leases.renew(self.held(), now)
        cap = self.seat.renewed(now, busy=self.dispatcher.load)
        if cap is not None:
            self.dispatcher.set_cap(cap)
        unpaused = JudgeRun.objects.not_withdrawn().filter(pk=self.run.pk, paused__isnull=True)
        self.is_stopped |= not unpaused.exists()
        endpoint = limits.endpoint_status(self.spec.endpoint)
        self.dispatcher.hold(endpoint.held_seconds)
        if slowest := self.dispatcher.slowest:
            silent = TRIED_SECONDS if endpoint.is_silent else SILENT_SECONDS
            self.dispatcher.give_up(max(silent, SLOW_FACTOR * slowest))
        if endpoint.halt_reason and not self.is_stopped:
            self.pause(Pause.ENDPOINT, endpoint.halt_reason)

    def pause(self, kind: JudgeRun.Pause, reason: str) -> None:
        if not self.is_stopped:
            pause_run(run=self.run, kind=kind, reason=reason)
        if kind == Pause.JUDGE:
            limits.doubt(self.spec.endpoint, self.spec)
        self.is_stopped = True

    def release_unasked(self) -> None:
        """Make rows that were not asked about wait again; their ledger rows say that the call
        never left."""
        for key in self.dispatcher.recall():
            self.recalled.append(self.sent.pop(key))
        unasked = [*self.recalled, *self.intake.waiting]
        with transaction.atomic():
            cancelled = self.budgets.cancel(self.recalled)
            self.leases.release([item.row.pk for item in unasked])
            self.budgets.refund(cancelled)
        self.intake.waiting.clear()
        self.recalled.clear()

    def close(self) -> None:
        self.dispatcher.close(judge=self.closes_judge)
        if self.health.has_verdict:
            limits.note_bearing(
                self.spec.endpoint, self.dispatcher.bears, was_cut=self.dispatcher.was_cut
            )
        self.seat.release()


def slowest_reply(run: JudgeRun) -> float:
    """In seconds, of those that gave the run its verdicts; 0 where it has none."""
    judged = run.judgements.filter(state=State.JUDGED)
    return (judged.aggregate(slowest=Max("latency_ms"))["slowest"] or 0) / 1000


def is_asked_again(settlement: Settlement) -> bool:
    """Whether the judgement is asked again at once, without waiting."""
    return settlement.state == State.WAITING and not settlement.wait_seconds


def another_model(spec: JudgeSpec, before: str, now: str) -> str:
    name = f"{PREFIX}{spec.model}@{spec.endpoint}={now}"[:120]
    return (
        f"the endpoint reports {now[:60]} as its model, {before[:60]} before: to go on by it, "
        f"judge anew by {name}"
    )
