"""Health of a process, and progress of the site: deaf is not idle."""

import os
import subprocess
import sys
import threading
from datetime import timedelta

import pytest
from django.core.files.storage import FileSystemStorage
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from benchmarks.submissions.models import Submission
from judging.models import Endpoint, JudgeCall, Judgement, JudgeRun, JudgeSpec
from leaderboard.models import OutgoingMail, WorkerBeat
from leaderboard.operations.health import MAIL_PATIENCE, newest_migrations
from leaderboard.operations.processes.heartbeat import (
    forget_worker,
    heartbeats,
    record_heartbeat,
    record_sweep,
    worker_name,
)
from leaderboard.operations.processes.probe import Probe
from leaderboard.operations.progress import read_progress
from tests.leaderboard.operations.waiting import LONG_AGO, beat, said, waiting_run
from tests.overwriting import overwrite
from tests.processes import comes_true
from tests.site import PROJECT


def ready(client):
    return client.get(reverse("health-ready"))


def check(capsys, *arguments: str) -> tuple[int, str]:
    return said(capsys, "check_progress", *arguments)


# --- health ---------------------------------------------------------------------------------------


def test_a_process_that_can_serve_is_live_and_ready_and_leaves_nothing_behind(
    client, db, settings, tmp_path
):
    uploads = {**settings.STORAGES["uploads"], "OPTIONS": {"location": tmp_path}}
    settings.STORAGES = {**settings.STORAGES, "uploads": uploads}
    with CaptureQueriesContext(connection) as asked:
        live = client.get(reverse("health-live"))
    assert len(asked) == 0
    assert (live.status_code, live.json()) == (200, {"status": "live"})
    reply = ready(client)
    assert (reply.status_code, reply.json()) == (200, {"status": "ready", "wrong": {}})
    assert all("no-store" in each["Cache-Control"] for each in (live, reply))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_missing_migration_and_a_missing_table_are_named(client, db):
    """Health was ready while status answered 503 and every sweep failed."""
    newest = dict(newest_migrations())["leaderboard"]
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("leaderboard", newest)
    reply = ready(client)
    assert reply.status_code == 503
    assert (
        reply.json()["wrong"]["migrations"]
        == f"Not applied: leaderboard.{newest}. Run `manage.py migrate`."
    )
    recorder.record_applied("leaderboard", newest)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE leaderboard_damagedfile")
    reply = ready(client)
    assert reply.status_code == 503
    assert "The database cannot be read: " in reply.json()["wrong"]["database"]
    assert "leaderboard_damagedfile" in reply.json()["wrong"]["database"]


def test_a_storage_that_cannot_be_written_is_named(client, db, settings, tmp_path):
    (tmp_path / "file").touch()
    uploads = {**settings.STORAGES["uploads"], "OPTIONS": {"location": tmp_path / "file"}}
    settings.STORAGES = {**settings.STORAGES, "uploads": uploads}
    reply = ready(client)
    assert (reply.status_code, reply.json()["status"]) == (200, "degraded: storage")
    assert list(reply.json()["wrong"]) == ["storage"]
    assert str(tmp_path) not in reply.content.decode()


def test_boards_are_served_while_the_disk_is_full(client, submission, settings):
    full = {
        **settings.STORAGES["uploads"],
        "BACKEND": "tests.leaderboard.operations.test_health.FullStorage",
    }
    settings.STORAGES = {**settings.STORAGES, "uploads": full}
    reply = ready(client)
    assert (reply.status_code, reply.json()["status"]) == (200, "degraded: storage")
    assert reply.json()["wrong"]["storage"].startswith("There is no space left for files")
    assert client.get(reverse("board", args=["spelling"])).status_code == 200
    status = client.get("/status.json").json()
    assert status["state"] == "stuck"
    assert status["sentence"].startswith("The site has no space left")
    with pytest.raises(SystemExit, match="1"):
        call_command("check_progress")


class FullStorage(FileSystemStorage):
    """Whatever is written here goes to the device that is always full."""

    def _save(self, name, content):
        with open("/dev/full", "wb") as file:
            file.write(content.read())
        return name


def test_a_storage_that_hangs_is_waited_for_a_bounded_time_by_one_thread():
    ending = threading.Event()
    begun = []

    def hang() -> str:
        begun.append(1)
        ending.wait(60)
        return ""

    probe = Probe(hang, seconds=0.05, late="late")
    assert [probe() for _ in range(5)] == ["late"] * 5
    assert len(begun) == 1
    ending.set()
    assert comes_true(lambda: probe() == "")


def test_mail_that_waits_for_long_is_a_degraded_site(client, db):
    now = timezone.now()
    mail = OutgoingMail.objects.create(
        sender="a@x.org", recipients=["b@x.org"], headers={}, created=now, next_try=now
    )
    assert ready(client).json()["status"] == "ready"
    OutgoingMail.objects.filter(pk=mail.pk).update(created=now - MAIL_PATIENCE - LONG_AGO)
    reply = ready(client)
    assert (reply.status_code, reply.json()["status"]) == (200, "degraded: mail")


