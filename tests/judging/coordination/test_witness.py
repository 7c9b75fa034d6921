"""A database that is older than what left the site spends and sends nothing until an operator has
seen what would be asked again."""

import io
import os
import shutil
from dataclasses import replace

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.management import CommandError, call_command

from judging.coordination import spending, witness
from judging.engine.engine import judge_run
from judging.models import JudgeCall, JudgeRun, WitnessMark
from leaderboard.operations.health import problems
from leaderboard.operations.mail import outbox
from leaderboard.operations.processes.heartbeat import files_of_worker
from tests.conftest import judged
from tests.judging.runs import planned
from tests.judging.scripted import ScriptedJudge

OLDER = "The database is older than what left the site"


@pytest.fixture
def lab(settings) -> None:
    there = {"url": "http://127.0.0.1:9/v1", "key": "", "prices": {"m": (1.0, 1.0)}}
    settings.JUDGE_ENDPOINTS = {"lab": {**there, "limits": {}}}


def paid_run(submission) -> JudgeRun:
    return planned(submission, endpoint="lab")


@pytest.fixture
def run(submission, lab) -> JudgeRun:
    return paid_run(submission)


@pytest.fixture
def message(db, settings) -> EmailMessage:
    """That waits to be sent."""
    settings.MAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    found = EmailMessage("Hello", "Text", "assay@lab.org", ["somebody@lab.org"])
    outbox.keep(found)
    return found


def restore(by: int = 1) -> None:
    """What a backup does: the row says what it said then."""
    seen = witness.in_file()
    write(replace(seen, number=seen.number + by, call=seen.call + 7))
    spending.look_again()


def write(mark: witness.Mark) -> None:
    witness.path().write_text(str(replace(witness.read_file(), mark=mark)))


def note() -> None:
    witness.noted = -witness.NOTED_SECONDS
    witness.note()


def confirm(*arguments: str) -> str:
    out = io.StringIO()
    call_command("confirm_restore", *arguments, stdout=out)
    return out.getvalue()


def unconfirmed() -> str:
    """What is printed where nobody says that it is meant."""
    out = io.StringIO()
    with pytest.raises(CommandError, match="Nothing was changed"):
        call_command("confirm_restore", stdout=out)
    return out.getvalue()


def refused_until_confirmed(why: str) -> None:
    spending.look_again()
    assert why in witness.reason_to_wait()
    confirm("--yes")
    assert witness.reason_to_wait() == ""


def full() -> None:
    raise OSError(28, "No space left on device")


# --- what leaves is noted first -------------------------------------------------------------------


def test_calls_are_noted_before_they_leave(committed, request, lab):
    run = paid_run(request.getfixturevalue("submission"))
    seen = []

    class Endpoint(ScriptedJudge):
        async def ask(self, request):
            seen.append(witness.path().read_text())
            return await super().ask(request)

    judge_run(run_id=run.pk, judge=Endpoint(["right"]))
    assert seen
    assert seen[0].startswith(f"1 {JudgeCall.objects.latest('pk').pk} ")
    assert witness.problem() == ""


def test_a_process_notes_once_in_a_second(db, monkeypatch):
    assert witness.reason_to_wait() == ""  # a site that never asked anything is believed
    assert not witness.path().exists()
    now = [100.0]
    monkeypatch.setattr("judging.coordination.witness.time.monotonic", lambda: now[0])
    for _ in range(100):
        witness.note()
        now[0] += 0.05
    assert WitnessMark.objects.get().number == 5


def test_a_worker_writes_what_the_file_lacks(run):
    note()
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    files_of_worker()
    assert witness.in_file().call == JudgeCall.objects.latest("pk").pk
    restore()
    kept = witness.in_file()
    files_of_worker()
    assert witness.in_file() == kept


# --- a database that is older ---------------------------------------------------------------------


def test_an_older_database_asks_and_mails_nothing_until_it_is_confirmed(run, message):
    note()
    restore()
    judge = ScriptedJudge(["right"])
    said = unconfirmed()
    assert f"{OLDER} (calls missing in its ledger: at least 7)." in said
    assert f"{run.submission_id}): about 0.0" in said
    assert "\n4 calls would be asked, about 0.0" in said
    assert (judge_run(run_id=run.pk, judge=judge), judge.asked) == (0, [])
    assert (outbox.send_due(), mail.outbox) == (0, [])
    confirm("--yes")
    assert (judge_run(run_id=run.pk, judge=judge), len(judge.asked)) == (4, 4)
    before = witness.in_file().number
    assert (outbox.send_due(), len(mail.outbox)) == (1, 1)
    note()
    assert witness.in_file().number > before


