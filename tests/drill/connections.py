"""A PostgreSQL that takes twelve connections, a site of three web processes and two workers, and
forty readers at once while a run is judged: what is asked, and how soon there is room again.

python -m tests.drill.connections      own servers, own endpoint, about a minute
"""

import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import psycopg

from deploy.private_services import Postgres, StopSignals
from leaderboard.operations.processes.supervisor import free_port
from tests.chaos.workers import running_workers
from tests.drill.ground import (
    START_SECONDS,
    ground,
    is_scored,
    request_run,
    site_address,
)
from tests.drill.outcome import Outcome, books, play

MOST = 12
READERS = 40
LOAD_SECONDS = 6.0
QUESTIONS = 60
LATENCY_MS = 700
RECOVERED_SECONDS = 5.0  # after the last reader has gone
LIMIT_SECONDS = 60.0
PAGE = "/models/?q=a"


def drill(signals: StopSignals) -> Outcome:
    settings = {"JUDGE_CONCURRENCY": "4", "VISITOR_SHARE": "1", "TRUSTED_PROXIES": "1"}
    with ground(
        signals,
        settings,
        postgres_settings=f"max_connections = {MOST}\n",
        judge={"latency": LATENCY_MS},
    ) as site:
        from django.core.management import call_command
        from django.db import connections

        from benchmarks.wake import wake

        call_command("collectstatic", verbosity=0, interactive=False)
        assert site.postgres is not None
        port = free_port()
        processes = site.processes(port=port)
        web, *workers = processes.values()
        web.command[web.command.index("--workers") + 1] = "3"
        run = request_run(site, QUESTIONS)
        connections.close_all()
        with running_workers([web, *workers]):
            address = site_address(site, port)
            site.wait(lambda: all(worker.is_ready for worker in workers), START_SECONDS)
            wake()
            site.wait(lambda: site.in_flight() > 0, START_SECONDS, "the first calls")
            with readers(address) as statuses:
                time.sleep(LOAD_SECONDS)
            start = time.monotonic()
            site.wait(
                lambda: all(status_for(f"10.2.0.{n}", address) == 200 for n in range(20)),
                LIMIT_SECONDS,
                "twenty pages",
            )
            seconds = time.monotonic() - start
            after = Counter(status_for(f"10.1.0.{n}", address) for n in range(20))
            site.wait(lambda: is_scored(run.pk), LIMIT_SECONDS, "the scores")
            connections.close_all()
            time.sleep(6)  # beyond what any process keeps for its next work
            idle = max(held(site.postgres) or MOST for _ in every(0.5, 6))
        found = books(run.pk, 2 * QUESTIONS, site.judge, seconds=seconds)
        asked = ", ".join(f"{n:,} × {status}" for status, n in sorted(statuses.items()))
        return replace(
            found,
            errors=sum(n for status, n in after.items() if status != 200),
            notes=(f"under load: {asked}",),
            promises={
                **found.promises,
                f"the limit was met ({statuses[503]:,} × 503)": statuses[503] > 0,
                f"twenty pages in a row {seconds:.1f} s after the load": (
                    seconds <= RECOVERED_SECONDS
                ),
                "no error after that": after == {200: 20},
                f"{idle} connections held by two idle workers and the web": idle <= len(workers),
            },
        )


def every(pause: float, seconds: float) -> Iterator[None]:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield
        time.sleep(pause)


def held(postgres: Postgres | None) -> int | None:
    """Connections that are older than six seconds, beside this one; None where there is no room for
    this one. What two threads of a worker needed at once is closed after three to five."""
    assert postgres is not None
    try:
        with psycopg.connect(postgres.url, connect_timeout=5) as connection:
            row = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' "
                "AND backend_start < now() - interval '6 seconds'"
            ).fetchone()
    except psycopg.OperationalError:
        return None
    return int(row[0]) if row else 0


def status_for(visitor: str, address: str) -> int:
    """0 where there is no answer. As a proxy hands it on: each visitor has a share of its own."""
    request = urllib.request.Request(f"{address}{PAGE}", headers={"X-Forwarded-For": visitor})
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            reply.read()
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


@contextmanager
def readers(address: str) -> Iterator[Counter[int]]:
    """READERS at once, each with an address of its own, for as long as the block runs."""
    ended, statuses, lock = threading.Event(), Counter[int](), threading.Lock()

    def read(number: int) -> None:
        while not ended.is_set():
            status = status_for(f"10.0.0.{number}", address)
            with lock:
                statuses[status] += 1

    threads = [threading.Thread(target=read, args=(n,), daemon=True) for n in range(READERS)]
    with ExitStack() as stack:
        for thread in threads:
            thread.start()
            stack.callback(thread.join, 60)
        stack.callback(ended.set)
        yield statuses


if __name__ == "__main__":
    sys.exit(play("connections", drill))
