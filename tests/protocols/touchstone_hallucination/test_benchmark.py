"""One question per picture, a mean times 100, and the printed figures."""

import io
import json

import numpy as np
import pytest

from benchmarks.protocols.base import Anomaly, Problem, QuestionRow, QuestionView, Upload
from benchmarks.protocols.touchstone_hallucination import (
    PROTOCOL,
    board,
    comparing,
    dataset,
    predictions,
    scoring,
)
from tests.each_case import each_case

ROW = {
    "index": "1",
    "image": "a.png",
    "question": "What brand?",
    "human_annotation": "A red kettle.",
    "gpt4_ha_answer": "Aquella.",
    "category": "Visual Recognition",
    "task_name": "Brand recognition",
}


def read(*changes: dict[str, str]) -> list[object]:
    return list(
        dataset.read(io.BytesIO(json.dumps([{**ROW, **change} for change in changes]).encode()))
    )


def question(key: str, figure: str = "") -> QuestionView:
    return QuestionView(
        key, "description", dataset.SUBTASK, figure or key, figure or key, "Describe.", {}, {}
    )


# --- questions ------------------------------------------------------------------------------------


def test_a_picture_is_asked_once_in_our_words():
    found = read({}, {"index": "2", "human_annotation": "A van."}, {"index": "3", "image": "b.png"})
    first, *_ = rows = [row for row in found if isinstance(row, QuestionRow)]
    assert [row.public_id for row in rows] == ["1", "3"]
    assert (first.text, first.reference) == (dataset.INSTRUCTION, "")
    assert first.description == "A red kettle."
    (anomaly,) = [item for item in found if isinstance(item, Anomaly)]
    assert (anomaly.question, "2" in anomaly.message) == ("1", True)
    (problem,) = [item for item in read({"question": ""}) if isinstance(item, Problem)]
    assert problem.code == "empty-field"
    with PROTOCOL.bundled[0].dataset.open("rb") as stream:
        bundled = [item for item in dataset.read(stream) if isinstance(item, QuestionRow)]
    assert len(bundled) == len({row.figure for row in bundled}) == 72


# --- answers --------------------------------------------------------------------------------------


def test_plain_rows_are_read_and_every_baseline_describes_every_picture():
    reading = predictions.read(Upload("a.csv", b"id,prediction\n1,A kettle.\n"), [question("1")])
    assert (reading.answers, reading.problems) == ({"1": "A kettle."}, ())
    made = predictions.baselines([question("1"), question("2")], {}, np.random.default_rng(1))
    assert all(list(baseline.answers) == ["1", "2"] for baseline in made)


# --- scores ---------------------------------------------------------------------------------------


@each_case(
    "verdicts, numerator, judged",
    [
        ({"hallucination.1": ["5", "0", "2.5"]}, [750.0], 3),
        ({"hallucination.1": ["5", None, "10"]}, [1500.0], 2),
        (
            {"hallucination.1": ["5", "0", "1"], "hallucination.2": ["6", None, "1"]},
            [600.0, 700.0],
            2,
        ),
        ({}, [0.0], 0),
    ],
)
def test_the_score_is_the_mean_times_100(verdicts, numerator, judged):
    found = scoring.contributions(
        [question("1", "a"), question("2", "a"), question("3", "b")], ["ab"] * 3, verdicts
    )
    column = found.names.index("h_score")
    assert found.groups == ("a", "b")
    assert found.numerator[:, :, column].sum(axis=1).tolist() == numerator
    assert (found.asked[column], found.judged[column]) == (3, judged)


def test_a_length_needs_no_verdict_and_the_coverage_is_that_of_every_run():
    verdicts: dict[str, list[str | None]] = {
        "hallucination.1": ["5", "0"],
        "hallucination.2": ["6", None],
    }
    found = scoring.contributions([question("1"), question("2")], ["ab"] * 2, verdicts)
    judged = {"h_score": 1, "answer_length": 2, "answer_words": 2, "mentions": 0}
    assert dict(zip(found.names, found.judged, strict=True)) == judged
    assert found.coverage == 0.75


def test_the_board_says_that_an_answer_of_one_word_mentions_nothing():
    asked = [question("1"), question("2")]
    answers = ["picture", "A red kettle on a stove."]
    described = ["A red kettle stands on a stove."] * 2
    verdicts: dict[str, list[str | None]] = {"hallucination.1": ["0", "0"]}
    found = scoring.contributions(
        asked,
        answers,
        {**verdicts, **comparing.compare(asked, answers, described, [""] * len(asked))},
    )
    means = dict(
        zip(found.names, found.numerator[0].sum(0) / found.denominator[0].sum(0), strict=True)
    )
    assert means["mentions"] == pytest.approx((0 + 3 / 4) / 2, abs=1e-6)
    assert means["answer_words"] == (1 + 6) / 2


def test_without_a_description_nothing_is_said_of_what_is_mentioned():
    assert comparing.compare([question("1")], ["A kettle."], [""], [""]) == {"mentioned": [None]}


def test_the_entry_page_tells_the_score():
    verdicts: dict[str, list[str | None]] = {
        "hallucination.1": ["2.5", None],
        "hallucination.2": ["3.5", None],
    }
    first, second = scoring.explain([question("1"), question("2")], ["", ""], verdicts)
    assert (first.verdict, first.is_right, first.remark) == (
        "3 of 10",
        None,
        "Runs differ: 2.5, 3.5.",
    )
    assert second.verdict == "no verdict"
    assert first.credit == pytest.approx(0.7)
    assert second.credit is None


def test_verdicts_of_another_length_are_an_error():
    with pytest.raises(ValueError, match="2 questions"):
        scoring.contributions([question("1"), question("2")], ["", ""], {"hallucination.1": ["5"]})


# --- the board ------------------------------------------------------------------------------------


def test_every_name_on_the_board_is_scored_and_the_seven_printed_scores_are_shown():
    names = {"h_score", "answer_length", "answer_words", "mentions"}
    names |= {"anchored_h_score", "labels_h_score"}
    assert set(board.BOARD.metric_names()) == set(board.METRICS) == names
    assert board.METRICS["h_score"].higher_is_better is False
    found = {row.model: row.values["h_score"] for row in board.BOARD.published}
    assert (len(found), found["Qwen-VL"], found["PandaGPT"]) == (7, 504.5, 835.5)
