"""A connection that is lost: between a client and a site, it cuts the first requests of a kind off
half way, or loses what was answered to them."""

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import urlsplit


@dataclass
class Losses:
    """What was cut off so far, as "POST half way" and the like, and what came through."""

    url: str
    lost: list[str] = field(default_factory=list)
    through: list[str] = field(default_factory=list)


class Losing(BaseHTTPRequestHandler):
    target: ClassVar[str]
    losses: ClassVar[Losses]

    def do_GET(self) -> None:
        is_look = self.path.startswith("/api/v1/submissions/")
        if is_look and "GET unanswered" not in self.losses.lost:
            self.cut("GET unanswered")
            return
        self.pass_on(b"")

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        if "POST half way" not in self.losses.lost:
            self.rfile.read(size // 2)
            self.cut("POST half way")
            return
        content = self.rfile.read(size)
        if "POST unanswered" not in self.losses.lost:
            self.ask(content)
            self.cut("POST unanswered")
            return
        self.pass_on(content)

    def cut(self, what: str) -> None:
        self.losses.lost.append(what)
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def ask(self, content: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        at = urlsplit(self.target)
        site = http.client.HTTPConnection(str(at.hostname), at.port, timeout=60)
        try:
            site.request(self.command, self.path, content or None, dict(self.headers))
            answer = site.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            site.close()

    def pass_on(self, content: bytes) -> None:
        status, headers, answer = self.ask(content)
        self.losses.through.append(f"{self.command} {status}")
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        return


@contextmanager
def losing(url: str) -> Iterator[Losses]:
    """The site at `url`, behind a connection that loses things."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Losing)
    Losing.target = url
    Losing.losses = losses = Losses(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield losses
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
