"""A run that cannot be planned or scored stops only itself: tries are counted, and after a few a
person is asked.

A try is counted before it begins, so that one which takes its worker down with it counts too.
While it lasts a thread beside it renews its lease: however long the work takes, nobody else begins
it, and only of a worker that is gone it is said that it did not come back.
"""

import logging
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeVar

from django.db import (
    DatabaseError,
    InterfaceError,
    InternalError,
    OperationalError,
    connection,
)
from django.db.models import F
from django.db.models.functions import Now

from judging.models import JudgeRun
from judging.querysets import RunQuerySet
from judging.services.runs import pause_run

log = logging.getLogger(__name__)
Done = TypeVar("Done")
MOST_FAILURES = (
    3  # one may be a restart, two a bad minute; a cause that stays has failed three times in 80 s
)
RETRY = timedelta(seconds=40)
"""After each failure but the last: 80 s outlast a server that starts again, and once the cause is
gone a run goes on within 45."""
CALM = timedelta(seconds=5)
"""Before a run is tried again that people or its judge changed all the while."""
LEASE = timedelta(seconds=30)
"""How long a worker that died keeps its run from the others, as with what it was asking about."""
RENEWALS = 4
"""In the time of a lease: three of them may fail, of a database that is away for a moment."""
LONGEST = timedelta(minutes=30)
"""That a lease is renewed. The largest upload takes less than half a minute of processor time; work
that never ends is to be found by the others, and shown to a person."""


class StillChangingError(Exception):
    """What the work reads of the run changes again and again: nothing is wrong with it."""


def attempt(*, run_id: int, doing: str, work: Callable[[], Done]) -> Done | None:
    """What `work` does with the run; None where another worker is at it, or where it failed: that
    is logged, counted, and tried again later, until the run is paused for a person. `doing` is said
    in log and pause: "planning it"."""
    tries = claim(run_id, doing)
    if not tries:
        return None
    try:
        with renewed(lambda: held(run_id, tries).update(held_until=Now() + LEASE)):
            done = work()
    except StillChangingError:
        record_attempt(run_id, tries, failures=tries - 1, calm=CALM)
        return None
    except Exception as error:
        record_failure(run_id, doing, error, tries)
        return None
    except BaseException:  # the worker is told to stop: nothing is wrong with the run
        record_attempt(run_id, tries, failures=tries - 1)
        raise
    record_attempt(run_id, tries, failures=0)
    return done


def claim(run_id: int, doing: str) -> int:
    """The number of the try that begins; 0 where none does."""
    run = JudgeRun.objects.filter(pk=run_id)
    if not run.to_try().update(failures=F("failures") + 1, held_until=Now() + LEASE):
        return 0
    tries = run.values_list("failures", flat=True).get()
    if tries <= MOST_FAILURES:
        return tries
    record_attempt(run_id, tries, failures=MOST_FAILURES)
    # Of the tries before the last some may have failed in other ways: the log tells of these.
    reason = f"{doing} was tried {MOST_FAILURES} times, and the last worker did not come back"
    pause_run(run=run.get(), kind=JudgeRun.Pause.FAULT, reason=reason)
    return 0


def held(run_id: int, tries: int) -> RunQuerySet:
    """The run, as long as this try is the newest and nobody resumed the run meanwhile: a worker
    that was frozen for longer than its lease changes nothing."""
    return JudgeRun.objects.filter(pk=run_id, failures=tries, held_until__isnull=False)


@contextmanager
def renewed(renew: Callable[[], object]) -> Iterator[None]:
    """While this lasts, and LONGEST at most, a thread renews a claim of the length of LEASE."""
    stopping = threading.Event()
    renewing = threading.Thread(
        target=keep_renewing, args=(stopping, renew), name="lease", daemon=True
    )
    renewing.start()
    try:
        yield
    finally:
        stopping.set()
        renewing.join()


def keep_renewing(stopping: threading.Event, renew: Callable[[], object]) -> None:
    """A renewal that fails is left out. The connection is not held between them."""
    end = time.monotonic() + LONGEST.total_seconds()
    while not stopping.wait(LEASE.total_seconds() / RENEWALS) and time.monotonic() < end:
        try:
            renew()
        except DatabaseError:
            log.warning("A lease could not be renewed", exc_info=True)
        finally:
            connection.close()


def record_attempt(
    run_id: int, tries: int, *, failures: int, calm: timedelta | None = None
) -> None:
    held(run_id, tries).update(failures=failures, held_until=Now() + calm if calm else None)


def record_failure(run_id: int, doing: str, error: Exception, tries: int) -> None:
    """Raises where the database is away: then no run is at fault."""
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()  # it may have cut off this run alone
    is_newest = held(run_id, tries).update(held_until=Now() + RETRY)
    log.error("Run %s: %s failed, try %d: %s", run_id, doing, tries, describe_error(error))
    if is_newest and tries >= MOST_FAILURES:
        kind = type(error).__name__
        reason = f"{doing} failed {tries} times ({kind}); the log of the workers says where"
        run = JudgeRun.objects.get(pk=run_id)
        pause_run(run=run, kind=JudgeRun.Pause.FAULT, reason=reason)


def describe_error(error: Exception) -> str:
    """The class of the error and its traceback, for logs. The message is included only of errors
    of the database: those of a protocol may quote answers or references, which no log may hold."""
    where = "".join(traceback.format_tb(error.__traceback__))
    is_away = isinstance(error, OperationalError | InterfaceError | InternalError)
    detail = f" ({str(error).partition(chr(10))[0]})" if is_away else ""
    return f"{type(error).__name__}{detail}\n{where}"
