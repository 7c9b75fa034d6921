"""A private site for a drill: servers, an endpoint that counts, and the real processes of the
site, all of which end with it."""

import os
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import django

from deploy.private_services import (
    Postgres,
    ServiceError,
    StopSignals,
    find_programs,
    running_postgres,
    running_redis,
)
from leaderboard.operations.processes.supervisor import HOST, site_processes
from tests.chaos.workers import Worker
from tests.provider import RunningProvider, running_provider
from tests.site import OWN_SETTINGS

if TYPE_CHECKING:
    from judging.models import JudgeRun

START_SECONDS = 120.0  # of processes of a site on two cores that have other work
OWN_PREFIXES = ("JUDGE_", "BUDGET_", "SWEEP_", *OWN_SETTINGS)
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
    "SECRET_KEY": "drill-only-key-that-protects-nothing-at-all",
    "EMAIL_URL": "memory:",
    "DEBUG": "false",
    "LOG_LEVEL": "INFO",
    "PYTHONWARNINGS": "ignore",
    "JUDGE_PRICES_LAB": "judge=2.5/10",
    "BUDGET_SITE_DAY": "1000000",
    "BUDGET_SUBMISSION": "0",
    "BUDGET_ACCOUNT_DAY": "0",
}


class Broker(Protocol):
    port: int

    @property
    def url(self) -> str: ...

    def start(self, port: int) -> None: ...

    def stop(self) -> None: ...


@dataclass(frozen=True)
class Ground:
    """`postgres` and `broker` are None in the embedded default, which has SQLite and no broker."""

    folder: Path
    judge: RunningProvider
    signals: StopSignals
    postgres: Postgres | None = None
    broker: Broker | None = None

    def processes(
        self, *, workers: int = 2, with_beat: bool = False, port: int = 0
    ) -> dict[str, Worker]:
        """By name, not started: `web` (where there is a port), workers and beat, as a host has
        them. `running_workers` starts and ends them."""
        broker = self.broker.url if self.broker else ""
        made = site_processes(port=port, broker_url=broker, workers=workers, with_beat=with_beat)
        return {
            name: Worker(
                name,
                command.replace("--loglevel WARNING", "--loglevel INFO"),
                {**os.environ, **own, "LOG_LEVEL": "INFO"},
                self.folder,
            )
            for name, (command, own) in made.items()
            if port or name != "web"
        }

    def wait(self, condition: Callable[[], Any], seconds: float, what: str = "") -> float:
        """Seconds until it holds. ServiceError: it did not within `seconds`."""
        start = time.monotonic()
        while not condition():
            self.signals.raise_if_received()
            if time.monotonic() - start > seconds:
                raise ServiceError(f"{what or 'what was waited for'}: not within {seconds:g} s.")
            time.sleep(0.1)
        return time.monotonic() - start

    def in_flight(self) -> int:
        return int(self.judge.stats(with_answers=False)["in_flight"])


@contextmanager
def ground(
    signals: StopSignals,
    settings: Mapping[str, str],
    *,
    on_servers: bool = True,
    broker: Callable[[Path], Any] | None = None,
    postgres_settings: str = "",
    judge: Mapping[str, Any] | None = None,
    var: Path | None = None,
) -> Iterator[Ground]:
    """Migrated and empty; this process is set up as one of the site's. One in each process.

    settings: of the environment. broker: makes one instead of Redis, in a folder. judge: options of
    tests/provider/options.py. var: VAR_DIR, where it is elsewhere.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assay-drill-")))
        endpoint = stack.enter_context(running_provider(**{"model": "judge", **(judge or {})}))
        postgres = server = None
        signals.raise_if_received()
        if on_servers:
            programs = find_programs()
            servers = folder / "servers"
            servers.mkdir(mode=0o755)
            folder.chmod(0o755)  # PostgreSQL may run as another user
            postgres = stack.enter_context(
                running_postgres(programs.postgres_folder, servers, postgres_settings)
            )
            make_broker = broker or (lambda at: running_redis(programs.redis_server, at))
            server = stack.enter_context(make_broker(folder))
        signals.raise_if_received()
        for name in [name for name in os.environ if name.startswith(OWN_PREFIXES)]:
            del os.environ[name]
        os.environ |= {
            **SETTINGS,
            **settings,
            "VAR_DIR": str(var or folder / "var"),
            "JUDGE_ENDPOINTS": f"lab={endpoint.url}",
            "DATABASE_URL": postgres.url if postgres else "",
            "BROKER_URL": server.url if server else "",
        }
        for name in ("DATABASE_URL", "BROKER_URL"):
            if not os.environ[name]:
                del os.environ[name]
        (var or folder / "var").mkdir()
        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0, interactive=False)
        yield Ground(folder, endpoint, signals, postgres, server)


def request_run(ground: Ground, questions: int) -> "JudgeRun":
    """Of a TouchStone release of our own, asked about in both orders: two calls a question."""
    from bench.judging_worker import make_release, submit
    from benchmarks.registry import protocol
    from judging.services import ensure_spec, request_run

    spec = ensure_spec(of=protocol("touchstone"), kind="openai", endpoint="lab", model="judge")
    return request_run(submission=submit(make_release(ground.folder, questions)), spec=spec)


def is_scored(run: int) -> bool:
    from leaderboard.models import Scoresheet

    return Scoresheet.objects.filter(run=run).exists()


@dataclass
class Visits:
    """Answers by status, 0 where there was none; `slowest` in seconds."""

    statuses: Counter[int] = field(default_factory=Counter)
    slowest: float = 0.0

    @property
    def errors(self) -> int:
        return sum(count for status, count in self.statuses.items() if status >= 500)


@contextmanager
def visited(url: str, paths: Sequence[str], *, pause: float = 0.2) -> Iterator[Visits]:
    """While the block runs, a visitor asks for these pages in turn."""
    visits, ended = Visits(), threading.Event()

    def visit() -> None:
        while True:
            for path in paths:
                if ended.wait(pause):
                    return
                start = time.monotonic()
                visits.statuses[status_of(url + path)] += 1
                visits.slowest = max(visits.slowest, time.monotonic() - start)

    visitor = threading.Thread(target=visit, daemon=True)
    visitor.start()
    try:
        yield visits
    finally:
        ended.set()
        visitor.join(timeout=60)


def status_of(address: str, seconds: float = 30) -> int:
    try:
        with urllib.request.urlopen(address, timeout=seconds) as reply:
            reply.read()
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def site_address(ground: Ground, port: int) -> str:
    """Of the web process on that port, once it answers."""
    url = f"http://{HOST}:{port}"
    ground.wait(lambda: status_of(f"{url}/health/live", 2) == 200, START_SECONDS, "the site")
    return url
