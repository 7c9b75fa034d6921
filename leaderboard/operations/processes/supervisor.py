"""The processes of a site on one machine: web, workers and beat. They end with the process that
started them, and one such process at a time has a folder."""

import fcntl
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager, suppress
from functools import partial
from http.client import HTTPConnection, HTTPException
from multiprocessing import active_children, get_context, parent_process, resource_tracker
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TextIO

import django
from django.utils.module_loading import import_string

from judging.engine.stopping import STOPPING
from leaderboard.operations.processes import guard

HOST = "127.0.0.1"
NICER = 10
"""Steps by which workers yield to pages where both want a processor: a judgement that comes later
by as much as a page takes is late for nobody. The units and containers of deploy/ say the same."""
GUNICORN = "gunicorn leaderboard.wsgi --threads 4 --no-control-socket --forwarder-headers="
"""A web server. Of a request from this machine, where proxies are, gunicorn would take the header
SCRIPT_NAME for a part of its own address, whoever sent it; with an empty list it takes none. The
unit and the image of deploy/ say the same."""
LAST_PORT = 65_535
POLL_SECONDS = 0.1
ANSWER_SECONDS = 60.0  # after which one is asked again; a web process takes three on two idle cores
Ended = Callable[[], int | None]
"""The status of a process that ended; None while it runs."""

GRACE_SECONDS = 5.0
"""Between asking processes to end and killing them: whoever closes a terminal, or says Ctrl-C,
waits no longer. What a worker was at is taken up by the next one."""
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PROCESSES = 2
"""That judge at a time: the smallest machine has as many cores, and SQLite one who writes."""


class PortError(Exception):
    """The message says what to do."""


def port_number(text: str) -> int:
    """For arguments of commands; 0: any free one."""
    if not (text.isascii() and text.isdigit() and int(text) <= LAST_PORT):
        raise ArgumentTypeError(
            f"{text!r} is no port. Say a number from 1 to {LAST_PORT}, or 0 for any free one."
        )
    return int(text)


def free_port(wanted: int = 0) -> int:
    """`wanted` if nobody listens there, else any free port. PortError: this user may not have it,
    free or not."""
    for candidate in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, candidate))
            except PermissionError:
                raise PortError(
                    f"Only root may listen on port {wanted}. Choose one from 1024 up, as --port "
                    "8000, and let a proxy hand on to it (docs/operator/set_up_debian.md)."
                ) from None
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise OSError("no free port")


def wait_for_answers(port: int, ended: Ended) -> bool:
    """Whether a site answers there, which is waited for while its process runs."""
    while ended() is None:
        with (
            suppress(OSError, HTTPException),
            closing(HTTPConnection(HOST, port, ANSWER_SECONDS)) as site,
        ):
            site.request("GET", "/health/live")
            site.getresponse()
            return True
        time.sleep(POLL_SECONDS)
    return False


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


@contextmanager
def judging_processes() -> Iterator[ProcessPoolExecutor]:
    """Beside this one, with Django set up. They are new, for connections of a database are not to
    be shared, and import this module first: it needs no models. Ctrl-C is for this process, which
    does not wait for theirs then."""
    pool = ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn"), initializer=set_up_deaf)
    resource_tracker.ensure_running()  # or it would start with them, and unblock what is blocked
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # they start with it, and keep it
    try:
        for _ in range(PROCESSES):  # with each of these starts one: none is idle so soon
            pool.submit(os.getpid)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    try:
        yield pool
    except KeyboardInterrupt:
        for process in active_children():
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


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


