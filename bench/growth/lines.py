"""What is measured at each size: a line each, with the CPU of this process and of the server."""

import math
import os
import re
import signal
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import brotli  # type: ignore[import-untyped]  # it has no types
import numpy as np
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from bench.growth.filling import PROTOCOL, Filled, fresh, judge, touch_board, upload_of
from bench.growth.people import details, user_name
from bench.growth.plans import Query, database_seconds, dearest, faults, is_measurable, recorded
from bench.growth.release import SEED, Answered, answered
from benchmarks.models import UnsavedText
from benchmarks.submissions.models import AccessToken, Submission
from benchmarks.submissions.tokens import create_token
from judging.models import JudgeRun
from judging.services import plan_run, request_run
from leaderboard.models import Scoresheet
from leaderboard.operations.sweeps import sweep_here
from leaderboard.results.boards.editions import refresh_boards
from leaderboard.results.services import score_run

REPEATS = 7
"""Of what changes nothing; the least of them is told: whatever else the machine does only adds."""
ENOUGH_MS = 10_000
"""What takes longer is measured no more often."""
LEAST_MS = 100
"""What takes less is done several times in a row: Linux takes time from a process in steps of 4 ms
for as long as a timer of that process runs, and for a while after."""
LEAST_FIRST_MS = 0.1  # the first time may be told as nothing, by those steps
MOST_SECONDS = 10
"""Of CPU: what takes longer is given up, or a board of ten thousand rows would take an hour."""
MOST_OF_A_BOARD = 600
UPLOADS = 3
TRIVIAL = "/health/live"
LIST, WHOLE = "list", "whole"


@dataclass(frozen=True, slots=True)
class Line:
    """ms: CPU of this process and of the server. None: there is no such thing in this site.
    kind: LIST grows with what a page lists, until a page is full, and then no more; WHOLE does
    something with every entry. is_over: it did not end within MOST_SECONDS, which is the value."""

    name: str
    value: float | None
    unit: str = "ms"
    queries: int | None = None
    kind: str = ""
    is_over: bool = False


class TooLongError(BaseException):
    """What is measured takes longer than anybody waits. As a wish to stop: nobody handles it."""


@dataclass(frozen=True, slots=True)
class Report:
    """What one site of one size gave. Of the lines that have any, faults: queries that read all of
    a large table; dearest: those that cost the server most."""

    database: str
    size: int
    lines: tuple[Line, ...]
    faults: dict[str, list[str]]
    dearest: dict[str, list[str]]
    load: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class Meter:
    """Measures one thing after the other, and keeps the lines."""

    def __init__(self, repeats: int = REPEATS) -> None:
        self.repeats = repeats
        self.most: float = MOST_SECONDS
        self.lines: list[Line] = []
        self.dearest: dict[str, list[str]] = {}
        self.faults: dict[str, list[str]] = {}
        self.is_apart = is_measurable()

    def add(
        self,
        name: str,
        work: Callable[[], object],
        *,
        before: Callable[[], object] | None = None,
        kind: str = "",
    ) -> None:
        """A first time, which fills what is kept in memory, is not counted. `before` is done each
        time, and not measured."""
        prepare = before or (lambda: None)
        times: list[float] = []
        try:
            prepare()
            with at_most(self.most):
                first = self.cpu_ms(work)
            at_once = 1 if before else math.ceil(LEAST_MS / max(first, LEAST_FIRST_MS))
            while len(times) < self.repeats and sum(times) < ENOUGH_MS:
                prepare()
                times.append(self.cpu_ms(work, at_once))
        except (TooLongError, OperationalError):
            self.lines.append(Line(name, 1000.0 * self.most, kind=kind, is_over=not times))
            return
        prepare()
        with recorded() as queries:
            work()
        self.lines.append(Line(name, min(times), queries=len(queries), kind=kind))
        self.ask(name, queries)

    def once_each(self, name: str, works: Sequence[Callable[[], object]]) -> None:
        """Of things that can be done once; the least of them."""
        with recorded() as queries:
            works[0]()
        times = [self.cpu_ms(work) for work in works[1:]]
        self.lines.append(Line(name, min(times), queries=len(queries)))
        self.ask(name, queries)

    def only_once(self, name: str, work: Callable[[], object], *, kind: str = "") -> None:
        """Of what is never the same again; the plans are those of afterwards."""
        try:
            with at_most(self.most), recorded() as queries:
                taken = self.cpu_ms(work)
        except (TooLongError, OperationalError):
            self.lines.append(Line(name, 1000.0 * self.most, kind=kind, is_over=True))
            return
        self.lines.append(Line(name, taken, queries=len(queries), kind=kind))
        self.ask(name, queries)

    def ask(self, name: str, queries: Sequence[Query]) -> None:
        self.dearest[name] = dearest(queries)
        if found := faults(queries):
            self.faults[name] = found

    def cpu_ms(self, work: Callable[[], object], at_once: int = 1) -> float:
        """Of this process, its children that ended, and the server where it can be told apart; of
        one of so many times in a row."""
        server, own, children = self.server(), time.process_time(), of_children()
        for _ in range(at_once):
            work()
        taken = time.process_time() - own + of_children() - children + self.server() - server
        return 1000 * taken / at_once

    def server(self) -> float:
        return database_seconds() if self.is_apart else 0.0


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises TooLongError after so many seconds of this process's CPU. The server ends a query
    that takes as long (__main__)."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def measure(site: Filled, migrated: float, *, repeats: int = REPEATS) -> Report:
    """migrated: seconds that migrations took before."""
    meter = Meter(repeats)
    client = Client(SERVER_NAME="localhost")
    meter.add("a trivial view", lambda: client.get(TRIVIAL))
    sweep()  # whatever waited since the last one
    meter.add("idle sweep", sweep)
    pages(meter, site, client)
    writes(meter, site)
    meter.lines.append(Line("database", database_bytes() / 1e6, "MB"))
    meter.lines.append(Line("migrated in", migrated, "s"))
    return Report(
        connection.vendor,
        site.size,
        tuple(meter.lines),
        meter.faults,
        meter.dearest,
        os.getloadavg()[0],
    )


