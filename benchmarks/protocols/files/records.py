"""What the readers hand over: rows with their line, and refusals that say how much of the file they
cost."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from benchmarks.protocols.base import Note, Problem
from benchmarks.protocols.files.forms import ASKED, Layout
from benchmarks.protocols.files.limits import MAX_BLANK_LINES
from benchmarks.protocols.files.text import visible


@dataclass(frozen=True, slots=True)
class Record:
    """One row: the fields it has that are read, and the line it starts on. In a JSON document it
    has a number, from 1, in its list, and the key of the list where there are several; in a Parquet
    table, which has no lines, one that is its line too."""

    line: int
    fields: Mapping[str, object]
    number: int = 0
    key: str = ""

    @property
    def place(self) -> str:
        """ "SVT, record 1"; empty where the line tells."""
        return record_place(self.key, self.number)

    @property
    def where(self) -> str:
        """Its place as a sentence about another row has it."""
        return f"on line {self.line}" + (f" ({self.place})" if self.number else "")

    def problem(
        self, code: str, message: str, column: str = "", expected: str = "", found: str = ""
    ) -> Problem:
        return Problem(code, message, self.line, column, expected, found, self.place)


@dataclass(frozen=True, slots=True)
class Unread:
    """A row of a list that was refused as a whole: counted, and nothing else is told of it."""

    line: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """A problem, and what cannot be read because of it: nothing, this row, or the rest of the
    file."""

    problem: Problem
    loses: Literal["nothing", "row", "rest"]


@dataclass(frozen=True, slots=True)
class Records:
    """All rows that could be read; `unread_rows` could not. Where `is_whole` is False reading ended
    early: ids not seen may be in the rest and are not called missing. `as_text`: how a text is
    written in this kind of file."""

    records: tuple[Record, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()
    unread_rows: int = 0
    is_whole: bool = True
    as_text: str = "a string in double quotes"


MAX_ID_CHARACTERS = 200
"""Of a question's id, as the site keeps it: a longer text names none."""


@dataclass(frozen=True, slots=True)
class NamedRecords:
    """Rows of a file, the fields in which they have the id of a question and its answer."""

    records: Records
    id_field: str = "id"
    answer_field: str = "prediction"

    def ids(self) -> tuple[str, ...]:
        """Those that may name a question, each once, in file order."""
        given = (record.fields.get(self.id_field) for record in self.records.records)
        texts = (text for text in given if isinstance(text, str))
        return tuple(dict.fromkeys(text for text in texts if len(text) <= MAX_ID_CHARACTERS))


def record(
    line: int, layout: Layout, values: Iterable[object], number: int = 0, key: str = ""
) -> Record:
    kept = {name: value for name, value in zip(layout, values, strict=False) if name is not None}
    if not isinstance(kept.get(ASKED, ""), str):
        del kept[ASKED]
    return Record(line, kept, number, key)


def record_place(key: str, number: int) -> str:
    if not number:
        return ""
    return f"{visible(key)}, record {number}" if key else f"record {number}"


def blank_lines(line: int) -> Refusal:
    message = "There is a blank line between rows. Only the end of the file may be blank."
    return Refusal(Problem("blank-line", message, line, expected="a row"), "nothing")


def endless_blank_lines(line: int) -> Refusal:
    message = f"There are more than {MAX_BLANK_LINES:,} blank lines here. Reading stopped."
    return Refusal(Problem("blank-line", message, line, expected="a row"), "rest")
