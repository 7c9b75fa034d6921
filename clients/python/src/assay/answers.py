"""A file of answers as it lies on the disk: what can be said of it without asking a site.

Only plain files are looked into: `id` and `prediction` as CSV, TSV, JSON lines or JSON. What a
site reads beyond that (workbooks, the files of kits) is left to the site.
"""

import csv
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

MOST_BYTES = 20 * 1024 * 1024  # a site takes no larger file unless its operators say so
ID, ANSWER = "id", "prediction"
PLAIN = {ID, ANSWER, "question"}  # with another field a row is of a layout that the site knows
DELIMITERS = {".csv": ",", ".tsv": "\t"}
LINE_END = re.compile("\r\n|\r|\n")
Row = tuple[str, str]  # where it stands, and its id


class UnreadableError(ValueError):
    """The file cannot be read as what its name says; the message says why and where."""


class NotPlainError(ValueError):
    """A file that only the site can look into."""


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def problems_of(path: Path, ids: Iterable[str] | None) -> list[str]:
    """What is wrong with a plain file for the release of these ids, in sentences; where there are
    no ids, what is wrong for any. Raises NotPlainError."""
    size = path.stat().st_size
    if size == 0:
        return ["The file is empty."]
    if size > MOST_BYTES:
        return [f"The file has {size:,} bytes; a site takes at most {MOST_BYTES:,}."]
    try:
        rows = list(rows_of(path))
    except UnreadableError as error:
        return [str(error)]
    return [*repeated(rows), *differing(rows, ids)]


def rows_of(path: Path) -> Iterator[Row]:
    """Raises NotPlainError and UnreadableError."""
    suffix = path.suffix.lower()
    if suffix not in (*DELIMITERS, ".jsonl", ".json"):
        raise NotPlainError(f"{path.name} is looked into by the site alone")
    text = text_of(path)
    if suffix in DELIMITERS:
        return table_rows(text, DELIMITERS[suffix])
    return line_rows(text) if suffix == ".jsonl" else document_rows(text)


def text_of(path: Path) -> str:
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UnreadableError(
            f"Line {line}: the file is not UTF-8 (byte {error.start:,}). Save it as UTF-8."
        ) from None


def table_rows(text: str, delimiter: str) -> Iterator[Row]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        head = next(reader, [])
        if ID not in head or ANSWER not in head or not PLAIN.issuperset(head):
            raise NotPlainError("a table of other columns")
        place = head.index(ID)
        for cells in filter(None, reader):
            if len(cells) != len(head):
                raise UnreadableError(
                    f"Line {reader.line_num}: it has {len(cells)} cells, the header {len(head)}. "
                    "A text with the separator in it stands in double quotes."
                )
            yield f"Line {reader.line_num}", cells[place]
    except csv.Error as error:
        raise UnreadableError(f"Line {reader.line_num}: {error}.") from None


def line_rows(text: str) -> Iterator[Row]:
    for number, line in enumerate(LINE_END.split(text.rstrip()), start=1):
        where = f"Line {number}"
        yield where, id_in(parsed(line, where), where)


def document_rows(text: str) -> Iterator[Row]:
    found = parsed(text, "The file")
    if isinstance(found, dict) and all(isinstance(answer, str) for answer in found.values()):
        for number, key in enumerate(found, start=1):
            yield f"Answer {number}", key
        return
    if not isinstance(found, list):
        raise NotPlainError("a document of another shape")
    for number, record in enumerate(found, start=1):
        yield f"Record {number}", id_in(record, f"Record {number}")


def parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UnreadableError(f"{where}: this is no JSON ({error.msg}).") from None
    except RecursionError:
        raise UnreadableError(f"{where}: this is nested too deep.") from None


def id_in(record: Any, where: str) -> str:
    if not isinstance(record, dict) or ID not in record or ANSWER not in record:
        raise NotPlainError("records of other fields")
    if not PLAIN.issuperset(record):
        raise NotPlainError("records of more fields")
    for name in (ID, ANSWER):
        if not isinstance(record[name], str):
            raise UnreadableError(f"{where}: “{name}” is no text in double quotes.")
    return str(record[ID])


def filled(template: str, answer: str) -> str:
    """The template with the same answer to every question."""
    head, *rows = csv.reader(io.StringIO(template, newline=""))
    place = head.index(ANSWER)
    out = io.StringIO()
    csv.writer(out).writerows([head, *([*r[:place], answer, *r[place + 1 :]] for r in rows)])
    return out.getvalue()


def repeated(rows: Sequence[Row]) -> Iterator[str]:
    times = Counter(name for _, name in rows)
    for where, name in rows:
        if times[name] > 1:
            yield f"{where}: “{name}” is answered {times[name]:,} times."


def differing(rows: Sequence[Row], ids: Iterable[str] | None) -> Iterator[str]:
    if ids is None:
        return
    expected = dict.fromkeys(ids)
    for where, name in rows:
        if name not in expected:
            yield f"{where}: the release has no question “{name}”."
    answered = {name for _, name in rows}
    for name in expected:
        if name not in answered:
            yield f"“{name}” has no answer."