def sweep() -> None:
    sweep_here(grace=timedelta(0))


# --- pages --------------------------------------------------------------------------------------


def pages(meter: Meter, site: Filled, client: Client) -> None:
    board, entry = f"/boards/{PROTOCOL}/", f"/entries/{some_entry(site)}/"
    meter.add("board, rendered", partial(got, client, board), kind=LIST)
    if not meter.lines[-1].is_over:
        board_parts(meter, site, client, board)
    for name, path, kind in (
        ("home", "/", ""),
        ("entry", entry, ""),
        ("status", "/status/", ""),
        ("judge", f"/judges/{site.spec.slug}/", LIST),
        ("API: boards", "/api/v1/boards/", ""),
        ("API: board", f"/api/v1/boards/{PROTOCOL}/", LIST),
        ("API: entries", "/api/v1/entries/", LIST),
        ("API: entry", f"/api/v1{entry}", ""),
        ("board as CSV", f"/boards/{PROTOCOL}/export.csv", WHOLE),
    ):
        meter.add(name, partial(got, client, path), kind=kind)
    signed_in(meter, site)


def board_parts(meter: Meter, site: Filled, client: Client, board: str) -> None:
    stored = partial(got, client, board, HTTP_ACCEPT_ENCODING="br")
    meter.add("board, stored", stored)
    meter.add("board, stored, after a commit", stored, before=commit)
    first = got(client, board)
    packed = len(brotli.compress(first, quality=6)) / 1000
    for name, size in (("board, plain", len(first) / 1000), ("board, compressed", packed)):
        meter.lines.append(Line(name, size, "kB", kind=LIST))
    optional(meter, client, "board, middle page", board, first, {"page": middle_page(site)})
    optional(meter, client, "board, search", board, first, {"q": details(site.size // 2).name})


def signed_in(meter: Meter, site: Filled) -> None:
    staff, _ = User.objects.get_or_create(
        username="staff", defaults={"is_staff": True, "is_superuser": True}
    )
    owner = User.objects.get(username=user_name(0))
    for name, path, user, kind in (
        ("my entries", "/submissions/", owner, ""),
        ("worklist", "/admin/benchmarks/description/", staff, ""),
        ("admin: submissions", "/admin/submissions/submission/", staff, LIST),
        ("admin: runs", "/admin/judging/judgerun/", staff, LIST),
    ):
        client = Client(SERVER_NAME="localhost")
        client.force_login(user)
        meter.add(name, partial(got, client, path), kind=kind)


def optional(
    meter: Meter, client: Client, name: str, path: str, first: bytes, query: dict[str, str]
) -> None:
    """A line of what a site may not have: where the query is left aside, the first view comes."""
    response = client.get(path, query)
    is_first = query.get("page") == "1"
    if response.status_code != 200 or (same_page(body(response), first) and not is_first):
        meter.lines.append(Line(name, None, kind=LIST))
    else:
        meter.add(name, lambda: client.get(path, query).content, kind=LIST)


def same_page(one: bytes, other: bytes) -> bool:
    nonce = re.compile(rb'nonce="[^"]*"|name="csrfmiddlewaretoken" value="[^"]*"')
    return nonce.sub(b"", one) == nonce.sub(b"", other)


def middle_page(site: Filled) -> str:
    return str(max(1, site.size // 200))


def some_entry(site: Filled) -> uuid.UUID:
    """Of the middle of the ranking, and made the whole way: the newest ones are."""
    found = Scoresheet.objects.filter(judge_spec=site.spec).order_by("-submission__created")[:10]
    return sorted(found, key=lambda sheet: sheet.ranking or 0)[len(found) // 2].submission_id


def got(client: Client, path: str, **headers: str) -> bytes:
    response = client.get(path, **headers)  # type: ignore[arg-type]  # headers of WSGI
    if response.status_code != 200:
        raise AssertionError(f"{path} answers {response.status_code}")
    return body(response)


def body(response: Any) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else bytes(response.content)


def commit() -> None:
    """Something that no board shows is written, as every request of somebody signed in may do."""
    UnsavedText.objects.update_or_create(
        user=User.objects.get_or_create(username="writer")[0],
        path="/bench",
        defaults={"title": "", "fields": {}, "typed": timezone.now()},
    )


# --- work ---------------------------------------------------------------------------------------


def writes(meter: Meter, site: Filled) -> None:
    """Uploads by the API, each of another account and model, then planned and scored."""
    said = [upload_said(site, number) for number in range(UPLOADS + 1)]
    accepted: list[uuid.UUID] = []

    def accept(number: int) -> None:
        accepted.append(uploaded(site, said[number], tokens[number]))

    tokens = [new_token(number) for number in range(UPLOADS + 1)]
    meter.once_each("accept an upload", [partial(accept, n) for n in range(UPLOADS + 1)])
    runs = [
        request_run(submission=Submission.objects.get(pk=pk), spec=site.spec) for pk in accepted
    ]
    meter.once_each("plan a run", [partial(plan_run, run_id=run.pk) for run in runs])
    rng = np.random.default_rng(SEED)
    for run, spoken in zip(runs, said, strict=True):
        judge(run, site.made, spoken, rng)
    judged = [fresh(run) for run in runs]
    reset_peak()
    before = memory_mb("VmRSS")
    meter.once_each("score a run", [partial(score_run, run=run) for run in judged[:-1]])
    meter.lines.append(Line("memory while scoring", memory_mb("VmHWM") - before, "MB above"))
    meter.lines.append(Line("memory kept", max(memory_mb("VmRSS") - before, 0.1), "MB above"))
    publish(judged[-1])
    meter.only_once("sweep that scores a run", sweep, kind=WHOLE)
    board, client = f"/boards/{PROTOCOL}/", Client(SERVER_NAME="localhost")
    meter.only_once("board after an entry came", partial(got, client, board), kind=LIST)
    touch_board(site.spec)
    meter.most = MOST_OF_A_BOARD
    meter.only_once("ranks of the whole board", store_ranks, kind=WHOLE)


def store_ranks() -> None:
    """Raises AssertionError where nothing is to be stored: that would be a measure of nothing."""
    if not refresh_boards():
        raise AssertionError("no board has changed, or another worker is at it")


def publish(run: JudgeRun) -> None:
    Submission.objects.filter(pk=run.submission_id).update(visibility="public")


def upload_said(site: Filled, number: int) -> Answered:
    rng = np.random.default_rng([SEED, Submission.objects.count(), number])
    return answered(site.made, 0.8, rng)


def new_token(number: int) -> str:
    user = User.objects.create(username=f"uploader-{uuid.uuid4()}")
    return create_token(owner=user, name="bench", scope=AccessToken.Scope.SUBMIT).key


def uploaded(site: Filled, said: Answered, token: str) -> uuid.UUID:
    upload = upload_of(site.made, said)
    response = Client(SERVER_NAME="localhost").post(
        "/api/v1/submissions/",
        {
            "release": site.release.slug,
            "model": f"Uploaded {uuid.uuid4()}",
            "file": SimpleUploadedFile(upload.name, upload.content),
        },
        headers={"authorization": f"Bearer {token}"},
    )
    if response.status_code != 201:
        raise AssertionError(f"the upload is answered {response.status_code}: {response.content!r}")
    return uuid.UUID(response.json()["id"])


# --- of the machine -----------------------------------------------------------------------------


def memory_mb(name: str) -> float:
    """VmRSS, what this process has in memory, or VmHWM, the most it had since `reset_peak`."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1000
    raise LookupError(name)


def reset_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def database_bytes() -> int:
    if connection.vendor == "sqlite":
        return Path(settings.DATABASES["default"]["NAME"]).stat().st_size
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])
