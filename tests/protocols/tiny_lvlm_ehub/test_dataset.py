import io
import json
import re
from pathlib import Path

import pytest

from benchmarks.protocols.base import Anomaly, Problem, QuestionRow
from benchmarks.protocols.tiny_lvlm_ehub import board, dataset, suite
from tests.each_case import each_case

POPE = (
    Path(__file__).resolve().parents[4] / "shared" / "data" / "tiny_lvlm_ehub" / "pope_1500.jsonl"
)
RECORD = {
    "question_id": "000001",
    "question": "What is written?",
    "gt_answers": "exit",
    "image_path": "1.png",
}


def read(content: object):
    text = content if isinstance(content, str) else json.dumps(content)
    return list(dataset.read(io.BytesIO(text.encode())))


def test_suite_has_42_datasets_and_2056_records_known_by_any_of_their_names():
    assert len(suite.DATASETS) == 42
    assert sum(d.records for d in suite.DATASETS) == 2056
    assert [len(suite.datasets_of(slug)) for slug in suite.CAPABILITIES] == [8, 14, 11, 5, 3, 1]
    names = "IC15|ic15|MSCOCO-Random|MSCOCO_pope_random|COCO (OC)|WHOOPSVQA"
    assert None not in [suite.find_dataset(name) for name in names.split("|")]
    assert {d.prompt for d in suite.DATASETS} == set(suite.PROMPTS)
    sizes = {s.slug: s.questions for ability in suite.TAXONOMY for s in ability.subtasks}
    assert (sum(sizes.values()), sizes["VirtualHome"]) == (2056, 6)


def test_the_board_tells_how_a_dataset_is_asked_and_what_the_paper_measures():
    for d in suite.DATASETS:
        if d.capability in suite.JUDGED:
            about = board.METRICS[f"cee@{d.slug}"].about
            assert suite.PROMPTS[d.prompt] in about
            assert d.group.metric in about


def test_the_board_claims_no_five_capabilities_for_a_release_with_fewer():
    told = (board.OVERALL.about, board.BOARD.how, board.BOARD.tables[0].about)
    assert all(re.search("in the release|the release's|the release has", text) for text in told)
    assert not any("mean of the five" in text for text in told)


@each_case(
    "content",
    [
        {"IC15": [RECORD]},
        json.dumps({"dataset": "IC15", **RECORD}) + "\n",
        [{"dataset": "ic15", "task_type": "OCR", **RECORD}],
    ],
)
def test_every_layout_gives_the_same_question(content):
    (row,) = read(content)
    assert isinstance(row, QuestionRow)
    assert (row.public_id, row.ability, row.subtask, row.group) == (
        "IC15/000001",
        "knowledge",
        "IC15",
        "IC15/000001",
    )
    assert (row.figure, row.reference, row.images[0].name) == ("IC15/1.png", "exit", "1.png")


def test_several_references_are_kept_once_each_and_a_picture_is_optional():
    record = {name: value for name, value in RECORD.items() if name != "image_path"}
    (row,) = read({"OKVQA": [{**record, "gt_answers": ["two", "2", "two"], "dataset": "okvqa"}]})
    assert (row.subtask, row.record) == ("OKVQA", "OKVQA, record 1")
    assert (row.reference, row.figure, row.images) == ("two; 2", "", ())
    assert json.loads(row.truth["references"]) == ["two", "2"]
    (plan,) = read({"VirtualHome": [{**RECORD, "gt_answers": "BLANK"}]})
    assert (plan.ability, plan.reference) == ("embodied", "")


@each_case(
    "change, code, column",
    [
        ({"question_id": 1}, "type", "question_id"),
        ({"question": ["a", "b"]}, "type", "question"),
        ({"question": " "}, "empty-text", "question"),
        ({"gt_answers": []}, "references", "gt_answers"),
        ({"gt_answers": [1]}, "type", "gt_answers"),
        ({"gt_answers": ""}, "references", "gt_answers"),
        ({"gt_answers": ["x"] * 101}, "references", "gt_answers"),
        ({"image_path": None}, "type", "image_path"),
        ({"score": 1}, "unknown-field", "score"),
    ],
)
def test_a_faulty_record_is_refused_with_its_place(change, code, column):
    problems = read({"IC15": [RECORD, {**RECORD, "question_id": "000002", **change}]})
    assert [(p.code, p.column) for p in problems if isinstance(p, Problem)] == [(code, column)]


def test_every_problem_of_a_file_on_one_line_names_its_record():
    faulty = [
        {**RECORD, "question": 1},
        {**RECORD, "question_id": "2", "gt_answers": []},
        {**RECORD, "score": 1},
    ]
    problems = read({"IC15": [RECORD], "SVT": faulty})
    found = {(p.record, p.column) for p in problems}
    assert found == {
        ("SVT, record 1", "question"),
        ("SVT, record 2", "gt_answers"),
        ("SVT, record 3", "score"),
    }


def test_a_stray_list_or_record_is_one_problem_with_a_hint():
    (problem,) = read({"IC15": [RECORD], "notes": [{"text": "a"}, {"text": "b"}, 3]})
    assert (problem.code, problem.found) == ("unknown-dataset", "notes")
    (problem,) = read({"IC16": [RECORD]})
    assert (problem.code, "IC1" in problem.expected) == ("unknown-dataset", True)
    (problem,) = read([RECORD])
    assert (problem.code, problem.column) == ("missing-field", "dataset")
    assert "put it in a folder as <dataset>.json" in problem.message
    (problem,) = read("[" * 100_000)
    assert problem.code == "depth"


@each_case("name", ["SROIE", "sroie"])
def test_a_record_that_contradicts_its_list_is_refused_once(name):
    (problem,) = read({"IC15": [RECORD, {**RECORD, "dataset": name}, {**RECORD, "dataset": name}]})
    assert (problem.code, problem.record, problem.column) == (
        "contradiction",
        "IC15, record 2",
        "dataset",
    )
    assert problem.message.endswith("In 2 rows.")


@each_case(
    "slug, reference, code",
    [
        ("IC15", "the", "reference-matches-all"),
        ("MSCOCO_pope_random", "a cat", "not-yes-or-no"),
    ],
)
def test_a_reference_that_matches_everything_or_is_no_yes_or_no_is_flagged(slug, reference, code):
    _, anomaly = read({slug: [{**RECORD, "gt_answers": reference}]})
    assert isinstance(anomaly, Anomaly)
    assert anomaly.code == code


def test_the_real_pope_questions_are_read():
    if not POPE.exists():
        pytest.skip(
            "the POPE questions are not beside this checkout (../shared/data/tiny_lvlm_ehub)"
        )
    rows = list(dataset.read(io.BytesIO(POPE.read_bytes())))
    assert len(rows) == 1500
    assert all(isinstance(row, QuestionRow) for row in rows)
    assert {row.subtask for row in rows} == {d.slug for d in suite.datasets_of("hallucination")}
