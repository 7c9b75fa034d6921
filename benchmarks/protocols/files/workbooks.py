"""Excel workbooks (.xlsx): the first sheet, a header and a row per answer, as tables are.

A workbook is a ZIP archive of XML. What it would unpack to is bounded before any of it is read; the
rest is openpyxl's, within the limits of the process that reads files from outside. Excel keeps
32,767 characters of a cell, so a text of that length was cut off. Nothing is converted: a number or
a formula is no answer.
"""

import importlib
import io
import re
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from benchmarks.protocols.base import Note, Problem
from benchmarks.protocols.files.forms import ASKED, Layout, Layouts, repeated_column
from benchmarks.protocols.files.limits import (
    MAX_BLANK_LINES,
    MAX_CELL_CHARACTERS,
    MAX_CHARACTERS,
    MAX_FIELDS,
    MAX_LISTED,
    MAX_PARTS,
    MAX_UNPACKED_BYTES,
)
from benchmarks.protocols.files.records import (
    Record,
    Refusal,
    blank_lines,
    endless_blank_lines,
    record,
)
from benchmarks.protocols.files.text import quoted, visible

_DECLARATIONS = (b"<!DOCTYPE", b"<!ENTITY")
_PROLOGUE_BYTES = 4096  # of an XML part: declarations stand before its first element
_MERGED = re.compile(rb'<mergeCell ref="([A-Z]{1,3}[0-9]{1,7}:[A-Z]{1,3}[0-9]{1,7})"')
# How a workbook writes characters that XML cannot hold, and "_x005F_" the underscore of a text that
# looks like one of these (ECMA-376 part 1, 22.9.2.19); openpyxl leaves them as they are.
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


class _Row(NamedTuple):
    line: int
    cells: Sequence[Any]


class _Sheet(NamedTuple):
    """What is told of a sheet behind its rows: ranges of merged cells, as "B4:B5"."""

    title: str
    merged: Sequence[str]


def read_workbook(content: bytes, layouts: Layouts) -> Iterator[Record | Refusal | Note]:
    problem = _archive_problem(content)
    if problem is not None:
        yield Refusal(problem, "rest")
        return
    layout: Layout = ()
    names: list[str] = []
    for row in _rows(content):
        if isinstance(row, Refusal | Note):
            yield row
        elif isinstance(row, _Sheet):
            yield from _sheet_refusals(row, names, layout, layouts)
        elif not names:
            names = [_name(cell) for cell in row.cells]
            problem = _header_problem(row.line, names, layouts)
            if problem is not None:
                yield Refusal(problem, "rest")
                return
            layout = layouts.fit(tuple(names), row.line)
        elif len(row.cells) > len(names):
            expected, found = f"{len(names)} cells", f"{len(row.cells)} cells"
            message = "The row has more cells than the header."
            yield Refusal(Problem("long-row", message, row.line, "", expected, found), "row")
        else:
            yield from _record(row, names, layout)


# --- the archive ----------------------------------------------------------------------------------


def _archive_problem(content: bytes) -> Problem | None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
            size = sum(part.file_size for part in parts)
            if len(parts) > MAX_PARTS or size > MAX_UNPACKED_BYTES:
                message = "The workbook would unpack to more than is read."
                expected = f"at most {MAX_PARTS} parts of {MAX_UNPACKED_BYTES} bytes together"
                found = f"{len(parts)} parts, {size} bytes"
                return Problem("size", message, expected=expected, found=found)
            if any(part.flag_bits & 1 for part in parts):
                return _unreadable("It is protected by a password.")
            if any(_declares(archive, part) for part in parts):
                return _unreadable("It declares entities, which no workbook does.")
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        return _unreadable(f"It may have been cut off: {visible(str(error))}.")
    if "[Content_Types].xml" not in {part.filename for part in parts}:
        return _unreadable("It is a ZIP archive of something else. Submit the file inside.")
    return None


