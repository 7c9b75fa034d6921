"""A judge that cannot work is noticed at once: what comes back in a row without a verdict is
counted in the run's row, which all its processes share, and the run is paused before the rest is
spent in the same way. What an endpoint does not reply to is counted in its row, for every run."""

import math
import time
from collections.abc import Iterable, Sequence
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import F, Q
from django.db.models.functions import Now

from judging.coordination import limits
from judging.coordination.limits import FAULTS_IN_ROW
from judging.coordination.queue import Settlement
from judging.engine.dispatcher import Outcome
from judging.engine.gates import Ended
from judging.engine.intake import call_of
from judging.engine.stopping import STOPPING
from judging.judges.base import (
    JudgeHaltedError,
    JudgeRefusedError,
    JudgeUnavailableError,
    Reply,
)
from judging.models import Endpoint, JudgeCall, Judgement, JudgeRun

State = Judgement.State
ANSWERING_SECONDS = 60.0  # a minute, in which limits per minute count: 429 then says "not so many"
# In a row, before what is under way is bounded: one judge in a hundred thousand that cannot be read
# in a tenth of its replies gives so many by chance, and would lose a moment.
DOUBTED_AFTER = 5
READ_LATELY = timedelta(seconds=10)  # a slice after another, or a second process: nothing to prove
FAULT_SENTENCES = {
    State.WAITING: "cannot be read",
    State.UNREADABLE: "cannot be read",
    State.REFUSED: "is a refusal",
    State.TOO_LONG: "was cut at the length limit",
}


def tell_others(result: Reply | Exception, endpoint: str) -> None:
    """Halt or hold the endpoint for all workers where the failure concerns all of them."""
    if isinstance(result, JudgeHaltedError) and result.is_endpoint_wide:
        limits.halt(endpoint, reason=str(result))
    elif isinstance(result, JudgeUnavailableError) and result.is_overload:
        limits.hold(endpoint, seconds=result.hold_seconds, reason=str(result))


class Health:
    """What one process's calls say of endpoint and judge. It is kept until the database has it.

    has_verdict: a reply could be read, now or lately.
    """

    def __init__(self, run: JudgeRun, *, has_verdict: bool) -> None:
        self.run = run
        self.endpoint = run.judge_spec.endpoint
        self.has_verdict = has_verdict
        self.fruitless = FruitlessRow(run)
        self.unreported: list[Outcome] = []
        self.has_reported_failures = False
        self.replied = -math.inf  # when the endpoint last gave a reply, monotonic

    def note(self, outcomes: Sequence[Outcome], now: float) -> None:
        if any(isinstance(outcome.result, Reply) for outcome in outcomes):
            self.replied = now
        self.unreported += outcomes

    @property
    def is_unproven(self) -> bool:
        """Each reply is worth knowing of at once: it may be the last that is paid for."""
        return not self.has_verdict or self.fruitless.is_in_doubt

    def is_answering(self) -> bool:
        return time.monotonic() - self.replied < ANSWERING_SECONDS

    def report_failures(self) -> float:
        """What the endpoint does not reply to, all workers know at once, and that it replies again;
        seconds for which it is held now."""
        failed: list[JudgeUnavailableError] = []
        seconds_ago = math.inf  # when the last of the failed ones left
        is_replying = False
        for outcome in self.unreported:
            result = outcome.result
            if isinstance(result, Reply | JudgeRefusedError):
                failed, seconds_ago, is_replying = [], math.inf, True
            elif isinstance(result, JudgeUnavailableError):
                failed.append(result)
                seconds_ago = min(seconds_ago, outcome.latency_ms / 1000)
        if is_replying and self.has_reported_failures:
            limits.note_replies(self.endpoint)
            self.has_reported_failures = False
        held = 0.0
        if failed and not STOPPING.is_set():  # then it is we who wait no longer
            late = sum(error.is_timeout for error in failed)
            held = limits.note_failures(
                self.endpoint,
                timeouts=late,
                others=len(failed) - late,
                reason=str(failed[-1]),
                seconds_ago=seconds_ago,
            )
            self.has_reported_failures = True
        self.unreported = []
        return held

    def note_ended(self, ended: Sequence[Ended], *, under_way: Iterable[int]) -> str:
        """Who replies and is read goes on; why the run is to be paused where nobody is, or "".

        under_way: numbers of the calls that have not come back.
        """
        has_verdict = any(call.settlement.state == State.JUDGED for call in ended)
        if any(isinstance(call.result, Reply | JudgeRefusedError) for call in ended):
            judge = self.run.judge_spec if has_verdict else None
            limits.note_replies(self.endpoint, judge=judge)
        self.has_verdict |= has_verdict
        is_read, faults = self.fruitless.ripe(under_way)
        return count_fruitless(self.run, has_verdict=is_read, faults=faults)


