"""A chat-completions server on loopback that misbehaves on demand and counts what it is asked."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLContext
from typing import Any

HANG_SECONDS = 30


@dataclass(frozen=True)
class Served:
    """One response: its status, body and headers, and how it is sent: whole, cut short, without
    end, or never."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    endless: bool = False
    pause_seconds: float = 0.0
    hang: bool = False


def completion(content: object = "right", *, finish_reason: str = "stop", **more: Any) -> Served:
    """A chat completion; `more` are further fields of its message."""
    message = {"role": "assistant", "content": content, **more}
    return document(
        {
            "model": "scribe-1",
            "choices": [{"index": 0, "finish_reason": finish_reason, "message": message}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 2},
        }
    )


def document(value: object, status: int = 200, **headers: str) -> Served:
    return Served(
        status,
        json.dumps(value).encode(),
        {name.replace("_", "-"): text for name, text in headers.items()},
    )


def failure(status: int, code: str = "", **headers: str) -> Served:
    return document({"error": {"message": "no", "code": code or None}}, status, **headers)


Script = Sequence[Served] | Callable[[dict[str, Any]], Served]


@dataclass
class Endpoint:
    """Answers by its script, in order, and then repeats the last line; or as a function of the
    request's body says."""

    script: Script
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    sent_bytes: int = 0
    leaving: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    in_turn: bool = True

    def next_line(self, body: bytes) -> Served:
        request = json.loads(body or b"{}")
        with self.lock:
            self.asked.append(request)
            if not callable(self.script):
                return self.script[min(len(self.asked), len(self.script)) - 1]
            if self.in_turn:
                return self.script(request)
        return self.script(request)


def handler_of(endpoint: Endpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            endpoint.headers.append({name.lower(): value for name, value in self.headers.items()})
            served = endpoint.next_line(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            if served.hang:
                endpoint.leaving.wait(HANG_SECONDS)
                return
            self.send_response(served.status)
            for name, value in {"Content-Type": "application/json", **served.headers}.items():
                self.send_header(name, value)
            if not served.endless:
                self.send_header("Content-Length", str(len(served.body) + 100 * served.cut))
            self.end_headers()
            self.wfile.write(served.body)
            if served.endless:
                self.send_without_end(served)

        def send_without_end(self, served: Served) -> None:
            with suppress(OSError):  # the other side hangs up
                while not endpoint.leaving.wait(served.pause_seconds):
                    endpoint.sent_bytes += self.wfile.write(served.body)

        do_GET = do_POST

        def log_message(self, *args: object) -> None:
            return

    return Handler


class Server(ThreadingHTTPServer):
    request_queue_size = 512  # the default of five makes callers who come together wait for seconds


@contextmanager
def serve(
    script: Script, *, in_turn: bool = True, tls: SSLContext | None = None
) -> Iterator[Endpoint]:
    """An endpoint that listens for as long as the block runs; a function is called for one request
    at a time, unless it is not `in_turn`."""
    endpoint = Endpoint(script, in_turn=in_turn)
    with Server(("127.0.0.1", 0), handler_of(endpoint)) as server:
        endpoint.url = f"http{'s' if tls else ''}://127.0.0.1:{server.server_port}/v1"
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield endpoint
        finally:
            endpoint.leaving.set()
            server.shutdown()
            thread.join()
