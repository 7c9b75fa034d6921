"""Pages that are the same for everyone who is not signed in: rendered once per version of what they
show.

The version is part of the name under which a page is stored, and of its ETag. So nothing has to be
thrown away when something changes: what no version names any more is not found, and goes in time. A
page during whose rendering the version changed is sent, and neither stored nor named.
"""

import gzip
import logging
import pickle
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache, partial

import brotli  # type: ignore[import-untyped]  # it has no types
from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import get_script_prefix
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers

from leaderboard.board.version import digest

logger = logging.getLogger(__name__)

ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "br": partial(brotli.compress, quality=6),
    "gzip": partial(gzip.compress, compresslevel=6, mtime=0),
}
"""How pages are stored, the better one first. Higher qualities take longer than rendering does."""
IN_MEMORY = 32
"""Pages that a process keeps beside the files, of at most some hundred kilobytes each."""
REFUSED = {"q=0", "q=0.0", "q=0.00", "q=0.000"}


def is_personal(request: HttpRequest) -> bool:
    """Whether the page may hold what only this visitor should see: an account's header, a message
    that waits."""
    return not request.COOKIES.keys().isdisjoint(
        (settings.SESSION_COOKIE_NAME, CookieStorage.cookie_name)
    )


def personal_response(page: bytes) -> HttpResponse:
    response = HttpResponse(page)
    patch_cache_control(response, private=True, no_cache=True)
    return response


def stored_response(
    request: HttpRequest,
    *,
    choices: Sequence[object],
    version: Callable[[], str],
    render: Callable[[], bytes],
) -> HttpResponseBase:
    """304 where the visitor has the page, else the page, compressed as the visitor bears it. Plain
    pages, which hardly anyone asks for, are megabytes and not stored.

    `choices` are what of the request decides the page beside its path, each from a short list:
    every combination that is asked for takes room.
    """
    before = version()
    site = (request.scheme, request.get_host())  # pages name their own address
    key = digest([*site, get_script_prefix(), request.path, *choices, before])
    etag = f'W/"{key}"'
    response = get_conditional_response(request, etag=etag)
    if response is None:
        encoding = encoding_for(request.headers.get("Accept-Encoding", ""))
        content = find(f"{key}.{encoding}")
        if content is None:
            content = ENCODINGS.get(encoding, bytes)(render())
            if version() != before:
                etag = ""
            elif encoding:
                keep(f"{key}.{encoding}", content)
        response = HttpResponse(
            content, headers={"Content-Encoding": encoding} if encoding else None
        )
    if etag:
        response["ETag"] = etag
    patch_vary_headers(response, ("Accept-Encoding", "Cookie"))
    patch_cache_control(response, no_cache=True)
    return response


def encoding_for(accepted: str) -> str:
    """The first of ENCODINGS that an Accept-Encoding header names and does not refuse; empty where
    there is none."""
    parts = (part.replace(" ", "").partition(";") for part in accepted.lower().split(","))
    names = {name for name, _, weight in parts if weight not in REFUSED}
    return next((encoding for encoding in ENCODINGS if encoding in names), "")


def find(key: str) -> bytes | None:
    """What is stored under the key. A file that cannot be read is one that is not there."""
    try:
        return read(key)
    except KeyError:
        return None
    except (OSError, EOFError, zlib.error, pickle.UnpicklingError):
        logger.exception("A stored page cannot be read; it is rendered anew.")
        return None


@lru_cache(maxsize=IN_MEMORY)
def read(key: str) -> bytes:
    """Raises KeyError where there is nothing, which is not remembered. What a key names never
    changes, for it holds the version."""
    content: bytes | None = caches["pages"].get(key)
    if content is None:
        raise KeyError(key)
    return content


def keep(key: str, content: bytes) -> None:
    try:
        caches["pages"].set(key, content)
    except OSError:
        logger.exception("A page cannot be stored; it is rendered for every visitor.")
