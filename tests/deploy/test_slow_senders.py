"""gunicorn as the unit starts it, and senders who take their time: pages are answered meanwhile."""

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from leaderboard.operations.processes.supervisor import HOST, free_port
from tests.site import OWN_SETTINGS, PROJECT

pytestmark = pytest.mark.slow  # real servers, at which files of 20 MB are sent
UNIT = PROJECT / "deploy" / "systemd" / "assay-web.service"
START_SECONDS = 60
SENDERS = 50
# 0.33 s measured alone, more on cores that others use; of a site that is held up 27 s, or no
# answer.
HEALTH_SECONDS = 10.0
TROUBLE_SECONDS = 5.0


def environment(folder: Path) -> dict[str, str]:
    inherited = {key: value for key, value in os.environ.items() if key not in OWN_SETTINGS}
    return inherited | {
        "DJANGO_SETTINGS_MODULE": "tests.settings_small_site",
        "VAR_DIR": str(folder),
        "SECRET_KEY": "tests-only-key-that-protects-nothing-at-all",
        "LOG_LEVEL": "ERROR",
        "QUOTA_SUBMISSIONS_DAY": "0",
        "QUOTA_UNFINISHED": "0",
    }


UPLOADS = 20
LARGEST = 20 * 1024 * 1024 - 1_000  # the form around it counts too
UPLOADS_MEBIBYTES = 300
"""What uploads add to a server at rest: 178 to 209 measured, 315 where a file is copied once more;
it failed at 250 once, unmeasured. At rest it has 361, and up to 451 once the tests before have used
it: above the 512 aimed at in all."""


def do(folder: Path, code: str) -> str:
    command = [sys.executable, "manage.py", "shell", "-v", "0", "-c", code]
    return subprocess.run(
        command, cwd=PROJECT, env=environment(folder), stdout=subprocess.PIPE, text=True, check=True
    ).stdout.strip()


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder: Path = tmp_path_factory.mktemp("var")
    do(
        folder,
        "from tests.judging.matrix.uploading import prepare; prepare();"
        "from benchmarks.registry import protocol;"
        "from benchmarks.submissions.samples.bundled import ensure_release;"
        "found = protocol('hallusionbench'); ensure_release(found, found.bundled[0])",
    )
    return folder


@pytest.fixture(scope="module")
def token(folder) -> str:
    return do(
        folder,
        "from django.contrib.auth.models import User;"
        "from benchmarks.submissions.tokens import create_token;"
        "print(create_token(owner=User.objects.get(), name='t', scope='submit').key)",
    )


@dataclass(frozen=True)
class Server:
    port: int
    pid: int


@pytest.fixture(scope="module")
def port(server: Server) -> int:
    return server.port


@pytest.fixture(scope="module")
def server(folder) -> Iterator[Server]:
    """A web server started with the words of the shipped unit; only its address is another."""
    (command,) = re.findall(r"^ExecStart=\S+ (.*)$", UNIT.read_text(), re.MULTILINE)
    port = free_port()
    words = shlex.split(command.replace("127.0.0.1:8000", f"{HOST}:{port}"))
    process = subprocess.Popen(
        [sys.executable, *words], cwd=PROJECT, env=environment(folder), start_new_session=True
    )
    try:
        end = time.monotonic() + START_SECONDS
        while health(port) is None and time.monotonic() < end:
            time.sleep(0.2)
        warm_up(port)
        yield Server(port, process.pid)
    finally:
        process.terminate()
        try:
            process.wait(timeout=40)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def connect(port: int) -> socket.socket:
    return socket.create_connection((HOST, port), timeout=30)


