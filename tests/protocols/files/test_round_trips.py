"""What was written is what is read, and nothing at all makes a reader fail, whatever the bytes."""

import itertools
import json
import re
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.protocols.base import PredictionReading, QuestionView, Upload
from benchmarks.protocols.files import PLAIN, collect_answers, read_records
from benchmarks.protocols.files.limits import MAX_FILE_BYTES, MAX_ROW_PROBLEMS
from tests.protocols.files.bad_parquets import parquet
from tests.protocols.files.bad_workbooks import workbook
from tests.protocols.files.writing import GOOD_ROWS, IDS, document, lines, table, uploads

FORBIDDEN = [chr(number) for number in (*range(9), *range(14, 32), 127, 0x9B)]
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=FORBIDDEN), max_size=60)
IDS_OF_ANY = TEXTS.filter(bool)  # a row without id and answer is blank
ANSWERS = st.dictionaries(IDS_OF_ANY, TEXTS, min_size=1, max_size=12)
NAMES = st.sampled_from(["a.csv", "a.tsv", "a.jsonl", "a.json"])

WRITERS: dict[str, Callable[[dict[str, str]], bytes]] = {
    "a.csv": lambda answers: table(answers.items(), line_end="\r\n"),
    "a.tsv": lambda answers: table(answers.items(), "\t", line_end="\r\n"),
    "a.jsonl": lambda answers: lines(answers.items()),
    "b.jsonl": lambda answers: lines(answers.items(), ascii_only=False),
    "a.json": lambda answers: document(answers.items()),
    "by id.json": lambda answers: json.dumps(answers).encode(),
    "by id in lines.json": lambda answers: json.dumps(answers, indent=1).encode(),
    "a.xlsx": lambda answers: as_workbook(answers),
    "a.parquet": lambda answers: as_parquet(answers),
    "b.parquet": lambda answers: as_parquet(answers, row_group_size=2, compression="zstd"),
    "c.parquet": lambda answers: as_parquet(answers, use_dictionary=False),
}

# What XML cannot hold, and what looks like an escape of it: as Excel writes them.
TO_ESCAPE = re.compile("[\x0b\x0c\r\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def as_workbook(answers: dict[str, str]) -> bytes:
    rows = [[escaped(key), escaped(answer)] for key, answer in answers.items()]
    return workbook([("id", "prediction"), *rows], are_texts)


def as_parquet(answers: dict[str, str], **how: Any) -> bytes:
    columns = {"id": list(answers), "prediction": list(answers.values())}
    return parquet(columns, **how).content


def escaped(text: str) -> str:
    return TO_ESCAPE.sub(lambda found: f"_x{ord(found[0]):04X}_", text)


def are_texts(sheet: Any) -> None:
    """Whatever they look like: openpyxl would make "=1" a formula."""
    for cell in itertools.chain.from_iterable(sheet.iter_rows()):
        cell.data_type = "s"


MIB = 1024 * 1024
HUGE: dict[str, tuple[bytes, bytes]] = {
    "cells.csv": (b"id,prediction\n", b","),
    "columns.tsv": (b"", b"\t"),
    "quotes.csv": (b"id,prediction\n1,", b'"'),
    "rows.csv": (b"id,prediction\n", b"q,\n"),
    "bytes.csv": (b"id,prediction\n", b"\xff\n"),
    "depth.json": (b"", b"["),
    "fields.json": (b"[{", b'"":0,'),
    "strings.json": (b"[{", b'"'),
    "backslashes.json": (b'[{"id":"', b"\\"),
    "rows.json": (b"[", b"{},"),
    "values.json": (b"[", b"1,"),
    "digits.json": (b'[{"id":', b"9"),
    "open.jsonl": (b"", b"{"),
    "rows.jsonl": (b"", b"{}\n"),
    "fields.jsonl": (b"{", b'"a":1,'),
}


def read(upload: Upload, ids: tuple[str, ...] = IDS) -> PredictionReading:
    questions = [QuestionView(id_, "", "", "", "", "", {}, {}) for id_ in ids]
    return collect_answers(read_records(upload, (PLAIN,), len(ids)), questions)


def assert_answers_or_showable_problems(reading: PredictionReading) -> None:
    assert bool(reading.problems) != (set(reading.answers) == set(IDS))
    assert len(reading.problems) <= MAX_ROW_PROBLEMS + 1
    for problem in reading.problems:
        assert problem.code
        assert "".join(
            (problem.message, problem.column, problem.expected, problem.found)
        ).isprintable()


@pytest.mark.parametrize("name", WRITERS)
@given(answers=ANSWERS)
def test_written_answers_are_read_unchanged(name: str, answers: dict[str, str]) -> None:
    reading = read(Upload(name, WRITERS[name](answers)), tuple(answers))

    assert reading.problems == ()
    assert list(reading.answers.items()) == list(answers.items())


@given(answers=ANSWERS, order=st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(answers: dict[str, str], order: object) -> None:
    rows = list(answers.items())
    order.shuffle(rows)  # type: ignore[attr-defined]

    for name, write in WRITERS.items():
        assert read(Upload(name, write(dict(rows))), tuple(answers)).answers == answers


@given(name=NAMES, content=st.binary(max_size=300))
def test_any_bytes_are_refused_without_an_exception(name: str, content: bytes) -> None:
    assert_answers_or_showable_problems(read(Upload(name, content)))


@given(
    name=NAMES,
    content=st.text(
        st.sampled_from('[]{}",:;\\/#\'\t\n\r 1eN"id""prediction"\ud800\0'), max_size=200
    ),
)
def test_any_marks_are_refused_without_an_exception(name: str, content: str) -> None:
    assert_answers_or_showable_problems(read(Upload(name, content.encode(errors="surrogatepass"))))


@pytest.mark.slow
@given(
    which=st.integers(0, 3),
    start=st.integers(0, 400),
    length=st.integers(0, 8),
    bytes_=st.binary(max_size=8),
)
@settings(max_examples=300)
def test_a_damaged_file_is_read_or_refused(
    which: int, start: int, length: int, bytes_: bytes
) -> None:
    upload = uploads(GOOD_ROWS)[which]
    content = upload.content[:start] + bytes_ + upload.content[start + length :]

    reading = read(Upload(upload.name, content))

    assert_no_answer_is_missing_silently(reading)


def assert_no_answer_is_missing_silently(reading: PredictionReading) -> None:
    if not reading.problems:
        assert tuple(reading.answers) == IDS
    assert all(isinstance(answer, str) for answer in reading.answers.values())


@pytest.mark.parametrize("mebibytes", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_a_large_file_costs_bounded_memory_and_time(mebibytes: int) -> None:
    """Twenty times its size at most, and half a second for each mebibyte."""
    assert mebibytes * MIB <= MAX_FILE_BYTES
    for name, (start, unit) in HUGE.items():
        upload = Upload(name, start + unit * ((mebibytes * MIB - len(start)) // len(unit)))
        tracemalloc.start()
        start_seconds = time.process_time()

        reading = read(upload)

        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert reading.problems, name
        assert peak < 20 * mebibytes * MIB, name
        assert time.process_time() - start_seconds < mebibytes / 2, name
