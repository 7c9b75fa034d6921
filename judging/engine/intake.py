"""From the queue to the dispatcher: what is claimed gets the verdict that is known, or its
request."""

import secrets
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.protocols.base import JudgeCase, JudgingPort
from judging.coordination import money, queue
from judging.coordination.queue import MAX_UNKNOWN, Settlement
from judging.engine.leases import Leases, leased_rows, work_of
from judging.engine.outcomes import asked_again, read_again, reused
from judging.judges.base import JudgeRequest
from judging.models import JudgeCall, Judgement, JudgeRun, JudgeSpec
from judging.selectors import cases_and_texts_of
from judging.services.rereading import earlier_readers, replies_for
from judging.services.verdicts import content_key, pin_leased, verdicts_known

POLL_SECONDS = 0.5  # where nothing was to be claimed; work of others comes back by the second


@dataclass(slots=True)
class Item:
    """A claimed judgement on its way: what is asked, what it may cost, and what was reserved of the
    endpoint's rates.

    cost: the most it may cost, in micro. start: when it may leave, monotonic.
    """

    row: Judgement
    request: JudgeRequest
    content_key: str
    prompt_tokens: int
    cost: int
    call: JudgeCall | None = None
    tokens: int = 0
    start: float = 0.0


def call_of(item: Item) -> JudgeCall:
    assert item.call is not None, "sent without a ledger row"
    return item.call


def request_of(case: JudgeCase, spec: JudgeSpec, judging: JudgingPort) -> JudgeRequest:
    if spec.prompt_set is None:
        return JudgeRequest(case)
    return JudgeRequest(case, judging.messages(case, spec.prompt_set.texts, secrets.token_hex(6)))


class Intake:
    """Claimed judgements of one run that wait for their turn to be asked, in the order of claiming.

    is_dry: the last claim found nothing.
    """

    def __init__(self, run: JudgeRun, judging: JudgingPort, leases: Leases) -> None:
        self.run, self.spec = run, run.judge_spec
        self.judging = judging
        self.leases = leases
        self.earlier = earlier_readers(self.spec)
        self.waiting: deque[Item] = deque()
        self.is_dry = False
        self.next_claim = 0.0

    def keys(self) -> list[int]:
        return [item.row.pk for item in self.waiting]

    def first(self, count: int) -> list[Item]:
        return [self.waiting[i] for i in range(min(count, len(self.waiting)))]

    def drop_lost(self) -> None:
        """Forget the rows that other holders have claimed since."""
        kept = self.leases.kept(self.keys())
        self.waiting = deque(item for item in self.waiting if item.row.pk in kept)

    def look_again(self) -> None:
        """Claim at the next chance without a pause, because rows are known to wait."""
        self.is_dry, self.next_claim = False, 0.0

    def claim(self, rows: int, *, held: Iterable[int]) -> int:
        """Up to `rows` more wait here, or have their verdict at once; how many had one.

        held: what this process has claimed already. After a freeze it may be free to be claimed.
        """
        work = work_of(self.run).exclude(pk__in=list(held))
        keys = self.leases.claim(work, spec=self.spec, limit=rows)
        self.is_dry = not keys
        if not keys:
            self.next_claim = time.monotonic() + POLL_SECONDS
            return 0
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
            # few attempts for so many calls: a person had it asked again
            if unknown.get(row.pk, 0) >= MAX_UNKNOWN < row.attempts:
                settled.append(left_to_a_person(row))
            elif (earlier := known.get(key)) is not None:
                settled.append(reused(row, key, earlier))
            elif reply is not None:
                settled.append(read_again(row, key, reply, self.spec, self.judging))
            else:
                self.waiting.append(self.item_of(row, case, key))
        queue.settle(settled)
        return len(settled)

    def item_of(self, row: Judgement, case: JudgeCase, key: str) -> Item:
        request = asked_again(
            request_of(case, self.spec, self.judging), row, self.spec, self.judging
        )
        prompt = money.token_estimate(request.messages)
        cost = money.worst_case(self.spec, prompt)
        return Item(row, request, key, prompt, cost)


def left_to_a_person(row: Judgement) -> Settlement:
    reason = (
        f"{MAX_UNKNOWN} calls may have been carried out and gave no reply that could be used"
        + (f"; the last: {row.reason}" if row.reason else "")
    )
    return Settlement(row.pk, row.fence, Judgement.State.PAUSED, reason=reason)
