"""A demo whose set-up is interrupted, whose terminal is closed, and whose manager is killed: what
is left of its processes, and what the next start says.

python -m tests.drill.closed_terminal      on SQLite, without a broker; under a minute
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from deploy.private_services import ServiceError, StopSignals
from tests.drill.outcome import Outcome, play
from tests.site import OWN_SETTINGS, PROJECT, answers

START_SECONDS = 120.0
END_SECONDS = 10.0
"""Promised: five of grace, and what it takes to be killed."""
ENDINGS = {"terminal closed": signal.SIGHUP, "manager killed": signal.SIGKILL}
ACCOUNTS = 4
"""Of a demo: admin, researcher, annotator and reviewer."""
URL = re.compile(r"http://127\.0\.0\.1:\d+/")


def main() -> int:
    return play("closed terminal", drill)


def drill(signals: StopSignals) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="assay-drill-") as name:
        folder = Path(name)
        promises = interrupted(folder, signals)
        slowest, notes = 0.0, []
        for ending, number in ENDINGS.items():
            with demo(folder, signals) as (process, log):
                wait(partial(is_there, log), START_SECONDS, signals)
                if number == signal.SIGHUP:
                    promises |= beside(folder, log)
                promises |= {f"{ending}: {one}": holds for one, holds in shown(log, number).items()}
                before = of_site(folder)
                process.send_signal(number)
                seconds = wait(lambda: not of_site(folder), END_SECONDS, signals, may_fail=True)
                left = len(of_site(folder))
                notes.append(
                    f"{ending}: {len(before)} processes before, {left} after {seconds:.1f} s"
                )
                promises[f"{ending}: all {len(before)} end within {END_SECONDS:g} s"] = (
                    len(before) > 4 and not left
                )
                slowest = max(slowest, seconds)
    return Outcome(seconds=slowest, promises=promises, notes=tuple(notes))


def interrupted(folder: Path, signals: StopSignals) -> dict[str, bool]:
    """By Ctrl-C, which reaches all that the terminal has started."""
    with demo(folder, signals) as (process, log):
        wait(lambda: "Content: " in log.read_text(), START_SECONDS, signals)
        os.killpg(process.pid, signal.SIGINT)
        seconds = wait(lambda: not of_site(folder), END_SECONDS, signals, may_fail=True)
        said = log.read_text()
    return {
        "Ctrl-C in set-up: a line, no traceback": "Traceback" not in said
        and said.rstrip().endswith("Stopped. Started again, set-up goes on where it was."),
        f"Ctrl-C in set-up: all end within {END_SECONDS:g} s": seconds < END_SECONDS,
    }


def shown(log: Path, number: signal.Signals) -> dict[str, bool]:
    """The first start after the interrupted one has passwords to show, the next one none."""
    count = log.read_text().count("  password ")
    return (
        {"passwords not shown yet are shown": count == ACCOUNTS}
        if number == signal.SIGHUP
        else {"passwords that were shown are not": count == 0}
    )


def beside(folder: Path, log: Path) -> dict[str, bool]:
    ended = subprocess.run(
        [sys.executable, "manage.py", "demo", "--small", "--port", "0"],
        cwd=PROJECT,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
    )
    url = URL.search(log.read_text())
    is_told = url is not None and f"at {url[0]}. Stop it first" in ended.stderr
    return {
        "a second start is refused, and told who has the folder": ended.returncode == 2 and is_told
    }


@contextmanager
def demo(folder: Path, signals: StopSignals) -> Iterator[tuple["subprocess.Popen[bytes]", Path]]:
    log = folder / f"log-{time.monotonic_ns()}"
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "demo", "--small", "--port", "0"],
            cwd=PROJECT,
            env=environment(folder),
            stdout=out,
            stderr=out,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            yield process, log
        finally:
            for pid in of_site(folder):
                os.kill(pid, signal.SIGKILL)
            process.kill()
            process.wait()


def environment(folder: Path) -> dict[str, str]:
    others = {name: text for name, text in os.environ.items() if name not in OWN_SETTINGS}
    return others | {
        "VAR_DIR": str(folder / "var"),
        "SECRET_KEY": "drill-only-key-that-protects-nothing-at-all",
        "EMAIL_URL": "memory:",
    }


def is_there(log: Path) -> bool:
    url = URL.search(log.read_text())
    return url is not None and answers(url[0]) and "Ctrl-C stops everything" in log.read_text()


def of_site(folder: Path) -> list[int]:
    """Processes with our folder in their environment, but for those that have ended."""
    wanted, found = f"VAR_DIR={folder}/var", []
    listed = subprocess.run(
        ["ps", "axeww", "-o", "pid=,stat=,args="], capture_output=True, text=True
    )
    for line in listed.stdout.splitlines():
        pid, state, *_ = line.split(None, 2)
        if wanted in line and not state.startswith("Z"):
            found.append(int(pid))
    return found


def wait(
    condition: Callable[[], bool], seconds: float, signals: StopSignals, *, may_fail: bool = False
) -> float:
    start = time.monotonic()
    while not condition() and (took := time.monotonic() - start) < seconds:
        signals.raise_if_received()
        time.sleep(0.1)
    took = time.monotonic() - start
    if took >= seconds and not may_fail:
        raise ServiceError(f"the demo: not there within {seconds:g} s.")
    return took


if __name__ == "__main__":
    sys.exit(main())
