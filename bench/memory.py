"""Memory of workers: at rest, while one scores the largest run there may be, and afterwards.

Linux only. Each line is of a process of its own, as a worker's is; `python -m bench.memory FAMILY`
is one of them, in the environment that bench.__main__ sets.
"""

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.measuring import Measured

REST = 200
SCORING = 300
KEPT = 50  # what a process keeps of its first work: modules, connections, remembered answers


def measure() -> Iterator[Measured]:
    """Of every family a run of 10,290 answers, judged three times: what scoring it takes."""
    from bench.large_runs import DATASETS_OF, ROWS, large_run  # noqa: PLC0415 - needs models

    for family in DATASETS_OF:
        large_run(family)
        command = [sys.executable, "-m", "bench.memory", family]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        rest, peak, after = map(float, told.split())
        yield Measured(f"{family}: a process at rest", rest, "MB", REST)
        yield Measured(f"{family}: scoring {ROWS:,} x 3, above that", peak, "MB", SCORING)
        yield Measured(f"{family}: kept afterwards", max(after, 0.1), "MB", KEPT)


def score(family: str) -> None:
    """Prints the megabytes at rest, and of these above rest the highest and those kept."""
    import django  # noqa: PLC0415 - this process alone needs it

    django.setup()
    from judging.models import JudgeRun  # noqa: PLC0415 - models are ready only now
    from leaderboard.operations.processes.memory import trim_memory  # noqa: PLC0415
    from leaderboard.results.services import score_run  # noqa: PLC0415

    run = JudgeRun.objects.get(submission__release__slug=f"large-{family}")
    gc.collect()
    rest = resident_megabytes()
    forget_highest()
    score_run(run=run)
    peak = resident_megabytes("VmHWM")
    trim_memory()
    print(rest, peak - rest, resident_megabytes() - rest)


def resident_megabytes(field: str = "VmRSS") -> float:
    """Of this process; VmHWM is the highest since `forget_highest`."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return float(next(line for line in lines if line.startswith(field)).split()[1]) / 1024


def forget_highest() -> None:
    Path("/proc/self/clear_refs").write_text("5")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    score(sys.argv[1])
