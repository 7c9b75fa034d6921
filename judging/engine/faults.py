"""A judge that cannot work is noticed at once: what comes back in a row without a verdict is counted in the run's row,
which all its processes share, and the run is paused before the rest is spent in the same way."""

import math
from collections.abc import Iterable, Sequence

from django.db.models import F

from judging import limits
from judging.judges.base import Reply
from judging.limits import FAULTS_IN_ROW
from judging.models import Endpoint, Judgement, JudgeRun
from judging.queue import Settlement

State = Judgement.State
SAID = {
    State.WAITING: "cannot be read",
    State.UNREADABLE: "cannot be read",
    State.REFUSED: "is a refusal",
    State.TOO_LONG: "was cut at the length limit",
}


class FruitlessRow:
    """One process's calls since the last that gave a verdict, in the order in which they were sent.

    Bad replies may come back before good ones that were asked for earlier, and then say nothing alone.

    A call without a verdict is ripe once nothing is under way that was sent before it, and after the last verdict.
    What passes by itself, as an endpoint that is away, is neither: the endpoint's own count is for that.
    Nor is a case that is asked again, once the run has a verdict: such cases come together, for they are those that
    this judge cannot decide, and their tries are counted already.
    """

    def __init__(self, run: JudgeRun) -> None:
        self.is_known_to_judge = run.judgements.filter(state=State.JUDGED).exists()
        self.read = 0  # the last call sent that gave a verdict; calls are numbered as the ledger numbers them
        self.is_untold = False
        self.told = 0  # since the last verdict
        self.unripe: list[tuple[int, str]] = []

    def note(
        self, call: int, result: Reply | Exception, settlement: Settlement, *, is_repeated: bool
    ) -> None:
        """`is_repeated`: a reply to the same case could not be read before."""
        if settlement.state == State.JUDGED:
            self.is_known_to_judge = True
            if call > self.read:
                self.read, self.is_untold, self.told = call, True, 0
                self.unripe = [(sent, fault) for sent, fault in self.unripe if sent > call]
            return
        is_telling = not (is_repeated and self.is_known_to_judge)
        if is_telling and call > self.read and is_fruitless(result, settlement):
            self.unripe.append((call, said(result, settlement)))

    def ripe(self, under_way: Iterable[int]) -> tuple[bool, list[str]]:
        """Whether a verdict came, and what was wrong with the calls sent after it; told once."""
        oldest = min((call for call in under_way if call > self.read), default=math.inf)
        told = sorted((sent, fault) for sent, fault in self.unripe if sent < oldest)
        self.unripe = [(sent, fault) for sent, fault in self.unripe if sent >= oldest]
        self.told += len(told)
        has_verdict, self.is_untold = self.is_untold, False
        return has_verdict, [fault for _, fault in told]

    def is_in_doubt(self, at_once: int) -> bool:
        """So many without a verdict that those sent before them are waited for before anything more is paid for."""
        seen = self.told + len(self.unripe)
        return bool(self.unripe) and seen >= max(FAULTS_IN_ROW, at_once)


def count_fruitless(run: JudgeRun, *, has_verdict: bool, faults: Sequence[str]) -> str:
    """The run knows how many of its replies in a row gave no verdict; why it is to be paused for them, or "".

    faults: of the calls after the verdict if there was one, in the order in which they were sent. A run that is paused
    keeps the count it was paused for, whatever comes back of what was under way.
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


def said(result: Reply | Exception, settlement: Settlement) -> str:
    """What was wrong, without a word of the reply: this is public, and a judge may repeat what is hidden."""
    return SAID.get(State(settlement.state), "") if isinstance(result, Reply) else f"is {result}"


def halt_if_everywhere(run: JudgeRun, reason: str) -> None:
    """The endpoint is halted where a second run there is paused for this cause, and no judge there gave a verdict since
    the first was."""
    endpoint = run.judge_spec.endpoint
    answered = Endpoint.objects.filter(alias=endpoint).values_list("answered", flat=True).first()
    others = JudgeRun.objects.filter(
        judge_spec__endpoint=endpoint,
        pause_kind=JudgeRun.Pause.JUDGE,
        fruitless__gte=FAULTS_IN_ROW,
    ).exclude(pk=run.pk)
    if (others.filter(paused__gt=answered) if answered else others).exists():
        limits.halt(endpoint, reason=f"no run there gets a verdict: {reason}")
