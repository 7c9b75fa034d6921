"""Reading files from outside in a process of their own, so that no page waits for the worst of
them.

A reader gets ten seconds of CPU time and 512 MiB (reader.py); a file that needs more is refused
with a sentence, and so is one whose reader dies. As many files are read at once on a host as it has
locks in VAR_DIR; whoever finds none in time is told that the site is busy. One of them at most is a
person's: refused files cost nobody a place (quota.py), so nothing else would keep one sender from
holding every reader.
"""

import fcntl
import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from signal import SIGABRT, SIGBUS, SIGKILL, SIGSEGV, SIGXCPU
from typing import IO, Any

from django.conf import settings

from benchmarks.protocols.base import Note, PredictionReading, Problem, QuestionView, Upload
from benchmarks.submissions.files.reader import (
    CPU_SECONDS,
    MEMORY_BYTES,
    OUT_OF_MEMORY,
    FindIds,
    Read,
    document_job_of,
    ids_job_of,
    job_of,
)

log = logging.getLogger(__name__)
LONGEST_SECONDS = (
    40.0  # by the clock: a reader then had less than a quarter of a core, and the host is busy
)
READERS_AT_ONCE = (
    2  # of a host: the smallest there is has two cores, and a gigabyte to spare for them
)
READING_THREADS = threading.BoundedSemaphore(
    3
)  # of a process with four: two read, one waits its turn for WAIT_SECONDS, one is for pages
WAIT_SECONDS = 5.0  # for a lock; a reader seldom takes longer than one
POLL_SECONDS = 0.05
RETRY_SECONDS = 15  # what a sender is asked to wait
MAX_PROBLEMS = 15_000  # readers list 12,001, and protocols add a few


class ReadersBusyError(Exception):
    """As many files are being read as this host reads at once."""


class SenderBusyError(ReadersBusyError):
    """Another file of the same person is being read."""


class HostBusyError(ReadersBusyError):
    """A reader did not get the time it may take: nothing is known of its file."""


class NoAnswerError(Exception):
    """The reader was stopped or died; the message is for the sender, `cause` for the log."""

    def __init__(self, message: str, cause: str):
        self.cause = cause
        super().__init__(message)


TOO_LONG = (
    f"Reading the file took longer than {CPU_SECONDS} seconds of computing and was stopped. A "
    "file in the form of the template takes a moment: look for blank lines without end, or rows "
    "that are not answers."
)
TOO_MUCH = (
    f"Reading the file took more than {MEMORY_BYTES // 1024 // 1024} MiB of memory and was "
    "stopped. A file in the form of the template takes far less: look for rows and values that "
    "are not answers."
)
DIED = (
    "The process that read the file ended before it was done. This is an error on our side and "
    "is in the site's log; try again, or write to the operators if it happens twice."
)
BROKE_DOWN = (
    "The program that reads such files failed on this one, as it does if a workbook or a Parquet "
    "table is damaged. Save the file again, or save it as .tsv or .jsonl. If it fails on a file "
    "that is not damaged, write to the operators of the site."
)


def read_apart(
    read: Read, upload: Upload, questions: Sequence[QuestionView], *, sender_id: int | None = None
) -> PredictionReading:
    """What `read`, a function of a module, finds in the file; a file beyond the limits has that as
    its one problem.

    Raises ReadersBusyError, and SenderBusyError and HostBusyError, which are two.
    """
    try:
        document = document_from_process(lambda: job_of(read, upload, questions), upload, sender_id)
    except NoAnswerError as error:
        return PredictionReading({}, (Problem("unreadable", str(error)),))
    return reading_of(document, {question.public_id for question in questions})


@dataclass(frozen=True, slots=True)
class NamedIds:
    """The ids that each finder found in a file, and last those under other names than the
    template's; where no one found any, what is wrong with it."""

    ids: Sequence[Sequence[str]]
    problems: tuple[Problem, ...]


def ids_apart(
    finders: Sequence[FindIds], upload: Upload, most_rows: int, *, sender_id: int | None = None
) -> NamedIds:
    """`finders` are functions of a module. Raises NoAnswerError where the file is beyond the
    limits, and what `read_apart` raises."""
    document = document_from_process(
        lambda: ids_job_of(finders, upload, most_rows), upload, sender_id
    )
    ids = [document["lists"][place] for place in document["found"]]
    problems = document["problems"][:MAX_PROBLEMS]
    return NamedIds(ids, tuple(Problem(**problem) for problem in problems))


def document_apart(
    path: str, given: Sequence[str], upload: Upload, *, sender_id: int | None = None
) -> dict[str, Any]:
    """What the function at `path` makes of the file; a file beyond the limits has that as its one
    problem, and maybe nothing else. Raises ReadersBusyError and its kinds."""
    try:
        return document_from_process(
            lambda: document_job_of(path, given, upload), upload, sender_id
        )
    except NoAnswerError as error:
        return {"rows": [], "problems": [asdict(Problem("unreadable", str(error)))]}


def document_from_process(
    job: Callable[[], bytes], upload: Upload, sender_id: int | None
) -> dict[str, Any]:
    """`job` is made once a reader is free. Raises NoAnswerError, which is in the log then."""
    with waiting_thread(), sender_lock(sender_id) as of_sender, host_lock() as of_host:
        locks = [of_host, of_sender] if of_sender else [of_host]
        try:
            return document_of(answer_from_process(job(), upload.content, locks))
        except NoAnswerError as error:
            log.warning("No answer from the reader of a file: %s", error.cause)
            raise


