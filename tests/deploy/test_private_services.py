"""The script is run as a developer runs it: as a process of its own, with real servers."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.private_services import ServiceError, find_programs
from tests.processes import comes_true, is_running

SCRIPT = Path(__file__).resolve().parents[2] / "deploy/private_services.py"
WAIT_SECONDS = 60

# Writes what it sees of both servers to the file named by its argument.
LOOK_AROUND = """
import json, os, re, socket, subprocess, sys
from urllib.parse import urlsplit

def psql(query):
    command = ["psql", os.environ["DATABASE_URL"], "-Atc", query]
    return subprocess.check_output(command, text=True).strip()

def redis(command):
    broker = urlsplit(os.environ["BROKER_URL"])
    with socket.create_connection((broker.hostname, broker.port), timeout=5) as connection:
        connection.sendall(command + b"\\r\\n")
        return connection.recv(65536).decode()

data = psql("show data_directory")
json.dump({
    "database_url": os.environ["DATABASE_URL"],
    "broker_url": os.environ["BROKER_URL"],
    "max_connections": int(psql("show max_connections")),
    "ping": redis(b"PING"),
    "folder": os.path.dirname(data),
    "pids": [os.getpid(), int(open(data + "/postmaster.pid").readline()),
             int(re.search(r"process_id:(\\d+)", redis(b"INFO server"))[1])],
}, open(sys.argv[1] + ".part", "w"))
os.rename(sys.argv[1] + ".part", sys.argv[1])
"""
SLEEP = "import time; time.sleep(600)"
SLEEP_DEAF = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN);" + SLEEP


def absent_programs() -> str:
    """Empty if the servers and psql are here, else what is missing."""
    try:
        find_programs()
    except ServiceError as error:
        return str(error)
    return "" if shutil.which("psql") else "missing psql"


ABSENT = absent_programs()
pytestmark = pytest.mark.services
needs_servers = pytest.mark.skipif(bool(ABSENT), reason=ABSENT or "all there")


def run_script(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, *command], capture_output=True, text=True, timeout=WAIT_SECONDS
    )


def assert_nothing_is_left(seen: dict[str, object]) -> None:
    pids, folder = seen["pids"], seen["folder"]
    assert isinstance(pids, list)
    assert len(pids) == 3
    assert comes_true(lambda: not any(map(is_running, pids)))
    assert not Path(str(folder)).exists()


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return tmp_path / "report.json"


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """Unlike `tmp_path` the user postgres can enter it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@needs_servers
def test_command_reaches_both_servers_at_its_urls(report: Path) -> None:
    finished = run_script(sys.executable, "-c", LOOK_AROUND, report)

    assert finished.returncode == 0, finished.stderr
    seen = json.loads(report.read_text())
    assert seen["database_url"].startswith("postgres://")
    assert seen["broker_url"].startswith("redis://127.0.0.1:")
    assert seen["ping"] == "+PONG\r\n"
    assert seen["max_connections"] >= 100
    assert_nothing_is_left(seen)


@needs_servers
def test_end_of_command_becomes_the_exit_status() -> None:
    for code, status in {
        "raise SystemExit(7)": 7,
        "import os; os.kill(os.getpid(), 9)": 137,
    }.items():
        assert run_script(sys.executable, "-c", code).returncode == status
    finished = run_script("no-such-command")
    assert finished.returncode == 127
    assert "cannot run no-such-command" in finished.stderr


@needs_servers
def test_two_runs_at_once_have_servers_of_their_own(tmp_path: Path) -> None:
    reports = [tmp_path / "a.json", tmp_path / "b.json"]
    runs = [start(LOOK_AROUND, report) for report in reports]
    assert [run.wait(WAIT_SECONDS) for run in runs] == [0, 0]
    first, second = (json.loads(report.read_text()) for report in reports)
    assert not set(first["pids"]) & set(second["pids"])
    assert first["broker_url"] != second["broker_url"]


def start(code: str, *arguments: Path, **environment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, SCRIPT, sys.executable, "-c", code, *arguments],
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@needs_servers
@pytest.mark.parametrize(
    ("code", "number", "status"),
    [
        (SLEEP, signal.SIGTERM, signal.SIGTERM),
        (SLEEP, signal.SIGINT, signal.SIGINT),
        (SLEEP_DEAF, signal.SIGINT, signal.SIGKILL),  # after the grace period
    ],
)
def test_signal_ends_command_and_servers(
    report: Path, code: str, number: signal.Signals, status: signal.Signals
) -> None:
    script = start(LOOK_AROUND + code, report)
    assert comes_true(report.exists)
    time.sleep(0.2)  # until a deaf one has stopped listening
    script.send_signal(number)
    assert script.wait(WAIT_SECONDS) == 128 + status
    assert_nothing_is_left(json.loads(report.read_text()))


@needs_servers
@pytest.mark.parametrize("delay_seconds", [0.1, 0.3, 0.5, 0.7])
def test_signal_during_the_start_leaves_no_folder(
    public_folder: Path, delay_seconds: float
) -> None:
    script = start(SLEEP, TMPDIR=str(public_folder))
    assert comes_true(lambda: any(public_folder.iterdir()))
    time.sleep(delay_seconds)
    script.send_signal(signal.SIGTERM)
    assert script.wait(WAIT_SECONDS) == 128 + signal.SIGTERM
    assert list(public_folder.iterdir()) == []


def test_missing_program_is_named_with_a_remedy(tmp_path: Path) -> None:
    """A copy outside the repository, with no PATH and no site-packages, finds no Redis."""
    copy = shutil.copy(SCRIPT, tmp_path)

    finished = subprocess.run(
        [sys.executable, "-S", copy, "true"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )

    assert finished.returncode == 2
    assert "redis-server or valkey-server" in finished.stderr
    assert "deploy/install_debian.sh services" in finished.stderr
    assert finished.stderr.count("\n") == 1
