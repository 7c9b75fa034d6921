"""A JSON document: one list of objects, an object of such lists, an object of answers by id, or
what a program writes about one list of objects; read row by row, so that each has its place."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import NamedTuple

from benchmarks.protocols.base import Problem
from benchmarks.protocols.files.forms import ID_NAMES, PLAIN, Layout, Layouts
from benchmarks.protocols.files.json_values import (
    RefusedValueError,
    decode_value,
    has_several,
    skip_blanks,
    type_name,
    value_end,
)
from benchmarks.protocols.files.limits import MAX_DEPTH, MAX_FIELDS
from benchmarks.protocols.files.records import Record, Refusal, Unread, record, record_place
from benchmarks.protocols.files.text import (
    count_line_ends,
    place,
    quoted,
    split_lines,
    visible,
)

RefuseKey = Callable[[str, int], Problem | None]
"""The key of a list and its line -> why the list is not read; None where it is."""


def any_key(key: str, line: int) -> Problem | None:
    return None


@dataclass(frozen=True, slots=True)
class _Rows:
    """What the rows of one list share: their forms, and in an object of lists the `field` that is
    the list's `key`."""

    layouts: Layouts
    field: str = ""
    key: str = ""
    is_refused: bool = False


class Wrapping(NamedTuple):
    """A document of a program: the key under which its list of rows stands, and keys of what it
    says beside it."""

    rows: str
    beside: tuple[str, ...]


_Reading = Generator[Record | Refusal | Unread, None, bool]
"""What is found, and whether it was read to its end."""


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


def read_document(
    text: str,
    layouts: Layouts,
    keyed_by: str = "",
    refuse_key: RefuseKey = any_key,
    wrapping: Wrapping | None = None,
) -> Iterator[Record | Refusal | Unread]:
    cursor = _Cursor(text)
    if is_of_lines(text):
        message = (
            "The file has an object per line. Name it .jsonl, or write one list with commas "
            "between the objects."
        )
        yield Refusal(_problem_at(cursor, "shape", message, "one list of objects"), "rest")
        return
    if cursor.sees("{") and has_several(text):
        message = (
            "Several objects follow one another. Write each on one line and name the file .jsonl "
            "(jq -c .), or write one list (jq -s .)."
        )
        yield Refusal(_problem_at(cursor, "shape", message, "one list of objects"), "rest")
        return
    if wrapping and _first_key(cursor) in (wrapping.rows, *wrapping.beside):
        yield from _wrapped(cursor, layouts, wrapping)
    elif problem := _misplaced_rows(cursor, layouts, keyed_by, refuse_key):
        yield Refusal(problem, "rest")
        return
    elif _holds_answers(cursor, layouts):
        yield from _answers(cursor, layouts)
    elif keyed_by and cursor.sees("{"):
        yield from _lists(cursor, layouts, keyed_by, refuse_key)
    elif cursor.sees("["):
        yield from _list(cursor, _Rows(layouts))
    else:
        yield Refusal(_root_problem(cursor, keyed_by), "rest")
        return
    if cursor.position < len(text):
        whole = "object" if text.lstrip().startswith("{") else "list"
        message = f"There is more after the {whole}. The file must hold one {whole} only."
        yield Refusal(_problem_at(cursor, "trailing", message, "the end of the file"), "rest")


def is_of_lines(text: str) -> bool:
    """Whether the first two lines are objects by themselves, so far as their ends tell."""
    lines = islice(split_lines(text[skip_blanks(text, 0) :]), 2)
    ends = [(line[:1], line.rstrip(" \t\r\n")[-1:]) for line in lines]
    return ends == [("{", "}")] * 2


# --- objects that are none of what is read --------------------------------------------------------


class _Member(NamedTuple):
    """Of an object: its key, where its value starts, and the first two marks of that where it is
    bracketed."""

    key: str
    start: int
    opening: str


def _outline(text: str, start: int) -> list[_Member]:
    """The first members of the object that starts here, as far as each is no longer than a row."""
    cursor, found = _Cursor(text), list[_Member]()
    cursor.move_to(start + 1)
    with suppress(RefusedValueError):
        while cursor.sees('"') and len(found) < MAX_FIELDS:
            key = _read_key(cursor)
            inside = skip_blanks(text, cursor.position + 1)
            is_bracketed = cursor.sees("{") or cursor.sees("[")
            opening = text[cursor.position] + text[inside : inside + 1] if is_bracketed else ""
            found.append(_Member(key, cursor.position, opening))
            _skip_value(cursor)
            if not cursor.sees(","):
                break
            cursor.move_to(cursor.position + 1)
    return found