@contextmanager
def waiting_thread() -> Iterator[None]:
    if not READING_THREADS.acquire(blocking=False):
        raise ReadersBusyError
    try:
        yield
    finally:
        READING_THREADS.release()


def lock_folder() -> Path:
    folder = Path(settings.VAR_DIR) / "readers"
    folder.mkdir(exist_ok=True)
    return folder


@contextmanager
def sender_lock(sender_id: int | None) -> Iterator[IO[bytes] | None]:
    """The one lock of a person, inherited as the host's is. One more file of theirs waits for it: a
    form sent twice is one submission, and both are told so. A third is refused at once, so that a
    thread is left to others.

    The empty files stay: who removed one might remove what another process has just locked.
    """
    if sender_id is None:
        yield None
        return
    folder = lock_folder()
    with (folder / f"sender-{sender_id}.lock").open("ab") as lock:
        if not is_locked_by_us(lock):
            wait_one_turn(lock, folder / f"sender-{sender_id}.next.lock")
        yield lock


def wait_one_turn(lock: IO[bytes], next_file: Path) -> None:
    """The lock is ours afterwards. Raises SenderBusyError where somebody waits already, or where it
    takes longer than WAIT_SECONDS."""
    with next_file.open("ab") as turn:
        if not is_locked_by_us(turn):
            raise SenderBusyError
        end = time.monotonic() + WAIT_SECONDS
        while not is_locked_by_us(lock):
            if time.monotonic() >= end:
                raise SenderBusyError
            time.sleep(POLL_SECONDS)


@contextmanager
def host_lock() -> Iterator[IO[bytes]]:
    """One of the host's locks. The reader inherits it: if we are killed, it is held until the
    reader ends."""
    folder = lock_folder()
    end = time.monotonic() + WAIT_SECONDS
    while True:
        for number in range(READERS_AT_ONCE):
            with (folder / f"{number}.lock").open("ab") as lock:
                if is_locked_by_us(lock):
                    yield lock
                    return
        if time.monotonic() >= end:
            raise ReadersBusyError
        time.sleep(POLL_SECONDS)


def is_locked_by_us(lock: IO[bytes]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def answer_from_process(job: bytes, content: bytes, locks: Sequence[IO[bytes]]) -> bytes:
    """What the process wrote. Raises NoAnswerError and HostBusyError."""
    with tempfile.TemporaryFile() as question, tempfile.TemporaryFile() as answer:
        question.write(job)
        question.write(content)
        question.seek(0)
        process = subprocess.Popen(  # noqa: S603 - this interpreter, our module, a number
            [sys.executable, "-S", "-m", "benchmarks.submissions.files.reader", str(CPU_SECONDS)],
            stdin=question,
            stdout=answer,
            stderr=subprocess.DEVNULL,
            env=bare_environment(),
            pass_fds=[lock.fileno() for lock in locks],
        )
        try:
            status = process.wait(timeout=LONGEST_SECONDS)
        except subprocess.TimeoutExpired:
            log.warning(
                "The reader of a file was stopped after %s s: the host is busy", LONGEST_SECONDS
            )
            raise HostBusyError from None
        finally:
            process.kill()
            process.wait()
        if status:
            raise NoAnswerError(sentence_of(status), f"ended with status {status}")
        answer.seek(0)
        return answer.read()


def bare_environment() -> dict[str, str]:
    """No key or password of the site. NumPy and pyarrow would make a thread, and room for it, for
    each core, and pyarrow's own allocators take address space in advance.

    PYTHONPATH is all it needs: with -S no file of site-packages is run at its start. It finds
    bytecode where we do: compiling takes it longer than reading a small file.
    """
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    known = {
        "PYTHONPATH": path,
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "ARROW_IO_THREADS": "1",
        "ARROW_DEFAULT_MEMORY_POOL": "system",
    }
    return known | ({"PYTHONPYCACHEPREFIX": sys.pycache_prefix} if sys.pycache_prefix else {})


def sentence_of(status: int) -> str:
    """SIGKILL is not ours here: the kernel sends it where memory is short, or beyond the hard limit
    of CPU time."""
    if status in (OUT_OF_MEMORY, -SIGKILL):
        return TOO_MUCH
    if status in (-SIGABRT, -SIGBUS, -SIGSEGV):
        return BROKE_DOWN
    return TOO_LONG if status == -SIGXCPU else DIED


def document_of(answer: bytes) -> dict[str, Any]:
    """Raises NoAnswerError for what is no answer of a reader that was done."""
    try:
        document = json.loads(answer)
    except ValueError:
        raise NoAnswerError(DIED, "wrote no JSON") from None
    if not isinstance(document, dict) or "fault" in document:
        raise NoAnswerError(DIED, f"failed: {document}"[:500])
    return document


def reading_of(document: dict[str, Any], ids: set[str]) -> PredictionReading:
    """Of answers only those to questions there are, as text."""
    answers = {key: str(text) for key, text in document["answers"].items() if key in ids}
    problems = tuple(Problem(**problem) for problem in document["problems"][:MAX_PROBLEMS])
    notes = tuple(Note(**note) for note in document["notes"])
    missing = tuple(key for key in document["missing"] if key in ids)
    return PredictionReading(answers, problems, notes, missing)
