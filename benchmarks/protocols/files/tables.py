"""CSV and TSV: a header that names the columns, then rows of exactly as many cells."""

import csv
import io
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.protocols.base import Problem
from benchmarks.protocols.files.forms import Layouts, repeated_column
from benchmarks.protocols.files.limits import MAX_BLANK_LINES, MAX_FIELDS, MAX_ROW_CHARACTERS
from benchmarks.protocols.files.records import (
    Record,
    Refusal,
    blank_lines,
    endless_blank_lines,
    record,
)
from benchmarks.protocols.files.text import split_lines, visible

_DELIMITER_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


class Row(NamedTuple):
    line: int
    cells: list[str]


def read_table(text: str, delimiter: str, layouts: Layouts) -> Iterator[Record | Refusal]:
    rows = read_rows(text, delimiter)
    header: Row | None = None
    for row in rows:
        if isinstance(row, Refusal):
            yield (header is None and _quoted_otherwise(row, text, delimiter, layouts)) or row
        elif header is None:
            header = row
            problem = _header_problem(header, delimiter, layouts)
            if problem is not None:
                yield Refusal(problem, "rest")
                return
            layout = layouts.fit(tuple(header.cells), header.line)
        elif len(row.cells) != len(header.cells):
            yield Refusal(_width_problem(row, len(header.cells), delimiter), "row")
        else:
            yield record(row.line, layout, row.cells)


def read_rows(text: str, delimiter: str) -> Iterator[Row | Refusal]:
    """Every row that is not blank, with the line it starts on. A broken quote ends the reading:
    what follows cannot be told from the inside of a cell."""
    lines = _RowLines(text)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    start, first_blank = 1, 0
    try:
        for cells in reader:
            if _is_blank(cells):
                first_blank = first_blank or start
                if start - first_blank >= MAX_BLANK_LINES:
                    yield endless_blank_lines(first_blank)
                    return
            else:
                if first_blank:
                    yield blank_lines(first_blank)
                    first_blank = 0
                yield Row(start, cells)
            start, lines.fed = reader.line_num + 1, 0
    except _EndlessRowError:
        yield Refusal(_endless_row(start), "rest")
    except csv.Error as error:
        yield Refusal(_broken_row(visible(str(error)), start, reader.line_num), "rest")


class _EndlessRowError(Exception):
    pass


class _RowLines:
    """Lines for a csv reader, cut where its dialect cuts them. Set `fed` to 0 after each row."""

    def __init__(self, text: str) -> None:
        self._lines = io.StringIO(text, newline="")
        self.fed = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.fed += len(line)
        if self.fed > MAX_ROW_CHARACTERS:
            raise _EndlessRowError
        return line


def _is_blank(cells: list[str]) -> bool:
    return not cells or (len(cells) == 1 and not cells[0].strip())


def _endless_row(start: int) -> Problem:
    message = "The row is too long, or a quote opened in it is never closed."
    return Problem("too-long", message, start, expected=f"at most {MAX_ROW_CHARACTERS} characters")


def _broken_row(error: str, start: int, line: int) -> Problem:
    is_long = "field limit" in error
    if is_long and line == start:
        message = f"A cell is longer than {csv.field_size_limit()} characters."
        return Problem("too-long", message, start, expected="a shorter cell")
    message = (
        "A quoted cell of this row goes on after its closing quote. Quotes inside a cell are "
        "doubled."
    )
    if is_long or "end of data" in error:
        message = "A quote opened in this row is never closed."
    found = f"line {line}: {error}"
    return Problem("quote", message, start, expected="cells with all quotes closed", found=found)


def _header_problem(header: Row, delimiter: str, layouts: Layouts) -> Problem | None:
    """What makes the rows below unreadable; differences of single names are left to `layouts`."""
    names = header.cells
    if problem := repeated_column(names, header.line):
        return problem
    if layouts.knows_any(names):
        return None
    expected = _expected_header(delimiter, layouts)
    first_line = delimiter.join(names[:MAX_FIELDS])
    other = _other_delimiter(first_line, delimiter, layouts)
    if other:
        return _delimiter_problem(header.line, first_line, delimiter, other, expected)
    message = "The first line must be a header that names the columns."
    return Problem("header", message, header.line, "", expected, visible(first_line))


def _expected_header(delimiter: str, layouts: Layouts) -> str:
    return layouts.headers(delimiter).replace("\t", "<tab>")


def _other_delimiter(first_line: str, delimiter: str, layouts: Layouts) -> str:
    """The separator by which the line names columns; empty where it names none."""
    others = (other for other in _DELIMITER_NAMES if other != delimiter)
    return next((other for other in others if names_columns(first_line, other, layouts)), "")


def names_columns(first_line: str, delimiter: str, layouts: Layouts) -> bool:
    """Whether the line is a header of several columns."""
    names = first_line.split(delimiter)
    return len(names) > 1 and layouts.knows_any([name.strip(' "') for name in names])


def _delimiter_problem(
    line: int, first_line: str, delimiter: str, other: str, expected: str
) -> Problem:
    message = (
        f"The separator looks like {visible(other)} ({_DELIMITER_NAMES[other]}), not "
        f"{_DELIMITER_NAMES[delimiter]}."
    )
    return Problem("delimiter", message, line, "", expected, visible(first_line))


def _quoted_otherwise(
    refusal: Refusal, text: str, delimiter: str, layouts: Layouts
) -> Refusal | None:
    """Of a header in quotes with another separator between them, which breaks as a row: said is
    what is wrong."""
    if refusal.problem.code != "quote":
        return None
    first_line = next(split_lines(text[:MAX_ROW_CHARACTERS].lstrip()), "").rstrip("\r\n")
    other = _other_delimiter(first_line, delimiter, layouts)
    expected = _expected_header(delimiter, layouts)
    line = refusal.problem.line or 1
    if not other:
        return None
    return Refusal(_delimiter_problem(line, first_line, delimiter, other, expected), "rest")


def _width_problem(row: Row, width: int, delimiter: str) -> Problem:
    expected, found = f"{width} cells", f"{len(row.cells)} cells: {visible(row.cells[0], 40)} …"
    if len(row.cells) < width:
        return Problem(
            "short-row", "The row has fewer cells than the header.", row.line, "", expected, found
        )
    message = (
        f"The row has more cells than the header. A text with {_DELIMITER_NAMES[delimiter]} needs "
        "quotes."
    )
    return Problem("long-row", message, row.line, "", expected, found)
