"""Whoever sends a body slowly holds no thread that pages need. For gunicorn's threads; a proxy in
front buffers bodies, and what it hands on is here at once.

Bytes that have arrived cost nothing. To wait for others a request needs the one leave of its
process and has a minute; who finds it taken is told that the site is busy. What of a body nobody
read when the answer is sent is not waited for.
"""

import io
import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

PLACES_TO_WAIT = threading.BoundedSemaphore(
    1
)  # of the four threads of a process; two may read files, and one wait 5 s for that (reading.py)
BODY_SECONDS = 60.0  # as long as the shipped proxy waits for a body
FREE_SECONDS = 0.05  # without leave: bytes of one form may come in two packets
LINGER_SECONDS = (
    2.0  # for what is still on its way when a body is refused: who sends reads the answer only then
)
STEP_BYTES = 64 * 1024  # what a socket holds; a longer read would wait for the rest
ANSWERS = {
    408: ("408 Request Timeout", f"The body did not arrive within {BODY_SECONDS:.0f} seconds."),
    503: ("503 Service Unavailable", "The site is busy with slow senders. Try again in a minute."),
}

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]


class SlowSenderError(OSError):
    """The rest of the body is not waited for. Django takes an OSError for a body that cannot be
    read."""


class PatientBody(io.RawIOBase):
    """A body of `length` bytes, read from gunicorn's; `refusal` is the status to answer with if it
    was not waited for.

    gunicorn keeps what has come when its socket has no more, so that reading goes on where it
    stopped.
    """

    def __init__(self, stream: Any, sock: socket.socket, length: int) -> None:
        super().__init__()
        self.stream, self.sock, self.left = stream, sock, length
        self.refusal = 0
        self.has_place = False
        self.free_seconds = FREE_SECONDS
        self.end = time.monotonic() + BODY_SECONDS

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        wanted = min(len(buffer), self.left, STEP_BYTES)
        data = self._receive(wanted) if wanted else b""
        if len(data) < wanted:
            raise SlowSenderError("The connection ended within the body.")
        buffer[: len(data)] = data
        self.left -= len(data)
        if not self.left:
            self._release_place()
        return len(data)

    def _receive(self, wanted: int) -> bytes:
        while True:
            self.sock.settimeout(0)
            try:
                data: bytes = self.stream.read(wanted)
            except BlockingIOError:
                pass
            else:
                return data
            finally:
                self.sock.settimeout(None)
            self._wait()

    def _wait(self) -> None:
        """Until there is more. Raises SlowSenderError."""
        if not self.has_place:
            started = time.monotonic()
            if self._has_more(self.free_seconds):
                self.free_seconds -= time.monotonic() - started
                return
            self.has_place = PLACES_TO_WAIT.acquire(blocking=False)
            if not self.has_place:
                self._refuse(503)
        if not self._has_more(self.end - time.monotonic()):
            self._refuse(408)

    def _has_more(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self.sock, select.POLLIN)
        return seconds > 0 and bool(poll.poll(seconds * 1000))

    def _refuse(self, status: int) -> None:
        self.refusal = self.refusal or status
        raise SlowSenderError("The body was not waited for.")

    def _release_place(self) -> None:
        if self.has_place:
            self.has_place = False
            PLACES_TO_WAIT.release()

    def finish(self) -> None:
        """The answer is sent: nothing of the body is waited for any more, by gunicorn neither."""
        if self.left and not self.refusal:
            self._linger()
        self._release_place()
        if self.left:
            with suppress(OSError):
                self.sock.shutdown(socket.SHUT_RD)
        else:
            # gunicorn takes a body during which its socket had nothing for broken; this one was
            # read to its end, so that the connection may be used again.
            self.stream.failed = False

    def _linger(self) -> None:
        self.end = time.monotonic() + LINGER_SECONDS
        with suppress(OSError):
            while self.left and time.monotonic() < self.end:
                self.readinto(bytearray(STEP_BYTES))


class SlowSenders:
    """A WSGI application around another. Under servers other than gunicorn, and with TLS, it does
    nothing."""

    def __init__(self, application: Application) -> None:
        self.application = application

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        sock = environ.get("gunicorn.socket")
        length = length_of(environ)
        if type(sock) is not socket.socket or not length:
            return self.application(environ, start_response)
        body = PatientBody(environ["wsgi.input"], sock, length)
        environ["wsgi.input"] = io.BufferedReader(body, STEP_BYTES)
        held: list[Any] = []
        answer = self.application(
            environ, lambda *status_and_headers: held.append(status_and_headers)
        )
        if body.refusal:
            close(answer)
            answer, held = refusal(environ, body.refusal)
        start_response(*held[-1])
        return AndThen(answer, body.finish)


def length_of(environ: Environ) -> int:
    """One that is not told is not nothing: it is never read here, and must not be waited for."""
    if environ.get("HTTP_TRANSFER_ENCODING"):
        return 1
    length = environ.get("CONTENT_LENGTH") or "0"
    return int(length) if length.isascii() and length.isdigit() else 1


def refusal(environ: Environ, status: int) -> tuple[list[bytes], list[Any]]:
    line, sentence = ANSWERS[status]
    kind, text = "text/plain; charset=utf-8", sentence
    if environ["PATH_INFO"].startswith("/api/"):
        title = line.partition(" ")[2]
        kind = "application/problem+json"
        text = json.dumps(
            {"type": "about:blank", "title": title, "status": status, "detail": sentence}
        )
    content = text.encode()
    headers = [("Content-Type", kind), ("Content-Length", str(len(content))), ("Retry-After", "60")]
    return [content], [(line, headers)]


def close(answer: Iterable[bytes]) -> None:
    if hasattr(answer, "close"):
        answer.close()


class AndThen:
    """An answer, and what is done once it is sent."""

    def __init__(self, answer: Iterable[bytes], then: Callable[[], None]) -> None:
        self.answer, self.then = answer, then

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.answer)

    def close(self) -> None:
        try:
            close(self.answer)
        finally:
            self.then()
