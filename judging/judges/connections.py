"""Connections to a judge's endpoint, each reply of which is the reply to one request.

An endpoint, or a proxy before it, that writes a second response behind the first would have it read
as the reply to whatever is asked next on that connection: of 222 verdicts 41 were another
answer's, and nothing said so. A connection on which anything came unasked is not used again.
"""

import logging
import ssl
from functools import partial
from time import monotonic
from typing import Any

import aiohttp
import httpx2

log = logging.getLogger(__name__)
SETTLED_SECONDS = 0.1
"""A connection rests so long after a reply, in which what is surplus comes and is seen. Judges take
longer to reply, so a few more connections stay open and no more are opened."""


class SettledConnector(aiohttp.TCPConnector):
    """As its base, but gives out no connection that has not rested, or that received while it
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


def use_settled_connections(client: httpx2.AsyncClient, *, at_most: int) -> None:
    """Of a client of the openai package over aiohttp, which takes a session for its transports but
    has no parameter for one."""
    for transport in (client._transport, *client._mounts.values()):
        if transport is not None:
            made: Any = transport
            made.client = partial(
                settled_session, at_most, made.ssl_context, made.limits.keepalive_expiry
            )


def settled_session(
    at_most: int, context: ssl.SSLContext, idle_seconds: float | None
) -> aiohttp.ClientSession:
    """idle_seconds: that a connection is kept. Servers close theirs after five (uvicorn) or more,
    and a request that meets the end of one may have to be paid."""
    return aiohttp.ClientSession(
        connector=SettledConnector(limit=at_most, ssl=context, keepalive_timeout=idle_seconds)
    )
