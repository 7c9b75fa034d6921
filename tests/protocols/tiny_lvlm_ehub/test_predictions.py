import json

import numpy as np

from benchmarks.protocols.base import Upload
from benchmarks.protocols.tiny_lvlm_ehub import predictions
from tests.each_case import each_case
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


@each_case(
    "name, text",
    [
        ("a.jsonl", lines(RECORDS)),
        ("a.json", by_dataset(RECORDS)),
        ("a.json", json.dumps(RECORDS)),
        (
            "a.jsonl",
            lines({**record, "gt_answers": ["x"], "model_name": "m"} for record in RECORDS),
        ),
        ("a.csv", "dataset,id,prediction\nIC15,000001,EXIT\nic15,000002,a taxi\nGQA,000001,Yes.\n"),
        (
            "a.tsv",
            (
                "dataset\tid\tprediction\n"
                "IC15\t000001\tEXIT\n"
                "IC15\t000002\ta taxi\n"
                "GQA\t000001\tYes.\n"
            ),
        ),
        ("a.csv", "id,prediction\nIC15/000001,EXIT\nIC15/000002,a taxi\nGQA/000001,Yes.\n"),
    ],
)
def test_every_form_gives_the_same_answers(name, text):
    reading = read(name, text)
    assert not reading.problems
    assert reading.answers == ANSWERS


@each_case(
    "records, code, column",
    [
        ([{**RECORDS[0], "dataset": "IC16"}, *RECORDS[1:]], "unknown-dataset", "dataset"),
        ([{**RECORDS[0], "question_id": "000009"}, *RECORDS[1:]], "unknown", "question_id"),
        ([{**RECORDS[0], "question_id": 1}, *RECORDS[1:]], "unknown", "question_id"),
        ([{**RECORDS[0], "question_id": True}, *RECORDS[1:]], "type-of-id", "question_id"),
        ([{**RECORDS[0], "answer": ["EXIT"]}, *RECORDS[1:]], "type-of-answer", "answer"),
        ([{**RECORDS[0], "answer": None}, *RECORDS[1:]], "type-of-answer", "answer"),
        ([RECORDS[0], RECORDS[0], RECORDS[2]], "duplicate", "question_id"),
        (RECORDS[1:], "missing", ""),
        ([{"dataset": "SVT", "question_id": "000001", "answer": "x"}], "unknown", "question_id"),
        ([{**RECORDS[0], "score": 1.0}, *RECORDS[1:]], "unknown-field", "score"),
    ],
)
@each_case("write", [lines, by_dataset])
def test_a_faulty_file_is_refused_with_the_reason(write, records, code, column):
    name = "a.jsonl" if write is lines else "a.json"
    problems = read(name, write(records)).problems
    assert (code, column) in [(problem.code, problem.column) for problem in problems]


def test_the_field_of_an_answer_that_is_none_is_the_one_the_file_has():
    (problem,) = read(
        "a.json", by_dataset([{**RECORDS[0], "answer": ["a", "b"]}, *RECORDS[1:]])
    ).problems
    assert (problem.column, problem.record) == ("answer", "IC15, record 1")
    assert problem.message.startswith('The field "answer" holds a list')


def test_a_number_as_half_an_id_is_refused_in_every_form():
    rows = [{"dataset": "IC15", "id": 1, "prediction": "EXIT"}]
    *_, problem = predictions.read(
        Upload("a.json", json.dumps(rows).encode()), QUESTIONS[:1]
    ).problems
    assert (problem.code, problem.column, problem.record) == ("unknown", "id", "record 1")
    assert problem.expected == "IC15/000001"


def test_a_record_that_contradicts_its_list_is_refused():
    records = [
        {"question_id": "000001", "answer": "EXIT"},
        {"question_id": "000002", "answer": "x", "dataset": "GQA"},
    ]
    problems = read("a.json", json.dumps({"IC15": records})).problems
    (problem,) = [problem for problem in problems if problem.code == "contradiction"]
    assert (problem.record, problem.column, problem.expected, problem.found) == (
        "IC15, record 2",
        "dataset",
        "IC15",
        "GQA",
    )


def test_a_list_of_no_dataset_is_one_problem_and_explains_what_is_missing():
    lists = {
        "GQA": [{"question_id": "000001", "answer": "Yes."}],
        "IC16": [{"text": "a"}, {"text": "b"}],
    }
    (problem,) = read("a.json", json.dumps(lists)).problems
    assert (problem.code, problem.found) == ("unknown-dataset", "IC16")


def test_an_unknown_dataset_in_every_line_is_one_problem():
    (problem,) = read("a.jsonl", lines({**record, "dataset": "XYZ"} for record in RECORDS)).problems
    assert (problem.code, problem.line) == ("unknown-dataset", 1)
    assert problem.message.endswith("In 3 rows.")


def test_an_answer_that_stands_twice_on_one_line_is_told_with_both_places():
    text = json.dumps({"IC15": [RECORDS[0], RECORDS[0]], "GQA": [RECORDS[2]]})
    problem = next(
        problem for problem in read("a.json", text).problems if problem.code == "duplicate"
    )
    assert "(IC15, record 1)" in problem.message
    assert problem.record == "IC15, record 2"


def test_what_is_missing_is_counted_by_dataset():
    messages = [problem.message for problem in read("a.jsonl", lines(RECORDS[2:])).problems]
    assert "Missing by dataset: IC15 2 of 2." in messages


def test_a_file_that_is_cut_off_is_refused():
    problems = read("a.json", by_dataset(RECORDS)[:-3]).problems
    assert "syntax" in [problem.code for problem in problems]


def test_baselines_answer_every_question():
    made = predictions.baselines(QUESTIONS, {}, np.random.default_rng(1))
    assert [baseline.slug for baseline in made][-3:] == ["always-yes", "always-no", "coin"]
    assert all(baseline.answers.keys() == ANSWERS.keys() for baseline in made)
