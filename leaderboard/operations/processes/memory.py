"""Giving freed memory back to the system."""

import ctypes
from collections.abc import Callable


def trim_memory() -> None:
    """What this process freed is the system's again, as far as whole pages are free.

    glibc keeps what was freed below something still in use: after scoring 10,290 answers that was
    40 MB for the rest of a worker's life. It takes some milliseconds; other C libraries have no
    such call and are left alone.
    """
    trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
