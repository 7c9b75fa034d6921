"""Files from outside are read in a process of their own; what is wrong with it is told in a
sentence."""

import random
import sys
import threading
import time
from contextlib import ExitStack

import pytest
from django.contrib.auth.models import User

from benchmarks.models import Release
from benchmarks.protocols.base import QuestionView, Upload
from benchmarks.protocols.files import read_plain
from benchmarks.submissions.files import reader, reading
from benchmarks.submissions.files.reading import (
    HostBusyError,
    ReadersBusyError,
    SenderBusyError,
    read_apart,
)
from benchmarks.submissions.models import EvaluatedModel
from benchmarks.submissions.services import (
    SubmissionRefusedError,
    accept_submission,
    read_submission_file,
)
from tests.each_case import each_case
from tests.protocols.files.bad_parquets import parquet
from tests.submissions import readers

PATIENCE_SECONDS = 300.0  # of a reader: how busy this machine is shall not matter
QUESTIONS = tuple(
    QuestionView(str(n), "words", "spelling", "", "g", "?", {"a": 1.5}, {"b": None})
    for n in range(3)
)


@pytest.fixture(autouse=True)
def read_here() -> None:
    """The process is what these tests are about."""


def sentence(read: reader.Read) -> str:
    (problem,) = read_apart(read, Upload("a.csv", b"words"), QUESTIONS).problems
    assert problem.code == "unreadable"
    return problem.message


def test_a_reader_finds_the_bytecode_that_we_have(monkeypatch):
    monkeypatch.setattr(sys, "pycache_prefix", "/elsewhere")
    assert reading.bare_environment()["PYTHONPYCACHEPREFIX"] == "/elsewhere"
    monkeypatch.setattr(sys, "pycache_prefix", None)
    assert "PYTHONPYCACHEPREFIX" not in reading.bare_environment()


# --- what comes of it -----------------------------------------------------------------------------


@pytest.mark.slow
def test_a_file_that_takes_too_much_computing_is_refused(monkeypatch):
    monkeypatch.setattr(reading, "CPU_SECONDS", 1)  # of ten
    monkeypatch.setattr(reading, "LONGEST_SECONDS", PATIENCE_SECONDS)
    assert "longer than 10 seconds of computing" in sentence(readers.endless)


@pytest.mark.slow
def test_time_that_others_take_is_not_counted(monkeypatch):
    """A busy host gives a reader little of its time; seconds by the clock are no fault of the
    file."""
    monkeypatch.setattr(reading, "CPU_SECONDS", 1)
    monkeypatch.setattr(reading, "LONGEST_SECONDS", PATIENCE_SECONDS)
    assert read_apart(readers.slowed, Upload("a", b""), QUESTIONS).answers == {"0": "late"}


@pytest.mark.slow
def test_a_host_too_busy_to_read_is_said_to_be_busy(monkeypatch):
    monkeypatch.setattr(reading, "LONGEST_SECONDS", 1.0)
    with pytest.raises(HostBusyError):
        read_apart(readers.asleep, Upload("a", b""), QUESTIONS)


def test_the_sender_is_told_that_the_host_is_busy(monkeypatch, spelling):
    monkeypatch.setattr(reading, "LONGEST_SECONDS", 0.01)
    with pytest.raises(SubmissionRefusedError) as refused:
        read_submission_file(release=spelling, upload=Upload("a.txt", b""), from_outside=True)
    assert "The server is too busy" in refused.value.problems[0].message
    assert refused.value.wait_seconds


@each_case("read", [readers.greedy, readers.killed])
def test_a_file_that_takes_too_much_memory_is_refused(read):
    assert "more than 512 MiB of memory" in sentence(read)


def test_a_file_over_which_its_reader_crashed_is_said_to_be_damaged_perhaps(caplog):
    """pyarrow gives up so on a table whose own description is wrong."""
    assert "failed on this one" in sentence(readers.crashing)
    assert len(caplog.messages) == 1


@pytest.mark.slow
def test_damaged_parquet_tables_are_read_or_refused(monkeypatch):
    """Some end their reader. None takes more than it may, or is read with a row of another file."""
    monkeypatch.setattr(reading, "LONGEST_SECONDS", PATIENCE_SECONDS)
    rng, ids = random.Random(20_231_023), [question.public_id for question in QUESTIONS]
    columns = {"id": ids, "prediction": ["some words"] * len(ids)}
    whole = parquet(columns, compression="none").content
    for _ in range(25):
        content = bytearray(whole)
        for _ in range(rng.choice((1, 2, 8))):
            content[rng.randrange(4, len(content))] = rng.randrange(256)
        found = read_apart(read_plain, Upload("a.parquet", bytes(content)), QUESTIONS)
        assert found.problems or set(found.answers) == set(ids)
        assert "an error on our side" not in " ".join(one.message for one in found.problems)


def test_a_parquet_table_is_read_apart_within_the_limits():
    ids = [question.public_id for question in QUESTIONS]
    table = parquet({"id": ids, "prediction": ["some words"] * len(ids)}, compression="zstd")
    assert read_apart(read_plain, table, QUESTIONS).answers == dict.fromkeys(ids, "some words")


