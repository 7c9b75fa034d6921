"""Boards of many entries: copies of one, their figures moved a little. Rendered here, and served as
a site does it."""

import os
import shlex
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from bench.measuring import Measured, seconds
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import ensure_model
from judging.models import JudgeRun
from judging.services import request_run
from leaderboard.models import Scoresheet
from leaderboard.operations.processes.supervisor import HOST, free_port, site_processes

SEED = 7
CONNECTIONS = 4
ROUNDS, ROUND_SECONDS = 5, 1.5
TRIVIAL = "/health/live"


def fill_board(run: JudgeRun, copies: int) -> None:
    """As many more entries as `copies`, each with a scoresheet like the run's and its own
    figures."""
    rng = np.random.default_rng(SEED)
    original = Scoresheet.objects.get(run=run)
    for number in range(copies):
        submission = copy_of(run.submission, number)
        copied = request_run(submission=submission, spec=run.judge_spec)
        sheet = Scoresheet.objects.get(pk=original.pk)
        draws = np.frombuffer(sheet.draws, dtype="<f8") + rng.normal(scale=0.02)
        sheet.pk, sheet.run, sheet.submission = None, copied, submission
        sheet.ranking, sheet.draws = float(draws.mean()), draws.tobytes()
        sheet.board_figures = {
            name: moved(packed, rng) for name, packed in original.board_figures.items()
        }
        sheet.save(force_insert=True)


def moved(packed: list[float | None], rng: np.random.Generator) -> list[float | None]:
    """A packed figure (leaderboard.models) with its value and the ends of its interval moved
    alike."""
    step = float(rng.normal(scale=0.02))
    return [*(end if end is None else end + step for end in packed[:3]), *packed[3:]]


def copy_of(submission: Submission, number: int) -> Submission:
    return Submission.objects.create(
        owner=None,
        model=ensure_model(owner=None, details=EvaluatedModel(name=f"copy {number}")),
        release=submission.release,
        visibility="public",
        file=submission.file.name,
        file_name=submission.file_name,
        sha256=submission.sha256,
        confirmed=submission.confirmed,
    )


def board_time(benchmark: str, query: str = "") -> tuple[float, float]:
    """Seconds of the board page, rendered, and its number of queries. A client that takes no
    compression gets nothing that is stored."""
    client = Client(SERVER_NAME="localhost")
    url = f"/boards/{benchmark}/{query}"
    assert client.get(url).status_code == 200
    with CaptureQueriesContext(connection) as queries:
        client.get(url)
    count = float(len(queries))
    return seconds(lambda: client.get(url), repeats=9), count


# --- served ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Load:
    """What a server did in some seconds: requests answered per second, and its own CPU for each."""

    rate: float
    cpu_ms: float


def serving(benchmarks: Sequence[str]) -> Iterator[Measured]:
    """Stored boards and 304s beside a view that does nothing, on one server as the site runs it, in
    turns."""
    paths = {benchmark: f"/boards/{benchmark}/" for benchmark in benchmarks}
    asked = {TRIVIAL: request(TRIVIAL)}
    with web_server() as (port, worker):
        for name, path in paths.items():
            asked[f"{name}, stored"] = request(path, **{"Accept-Encoding": "br"})
            head = exchange(port, asked[f"{name}, stored"])
            asked[f"{name}, 304"] = request(path, **{"If-None-Match": head["etag"]})
            yield Measured(
                f"{name}, as sent (brotli)", int(head["content-length"]) / 1000, "kB", 60
            )
        found = in_turns(asked, lambda message: under_load(port, worker, message))
    trivial = found.pop(TRIVIAL)
    for name, load in found.items():
        cpu, rate = trivial.cpu_ms, trivial.rate
        yield Measured(f"{name}: CPU", load.cpu_ms, "ms", 1.2 * cpu, False, "trivial view", cpu)
        yield Measured(f"{name}: rate", load.rate, "requests/s", rate, True, "trivial view", rate)


@contextmanager
def web_server() -> Iterator[tuple[int, int]]:
    """A site's web server on this database: its port, and the process id of its one worker."""
    port = free_port()
    command, environment = site_processes(port=port, broker_url="memory://")["web"]
    process = subprocess.Popen(
        shlex.split(command), cwd=settings.BASE_DIR, env={**os.environ, **environment}
    )
    try:
        for _ in range(300):
            try:
                exchange(port, request(TRIVIAL))
                break
            except OSError:
                time.sleep(0.1)
        (worker,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        yield port, int(worker)
    finally:
        process.terminate()
        process.wait()


def in_turns(asked: Mapping[str, bytes], measure: Callable[[bytes], Load]) -> dict[str, Load]:
    """For each the median of several short rounds, so that what else the machine does meets all
    alike."""
    rounds: dict[str, list[Load]] = {name: [] for name in asked}
    for _ in range(ROUNDS):
        for name, message in asked.items():
            rounds[name].append(measure(message))
    return {
        name: Load(middle([load.rate for load in loads]), middle([load.cpu_ms for load in loads]))
        for name, loads in rounds.items()
    }


def middle(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


def under_load(port: int, worker: int, message: bytes) -> Load:
    counts = [0] * CONNECTIONS
    stop = time.perf_counter() + ROUND_SECONDS

    def ask(number: int) -> None:
        with socket.create_connection((HOST, port)) as connected:
            while time.perf_counter() < stop:
                receive(connected, message)
                counts[number] += 1

    before, start = cpu_seconds(worker), time.perf_counter()
    threads = [threading.Thread(target=ask, args=[number]) for number in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    elapsed, used = time.perf_counter() - start, cpu_seconds(worker) - before
    return Load(sum(counts) / elapsed, used / sum(counts) * 1000)


def cpu_seconds(process: int) -> float:
    """User and system time of a process; the command name before them may hold spaces."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def request(path: str, **headers: str) -> bytes:
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {HOST}",
        *(f"{name}: {value}" for name, value in headers.items()),
        "",
        "",
    ]
    return "\r\n".join(lines).encode()


def exchange(port: int, message: bytes) -> dict[str, str]:
    with socket.create_connection((HOST, port), timeout=30) as connected:
        return receive(connected, message)


def receive(connected: socket.socket, message: bytes) -> dict[str, str]:
    """The headers of the answer, by name in small letters; its body is read to the end."""
    connected.sendall(message)
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += connected.recv(1 << 18)
    head, _, body = answer.partition(b"\r\n\r\n")
    headers = {
        name.lower(): value
        for name, _, value in (line.partition(": ") for line in head.decode().splitlines())
    }
    left = int(headers.get("content-length", 0)) - len(body)
    while left > 0:
        left -= len(connected.recv(1 << 18))
    return headers
