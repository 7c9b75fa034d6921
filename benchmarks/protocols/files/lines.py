"""JSON Lines: one object per line."""

from collections.abc import Iterator

from benchmarks.protocols.base import Problem
from benchmarks.protocols.files.forms import Layouts
from benchmarks.protocols.files.json_values import (
    RefusedValueError,
    decode_value,
    has_several,
    skip_blanks,
    type_name,
    value_end,
)
from benchmarks.protocols.files.limits import MAX_BLANK_LINES, MAX_FIELDS, MAX_ROW_CHARACTERS
from benchmarks.protocols.files.records import (
    Record,
    Refusal,
    blank_lines,
    endless_blank_lines,
    record,
)
from benchmarks.protocols.files.text import count_line_ends, split_lines, visible

_MAPPING = "If they are the ids with their answers, name the file .json."


def read_lines(text: str, layouts: Layouts) -> Iterator[Record | Refusal]:
    start = skip_blanks(text, 0)
    if batch := _batch_problem(next(split_lines(text[start : start + MAX_ROW_CHARACTERS]), "")):
        yield Refusal(batch, "rest")
        return
    if text.startswith("[", start) or _opens_an_object(text, start):
        first_line = count_line_ends(text, 0, start) + 1
        problem = _several_problem if has_several(text) else _document_problem
        yield Refusal(problem(first_line, text[start]), "rest")
        return
    first_blank = 0
    for number, line in enumerate(split_lines(text), 1):
        if not line.strip(" \t\r\n"):
            first_blank = first_blank or number
            if number - first_blank >= MAX_BLANK_LINES:
                yield endless_blank_lines(first_blank)
                return
            continue
        if first_blank:
            yield blank_lines(first_blank)
            first_blank = 0
        yield _read_line(line, number, layouts)


def _read_line(line: str, number: int, layouts: Layouts) -> Record | Refusal:
    try:
        fields = _object_of(line)
    except RefusedValueError as error:
        column = "" if error.position is None else f"character {error.position + 1}"
        way = f" {_MAPPING}" if error.code == "too-many-fields" and number == 1 else ""
        message = error.message + way
        return Refusal(
            Problem(error.code, message, number, column, error.expected, error.found), "row"
        )
    if number == 1 and len(fields) > MAX_FIELDS and not layouts.knows_any(tuple(fields)):
        return Refusal(_mapping_problem(len(fields)), "rest")
    return record(number, layouts.fit(tuple(fields), number), fields.values())


def _object_of(line: str) -> dict[str, object]:
    start = skip_blanks(line, 0)
    if line[start] in "[{":
        value_end(line, start)
    value, end = decode_value(line, start, is_line=True)
    rest = skip_blanks(line, end)
    if rest < len(line):
        message = "There is more after the object. Each line must hold one object only."
        raise RefusedValueError(
            "trailing", message, rest, "the end of the line", visible(line[rest:])
        )
    if not isinstance(value, dict):
        message = f"The line holds {type_name(value)}, not an object."
        raise RefusedValueError("shape", message, start, "an object", visible(line))
    return value


def _opens_an_object(text: str, start: int) -> bool:
    """Whether an opening bracket has its line to itself: what follows is one object."""
    after = skip_blanks(text, start + 1)
    return text.startswith("{", start) and bool(count_line_ends(text, start, after))


def _mapping_problem(count: int) -> Problem:
    message = f"The line holds more fields than any row has. {_MAPPING}"
    return Problem("shape", message, 1, "", "one object per line", f"{count} fields")


_BATCHES = (
    ("response", "OpenAI", ".response.body.choices[0].message.content"),
    ("result", "Anthropic", ".result.message.content[0].text"),
)
"""Fields of the results of batches, as these two write them, and where the answer is in them."""


def _batch_problem(first: str) -> Problem | None:
    """What is wrong with the results of a batch, and with the requests it was made of."""
    if '"custom_id"' not in first:
        return None
    message = "These are the requests of a batch. Submit its results instead."
    for name, vendor, path in _BATCHES:
        if f'"{name}"' in first:
            message = (
                f"These are the results of a batch as {vendor} writes them. Extract ids and "
                f"answers: jq -c '{{id: .custom_id, prediction: {path}}}' FILE > answers.jsonl"
            )
            break
    return Problem("shape", message, 1, "", "an object with id and prediction", visible(first))


def _several_problem(line: int, bracket: str) -> Problem:
    what = "Objects over several lines" if bracket == "{" else "Lists"
    message = f"{what} follow one another. Write an object with id and answer on each line (jq -c)."
    return Problem("shape", message, line, "character 1", "one object per line", bracket)


def _document_problem(line: int, bracket: str) -> Problem:
    what = "list" if bracket == "[" else "object over several lines"
    message = (
        f"The file is one JSON {what}. Name it .json, or write one object per line and nothing "
        "around them."
    )
    return Problem("shape", message, line, "character 1", "one object per line", bracket)