def _misplaced_rows(
    cursor: _Cursor, layouts: Layouts, keyed_by: str, refuse_key: RefuseKey
) -> Problem | None:
    """What is to be done with an object that holds rows or answers, but not as they are read: below
    a key, beside other things, or by column."""
    if PLAIN not in layouts.forms or not cursor.sees("{"):
        return None
    text = cursor.text
    members = _outline(text, cursor.position)
    rows = [member for member in members if member.opening == "[{"]
    beside = [member.key for member in members if not member.opening]
    answers = [
        member.key
        for member in members
        if member.opening == '{"' and len(_outline(text, member.start)) > len(members)
    ]
    message = ""
    if keyed_by and any(refuse_key(member.key, 1) is None for member in rows):
        if beside:
            message = f"{quoted(beside[0])} is beside the lists of rows. Leave it out."
    elif len(rows) == 1 and _names_questions(text, rows[0], keyed_by):
        message = f"The rows are in a list under {quoted(rows[0].key)}. Submit only that list."
    elif problem := _turned(text, members, layouts):
        message = problem
    elif keyed_by and _are_objects(members) and refuse_key(members[0].key, 1) is None:
        message = (
            f"Under {quoted(members[0].key)} there is another object. Write all answers in one "
            "object, each under its complete id."
        )
    elif len(answers) == 1:
        message = f"The answers are under {quoted(answers[0])}. Submit only that object."
    expected = "one list of objects, [{…}, {…}], or answers by id, {…: …}"
    return _problem_at(cursor, "shape", message, expected) if message else None


def _are_objects(members: Sequence[_Member]) -> bool:
    return {member.opening for member in members} == {'{"'}


def _turned(text: str, members: Sequence[_Member], layouts: Layouts) -> str:
    """What is to be done where all members together are a table, but no list of rows; "" where
    they are none."""
    kinds = {member.opening for member in members}
    openings = {member.key: member.opening for member in members}
    what = ""
    if kinds - {""} and all(one.opening and layouts.knows_any([one.key]) for one in members):
        what = "The object holds columns, not rows."
    elif (openings.get("columns"), openings.get("data")) == ('["', "[["):
        what = "Names of columns are apart from the rows."
    elif _are_objects(members) and _is_row(text, members[0], layouts):
        what = f"Each row is under a key, such as {quoted(members[0].key)}."
    elif kinds == {'["'}:
        return (
            f"Under {quoted(members[0].key)} is a list of texts. Write one answer for each id, "
            "{id: answer}."
        )
    way = 'Write a list of rows, in pandas with to_json(…, orient="records").'
    return f"{what} {way}" if what else ""


def _is_row(text: str, member: _Member, layouts: Layouts) -> bool:
    """Whether the object has fields both of an id and of an answer."""
    names = [one.key for one in _outline(text, member.start)]
    ids = [name for name in names if name in ("id", *ID_NAMES)]
    return bool(ids) and layouts.knows_any([name for name in names if name not in ids])


def _names_questions(text: str, member: _Member, keyed_by: str) -> bool:
    """Whether the first object of a list has a field of an id; where lists are kept by a field, one
    that tells its question by itself."""
    names = ("id", keyed_by) if keyed_by else ("id", *ID_NAMES)
    start = skip_blanks(text, member.start + 1)
    with suppress(RefusedValueError):
        value_end(text, start)
        row, _ = decode_value(text, start, is_line=False)
        return isinstance(row, dict) and not row.keys().isdisjoint(names)
    return False


# --- answers by id --------------------------------------------------------------------------------


def _holds_answers(cursor: _Cursor, layouts: Layouts) -> bool:
    """Whether the file is {id: answer}: its first key is no field of a row and stands over no list.
    What an empty object is meant to be cannot be told."""
    key, text = _first_key(cursor), cursor.text
    if PLAIN not in layouts.forms or key is None:
        return False
    _, end = decode_value(text, skip_blanks(text, cursor.position + 1), is_line=False)
    colon = skip_blanks(text, end)
    is_over_list = text.startswith("[", skip_blanks(text, colon + 1))
    return text.startswith(":", colon) and not is_over_list and not layouts.knows_any([key])


def _first_key(cursor: _Cursor) -> str | None:
    """Of the object that starts here, where one does and it has a key."""
    start = skip_blanks(cursor.text, cursor.position + 1)
    if not cursor.sees("{") or not cursor.text.startswith('"', start):
        return None
    try:
        key, _ = decode_value(cursor.text, start, is_line=False)
    except RefusedValueError:
        return None
    return str(key)


def _answers(cursor: _Cursor, layouts: Layouts) -> Iterator[Record | Refusal]:
    """A row per key. An id that stands twice makes two rows, as it would in a list."""
    cursor.move_to(cursor.position + 1)
    yield from _items(cursor, "}", lambda number: _read_answer(cursor, layouts, number))
    if cursor.sees("}"):
        cursor.move_to(cursor.position + 1)


