"""One JSON value, read strictly: bounded before it is built, with nothing that JSON leaves to
chance.

Python's reader accepts Infinity, lets the last of two equal keys win, turns 1e400 into infinity and
recurses as deep as the text tells it to; each of these is refused here.
"""

import json
import math
import re
from collections import Counter

from benchmarks.protocols.files.limits import MAX_DEPTH, MAX_NUMBER_CHARACTERS, MAX_ROW_VALUES
from benchmarks.protocols.files.text import quoted, visible

# A bracket or a comma after anything but these; strings are skipped whole, an open one to the end
# of the text. Possessive, and only ever used with `match`: every character is looked at once.
_MARK = re.compile(
    r'(?:[^"\[\]{},]++|"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))*+([\[\]{},])', re.DOTALL
)
_TRAILING_COMMA = re.compile(r",\s*[}\]]")
_PYTHON_WORD = re.compile("True|False|None")
_LOOK_BACK = 200
_SHOWN = 40


class RefusedValueError(ValueError):
    """Why a value is not accepted. `position` is that in the text, where it is known."""

    def __init__(
        self,
        code: str,
        message: str,
        position: int | None = None,
        expected: str = "",
        found: str = "",
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.position = code, message, position
        self.expected, self.found = expected, found


def read_json(content: bytes) -> object:
    """A whole document of which nothing is checked but that it is JSON in UTF-8, for files that no
    reader of rows gets or that it gets next. Raises ValueError, also for one that is nested as deep
    as Python recurses."""
    try:
        return json.loads(content.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("lists and objects are nested too deep") from None


def value_end(text: str, start: int, depth: int = MAX_DEPTH) -> int:
    """Where the list or object that starts here ends; the end of the text if it does not.

    Raises RefusedValueError where it is nested deeper than `depth` or holds too many values.
    """
    level = commas = 0
    end = start
    while match := _MARK.match(text, end):
        mark, end = match[1], match.end()
        if mark in ("[", "{"):
            level += 1
            if level > depth:
                message = f"Lists and objects are nested more than {MAX_DEPTH} deep."
                raise RefusedValueError(
                    "depth",
                    message,
                    end - 1,
                    f"at most {MAX_DEPTH} levels",
                    visible(text[end - 1 : end + _SHOWN]),
                )
        elif mark in ("]", "}"):
            level -= 1
            if level == 0:
                return end
        elif mark == ",":
            commas += 1
            if commas >= MAX_ROW_VALUES:
                message, expected = (
                    "One row holds too many values.",
                    f"at most {MAX_ROW_VALUES} values",
                )
                found = visible(text[start : start + _SHOWN])
                raise RefusedValueError("too-many-fields", message, end - 1, expected, found)
    return len(text)


def has_several(text: str) -> bool:
    """Whether one list or object stands behind another, however they are broken into lines. Not
    known of one with more values than a row may have."""
    start = skip_blanks(text, 0)
    if not text.startswith(("[", "{"), start):
        return False
    try:
        end = skip_blanks(text, value_end(text, start))
    except RefusedValueError:
        return False
    return text.startswith(text[start], end)


def decode_value(text: str, start: int, *, is_line: bool) -> tuple[object, int]:
    """A value and where it ends. Call `value_end` first: this one recurses. Raises
    RefusedValueError."""
    try:
        return (_LINE_DECODER if is_line else _DOCUMENT_DECODER).raw_decode(text, start)
    except json.JSONDecodeError as error:
        message = _reason(text, error)
        found = visible(text[error.pos : error.pos + _SHOWN]) or "the end"
        raise RefusedValueError("syntax", message, error.pos, "JSON", found) from None


def skip_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def type_name(value: object) -> str:
    """The JSON name of a value's type, for messages."""
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list"}
    return names.get(type(value), "an object")


def _reason(text: str, error: json.JSONDecodeError) -> str:
    position = error.pos
    back = max(0, position - _LOOK_BACK)
    if skip_blanks(text, position) >= len(text) or error.msg.startswith("Unterminated"):
        return "The text ends in the middle of a value, or a string is not closed."
    commas = _TRAILING_COMMA.finditer(text, back, position + _LOOK_BACK)
    if any(match.start() <= position < match.end() for match in commas):
        return "There is a comma before a closing bracket; JSON allows none there."
    if text[position] == "'":
        return "JSON strings need double quotes, not single ones."
    if text[position] in "/#":
        return "JSON has no comments."
    if _PYTHON_WORD.match(text, position):
        return "This is Python, not JSON: write true, false, null."
    return f"This is not JSON: {error.msg[0].lower()}{error.msg[1:]}."


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        message = f"An object has the field {quoted(twice)} more than once."
        raise RefusedValueError(
            "duplicate-field", message, expected="each field once", found=visible(twice)
        )
    return fields


def _number(text: str) -> int | float:
    is_short = len(text) <= MAX_NUMBER_CHARACTERS
    value = (float(text) if re.search("[.eE]", text) else int(text)) if is_short else math.inf
    if not math.isfinite(value):
        message = f"The number {visible(text, 20)} is too large or too long."
        raise RefusedValueError("number", message, expected="a finite number", found=visible(text))
    return value


def is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _constant(text: str) -> object:
    """NaN as it is: what programs write of an empty cell. `submitted` refuses it where a form does
    not know that."""
    if text == "NaN":
        return math.nan
    raise RefusedValueError(
        "number", f"{text} is not JSON.", expected="a finite number", found=text
    )


# A line of JSON Lines may hold a raw tab, vertical tab or form feed inside a string (case 52);
# other control characters are refused where texts are checked. In a document a raw line end in a
# string is a lost quote.
_LINE_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_float=_number,
    parse_int=_number,
    parse_constant=_constant,
    strict=False,
)
_DOCUMENT_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_float=_number,
    parse_int=_number,
    parse_constant=_constant,
    strict=True,
)