@pytest.mark.slow
def test_a_database_that_does_not_answer_is_named_without_its_address():
    """In a process of its own: the tests' own database must not be taken away."""
    environment = {**os.environ, "DATABASE_URL": "postgres://assay:secret-word@127.0.0.1:1/assay"}
    look = (
        "from leaderboard.operations.health import state, problems; print(state(problems()), "
        "problems())"
    )
    command = [sys.executable, "manage.py", "shell", "-v", "0", "-c", look]
    ended = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True)
    assert "'database': 'The database does not answer (OperationalError).'" in ended.stdout
    assert ended.stdout.startswith("not ready ")
    assert "secret-word" not in ended.stdout


# --- heartbeats -----------------------------------------------------------------------------------


def test_a_beat_renews_one_row_and_is_no_sweep(db):
    for _ in range(2):
        record_heartbeat(name="box/1")
        assert WorkerBeat.objects.get().swept is None
    record_sweep(name="box/1")
    assert WorkerBeat.objects.get().swept is not None


def test_a_worker_that_stops_in_order_leaves_no_row(db):
    beat("box/1")
    beat("box/2", ago=timedelta(hours=2))
    beat("box/3", ago=timedelta(days=2))
    forget_worker(name="box/1")
    assert [row.name for row in WorkerBeat.objects.all()] == ["box/2"]


def test_a_worker_beats_while_it_is_at_work(committed):
    with heartbeats(worker_name(), seconds=0.02):
        assert comes_true(lambda: WorkerBeat.objects.count() == 1)
    assert comes_true(lambda: WorkerBeat.objects.count() == 0)


# --- progress -------------------------------------------------------------------------------------


def test_work_that_waits_is_a_fault_once_no_worker_is_seen_or_none_does_it(capsys, submission):
    status, told = check(capsys)
    assert (status, "oldest work waits" in told) == (0, True)
    Submission.objects.update(confirmed=timezone.now() - LONG_AGO)
    assert check(capsys)[0] == 1  # it has no run, and no worker is there
    run = waiting_run(submission)
    beat("box/1", ago=timedelta(minutes=2))
    status, told = check(capsys)
    assert (status, "no worker has been seen for 60 s" in told) == (1, True)
    beat("box/2")
    status, told = check(capsys)
    assert (status, "nothing has been done for 120 s" in told) == (1, True)
    assert check(capsys, "--patience", "3600")[0] == 0
    call = JudgeCall(judgement=run.judgements.first(), started=timezone.now(), outcome="failed")
    call.save()
    assert check(capsys)[0] == 0  # a request just now is progress
    JudgeCall.objects.update(started=timezone.now() - LONG_AGO)
    assert check(capsys)[0] == 1
    one = Judgement.objects.filter(pk=run.judgements.first().pk)
    overwrite(one, state="judged", verdict="right", settled=timezone.now())
    assert check(capsys)[0] == 0  # and so is a verdict


def test_what_cannot_be_done_now_does_not_wait(submission):
    run = waiting_run(submission)
    JudgeSpec.objects.update(endpoint="main")
    endpoint = Endpoint.objects.create(alias="main")
    now = timezone.now()
    for rows, closed, opened in (
        (JudgeRun.objects.all(), {"paused": now, "pause_kind": "budget"}, {"paused": None}),
        (run.judgements.all(), {"not_before": now + LONG_AGO}, {"not_before": None}),
        (Endpoint.objects.filter(pk=endpoint.pk), {"halted": now}, {"halted": None}),
        (Endpoint.objects.all(), {"held_until": now + LONG_AGO}, {"held_until": None}),
        (Submission.objects.all(), {"withdrawn": now}, {"withdrawn": None}),
    ):
        assert (read_progress().waiting_seconds or 0) > 599
        rows.update(**closed)
        assert read_progress().waiting_seconds is None, closed
        rows.update(**opened)
    run.judgements.update(not_before=timezone.now() - timedelta(seconds=30))
    assert 29 < (read_progress().waiting_seconds or 0) < 60  # since the next try was due


def test_workers_of_a_host_can_be_asked_for(capsys, db):
    assert check(capsys) == (0, "0 of 0 workers seen, no work waits\n")
    beat("box/1")
    beat("box/2", ago=timedelta(minutes=2))
    assert check(capsys, "--workers", "1", "--host", "box")[0] == 0
    assert check(capsys, "--workers", "1", "--host", "bo")[0] == 1
    status, told = check(capsys, "--workers", "2")
    assert status == 1
    assert "1 of 2 workers were seen." in told


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL's files are its own")
def test_a_database_file_that_cannot_be_written_is_told(db, client, monkeypatch, tmp_path):
    """As root reads and writes everything, the system's word is put in its place."""
    (tmp_path / "assay.sqlite3").touch()
    monkeypatch.setitem(connection.settings_dict, "NAME", str(tmp_path / "assay.sqlite3"))
    assert ready(client).json()["status"] == "ready"
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    reply = ready(client)
    assert (reply.status_code, reply.json()["status"]) == (200, "degraded: writing")
