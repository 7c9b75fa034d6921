"""What a site starts ends with whoever started it, and one site at a time has a folder."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing import active_children
from pathlib import Path

import pytest

from leaderboard.operations.processes.supervisor import (
    PROCESSES,
    PortError,
    Processes,
    SiteIsRunningError,
    free_port,
    judging_processes,
    only_site_of,
    site_processes,
    wait_for_answers,
    write_down,
)
from tests.processes import comes_true, is_running
from tests.site import OWN_SETTINGS, PROJECT

WAIT_SECONDS = 30.0  # on a machine that has other work
KEY = "a-key-of-this-test-that-signs-nothing"
# A process of a site with a child of its own, as a worker has; both say who they are.
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
PROGRAM = """
import os, signal, sys, time
{before}
child = os.fork()
open(sys.argv[1], "a").write(f"{{os.getpid()}}\\n")
time.sleep(600)
"""
# The suite may run under nohup, where a closed terminal is to end nothing.
MANAGER = """
import shlex, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from pathlib import Path
from leaderboard.operations.processes import supervisor
supervisor.GRACE_SECONDS = 1.0
command = shlex.join([sys.executable, "-c", sys.argv[1], sys.argv[2]])
with supervisor.only_site_of(Path(sys.argv[2]).parent) as lock:
    status = supervisor.supervise(
        {"web": (command, {}), "worker": (command, {})}, cwd=Path(), kept=[lock.fileno()]
    )
sys.exit(status)
"""
# As the demo does: the first process answers while content is loaded, and workers come after it.
FILLING = MANAGER.replace("import shlex, signal, sys", "import shlex, signal, sys, time").replace(
    "kept=[lock.fileno()]",
    "kept=[lock.fileno()], meanwhile=lambda ended: time.sleep(SECONDS)",
)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return tmp_path / "pids"


@pytest.fixture
def start(notes) -> Iterator[Callable[[str], subprocess.Popen[bytes]]]:
    """A manager with two processes, each with a child; it is returned once all are there."""
    started: list[subprocess.Popen[bytes]] = []

    def run(before: str = "", code: str = MANAGER, there: int = 4) -> subprocess.Popen[bytes]:
        program = PROGRAM.format(before=before)
        manager = subprocess.Popen(
            [sys.executable, "-c", code, program, str(notes)],
            cwd=PROJECT,
            env={**os.environ, "SECRET_KEY": KEY},
            stderr=subprocess.PIPE,
        )
        started.append(manager)
        assert comes_true(lambda: len(pids(notes)) >= there)
        return manager

    yield run
    for manager in started:
        manager.kill()
        manager.wait()
        if manager.stderr:
            manager.stderr.close()  # what is left of its processes may hold the other end
    for pid in pids(notes):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def pids(notes: Path) -> list[int]:
    return [int(pid) for pid in notes.read_text().split()] if notes.exists() else []


def none_is_left(notes: Path) -> bool:
    return not any(map(is_running, pids(notes)))


# --- what ends together ---------------------------------------------------------------------------


@pytest.mark.parametrize("before", ["", STUBBORN], ids=["willing", "stubborn"])
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGKILL])
def test_everything_ends_with_its_manager(start, notes, number, before):
    manager = start(before)
    manager.send_signal(number)
    manager.wait(WAIT_SECONDS)
    assert comes_true(lambda: none_is_left(notes))
    assert manager.returncode == (-number if number == signal.SIGKILL else 128 + number)


@pytest.mark.parametrize("victim", [0, 1], ids=["first", "second"])
def test_one_that_ends_by_itself_ends_the_others_and_what_it_started(start, notes, victim):
    manager = start()
    leaders = [pid for pid in pids(notes) if os.getpgid(pid) == pid]
    os.kill(leaders[victim], signal.SIGKILL)
    assert manager.wait(WAIT_SECONDS) == signal.SIGKILL
    assert comes_true(lambda: none_is_left(notes))


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_content_is_loaded_while_the_first_runs_and_ends_with_it(start, notes, number):
    manager = start(code=FILLING.replace("SECONDS", "600"), there=2)
    time.sleep(0.2)  # it is filling, or just before
    manager.send_signal(number)
    said = manager.communicate(timeout=WAIT_SECONDS)[1].decode()
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert comes_true(lambda: none_is_left(notes))
    assert len(pids(notes)) == 2


def test_the_others_start_when_content_is_loaded_and_end_as_ever(start, notes):
    manager = start(code=FILLING.replace("SECONDS", "0"))
    manager.send_signal(signal.SIGTERM)
    assert manager.wait(WAIT_SECONDS) == 128 + signal.SIGTERM
    assert comes_true(lambda: none_is_left(notes))


def test_a_site_whose_guard_is_killed_ends_and_kills_what_is_left(notes):
    together = Processes(grace_seconds=60)
    command = f"{sys.executable} -c 'import time; time.sleep(600)'"
    pid = together.start("web", command, {}, cwd=PROJECT)
    together.guard.kill()
    together.end()
    assert not is_running(pid)


def test_an_id_that_was_seen_to_end_is_not_asked_to_end_again(tmp_path):
    """By then it may be that of somebody else's process, as here."""
    somebody = subprocess.Popen(["sleep", "600"], start_new_session=True)
    together = Processes(grace_seconds=0.1)
    try:
        os.write(together.life, b"%d\n%d\n" % (somebody.pid, -somebody.pid))
        together.end()
        assert is_running(somebody.pid)
    finally:
        somebody.kill()
        somebody.wait()


