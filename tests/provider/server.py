"""HTTP/1.1 over bare asyncio protocols: a web framework would cost more per request than the
clients it measures."""

import asyncio
import json
import math
import re
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, cast

from tests.provider.counting import AnswerCount, Statistics, Window
from tests.provider.faults import (
    Completion,
    Served,
    chance,
    draw,
    parse_faults,
    refused,
    refused_until,
    serve_fault,
)
from tests.provider.options import Options
from tests.provider.verdicts import AUTO, answer_key, shown_text, verdict_on

CONTENT_LENGTH = re.compile(rb"\r\ncontent-length:\s*(\d+)", re.IGNORECASE)
BYTES_PER_TOKEN = 4
PHRASES = {status.value: status.phrase for status in HTTPStatus}
GOOD, LIMITED, BUSY, HELD, ABANDONED = "good", "limited", "busy", "held", "abandoned"


@dataclass(slots=True)
class Exchange:
    """A request on its way to its reply. `timer` is its next step."""

    count: AnswerCount
    outcome: str
    number: int
    is_known: bool = False
    timer: asyncio.TimerHandle | None = None


class Provider:
    def __init__(self, options: Options, loop: asyncio.AbstractEventLoop):
        self.loop = loop
        self.statistics = Statistics()
        self.connections: set[Connection] = set()
        self.server: asyncio.Server | None = None
        self.held_until = 0.0
        self.admitted = Window(options.window)
        self.admitted_tokens = Window(options.window)
        self.apply(options)

    def apply(self, options: Options) -> None:
        self.shares = parse_faults(options.faults)
        self.options = options
        self.admitted.seconds = self.admitted_tokens.seconds = options.window

    async def listen(self) -> int:
        self.server = await self.loop.create_server(
            lambda: Connection(self), "127.0.0.1", self.options.port, backlog=4096
        )
        port: int = self.server.sockets[0].getsockname()[1]
        self.options = replace(self.options, port=port)
        return port

    # --- the service ---

    def respond(self, connection: "Connection", method: str, path: str, body: bytes) -> None:
        path, _, query = path.partition("?")
        if method == "POST" and path.endswith("/chat/completions"):
            try:
                self.complete(connection, body)
            except ValueError:
                connection.write(refused(400, "invalid_request"))
        elif method == "GET" and path == "/stats":
            connection.write(as_json(self.statistics.document(with_answers=query != "answers=0")))
        elif method == "POST" and path == "/control":
            connection.write(self.control(body))
        else:
            connection.write(refused(404, "no_such_page"))

    def complete(self, connection: "Connection", body: bytes) -> None:
        now = self.loop.time()
        key = answer_key(body)
        text = (
            self.options.reply if self.options.reply != AUTO else verdict_on(shown_text(body), key)
        )
        good = Completion(
            text,
            self.options.model,
            self.options.fingerprint,
            len(body) // BYTES_PER_TOKEN,
            len(text) // 4 + 1,
        )
        tokens = good.prompt_tokens + good.reply_tokens
        count = self.statistics.arrive(key, tokens, now)
        outcome, served, delay = self.refuse(tokens, now) or self.decide(key, count, good)
        self.statistics.outcomes[outcome] += 1
        connection.begin(Exchange(count, outcome, self.statistics.requests), served, delay)

    def refuse(self, tokens: int, now: float) -> tuple[str, Served, float] | None:
        """The refusal of a request that is beyond a limit. It comes at once and uses nothing of the
        limits up."""
        if now < self.held_until:
            return HELD, refused_until(429, str(math.ceil(self.held_until - now))), 0.0
        if self.options.concurrent and self.statistics.in_flight > self.options.concurrent:
            return BUSY, refused_until(429, "1"), 0.0
        per_window = self.options.window / 60
        limits = (
            (self.admitted, 1, self.options.requests_per_minute),
            (self.admitted_tokens, tokens, self.options.tokens_per_minute),
        )
        waits = [
            w.wait_seconds(now, amount, limit * per_window) for w, amount, limit in limits if limit
        ]
        if wait := max(waits, default=0.0):
            return LIMITED, refused_until(429, str(math.ceil(wait))), 0.0
        for window, amount, limit in limits:
            if limit:
                window.add(now, amount)
        return None

    def decide(self, key: str, count: AnswerCount, good: Completion) -> tuple[str, Served, float]:
        """Outcome, reply and seconds before it, drawn anew for every request of an answer that no
        limit refused."""
        count.drawn += 1
        drawn = chance(self.options.seed, key, count.drawn)
        fault = draw(self.shares, drawn)
        served = serve_fault(fault, good) if fault else Served(body=good.body())
        jitter = self.options.jitter * (drawn * 1e6 % 1)
        return fault or GOOD, served, (self.options.latency + jitter) / 1000 + served.delay_seconds

    # --- the operator ---

    def control(self, body: bytes) -> Served:
        try:
            changes: dict[str, Any] = json.loads(body)
            hold, away = changes.pop("hold", None), changes.pop("away", None)
            if changes:
                self.apply(replace(self.options, **changes))
        except (ValueError, TypeError, AttributeError) as error:
            return refused(400, str(error))
        if hold is not None:
            self.held_until = self.loop.time() + hold
        if away:
            self.loop.create_task(self.leave(away)).add_done_callback(asyncio.Task.result)
        return as_json(
            {"options": {name: getattr(self.options, name) for name in Options.__slots__}}
        )

    async def leave(self, seconds: float) -> None:
        """For so long connections are refused, and those there are end."""
        assert self.server is not None
        await asyncio.sleep(0.05)  # the reply to whoever asked for it
        self.server.close()
        for connection in list(self.connections):
            connection.transport.abort()
        await asyncio.sleep(seconds)
        await self.listen()


