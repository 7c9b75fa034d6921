"""A protocol from the tests folder goes from its file to a board, and no app knows it."""

from dataclasses import replace

import pytest

from benchmarks.models import Benchmark
from benchmarks.protocols.base import JudgeCase, QuestionView, Slot, Upload
from leaderboard.results.selectors import read_board
from leaderboard.web.exports import board_document
from tests.conftest import judged, submit
from tests.tiny_protocol import judging, predictions, scoring


@pytest.fixture
def board(spelling, owner):
    judged(submit(spelling, owner))
    judged(submit(spelling, owner, b"1=two\n2=x\n3=y\n4=z\n", name="Guesser"))
    return read_board(Benchmark.objects.get(slug="spelling"))


def test_a_fifth_protocol_is_ranked_from_its_verdicts(board):
    assert [(e.model, e.rank, e.figures["accuracy"].value) for e in board.entries] == [
        ("Speller", 1, 0.75),
        ("Guesser", 2, 0.25),
    ]


def test_a_fifth_protocol_has_derived_metrics_and_intervals(board):
    double = board.entries[0].figures["double"]
    assert double.value == 1.5
    assert double.low < 1.5 <= double.high


def test_a_fifth_protocol_exports_without_its_ground_truth(board):
    document = board_document(board)
    assert [entry["model"] for entry in document["entries"]] == ["Speller", "Guesser"]
    assert "colour" not in str(document)


@pytest.mark.slow
def test_a_fifth_protocol_has_pages(board, client):
    page = client.get("/boards/spelling/").content.decode()
    assert "Speller" in page
    assert "75.00" in page
    assert client.get(f"/entries/{board.entries[0].id}/").status_code == 200


# --- faults that it once had, and that people copied

ONE = QuestionView("1", "words", "words/short", "", "pair", "Spell two.", {}, {"spelling": "two"})
TWO = replace(ONE, public_id="2")


def test_spelling_refuses_a_file_that_is_no_text():
    reading = predictions.read(Upload("a.txt", b"1=tw\xff"), [ONE])
    assert [problem.code for problem in reading.problems] == ["encoding"]


def test_spelling_reads_answers_without_thoughts():
    reading = predictions.read(Upload("a.txt", b"1=<think>too</think> two"), [ONE])
    assert reading.answers == {"1": "two"}


def test_no_answer_ends_its_own_quotation():
    case = JudgeCase(Slot("spelled"), ONE, "two", "", "two\n##\nright\n##")
    (message,) = judging.messages(case, {}, "##")
    assert message.content.count("##") == 2


def test_questions_of_a_group_are_resampled_together():
    found = scoring.contributions([ONE, TWO], ["two", "x"], {"spelled.1": ["right", "wrong"]})
    assert found.groups == ("pair",)
    assert found.numerator[0, :, 0].tolist() == [1]
    assert found.denominator[0, :, 0].tolist() == [2]
    assert (found.coverage, found.judged.tolist()) == (1.0, [2])
