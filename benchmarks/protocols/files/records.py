"""What the readers hand over: rows with their line, and refusals that say how much of the file they cost."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from benchmarks.protocols.base import Note, Problem
from benchmarks.protocols.files.forms import Layout


@dataclass(frozen=True, slots=True)
class Record:
    """One row: the fields it has that are read, and the line it starts on."""

    line: int
    fields: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A problem, and what cannot be read because of it: nothing, this row, or the rest of the file."""

    problem: Problem
    loses: Literal["nothing", "row", "rest"]


@dataclass(frozen=True, slots=True)
class Records:
    """All rows that could be read; `unread_rows` could not. Where `is_whole` is False reading ended early:
    ids not seen may be in the rest and are not called missing."""

    records: tuple[Record, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()
    unread_rows: int = 0
    is_whole: bool = True


def record(line: int, layout: Layout, values: Iterable[object]) -> Record:
    kept = {name: value for name, value in zip(layout, values, strict=False) if name is not None}
    return Record(line, kept)


def blank_lines(line: int) -> Refusal:
    message = "A blank line stands between rows. Only the end of the file may be blank."
    return Refusal(Problem("blank-line", message, line, expected="a row"), "nothing")