def request(method: str, path: str, *headers: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: testserver", *headers, "", ""]
    return "\r\n".join(lines).encode()


def health(port: int) -> float | None:
    """Seconds until health answered 200 on a connection of its own; None where it did not."""
    begun = time.monotonic()
    try:
        with connect(port) as sock:
            sock.sendall(request("GET", "/health/live", "Connection: close"))
            is_well = sock.recv(100).startswith(b"HTTP/1.1 200")
    except OSError:
        return None
    return time.monotonic() - begun if is_well else None


def warm_up(port: int) -> None:
    """Each process has shown its pages: the first time it reads code, which takes a second."""
    with ThreadPoolExecutor(6) as pool:
        for answer in pool.map(lambda _: first_words(port, LOGIN_PAGE), range(30)):
            assert answer.startswith(b"HTTP/1.1 200")


def first_words(port: int, words: bytes) -> bytes:
    with connect(port) as sock:
        sock.sendall(words)
        return sock.recv(100)


def slowest_health(port: int, seconds: float) -> float:
    """The slowest of many answers; a request that fails counts as endless."""
    slowest, end = 0.0, time.monotonic() + seconds
    while time.monotonic() < end:
        took = health(port)
        slowest = max(slowest, float("inf") if took is None else took)
        time.sleep(0.05)
    return slowest


def post(path: str, length: int, *more: str) -> bytes:
    kind = "Content-Type: multipart/form-data; boundary=b"
    return request("POST", path, kind, f"Content-Length: {length}", *more)


LOGIN_PAGE = request("GET", "/accounts/login/", "Connection: close")
LOGIN = post("/accounts/login/", 10_000)
SUBMIT = post("/submit/", 10_000_000)
CHUNKED = request("POST", "/submit/", "Transfer-Encoding: chunked")


@pytest.mark.parametrize("head", [LOGIN, SUBMIT, CHUNKED], ids=["login", "submit", "chunked"])
def test_fifty_slow_senders_do_not_hold_up_a_page(port, head):
    with ExitStack() as stack:
        senders = [stack.enter_context(connect(port)) for _ in range(SENDERS)]
        for sender in senders:
            sender.sendall(head + b"10\r\n-")
        begun = time.monotonic()
        slowest = slowest_health(port, TROUBLE_SECONDS / 2)
        for sender in senders:
            trickle(sender)
        slowest = max(slowest, slowest_health(port, TROUBLE_SECONDS / 2))
        assert time.monotonic() - begun < 60
    assert slowest < HEALTH_SECONDS


def trickle(sender: socket.socket) -> None:
    with suppress(OSError):  # it was refused, and its connection closed
        sender.sendall(b"-")


def test_a_slow_sender_is_told_why_it_is_not_waited_for(port, token):
    head = post("/api/v1/submissions/", 10_000, f"Authorization: Bearer {token}")
    with ExitStack() as stack:
        senders = [stack.enter_context(connect(port)) for _ in range(20)]
        for sender in senders:
            sender.sendall(head + b"-")
        time.sleep(1)
        answers = [answer_so_far(sender) for sender in senders]
    refused = [answer for answer in answers if answer]
    assert len(refused) >= 17  # three processes have a leave each
    assert {answer.split(b"\r\n")[0] for answer in refused} == {b"HTTP/1.1 503 Service Unavailable"}
    assert json.loads(refused[0].partition(b"\r\n\r\n")[2])["status"] == 503


def answer_so_far(sender: socket.socket) -> bytes:
    sender.settimeout(0.5)
    try:
        return sender.recv(10_000)
    except TimeoutError:
        return b""


def form(content: bytes, release: str = "spelling-1", name: str = "a.csv") -> bytes:
    fields = {"release": release, "model": "Speller"}
    parts = [(f'form-data; name="{field}"', value.encode()) for field, value in fields.items()]
    parts.append((f'form-data; name="file"; filename="{name}"', content))
    body = b"".join(
        f"--b\r\nContent-Disposition: {disposition}\r\n\r\n".encode() + value + b"\r\n"
        for disposition, value in parts
    )
    return body + b"--b--\r\n"


def upload(
    port: int,
    token: str,
    content: bytes,
    release: str = "spelling-1",
    name: str = "a.csv",
    *,
    pause: float = 0.0,
) -> bytes:
    """The answer to a whole upload; with `pause` in two halves."""
    body = form(content, release, name)
    bearer, close = f"Authorization: Bearer {token}", "Connection: close"
    with connect(port) as sock:
        sock.sendall(post("/api/v1/submissions/", len(body), bearer, close))
        sock.sendall(body[: len(body) // 2])
        time.sleep(pause)
        sock.sendall(body[len(body) // 2 :])
        return b"".join(iter(lambda: sock.recv(65536), b""))


def test_a_body_in_two_halves_is_read_whole(port, token):
    answer = upload(port, token, b"1=two\n" * 200_000, pause=1.0)
    assert answer.startswith(b"HTTP/1.1 422")
    assert b"2 has no answer" in answer


def stored(folder: Path) -> str:
    return do(
        folder,
        "from benchmarks.submissions.models import Submission;print(Submission.objects.count())",
    )


def test_a_body_cut_in_the_middle_stores_nothing(port, token, folder):
    before = stored(folder)  # the site is that of every test here, in any order
    body = form(b"1=two\n2=color\n3=night\n4=sea\n")
    head = post("/api/v1/submissions/", len(body), f"Authorization: Bearer {token}")
    with connect(port) as sock:
        sock.sendall(head + body[:-5])
        sock.shutdown(socket.SHUT_WR)
        assert b" 201 " not in sock.recv(100)
    assert stored(folder) == before


def test_a_connection_goes_on_after_a_body_that_came_in_two_packets(port):
    with connect(port) as sock:
        sock.sendall(post("/accounts/login/", 4))
        time.sleep(0.5)
        sock.sendall(b"abcd")
        assert sock.recv(100_000).startswith(b"HTTP/1.1 ")
        time.sleep(0.5)
        sock.setblocking(False)
        read_away(sock)
        sock.settimeout(10)
        sock.sendall(request("GET", "/health/live"))
        assert sock.recv(100).startswith(b"HTTP/1.1 200")


def read_away(sock: socket.socket) -> None:
    with suppress(BlockingIOError):
        while sock.recv(65536):
            pass


MINI = "hallusionbench-mini"
SAMPLE = PROJECT / "benchmarks" / "bundled" / "hallusionbench" / "answers"


def answers_of(text: str) -> bytes:
    """The same answer to every question."""
    rows = map(json.loads, (SAMPLE / "lucid-9b.jsonl").read_text("utf-8").splitlines())
    named = (json.dumps(row | {"prediction": text}, ensure_ascii=False) for row in rows)
    return "\n".join(named).encode()


WORST: dict[str, Callable[[], bytes]] = {
    "newlines": lambda: b"\n" * 19_900_000,
    "newlines behind a header": lambda: b"id,prediction\n" + b"\n" * 19_900_000,
    "U+FDFA": lambda: answers_of(chr(0xFDFA) * 19_990),
    "LaTeX": lambda: answers_of("\\color" + " " * 19_990),
    "open brackets": lambda: b"(" * 19_900_000,
    "objects": lambda: b"{}\n" * 6_600_000,
}


@pytest.mark.parametrize("name", WORST)
def test_the_worst_files_two_at_once_do_not_hold_up_a_page(port, token, name):
    content = WORST[name]()
    with ThreadPoolExecutor(2) as pool:
        kind = "a.jsonl" if content.startswith(b"{") else "a.csv"
        uploads = [pool.submit(upload, port, token, content, MINI, kind) for _ in range(2)]
        slowest = slowest_health(port, TROUBLE_SECONDS)
        statuses = {int(each.result().split(b" ")[1]) for each in uploads}
    assert statuses <= {201, 413, 422, 503}
    assert slowest < HEALTH_SECONDS


# --- memory ---------------------------------------------------------------------------------------


def web_mebibytes(server: Server) -> float:
    """Of all processes of the server but readers of files, which have a limit of their own; pages
    that several share count once."""
    found = 0
    for status in Path("/proc").glob("[0-9]*/smaps_rollup"):
        with suppress(OSError):  # it has ended
            group = os.getpgid(int(status.parent.name))
            is_reader = b"files.reader" in (status.parent / "cmdline").read_bytes()
            if group == server.pid and not is_reader:
                (share,) = re.findall(r"^Pss:\s+(\d+) kB", status.read_text(), re.MULTILINE)
                found += int(share)
    return found / 1024


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_twenty_of_the_largest_files_at_once_cost_the_server_bounded_memory(server, token):
    content = b"id,prediction\n" + b"".join(b"q%d,%s\n" % (n, b"x" * 990) for n in range(20_900))
    assert LARGEST - 300_000 < len(content) < LARGEST
    rest = most = web_mebibytes(server)
    assert rest > 10, "its processes are found"
    with ThreadPoolExecutor(UPLOADS) as pool:
        uploads = [pool.submit(upload, server.port, token, content, MINI) for _ in range(UPLOADS)]
        while not all(each.done() for each in uploads):
            most = max(most, web_mebibytes(server))
            time.sleep(0.05)
    answers = [each.result() for each in uploads if not each.exception()]
    statuses = [int(answer.split(b" ")[1]) for answer in answers if answer]
    print(f"{rest:.0f} MiB at rest, {most:.0f} at most; statuses {sorted(statuses)}")  # noqa: T201 - for who measures
    assert 422 in statuses, "at least one was read"
    assert {*statuses} <= {422, 429, 503}
    assert most - rest <= UPLOADS_MEBIBYTES
