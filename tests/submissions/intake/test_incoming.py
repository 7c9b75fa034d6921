"""What becomes of a file whose process is killed: nothing is left of it, and its sender is told."""

import fcntl
import os
import signal
import subprocess
import sys
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from benchmarks.submissions import services
from benchmarks.submissions.intake.incoming import (
    KEPT,
    KEPT_FOR,
    LONGEST,
    forget_old_incoming,
    incoming_files,
    noted,
)
from benchmarks.submissions.models import IncomingFile, Submission
from benchmarks.submissions.services import confirm_submission
from tests.api_clients import session_client
from tests.conftest import ANSWERS, submit
from tests.processes import comes_true
from tests.site import PROJECT

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
OVER = "was not fully read"


def send(client, release, token: str = "", content: bytes = ANSWERS):
    file = SimpleUploadedFile("mine.txt", content)
    fields = {"model_name": "Speller", "file": file, "release": release.slug}
    return client.post("/submit/", fields | {"client_token": token or str(uuid.uuid4())})


def told(client) -> str:
    page: str = client.get("/submit/").content.decode()
    return page


def test_who_reloads_is_told_that_it_is_read_and_then_that_it_never_was(
    spelling, owner, stranger, monkeypatch
):
    """After the site went down while it read a file. Nobody else is told, and nothing is left to
    tell once it is sent again."""
    client = session_client(owner)

    def stopped(**_):
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(services, "whole_reading", stopped)
        with pytest.raises(SystemExit):
            send(client, spelling)
    page = told(client)
    assert "“mine.txt”" in page
    assert "is being read" in page
    assert OVER not in page
    for row in IncomingFile.objects.all():
        IncomingFile.objects.filter(pk=row.pk).update(started=row.started - LONGEST)
    page = told(client)
    assert "“mine.txt”" in page
    assert OVER in page
    assert "mine.txt" not in told(session_client(stranger))
    assert send(client, spelling).status_code == 302
    assert OVER not in told(client)


def test_who_had_an_answer_is_told_nothing_more(spelling, owner):
    client = session_client(owner)
    for content in (ANSWERS, b"1=two\n"):
        send(client, spelling, content=content)
        assert not IncomingFile.objects.exists()


def test_what_was_stored_before_the_process_ended_is_linked_until_it_has_gone_on(spelling, owner):
    draft = submit(spelling, owner, confirm=False)
    token = Submission.objects.get().client_token
    IncomingFile.objects.create(owner=owner, file_name="mine.txt", client_token=token, started=NOON)
    (found,) = incoming_files(owner, now=NOON + 2 * LONGEST)
    assert found.submission == draft.pk
    IncomingFile.objects.update(started=draft.created)
    page = told(session_client(owner))
    assert f'<a href="/submissions/{draft.pk}/">' in page
    assert OVER not in page
    confirm_submission(submission=draft, visibility="private")
    IncomingFile.objects.update(started=NOON)
    assert incoming_files(owner, now=NOON + 2 * LONGEST) == ()


def test_a_person_is_told_of_the_newest_for_a_day(owner):
    for number in range(KEPT + 2):
        IncomingFile.objects.create(
            owner=owner, file_name=f"{number}", client_token=uuid.uuid4(), started=NOON
        )
    told_now = incoming_files(owner, now=NOON + KEPT_FOR - timedelta(seconds=1))
    assert [one.file_name for one in told_now] == ["4", "3", "2"]
    assert incoming_files(owner, now=NOON + KEPT_FOR) == ()
    assert forget_old_incoming() == KEPT + 2


def test_another_tab_of_the_same_name_stays_while_it_is_read(owner):
    with noted(owner, file_name="a", client_token=uuid.uuid4()):
        with noted(owner, file_name="a", client_token=uuid.uuid4()):
            assert IncomingFile.objects.count() == 2
        assert IncomingFile.objects.count() == 1


# --- what is left on the host ---------------------------------------------------------------------


def locked(folder: Path) -> bool:
    """Whether a reader is at work there."""
    for path in folder.glob("*.lock"):
        with path.open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
    return False


@pytest.mark.slow
def test_of_a_killed_process_neither_files_nor_readers_are_left(tmp_path):
    """`slowed` computes for a moment after its parent is dead, and ends."""
    temporary, var = tmp_path / "tmp", tmp_path / "var"
    temporary.mkdir()
    var.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.submissions.killed_web", "slowed", str(tmp_path)],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    try:
        assert process.stdout
        assert process.stdout.readline().strip() == b"BufferedRandom"
        assert comes_true(lambda: locked(var / "readers"))
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert list(temporary.iterdir()) == []
    assert comes_true(lambda: not locked(var / "readers"))
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
def test_a_reader_without_anybody_who_waits_ends_by_the_clock(tmp_path):
    """One that does not compute has no other end."""
    script = (
        "from benchmarks.submissions.files import reader; import time; reader.LAST_SECONDS = 1;"
        "reader.limit_resources(10); time.sleep(50)"
    )
    ended = subprocess.run([sys.executable, "-c", script], cwd=PROJECT, timeout=40, check=False)
    assert ended.returncode == -signal.SIGALRM
