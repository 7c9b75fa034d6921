"""What became of a file whose process ended before its sender had an answer.

A row is written before a file is read and goes once its sender is answered, whatever the answer. Of
a process that is killed the row stays, and the page on which files are handed in tells its sender.
Of the file itself nothing stays: it stands in files without a name, which end with their process
(files/upload_handler.py), and its reader ends by itself (files/reader.py).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.contrib.auth.models import User
from django.utils import timezone

from benchmarks.common.lately import lately
from benchmarks.submissions.models import IncomingFile, Submission

LONGEST = timedelta(minutes=3)
"""No answer takes longer: a file waits ten seconds and is read for forty, both twice where its ids
tell the release, and stored within seconds."""
KEPT = 3
"""Of a person, as many as problems of refused files (refusals.py)."""
KEPT_FOR = timedelta(days=1)


@contextmanager
def noted(owner: User, *, file_name: str, client_token: UUID) -> Iterator[None]:
    """While the file is read and stored a row says so. What its sender was told before of a file of
    the same name is over."""
    mine = IncomingFile.objects.filter(owner=owner)
    mine.filter(file_name=file_name, started__lt=timezone.now() - LONGEST).delete()
    row = IncomingFile.objects.create(owner=owner, file_name=file_name, client_token=client_token)
    try:
        yield
    except Exception:  # which is answered with a page; what ends the process is not
        row.delete()
        raise
    row.delete()


@dataclass(frozen=True, slots=True)
class Incoming:
    """`submission`: what it was stored as, though its sender was never told; `is_abandoned` where
    nobody reads it any more and nothing was stored."""

    file_name: str
    started: datetime
    is_abandoned: bool
    submission: UUID | None


def incoming_files(owner: User, *, now: datetime | None = None) -> tuple[Incoming, ...]:
    """The newest of the person's files without an answer. A query, and one more where there are
    any."""
    now = now or timezone.now()
    found = IncomingFile.objects.filter(lately("started", now, KEPT_FOR), owner=owner)
    rows = list(found.order_by("-started", "-pk")[:KEPT])
    stored: dict[UUID, Submission] = {}
    if rows:
        same = Submission.objects.filter(
            owner=owner, client_token__in=[row.client_token for row in rows]
        )
        stored = {one.client_token: one for one in same}
    return tuple(
        Incoming(
            row.file_name,
            row.started,
            is_abandoned=row.started <= now - LONGEST,
            submission=stored[row.client_token].pk if row.client_token in stored else None,
        )
        for row in rows
        if not has_gone_on(stored.get(row.client_token))
    )


def has_gone_on(submission: Submission | None) -> bool:
    """Its owner found it by themselves."""
    return submission is not None and bool(submission.confirmed or submission.withdrawn)


def forget_old_incoming() -> int:
    """How many are gone."""
    old = IncomingFile.objects.filter(started__lt=timezone.now() - KEPT_FOR)
    return old.delete()[0]
