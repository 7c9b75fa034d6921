"""When a token was used last: noted beside the request, which neither waits for it nor fails by
it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import DatabaseError, connection, transaction
from django.db.models import Q

from benchmarks.submissions.models import AccessToken

log = logging.getLogger(__name__)
NOTED_EVERY = timedelta(minutes=1)
"""Its owner reads minutes on the page of tokens; a program may ask a hundred times in one."""


def note_use(token: AccessToken, now: datetime) -> None:
    """`last_used` is at most a minute behind. Where another process is writing, SQLite has no room
    for a second one: then the next request notes it."""
    before = now - NOTED_EVERY
    if token.last_used is not None and token.last_used > before:
        return
    stale = Q(last_used__isnull=True) | Q(last_used__lte=before)
    rows = AccessToken.objects.filter(stale, pk=token.pk)
    try:
        with without_waiting(), transaction.atomic():
            # Of requests that come together one writes, and no other waits for it.
            if rows.select_for_update(skip_locked=True).values_list("pk").first():
                AccessToken.objects.filter(pk=token.pk).update(last_used=now)
    except DatabaseError as error:
        log.debug("The use of token %s is not noted now: %s", token.prefix, error)


@contextmanager
def without_waiting() -> Iterator[None]:
    """Meanwhile this connection does not wait for SQLite's one writer, but fails at once."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        (usual,) = cursor.execute("PRAGMA busy_timeout").fetchone()
        cursor.execute("PRAGMA busy_timeout = 0")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout = {usual:d}")
