"""Answers that are kept for the next who ask, compressed, in the cache `pages`.

The version of what a page shows is part of its key, so nothing has to be thrown away when something
changes: what no version names any more is not found, and goes in time.
"""

import logging
import pickle
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from django.core.cache import caches
from django.http import HttpResponseBase

from leaderboard.web.caching.encodings import ENCODINGS

log = logging.getLogger(__name__)
LARGEST = 1024 * 1024
"""Bytes of a page that is kept, before it is compressed: four times the largest of ours. With the
number of files that the cache holds it bounds what they take."""
LEASE_SECONDS = 10
"""For how long one process has a page to itself. None of ours takes a second."""
WAIT_SECONDS = 2.0
"""How long others wait for it; then they make it themselves. Each of them holds a thread."""
STEP_SECONDS = 0.02
HEADER = "Content-Encoding"
FAULTS = (OSError, EOFError, zlib.error, pickle.UnpicklingError)
"""Of a file that cannot be read or written: it is one that is not there."""


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """content: as it is sent, in the encoding that its headers name; until: seconds since the
    epoch."""

    headers: tuple[tuple[str, str], ...]
    content: bytes
    until: float


def find(key: str, encoding: str) -> StoredAnswer | None:
    """The answer in that encoding, made of one in another where only that is kept: a page is drawn
    once for all who read it, whatever their programs take."""
    if found := read(key, encoding):
        return found
    others = (read(key, other) for other in ENCODINGS if other != encoding)
    if found := next(filter(None, others), None):
        found = encoded(found, encoding)
        keep(key, encoding, found)
    return found


def encoded(answer: StoredAnswer, encoding: str) -> StoredAnswer:
    headers = dict(answer.headers)
    plain = ENCODINGS[headers.pop(HEADER, "")].decompress(answer.content)
    if encoding:
        headers[HEADER] = encoding
    content = ENCODINGS[encoding].compress(plain)
    return replace(answer, headers=tuple(headers.items()), content=content)


def read(key: str, encoding: str) -> StoredAnswer | None:
    try:
        found: StoredAnswer | None = caches["pages"].get(f"{key}.{encoding}")
    except FAULTS:
        log.exception("A stored page cannot be read; it is made anew.")
        return None
    return found


def keep(key: str, encoding: str, answer: StoredAnswer) -> None:
    try:
        caches["pages"].set(f"{key}.{encoding}", answer, answer.until - time.time())
    except FAULTS:
        log.exception("A page cannot be stored; it is made for every visitor.")


def once(
    key: str,
    find: Callable[[], StoredAnswer | None],
    make: Callable[[], StoredAnswer | HttpResponseBase],
) -> StoredAnswer | HttpResponseBase:
    """What is stored meanwhile, or what `make` answers. While one makes it the others wait, for
    WAIT_SECONDS at most. Whoever takes the lease of a file cache at the very same moment makes it
    as well."""
    lease, end = f"{key}.lease", time.monotonic() + WAIT_SECONDS
    while not (is_maker := take(lease)) and time.monotonic() < end:
        time.sleep(STEP_SECONDS)
        if found := find():
            return found
    try:
        return (find() if is_maker else None) or make()
    finally:
        if is_maker:
            give_back(lease)


def take(lease: str) -> bool:
    try:
        return bool(caches["pages"].add(lease, 1, LEASE_SECONDS))
    except FAULTS:
        return True


def give_back(lease: str) -> None:
    with suppress(*FAULTS):  # it runs out by itself
        caches["pages"].delete(lease)
