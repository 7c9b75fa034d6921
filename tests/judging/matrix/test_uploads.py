"""Rows 1 to 4 and 18 to 20: a web process that is killed while it takes a file in, and one whose
broker is no help."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from django.core.files.storage import storages

from benchmarks.submissions.files.loose import delete_orphaned_files, store_loose
from deploy.private_services import HOST, Redis, running_redis
from leaderboard.operations.processes.supervisor import free_port
from tests.site import OWN_SETTINGS, PROJECT

HANDED_IN_SECONDS = 1.5  # at a closed port; tried for as long as allowed it took two and more
ACCEPTED_SECONDS = 15  # five of them for a broker that says nothing, the rest for a slow machine
NOTHING = {"submissions": 0, "answers": 0, "files": 0, "orphans": 0, "scored": 0}


def run(folder: Path, command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    inherited = {key: value for key, value in os.environ.items() if key not in OWN_SETTINGS}
    own = {
        "DJANGO_SETTINGS_MODULE": "tests.settings_small_site",
        "VAR_DIR": str(folder),
        "SECRET_KEY": "tests-only-key-that-protects-nothing-at-all",
        "DEFAULT_JUDGE": "rules",
    }
    do = (
        "import json; from tests.judging.matrix import uploading; "
        f"print(json.dumps(uploading.{command}()))"
    )
    return subprocess.run(
        [sys.executable, "manage.py", "shell", "-v", "0", "-c", do],
        cwd=PROJECT,
        env=inherited | own | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def read(ended: "subprocess.CompletedProcess[str]") -> dict[str, Any]:
    assert ended.returncode == 0, ended.stderr
    document: dict[str, Any] = json.loads(ended.stdout)
    return document


@pytest.fixture(scope="module")
def prepared(tmp_path_factory) -> Path:
    folder: Path = tmp_path_factory.mktemp("site")
    read(run(folder, "prepare"))
    return folder


@pytest.fixture
def folder(prepared, tmp_path) -> Path:
    return Path(shutil.copytree(prepared, tmp_path / "var"))


# --- killed ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["in the file", "before the commit"])
def test_an_upload_killed_before_its_commit_leaves_no_row_and_no_file_for_long(folder, moment):
    assert run(folder, "upload", DIES=moment).returncode == -signal.SIGKILL
    assert read(run(folder, "look")) == {**NOTHING, "files": 1, "orphans": 1}


@pytest.mark.slow
def test_an_upload_killed_before_its_message_is_found_by_a_sweep(folder):
    ended = run(folder, "upload", DIES="after the commit", BROKER_URL="redis://127.0.0.1:9/0")
    assert ended.returncode == -signal.SIGKILL
    assert read(run(folder, "look")) == {
        "submissions": 1,
        "answers": 4,
        "files": 1,
        "orphans": 0,
        "scored": 1,
    }


def test_a_file_that_may_still_be_on_its_way_is_left_alone(submission):
    half = store_loose("half", b"1=t")
    assert delete_orphaned_files() == 0
    assert delete_orphaned_files(older_than=timedelta(0)) == 1
    assert not storages["uploads"].exists(half)
    assert storages["uploads"].exists(submission.file.name)


# --- a broker that is no help ---------------------------------------------------------------------


@contextmanager
def refusing() -> Iterator[str]:
    yield f"redis://127.0.0.1:{free_port()}/0"


@contextmanager
def deaf() -> Iterator[str]:
    """It takes connections and never says a word, as one behind a cut network."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"redis://127.0.0.1:{server.getsockname()[1]}/0"


@contextmanager
def full() -> Iterator[str]:
    """It has no memory left for anything that is written."""
    program = shutil.which("redis-server") or shutil.which("valkey-server")
    if program is None:
        pytest.skip("needs a Redis or Valkey server")
    with TemporaryDirectory() as folder, running_redis(program, Path(folder)) as redis:
        say(redis, "CONFIG SET maxmemory 1")
        yield redis.url


def say(redis: Redis, command: str) -> None:
    with socket.create_connection((HOST, redis.port), timeout=5) as connection:
        connection.sendall(f"{command}\r\n".encode())
        assert connection.recv(100) == b"+OK\r\n"


@pytest.mark.slow
@pytest.mark.parametrize("broker", [refusing, deaf, full])
def test_an_upload_is_accepted_whatever_the_broker_does_and_a_sweep_judges_it(folder, broker):
    with broker() as url:
        found = read(run(folder, "upload", BROKER_URL=url))
        assert found["status"] == 201
        assert found["seconds"] < ACCEPTED_SECONDS
        assert read(run(folder, "look", BROKER_URL=url))["scored"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["redis", "amqp"])
def test_a_file_from_a_terminal_is_accepted_at_once_where_the_broker_is_away(folder, scheme):
    """RabbitMQ's client waits and tries again by itself, unless it is told not to."""
    ended = run(folder, "submit", BROKER_URL=f"{scheme}://127.0.0.1:{free_port()}//")
    found = read(ended)
    assert "accepted, judged as soon as a worker looks by itself" in found["said"]
    assert found["seconds"] < HANDED_IN_SECONDS
    assert "Traceback" not in ended.stderr
    assert read(run(folder, "look"))["scored"] == 1
