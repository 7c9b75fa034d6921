"""What management commands share: one clear sentence for a refusal, and a progress bar where
someone watches."""

import io
import json
import re
import sys
from bisect import bisect
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, BinaryIO

from django.core.management.base import CommandError
from django.db import DatabaseError
from tqdm import tqdm

from benchmarks.checks import board_faults
from benchmarks.common.file_storage import is_no_space, whole_file
from benchmarks.protocols.base import BenchmarkProtocol, Problem
from benchmarks.protocols.files import read_json
from benchmarks.protocols.files.text import count_line_ends
from benchmarks.registry import UnknownProtocolError, protocol

PROBLEMS_SHOWN = 100
NO_TABLE = re.compile(r'no such (?:table|column)|(?:relation|column) "?[^" ]*"? does not exist')
"""In the words of SQLite and PostgreSQL."""


def refuse(sentence: str) -> CommandError:
    return CommandError(sentence, returncode=2)


def refuse_unsound(families: Iterable[BenchmarkProtocol]) -> None:
    """CommandError where a board promises what nobody computes, as `check --tag content` says."""
    faults = [fault for family in families for fault in board_faults(family) if fault.is_serious()]
    if faults:
        raise refuse("Nothing was loaded.\n" + "\n".join(map(str, faults)))


def known_protocol(slug: str) -> BenchmarkProtocol:
    try:
        return protocol(slug)
    except UnknownProtocolError as error:
        raise refuse(str(error)) from None


@contextmanager
def readable(path: Path) -> Iterator[BinaryIO]:
    """An open file; a file that cannot be read is one sentence."""
    try:
        stream = path.open("rb")
    except OSError as error:
        raise refuse(f"Cannot read {path}: {error.strerror}.") from None
    with stream:
        yield stream


@dataclass(frozen=True, slots=True)
class DatasetFile:
    """An open dataset file. One made of a folder knows the `files` by their keys, the line behind
    whose end each `starts`, and what of the folder was `left_out`."""

    stream: BinaryIO
    files: tuple[tuple[str, str], ...] = ()
    starts: tuple[int, ...] = ()
    left_out: tuple[str, ...] = ()

    def located(self, problem: Problem) -> Problem:
        """The problem with the file of the folder it is in, and the line of that file."""
        part = bisect(self.starts, problem.line or 0) - 1
        if part < 0:
            return problem
        (key, name), start = self.files[part], self.starts[part]
        line = max(1, (problem.line or 0) - start)
        return replace(problem, line=line, record=name + problem.record.removeprefix(key))


@contextmanager
def readable_dataset(
    path: Path, protocol: BenchmarkProtocol, *, lists_only: bool = False
) -> Iterator[DatasetFile]:
    """An open dataset file. A folder of JSON files is read as one object: the names of the files
    are its keys, those of subtasks in the order of the benchmark. A folder in it that has a
    dataset.json stands for that file. With `lists_only` files that hold no list are left out: what
    a program wrote of its own beside them."""
    if path.is_dir():
        yield joined(path, protocol, lists_only)
        return
    with readable(path) as stream:
        yield DatasetFile(stream)


def joined(folder: Path, protocol: BenchmarkProtocol, lists_only: bool) -> DatasetFile:
    slugs = [
        subtask.slug.casefold()
        for ability in protocol.dataset.TAXONOMY
        for subtask in ability.subtasks
    ]
    places = {slug: place for place, slug in enumerate(slugs)}
    found = [(file.stem, file) for file in folder.glob("*.json")]
    found += [(file.parent.name, file) for file in folder.glob("*/dataset.json")]
    found.sort(key=lambda part: (places.get(part[0].casefold(), len(places)), part[0]))
    texts = [(key, file, json_text(file)) for key, file in found]
    is_list = {file: text.lstrip().startswith("[") for _, file, text in texts}
    kept = [part for part in texts if not lists_only or is_list[part[1]]]
    if not kept:
        raise refuse(
            f"The folder {folder} has no .json files, nor folders with a dataset.json in them."
        )
    text, line, starts = "{\n", 2, []
    for left, (key, _, content) in enumerate(kept, 1 - len(kept)):
        starts.append(line)
        part = f"{json.dumps(key)}:\n{content}{',' if left else ''}\n"
        line += count_line_ends(part, 0, len(part))
        text += part
    files = tuple((key, str(file.relative_to(folder))) for key, file, _ in kept)
    left_out = tuple(file.name for _, file, _ in texts if lists_only and not is_list[file])
    return DatasetFile(io.BytesIO(f"{text}}}\n".encode()), files, tuple(starts), left_out)


def json_text(file: Path) -> str:
    with readable(file) as stream:
        content = stream.read()
    try:
        read_json(content)
    except ValueError as error:
        raise refuse(f"{file} is not JSON in UTF-8: {error}.") from None
    return content.decode("utf-8-sig")


@contextmanager
def writable(path: Path, mode: str = "w", **options: Any) -> Iterator[IO[Any]]:
    """`whole_file`; a file that cannot be written is one sentence."""
    try:
        with whole_file(path, mode, **options) as file:
            yield file
    except OSError as error:
        raise refuse(f"Cannot write {path}: {error.strerror}.") from None


@contextmanager
def writable_database() -> Iterator[None]:
    """A database that cannot be used is one sentence, and so is a disk without space."""
    try:
        yield
    except (DatabaseError, OSError) as error:
        if is_no_space(error):
            raise refuse(
                "There is no space left for the site's files or its database. Nothing was half "
                "saved: make room, and run the command again."
            ) from error
        if isinstance(error, OSError):
            raise
        if "malformed" in str(error):  # SQLite's word
            raise refuse(
                "The database file is damaged. Stop the site and put it back from a backup "
                "(docs/operator/backup.md)."
            ) from error
        if NO_TABLE.search(str(error)[:500]):
            raise refuse(
                "The database is new, or older than this version of Assay. Run "
                ".venv/bin/python manage.py migrate, and the command again."
            ) from error
        raise refuse(
            f"The database cannot be used: {error}. Check DATABASE_URL and that its server runs."
        ) from error


def progress(total: int | None, what: str) -> "tqdm[object]":
    """A bar where someone watches a terminal; elsewhere nothing, the command's own lines tell."""
    return tqdm(total=total, desc=what, unit=" rows", disable=not sys.stderr.isatty())


def count_of(problems: Sized) -> str:
    return "1 problem" if len(problems) == 1 else f"{len(problems)} problems"


def print_problems(problems: Iterable[Problem]) -> str:
    """One line per problem: where, what, expected, found."""
    return "\n".join(print_problem(problem) for problem in list(problems)[:PROBLEMS_SHOWN])


def print_problem(problem: Problem) -> str:
    expected = f" Expected {problem.expected}." if problem.expected else ""
    found = f" Found {problem.found}." if problem.found else ""
    return f"  {problem}{expected}{found}"
