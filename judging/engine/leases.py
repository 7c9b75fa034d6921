"""What one process holds of the queue, and how long it may believe that it does."""

import time
from collections.abc import Collection, Iterable
from datetime import timedelta
from uuid import uuid4

from judging.coordination import queue
from judging.coordination.lost_leases import release_lost
from judging.models import Judgement, JudgeSpec
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
        keys = self._claim_once(work, spec, limit)
        return keys or (self._claim_once(work, spec, limit) if release_lost() else [])

    def _claim_once(self, work: JudgementQuerySet, spec: JudgeSpec, limit: int) -> list[int]:
        return queue.claim_once(work, spec=spec, limit=limit, lease=self.length, holder=self.holder)

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
