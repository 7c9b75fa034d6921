"""What one process holds of the queue, and how long it may believe that it does."""

import time
from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from functools import partial
from uuid import uuid4

from django.db.models import Prefetch

from benchmarks.submissions.models import Answer
from judging.coordination import queue
from judging.coordination.lost_leases import release_lost
from judging.models import Judgement, JudgeRun, JudgeSpec
from judging.querysets import JudgementQuerySet

RENEWALS_PER_LEASE = 3  # two may be lost to a busy host or database before a lease is


class Leases:
    """Leases of one holder, each as long as `length` by the database's clock.

    Whether they may have run out is told by this process's own clock, from the moment of the last
    renewal: a frozen process has to know it before it asks the database anything.
    """

    def __init__(self, length: timedelta) -> None:
        self.holder = uuid4()
        self.length = length
        self.renewed = time.monotonic()
        self.next_renewal = 0.0

    def claim(self, work: JudgementQuerySet, *, spec: JudgeSpec, limit: int) -> list[int]:
        """Up to `limit` rows of `work`, of each case one; where there are none, what other holders
        lost is freed and looked at too."""
        claim_once = partial(
            queue.claim_once, work, spec=spec, limit=limit, lease=self.length, holder=self.holder
        )
        return claim_once() or (claim_once() if release_lost() else [])

    def claim_all(self, work: JudgementQuerySet, *, limit: int) -> list[int]:
        """Up to `limit` rows of `work`, also several of one case."""
        return queue.claim(work, limit=limit, lease=self.length, holder=self.holder)

    def is_renewal_due(self, now: float) -> bool:
        return now >= self.next_renewal

    def may_have_expired(self, now: float) -> bool:
        """This process was frozen, waited for a lock, or was without database for too long."""
        return now > self.renewed + self.length.total_seconds()

    def renew(self, keys: Iterable[int], now: float) -> None:
        """Extend the lease of those of `keys` that are still held. What was lost stays lost."""
        queue.renew(keys, holder=self.holder, lease=self.length)
        self.renewed = now
        self.next_renewal = now + self.length.total_seconds() / RENEWALS_PER_LEASE

    def kept(self, keys: Collection[int]) -> set[int]:
        """Those of `keys` that no other holder has claimed."""
        mine = Judgement.objects.filter(state=Judgement.State.LEASED, holder=self.holder)
        return set(mine.filter(pk__in=keys).values_list("pk", flat=True))

    def release(self, keys: Iterable[int]) -> None:
        """Make rows that were never asked about wait again, with all their attempts."""
        queue.release(keys, holder=self.holder)


def work_of(run: JudgeRun) -> JudgementQuerySet:
    """The judgements of the run; none where its submission is withdrawn meanwhile."""
    return Judgement.objects.filter(run__in=JudgeRun.objects.not_withdrawn().filter(pk=run.pk))


def leased_rows(run: JudgeRun, keys: Sequence[int]) -> list[Judgement]:
    """The rows with what a case is made of; the submission is that of the run, not read again.

    Answers by a query of their own: of tables that PostgreSQL last counted when they were empty,
    one join of all tries every question with every answer and every key, which took half an hour
    for 3,000 of them.
    """
    answers = Answer.objects.select_related("question__subtask__ability", "question__figure")
    rows = list(
        Judgement.objects.filter(pk__in=keys)
        .select_related("texts")
        .prefetch_related(Prefetch("answer", answers))
        .order_by("pk")
    )
    for row in rows:
        row.answer.submission = run.submission
    return rows
