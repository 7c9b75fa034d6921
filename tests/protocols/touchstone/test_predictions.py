"""The official submission under both of its endings, and plain rows."""

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


@each_case(
    "name, content",
    [
        ("result.tsv", table()),
        ("RESULT.CSV", b"\xef\xbb\xbf" + table()),
        ("result.csv", table(",")),
    ],
)
def test_the_official_table_is_read_whatever_its_ending_and_its_references_ignored(name, content):
    """Plain rows and damaged tables are read in tests/protocols/foreign."""
    port: PredictionsPort = predictions
    reading = port.read(Upload(name, content), QUESTIONS)
    assert (reading.answers, reading.problems) == ({"0": "A kettle.", "1": "A van."}, ())
    (note,) = (note for note in reading.notes if note.code == "ignored-fields")
    assert "gpt4_ha_answer" in note.message
    assert "human_annotation" in note.message
    assert port.read(Upload(name, content.replace(b"response", b"answer")), QUESTIONS).problems


def test_baselines_answer_every_question():
    found = predictions.baselines(
        QUESTIONS, {"0": "A red kettle.", "1": "A van."}, np.random.default_rng(1)
    )
    by_slug = {baseline.slug: baseline.answers for baseline in found}
    assert by_slug["description"] == {"0": "A red kettle.", "1": "A van."}
    assert by_slug["echo"] == {"0": "What is 0?", "1": "What is 1?"}
    assert set(by_slug["constant"].values()) == {predictions.GENERIC_ANSWER}
