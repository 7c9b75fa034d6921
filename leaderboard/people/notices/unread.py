"""How many notices somebody has not read, for every page of theirs."""

from functools import partial
from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from leaderboard.models.notices import Notice

MOST_COUNTED = 99
"""Whoever has more reads "99+", and no page counts ten thousand."""


def unread_count(user: Any) -> str:
    """The count as it is shown: empty where all is read. One query of at most a hundred rows of an
    index."""
    unread = Notice.objects.filter(owner=user.pk, read__isnull=True).still_theirs().order_by()
    try:
        count = len(unread.values_list("pk", flat=True)[: MOST_COUNTED + 1])
    except DatabaseError:  # a page that says what failed shall not fail of this
        return ""
    if not count:
        return ""
    return f"{MOST_COUNTED}+" if count > MOST_COUNTED else str(count)


def unread_notices(request: HttpRequest) -> dict[str, Any]:
    """A context processor: asked once, and only where a template shows it, which for visitors none
    does."""
    user = getattr(request, "user", None)
    return {"unread_notices": SimpleLazyObject(partial(unread_count, user))} if user else {}