def _read_answer(cursor: _Cursor, layouts: Layouts, number: int) -> Record | Refusal:
    """Moves the cursor behind the answer."""
    line = cursor.line
    try:
        key = _read_key(cursor)
    except RefusedValueError as error:
        return Refusal(_located(cursor.text, cursor.line, error), "rest")
    value = _read_value(cursor, line, record_place("", number))
    if isinstance(value, Refusal):
        return value
    return record(line, layouts.fit(PLAIN.required, line), (key, value.value), number)


# --- one list, and what a program says beside it --------------------------------------------------


def _wrapped(
    cursor: _Cursor, layouts: Layouts, wrapping: Wrapping
) -> Iterator[Record | Refusal | Unread]:
    """The rows. What stands beside them is skipped, and need be no more than JSON."""
    has_rows = False

    def read(key: str, line: int) -> _Reading:
        nonlocal has_rows
        if key != wrapping.rows:
            _skip_value(cursor)
            return True
        _require_list(cursor, key)
        if has_rows:
            yield Refusal(_twice(cursor, key), "nothing")
        has_rows = True
        return (yield from _list(cursor, _Rows(layouts)))

    is_whole = yield from _members(cursor, read)
    if is_whole and not has_rows:
        message = f"The object has no list under {quoted(wrapping.rows)}."
        expected, found = f'"{wrapping.rows}": [{{…}}]', visible(cursor.text[:100])
        yield Refusal(Problem("shape", message, 1, "", expected, found), "rest")


def _skip_value(cursor: _Cursor) -> None:
    """Moves the cursor behind it. Raises RefusedValueError."""
    if cursor.sees("{") or cursor.sees("["):
        cursor.move_to(value_end(cursor.text, cursor.position))
    else:
        _, end = decode_value(cursor.text, cursor.position, is_line=False)
        cursor.move_to(end)


def _twice(cursor: _Cursor, key: str) -> Problem:
    message = f"The key {quoted(key)} is in the object twice."
    return _problem_at(cursor, "duplicate-field", message, "each key once")


# --- lists ----------------------------------------------------------------------------------------


def _lists(
    cursor: _Cursor, layouts: Layouts, keyed_by: str, refuse_key: RefuseKey
) -> Iterator[Record | Refusal | Unread]:
    """Every element of every list of the object; at the end of the text after a refusal that loses
    the rest."""
    known: set[str] = set()

    def read(key: str, line: int) -> _Reading:
        _require_list(cursor, key)
        if key in known:
            yield Refusal(_twice(cursor, key), "nothing")
        known.add(key)
        refusal = refuse_key(key, line)
        if refusal is not None:
            yield Refusal(refusal, "nothing")
        return (yield from _list(cursor, _Rows(layouts, keyed_by, key, refusal is not None)))

    yield from _members(cursor, read)


def _members(cursor: _Cursor, read: Callable[[str, int], _Reading]) -> _Reading:
    """What `read` finds of each member of the object, given its key and the line that begins on,
    with the cursor at its value. Returns whether the object was read to its end; if not, that is
    refused and the cursor is at the end of the text."""
    cursor.move_to(cursor.position + 1)
    while not cursor.sees("}"):
        line = cursor.line
        try:
            is_read = yield from read(_read_key(cursor), line)
        except RefusedValueError as error:
            yield Refusal(_located(cursor.text, cursor.line, error), "rest")
            cursor.move_to(len(cursor.text))
            return False
        if not is_read:
            return False
        if cursor.sees(","):
            cursor.move_to(cursor.position + 1)
        elif not cursor.sees("}"):
            yield Refusal(_separator_problem(cursor, "}"), "rest")
            cursor.move_to(len(cursor.text))
            return False
    cursor.move_to(cursor.position + 1)
    return True


def _read_key(cursor: _Cursor) -> str:
    """Moves the cursor behind the key and its colon, up to what it stands over. Raises
    RefusedValueError."""
    key, end = decode_value(cursor.text, cursor.position, is_line=False)
    if not isinstance(key, str):
        raise RefusedValueError(
            "shape", "A key must be a string.", cursor.position, "a string", type_name(key)
        )
    cursor.move_to(end)
    if not cursor.sees(":"):
        raise RefusedValueError("syntax", "A colon is missing behind a key.", cursor.position, ":")
    cursor.move_to(cursor.position + 1)
    return key


def _require_list(cursor: _Cursor, key: str) -> None:
    if not cursor.sees("["):
        shown = visible(cursor.text[cursor.position : cursor.position + 40])
        raise RefusedValueError(
            "shape", f"Under {quoted(key)} there is no list.", cursor.position, "a list", shown
        )


