"""Cases 72-83: the shape of JSON and JSON Lines."""

import json
from collections.abc import Iterator

from tests.protocols.files.writing import (
    GOOD,
    GOOD_ROWS,
    Case,
    accepted,
    as_csv,
    as_json,
    as_jsonl,
    document,
    lines,
    objects,
    table,
    with_line,
)

GOOD_DOCUMENT, GOOD_LINES = document(GOOD_ROWS), lines(GOOD_ROWS)


def depths() -> Iterator[Case]:
    deep = b"[" * 100_000
    row = b'{"id": "1", "prediction": '
    yield Case(72, "deep list", as_json(deep), "depth", 1, ("4 deep",))
    yield Case(72, "deep list, closed", as_json(deep + b"]" * 100_000), "depth", 1)
    yield Case(72, "deep answer", as_json(b"[\n" + row + deep), "depth", 2)
    yield Case(72, "deep answer on a line", as_jsonl(row + deep), "depth", 1)
    yield Case(72, "deep objects on a line", as_jsonl(b'{"a":' * 100_000), "depth", 1)
    text = "x" + "[" * 1000 + "{" * 1000
    answers = {**GOOD, "2": text}
    yield accepted(72, "brackets in an answer", as_json(document(answers.items())), answers=answers)
    yield accepted(
        72, "brackets in an answer on a line", as_jsonl(lines(answers.items())), answers=answers
    )


def roots() -> Iterator[Case]:
    arrays = as_json(b'[\n["1", "yes"],\n["2", "no"]]')
    yield Case(76, "lists in a list", arrays, "shape", 2, ("a list",))
    yield Case(76, "strings in a list", as_json(b'["yes",\n"no"]'), "shape", 2, ("a string",))
    one_row = as_json(b'{"id": "1", "prediction": "yes"}')
    yield Case(76, "one object of one row", one_row, "shape", 1, ("one list of objects", ".jsonl"))
    yield from by_id()
    yield Case(76, "a number", as_json(b"42"), "shape", 1, ("one list",))
    yield Case(
        76, "a list on a line", as_jsonl(GOOD_LINES + b'["1", "x"]\n'), "shape", 9, ("a list",)
    )
    yield Case(76, "null on a line", as_jsonl(b"null\n"), "shape", 1, ("null",))
    yield Case(77, "two objects on a line", as_jsonl(b"{} {}\n"), "trailing", 1, ("more after",))
    yield Case(77, "two objects in a document", as_json(b"{} {}"), "shape", 1, (".jsonl",))
    yield Case(77, "two lists", as_json(GOOD_DOCUMENT + b"[]"), "trailing", 11, ("more after",))
    yield Case(78, "a document named .jsonl", as_jsonl(GOOD_DOCUMENT), "shape", 1, (".json",))
    ends, open_list = ("ends in the middle",), as_json(GOOD_DOCUMENT[:-3])
    yield Case(79, "cut last line", as_jsonl(GOOD_LINES[:-20]), "syntax", 8, ends)
    yield Case(79, "cut document", as_json(GOOD_DOCUMENT[:-20]), "syntax", 9, ends)
    yield Case(79, "unclosed document", open_list, "syntax", 9, ("before the list is closed",))


