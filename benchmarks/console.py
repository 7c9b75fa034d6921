"""What management commands share: one clear sentence for a refusal, and a progress bar where someone watches."""

import io
import json
import sys
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from django.core.management.base import CommandError
from django.db import DatabaseError
from tqdm import tqdm

from benchmarks.protocols.base import BenchmarkProtocol, Problem
from benchmarks.registry import UnknownProtocolError, protocol

PROBLEMS_SHOWN = 100


def refuse(sentence: str) -> CommandError:
    return CommandError(sentence, returncode=2)


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


@contextmanager
def readable_dataset(path: Path) -> Iterator[BinaryIO]:
    """An open dataset file. A folder of JSON files is read as one object: the names of the files are its keys."""
    if not path.is_dir():
        with readable(path) as stream:
            yield stream
        return
    parts = []
    for file in sorted(path.glob("*.json")):
        with readable(file) as stream:
            content = stream.read().removeprefix(b"\xef\xbb\xbf")
        try:
            json.loads(content)
        except ValueError as error:
            raise refuse(f"{file} is not JSON in UTF-8: {error}.") from None
        parts.append(json.dumps(file.stem).encode() + b": " + content)
    if not parts:
        raise refuse(f"The folder {path} has no .json files.")
    yield io.BytesIO(b"{\n" + b",\n".join(parts) + b"\n}\n")


@contextmanager
def writable_database() -> Iterator[None]:
    """A database that cannot be used is one sentence."""
    try:
        yield
    except DatabaseError as error:
        raise refuse(f"The database cannot be used: {error}. Run `make setup`, or check DATABASE_URL.") from error


def progress(total: int | None, what: str) -> "tqdm[object]":
    """A bar where someone watches a terminal; elsewhere nothing, the command's own lines tell."""
    return tqdm(total=total, desc=what, unit=" rows", disable=not sys.stderr.isatty())


def count_of(problems: Sized) -> str:
    return "1 problem" if len(problems) == 1 else f"{len(problems)} problems"


def print_problems(problems: Iterable[Problem]) -> str:
    """One line per problem: where, what, expected, found."""
    return "\n".join(print_problem(problem) for problem in list(problems)[:PROBLEMS_SHOWN])


def print_problem(problem: Problem) -> str:
    places = [f"line {problem.line}" if problem.line else "", problem.column]
    where = ", ".join(place for place in places if place)
    expected = f" Expected {problem.expected}." if problem.expected else ""
    found = f" Found {problem.found}." if problem.found else ""
    return f"  {where}{': ' if where else ''}{problem.message}{expected}{found}"
