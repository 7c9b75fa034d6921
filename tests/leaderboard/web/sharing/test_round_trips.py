"""What the files of an entry's answers say is what is read from them, whatever the texts."""

import csv
import io
import json

import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.common.spreadsheets import csv_text, inert
from benchmarks.protocols.base import Problem
from benchmarks.submissions.intake.refusals import problem_rows
from leaderboard.web.sharing.answer_rows import COLUMNS, NUMBERS, TEXTS, csv_cell, whole
from leaderboard.web.sharing.parquet import table_of

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
ROWS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            **dict.fromkeys(TEXTS, TEXT | st.none()),
            "is_right": st.none() | st.booleans(),
            **dict.fromkeys(NUMBERS, st.none() | st.floats(-1e6, 1e6)),
            "call": st.none() | st.integers(1, 2**63 - 1),
        },
    ),
    min_size=1,
    max_size=4,
)


@given(rows=ROWS)
def test_lines_of_json_give_back_every_cell(rows):
    text = "".join(f"{json.dumps(whole(row), ensure_ascii=False)}\n" for row in rows)
    assert [json.loads(line) for line in text.split("\n")[:-1]] == [whole(row) for row in rows]


@given(rows=ROWS)
def test_parquet_gives_back_every_cell(rows):
    file = io.BytesIO()
    pq.write_table(table_of(rows), file)
    assert pq.read_table(file).to_pylist() == [whole(row) for row in rows]


@given(rows=ROWS)
def test_csv_gives_back_every_cell_made_inert(rows):
    text = csv_text([COLUMNS, *([csv_cell(row.get(name)) for name in COLUMNS] for row in rows)])
    read = list(csv.DictReader(io.StringIO(text, newline="")))
    assert read == [{name: csv_cell(row.get(name)) for name in COLUMNS} for row in rows]


@given(texts=st.lists(TEXT, min_size=4, max_size=4), line=st.none() | st.integers(1, 10**6))
def test_a_list_of_problems_gives_back_every_problem(texts, line):
    message, column, expected, found = texts
    problem = Problem("unknown", message, line, column, expected, found)
    text = csv_text(problem_rows([problem]))
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert row["line"] == str(line or "")
    told = (row["message"], row["column"], row["expected"], row["found"])
    assert told == tuple(map(inert, texts))
