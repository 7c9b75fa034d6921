"""The official submission under both of its endings, and plain rows."""

import json

import numpy as np

from benchmarks.protocols.base import PredictionsPort, QuestionView, Upload
from benchmarks.protocols.touchstone import predictions
from tests.each_case import each_case

COLUMNS = (
    "index",
    "question",
    "human_annotation",
    "gpt4_ha_answer",
    "category",
    "task_name",
    "response",
)
QUESTIONS = tuple(
    QuestionView(
        key, "recognition", "recognition/brand-recognition", key, key, f"What is {key}?", {}, {}
    )
    for key in ("0", "1")
)


def table(separator: str = "\t") -> bytes:
    rows = [
        COLUMNS,
        ("0", "q", "d", "r", "c", "t", "A kettle."),
        ("1", "q", "d", "r", "c", "t", "A van."),
    ]
    return "\n".join(separator.join(row) for row in rows).encode()


def read(name: str, content: bytes):
    return predictions.read(Upload(name, content), QUESTIONS)


def test_module_satisfies_the_port():
    port: PredictionsPort = predictions
    assert port.read is predictions.read


@each_case(
    "name, content",
    [
        ("result.tsv", table()),
        ("result.csv", table()),
        ("RESULT.CSV", b"\xef\xbb\xbf" + table()),
        ("result.csv", table(",")),
    ],
)
def test_the_official_table_is_read_whatever_its_ending(name, content):
    reading = read(name, content)
    assert reading.answers == {"0": "A kettle.", "1": "A van."}
    assert reading.problems == ()


def test_the_references_of_the_upload_are_ignored_with_a_note():
    (note,) = (note for note in read("result.tsv", table()).notes if note.code == "ignored-fields")
    assert "gpt4_ha_answer" in note.message
    assert "human_annotation" in note.message


@each_case(
    "name, content",
    [
        ("a.csv", b"id,prediction\n0,A kettle.\n1,A van.\n"),
        ("a.tsv", b"id\tprediction\n0\tA kettle.\n1\tA van.\n"),
        (
            "a.jsonl",
            b'{"id": "0", "prediction": "A kettle."}\n{"id": "1", "prediction": "A van."}\n',
        ),
        (
            "a.json",
            json.dumps(
                [{"id": "0", "prediction": "A kettle."}, {"id": "1", "prediction": "A van."}]
            ).encode(),
        ),
    ],
)
def test_plain_rows_are_read_in_every_format(name, content):
    reading = read(name, content)
    assert (reading.answers, reading.problems) == ({"0": "A kettle.", "1": "A van."}, ())


def test_a_missing_answer_is_a_problem():
    assert [p.code for p in read("result.csv", table().rpartition(b"\n")[0]).problems] == [
        "missing"
    ]


def test_a_table_without_the_response_is_refused():
    assert read("result.tsv", table().replace(b"response", b"answer")).problems


def test_baselines_answer_every_question():
    found = predictions.baselines(
        QUESTIONS, {"0": "A red kettle.", "1": "A van."}, np.random.default_rng(1)
    )
    by_slug = {baseline.slug: baseline.answers for baseline in found}
    assert by_slug["description"] == {"0": "A red kettle.", "1": "A van."}
    assert by_slug["echo"] == {"0": "What is 0?", "1": "What is 1?"}
    assert set(by_slug["constant"].values()) == {predictions.GENERIC_ANSWER}
