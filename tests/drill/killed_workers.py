"""A full TouchStone run, 908 questions in two orders, while one of two workers dies every 8 s; what
three of them took along is paused for a person, who has it asked again.

python -m tests.drill.killed_workers      own servers, own endpoint, about a minute
"""

import os
import signal
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace

from deploy.private_services import StopSignals
from tests.chaos.workers import Worker, running_workers
from tests.drill.ground import START_SECONDS, ground, is_scored, request_run
from tests.drill.outcome import Outcome, books, play

QUESTIONS = 908
KILL_SECONDS = 8.0
LIMIT_SECONDS = 240.0
LATENCY_MS = 500


def drill(signals: StopSignals) -> Outcome:
    settings = {"JUDGE_LEASE_SECONDS": "4", "JUDGE_CONCURRENCY": "16", "SWEEP_SECONDS": "1"}
    with ground(signals, settings, judge={"latency": LATENCY_MS}) as site:
        from benchmarks.wake import wake
        from judging.models import JudgeCall, Judgement
        from judging.services import retry_judgements
        from leaderboard.models import Scoresheet

        run = request_run(site, QUESTIONS)
        workers = list(site.processes().values())
        kills = 0
        with running_workers(workers):
            site.wait(lambda: all(worker.is_ready for worker in workers), START_SECONDS)
            start = next_kill = time.monotonic()
            wake()
            while not is_scored(run.pk) and time.monotonic() - start < LIMIT_SECONDS:
                time.sleep(0.1)
                signals.raise_if_received()
                if time.monotonic() >= next_kill:
                    kills += kill_one(workers, kills)
                    next_kill += KILL_SECONDS
            seconds = time.monotonic() - start
            paused = Judgement.objects.filter(run=run.pk, state=Judgement.State.PAUSED)
            why = Counter(paused.values_list("reason", flat=True))
            retry_judgements(keys=[*paused.values_list("pk", flat=True)], by=None)
            wake()
            site.wait(lambda: not paused.exists() and is_judged(run.pk), START_SECONDS)
            site.wait(lambda: Scoresheet.objects.get(run=run).coverage == 1.0, START_SECONDS)
        found = books(run.pk, 2 * QUESTIONS, site.judge, seconds=seconds)
        ledger = Counter(JudgeCall.objects.values_list("outcome", flat=True))
        unknown, left = ledger["open"] + ledger["unknown"], ledger.total() - ledger["unsent"]
        calls, twice = found.calls or 0, found.twice or 0
        sheet = Scoresheet.objects.filter(run=run).first()
        share = sheet.coverage if sheet else 0.0
        judged, *_, money = found.promises.items()  # who is killed may have asked: not the rest
        return replace(
            found,
            notes=(
                f"{kills} kills",
                *(f"{count} paused: {reason}" for reason, count in why.items()),
            ),
            promises=dict((judged, money))
            | {
                "what is paused is so after three unknown calls": all(
                    reason.startswith("3 calls may") for reason in why
                ),
                f"scored, coverage {share:.0%}": share == 1.0,
                f"{twice} paid again <= {unknown} of unknown outcome in the ledger": (
                    0 <= twice <= unknown
                ),
                f"{calls:,} requests <= {left:,} rows of the ledger": calls <= left,
            },
        )


def is_judged(run: int) -> bool:
    from judging.models import Judgement

    return not Judgement.objects.filter(run=run).exclude(state="judged").exists()


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


if __name__ == "__main__":
    sys.exit(play("killed workers", drill))
