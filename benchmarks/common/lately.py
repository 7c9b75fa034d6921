"""What counts as recent, by clocks that may have been wrong for a while."""

from datetime import datetime, timedelta

from django.db.models import Q
from django.db.models.expressions import Combinable

AHEAD = timedelta(minutes=5)
"""By which clocks of hosts and of their database may differ for a moment."""


def lately(field: str, now: datetime | Combinable, length: timedelta) -> Q:
    """Within `length` before now. What is dated later was written while a clock was set forward by
    mistake: where it counted, a limit of a day would last until that date."""
    return Q(**{f"{field}__gt": now - length, f"{field}__lte": now + AHEAD})


def lasting(field: str, now: datetime | Combinable, length: timedelta) -> Q:
    """What ends after now and can have been given for `length`; an end that is later still is of
    such a clock."""
    return Q(**{f"{field}__gt": now, f"{field}__lte": now + length + AHEAD})
