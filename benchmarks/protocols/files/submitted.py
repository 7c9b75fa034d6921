"""A submitted file as records: the right reader, no more rows than there are questions, checked
texts."""

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from benchmarks.protocols.answer_texts.thinking import answer_alone
from benchmarks.protocols.base import Note, Problem, Upload
from benchmarks.protocols.files.documents import (
    RefuseKey,
    Wrapping,
    any_key,
    is_of_lines,
    read_document,
)
from benchmarks.protocols.files.forms import ASKED, Form, Layouts
from benchmarks.protocols.files.json_values import is_nan, skip_blanks
from benchmarks.protocols.files.kinds import Kind, kind_of
from benchmarks.protocols.files.limits import (
    MAX_CHARACTERS,
    MAX_ROW_CHARACTERS,
    MAX_WRITTEN_CHARACTERS,
)
from benchmarks.protocols.files.lines import read_lines
from benchmarks.protocols.files.records import Record, Records, Refusal, Unread
from benchmarks.protocols.files.tables import names_columns, read_table
from benchmarks.protocols.files.text import FORBIDDEN, Decoded, decode, split_lines, visible
from benchmarks.protocols.files.workbooks import read_workbook


def read_records(
    upload: Upload,
    forms: Sequence[Form],
    expected_rows: int,
    *,
    keyed_by: str = "",
    refuse_key: RefuseKey = any_key,
    wrapping: Wrapping | None = None,
) -> Records:
    """Every row of the file, in the one of `forms` that fits best, with every problem on the way.

    Reading stops after `expected_rows` + 1 rows, however long the file is. With `keyed_by` a JSON
    file may also be an object of lists; the key a row stands under is its field of that name,
    unless it has its own. A list whose key is refused is one problem, whatever it holds. With
    `wrapping` it may be what a program writes about one list of rows.
    """
    kind = kind_of(upload)
    if isinstance(kind, Problem):
        return Records(problems=(kind,), is_whole=False)
    layouts = Layouts(forms)
    intake = _Intake(expected_rows, layouts)
    if kind == "xlsx":
        intake.take_all(read_workbook(upload.content, layouts))
        return replace(intake.records_by(), as_text=_TEXT_OF_WORKBOOK)
    if kind == "parquet":
        # Not imported above: pyarrow would come with every file.
        parquet = importlib.import_module("benchmarks.protocols.files.parquet")
        intake.take_all(parquet.read_parquet(upload.content, layouts))
        return replace(intake.records_by(), as_text=_TEXT_OF_PARQUET)
    decoded = decode(upload.content)
    if decoded.text is None or not decoded.text.strip():
        empty = Problem("empty", "The file is empty.", 1, expected="a row per question")
        return Records(problems=decoded.problems or (empty,), notes=decoded.notes, is_whole=False)
    written = _kind_in(decoded.text, kind, layouts)
    if written != kind:
        message = f"The file is named .{kind} and holds {_NAMES[written]}: it was read as that."
        intake.notes.append(Note("other-kind", message))
    if written == "json":
        intake.take_all(read_document(decoded.text, layouts, keyed_by, refuse_key, wrapping))
    else:
        intake.take_all(_rows(decoded.text, written, layouts))
    return intake.records_by(decoded)


_TEXT_OF_WORKBOOK = (
    "a cell of text: in Excel with an apostrophe before it, in pandas by .astype(str) before "
    "to_excel"
)
_TEXT_OF_PARQUET = "a column of strings, in pandas by .astype(str) before to_parquet"
_NAMES = {"csv": "a table", "tsv": "a table", "jsonl": "JSON lines", "json": "JSON"}


def _kind_in(text: str, kind: Kind, layouts: Layouts) -> Kind:
    """What a file of text holds, where its name says the wrong of a table and JSON: nothing that
    is one can be read as the other."""
    start = skip_blanks(text, 0)
    if not text.startswith(("[", "{"), start):
        header = next(split_lines(text[start : start + MAX_ROW_CHARACTERS]), "").rstrip("\r\n")
        tables: tuple[tuple[Kind, str], ...] = (("csv", ","), ("tsv", "\t"))
        if kind in ("json", "jsonl"):
            return next((one for one, cut in tables if names_columns(header, cut, layouts)), kind)
        return kind
    if kind not in ("csv", "tsv"):
        return kind
    return "jsonl" if is_of_lines(text) else "json"


