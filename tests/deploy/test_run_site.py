"""A site as a host runs it, on real servers: ready, one worker lost and noticed, all stopped."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
import uuid
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from tests.processes import comes_true, is_running
from tests.site import PROJECT, Site, running_site

pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif("DATABASE_URL" not in os.environ, reason="needs `make test-services`"),
]
SILENCE = "12"  # a worker beats every five seconds


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, str]]:
    """A database and a broker's keyspace of our own: other tests run sites on the same servers at
    the same time."""
    name = f"site_{uuid.uuid4().hex}"
    database, broker = urlsplit(os.environ["DATABASE_URL"]), urlsplit(os.environ["BROKER_URL"])
    with psycopg.connect(database.geturl(), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        yield {
            "DATABASE_URL": database._replace(path=name).geturl(),
            "BROKER_URL": broker._replace(path="9").geturl(),
        }
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="module")
def site(servers, tmp_path_factory) -> Iterator[Site]:
    """It must leave no process of its own behind."""
    with running_site(tmp_path_factory.mktemp("site"), as_host=True, **servers) as running:
        yield running
    assert comes_true(lambda: not any(map(is_running, processes(running).values())))


def processes(site: Site) -> dict[str, int]:
    """Process ids by name, as the log has them."""
    return {
        name: int(pid)
        for name, pid in re.findall(r"  (\w+) is process (\d+)", site.log.read_text())
    }


def read(site: Site, path: str) -> Any:
    with urllib.request.urlopen(f"{site.url}{path}", timeout=10) as reply:
        return json.load(reply)


def check_progress(site: Site) -> tuple[int, str]:
    command = [
        sys.executable,
        "manage.py",
        "check_progress",
        "--workers",
        "2",
        "--silence",
        SILENCE,
    ]
    ended = subprocess.run(
        command, cwd=PROJECT, env=dict(site.environment), capture_output=True, text=True
    )
    return ended.returncode, ended.stdout


def test_a_lost_worker_is_noticed(site):
    assert read(site, "health/ready") == {"status": "ready", "wrong": {}}
    assert set(processes(site)) == {"web", "worker1", "worker2", "beat"}
    assert comes_true(
        lambda: (
            [w["swept_seconds"] is not None for w in read(site, "status.json")["workers"]]
            == [True] * 2
        )
    )
    assert check_progress(site)[0] == 0

    os.kill(processes(site)["worker2"], signal.SIGKILL)

    limit = int(SILENCE)
    assert comes_true(
        lambda: max(w["seen_seconds"] for w in read(site, "status.json")["workers"]) > limit
    )
    alive = [w for w in read(site, "status.json")["workers"] if w["seen_seconds"] <= limit]
    assert len(alive) == 1
    status, said = check_progress(site)
    assert status == 1
    assert "1 of 2 workers were seen." in said
    assert "worker2 ended with status -9" in site.log.read_text()
    assert is_running(processes(site)["worker1"])