class Connection(asyncio.Protocol):
    """One connection, kept alive; its requests come one after the other."""

    transport: asyncio.Transport

    def __init__(self, provider: Provider):
        self.provider = provider
        self.received = bytearray()
        self.exchange: Exchange | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.provider.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.provider.connections.discard(self)
        if self.exchange is not None:
            if not self.exchange.is_known:
                self.provider.statistics.outcomes[self.exchange.outcome] -= 1
                self.provider.statistics.outcomes[ABANDONED] += 1
                self.exchange.count.unknown += 1
            self.end()

    def data_received(self, data: bytes) -> None:
        self.received += data
        while request := self.take_request():
            self.provider.respond(self, *request)

    def take_request(self) -> tuple[str, str, bytes] | None:
        """Method, path and body of the next request that is there as a whole."""
        end = self.received.find(b"\r\n\r\n")
        if end < 0:
            return None
        head = bytes(self.received[:end])
        stated = CONTENT_LENGTH.search(head)
        whole = end + 4 + (int(stated[1]) if stated else 0)
        if len(self.received) < whole:
            return None
        body = bytes(self.received[end + 4 : whole])
        del self.received[:whole]
        method, path, _ = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
        return method, path, body

    # --- an exchange ---

    def begin(self, exchange: Exchange, served: Served, delay: float) -> None:
        self.exchange = exchange
        if served.way == "hang":
            self.mark_unknown()
        elif delay:
            exchange.timer = self.provider.loop.call_later(delay, self.send, served)
        else:
            self.send(served)

    def send(self, served: Served) -> None:
        assert self.exchange is not None
        if served.way == "drip":
            self.mark_unknown()
            self.transport.write(head_of(served, self.exchange.number))
            self.drip(served, 0)
            return
        if served.way == "whole":
            self.exchange.count.completed += served.status == 200
            self.exchange.count.good += self.exchange.outcome in (GOOD, "slow", "renamed")
            if served.retry_after:
                self.provider.statistics.hand_out(served.retry_after, self.provider.loop.time())
            self.write(served, self.exchange.number)
        else:
            self.mark_unknown()
            if served.way == "cut":
                self.transport.write(
                    head_of(served, self.exchange.number) + served.body[: len(served.body) // 2]
                )
            self.transport.close()
        self.end()

    def drip(self, served: Served, place: int) -> None:
        assert self.exchange is not None
        self.transport.write(served.body[place : place + 1])
        if place + 1 < len(served.body):
            pause = 1 / served.bytes_per_second
            self.exchange.timer = self.provider.loop.call_later(pause, self.drip, served, place + 1)
        else:
            self.exchange.count.unknown -= 1
            self.exchange.count.completed += 1
            self.exchange.count.good += 1
            self.end()

    def mark_unknown(self) -> None:
        assert self.exchange is not None
        self.exchange.count.unknown += 1
        self.exchange.is_known = True

    def end(self) -> None:
        assert self.exchange is not None
        if self.exchange.timer is not None:
            self.exchange.timer.cancel()
        self.exchange = None
        self.provider.statistics.in_flight -= 1

    def write(self, served: Served, number: int = 0) -> None:
        self.transport.write(head_of(served, number) + served.body)


def head_of(served: Served, number: int) -> bytes:
    lines = [f"HTTP/1.1 {served.status} {PHRASES.get(served.status, 'Overloaded')}"]
    if "Content-Type" not in served.headers:
        lines.append("Content-Type: application/json")
    lines += [f"{name}: {text}" for name, text in served.headers.items()]
    lines.append(f"Content-Length: {len(served.body)}\r\nx-request-id: request-{number}\r\n\r\n")
    return "\r\n".join(lines).encode("latin-1")


def as_json(value: object) -> Served:
    return Served(body=json.dumps(value).encode())