def by_id() -> Iterator[Case]:
    """{id: answer}, a row per line."""
    whole = json.dumps(GOOD, indent=1).encode()
    yield accepted(76, "an object by id", as_json(whole), answers=GOOD)
    yield accepted(76, "an object by id on one line", as_json(json.dumps(GOOD).encode()))
    twice = whole.replace(b"{\n", b'{\n "1": "No.",\n', 1)
    yield Case(76, "an id twice", as_json(twice), "conflict", 3, ("line 2", "another answer"))
    for answer, word in ((b"3", "a number"), (b"null", "null"), (b'{"a": "x"}', "an object")):
        upload = as_json(with_line(3, b' "2": ' + answer + b",", whole))
        yield Case(76, f"by id {word}", upload, "type-of-answer", 3, (word,))
    unknown = as_json(whole.replace(b'"2":', b'"two":'))
    yield Case(76, "an unknown id by id", unknown, "unknown", 3, ('"two"',))
    listed = as_json(with_line(3, b' "2": ["x"],', whole))
    yield Case(76, "a list by id", listed, "type-of-answer", 3, ("a list",))
    deep = as_json(with_line(3, b' "2": ' + b"[" * 100_000 + b",", whole))
    yield Case(72, "a deep answer by id", deep, "depth", 3, ("4 deep",))
    yield Case(79, "cut by id", as_json(whole[:-3]), "syntax", 9, ("ends",))
    yield Case(
        80, "no comma by id", as_json(whole.replace(b",\n", b"\n", 1)), "syntax", 3, ("comma",)
    )
    after = as_json(whole + b"[]")
    yield Case(77, "a list after an object by id", after, "trailing", 10, ("after the object",))
    endless = as_json(whole.replace(b"}", b',\n "9": "x",\n "10": "y"}'))
    yield Case(76, "more ids than questions", endless, "too-many-rows", 11, ("more rows",))


def values() -> Iterator[Case]:
    for value in ("NaN", "Infinity", "-Infinity", "1e400"):
        yield from _rows(73, value, f'{{"id": "2", "prediction": {value}}}', "number", value)
    twice = '{"id": "2", "prediction": "yes", "prediction": "no"}'
    yield from _rows(74, "a field twice", twice, "duplicate-field", '"prediction" more than once')
    digits = '{"id": ' + "9" * 5000 + ', "prediction": "x"}'
    yield from _rows(75, "5,000 digits", digits, "number", "too long")
    for name, row, word in (
        ("comment", '{"id": "2", /* two */ "prediction": "x"}', "no comments"),
        ("hash comment", '{"id": "2", # two', "no comments"),
        ("trailing comma", '{"id": "2", "prediction": "x",}', "comma before"),
        ("single quotes", "{'id': '2', 'prediction': 'x'}", "double quotes"),
        ("Python word", '{"id": "2", "prediction": None}', "Python"),
        ("no comma", '{"id": "2" "prediction": "x"}', "delimiter"),
    ):
        yield from _rows(80, name, row, "syntax", word)
    last = as_json(GOOD_DOCUMENT.replace(b"\n]", b",\n]"))
    yield Case(80, "comma after the last row", last, "syntax", 10, ("comma before",))
    between = as_json(GOOD_DOCUMENT.replace(b",\n", b",\n// second\n", 1))
    yield Case(80, "comment between rows", between, "syntax", 3, ("no comments",))
    for answer, word in (
        (3, "a number"),
        (None, "null"),
        (["x"], "a list"),
        ({"a": "x"}, "an object"),
    ):
        row = json.dumps({"id": "2", "prediction": answer})
        yield from _rows(81, f"answer is {word}", row, "type-of-answer", word)


def fields() -> Iterator[Case]:
    owned = ((83, field) for field in ("score", "status", "owner", "is_public"))
    for number, field in ((82, "__proto__"), (82, "constructor"), *owned):
        rows = [{**row, field: "1"} for row in objects(GOOD_ROWS)]
        upload = as_jsonl("\n".join(map(json.dumps, rows)).encode())
        yield Case(
            number, f"field {field}", upload, "unknown-field", 1, (f'"{field}"', "In 8 rows")
        )
        upload = as_json(json.dumps(rows, indent=1).encode())
        yield Case(
            number, f"field {field} in a document", upload, "unknown-field", 2, (f'"{field}"',)
        )
        content = (
            table(GOOD_ROWS).replace(b".\n", b".,1\n").replace(b"on\n", f"on,{field}\n".encode(), 1)
        )
        yield Case(number, f"column {field}", as_csv(content), "unknown-field", 1, (f'"{field}"',))


def _rows(number: int, name: str, row: str, code: str, word: str) -> Iterator[Case]:
    """The second row in a document and in JSON Lines."""
    upload = as_json(with_line(3, row.encode() + b",", GOOD_DOCUMENT))
    yield Case(number, f"{name} in a document", upload, code, 3, (word,))
    upload = as_jsonl(with_line(2, row.encode(), GOOD_LINES))
    yield Case(number, f"{name} on a line", upload, code, 2, (word,))