def _list(cursor: _Cursor, rows: _Rows) -> _Reading:
    """Every element, with its key as a field. Returns whether the list was read to its end; if not,
    that is refused and the cursor is at the end of the text."""
    cursor.move_to(cursor.position + 1)
    if not cursor.sees("]"):
        yield from _elements(cursor, rows)
    is_closed = cursor.sees("]")
    if is_closed:
        cursor.move_to(cursor.position + 1)
    return is_closed


def _elements(cursor: _Cursor, rows: _Rows) -> Iterator[Record | Refusal | Unread]:
    """Every element, of a refused list how many there are."""
    for item in _items(cursor, "]", lambda number: _read_element(cursor, rows, number)):
        is_end = isinstance(item, Refusal) and item.loses == "rest"
        line = item.line if isinstance(item, Record) else item.problem.line or cursor.line
        yield Unread(line) if rows.is_refused and not is_end else item


def _read_element(cursor: _Cursor, rows: _Rows, number: int) -> Record | Refusal:
    """Moves the cursor behind the element."""
    line, place = cursor.line, record_place(rows.key, number)
    read = _read_value(cursor, line, place, depth=MAX_DEPTH - 1 - bool(rows.field))
    if isinstance(read, Refusal):
        return read
    if not isinstance(read.value, dict):
        message = f"The list holds {type_name(read.value)} where an object is expected."
        problem = Problem("shape", message, line, "", "an object", visible(read.text), place)
        return Refusal(problem, "row")
    fields = {rows.field: rows.key, **read.value} if rows.field else read.value
    layout: Layout = () if rows.is_refused else rows.layouts.fit(tuple(fields), line, place)
    return record(line, layout, fields.values(), number, rows.key)


# --- one thing after the other --------------------------------------------------------------------


def _items(
    cursor: _Cursor, closing: str, read: Callable[[int], Record | Refusal]
) -> Iterator[Record | Refusal]:
    """What `read` finds, number by number from 1, and a comma between; stops in front of the
    closing bracket, or at the end of the text after a refusal that loses the rest."""
    for number in count(1):
        item = read(number)
        yield item
        if isinstance(item, Refusal) and item.loses == "rest":
            cursor.move_to(len(cursor.text))
            return
        if cursor.sees(closing):
            return
        if not cursor.sees(","):
            yield Refusal(_separator_problem(cursor, closing), "rest")
            cursor.move_to(len(cursor.text))
            return
        cursor.move_to(cursor.position + 1)


class _Value(NamedTuple):
    """`text` is how it is written."""

    value: object
    text: str


def _read_value(
    cursor: _Cursor, line: int, place: str, depth: int = MAX_DEPTH - 1
) -> _Value | Refusal:
    """Moves the cursor behind the value. After a fault of grammar nothing that follows can be
    trusted, after one of content the next value can be read."""
    text, start = cursor.text, cursor.position
    is_bracketed = cursor.sees("{") or cursor.sees("[")
    try:
        end = value_end(text, start, depth) if is_bracketed else start
        cursor.move_to(end)
        value, end = decode_value(text, start, is_line=False)
    except RefusedValueError as error:
        is_readable_on = is_bracketed and error.position is None
        problem = replace(_located(text, line, error), record=place)
        return Refusal(problem, "row" if is_readable_on else "rest")
    cursor.move_to(end)
    return _Value(value, text[start:end])


def _located(text: str, line: int, error: RefusedValueError) -> Problem:
    column = ""
    if error.position is not None:
        line, character = place(text, error.position)
        column = f"character {character}"
    return Problem(error.code, error.message, line, column, error.expected, error.found)


def _root_problem(cursor: _Cursor, keyed_by: str) -> Problem:
    message = "The file must hold one list of objects, [{…}, {…}], or answers by id, {…: …}."
    if keyed_by:
        message = (
            "The file must hold one list of objects, an object of such lists, "
            f'{{"{keyed_by}": [{{…}}]}}, or answers by id, {{…: …}}.'
        )
    elif cursor.sees("{"):
        message += " If it has one object per line, name it .jsonl."
    return _problem_at(cursor, "shape", message, "a list")


def _separator_problem(cursor: _Cursor, closing: str = "]") -> Problem:
    if cursor.position >= len(cursor.text):
        return _problem_at(cursor, "syntax", "The file ends before the list is closed.", closing)
    message = (
        "JSON has no comments."
        if cursor.sees("/") or cursor.sees("#")
        else "A comma is missing here."
    )
    return _problem_at(cursor, "syntax", message, f", or {closing}")


def _problem_at(cursor: _Cursor, code: str, message: str, expected: str) -> Problem:
    line, character = place(cursor.text, cursor.position)
    found = visible(cursor.text[cursor.position : cursor.position + 100]) or "the end of the file"
    return Problem(code, message, line, f"character {character}", expected, found)
