import json

import numpy as np
import pytest

from benchmarks.protocols.base import Upload
from benchmarks.protocols.tiny_lvlm_ehub import predictions
from tests.protocols.tiny_lvlm_ehub.questions import question

QUESTIONS = [question("IC15", 1, "exit"), question("IC15", 2, "taxi"), question("GQA", 1, "yes")]
ANSWERS = {"IC15/000001": "EXIT", "IC15/000002": "a taxi", "GQA/000001": "Yes."}
RECORDS = [
    {"dataset": "IC15", "question_id": "000001", "answer": "EXIT"},
    {"dataset": "IC15", "question_id": "000002", "answer": "a taxi"},
    {"dataset": "GQA", "question_id": "000001", "answer": "Yes."},
]


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def by_dataset(records):
    lists: dict[str, list[dict[str, str]]] = {}
    for record in records:
        rest = {name: value for name, value in record.items() if name != "dataset"}
        lists.setdefault(record["dataset"], []).append(rest)
    return json.dumps(lists, indent=1)


def read(name: str, text: str):
    return predictions.read(Upload(name, text.encode()), QUESTIONS)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.jsonl", lines(RECORDS)),
        ("a.json", by_dataset(RECORDS)),
        ("a.json", json.dumps(RECORDS)),
        ("a.jsonl", lines({**record, "gt_answers": ["x"], "model_name": "m"} for record in RECORDS)),
        ("a.csv", "dataset,id,prediction\nIC15,000001,EXIT\nic15,000002,a taxi\nGQA,000001,Yes.\n"),
        ("a.tsv", "dataset\tid\tprediction\nIC15\t000001\tEXIT\nIC15\t000002\ta taxi\nGQA\t000001\tYes.\n"),
        ("a.csv", "id,prediction\nIC15/000001,EXIT\nIC15/000002,a taxi\nGQA/000001,Yes.\n"),
    ],
)
def test_every_form_gives_the_same_answers(name, text):
    reading = read(name, text)
    assert not reading.problems
    assert reading.answers == ANSWERS


@pytest.mark.parametrize(
    ("records", "code", "column"),
    [
        ([{**RECORDS[0], "dataset": "IC16"}, *RECORDS[1:]], "unknown-dataset", "dataset"),
        ([{**RECORDS[0], "question_id": "000009"}, *RECORDS[1:]], "unknown", "id"),
        ([{**RECORDS[0], "question_id": 1}, *RECORDS[1:]], "type-of-id", "question_id"),
        ([{**RECORDS[0], "answer": ["EXIT"]}, *RECORDS[1:]], "type-of-answer", "prediction"),
        ([{**RECORDS[0], "answer": None}, *RECORDS[1:]], "type-of-answer", "prediction"),
        ([RECORDS[0], RECORDS[0], RECORDS[2]], "duplicate", "id"),
        (RECORDS[1:], "missing", ""),
        ([{"dataset": "SVT", "question_id": "000001", "answer": "x"}], "unknown", "id"),
        ([{**RECORDS[0], "score": 1.0}, *RECORDS[1:]], "unknown-field", "score"),
    ],
)
@pytest.mark.parametrize("write", [lines, by_dataset])
def test_a_faulty_file_is_refused_with_the_reason(write, records, code, column):
    name = "a.jsonl" if write is lines else "a.json"
    problems = read(name, write(records)).problems
    assert (code, column) in [(problem.code, problem.column) for problem in problems]


def test_what_is_missing_is_counted_by_dataset():
    messages = [problem.message for problem in read("a.jsonl", lines(RECORDS[2:])).problems]
    assert "Missing by dataset: IC15 2 of 2." in messages


def test_a_file_that_is_cut_off_is_refused():
    problems = read("a.json", by_dataset(RECORDS)[:-3]).problems
    assert "syntax" in [problem.code for problem in problems]


def test_baselines_answer_every_question():
    made = predictions.baselines(QUESTIONS, {}, np.random.default_rng(1))
    assert [baseline.slug for baseline in made] == ["always-yes", "always-no", "coin"]
    assert all(baseline.answers.keys() == ANSWERS.keys() for baseline in made)
