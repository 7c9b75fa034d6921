"""Judging what waits: claimed ahead, asked as fast as the endpoint allows, settled in bulk.

`judge_run` does all database work in the calling thread and hands the requests to a `Dispatcher`. A ledger row is
committed before its request may leave; verdict, closed ledger row and cost are committed together. Several processes
may judge one run: they share nothing but rows.
"""

import math
import secrets
import time
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from uuid import uuid4

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction

from benchmarks.protocols.base import JudgeCase, JudgingPort
from benchmarks.registry import protocol
from judging import limits, money, queue
from judging.clock import database_now
from judging.engine.dispatcher import Call, Dispatcher, Outcome
from judging.engine.faults import FruitlessRow, count_fruitless, halt_if_everywhere
from judging.engine.offline import judge_offline, leased_rows, work_of
from judging.engine.outcomes import (
    NAMED,
    asked_again,
    closing_of,
    read_again,
    reused,
    settlement_of,
    with_reading,
)
from judging.engine.stopping import STOPPING, Grace
from judging.judges import judge_for
from judging.judges.base import (
    Judge,
    JudgeHaltedError,
    JudgeRefusedError,
    JudgeRequest,
    JudgeUnavailableError,
    Reply,
)
from judging.models import JudgeCall, Judgement, JudgeRun, JudgeSpec
from judging.queue import MAX_UNKNOWN, CallClosing, Settlement
from judging.selectors import cases_and_texts_of, model_behind, why_never_asked
from judging.services.rereading import earlier_readers, replies_for
from judging.services.runs import pause_run
from judging.services.verdicts import content_key, pin_leased, verdicts_known

State = Judgement.State
Pause = JudgeRun.Pause
CLAIM_ROWS = 64
FLUSH_ROWS = 100
FLUSH_SECONDS = 0.5
BEAT_SECONDS = 0.5
SEAT_SECONDS = 10.0
TICK_SECONDS = (0.01, 0.03)
TICK_REPLIES = 4
POLL_SECONDS = 0.5
IDLE_SECONDS = 0.1
AHEAD_SECONDS = 0.2
PATIENCE_SECONDS = 60.0
RESERVE_SECONDS = 0.3
GATE_SECONDS = 0.1
REPLY_SHARE = 0.05
ANSWERING_SECONDS = 60.0
FIRST_CALLS = 4  # at once, at an endpoint of which nothing is known: so many are lost if it hangs


