"""A JSON document: one list of objects, read object by object so that each has its line."""

from collections.abc import Iterator

from benchmarks.protocols.base import Problem
from benchmarks.protocols.files.forms import Layouts
from benchmarks.protocols.files.json_values import (
    RefusedValueError,
    decode_value,
    skip_blanks,
    type_name,
    value_end,
)
from benchmarks.protocols.files.limits import MAX_DEPTH
from benchmarks.protocols.files.records import Record, Refusal, record
from benchmarks.protocols.files.text import count_line_ends, place, visible


class _Cursor:
    """A position in a text that only moves forward and knows its line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = skip_blanks(text, 0)
        self._counted, self._line = 0, 1

    @property
    def line(self) -> int:
        self._line += count_line_ends(self.text, self._counted, self.position)
        self._counted = self.position
        return self._line

    def move_to(self, position: int) -> None:
        self.position = skip_blanks(self.text, position)

    def sees(self, character: str) -> bool:
        return self.text.startswith(character, self.position)


def read_document(text: str, layouts: Layouts) -> Iterator[Record | Refusal]:
    cursor = _Cursor(text)
    if not cursor.sees("["):
        yield Refusal(_root_problem(cursor), "rest")
        return
    cursor.move_to(cursor.position + 1)
    if not cursor.sees("]"):
        yield from _elements(cursor, layouts)
    if cursor.sees("]"):
        cursor.move_to(cursor.position + 1)
        if cursor.position < len(text):
            message = "Something follows the list. The file holds one list and nothing else."
            yield Refusal(_problem_at(cursor, "trailing", message, "the end of the file"), "rest")


def _elements(cursor: _Cursor, layouts: Layouts) -> Iterator[Record | Refusal]:
    """Every element; stops in front of the closing bracket, or after a refusal that loses the rest."""
    while True:
        item = _read_element(cursor, layouts)
        yield item
        if isinstance(item, Refusal) and item.loses == "rest":
            cursor.move_to(len(cursor.text))
            return
        if cursor.sees("]"):
            return
        if not cursor.sees(","):
            yield Refusal(_separator_problem(cursor), "rest")
            cursor.move_to(len(cursor.text))
            return
        cursor.move_to(cursor.position + 1)


def _read_element(cursor: _Cursor, layouts: Layouts) -> Record | Refusal:
    """Moves the cursor behind the element. After a fault of grammar nothing that follows can be trusted,
    after one of content the next element can be read."""
    text, start, line = cursor.text, cursor.position, cursor.line
    is_bracketed = cursor.sees("{") or cursor.sees("[")
    try:
        end = value_end(text, start, MAX_DEPTH - 1) if is_bracketed else start
        cursor.move_to(end)
        value, end = decode_value(text, start, is_line=False)
    except RefusedValueError as error:
        is_readable_on = is_bracketed and error.position is None
        return Refusal(_located(text, line, error), "row" if is_readable_on else "rest")
    cursor.move_to(end)
    if not isinstance(value, dict):
        message = f"The list holds {type_name(value)} where an object is expected."
        return Refusal(Problem("shape", message, line, "", "an object", visible(text[start:end])), "row")
    return record(line, layouts.fit(tuple(value), line), value.values())


def _located(text: str, line: int, error: RefusedValueError) -> Problem:
    column = ""
    if error.position is not None:
        line, character = place(text, error.position)
        column = f"character {character}"
    return Problem(error.code, error.message, line, column, error.expected, error.found)


def _root_problem(cursor: _Cursor) -> Problem:
    message = "The file must hold one list of objects: [{…}, {…}]."
    if cursor.sees("{"):
        message += " If it has one object per line, name it .jsonl."
    return _problem_at(cursor, "shape", message, "a list")


def _separator_problem(cursor: _Cursor) -> Problem:
    if cursor.position >= len(cursor.text):
        return _problem_at(cursor, "syntax", "The file ends before the list is closed.", "]")
    message = "JSON has no comments." if cursor.sees("/") or cursor.sees("#") else "A comma is missing here."
    return _problem_at(cursor, "syntax", message, ", or ]")


def _problem_at(cursor: _Cursor, code: str, message: str, expected: str) -> Problem:
    line, character = place(cursor.text, cursor.position)
    found = visible(cursor.text[cursor.position : cursor.position + 100])
    return Problem(code, message, line, f"character {character}", expected, found)
