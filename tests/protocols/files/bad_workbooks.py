"""Cases 97-108: Excel workbooks."""

import datetime
import io
import zipfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import openpyxl

from benchmarks.protocols.base import Upload
from benchmarks.protocols.files.limits import (
    MAX_BLANK_LINES,
    MAX_CELL_CHARACTERS,
    MAX_PARTS,
    MAX_UNPACKED_BYTES,
)
from tests.protocols.files.writing import GOOD, GOOD_ROWS, Case, accepted, with_row

SHEET = "xl/worksheets/sheet1.xml"
HEADER = ("id", "prediction")


def workbook(
    rows: Sequence[Sequence[object]], change: Callable[[Any], None] | None = None
) -> bytes:
    """A workbook of one sheet with these rows, `change`d before it is written."""
    book = openpyxl.Workbook()
    sheet = book.active
    for row in rows:
        sheet.append(row)
    if change is not None:
        change(sheet)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def repacked(content: bytes, **parts: bytes) -> bytes:
    """The same archive with some parts replaced or added; names have dots where these have two
    underscores."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        named = {name.replace("__", "/"): part for name, part in parts.items()}
        for name in {**dict.fromkeys(old.namelist()), **named}:
            new.writestr(name, named[name] if name in named else old.read(name))
    return file.getvalue()


def other_archive() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as written:
        written.writestr("answers.csv", "id,prediction\n")
    return file.getvalue()


GOOD_BOOK = workbook([HEADER, *GOOD_ROWS])
LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;">]>'
    b"<workbook>&b;</workbook>"
)


def book(content: bytes) -> Upload:
    return Upload("answers.xlsx", content)


def workbooks() -> Iterator[Case]:
    yield accepted(97, "a workbook", book(GOOD_BOOK))
    returned = [("1", "one_x000D_\ntwo"), *GOOD_ROWS[1:]]
    yield accepted(
        97,
        "a workbook with a carriage return",
        book(workbook([HEADER, *returned])),
        answers={**GOOD, "1": "one\r\ntwo"},
    )
    for written, read in (
        ("_x005F_x000D_", "_x000D_"),  # a text that looks like an escape, as Excel writes it
        ("_x005F_x005F_x0041_", "_x005FA"),
        ("caf_x00E9__x000a_x_x00_", "caf\u00e9\nx_x00_"),
        ("_xD83D__xDE00_ a", "\U0001f600 a"),
    ):
        escaped = workbook([HEADER, ("1", written), *GOOD_ROWS[1:]])
        yield accepted(97, f"workbook: {written}", book(escaped), answers={**GOOD, "1": read})
    named = workbook([("id", "pre_x0064_iction"), *GOOD_ROWS])
    yield accepted(97, "workbook: an escape in the header", book(named))
    empty = workbook([HEADER, ("1", None), *GOOD_ROWS[1:]])
    yield accepted(97, "an empty cell", book(empty), "empty-answers", answers={**GOOD, "1": ""})


def archives_named_xlsx() -> Iterator[Case]:
    garbage = b"PK\x03\x04" + bytes(range(256)) * 8
    yield Case(
        98,
        "an archive of something else",
        book(other_archive()),
        "workbook",
        None,
        ("ZIP archive",),
    )
    yield Case(98, "no archive", book(garbage), "workbook", None, ("cannot be read",))
    half = GOOD_BOOK[: len(GOOD_BOOK) // 2]
    yield Case(98, "half a workbook", book(half), "workbook", None, ("cut off",))
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("word/document.xml", "<w/>")
    yield Case(98, "another office document", book(other.getvalue()), "workbook", None)
    yield Case(98, "a text named .xlsx", book(b"id,prediction\n1,x\n"), "type", None, ("a text",))
    bomb = repacked(GOOD_BOOK, xl__worksheets__sheet2=bytes(MAX_UNPACKED_BYTES + 1))
    yield Case(99, "workbook: bomb", book(bomb), "size", None, ("unpack",))
    many = repacked(GOOD_BOOK, **{f"part{n}": b"" for n in range(MAX_PARTS)})
    yield Case(99, "workbook: more parts than any", book(many), "size", None, ("parts",))
    sheet = GOOD_BOOK.rindex(SHEET.encode()) - 46 + 24  # its size in the directory at the end
    lying = GOOD_BOOK[:sheet] + b"\x40\0\0\0" + GOOD_BOOK[sheet + 4 :]
    yield Case(99, "workbook: wrong size in the directory", book(lying), "workbook", None)
    laughs = repacked(GOOD_BOOK, **{"xl__workbook.xml": LAUGHS})
    yield Case(100, "workbook: entities", book(laughs), "workbook", None, ("entities",))
    start = GOOD_BOOK.rindex(SHEET.encode()) - 46 + 8
    locked = GOOD_BOOK[:start] + b"\x01\0" + GOOD_BOOK[start + 2 :]
    yield Case(101, "workbook: encrypted", book(locked), "workbook", None, ("password",))
    broken = repacked(GOOD_BOOK, **{"xl__worksheets__sheet1.xml": b"<worksheet><sheetData><row"})
    yield Case(102, "workbook: a sheet that is no XML", book(broken), "workbook", 1, ("faulty",))


def cells() -> Iterator[Case]:
    long = [("1", "x" * MAX_CELL_CHARACTERS), *GOOD_ROWS[1:]]
    yield Case(
        103,
        "a text that Excel cut off",
        book(workbook([HEADER, *long])),
        "cut-off",
        2,
        ("32,767", "prediction", ".tsv or .json", "20,000"),
    )
    for written, code in (("x_x0001_", "control"), ("x_xD83D_", "surrogate")):
        rows = workbook([HEADER, *with_row(3, "7", written)])
        yield Case(97, f"workbook: {written}", book(rows), code, 4, ("prediction",))
    for number, name, value, code, words in (
        (104, "a formula", "=1+1", "cell", ("formula",)),
        (104, "an error of Excel", "#N/A", "cell", ("an error",)),
        (105, "a number as the answer", 7, "type-of-answer", ("prediction",)),
        (105, "a date as the answer", datetime.date(2026, 1, 2), "cell", ("a date",)),
    ):
        rows = workbook([HEADER, *with_row(3, "7", value)])
        yield Case(number, name, book(rows), code, 4, words)
    ids = workbook([HEADER, (1, "one"), *GOOD_ROWS[1:]])
    yield Case(105, "a number as the id", book(ids), "type-of-id", 2, ("id",))
    wide = workbook([HEADER, (*GOOD_ROWS[0], "more"), *GOOD_ROWS[1:]])
    yield Case(106, "a workbook's row too wide", book(wide), "long-row", 2, ("3 cells",))


def headers() -> Iterator[Case]:
    yield Case(107, "a workbook without a header", book(workbook(GOOD_ROWS)), "header", 1)
    twice = workbook([("id", "id"), *GOOD_ROWS])
    yield Case(107, "a workbook's column twice", book(twice), "duplicate-field", 1)
    index = workbook([(None, *HEADER), *((0, *row) for row in GOOD_ROWS)])
    yield Case(107, "a workbook's index column", book(index), "unknown-field", 1, ("no name",))

    def far_below(sheet: Any) -> None:
        sheet.cell(row=MAX_BLANK_LINES * 3, column=1, value="x")

    far = workbook([HEADER, *GOOD_ROWS], far_below)
    line = len(GOOD_ROWS) + 2
    yield Case(108, "a workbook's blank rows", book(far), "blank-line", line, ("stopped",))