def test_mail_is_noted_too(message):
    outbox.send_due()
    assert witness.in_file().number == 1


def test_a_submission_without_a_run_is_listed_as_the_run_it_gets(submission, lab, settings):
    settings.JUDGE_DEFAULT = "openai:m@lab"
    note()
    restore()
    unconfirmed()
    assert not JudgeRun.objects.filter(submission=submission, planned__isnull=False).exists()
    assert JudgeRun.objects.filter(submission=submission).exists()


def test_a_confirmed_database_is_believed_and_the_next_older_one_is_not(db):
    note()
    restore(by=5)
    confirm("--yes")
    assert witness.problem() == ""
    assert "nothing waits" in confirm("--yes")
    WitnessMark.objects.update(number=3)
    assert OLDER in witness.problem()


def test_a_database_without_the_row_is_older_than_the_first_note(db):
    note()
    WitnessMark.objects.all().delete()
    assert OLDER in witness.problem()


def test_a_ledger_without_the_newest_call_is_older(run):
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    note()
    assert witness.problem() == ""
    seen = witness.in_file()
    write(replace(seen, call=seen.call + 1))
    assert f"{OLDER} (calls missing in its ledger: at least 1)." in witness.problem()


def test_an_older_database_is_told_everywhere(client, submission):
    judged(submission)
    note()
    restore()
    assert OLDER in problems()["witness"]
    ready = client.get("/health/ready")
    assert (ready.status_code, "witness" in ready.json()["status"]) == (200, True)
    assert "the database was restored" in client.get("/status/").content.decode()
    assert client.get("/status.json").json()["state"] == "stuck"
    out = io.StringIO()
    with pytest.raises(SystemExit, match="1"):
        call_command("check_progress", stdout=out)
    assert OLDER in out.getvalue()
    with pytest.raises(CommandError, match=OLDER):
        call_command("ledger", stdout=io.StringIO())


# --- a file that proves nothing -------------------------------------------------------------------


def test_a_file_that_is_gone_says_nothing_or_is_another_database_s_is_no_proof(db):
    note()
    witness.path().unlink()
    refused_until_confirmed("witness.txt is missing")
    assert witness.in_file().number == 2
    for content in (b"", b"12", b"twelve 5\n", b"\xff\xfe", b"9" * 200, b"9" * 40 + b" 1"):
        witness.path().write_bytes(content)
        refused_until_confirmed("cannot be read")
    witness.path().write_text(str(replace(witness.read_file(), site="f" * 32)))
    refused_until_confirmed("is of another database")


def test_a_disk_without_space_waits_and_goes_on(db, monkeypatch):
    note()
    with monkeypatch.context() as patched:
        patched.setattr(witness, "write", full)
        note()
        assert "cannot be written (No space left on device)" in witness.reason_to_wait()
    assert witness.reason_to_wait() == ""
    assert witness.in_file().number == 2


def test_a_file_that_cannot_be_written_is_found_before_the_first_call(run, monkeypatch):
    note()
    monkeypatch.setattr(witness, "is_unproven", True)  # as in every process that starts
    monkeypatch.setattr(witness, "write", full)
    spending.look_again()
    judge = ScriptedJudge(["right"])
    judge_run(run_id=run.pk, judge=judge)
    assert not judge.asked


def grow_old() -> None:
    """The file was written an hour ago."""
    seen = witness.read_file()
    old = replace(seen, seconds=seen.seconds - 3600)
    witness.path().write_text(str(old))
    os.utime(witness.path(), (old.seconds, old.seconds))


@pytest.mark.parametrize("with_times", [True, False])
def test_a_file_that_was_put_back_is_no_proof(db, tmp_path, with_times):
    """Database and folder from one backup: each says what the other does."""
    note()
    grow_old()
    (shutil.copy2 if with_times else shutil.copy)(witness.path(), tmp_path / "kept")
    witness.path().unlink()
    (tmp_path / "kept").rename(witness.path())
    refused_until_confirmed("was put back or copied there")


def test_a_file_that_got_another_owner_is_still_the_one_that_was_written(db):
    note()
    grow_old()
    witness.path().chmod(0o640)
    assert witness.reason_to_wait() == ""


def test_a_folder_in_the_place_of_the_file_is_named(db):
    note()
    witness.path().unlink()
    witness.path().mkdir()
    try:
        with pytest.raises(CommandError, match=r"cannot be written .*Remove .*witness\.txt"):
            confirm("--yes")
    finally:
        witness.path().rmdir()
    assert WitnessMark.objects.get().number == 1