class FruitlessRow:
    """One process's calls since the last that gave a verdict, in the order in which they were sent.

    Bad replies may come back before good ones that were asked for earlier, and then say nothing
    alone.

    A call without a verdict is ripe once nothing is under way that was sent before it, and after
    the last verdict. What passes by itself, as an endpoint that is away, is neither: the endpoint's
    own count is for that. Nor is a case that is asked again, once the run has a verdict: such cases
    come together, for they are those that this judge cannot decide, and their tries are counted
    already.

    lately: how many have come back since a verdict did, whatever was sent first.
    """

    def __init__(self, run: JudgeRun) -> None:
        self.run = run
        judged = run.judgements.filter(state=State.JUDGED)
        self.is_known_to_judge = judged.exists()
        # A verdict of this judge: of another run, just now by another process, or by this one.
        self.is_read = (
            limits.is_read(run.judge_spec.endpoint, run.judge_spec)
            or judged.filter(settled__gte=Now() - READ_LATELY).exists()
        )
        # the last call sent that gave a verdict; calls are numbered as the ledger numbers them
        self.read = 0
        self.has_unreported_verdict = False
        self.unripe: list[tuple[int, str]] = []
        self.lately: int = run.fruitless

    def note(self, ended: Sequence[Ended]) -> None:
        """In the order in which they came back, each once."""
        for call in ended:
            number, settlement = call_of(call.item).pk, call.settlement
            if settlement.state == State.JUDGED:
                self.is_known_to_judge = self.is_read = True
                self.lately = 0
                if number > self.read:
                    self.read, self.has_unreported_verdict = number, True
                    self.unripe = [(sent, fault) for sent, fault in self.unripe if sent > number]
                continue
            is_repeated = bool(call.item.row.finish_reason)  # its last reply could not be read
            is_telling = not (is_repeated and self.is_known_to_judge)
            if is_telling and is_fruitless(call.result, settlement):
                self.lately += 1
                if number > self.read:
                    self.unripe.append((number, describe_fault(call.result, settlement)))

    def ripe(self, under_way: Iterable[int]) -> tuple[bool, list[str]]:
        """Whether a verdict came, and what was wrong with the calls sent after it; told once."""
        # Before the first verdict nothing waits for what was sent earlier: other processes have to
        # know, and no more are under way than make a row if all of them come to nothing.
        awaited = [call for call in under_way if call > self.read] if self.is_read else []
        oldest = min(awaited, default=math.inf)
        reported = sorted((sent, fault) for sent, fault in self.unripe if sent < oldest)
        self.unripe = [(sent, fault) for sent, fault in self.unripe if sent >= oldest]
        has_verdict, self.has_unreported_verdict = self.has_unreported_verdict, False
        return has_verdict, [fault for _, fault in reported]

    @property
    def is_in_doubt(self) -> bool:
        return not self.is_read or self.lately >= DOUBTED_AFTER

    def allowed(self, *, flying: int, holder: UUID) -> float:
        """How many calls this process may have under way. In doubt no more than would, without a
        verdict, pause the run, together with those of other processes: each is paid for."""
        if not self.is_in_doubt:
            return math.inf
        share = math.ceil(FAULTS_IN_ROW / settings.JUDGE_PROCESSES_PER_RUN)
        if flying >= share:
            return share
        others = calls_of_others(self.run, holder)  # first: what ended since is in the count
        row = JudgeRun.objects.filter(pk=self.run.pk, paused__isnull=True)
        count = row.values_list("fruitless", flat=True).first()
        if count is None:
            return 0
        return min(share, FAULTS_IN_ROW - count - len(self.unripe) - others)

    def more_allowed(self, *, under_way: int, holder: UUID) -> int | None:
        """How many calls this process may open in the transaction it is in, before whose end no
        other process of the run opens one; None where nothing is in doubt."""
        if not self.is_in_doubt:
            return None
        JudgeRun.objects.select_for_update(no_key=True).only("pk").get(pk=self.run.pk)
        return max(0, math.floor(self.allowed(flying=under_way, holder=holder)) - under_way)


def calls_of_others(run: JudgeRun, holder: UUID) -> int:
    """How many calls of the run other processes have under way."""
    leased = JudgeCall.objects.filter(judgement__run=run, judgement__state=State.LEASED)
    own = Q(judgement__holder=holder)
    under_way = leased.filter(outcome=JudgeCall.Outcome.OPEN, fence=F("judgement__fence"))
    return under_way.exclude(own).count()


def count_fruitless(run: JudgeRun, *, has_verdict: bool, faults: Sequence[str]) -> str:
    """The run knows how many of its replies in a row gave no verdict; why it is to be paused for
    them, or "".

    faults: of the calls after the verdict if there was one, in the order in which they were sent. A
    run that is paused keeps the count it was paused for, whatever comes back of what was under way.
    """
    row = JudgeRun.objects.filter(pk=run.pk, paused__isnull=True)
    if has_verdict:
        row.exclude(fruitless=len(faults)).update(fruitless=len(faults))
    elif faults:
        row.update(fruitless=F("fruitless") + len(faults))
    total = row.values_list("fruitless", flat=True).first() if faults else None
    if total is None or total < FAULTS_IN_ROW:
        return ""
    name = run.judge_spec.slug
    return (
        f"{total} replies in a row gave no verdict; the last {faults[-1]}. "
        f"manage.py try_judge {name} shows what it says"
    )


def is_fruitless(result: Reply | Exception, settlement: Settlement) -> bool:
    if settlement.state != State.WAITING:
        return True
    return isinstance(result, Reply) and not settlement.is_free


def describe_fault(result: Reply | Exception, settlement: Settlement) -> str:
    """What was wrong with the call, as the end of a sentence; "" for a reply that could be read.
    Public, so that it never quotes the reply, which may repeat what is hidden."""
    return (
        FAULT_SENTENCES.get(State(settlement.state), "")
        if isinstance(result, Reply)
        else f"is {result}"
    )


def halt_if_everywhere(run: JudgeRun, reason: str) -> None:
    """The endpoint is halted where a second run there is paused for this cause, and no judge there
    gave a verdict since the first was."""
    endpoint = run.judge_spec.endpoint
    answered = Endpoint.objects.filter(alias=endpoint).values_list("answered", flat=True).first()
    others = JudgeRun.objects.filter(
        judge_spec__endpoint=endpoint,
        pause_kind=JudgeRun.Pause.JUDGE,
        fruitless__gte=FAULTS_IN_ROW,
    ).exclude(pk=run.pk)
    if (others.filter(paused__gt=answered) if answered else others).exists():
        limits.halt(endpoint, reason=f"no run there gets a verdict: {reason}")
