"""The processes of a site on one machine: web, workers and beat, under honcho."""

import os
import shlex
import signal
import socket
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path

import django
from django.utils.module_loading import import_string
from honcho.manager import Manager

from judging.engine.stopping import STOPPING

HOST = "127.0.0.1"
NICER = 10
"""Steps by which workers yield to pages where both want a processor: a judgement that comes later
by as much as a page takes is late for nobody. The units and containers of deploy/ say the same."""
GUNICORN = "gunicorn leaderboard.wsgi --threads 4 --no-control-socket --forwarder-headers="
"""A web server. Of a request from this machine, where proxies are, gunicorn would take the header
SCRIPT_NAME for a part of its own address, whoever sent it; with an empty list it takes none. The
unit and the image of deploy/ say the same."""
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


def site_processes(
    *,
    port: int,
    broker_url: str,
    web_processes: int = 1,
    workers: int = 1,
    with_beat: bool = False,
    site_url: str = "",
) -> dict[str, tuple[str, dict[str, str]]]:
    """Commands and environments by process name. Without `broker_url` the workers look for work
    themselves.

    Each of the `workers` judges with two processes of its own. Without beat, the workers sweep by
    themselves.
    """
    processes: dict[str, tuple[str, dict[str, str]]] = {}
    environment = {
        "BROKER_URL": broker_url,
        "PYTHONWARNINGS": "ignore",
        "LOG_LEVEL": os.environ.get("LOG_LEVEL") or "WARNING",
    }
    if site_url:
        environment["SITE_URL"] = site_url
    python = shlex.quote(sys.executable)
    web = f"--bind {HOST}:{port} --workers {web_processes} --log-level warning"
    processes["web"] = (f"{python} -m {GUNICORN} {web}", environment)
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


def child_process(job: str) -> BaseProcess:
    """A new process that calls the function of this dotted name once. Told to terminate, it ends
    what is under way in order (judging.engine.stopping)."""
    return get_context("spawn").Process(target=work_as_child, args=(job,), daemon=True)


def work_as_child(job: str) -> None:
    # In a thread: a handler that waited for the event's lock could have interrupted who holds it.
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=STOPPING.set).start())
    set_up()
    import_string(job)()


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