def _rows(text: str, kind: Kind, layouts: Layouts) -> Iterator[Record | Refusal]:
    if kind == "jsonl":
        return read_lines(text, layouts)
    return read_table(text, "," if kind == "csv" else "\t", layouts)


_NOT_TEXT = Decoded("")


class _Intake:
    def __init__(self, expected_rows: int, layouts: Layouts) -> None:
        self.expected_rows = expected_rows
        self.layouts = layouts
        self.records: list[Record] = []
        self.problems: list[Problem] = []
        self.notes: list[Note] = []
        self.unread_rows = 0
        self.is_whole = True

    def take_all(self, items: Iterator[Record | Refusal | Unread | Note]) -> None:
        for item in items:
            if isinstance(item, Note):
                self.notes.append(item)
                continue
            line = self._take(item)
            if len(self.records) + self.unread_rows > self.expected_rows:
                self.is_whole = False
                self.problems.append(_too_many_rows(self.expected_rows, line))
                return

    def records_by(self, decoded: Decoded = _NOT_TEXT) -> Records:
        """What was taken, with what was found out about the bytes and the names of fields."""
        return Records(
            records=tuple(self.records),
            problems=(*decoded.problems, *self.layouts.problems(), *self.problems),
            notes=(*decoded.notes, *self.notes, *self.layouts.notes()),
            unread_rows=self.unread_rows,
            is_whole=self.is_whole,
        )

    def _take(self, item: Record | Refusal | Unread) -> int | None:
        if isinstance(item, Record) and not self.layouts.bears_nan:
            item = _without_nan(item)
        if isinstance(item, Record):
            self.records.append(item)
            self.problems += text_problems(item)
            return item.line
        if isinstance(item, Unread):
            self.unread_rows += 1
            return item.line
        self.problems.append(item.problem)
        self.unread_rows += item.loses == "row"
        self.is_whole = self.is_whole and item.loses != "rest"
        return item.problem.line


def _without_nan(record: Record) -> Record | Refusal:
    if not any(map(is_nan, record.fields.values())):
        return record
    message, expected = "NaN is not JSON.", "a finite number"
    problem = record.problem("number", message, expected=expected, found="NaN")
    return Refusal(problem, "row")


def text_problems(record: Record) -> Iterator[Problem]:
    """What is wrong with the texts of one row, whatever they mean."""
    fields = ((name, value) for name, value in record.fields.items() if name != ASKED)
    texts = ((name, value) for name, value in fields if isinstance(value, str))
    return chain.from_iterable(_field_problems(record, name, value) for name, value in texts)


def _field_problems(record: Record, name: str, value: str) -> Iterator[Problem]:
    found, most = _too_long(value)
    if found:
        message = f"The text has {found}; at most {most} are accepted."
        yield record.problem(
            "too-long", message, name, f"at most {most} characters", visible(value)
        )
    if most == MAX_WRITTEN_CHARACTERS:
        return  # one text of a file may be all of it: nothing looks for more in it
    bad = FORBIDDEN.search(value)
    if bad is not None:
        shown, number = visible(bad.group()), bad.start() + 1
        is_surrogate = bad.group() >= "\ud800"
        code, kind = (
            ("surrogate", "a lone surrogate")
            if is_surrogate
            else ("control", "a control character")
        )
        around = visible(value[max(0, bad.start() - 20) : bad.start() + 20])
        message = f"Character {number} is {kind} ({shown}), which no text may hold."
        yield record.problem(code, message, name, "text without control characters", around)


def _too_long(text: str) -> tuple[str, int]:
    """How long the text is, and what is accepted; "" where that is enough. Thoughts before an
    answer, which are not kept, count for the limit of what is read alone."""
    if len(text) <= MAX_CHARACTERS:
        return "", 0
    if len(text) > MAX_WRITTEN_CHARACTERS:
        return (
            f"{len(text)} characters, thoughts before the answer included",
            MAX_WRITTEN_CHARACTERS,
        )
    said = answer_alone(text)
    if len(said) <= MAX_CHARACTERS:
        return "", 0
    without = "" if said == text else " without the thoughts before the answer"
    return f"{len(said)} characters{without}", MAX_CHARACTERS


def _too_many_rows(expected_rows: int, line: int | None) -> Problem:
    message = f"There are more rows than questions ({expected_rows}). Reading stopped here."
    return Problem("too-many-rows", message, line, "", f"{expected_rows} rows", "more")
