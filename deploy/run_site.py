#!/usr/bin/env python3
"""Runs a whole site on this machine as a host with units or containers runs it: web, two workers,
beat.

    .venv/bin/python deploy/run_site.py    private PostgreSQL and Redis, gone when the site stops
    DATABASE_URL=… BROKER_URL=… .venv/bin/python deploy/run_site.py     servers that are there

--demo loads the bundled content and prints accounts. Ctrl-C stops everything: each process is asked
once, by its id, and killed only after GRACE_SECONDS (PRIVATE_GRACE_SECONDS with private servers). A
process that ends by itself is reported and the others go on, as they would; what it leaves behind
is killed with it.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from leaderboard.operations.supervisor import HOST, free_port, site_processes  # noqa: E402 - by the line above

GRACE_SECONDS = 40
PRIVATE_GRACE_SECONDS = 8  # private_services.py kills us after ten
POLL_SECONDS = 0.2
URLS = ("DATABASE_URL", "BROKER_URL")


class Stopped(Exception):
    """Ctrl-C, or a request to end, before any process of the site was started."""


def on_stop(handler: Callable[[int, FrameType | None], None]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)


def give_up(_number: int, _frame: FrameType | None) -> None:
    raise Stopped


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The processes of a site, without containers.")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--web-processes", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--demo", action="store_true", help="load the bundled content and make demo accounts"
    )
    parser.add_argument(
        "--temporary", action="store_true", help="keep files in a folder that goes with the site"
    )
    return parser.parse_args()


def start_again_with_private_servers() -> None:
    script = str(PROJECT / "deploy" / "private_services.py")
    print(
        "Starting a private PostgreSQL and Redis; what is in them goes when the site stops.",
        flush=True,
    )
    command = [sys.executable, script, sys.executable, __file__, *sys.argv[1:], "--temporary"]
    os.execv(sys.executable, command)  # noqa: S606 - our own interpreter


def manage(*arguments: str) -> str:
    """What a management command prints; its errors go to the terminal."""
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(
        command, cwd=PROJECT, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def prepare(*, with_demo: bool) -> None:
    if not with_demo:
        manage("migrate", "--no-input", "-v", "0")
        manage("collectstatic", "--no-input", "-v", "0")
        return
    if not os.environ.get("STAFF_SECOND_FACTOR"):
        os.environ["STAFF_SECOND_FACTOR"] = "false"  # as `manage.py demo` does
    manage("demo", "--setup-only", "--small")
    for line in manage("passwords").splitlines():
        address, password = line.split()
        print(f"  account {address}  password {password}", flush=True)


def start(name: str, command: str, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """In a session of its own: Ctrl-C reaches it once, through us, and its children can be found by
    its id."""
    process = subprocess.Popen(
        shlex.split(command),
        cwd=PROJECT,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    print(f"  {name} is process {process.pid}", flush=True)
    return process


def watch(running: dict[str, subprocess.Popen[bytes]], stopping: threading.Event) -> None:
    """Returns once none is left or all are to stop; what ends by itself is said."""
    while running and not stopping.wait(POLL_SECONDS):
        for name, process in list(running.items()):
            if process.poll() is not None:
                print(f"  {name} ended with status {process.returncode}", flush=True)
                end({name: running.pop(name)}, grace_seconds=0)


def end(running: dict[str, subprocess.Popen[bytes]], grace_seconds: float) -> None:
    """Each is asked to end and waited for; then whatever is left of it, or of its children, is
    killed."""
    for process in running.values():
        process.terminate()
    deadline = time.monotonic() + grace_seconds
    for name, process in running.items():
        try:
            process.wait(timeout=max(deadline - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            print(f"  {name} did not end within {grace_seconds} s", flush=True)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def serve(arguments: argparse.Namespace) -> None:
    prepare(with_demo=arguments.demo)
    port = free_port(arguments.port)
    processes = site_processes(
        port=port,
        broker_url=os.environ["BROKER_URL"],
        web_processes=arguments.web_processes,
        workers=arguments.workers,
        with_beat=True,
    )
    running: dict[str, subprocess.Popen[bytes]] = {}
    stopping = (
        threading.Event()
    )  # an exception could come between the start of a process and the note of its id
    on_stop(lambda _number, _frame: stopping.set())
    try:
        for name, (command, environment) in processes.items():
            running[name] = start(name, command, environment)
        print(f"\n  Assay is at http://{HOST}:{port}/\n  Ctrl-C stops everything.\n", flush=True)
        watch(running, stopping)
    finally:
        end(running, PRIVATE_GRACE_SECONDS if arguments.temporary else GRACE_SECONDS)


def main() -> int:
    arguments = read_arguments()
    given = [name for name in URLS if os.environ.get(name)]
    if not given:
        start_again_with_private_servers()
    if len(given) == 1:
        print(
            f"run_site: {given[0]} is set alone; set both of {' and '.join(URLS)}, or neither.",
            file=sys.stderr,
        )
        return 2
    on_stop(give_up)
    with ExitStack() as stack:
        if arguments.temporary:
            os.environ["VAR_DIR"] = stack.enter_context(
                tempfile.TemporaryDirectory(prefix="assay-site-")
            )
        try:
            with suppress(Stopped):
                serve(arguments)
        except subprocess.CalledProcessError as error:
            print(
                f"run_site: {' '.join(error.cmd[1:])} failed with status {error.returncode}.",
                file=sys.stderr,
            )
            return 1
    print("Stopped.", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
