"""What leaves the site, mails and calls of webhooks, waits in the database, and workers send it: no
request and no sweep waits for a server of others.

Each worker has a thread for each kind (`Sender`), so that none holds up the other. A row is taken
by one thread at a time, for LEASE. Where a worker is killed in between, another sends it again.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TypeVar

from django.conf import settings
from django.db.models import QuerySet

from judging.coordination import witness
from judging.coordination.clock import database_now
from leaderboard.models.notices import Outgoing
from leaderboard.operations.processes.lent_connections import lent_connection
from leaderboard.operations.processes.worker_threads import WorkerThread

log = logging.getLogger(__name__)
Row = TypeVar("Row", bound=Outgoing)

# A conversation with a mail server has some ten answers, each of which may take TIMEOUT_SECONDS of
# mail_address; a call of a webhook takes less.
LEASE = timedelta(minutes=5)
# Between tries: a grey list and a program that is restarted want minutes, a full mailbox, a wrong
# setting and a machine hours.
WAITS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 180, 360, 720))
# A server that all rows of a kind need and that is away is looked for as often as this by each
# worker, and no row loses a try by it.
AWAY = timedelta(minutes=1)


class ServerAwayError(Exception):
    """The server cannot be reached, does not answer, or does not let us in; the message says
    why."""


def claimed(rows: QuerySet[Row], stopping: threading.Event | None = None) -> Iterator[Row]:
    """Rows that are due, each ours for LEASE. None where the database was restored: nobody knows
    which were sent since."""
    while not ((stopping and stopping.is_set()) or witness.problem()) and (row := claim(rows)):
        witness.note()
        yield row


def claim(rows: QuerySet[Row]) -> Row | None:
    """The row that waits longest, leased to this worker for LEASE; None where none is due or
    another worker was faster."""
    while True:
        now = database_now()
        row = rows.filter(next_try__lte=now).order_by("next_try", "pk").first()
        if row is None:
            return None
        due = ours(row)
        row.next_try = now + LEASE
        if due.update(next_try=row.next_try):
            return row


def ours(row: Row) -> QuerySet[Row]:
    """The row, unless another worker has claimed it since."""
    return type(row)._default_manager.filter(pk=row.pk, next_try=row.next_try)


def wait_after(tries: int) -> timedelta | None:
    """The wait before the next attempt; None where no attempt is left."""
    return WAITS[tries - 1] if tries <= len(WAITS) else None


class Sender(WorkerThread):
    """Sends what is due of one kind. A row under way is not waited for long: what a stop kills is
    sent again."""

    stop_seconds = 5
    send_due: Callable[[threading.Event], int]

    def run(self) -> None:
        send_until(self.stopping, type(self).send_due)


def send_until(stopping: threading.Event, send_due: Callable[[threading.Event], int]) -> None:
    """Sends until told to stop. A server that is away is left alone for a while, and reported once
    in the log."""
    is_away = False
    wait = settings.SWEEP_SECONDS
    while not stopping.wait(wait):
        wait = settings.SWEEP_SECONDS
        try:
            with lent_connection():
                send_due(stopping)
        except ServerAwayError as error:
            wait = AWAY.total_seconds()
            if not is_away:
                log.warning("%s; tried again every %s s", error, wait)
            is_away = True
        except Exception:
            log.exception("What waits could not be sent; the next look is in %s s", wait)
        else:
            is_away = False
