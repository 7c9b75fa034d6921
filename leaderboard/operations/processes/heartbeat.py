"""A row per worker that says it lives. A thread of its own writes it, because a sweep may judge for
minutes."""

import logging
import os
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import DatabaseError, connection
from django.db.models.functions import Now

from judging.coordination import witness
from judging.coordination.lost_leases import look_at_leases
from leaderboard.models import WorkerBeat
from leaderboard.operations.clocks import ClockWatch
from leaderboard.operations.files.file_marks import FAILS_TO_SWEEP, mark_files

log = logging.getLogger(__name__)
HEARTBEAT_SECONDS = 5.0  # a dozen are missed before a worker counts as silent
KEPT = timedelta(days=1)  # status shows whom a night took; then nobody looks for it
FAILED_SWEEPS = 3

failed_sweeps: deque[str] = deque(maxlen=FAILED_SWEEPS)  # errors of this process, in a row


def worker_name() -> str:
    return f"{socket.gethostname()}/{os.getpid()}"


def record_heartbeat(*, name: str, **problems: str) -> None:
    """Store that the worker was seen now, by database time. problems: of its clock or its
    files."""
    if not WorkerBeat.objects.filter(name=name).update(seen=Now(), **problems):
        WorkerBeat.objects.update_or_create(name=name, defaults={"seen": Now(), **problems})


def note_failed_sweep(error: BaseException) -> None:
    """The heartbeat says so once FAILED_SWEEPS came to nothing in a row: one may meet a lock, or a
    database that starts again."""
    failed_sweeps.append(type(error).__name__)


def sweep_fault() -> str:
    if len(failed_sweeps) < FAILED_SWEEPS:
        return ""
    return f"{FAILS_TO_SWEEP} ({failed_sweeps[-1]}): its log says why."


def record_sweep(*, name: str) -> None:
    failed_sweeps.clear()
    WorkerBeat.objects.filter(name=name).update(seen=Now(), swept=Now())


def forget_worker(*, name: str) -> None:
    """Delete the row of a worker that stopped in order, and those of workers that were lost more
    than a day ago."""
    WorkerBeat.objects.filter(name=name).delete()
    WorkerBeat.objects.filter(seen__lt=Now() - KEPT).delete()


@contextmanager
def heartbeats(name: str, *, seconds: float = HEARTBEAT_SECONDS) -> Iterator[None]:
    """While this lasts, the worker's row is renewed by a thread, however long the caller is at
    work."""
    stopping = threading.Event()
    thread = threading.Thread(
        target=write_heartbeats, args=(stopping, name, seconds), name="heartbeat", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join(timeout=seconds)


def write_heartbeats(stopping: threading.Event, name: str, seconds: float) -> None:
    """A beat that fails is left out: the silence is what tells. The connection is not held between
    beats."""
    wait, watch = 0.0, ClockWatch()

    def beat(*, name: str) -> None:
        look_at_leases()
        record_heartbeat(
            name=name, clock=watch.look(name), files=files_of_worker() or sweep_fault()
        )

    def stop(*, name: str) -> None:
        forget_worker(name=name)
        files_of_worker()

    while not stopping.wait(wait):
        wait = seconds
        say(beat, name)
    say(stop, name)


def files_of_worker() -> str:
    """A full disk marks nothing, and silences no worker."""
    try:
        witness.refresh()
        return mark_files()
    except OSError as error:
        return f"cannot write its files ({type(error).__name__})."


def say(what: Callable[..., None], name: str) -> None:
    try:
        what(name=name)
    except DatabaseError:
        log.warning("The heartbeat of %s could not be written", name, exc_info=True)
    finally:
        connection.close()
