"""A run that cannot be planned or scored stops only itself: tries are counted, and after a few a
person is asked.

A try is counted before it begins, so that one which takes its worker down with it counts too.
"""

import logging
import traceback
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from django.db import InterfaceError, InternalError, OperationalError, connection
from django.db.models import F
from django.db.models.functions import Now

from judging.models import JudgeRun
from judging.services.runs import pause_run

log = logging.getLogger(__name__)
Done = TypeVar("Done")
MOST_FAILURES = (
    3  # one may be a restart, two a bad minute; a cause that stays has failed three times in 90 s
)
RETRY = timedelta(seconds=30)
"""After the first failure, twice that after the second: a minute and a half outlasts a server that
starts again."""
CALM = timedelta(seconds=5)
"""Before a run is tried again that people or its judge changed all the while."""
LEASE = timedelta(minutes=1)
"""How long a worker that died keeps its run from the others. Whoever plans renews it with every
batch of answers."""


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
        done = work()
    except StillChangingError:
        record_attempt(run_id, failures=tries - 1, calm=CALM)
        return None
    except Exception as error:
        record_failure(run_id, doing, error, tries)
        return None
    except BaseException:  # the worker is told to stop: nothing is wrong with the run
        record_attempt(run_id, failures=tries - 1)
        raise
    record_attempt(run_id, failures=0)
    return done


def claim(run_id: int, doing: str) -> int:
    """The number of the try that begins; 0 where none does."""
    run = JudgeRun.objects.filter(pk=run_id)
    if not run.to_try().update(failures=F("failures") + 1, held_until=Now() + LEASE):
        return 0
    tries = run.values_list("failures", flat=True).get()
    if tries <= MOST_FAILURES:
        return tries
    record_attempt(run_id, failures=MOST_FAILURES)
    reason = f"{MOST_FAILURES} workers that were {doing} did not come back"
    pause_run(run=run.get(), kind=JudgeRun.Pause.FAULT, reason=reason)
    return 0


def renew(run_id: int) -> None:
    """Whoever is at the run goes on with it."""
    held = JudgeRun.objects.filter(pk=run_id, held_until__isnull=False)
    held.update(held_until=Now() + LEASE)


def record_attempt(run_id: int, *, failures: int, calm: timedelta | None = None) -> None:
    JudgeRun.objects.filter(pk=run_id).update(
        failures=failures, held_until=Now() + calm if calm else None
    )


def record_failure(run_id: int, doing: str, error: Exception, tries: int) -> None:
    """Raises where the database is away: then no run is at fault."""
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()  # it may have cut off this run alone
    run = JudgeRun.objects.filter(pk=run_id)
    run.update(held_until=Now() + RETRY * tries)
    log.error("Run %s: %s failed, try %d: %s", run_id, doing, tries, told(error))
    if tries >= MOST_FAILURES:
        kind = type(error).__name__
        reason = f"{doing} failed {tries} times ({kind}); the log of the workers says where"
        pause_run(run=run.get(), kind=JudgeRun.Pause.FAULT, reason=reason)


def told(error: Exception) -> str:
    """The kind of error and where it was raised. What a protocol's error says may quote answers or
    references, which no log may hold; what the database says of itself does not."""
    where = "".join(traceback.format_tb(error.__traceback__))
    is_away = isinstance(error, OperationalError | InterfaceError | InternalError)
    said = f" ({str(error).partition(chr(10))[0]})" if is_away else ""
    return f"{type(error).__name__}{said}\n{where}"
