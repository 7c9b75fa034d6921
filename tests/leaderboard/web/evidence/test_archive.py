"""The evidence of a board as one download: whole, of the board as it is, and of nothing else."""

import io
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.db.models import F, QuerySet

from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import withdraw_submission
from judging.services import attempts
from leaderboard.models import BoardVersion, EvidenceArchive
from leaderboard.operations.sweeps import each_minute
from leaderboard.results.boards.editions import refresh_boards
from leaderboard.web.evidence import archive
from leaderboard.web.evidence.archive import make_evidence_archives
from tests.leaderboard.web.evidence.conftest import SLUG

ADDRESS = f"/boards/{SLUG}/evidence.zip"
pytestmark = pytest.mark.usefixtures("board")


@pytest.fixture(scope="module", autouse=True)
def stored_board(judged_board) -> None:
    stored()


def stored() -> None:
    BoardVersion.objects.update(next_at=None)
    assert refresh_boards()


def closed(response) -> None:
    """The file alone: closing the response would close the connection of the test as well."""
    for close in response._resource_closers:
        close()


def unpacked(client, folder):
    response = client.get(ADDRESS)
    assert response.status_code == 200
    with zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) as packed:
        assert packed.testzip() is None
        packed.extractall(folder)
    closed(response)
    return folder


def test_what_is_downloaded_computes_itself_and_is_packed_once(
    client, tmp_path, django_assert_max_num_queries
):
    each_minute()
    folder = unpacked(client, tmp_path)
    found = subprocess.run(
        [sys.executable, "verify.py"], cwd=folder, capture_output=True, text=True, check=True
    )
    assert found.stdout.rstrip().endswith(" 0 differing")
    assert 'href="evidence.zip?' in client.get(f"/boards/{SLUG}/").content.decode()
    with django_assert_max_num_queries(4):
        assert make_evidence_archives() == 0
    made = EvidenceArchive.objects.get()
    assert made.release.slug not in made.file.name  # which would be too long for its column
    assert made.judge_spec.slug not in made.file.name


def test_what_was_withdrawn_is_not_handed_out_for_a_moment(client, tmp_path):
    make_evidence_archives()
    before = str(EvidenceArchive.objects.get().file.name)
    gone = Submission.objects.filter(origin="sample")[0]
    withdraw_submission(submission=gone)
    assert client.get(ADDRESS).status_code == 503
    stored()
    pass_time()
    assert make_evidence_archives() == 1
    text = b"".join(
        path.read_bytes() for path in unpacked(client, tmp_path).rglob("*") if path.is_file()
    )
    assert str(gone.pk).encode() not in text
    assert EvidenceArchive.objects.get().file.name != before


def pass_time() -> None:
    """So that what was made was made long enough ago."""
    EvidenceArchive.objects.update(made=F("made") - archive.REST)


def test_until_it_is_there_the_address_says_when_it_will_be(client, caplog, monkeypatch):
    caplog.set_level("INFO")
    response = client.get(ADDRESS)
    assert [record.levelname for record in caplog.records if record.name == "django.request"] == [
        "INFO"
    ]
    assert (response.status_code, response["Retry-After"]) == (503, "120")
    assert "It should be ready in about 2 minutes" in response.content.decode()
    place = "leaderboard.web.pages.site.sharing.no_space"
    monkeypatch.setattr(place, lambda: "There is no space left.")
    assert "once this site has space" in client.get(ADDRESS).content.decode()


@pytest.mark.slow
def test_a_board_that_changes_all_the_time_is_packed_once_in_a_while(client):
    make_evidence_archives()
    withdraw_submission(submission=Submission.objects.filter(origin="sample")[0])
    stored()
    assert make_evidence_archives() == 0
    response = client.get(ADDRESS)
    assert response.status_code == 503
    assert 600 < int(response["Retry-After"]) <= 720
    pass_time()
    assert client.get(ADDRESS)["Retry-After"] == "120"
    assert make_evidence_archives() == 1


def kept_archives() -> set[str]:
    folder = Path(storages["uploads"].path("evidence"))
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


@pytest.mark.slow
def test_an_archive_that_the_database_has_no_room_for_leaves_no_file(monkeypatch):
    def full(*args, **named):
        raise OperationalError("database or disk is full")

    before = kept_archives()  # of other tests
    monkeypatch.setattr(QuerySet, "update_or_create", full)
    with pytest.raises(OperationalError):
        make_evidence_archives()
    assert kept_archives() == before
    monkeypatch.undo()
    assert make_evidence_archives() == 1
    assert len(kept_archives() - before) == 1


def test_two_workers_do_not_pack_one_board_and_a_fault_is_none_of_others(monkeypatch, caplog):
    with archive.alone() as is_free:
        assert is_free
        assert make_evidence_archives() == 0
    monkeypatch.setattr(archive, "make_archive", lambda edition: 1 / 0)
    monkeypatch.setattr(archive, "boards_to_archive", lambda: ["one", "two"])
    each_minute()
    assert "Evidence of one: ZeroDivisionError" in caplog.text
    assert "Evidence of two: ZeroDivisionError" in caplog.text
    monkeypatch.undo()
    assert make_evidence_archives() == 1


class Claims:
    """Stands for the cache: for how long a claim was made, and renewed."""

    def __init__(self) -> None:
        self.seconds: list[int] = []
        self.is_renewed = threading.Event()

    def add(self, key: str, value: bool, seconds: int) -> bool:
        self.seconds.append(seconds)
        return True

    def touch(self, key: str, seconds: int) -> None:
        self.seconds.append(seconds)
        self.is_renewed.set()

    def delete(self, key: str) -> None:
        self.seconds.append(0)


def test_a_worker_that_died_keeps_the_others_off_for_half_a_minute(monkeypatch):
    """While it lives its claim is renewed, however long it packs."""
    claims = Claims()
    monkeypatch.setattr(archive, "cache", claims)
    monkeypatch.setattr(attempts, "RENEWALS", 3_000)  # one in ten milliseconds
    with archive.alone():
        assert claims.is_renewed.wait(timeout=10)
    assert claims.seconds.pop() == 0
    assert set(claims.seconds) == {30}


def test_a_board_too_large_is_put_together_by_who_runs_the_site(client, monkeypatch):
    monkeypatch.setattr(archive, "MOST_ANSWERS", 10)
    assert make_evidence_archives() == 0
    assert client.get(ADDRESS).status_code == 404
    call_command("export_evidence", SLUG, download=True, judge="rules")
    response = client.get(ADDRESS, {"snapshot": "nothing"})
    assert response.status_code == 200
    closed(response)
    with pytest.raises(CommandError, match="No such board is stored yet"):
        call_command("export_evidence", SLUG, download=True, release="nothing")
