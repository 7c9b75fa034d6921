"""How pages print counts, and names beside them."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.timesince import timesince

from benchmarks.protocols.base import Problem
from benchmarks.submissions.naming.names import isolated

register = template.Library()
register.filter(isolated)
MINUTE = timedelta(minutes=1)


@register.filter
def thousands(count: object) -> object:
    """10000 as "10,000", as every board says it. What is no number of things is left as it is."""
    return f"{count:,}" if isinstance(count, int) and not isinstance(count, bool) else count


@register.filter
def to_page(url: str, number: int) -> str:
    """The address of another page of the list whose first page is at `url`."""
    address, mark, anchor = url.partition("#")
    address = address.removesuffix("?")
    if number > 1:
        address += f"{'&' if '?' in address else '?'}page={number}"
    return f"{address or '?'}{mark}{anchor}"


@register.filter
def time_ago(moment: datetime) -> str:
    """ "3 hours, 5 minutes ago", or "just now" within the first minute."""
    now = timezone.now()
    return "just now" if now - moment < MINUTE else f"{timesince(moment, now)} ago"


@register.filter
def problems_found(problems: Sequence[Problem]) -> str:
    """ "2 problems found"; the last of a long list is not one, and says how many are not in it."""
    count = len(problems)
    if problems and problems[-1].code in ("more", "more-problems"):
        return f"more than {count - 1:,} problems found"
    return f"{count:,} problem{'' if count == 1 else 's'} found"
