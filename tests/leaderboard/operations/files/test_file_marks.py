"""A process knows the files of its site by their marks, and leaves alone what it cannot see."""

from collections import deque
from io import StringIO
from itertools import count
from pathlib import Path
from threading import Barrier

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import call_command
from django.db import DatabaseError
from django.urls import reverse

from benchmarks.common.file_storage import WholeFileStorage
from benchmarks.submissions.models import LooseFile
from leaderboard.models import DataExport, FileMark
from leaderboard.operations.files import file_marks
from leaderboard.operations.files.data_exports import make_exports
from leaderboard.operations.files.file_marks import FILE, NAMED, mark_files, own_files
from leaderboard.operations.processes import heartbeat
from leaderboard.operations.processes.heartbeat import record_heartbeat
from leaderboard.operations.sweeps import tidy
from leaderboard.web.evidence import archive
from leaderboard.web.evidence.archive import make_evidence_archives
from tests.judging.threads import BEGIN_SECONDS, at_once

MISSING = "does not see the files of this site: in 'default' their mark is missing."


@pytest.fixture
def hosts(db, settings, tmp_path):
    """Goes to the host of that name, which has folders of its own."""
    usual = settings.STORAGES

    def go(name: str) -> None:
        folder = tmp_path / name
        own = {
            storage: {
                **usual[storage],
                "OPTIONS": {**usual[storage].get("OPTIONS", {}), "location": folder / storage},
            }
            for storage in NAMED
        }
        settings.STORAGES = {**usual, **own}

    go("first")
    return go


def test_who_starts_first_marks_the_files_and_a_host_with_others_is_told(hosts, client):
    assert own_files() == ""
    assert mark_files() == mark_files() == ""
    assert FileMark.objects.count() == len(NAMED)
    hosts("second")
    assert own_files() == mark_files() == MISSING
    wrong = client.get(reverse("health-ready")).json()["wrong"]
    assert wrong["files"].startswith(f"This web process {MISSING}")
    storages["default"].save(FILE, ContentFile(b"of another site"))
    assert own_files() == MISSING.replace("missing", "another")
    hosts("first")
    assert own_files() == ""


@pytest.mark.usefixtures("committed")
def test_of_two_workers_who_start_at_once_one_marks_the_files(hosts, monkeypatch):
    """Pictures are named by digests, and what is stored again takes the place of what is there:
    with the file of the later and the row of the earlier the site did not know itself."""
    both, saves = Barrier(2, timeout=BEGIN_SECONDS), count(1)
    real_read, real_save = file_marks.read_mark, WholeFileStorage.save

    def read(storage: str) -> str:
        found = real_read(storage)
        if (storage, found) == ("default", "-"):
            both.wait()
        return found

    def save(store, name, content):
        while name == FILE and Path(store.location).name == "default" and next(saves) > 1:
            if FileMark.objects.filter(storage="default").exists():
                break
        return real_save(store, name, content)

    monkeypatch.setattr(file_marks, "read_mark", read)
    monkeypatch.setattr(WholeFileStorage, "save", save)
    at_once(mark_files, mark_files)
    assert own_files() == ""


def test_files_that_cannot_be_read_or_hang_are_marked_by_nobody(hosts, monkeypatch):
    monkeypatch.setattr(file_marks, "read_mark", lambda _storage: "?")
    assert mark_files() == "cannot read the files in 'default'."
    assert not FileMark.objects.exists()
    monkeypatch.setattr(file_marks, "SEEN", lambda: "")
    assert own_files() == "cannot read its files within 2 s."


def test_a_host_without_the_newest_file_marks_nothing(hosts, submission):
    hosts("second")
    assert (
        mark_files() == "does not see the files of this site: in 'uploads' the newest is missing."
    )
    assert not FileMark.objects.filter(storage="uploads").exists()


def test_health_and_progress_tell_of_a_worker_with_other_files(client, hosts, capsys):
    record_heartbeat(name="box/1", files=MISSING)
    reply = client.get(reverse("health-ready")).json()
    assert reply["status"] == "degraded: files"
    assert reply["wrong"]["files"].startswith(f"A worker {MISSING} Give it the site's VAR_DIR")
    with pytest.raises(SystemExit):
        call_command("check_progress")
    assert f"box/1: It {MISSING}" in capsys.readouterr().out


def test_a_host_with_other_files_makes_nothing_and_forgets_no_file(hosts, owner, monkeypatch):
    made: list[str] = []
    monkeypatch.setattr(archive, "boards_to_archive", lambda: ["a board"])
    monkeypatch.setattr(archive, "make_archive", made.append)
    mark_files()
    loose = LooseFile.objects.create(name="answers.txt")
    LooseFile.objects.update(since="2020-01-01T00:00Z")
    DataExport.objects.create(owner=owner)
    hosts("second")
    tidy()
    make_evidence_archives()
    assert not made
    assert not make_exports()
    assert LooseFile.objects.filter(pk=loose.pk).exists()
    assert not DataExport.objects.get().begun
    hosts("first")
    tidy()
    assert make_exports()
    make_evidence_archives()
    assert made == ["a board"]
    assert not LooseFile.objects.exists()


def test_an_operator_says_that_restored_files_are_the_site_s(hosts):
    mark_files()
    hosts("restored")
    said = StringIO()
    call_command("adopt_files", stdout=said)
    assert own_files() == ""
    assert said.getvalue() == "The files in default, uploads, exports are this site's.\n"
    call_command("adopt_files", stdout=said)
    assert said.getvalue().endswith("These files were this site's.\n")


def test_a_worker_whose_sweeps_fail_says_so_after_the_third(hosts, client, capsys, monkeypatch):
    """On a damaged database: health was ready, and nothing waited."""
    monkeypatch.setattr(heartbeat, "failed_sweeps", deque(maxlen=heartbeat.FAILED_SWEEPS))
    for _ in range(2):
        heartbeat.note_failed_sweep(DatabaseError("database disk image is malformed"))
    assert heartbeat.sweep_fault() == ""
    heartbeat.note_failed_sweep(DatabaseError("database disk image is malformed"))
    heartbeat.record_heartbeat(name="host/1", files=heartbeat.sweep_fault())
    said = "cannot sweep (DatabaseError): its log says why."
    assert client.get("/health/ready").json()["wrong"]["files"] == f"A worker {said}"
    with pytest.raises(SystemExit):
        call_command("check_progress")
    assert f"host/1: It {said}" in capsys.readouterr().out
    heartbeat.record_sweep(name="host/1")
    assert heartbeat.sweep_fault() == ""
