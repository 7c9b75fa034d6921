"""The official table: read row by row, refused with the line of every fault."""

import base64
import io
import json

from benchmarks.protocols.base import Anomaly, Gap, Problem, QuestionRow
from benchmarks.protocols.touchstone.dataset import COLUMNS, TAXONOMY, read
from tests.each_case import each_case

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


def test_rows_about_one_picture_become_questions_that_share_its_figure():
    row, second = items(line(), line(index="8"))
    assert isinstance(row, QuestionRow)
    assert isinstance(second, QuestionRow)
    assert (row.public_id, row.ability, row.text) == ("7", "recognition", "Which brand is it?")
    assert (row.description, row.reference) == ("A red kettle by Aquella.", "It is Aquella.")
    assert row.images[0].content == b"not looked at here"
    assert row.figure == second.figure == row.group
    beyond_csv = base64.b64encode(b"\0" * 3_000_000).decode()
    (large,) = items(line(image=beyond_csv))
    assert isinstance(large, QuestionRow)


def pictures_of(*found: object) -> list[list[str]]:
    return [[image.name for image in row.images] for row in found if isinstance(row, QuestionRow)]


def document(*images: object) -> list[object]:
    rows = [{**GOOD, "index": str(n), "image": image} for n, image in enumerate(images)]
    return list(read(io.BytesIO(json.dumps(rows).encode())))


def test_a_question_about_several_pictures_has_them_in_their_order():
    several = json.dumps([base64.b64encode(text).decode() for text in (b"second", b"first")])
    for cell in (several, f'"{several.replace(chr(34), chr(34) * 2)}"'):
        row, single = items(line(image=cell), line(index="8"))
        assert isinstance(row, QuestionRow)
        assert isinstance(single, QuestionRow)
        assert [image.content for image in row.images] == [b"second", b"first"]
        assert row.figure == " + ".join(image.name for image in row.images)
        assert single.figure == single.images[0].name


def test_several_paths_are_one_figure_and_in_another_order_another_one():
    found = document(["b.png", "a.png"], ["a.png", "b.png"], "a.png")
    assert pictures_of(*found) == [["b.png", "a.png"], ["a.png", "b.png"], ["a.png"]]
    keys = [row.figure for row in found if isinstance(row, QuestionRow)]
    assert keys == ["b.png + a.png", "a.png + b.png", "a.png"]


def test_the_key_of_long_paths_fits_and_tells_them_apart():
    first, second = (
        row.figure
        for row in document(*([f"{'x' * 150}/{n}", "b.png", f"{'y' * 100}.png"] for n in "12"))
        if isinstance(row, QuestionRow)
    )
    assert len(first) <= 200
    assert first != second


def test_what_is_no_list_of_pictures_is_refused():
    names = [f"{number}.png" for number in range(9)]
    no_lists: list[object] = [[], ["a.png"] * 2, names, [1], [["a.png"]], ["../a.png"], [""], {}]
    for image in no_lists:
        assert any(isinstance(item, Problem) for item in document(image)), image
    for cell in ("[", '["abc"]', "[1]", "[]", "[" * 100_000, f'["{PICTURE}", 3]'):
        assert [problem.line for problem in problems(line(image=cell))] == [2], cell[:20]


def test_there_are_five_abilities_and_twenty_seven_subtasks():
    assert (len(TAXONOMY), sum(len(ability.subtasks) for ability in TAXONOMY)) == (5, 27)


def test_every_fault_of_a_row_is_reported_with_its_line():
    faults = {"image": "%%%%", "task_name": "…", "category": "。", "question": "", "index": ""}
    for name, value in faults.items():
        assert [p.line for p in problems(line(**{name: value}), line(index="8"))] == [2], name
    assert [problem.line for problem in problems(line(), line())] == [3]
    assert len(problems(*(line(index=str(n), image="abc") for n in range(30)))) == 30
    assert problems(line(), line(index="8")[:40])
    (problem,) = problems(header="\t".join(COLUMNS[1:]))[:1]
    assert "index" in f"{problem.message} {problem.expected} {problem.found} {problem.column}"


@each_case("name", ["human_annotation", "gpt4_ha_answer"])
def test_a_text_that_is_empty_is_a_gap_before_its_row(name):
    """People may write it while the release is a draft; whoever opens it at once is told."""
    gap, row = items(line(**{name: " "}))
    assert isinstance(gap, Gap)
    assert (gap.problem.line, gap.problem.column) == (2, name)
    assert isinstance(row, QuestionRow)
    assert "" in (row.description, row.reference)


def test_a_picture_with_two_descriptions_is_flagged_and_one_without_is_not():
    for text, is_flagged in (("", False), ("Another text.", True)):
        found = items(line(), line(index="8", human_annotation=text), line(index="9"))
        assert any(isinstance(item, Anomaly) for item in found) is is_flagged


@each_case("content", [b"", b"\xef\xbb\xbf", b"\xff\xfe\x00", b"[", b"[1]", b'[{"index": 3}]'])
def test_what_is_no_table_is_a_problem_and_no_crash(content):
    assert any(isinstance(item, Problem) for item in read(io.BytesIO(content)))
