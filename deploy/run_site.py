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
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from leaderboard.operations.processes.supervisor import (  # noqa: E402 - by the line above
    HOST,
    STOPS,
    PortError,
    Processes,
    free_port,
    on_stop,
    port_number,
    site_processes,
)

GRACE_SECONDS = 40
PRIVATE_GRACE_SECONDS = 8  # private_services.py kills us after ten
POLL_SECONDS = 0.2
URLS = ("DATABASE_URL", "BROKER_URL")


class Stopped(Exception):
    """Ctrl-C, or a request to end, before any process of the site was started."""


def give_up(_number: int, _frame: FrameType | None) -> None:
    raise Stopped


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The processes of a site, without containers.")
    parser.add_argument("--port", type=port_number, default=8000)
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


def watch(site: Processes, stopping: threading.Event) -> None:
    """Returns once none is left or all are to stop; what ends by itself is said."""
    while site.running and not stopping.wait(POLL_SECONDS) and site.guard.poll() is None:
        for name, status in site.take_ended().items():
            print(f"  {name} ended with status {status}", flush=True)


def serve(arguments: argparse.Namespace) -> None:
    port = free_port(arguments.port)
    prepare(with_demo=arguments.demo)
    processes = site_processes(
        port=port,
        broker_url=os.environ["BROKER_URL"],
        web_processes=arguments.web_processes,
        workers=arguments.workers,
        with_beat=True,
    )
    stopping = (
        threading.Event()
    )  # an exception could come between the start of a process and the note of its id
    on_stop(stopping)
    site = Processes(PRIVATE_GRACE_SECONDS if arguments.temporary else GRACE_SECONDS)
    try:
        for name, (command, environment) in processes.items():
            pid = site.start(name, command, environment, cwd=PROJECT)
            print(f"  {name} is process {pid}", flush=True)
        print(f"\n  Assay is at http://{HOST}:{port}/\n  Ctrl-C stops everything.\n", flush=True)
        watch(site, stopping)
    finally:
        site.end()


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
    for number in STOPS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, give_up)
    with ExitStack() as stack:
        if arguments.temporary:
            os.environ["VAR_DIR"] = stack.enter_context(
                tempfile.TemporaryDirectory(prefix="assay-site-")
            )
        try:
            with suppress(Stopped):
                serve(arguments)
        except PortError as error:
            print(f"run_site: {error}", file=sys.stderr)
            return 2
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
