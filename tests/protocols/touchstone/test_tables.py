"""The reader of tables against the csv module's writer, and where it gives up."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.protocols.base import Problem
from benchmarks.protocols.touchstone import tables
from benchmarks.protocols.touchstone.tables import Row, read_rows
from tests.each_case import each_case

# The writer leaves a lone carriage return bare where lines end otherwise: no reader could tell it
# from a line's end.
CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=20)
TABLE = st.lists(st.lists(CELL, min_size=2, max_size=4), min_size=1, max_size=6)


def read(content: bytes) -> list[Row | Problem]:
    stream = io.BytesIO(content)
    return list(read_rows(stream.readline(), stream))


@given(TABLE, st.sampled_from(["\n", "\r\n"]), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
def test_whatever_csv_writes_is_read_back(table, line_end, quoting):
    written = io.StringIO(newline="")
    csv.writer(written, delimiter="\t", lineterminator=line_end, quoting=quoting).writerows(table)
    found = [row.cells for row in read(written.getvalue().encode()) if isinstance(row, Row)]
    assert found == [[cell.encode() for cell in row] for row in table]


@given(st.binary(max_size=200))
def test_no_bytes_make_it_crash(content):
    assert all(isinstance(item, Row | Problem) for item in read(content))


def test_a_row_of_several_lines_is_named_by_its_first():
    first, second = read(b'a\t"b\nb\n"\nc\td\n')
    assert (first.line, second.line) == (1, 4)


@each_case(
    "content, code",
    [(b'a\t"b\nc\td\n', "cut-off"), (b'a\t"b"b\n', "quote"), (b'"a"b"c"\td\n', "quote")],
)
def test_a_quote_out_of_place_is_a_problem(content, code):
    (problem,) = read(content)
    assert isinstance(problem, Problem)
    assert (problem.code, problem.line) == (code, 1)


def test_a_quote_inside_a_bare_cell_is_only_a_character():
    (row,) = read(b'5" pipe\ta "b" c\n')
    assert isinstance(row, Row)
    assert row.cells == [b'5" pipe', b'a "b" c']


@pytest.mark.parametrize("rest", [b"", b'"' + b"x\n" * 60], ids=["one line", "an open quote"])
def test_an_endless_row_ends_the_reading(monkeypatch, rest):
    monkeypatch.setattr(tables, "MAX_ROW_BYTES", 100)
    (first, problem) = read(b"a\tb\n" + (rest or b"x" * 101) + b"\nc\td\n")
    assert isinstance(first, Row)
    assert isinstance(problem, Problem)
    assert (problem.code, problem.line) == ("too-long", 2)
