"""A protocol from the tests folder goes from its file to a board, and no app knows it."""

import pytest

from benchmarks.models import Benchmark
from leaderboard.exports import board_document
from leaderboard.selectors import read_board
from tests.conftest import judged, submit


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


def test_a_fifth_protocol_has_pages(board, client):
    page = client.get("/boards/spelling/").content.decode()
    assert "Speller" in page
    assert "75.00" in page
    assert client.get(f"/entries/{board.entries[0].id}/").status_code == 200
