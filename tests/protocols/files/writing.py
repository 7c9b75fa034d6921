"""One case of the list of bad inputs, and the few writers its file is made with."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmarks.protocols.base import Upload

IDS = ("1", "2", "7", "12", "1000", "100000", "café", "Map/a b")
GOOD: dict[str, str] = {id_: f"The answer to {id_}." for id_ in IDS}
GOOD_ROWS: tuple[tuple[str, str], ...] = tuple(GOOD.items())

Rows = Iterable[tuple[object, object]]


@dataclass(frozen=True)
class Case:
    """`code` is empty where the file is accepted, and then `answers` is what must be read from
    it."""

    number: int
    name: str
    upload: Upload
    code: str = ""
    line: int | None = None
    words: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    answers: Mapping[str, str] | None = None
    ids: tuple[str, ...] = IDS

    def __str__(self) -> str:
        return f"{self.number:02d} {self.name}"


def accepted(
    number: int, name: str, upload: Upload, *notes: str, answers: Mapping[str, str] = GOOD
) -> Case:
    return Case(number, name, upload, notes=notes, answers=answers)


def with_row(number: int, id_: object, answer: object) -> list[tuple[object, object]]:
    """The good rows with another row `number`, from 1."""
    return [(id_, answer) if place == number else row for place, row in enumerate(GOOD_ROWS, 1)]


def with_line(number: int, line: bytes, content: bytes) -> bytes:
    kept = content.split(b"\n")
    kept[number - 1] = line
    return b"\n".join(kept)


def table(rows: Rows, delimiter: str = ",", line_end: str = "\n", header: bool = True) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=line_end)
    if header:
        writer.writerow(("id", "prediction"))
    writer.writerows(rows)
    return text.getvalue().encode()


def objects(rows: Rows) -> list[dict[str, object]]:
    return [{"id": id_, "prediction": answer} for id_, answer in rows]


def lines(rows: Rows, ascii_only: bool = True) -> bytes:
    return "".join(
        json.dumps(row, ensure_ascii=ascii_only) + "\n" for row in objects(rows)
    ).encode()


def document(rows: Rows) -> bytes:
    """A list with one object per line: row n stands on line n + 1."""
    return b"[\n" + b",\n".join(json.dumps(row).encode() for row in objects(rows)) + b"\n]\n"


def as_csv(content: bytes) -> Upload:
    return Upload("answers.csv", content)


def as_tsv(content: bytes) -> Upload:
    return Upload("answers.tsv", content)


def as_jsonl(content: bytes) -> Upload:
    return Upload("answers.jsonl", content)


def as_json(content: bytes) -> Upload:
    return Upload("answers.json", content)


def uploads(rows: Rows) -> tuple[Upload, Upload, Upload, Upload]:
    """The rows in every kind of file."""
    kept = list(rows)
    tables = as_csv(table(kept)), as_tsv(table(kept, "\t"))
    return (*tables, as_jsonl(lines(kept)), as_json(document(kept)))
