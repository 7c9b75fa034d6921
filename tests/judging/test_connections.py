"""A reply is the reply to what was asked, whatever an endpoint writes behind it."""

import asyncio
import json
from contextlib import asynccontextmanager, suppress

import pytest

from judging.judges import connections
from tests.judging.endpoint import completion
from tests.judging.test_judges import REQUEST, openai_judge


def response(content: str) -> bytes:
    body = completion(content).body
    head = (
        f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Endpoint:
    """Answers "right", and after `late` seconds once more, "wrong", on the same connection; never
    where it is None."""

    def __init__(self, late: float | None) -> None:
        self.late, self.connections, self.asked = late, 0, 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = next(
                int(line.split(b":")[1])
                for line in head.lower().splitlines()
                if line.startswith(b"content-length")
            )
            json.loads(await reader.readexactly(length))
            self.asked += 1
            writer.write(response("right"))
            await writer.drain()
            if self.late is not None:
                await asyncio.sleep(self.late)
                writer.write(response("wrong"))
                await writer.drain()


@asynccontextmanager
async def judged_by(endpoint: Endpoint):
    served: list[asyncio.Event] = []

    async def serve(reader, writer):
        served.append(ended := asyncio.Event())
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await endpoint.serve(reader, writer)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        ended.set()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    judge = openai_judge(f"http://127.0.0.1:{port}/v1")
    try:
        yield judge
    finally:
        await judge.close()
        server.close()
        for ended in served:
            await ended.wait()


def replies(endpoint: Endpoint, count: int, pause: float) -> list[str]:
    async def ask_all() -> list[str]:
        found = []
        async with judged_by(endpoint) as judge:
            for _ in range(count):
                found.append((await judge.ask(REQUEST)).text)
                await asyncio.sleep(pause)
            assert judge.session is not None
            assert judge.session.connector._keepalive_timeout == 5.0
        return found

    return asyncio.run(ask_all())


@pytest.mark.parametrize("late", [0.0, 0.001, 0.02])
@pytest.mark.parametrize("pause", [0.0, 0.005, 0.15])
def test_a_second_response_is_no_reply_to_the_next_request(late, pause):
    endpoint = Endpoint(late)
    assert replies(endpoint, 20, pause) == ["right"] * 20
    assert endpoint.asked == 20


def test_a_connection_that_rested_is_used_again(monkeypatch):
    endpoint = Endpoint(None)
    replies(endpoint, 60, 0.01)
    assert endpoint.connections < 25
    monkeypatch.setattr(connections, "SETTLED_SECONDS", 0.01)
    endpoint = Endpoint(None)
    assert replies(endpoint, 10, 0.03) == ["right"] * 10
    assert endpoint.connections == 1
