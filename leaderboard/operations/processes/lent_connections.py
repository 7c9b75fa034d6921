"""Threads of a process that work now and then share their connections to the database.

Django keeps one for each thread, for good where the thread asks nothing more: four threads of a
web process and four of a worker's main process held as many after an hour without a visitor, and
PostgreSQL has a hundred. Here a thread has one while it works. What is given back last is lent
next, so that one connection serves threads which take turns, and the others end IDLE_SECONDS later.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.signals import request_finished, request_started
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

IDLE_SECONDS = 3.0
"""Longer than the two seconds between looks of a worker, whose connection stays; and a site at its
limit has room again within five seconds of the last visitor."""
ALIAS = "default"


class IdleConnections:
    """Those that are with no thread."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.since: list[tuple[float, BaseDatabaseWrapper]] = []  # the newest last
        self.is_watched = False  # a timer will look for those to close

    def take(self) -> BaseDatabaseWrapper | None:
        with self.lock:
            return self.since.pop()[1] if self.since else None

    def put(self, wrapper: BaseDatabaseWrapper) -> None:
        with self.lock:
            self.since.append((time.monotonic(), wrapper))
            if not self.is_watched:
                self.watch()

    def watch(self) -> None:
        self.is_watched = True
        timer = threading.Timer(IDLE_SECONDS / 2, self.close_old)
        timer.daemon = True
        timer.start()

    def close_old(self) -> None:
        """Those that nobody wanted for IDLE_SECONDS."""
        long_ago = time.monotonic() - IDLE_SECONDS
        with self.lock:
            old = [wrapper for since, wrapper in self.since if since <= long_ago]
            self.since = [found for found in self.since if found[0] > long_ago]
            self.is_watched = False
            if self.since:
                self.watch()
        for wrapper in old:
            wrapper.close()


IDLE = IdleConnections()


def borrow(**_: Any) -> None:
    """This thread uses the connection that was given back last; where there is none, Django makes
    one when it is asked for something."""
    if connections.all(initialized_only=True):
        return
    if (wrapper := IDLE.take()) is not None:
        connections[ALIAS] = wrapper
        wrapper.close_if_unusable_or_obsolete()


def give_back(**_: Any) -> None:
    """The thread has none any more."""
    for wrapper in connections.all(initialized_only=True):
        if wrapper.in_atomic_block:  # of a test around it
            return
        del connections[ALIAS]
        if wrapper.connection is not None:
            if not wrapper.allow_thread_sharing:
                wrapper.inc_thread_sharing()  # one thread at a time
            IDLE.put(wrapper)


@contextmanager
def lent_connection() -> Iterator[None]:
    borrow()
    try:
        yield
    finally:
        give_back()


def lend_to_requests() -> None:
    """For a web server, whose threads wait for visitors. Streams are requests until they end."""
    request_started.connect(borrow, dispatch_uid="borrow a connection")
    request_finished.connect(give_back, dispatch_uid="give it back")
