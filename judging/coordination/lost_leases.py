"""Which leases nobody renews any more.

That a lease has run out by the clock does not say it: a clock that is set forward ends all leases
at once, and of two workers whose clocks differ each sees those of the other as over. Whatever was
under way would be asked, and paid, twice. So leases are also looked at: what its holder has is
renewed, and changes.
"""

import time
from collections.abc import Collection
from datetime import datetime

from django.conf import settings

from judging.coordination import queue
from judging.models import Judgement

STILL = 2 / 3
"""Of a lease: so long it must stand unchanged while it is looked at. Holders renew three times in a
lease (engine/leases.py), so two renewals are missing then. The whole of it would keep the work of a
killed worker from the others for longer than its lease."""
SEEN: dict[datetime, float] = {}
"""Ends of leases, and since when this process, by its own clock, sees each of them."""


def look_at_leases() -> Collection[datetime]:
    """The ends of leases that stand unchanged for as long as it takes. Whoever looks seldom sees a
    lease late: workers look with every heartbeat."""
    now = time.monotonic()
    leased = Judgement.objects.filter(state=Judgement.State.LEASED, lease_until__isnull=False)
    ends = leased.order_by().values_list("lease_until", flat=True).distinct()
    seen = {end: SEEN.get(end, now) for end in ends if end is not None}
    SEEN.clear()
    SEEN.update(seen)
    least = STILL * settings.JUDGE_LEASE_SECONDS
    return [end for end, since in seen.items() if now - since >= least]


def release_lost() -> int:
    """Return leases that have expired and that nobody renews to the queue; returns how many."""
    lost = look_at_leases()
    return queue.release_expired(Judgement.objects.filter(lease_until__in=lost)) if lost else 0