def _declares(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bool:
    if not part.filename.endswith((".xml", ".rels")):
        return False
    with archive.open(part) as stream:
        prologue = stream.read(_PROLOGUE_BYTES).upper()
    return any(declaration in prologue for declaration in _DECLARATIONS)


def _unreadable(reason: str, line: int | None = None) -> Problem:
    message = f"The workbook cannot be read. {reason}"
    return Problem("workbook", message, line, expected="a whole .xlsx workbook")


# --- its rows -------------------------------------------------------------------------------------


def _rows(content: bytes) -> Iterator[_Row | Refusal | Note | _Sheet]:
    """Every row that is not blank, without empty cells at its end; then what else is told of the
    sheet."""
    line = first_blank = 0
    try:
        workbook = _opened(content)
        sheet = workbook.worksheets[0]
        yield from _other_sheets(workbook)
        for line, cells in enumerate(sheet.iter_rows(), 1):
            filled = _without_empty_end(cells)
            if not filled:
                first_blank = first_blank or line
                if line - first_blank >= MAX_BLANK_LINES:
                    yield Refusal(endless_blank_lines(first_blank).problem, "rest")
                    return
                continue
            if first_blank:
                yield blank_lines(first_blank)
                first_blank = 0
            yield _Row(line, filled)
        yield _Sheet(sheet.title, _merged_ranges(content, sheet._worksheet_path))
    except MemoryError:
        raise
    except Exception as error:  # openpyxl has no error of its own: its parts raise what they like
        way = "Save the sheet with the answers as .tsv or .csv, and hand that in."
        reason = f"It is faulty here ({type(error).__name__}). {way}"
        yield Refusal(_unreadable(reason, line + 1), "rest")


def _opened(content: bytes) -> Any:
    # Not imported above: it takes a reader of files as long to start as all the rest, and most
    # files are text.
    openpyxl = importlib.import_module("openpyxl")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and extensions, which nobody reads
        workbook = openpyxl.load_workbook(io.BytesIO(content), read_only=True, keep_links=False)
    workbook.worksheets[0].reset_dimensions()  # what it says of its own size may be wrong
    return workbook


def _other_sheets(workbook: Any) -> Iterator[Note]:
    first, *others = [sheet.title for sheet in workbook.worksheets]
    if others:
        listed = ", ".join(quoted(title) for title in others[:MAX_LISTED])
        listed += ", …" if len(others) > MAX_LISTED else ""
        message = f"Only the first sheet, {quoted(first)}, is read; not read: {listed}."
        yield Note("other-sheets", message)


def _merged_ranges(content: bytes, path: str) -> Sequence[str]:
    """The first ones. They stand behind the rows, and reading row by row passes them over."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        part = archive.read(path)
    found = islice(_MERGED.finditer(part), MAX_LISTED)
    return [match[1].decode() for match in found]


def _sheet_refusals(
    sheet: _Sheet, names: Sequence[str], layout: Layout, layouts: Layouts
) -> Iterator[Refusal]:
    if not names:
        title = quoted(sheet.title)
        message = f"The first sheet, {title}, is empty. Put the sheet with the answers first."
        expected = layouts.headers()
        yield Refusal(Problem("header", message, 1, "", expected, "an empty sheet"), "rest")
    for cells in sheet.merged:
        (left, top), (right, _) = map(_place, cells.split(":"))
        places = range(left, min(right, len(layout)) + 1)
        read = [names[place - 1] for place in places if layout[place - 1] not in (None, ASKED)]
        if read:
            message = (
                "Cells are merged here: Excel keeps the first of them, and the others are empty."
            )
            column, expected = visible(read[0]), "a cell by itself for every id and answer"
            yield Refusal(Problem("merged", message, top, column, expected, cells), "nothing")


def _place(cell: str) -> tuple[int, int]:
    """Column and row of a cell, both from 1: "C7" is (3, 7)."""
    letters = cell.rstrip("0123456789")
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - ord("A") + 1
    return column, int(cell[len(letters) :])


def _without_empty_end(cells: Sequence[Any]) -> Sequence[Any]:
    width = len(cells)
    while width and cells[width - 1].value is None:
        width -= 1
    return cells[:width]


def _name(cell: Any) -> str:
    return "" if cell.value is None else _unescaped(str(cell.value))


def _header_problem(line: int, names: Sequence[str], layouts: Layouts) -> Problem | None:
    if problem := repeated_column(names, line):
        return problem
    if layouts.knows_any(names):
        return None
    message = (
        "The first row of the first sheet must be a header that names the columns. If the answers "
        "are in another sheet, put that first."
    )
    found = visible(", ".join(names[:MAX_FIELDS]))
    return Problem("header", message, line, "", layouts.headers(), found)


def _record(row: _Row, names: Sequence[str], layout: Layout) -> Iterator[Record | Refusal]:
    values: list[object] = []
    for place, kept_as in enumerate(layout):
        cell = row.cells[place] if place < len(row.cells) else None
        is_read = kept_as is not None and kept_as != ASKED
        problem = _cell_problem(row.line, names[place], cell) if is_read and cell else None
        if problem is not None:
            yield Refusal(problem, "row")
            return
        values.append(_value(cell))
    yield record(row.line, layout, values)


def _cell_problem(line: int, name: str, cell: Any) -> Problem | None:
    value, column = cell.value, visible(name)
    if cell.data_type in ("f", "e", "d") or not isinstance(value, str | int | float | None):
        what = {"f": "a formula", "e": "an error of Excel"}.get(cell.data_type, "a date")
        message = f"The cell holds {what}, not a text. In a .csv or .jsonl answers stay texts."
        return Problem("cell", message, line, column, "a text", visible(str(value)))
    if isinstance(value, str) and len(value) >= MAX_CELL_CHARACTERS:
        message = (
            f"The text was cut off: Excel keeps {MAX_CELL_CHARACTERS:,} characters of a cell. "
            "Have the results written as .tsv or .json, where texts stay whole; without the "
            f"thoughts before it an answer may have {MAX_CHARACTERS:,} characters."
        )
        return Problem("cut-off", message, line, column, "a whole text", visible(value))
    return None


def _value(cell: Any) -> object:
    """An empty cell is an empty text."""
    if cell is None or cell.value is None:
        return ""
    value: object = cell.value
    return _unescaped(value) if isinstance(value, str) else value


def _unescaped(text: str) -> str:
    """Each escape once, from the left: "_x005F_x000D_" is the text "_x000D_"."""
    plain = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    if plain == text:
        return text
    # Two escapes may be the halves of one character; a half by itself stays, and is refused as in
    # any file.
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