@pytest.mark.slow
def test_a_parquet_table_that_lies_of_its_size_finds_no_memory(monkeypatch):
    """A text of 300 MB, of which the table says nothing."""
    monkeypatch.setattr(reading, "LONGEST_SECONDS", PATIENCE_SECONDS)
    table = parquet({"id": ["0"], "prediction": ["x" * 300_000_000]}, compression="zstd")
    assert len(table.content) < 1_000_000
    (problem, *_) = read_apart(readers.unbounded, table, QUESTIONS).problems
    assert (problem.code, "512 MiB of memory" in problem.message) == ("unreadable", True)


@pytest.mark.parametrize("read", [readers.raising, readers.chatty])
def test_a_reader_that_dies_is_a_sentence_and_a_line_in_the_log(read, caplog):
    assert "ended before it was done" in sentence(read)
    (line,) = caplog.messages
    assert line.startswith("No answer from the reader of a file: ")
    assert "secret" not in line


def test_what_is_read_apart_is_what_is_read_here_without_settings_secrets_or_strangers():
    upload, nothing = Upload("ä\u202e.csv", "wörds \u2028\x0b😀".encode()), Upload("a", b"")
    assert read_apart(readers.all_ids, upload, QUESTIONS) == readers.all_ids(upload, QUESTIONS)
    known = read_apart(readers.of_environment, nothing, QUESTIONS).answers
    assert known == {"0": "{'django': False, 'secret': False}"}
    assert read_apart(readers.strangers, nothing, QUESTIONS).answers == {"0": "zero"}


# --- how many at once -----------------------------------------------------------------------------


@pytest.mark.slow
def test_a_host_that_reads_as_many_as_it_can_says_so(monkeypatch):
    monkeypatch.setattr(reading, "WAIT_SECONDS", 0.1)
    with reading.host_lock(), reading.host_lock(), pytest.raises(ReadersBusyError):
        read_apart(readers.all_ids, Upload("a", b""), QUESTIONS)
    assert read_apart(readers.all_ids, Upload("a", b""), QUESTIONS).answers


def test_who_waits_for_a_lock_gets_the_next_that_is_free():
    with reading.host_lock(), reading.host_lock() as second:
        threading.Timer(0.3, second.close).start()
        with reading.host_lock():
            assert second.closed


def test_a_process_keeps_threads_for_pages():
    with ExitStack() as others:
        for _ in range(3):
            others.enter_context(reading.waiting_thread())
        with pytest.raises(ReadersBusyError):
            read_apart(readers.all_ids, Upload("a", b""), QUESTIONS)


def test_a_process_that_reads_two_lets_a_third_wait_its_turn():
    """Its own two threads may be done in a moment: an instant refusal would be for nothing."""
    with reading.waiting_thread(), reading.waiting_thread():
        assert read_apart(readers.all_ids, Upload("a", b""), QUESTIONS).answers


@pytest.mark.slow
def test_one_person_holds_one_reader_and_others_the_rest(monkeypatch):
    monkeypatch.setattr(reading, "WAIT_SECONDS", 0.1)
    upload = Upload("a", b"")
    with reading.sender_lock(1), reading.host_lock():
        with pytest.raises(SenderBusyError):
            read_apart(readers.all_ids, upload, QUESTIONS, sender_id=1)
        assert read_apart(readers.all_ids, upload, QUESTIONS, sender_id=2).answers
    assert read_apart(readers.all_ids, upload, QUESTIONS, sender_id=1).answers


@pytest.mark.slow
def test_the_second_file_of_a_person_waits_its_turn_and_the_third_is_refused_at_once(monkeypatch):
    monkeypatch.setattr(reading, "WAIT_SECONDS", 60.0)
    with reading.sender_lock(1) as first:
        assert first
        with (reading.lock_folder() / "sender-1.next.lock").open("ab") as second:
            assert reading.is_locked_by_us(second)
            begun = time.monotonic()
            with pytest.raises(SenderBusyError), reading.sender_lock(1):
                pass
            assert time.monotonic() - begun < 30
        threading.Timer(0.3, first.close).start()
        with reading.sender_lock(1):
            assert first.closed


@pytest.mark.slow
def test_a_person_whose_file_is_being_read_is_told_to_wait(spelling, owner, stranger, monkeypatch):
    """What is wrong with another's file is told meanwhile."""
    monkeypatch.setattr(reading, "WAIT_SECONDS", 0.1)
    with reading.sender_lock(owner.pk), reading.host_lock():
        refused = {user.pk: refusal(spelling, user) for user in (owner, stranger)}
    (told,) = refused[owner.pk].problems
    assert (told.code, refused[owner.pk].wait_seconds) == ("quota", reading.RETRY_SECONDS)
    assert "Another file of yours is being read" in told.message
    assert refused[stranger.pk].wait_seconds is None


def refusal(release: Release, owner: User) -> SubmissionRefusedError:
    with pytest.raises(SubmissionRefusedError) as refused:
        accept_submission(
            release=release,
            upload=Upload("a.csv", b"words"),
            model=EvaluatedModel(name="Words"),
            owner=owner,
            from_outside=True,
        )
    return refused.value
