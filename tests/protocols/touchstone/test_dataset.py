"""The official table: read row by row, refused with the line of every fault."""

import base64
import io

import pytest

from benchmarks.protocols.base import Anomaly, Problem, QuestionRow
from benchmarks.protocols.touchstone.dataset import COLUMNS, TAXONOMY, read

HEADER = "\t".join(COLUMNS)
PICTURE = base64.b64encode(b"not looked at here").decode()
GOOD = {
    "index": "7",
    "image": PICTURE,
    "question": "Which brand is it?",
    "human_annotation": "A red kettle by Aquella.",
    "gpt4_ha_answer": "It is Aquella.",
    "category": "Visual Recognition Ability",
    "task_name": "Brand recognition",
}


def line(**changes: str) -> str:
    return "\t".join({**GOOD, **changes}[name] for name in COLUMNS)


def items(*lines: str, header: str = HEADER) -> list[object]:
    return list(read(io.BytesIO("\n".join([header, *lines, ""]).encode())))


def problems(*lines: str, header: str = HEADER) -> list[Problem]:
    return [item for item in items(*lines, header=header) if isinstance(item, Problem)]


def test_a_row_becomes_a_question_with_its_picture():
    (row,) = items(line())
    assert isinstance(row, QuestionRow)
    assert (row.public_id, row.ability, row.text) == ("7", "recognition", "Which brand is it?")
    assert (row.description, row.reference) == ("A red kettle by Aquella.", "It is Aquella.")
    assert row.images[0].content == b"not looked at here"


def test_questions_about_one_picture_share_its_figure():
    first, second = (i for i in items(line(), line(index="8")) if isinstance(i, QuestionRow))
    assert first.figure == second.figure == first.group


def test_there_are_five_abilities_and_twenty_seven_subtasks():
    assert (len(TAXONOMY), sum(len(ability.subtasks) for ability in TAXONOMY)) == (5, 27)


@pytest.mark.parametrize(
    ("changes", "line_number"),
    [
        ({"image": "abc"}, 2),
        ({"image": "%%%%"}, 2),
        ({"task_name": "…"}, 2),
        ({"category": "。"}, 2),
        ({"question": ""}, 2),
        ({"human_annotation": ""}, 2),
        ({"index": ""}, 2),
    ],
)
def test_a_fault_of_a_row_is_reported_with_its_line(changes, line_number):
    found = problems(line(**changes), line(index="8"))
    assert [problem.line for problem in found] == [line_number]


def test_two_rows_with_one_index_are_refused():
    assert [problem.line for problem in problems(line(), line())] == [3]


def test_a_file_that_stops_in_mid_row_is_refused():
    assert problems(line(), line(index="8")[:40])


def test_a_missing_column_is_named():
    (problem,) = problems(header="\t".join(COLUMNS[1:]))[:1]
    assert "index" in f"{problem.message} {problem.expected} {problem.found} {problem.column}"


def test_every_fault_is_reported_at_once():
    assert len(problems(*(line(index=str(n), image="abc") for n in range(30)))) == 30


def test_a_cell_far_beyond_the_limit_of_csv_is_read():
    big = base64.b64encode(b"\0" * 3_000_000).decode()
    (row,) = items(line(image=big))
    assert isinstance(row, QuestionRow)


def test_a_picture_with_two_descriptions_is_flagged():
    found = items(line(), line(index="8", human_annotation="Another text."))
    assert any(isinstance(item, Anomaly) for item in found)


@pytest.mark.parametrize(
    "content", [b"", b"\xef\xbb\xbf", b"\xff\xfe\x00", b"[", b"[1]", b'[{"index": 3}]']
)
def test_what_is_no_table_is_a_problem_and_no_crash(content):
    assert any(isinstance(item, Problem) for item in read(io.BytesIO(content)))
