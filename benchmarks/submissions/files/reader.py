"""The process that reads one file from outside: with limits, and with nothing of the site.

Started by reading.py as `python -m benchmarks.submissions.files.reader CPU_SECONDS`. It has no
settings, no database and no secret, and it may write nothing but its answer. Standard input: a line
of JSON, the job, then the bytes of the file. Standard output: one JSON document. Plain Python:
Django would make the start twice as slow.
"""

import gc
import importlib
import json
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from operator import attrgetter
from typing import Any, BinaryIO

from benchmarks.protocols.base import PredictionReading, QuestionView, Upload
from benchmarks.protocols.files import PLAIN, read_records
from benchmarks.protocols.files.answers import problems_without_ids
from benchmarks.protocols.files.plain import ids_by_other_names

MEMORY_BYTES = 512 * 1024 * 1024  # Python with NumPy takes 130 MiB of it, a file of 20 MiB 200 more
CPU_SECONDS = 10  # of its own work, so that a file read on a busy host is not refused for it
LAST_SECONDS = 60  # by the clock: who started it stops it before, unless they died
REPLY_BYTES = (
    64 * 1024 * 1024
)  # JSON doubles quotes and line ends of a file of 20 MiB at most, and ids come on top
OUT_OF_MEMORY = 3  # the exit status that says so

VALUES = attrgetter(*(field.name for field in fields(QuestionView)))

Read = Callable[[Upload, Sequence[QuestionView]], PredictionReading]
FindIds = Callable[[Upload, int], tuple[str, ...]]


def main(cpu_seconds: int) -> int:
    limit_resources(cpu_seconds)
    gc.disable()  # it lives for a second; looking for cycles took a tenth of it
    try:
        document = answer_to(sys.stdin.buffer)
    except MemoryError:
        return OUT_OF_MEMORY
    except Exception as error:
        document = {"fault": place_of(error)}
    # A lone surrogate may stand in what is repeated of a file; json.loads reads it back.
    sys.stdout.buffer.write(
        json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")
    )
    return 0


def limit_resources(cpu_seconds: int) -> None:
    """Hard limits, so that nothing in this process can lift them again. The soft one of CPU time
    ends it with a signal of its own, a second before the hard one, whose signal may mean other
    things."""
    signal.alarm(LAST_SECONDS)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    limits = {
        resource.RLIMIT_FSIZE: REPLY_BYTES,
        resource.RLIMIT_CORE: 0,
    }
    if sys.platform == "linux":  # elsewhere address space cannot be limited
        limits[resource.RLIMIT_AS] = MEMORY_BYTES
    for kind, most in limits.items():
        resource.setrlimit(kind, (most, most))


def answer_to(stream: BinaryIO) -> dict[str, Any]:
    job = json.loads(stream.readline())
    upload = Upload(job["name"], stream.read())
    if "most_rows" in job:
        return ids_found(job, upload)
    if "document" in job:
        make: Callable[..., dict[str, Any]] = function_at(job["document"])
        return make(upload, *map(function_at, job["given"]))
    read: Read = function_at(job["function"])
    questions = tuple(QuestionView(*values) for values in job["questions"])
    reading = read(upload, questions)
    return {
        "answers": {} if reading.problems else dict(reading.answers),
        "problems": [asdict(problem) for problem in reading.problems],
        "notes": [asdict(note) for note in reading.notes],
        "missing": list(reading.missing),
    }


def ids_found(job: Mapping[str, Any], upload: Upload) -> dict[str, Any]:
    """Lists of ids, and by function which of these it found, last of all `ids_by_other_names`:
    several benchmarks read most files alike, and a long list is sent once. Where there are no ids,
    what is wrong with the file."""
    lists: dict[tuple[str, ...], int] = {}
    finders: list[FindIds] = [*map(function_at, job["functions"]), ids_by_other_names]
    found = [lists.setdefault(find(upload, job["most_rows"]), len(lists)) for find in finders]
    is_found = any(lists)
    records = None if is_found else read_records(upload, (PLAIN,), job["most_rows"])
    problems = problems_without_ids(records) if records else ()
    return {
        "lists": list(lists),
        "found": found,
        "problems": [asdict(problem) for problem in problems],
    }


def function_at(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def path_of(function: Callable[..., Any]) -> str:
    """Of a function of a module, which both sides import."""
    return f"{function.__module__}:{function.__qualname__}"


def job_of(read: Read, upload: Upload, questions: Sequence[QuestionView]) -> bytes:
    """What the process is given before the bytes of the file, which are not copied to stand behind
    it: they may be 20 MiB."""
    asked = [VALUES(question) for question in questions]  # asdict copies every fact, slowly
    return written({"function": path_of(read), "questions": asked}, upload)


def ids_job_of(finders: Sequence[FindIds], upload: Upload, most_rows: int) -> bytes:
    """The job of reading ids, where the release is not known yet."""
    functions = [path_of(find) for find in finders]
    return written({"functions": functions, "most_rows": most_rows}, upload)


def document_job_of(path: str, given: Sequence[str], upload: Upload) -> bytes:
    """For a function that makes a JSON document of the file. `path` and what it is `given` are
    names in modules, "package.module:name"."""
    return written({"document": path, "given": list(given)}, upload)


def written(job: Mapping[str, Any], upload: Upload) -> bytes:
    return json.dumps({**job, "name": upload.name}).encode() + b"\n"


def place_of(error: Exception) -> str:
    """Kind and place of a fault. Its message is left out: it may repeat what stands in the file or
    is hidden."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {frame.name}, line {frame.lineno} of {frame.filename}"


if __name__ == "__main__":
    status = main(int(sys.argv[1]))
    sys.stdout.flush()
    os._exit(
        status
    )  # taking a process apart that is done with takes it some hundredths of a second
