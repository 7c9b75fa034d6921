"""A full TouchStone run, 908 questions in two rounds, on PostgreSQL + Redis, while one of two
workers dies every 3 s.

python -m tests.drill.killed_workers      own servers, own provider, about a minute; status 1
                                          where anything is amiss
"""

import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

import django

from deploy.private_services import StopSignals, find_programs, running_postgres, running_redis
from leaderboard.operations.supervisor import site_processes
from tests.chaos.workers import Worker, running_workers
from tests.provider import RunningProvider, running_provider

QUESTIONS = 908
KILL_SECONDS = 3.0
LIMIT_SECONDS = 240.0
LATENCY_MS = 500
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
    "SECRET_KEY": "drill-only-key-that-protects-nothing-at-all",
    "EMAIL_URL": "memory:",
    "LOG_LEVEL": "WARNING",
    "JUDGE_LEASE_SECONDS": "4",
    "JUDGE_CONCURRENCY": "16",
    "JUDGE_PRICES_LAB": "judge=2.5/10",
    "BUDGET_SITE_DAY": "1000000",
    "SWEEP_SECONDS": "1",
}


def main() -> int:
    signals = StopSignals()
    signals.install()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assay-drill-")))
        programs = find_programs()
        postgres = stack.enter_context(running_postgres(programs.postgres_folder, folder))
        redis = stack.enter_context(running_redis(programs.redis_server, folder))
        provider = stack.enter_context(running_provider(latency=LATENCY_MS, model="judge"))
        os.environ |= {
            **SETTINGS,
            "VAR_DIR": str(folder),
            "DATABASE_URL": postgres.url,
            "BROKER_URL": redis.url,
            "JUDGE_ENDPOINTS": f"lab={provider.url}",
        }
        django.setup()
        processes = site_processes(port=0, broker_url=redis.url, workers=2)
        workers = [
            Worker(name, command.replace("WARNING", "INFO"), {**os.environ, **own}, folder)
            for name, (command, own) in processes.items()
            if name.startswith("worker")
        ]
        return drill(folder, workers, provider, signals)


def drill(
    folder: Path, workers: list[Worker], provider: RunningProvider, signals: StopSignals
) -> int:
    from django.core.management import call_command

    from bench.judging_worker import make_release, submit
    from benchmarks.registry import protocol
    from benchmarks.wake import wake
    from judging.services import ensure_spec, request_run

    call_command("migrate", verbosity=0, interactive=False)
    spec = ensure_spec(of=protocol("touchstone"), kind="openai", endpoint="lab", model="judge")
    run = request_run(submission=submit(make_release(folder, QUESTIONS)), spec=spec)
    start = time.monotonic()
    kills = 0
    with running_workers(workers):
        wake()
        next_kill = start + KILL_SECONDS
        while not is_scored(run.pk) and time.monotonic() - start < LIMIT_SECONDS:
            time.sleep(0.1)
            signals.raise_if_received()
            if time.monotonic() >= next_kill:
                kills += kill_one(workers, kills)
                next_kill += KILL_SECONDS
        took = time.monotonic() - start
    return report(run.pk, provider.stats(), kills, took)


def kill_one(workers: list[Worker], turn: int) -> bool:
    """One of both dies and is started again; while the other is still starting, a pool process of
    it does instead."""
    ready = [worker for worker in workers if worker.is_ready]
    if len(ready) == len(workers):
        ready[turn % 2].kill()
        ready[turn % 2].start()
        return True
    pool = [child for worker in ready for child in worker.pool()]
    if pool:
        with suppress(ProcessLookupError):
            os.kill(pool[turn % len(pool)], signal.SIGKILL)
    return bool(pool)


def is_scored(run: int) -> bool:
    from leaderboard.models import Scoresheet

    return Scoresheet.objects.filter(run=run).exists()


def report(
    run: int, stats: Mapping[str, dict[str, Mapping[str, int]]], kills: int, took: float
) -> int:
    """What the drill is for: everything judged once, and every call beyond that in the ledger as
    unknown."""
    from judging.models import JudgeCall, Judgement
    from judging.money import spend_drift
    from leaderboard.models import Scoresheet

    states = Counter(Judgement.objects.filter(run=run).values_list("state", flat=True))
    ledger = Counter(JudgeCall.objects.values_list("outcome", flat=True))
    completed = sum(answer["completed"] for answer in stats["answers"].values())
    requests = int(str(stats["requests"]))
    extra = completed - 2 * QUESTIONS
    unknown = ledger["open"] + ledger["unknown"]
    sheet = Scoresheet.objects.filter(run=run).first()
    left = sum(ledger.values()) - ledger["unsent"]
    lines = {
        f"{states['judged']} of {2 * QUESTIONS} judged": states == {"judged": 2 * QUESTIONS},
        f"scored, coverage {sheet.coverage if sheet else 0:.0%}": sheet is not None
        and sheet.coverage == 1.0,
        f"{extra} calls paid again <= {unknown} of unknown outcome in the ledger": 0
        <= extra
        <= unknown,
        f"{requests} requests seen <= {left} ledger rows": requests <= left,
        f"spend and ledger differ in {len(spend_drift())} scopes": not spend_drift(),
    }
    sys.stdout.write(f"killed workers: {kills} kills in {took:.0f} s, ledger {dict(ledger)}\n")
    for line, holds in lines.items():
        sys.stdout.write(f"  {'holds' if holds else 'BROKEN'}  {line}\n")
    return 0 if all(lines.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