# --- one site of a folder -------------------------------------------------------------------------


def test_a_second_site_of_a_folder_is_told_who_has_it_and_what_to_do(start, notes):
    manager = start()
    with pytest.raises(SiteIsRunningError) as caught, only_site_of(notes.parent):
        pass
    assert str(caught.value) == (
        f"A site of {notes.parent} is running: process {manager.pid}, being set up. Stop it first, "
        f"by Ctrl-C in its terminal or by kill {manager.pid}, or give this one a folder of its "
        "own: VAR_DIR=/another/folder."
    )


def test_a_folder_stays_taken_until_the_last_process_of_a_killed_site_has_ended(start, notes):
    manager = start(STUBBORN)
    manager.kill()
    manager.wait()
    with (
        pytest.raises(SiteIsRunningError, match="was ended, and its processes are ending"),
        only_site_of(notes.parent),
    ):
        pass
    assert comes_true(lambda: none_is_left(notes))
    assert comes_true(lambda: is_free(notes.parent))


def test_processes_whose_manager_and_guard_were_killed_are_named(start, notes):
    manager = start()
    (guard,) = [pid for pid in children_of(manager.pid) if pid not in pids(notes)]
    os.kill(guard, signal.SIGSTOP)  # or it would do its work between the two
    manager.kill()
    manager.wait()
    os.kill(guard, signal.SIGKILL)
    assert comes_true(lambda: not is_running(guard))
    with pytest.raises(SiteIsRunningError) as caught, only_site_of(notes.parent):
        pass
    said = str(caught.value)
    assert all(is_running(pid) and str(pid) in said for pid in pids(notes))


def children_of(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(line) for line in found.stdout.split()]


def is_free(folder: Path) -> bool:
    try:
        with only_site_of(folder):
            return True
    except SiteIsRunningError:
        return False


def test_no_process_that_judges_beside_hears_ctrl_c():
    """Not while it starts either, when it would end with a traceback."""
    with judging_processes():
        children = active_children()
        statuses = [Path(f"/proc/{child.pid}/status").read_text() for child in children]
    blocked = [int(text.partition("SigBlk:")[2].split()[0], 16) for text in statuses]
    assert len(blocked) == PROCESSES
    assert all(mask & 1 << signal.SIGINT - 1 for mask in blocked)


def test_ctrl_c_while_python_does_away_with_an_object_is_not_lost(tmp_path):
    lost = "class Lost:\n def __del__(self): raise KeyboardInterrupt\nLost()"
    ended = manage(tmp_path, "shell", "-c", f"{lost}\nimport time\ntime.sleep(60)")
    assert ended.returncode == 1
    assert ended.stderr == "\nStopped.\n"