def judge_run(
    *,
    run_id: int,
    judge: Judge | None = None,
    seconds: float = 240.0,
    wait: bool = False,
    on_progress: Callable[[int], object] = lambda judged: None,
) -> int:
    """Claimable judgements of the run are settled until none is left or the time is up; how many were.

    With `wait`, judgements whose next try is not due yet, or that another process holds, are waited for.
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
    return Engine(run, chosen, closes_judge=judge is None).judge(seconds, wait, on_progress)


def request_of(case: JudgeCase, spec: JudgeSpec, judging: JudgingPort) -> JudgeRequest:
    if spec.prompt_set is None:
        return JudgeRequest(case)
    return JudgeRequest(case, judging.messages(case, spec.prompt_set.texts, secrets.token_hex(6)))


# --- judges that make requests ------------------------------------------------------------------------------


@dataclass(slots=True)
class Item:
    """A claimed judgement on its way: what is asked, what it may cost, and what was reserved of the endpoint's rates.

    start: when it may leave, monotonic.
    """

    row: Judgement
    request: JudgeRequest
    content_key: str
    prompt_tokens: int
    cost: int
    call: JudgeCall | None = None
    tokens: int = 0
    start: float = 0.0


class Engine:
    """One process at work on one run."""

    def __init__(self, run: JudgeRun, judge: Judge, *, closes_judge: bool):
        self.run, self.spec = run, run.judge_spec
        self.judging = protocol(self.spec.protocol).judging
        self.model = model_behind(self.spec)
        self.earlier = earlier_readers(self.spec)
        self.holder = uuid4()
        self.lease = timedelta(seconds=settings.JUDGE_LEASE_SECONDS)
        rates = settings.JUDGE_ENDPOINTS.get(self.spec.endpoint, {}).get("limits", {})
        self.is_rated = bool({"requests", "tokens"} & rates.keys())
        self.is_seated = "concurrent" in rates
        self.dispatcher = Dispatcher(
            judge,
            cap=0 if self.is_seated else settings.JUDGE_CONCURRENCY,
            start=max(FIRST_CALLS, known := limits.known_to_bear(self.spec.endpoint)),
            timeout=settings.JUDGE_TIMEOUT_SECONDS,
        )
        self.dispatcher.may_grow = self.has_verdict = bool(known)
        self.closes_judge = closes_judge
        self.claimed: deque[Item] = deque()
        self.sent: dict[int, Item] = {}
        self.recalled: list[Item] = []
        self.outcomes: list[Outcome] = []
        self.unheeded: deque[Reply | Exception] = deque()
        self.untold: list[Outcome] = []
        self.fruitless = FruitlessRow(run)
        self.has_told_failures = False
        self.lost_since = 0.0
        self.is_stopped = False
        self.is_dry = False
        self.answered = -math.inf  # when the endpoint last gave a reply, monotonic
        self.grace = Grace()
        self.next_claim = self.next_gate = self.next_beat = self.next_renewal = self.next_seat = 0.0
        self.flushed = self.renewed = time.monotonic()
        self.rate = float(settings.JUDGE_CONCURRENCY)  # replies per second, until they are counted
        self.reply_tokens = float(money.reply_allowance(self.spec))
        self.settled = 0

    def judge(self, seconds: float, wait: bool, on_progress: Callable[[int], object]) -> int:
        end = time.monotonic() + seconds
        try:
            while True:
                before = self.settled
                try:
                    is_over = self.step(end, wait)
                    self.lost_since = 0.0
                except (OperationalError, InterfaceError):
                    is_over = False
                    self.endure()
                if self.settled > before:
                    on_progress(self.settled - before)
                if is_over:
                    return self.settled
                time.sleep(self.tick())
        finally:
            self.leave()

    def step(self, end: float, wait: bool) -> bool:
        """Takes what came, hands out what may go; whether all is done. May be cut off by the database anywhere."""
        now = time.monotonic()
        if self.grace.is_over():
            self.dispatcher.cut_off()
        is_feeding = not (self.is_stopped or now >= end or STOPPING.is_set())
        if not is_feeding and (self.claimed or self.recalled or self.dispatcher.waiting):
            self.take_back()
        self.collect(now)
        self.beat(now)
        if not is_feeding:
            return not self.sent
        self.feed(now)
        if not self.is_dry or self.sent or self.claimed:
            return False
        if not (
            wait and work_of(self.run).filter(state__in=[State.WAITING, State.LEASED]).exists()
        ):
            return True
        time.sleep(min(IDLE_SECONDS, max(0.0, end - now)))
        return False

    def tick(self) -> float:
        """Seconds until it looks around again: a few replies later, for what stands ready lasts longer than that."""
        least, most = TICK_SECONDS
        return min(most, max(least, TICK_REPLIES / max(self.rate, 1.0)))

    def endure(self) -> None:
        """The database is away: what came back is kept, and stored once it is there again. Raises after a while."""
        now = time.monotonic()
        self.lost_since = self.lost_since or now
        if now - self.lost_since > PATIENCE_SECONDS or connection.in_atomic_block:
            raise
        connection.close()
        time.sleep(POLL_SECONDS)

    # --- in --------------------------------------------------------------------------------------------------

    def feed(self, now: float) -> None:
        """Hands over so many calls that slots which fall free are filled at once, also in waves, and few more: what is
        handed over stands in the ledger, and is lost as unknown if this process dies."""
        limit = self.dispatcher.limit
        ahead = (
            0
            if self.is_rated
            else max(4, limit // 2, min(limit, math.ceil(self.rate * AHEAD_SECONDS)))
        )
        room = limit + ahead - self.dispatcher.load
        if room < max(1, min(ahead, limit) / 2) or limit == 0 or now < self.next_gate:
            return
        if self.fruitless.is_in_doubt(limit):
            return
        if len(self.claimed) < room and now >= self.next_claim:
            self.claim(max(room, CLAIM_ROWS))
        items = [self.claimed[i] for i in range(min(room, len(self.claimed)))]
        if (
            items
            and (allowed := self.allowed(items, now))
            and not self.may_be_late(time.monotonic())
        ):
            self.send(allowed)

    def claim(self, rows: int) -> None:
        work = work_of(self.run).exclude(
            pk__in=self.held()
        )  # after a freeze, its own may be free to be claimed
        claim = partial(
            queue.claim_once, work, spec=self.spec, limit=rows, lease=self.lease, holder=self.holder
        )
        keys = claim() or (claim() if queue.release_expired() else [])
        self.is_dry = not keys
        if not keys:
            self.next_claim = time.monotonic() + POLL_SECONDS
            return
        leased = leased_rows(self.run, keys)
        unknown = queue.unknown_calls(keys)
        pairs = cases_and_texts_of(leased, self.spec)
        cases = [case for case, _ in pairs]
        asked_as = [content_key(case, self.spec, self.judging) for case in cases]
        pin_leased(zip(leased, asked_as, (texts for _, texts in pairs), strict=True))
        known = verdicts_known(set(asked_as))
        replies = replies_for(leased, cases, self.earlier, self.judging)
        settled = []
        for row, case, key, reply in zip(leased, cases, asked_as, replies, strict=True):
            if (
                unknown.get(row.pk, 0) >= MAX_UNKNOWN < row.attempts
            ):  # few attempts: a person had it asked again
                reason = f"{MAX_UNKNOWN} calls may have been carried out and gave no reply that could be used"
                reason += f"; the last: {row.reason}" if row.reason else ""
                settled.append(Settlement(row.pk, row.fence, State.PAUSED, reason=reason))
            elif (earlier := known.get(key)) is not None:
                settled.append(reused(row, key, earlier))
            elif reply is not None:
                settled.append(read_again(row, key, reply, self.spec, self.judging))
            else:
                self.claimed.append(self.item_of(row, case, key))
        queue.settle(settled)
        self.settled += len(settled)

    def item_of(self, row: Judgement, case: JudgeCase, key: str) -> Item:
        request = asked_again(
            request_of(case, self.spec, self.judging), row, self.spec, self.judging
        )
        prompt = money.token_estimate(request.messages)
        cost = money.worst_case(self.spec, prompt)
        return Item(row, request, key, prompt, cost)

    def allowed(self, items: Sequence[Item], now: float) -> Sequence[Item]:
        """Those of the first ones that the endpoint's rates let go soon, each with its start."""
        if not self.is_rated:
            return items
        self.next_gate = now + GATE_SECONDS
        for item in items:
            item.tokens = item.prompt_tokens + math.ceil(self.reply_tokens)
        delays = limits.reserve(
            self.spec.endpoint, [item.tokens for item in items], within=RESERVE_SECONDS
        )
        for item, delay in zip(items, delays, strict=False):
            item.start = time.monotonic() + delay
        return items[: len(delays)]

    def send(self, items: Sequence[Item]) -> None:
        """Their ledger rows are committed, as far as the budgets reach, and the calls handed over."""
        with transaction.atomic():
            now = database_now()
            reserved = money.reserve(self.run, [item.cost for item in items], started=now)
            chosen = items[: reserved.count]
            calls = queue.open_calls(
                [item.row for item in chosen], [item.cost for item in chosen], started=now
            )
        for item, call in zip(chosen, calls, strict=True):
            item.call = call
            self.sent[item.row.pk] = item
            self.claimed.popleft()
        self.dispatcher.send([Call(item.row.pk, item.request, item.start) for item in chosen])
        if reserved.count < len(items):
            if (
                self.sent
            ):  # what is under way is reserved at its worst case, and will have cost less
                self.next_gate = time.monotonic() + POLL_SECONDS
            else:
                self.pause(Pause.BUDGET, reserved.reason)

    # --- out -------------------------------------------------------------------------------------------------

    def collect(self, now: float) -> None:
        """Outcomes are stored once there are many, or they have waited long enough, or nothing else is under way."""
        came = self.dispatcher.take()
        if any(isinstance(outcome.result, Reply) for outcome in came):
            self.answered = now
        self.outcomes += came
        self.unheeded += [
            outcome.result for outcome in came if not isinstance(outcome.result, Reply)
        ]
        self.untold += came
        self.tell_failures()  # before a wish to wait is heeded: what fails in that hold is counted as no round
        while self.unheeded:
            self.heed(self.unheeded[0])
            self.unheeded.popleft()
        is_last = bool(self.outcomes) and len(self.outcomes) == len(self.sent)
        is_due = len(self.outcomes) >= FLUSH_ROWS or now - self.flushed >= FLUSH_SECONDS
        if is_due or is_last or (self.outcomes and not self.has_verdict):
            self.rate = 0.5 * self.rate + 0.5 * len(self.outcomes) / max(now - self.flushed, 0.01)
            self.flush()
            self.flushed = now

    def heed(self, result: Reply | Exception) -> None:
        """What a failure says to all workers, told at once."""
        if isinstance(result, JudgeHaltedError):
            if result.is_endpoint_wide:
                limits.halt(self.spec.endpoint, reason=str(result))
            self.pause(Pause.ENDPOINT if result.is_endpoint_wide else Pause.JUDGE, str(result))
        elif isinstance(result, JudgeUnavailableError) and result.is_overload:
            limits.hold(self.spec.endpoint, seconds=result.hold_seconds, reason=str(result))
            self.dispatcher.hold(
                result.hold_seconds
            )  # no call leaves before that row's hold is over

    def tell_failures(self) -> None:
        """What the endpoint does not reply to, all workers know at once; and that it replies again."""
        failed: list[JudgeUnavailableError] = []
        seconds_ago = math.inf  # when the last of the failed ones left
        is_replying = False
        for outcome in self.untold:
            result = outcome.result
            if isinstance(result, Reply | JudgeRefusedError):
                failed, seconds_ago, is_replying = [], math.inf, True
            elif isinstance(result, JudgeUnavailableError):
                failed.append(result)
                seconds_ago = min(seconds_ago, outcome.latency_ms / 1000)
        alias = self.spec.endpoint
        if is_replying and self.has_told_failures:
            limits.note_replies(alias, has_verdict=False)
            self.has_told_failures = False
        if failed and not STOPPING.is_set():  # then it is we who wait no longer
            late = sum(error.is_timeout for error in failed)
            seconds = limits.note_failures(
                alias,
                timeouts=late,
                others=len(failed) - late,
                reason=str(failed[-1]),
                seconds_ago=seconds_ago,
            )
            self.dispatcher.hold(seconds)
            self.has_told_failures = True
        self.untold = []

    def note_health(self, ended: Sequence[tuple[Item, Reply | Exception, Settlement]]) -> None:
        """Who replies and is read goes on; who does not is paused, with the endpoint if no run there is read."""
        has_verdict = any(settlement.state == State.JUDGED for *_, settlement in ended)
        if any(isinstance(result, Reply | JudgeRefusedError) for _, result, _ in ended):
            limits.note_replies(self.spec.endpoint, has_verdict=has_verdict)
        if has_verdict:
            self.dispatcher.may_grow = self.has_verdict = True
        for item, result, settlement in ended:
            is_repeated = bool(item.row.finish_reason)
            self.fruitless.note(call_of(item), result, settlement, is_repeated=is_repeated)
        is_read, faults = self.fruitless.ripe(call_of(item) for item in self.sent.values())
        if reason := count_fruitless(self.run, has_verdict=is_read, faults=faults):
            self.pause(Pause.JUDGE, reason)
            halt_if_everywhere(self.run, reason)

    def flush(self) -> None:
        defects = [o.result for o in self.outcomes if not isinstance(o.result, NAMED)]
        named = [(self.sent[o.key], o) for o in self.outcomes if isinstance(o.result, NAMED)]
        if named:
            settlements = [self.settlement_of(item, outcome) for item, outcome in named]
            closings = [
                with_reading(self.closing(item, outcome.result), outcome.result, settlement)
                for (item, outcome), settlement in zip(named, settlements, strict=True)
            ]
            with transaction.atomic():
                now_open = queue.still_open(item.call for item, _ in named if item.call is not None)
                queue.close_calls([closing for closing in closings if closing.pk in now_open])
                queue.settle(settlements)
                self.correct(cost_differences(named, closings, now_open))
            for item, _ in named:
                del self.sent[item.row.pk]
            self.settled += len(named)
            self.outcomes = []  # stored: whatever is lost from here on is not stored again
            self.note_health(
                [
                    (item, outcome.result, settlement)
                    for (item, outcome), settlement in zip(named, settlements, strict=True)
                ]
            )
            if other := next(
                filter(None, (self.other_model(outcome.result) for _, outcome in named)), ""
            ):
                self.pause(Pause.JUDGE, another_model(self.spec, self.model, other))
            if any(s.state == State.WAITING and not s.wait_seconds for s in settlements):
                self.is_dry, self.next_claim = False, 0.0  # asked again at once
            if self.is_rated:
                self.charge(named)
        self.outcomes = []
        if defects:
            raise defects[0]

    def settlement_of(self, item: Item, outcome: Outcome) -> Settlement:
        row, result = item.row, outcome.result
        if self.other_model(result):
            return Settlement(
                row.pk, row.fence, State.WAITING, reason="another model replied", is_free=True
            )
        is_answering = time.monotonic() - self.answered < ANSWERING_SECONDS
        return settlement_of(
            *(row, result, outcome.latency_ms, self.spec, self.judging, item.content_key),
            is_answering=is_answering,
        )

    def other_model(self, result: Reply | Exception) -> str:
        """The model the endpoint reports, where it reported another before: two never stand in one table."""
        if not isinstance(result, Reply) or not result.model:
            return ""
        self.model = self.model or result.model
        return result.model if result.model != self.model else ""

    def charge(self, named: Sequence[tuple[Item, Outcome]]) -> None:
        """The endpoint's rate of tokens learns what the calls used, this process what a reply is likely to use."""
        used = []
        for item, outcome in named:
            reply = outcome.result
            if (
                isinstance(reply, Reply)
                and reply.prompt_tokens is not None
                and reply.reply_tokens is not None
            ):
                ago = time.monotonic() - item.start
                used.append((reply.prompt_tokens + reply.reply_tokens - item.tokens, ago))
                self.reply_tokens += REPLY_SHARE * (reply.reply_tokens - self.reply_tokens)
        limits.charge_each(self.spec.endpoint, used)

    def correct(self, differences: Iterable[tuple[datetime, int]]) -> None:
        """Spent is what the ledger says: by the day each call started, earlier days first as every lock is taken."""
        by_day: dict[datetime, int] = {}
        for started, difference in differences:
            day = started.replace(hour=0, minute=0, second=0, microsecond=0)
            by_day[day] = by_day.get(day, 0) + difference
        for day, difference in sorted(by_day.items()):
            money.correct(self.run, difference, day)

    def closing(self, item: Item, result: Reply | Exception) -> CallClosing:
        assert item.call is not None, "sent without a ledger row"
        return closing_of(item.call, result, self.spec)

    # --- the world outside -----------------------------------------------------------------------------------

    def beat(self, now: float) -> None:
        """Leases renewed, the seat kept, and what others decided about run and endpoint obeyed."""
        if now < self.next_beat:
            return
        self.next_beat = now + BEAT_SECONDS
        if now >= self.next_renewal:
            if self.may_be_late(now):
                self.drop_lost()
            queue.renew(self.held(), holder=self.holder, lease=self.lease)
            self.renewed, self.next_renewal = now, now + self.lease.total_seconds() / 3
        if self.is_seated and now >= self.next_seat:
            self.next_seat = now + SEAT_SECONDS / 5
            wanted = settings.JUDGE_CONCURRENCY
            self.dispatcher.set_cap(
                limits.take_seat(
                    self.spec.endpoint,
                    holder=self.holder,
                    wanted=wanted,
                    seconds=SEAT_SECONDS,
                    busy=self.dispatcher.load,
                )
            )
        standing = JudgeRun.objects.standing().filter(pk=self.run.pk, paused__isnull=True)
        self.is_stopped |= not standing.exists()
        endpoint = limits.standing(self.spec.endpoint)
        self.dispatcher.hold(endpoint.held_seconds)
        if endpoint.halt_reason and not self.is_stopped:
            self.pause(Pause.ENDPOINT, endpoint.halt_reason)

    def held(self) -> list[int]:
        """What it believes to have leased."""
        return [*self.sent, *(item.row.pk for item in self.claimed)]

    def may_be_late(self, now: float) -> bool:
        """Whether leases may have run out: this process was frozen, waited for a lock, or was without database."""
        return now > self.renewed + self.lease.total_seconds()

    def drop_lost(self) -> None:
        """What others have claimed since is theirs."""
        mine = Judgement.objects.filter(state=State.LEASED, holder=self.holder)
        kept = set(
            mine.filter(pk__in=[item.row.pk for item in self.claimed]).values_list("pk", flat=True)
        )
        self.claimed = deque(item for item in self.claimed if item.row.pk in kept)

    def pause(self, kind: JudgeRun.Pause, reason: str) -> None:
        if not self.is_stopped:
            pause_run(run=self.run, kind=kind, reason=reason)
        self.is_stopped = True

    def take_back(self) -> None:
        """What was not asked yet waits again; its ledger rows say that it never left."""
        for key in self.dispatcher.recall():
            self.recalled.append(self.sent.pop(key))
        unasked = [*self.recalled, *self.claimed]
        calls = [(item, item.call) for item in self.recalled if item.call is not None]
        with transaction.atomic():
            now_open = queue.still_open(call for _, call in calls)
            queue.close_calls(
                [CallClosing(key, JudgeCall.Outcome.UNSENT, cost=0) for key in now_open]
            )
            queue.give_back([item.row.pk for item in unasked], holder=self.holder)
            self.correct((call.started, -item.cost) for item, call in calls if call.pk in now_open)
        self.claimed.clear()
        self.recalled.clear()

    def leave(self) -> None:
        self.dispatcher.close(judge=self.closes_judge)
        if self.has_verdict:
            limits.note_bearing(self.spec.endpoint, self.dispatcher.bears)
        if self.is_seated:
            limits.leave_seat(holder=self.holder)


def call_of(item: Item) -> int:
    assert item.call is not None, "sent without a ledger row"
    return item.call.pk


def another_model(spec: JudgeSpec, before: str, now: str) -> str:
    name = f"openai:{spec.model}@{spec.endpoint}={now}"[:120]
    return f"the endpoint reports {now[:60]} as its model, {before[:60]} before: to go on by it, judge anew by {name}"


def cost_differences(
    named: Sequence[tuple[Item, Outcome]], closings: Sequence[CallClosing], now_open: Container[int]
) -> Iterator[tuple[datetime, int]]:
    """When each call started, and what it cost less what was reserved; only of calls that are closed just now."""
    for (item, _), closing in zip(named, closings, strict=True):
        assert item.call is not None, "sent without a ledger row"
        if closing.pk in now_open:
            yield item.call.started, (closing.cost or 0) - item.cost
