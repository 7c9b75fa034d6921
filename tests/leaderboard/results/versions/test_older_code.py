"""Code beside a database that newer code migrated: which of it may stay, and who says so."""

import gzip
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations import Migration
from django.db.migrations.recorder import MigrationRecorder
from django.urls import reverse

from judging.coordination import spending
from judging.coordination.clock import database_now
from leaderboard.models import EndOfOlderCode, WorkerBeat
from leaderboard.results.versions.older_code import (
    ALIVE,
    note_older_code,
    own_migrations,
    prepare_older_code,
    reason_to_end,
    too_old,
)
from tests.site import OWN_SETTINGS, PROJECT

NEWER = "leaderboard.9999_newer"
REASON = "asks for a column that is gone"
SENTENCE = f"This code is too old for its database, where {NEWER} is applied: it {REASON}."
OPERATING = (PROJECT / "docs/operator/updating.md").read_text()
SITE = PROJECT / "tests" / "release_before" / "site.sqlite3.gz"
SECONDS = 60


class Newer(Migration):
    ends_older_code = REASON


def applied(name: str = NEWER) -> None:
    MigrationRecorder(connection).record_applied(*name.split("."))


def health(client) -> tuple[int, dict[str, str]]:
    reply = client.get(reverse("health-ready"))
    return reply.status_code, reply.json()["wrong"]


# --- what a process says --------------------------------------------------------------------------


def test_a_newer_migration_that_only_adds_is_named_and_harmless(client, db):
    applied()
    status, wrong = health(client)
    assert (status, list(wrong)) == (200, ["newer"])
    assert NEWER in wrong["newer"]


def test_code_that_is_too_old_is_not_ready_says_why_and_judges_and_spends_nothing(client, db):
    EndOfOlderCode.objects.create(migration=NEWER, reason=REASON)
    applied()
    status, wrong = health(client)
    assert status == 503
    assert wrong["version"].startswith(SENTENCE)
    assert "go back" in wrong["version"]
    with pytest.raises(CommandError, match="too old for its database"):
        call_command("judge", all=True)
    spending.look_again()
    assert spending.reason_to_wait().startswith(SENTENCE)


def test_a_migration_that_is_still_to_come_ends_nobody(client, db):
    prepare_older_code(plan=[(Newer("9999_newer", "leaderboard"), False)])
    assert EndOfOlderCode.objects.get(migration=NEWER).reason == REASON
    assert health(client) == (200, {})


def test_what_this_code_has_itself_or_was_taken_back_ends_nobody(db):
    own = next(name for name, made in own_migrations().items() if reason_to_end(made))
    EndOfOlderCode.objects.get_or_create(migration=".".join(own), defaults={"reason": REASON})
    assert too_old() == ""
    EndOfOlderCode.objects.create(migration=NEWER, reason=REASON)
    note_older_code()
    kept = set(EndOfOlderCode.objects.values_list("migration", flat=True))
    assert kept == {
        "benchmarks.0023_disclosure",
        "leaderboard.0036_no_losses",
        "leaderboard.0045_outgoing",
        "benchmarks.0026_proposals",
    }


# --- workers that have to be stopped --------------------------------------------------------------


def test_such_a_migration_is_refused_while_a_worker_lives_and_nothing_changes(db):
    WorkerBeat.objects.create(name="host/7", seen=database_now() - timedelta(seconds=5))
    before = MigrationRecorder(connection).applied_migrations().keys()
    with pytest.raises(
        CommandError, match=r"Workers live \(host/7\), .*leaderboard.0036_no_losses"
    ):
        call_command("migrate", "leaderboard", "0001", verbosity=0, interactive=False)
    assert MigrationRecorder(connection).applied_migrations().keys() == before


def test_one_that_only_adds_is_not_and_a_killed_worker_is_in_nobodys_way_for_long(db):
    WorkerBeat.objects.create(name="host/7", seen=database_now())
    prepare_older_code(plan=[(Migration("9999_more", "leaderboard"), False)])
    WorkerBeat.objects.update(seen=database_now() - ALIVE - timedelta(seconds=1))
    prepare_older_code(plan=[(Newer("9999_newer", "leaderboard"), False)])


def test_the_guide_and_the_migrations_name_the_same_ones():
    rules = re.findall(r"^- (?:.+\n(?:  .+\n)*)", OPERATING, re.MULTILINE)
    told = {
        name
        for rule in rules
        if re.search(r"stop web and\s+workers\s+before\s+you\s+migrate", rule)
        for name in re.findall(r"^- `([\w.]+)`", rule)
    }
    made = own_migrations().items()
    assert told == {".".join(name) for name, one in made if reason_to_end(one)}


# --- a real worker --------------------------------------------------------------------------------


@pytest.fixture
def site(tmp_path) -> tuple[Path, dict[str, str]]:
    database = tmp_path / "site.sqlite3"
    database.write_bytes(gzip.decompress(SITE.read_bytes()))
    inherited = {key: value for key, value in os.environ.items() if key not in OWN_SETTINGS}
    environment = inherited | {
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "SECRET_KEY": "tests-only-key-that-protects-nothing-at-all",
        "VAR_DIR": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{database}",
        "EMAIL_URL": "memory:",
        "SWEEP_SECONDS": "0.5",
    }
    command = [sys.executable, "manage.py", "migrate", "--no-input", "-v", "0"]
    subprocess.run(command, cwd=PROJECT, env=environment, check=True)
    return database, environment


def end_older_code(database: Path) -> None:
    with closing(sqlite3.connect(database, timeout=SECONDS)) as rows, rows:
        app, name = NEWER.split(".")
        values = (NEWER, REASON)
        rows.execute(
            "INSERT INTO leaderboard_endofoldercode (migration, reason) VALUES (?, ?)", values
        )
        rows.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES (?, ?, ?)",
            (app, name, "2026-01-01 00:00:00"),
        )


def start_worker(environment: dict[str, str], log: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "celery", "-A", "leaderboard", "worker", "-c", "1"]
    with log.open("wb") as out:
        return subprocess.Popen(
            [*command, "--loglevel", "INFO"],
            cwd=PROJECT,
            env=environment,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


@pytest.mark.slow
def test_a_worker_ends_once_its_database_is_too_new_and_does_not_start_again(site, tmp_path):
    database, environment = site
    log = tmp_path / "worker.log"
    worker = start_worker(environment, log)
    try:
        end = time.monotonic() + SECONDS
        while b" ready." not in log.read_bytes():
            assert worker.poll() is None, log.read_text()
            assert time.monotonic() < end
            time.sleep(0.2)
        end_older_code(database)
        assert worker.wait(SECONDS) == 0
        assert f"This worker ends. {SENTENCE}" in log.read_text()
        worker = start_worker(environment, log)
        assert worker.wait(SECONDS) == 1
        assert f"Assay cannot start: {SENTENCE}" in log.read_text()
    finally:
        if worker.poll() is None:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
