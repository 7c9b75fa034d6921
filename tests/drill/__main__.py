"""Faults of machines, one after the other, each against real processes: what was asked, judged,
asked twice, answered with an error, and how long it took. Status 1 if a promise is broken.

python -m tests.drill                all of them
python -m tests.drill --short        those that CI runs
python -m tests.drill "lost redis"   by name; --list says which there are
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.drill.outcome import OUTCOME_FILE
from tests.site import PROJECT

LIMIT_SECONDS = 900.0
"""Of one drill: the longest takes a quarter of it."""


@dataclass(frozen=True)
class Drill:
    """command: what follows `python -m`. short: a step of CI, a minute or two each. Four that are
    as short are none: chaos empties Redis too, and test_backup.py, test_disk_full.py and
    test_file_marks.py look at the rest."""

    name: str
    command: str
    short: bool = False


DRILLS = (
    Drill("killed workers", "tests.drill.killed_workers"),
    Drill("lost redis", "tests.drill.lost_broker"),
    Drill("lost rabbitmq", "tests.drill.lost_broker rabbitmq"),
    Drill("emptied redis", "tests.drill.lost_broker --emptied"),
    Drill("recovery", "tests.drill.recovery"),
    Drill("old backup", "tests.drill.old_backup"),
    Drill("old backup, embedded", "tests.drill.old_backup embedded"),
    Drill("two versions", "tests.drill.two_versions"),
    Drill("clock", "tests.drill.clock"),
    Drill("connections", "tests.drill.connections"),
    Drill("other host", "tests.drill.other_host"),
    Drill("full disk", "tests.drill.full_disk"),
    Drill("chaos", "tests.chaos", short=True),
    Drill("closed terminal", "tests.drill.closed_terminal", short=True),
)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.drill", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *(drill.name for drill in DRILLS)])
    parser.add_argument("--short", action="store_true", help="only those that CI runs")
    parser.add_argument("--list", action="store_true", help="say which there are")
    return parser.parse_args()


def run(drill: Drill, folder: Path) -> dict[str, Any]:
    """What it counted, with its exit status; its lines are printed as they come."""
    sys.stdout.write(f"\n{drill.name}\n")
    sys.stdout.flush()
    file, start = folder / f"{drill.name}.json", time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", *shlex.split(drill.command)],
        cwd=PROJECT,
        env={**os.environ, OUTCOME_FILE: str(file)},
    )
    try:
        status = process.wait(LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        process.terminate()  # it takes its servers and workers with it
        process.wait()
        status = 1
    counted = json.loads(file.read_text()) if file.exists() else {}
    return {**counted, "status": status, "took": time.monotonic() - start}


def table(results: dict[str, dict[str, Any]]) -> str:
    columns = ("calls", "verdicts", "twice", "errors", "seconds", "took")
    lines = [f"{'drill':28}" + "".join(f"{name:>10}" for name in columns)]
    for name, result in results.items():
        shown = "".join(f"{cell(result.get(column)):>10}" for column in columns)
        state = ("holds", "BROKEN")[result["status"] != 0]
        lines.append(f"{name:28}{shown}  {state}")
    return "\n".join(lines)


def cell(value: float | None) -> str:
    return "" if value is None else f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"


def main() -> int:
    arguments = read_arguments()
    chosen = [
        drill
        for drill in DRILLS
        if (drill.name in arguments.names or not arguments.names)
        and (drill.short or not arguments.short)
    ]
    if arguments.list:
        sys.stdout.writelines(f"{drill.name}\n" for drill in chosen)
        return 0
    with tempfile.TemporaryDirectory(prefix="assay-drill-") as folder:
        results = {drill.name: run(drill, Path(folder)) for drill in chosen}
    sys.stdout.write(f"\n{table(results)}\n")
    return int(any(result["status"] for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
