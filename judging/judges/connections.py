"""Connections to a judge's endpoint, each reply of which is the reply to one request.

An endpoint, or a proxy before it, that writes a second response behind the first would have it read
as the reply to whatever is asked next on that connection: of 222 verdicts 41 were another
answer's, and nothing said so. A connection on which anything came unasked is not used again.
"""

import logging
from time import monotonic
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx2

log = logging.getLogger(__name__)
SETTLED_SECONDS = 0.1
"""A connection rests so long after a reply, in which what is surplus comes and is seen. Judges take
longer to reply, so a few more connections stay open and no more are opened."""

KEPT_SECONDS = 5.0
"""Servers close theirs after as long (uvicorn) or longer, and a request that meets the end of one
may have to be paid."""


class SettledConnector(aiohttp.TCPConnector):
    """A connector that gives out no connection that has not rested, or that received while it
    did."""

    async def _get(self, key: Any, traces: Any) -> Any:
        resting = self._conns.get(key, ())
        while resting and resting[0][0].should_close:
            resting.popleft()[0].close()  # as the base does with those it finds closed
            log.warning("%s sent more than it was asked for: the connection is closed", key.host)
        if not resting:
            self._conns.pop(key, None)
        elif monotonic() - resting[0][1] < SETTLED_SECONDS:  # the one that rested longest
            return None
        return await super()._get(key, traces)


def settled_session(url: str, *, at_most: int, connect_seconds: float) -> aiohttp.ClientSession:
    """For requests to the endpoint at `url`, by the proxy that the environment names for it."""
    parts = urlsplit(url)
    connector = SettledConnector(
        limit=at_most,
        ssl=httpx2.create_ssl_context() if parts.scheme == "https" else True,
        keepalive_timeout=KEPT_SECONDS,
    )
    proxies = {} if proxy_bypass(parts.hostname or "") else getproxies()
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        proxy=proxies.get(parts.scheme) or proxies.get("all"),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=connect_seconds),
    )