def set_up_deaf() -> None:
    """`set_up`, and Ctrl-C, which reaches all that a terminal started, is left to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    set_up()


def end_with_parent() -> None:
    if parent := parent_process():
        parent.join()
    os._exit(1)


# --- what ends together ---------------------------------------------------------------------------


class Processes:
    """Of a site, `running` by name. They end with this process, however it ends: a guard beside it
    (guard.py) sees to that. The files `kept` are open until the last of them and the guard ended,
    whoever killed both."""

    def __init__(self, grace_seconds: float | None = None, kept: Sequence[int] = ()) -> None:
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.kept = kept
        reads, self.life = os.pipe()
        self.guard = subprocess.Popen(  # noqa: S603 - our own file
            [sys.executable, guard.__file__, str(grace_seconds or GRACE_SECONDS)],
            stdin=reads,
            pass_fds=kept,
            start_new_session=True,
        )
        os.close(reads)

    def start(self, name: str, command: str, environment: Mapping[str, str], *, cwd: Path) -> int:
        """Its id. In a session of its own: Ctrl-C reaches it once, through us, and what it starts
        is found by its id."""
        self.running[name] = subprocess.Popen(  # noqa: S603 - of `site_processes`
            shlex.split(command),
            cwd=cwd,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            pass_fds=self.kept,
            start_new_session=True,
            # By itself, before it is another program: told by us, it would be nobody's if we were
            # killed in between. It takes no lock that a thread of this process could hold.
            preexec_fn=partial(tell_guard, self.life),
        )
        return self.running[name].pid

    def take_ended(self) -> dict[str, int]:
        """The status of each that ended since; what it left behind is killed."""
        ended = {
            name: status for name, p in self.running.items() if (status := p.poll()) is not None
        }
        for name in ended:
            pid = self.running.pop(name).pid
            kill_group(pid)
            os.write(self.life, b"-%d\n" % pid)
        return ended

    def end(self) -> None:
        """None is left: the guard asks each, and kills it after its grace."""
        os.close(self.life)
        while self.guard.poll() is None:
            for process in self.running.values():
                process.poll()  # or one that ended would still be there to the guard
            time.sleep(POLL_SECONDS)
        for process in self.running.values():  # where the guard itself was killed
            kill_group(process.pid)
            process.wait()


def tell_guard(life: int) -> None:
    os.write(life, b"%d\n" % os.getpid())


def kill_group(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def on_stop(stopping: threading.Event) -> list[int]:
    """Ctrl-C, a request to end and a closed terminal set `stopping`, but for SIGHUP under nohup.
    Which of them came."""
    received: list[int] = []

    def note(number: int, _frame: object) -> None:
        received.append(number)
        stopping.set()

    for number in STOPS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, note)
    return received


def supervise(
    processes: Mapping[str, tuple[str, Mapping[str, str]]],
    *,
    cwd: Path,
    kept: Sequence[int] = (),
    meanwhile: Callable[[Ended], object] | None = None,
) -> int:
    """Run the processes until Ctrl-C, until the terminal is closed, or until one of them ends; then
    stop them all. The exit status. `meanwhile` is called when the first has started and before the
    others are, and can ask whether it ended: what stops it (KeyboardInterrupt) is raised from here,
    with none left."""
    stopping = threading.Event()
    received, status = on_stop(stopping), 0
    together = Processes(kept=kept)
    try:
        for name, (command, environment) in processes.items():
            if stopping.is_set():
                break
            together.start(name, command, environment, cwd=cwd)
            if meanwhile:
                with interruptible(stopping):
                    meanwhile(together.running[name].poll)
                meanwhile = None
        while not stopping.wait(POLL_SECONDS) and together.guard.poll() is None:
            if ended := together.take_ended():
                status = next(iter(ended.values()))
                statuses = ", ".join(f"{name} with status {code}" for name, code in ended.items())
                sys.stderr.write(f"Ended by itself: {statuses}. Everything else ends with it.\n")
                break
    finally:
        together.end()
    return 128 + received[0] if received else abs(status)


@contextmanager
def interruptible(stopping: threading.Event) -> Iterator[None]:
    """What would set `stopping` is a KeyboardInterrupt here, also where it came just before."""
    before = {n: signal.getsignal(n) for n in STOPS if signal.getsignal(n) != signal.SIG_IGN}
    for number in before:
        signal.signal(number, signal.default_int_handler)
    try:
        if stopping.is_set():
            raise KeyboardInterrupt
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# --- one site of a folder -------------------------------------------------------------------------


class SiteIsRunningError(Exception):
    """The message says whose the folder is, and what to do."""


@contextmanager
def only_site_of(folder: Path) -> Iterator[TextIO]:
    """Nobody else has the folder while this process, or one that keeps the file, is there: the
    system forgets a lock with the last of them. In the file stands who has it. Raises
    SiteIsRunningError."""
    with (folder / "running").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise SiteIsRunningError(who_has(folder, file.read(), processes_with(file))) from None
        write_down(file, "being set up")
        yield file


def write_down(file: TextIO, what: str) -> None:
    file.truncate(0)
    file.write(f"{os.getpid()} {what}\n")
    file.flush()


def processes_with(file: TextIO) -> list[int]:
    """Others that have the file open, as far as the system tells."""
    found = []
    for each in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):
            if each.samefile(file.name) and int(each.parts[2]) != os.getpid():
                found.append(int(each.parts[2]))
    return sorted(set(found))


def who_has(folder: Path, noted: str, left: Sequence[int]) -> str:
    pid, _, what = noted.strip().partition(" ")
    if not (pid.isdigit() and guard.send(int(pid), 0)):
        they = " ".join(map(str, left))
        return (
            f"The site of {folder} was ended, and its processes are ending. Try again soon; if they"
            f" are still there then, end them: kill {they}"
        )
    return (
        f"A site of {folder} is running: process {pid}, {what}. Stop it first, by Ctrl-C in its "
        f"terminal or by kill {pid}, or give this one a folder of its own: VAR_DIR=/another/folder."
    )
