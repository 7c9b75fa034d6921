"""Told to all processes of a worker at once: take nothing new, end what is under way, give back the
rest.

Made before a worker forks its pool, so that main process and pool share it; the worker's shutdown
signal sets it.
"""

import math
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

GRACE_SECONDS = 20.0  # of the 30 after which units and containers kill; ten store and give back
STOPPING = multiprocessing.Event()


class Grace:
    """How long calls that are under way are waited for: whoever stops a worker kills it after half
    a minute."""

    def __init__(self) -> None:
        self.until = math.inf

    def has_expired(self) -> bool:
        if STOPPING.is_set():
            self.until = min(self.until, time.monotonic() + GRACE_SECONDS)
        return time.monotonic() >= self.until


@contextmanager
def stopped_by_interrupt(announce: Callable[[], object]) -> Iterator[None]:
    """The first Ctrl-C is told to the engines of this process, the second interrupts it as ever."""
    before = signal.getsignal(signal.SIGINT)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        STOPPING.set()
        announce()

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