def test_who_has_a_folder_says_where_it_answers(tmp_path):
    with only_site_of(tmp_path) as lock:
        write_down(lock, "at http://127.0.0.1:8000/")
        with pytest.raises(SiteIsRunningError, match=r"at http://127\.0\.0\.1:8000/\. Stop it"):
            only_site_of(tmp_path).__enter__()


def test_demo_refuses_a_folder_that_is_taken(tmp_path):
    with only_site_of(tmp_path):
        ended = manage(tmp_path, "demo")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert f"CommandError: A site of {tmp_path} is running: process {os.getpid()}" in ended.stderr


# --- ports ----------------------------------------------------------------------------------------


def manage(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key not in OWN_SETTINGS}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT,
        env={**environment, "VAR_DIR": str(folder), "SECRET_KEY": KEY},
        capture_output=True,
        text=True,
    )


def test_an_address_is_told_once_a_site_answers_there():
    """Not once somebody listens: gunicorn does before the site is imported."""
    told = []

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def tell() -> None:
            told.append(wait_for_answers(port, lambda: None))

        waiting = threading.Thread(target=tell)
        waiting.start()
        server.accept()[0].close()  # as one that is ended while it starts
        connection = server.accept()[0]
        assert connection.recv(1000).startswith(b"GET /health/live HTTP/1.1")
        assert told == []
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        waiting.join()
        connection.close()
    assert told == [True]
    statuses = [None, None, 3]
    assert wait_for_answers(port, lambda: statuses.pop(0)) is False  # it ended and never answered
    assert statuses == []


DIES = """
import sys
from pathlib import Path
from leaderboard.operations.processes import supervisor
command = f"{sys.executable} -c 'raise SystemExit(3)'"
told = lambda ended: print("answers:", supervisor.wait_for_answers(1, ended))
sys.exit(supervisor.supervise({"web": (command, {})}, cwd=Path(), meanwhile=told))
"""


def test_a_site_that_cannot_start_is_waited_for_no_longer_and_its_end_is_told():
    ended = subprocess.run(
        [sys.executable, "-c", DIES],
        cwd=PROJECT,
        env={**os.environ, "SECRET_KEY": KEY},
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
    )
    assert (ended.returncode, ended.stdout) == (3, "answers: False\n"), ended.stderr
    assert "Ended by itself: web with status 3." in ended.stderr


@pytest.mark.parametrize(("command", "port"), [("demo", "65536"), ("serve", "http")])
def test_a_port_that_is_none_is_refused_in_a_sentence(tmp_path, command, port):
    ended = manage(tmp_path, command, f"--port={port}")
    assert ended.returncode == 2
    assert f"{port!r} is no port. Say a number from 1 to 65535, or 0 for any free one." in (
        ended.stderr
    )
    assert "Traceback" not in ended.stderr


def test_a_port_that_is_taken_is_refused_with_one_that_is_free(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-m", "http.server", "0", "--bind", "127.0.0.1"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as server:
        assert server.stdout
        port = int(server.stdout.readline().split(" port ")[1].split()[0])
        said = manage(tmp_path, "serve", "--port", str(port)).stderr
        server.kill()
    assert f"Port {port} is taken. Choose another: manage.py serve --port " in said


def test_a_port_of_root_is_refused_in_a_sentence(monkeypatch):
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("socket.socket.bind", refuse)
    with pytest.raises(
        PortError, match=r"Only root may listen on port 80\. Choose one from 1024 up"
    ):
        free_port(80)


def test_an_empty_log_level_counts_as_not_set(monkeypatch):
    monkeypatch.delenv("LOG_LEVEL", raising=False)
    assert site_processes(port=0, broker_url="")["web"][1]["LOG_LEVEL"] == "WARNING"
    monkeypatch.setenv("LOG_LEVEL", "")
    assert site_processes(port=0, broker_url="")["web"][1]["LOG_LEVEL"] == "WARNING"
