"""Hand-worked rounds: means over rounds times 100, and the comparison with the reference."""

import pytest

from benchmarks.protocols.base import QuestionView
from benchmarks.protocols.touchstone.board import METRICS
from benchmarks.protocols.touchstone.scoring import contributions, explain
from leaderboard.scoring import score_sheet
from tests.each_case import each_case


def question(number: int, subtask: str, categories: str) -> QuestionView:
    ability = subtask.partition("/")[0]
    return QuestionView(
        str(number),
        ability,
        subtask,
        f"f{number}",
        f"f{number}",
        "?",
        {"categories": categories},
        {},
    )


QUESTIONS = (
    question(1, "recognition/brand-recognition", "recognition"),
    question(2, "recognition/text-recognition", "recognition,comprehension"),
    question(3, "comprehension/chart-analysis", "comprehension"),
)
VERDICTS: dict[str, list[str | None]] = {
    "reference_first.1": ["8 6", "7 7", None],
    "answer_first.1": ["8 8", "6 9", "9 3"],
}


@pytest.fixture(scope="module")
def figures():
    answers = ["abcd", "ab", "abcdef"]
    return score_sheet(
        contributions(QUESTIONS, answers, VERDICTS), metrics=METRICS, ranking="overall", seed=1
    ).figures


@each_case(
    "name, value, n",
    [
        ("overall", 660.0, 5),  # 6 7 8 9 3
        ("overall@recognition", 750.0, 4),  # 6 7 8 9
        ("overall@comprehension", 100 * 19 / 3, 3),  # 7 9 3
        ("overall@recognition/brand-recognition", 700.0, 2),
        ("reference", 760.0, 5),  # 8 7 8 6 9
        ("win", 0.5, 2),
        ("tie", 0.0, 2),
        ("loss", 0.5, 2),
        ("answer_length", 4.0, 3),
    ],
)
def test_a_metric_is_what_one_computes_by_hand(figures, name, value, n):
    assert figures[name].value == pytest.approx(value)
    assert figures[name].n == n


def test_a_question_without_both_rounds_is_in_the_coverage(figures):
    assert (figures["overall"].asked, figures["overall"].judged) == (3, 2)


def test_a_length_needs_no_verdict(figures):
    assert (figures["answer_length"].asked, figures["answer_length"].judged) == (3, 3)


def test_the_coverage_is_the_share_of_rounds():
    assert contributions(QUESTIONS, [""] * 3, VERDICTS).coverage == pytest.approx(5 / 6)
    assert contributions((), (), {}).coverage == 0.0


def test_a_subtask_without_questions_is_not_defined(figures):
    assert figures["overall@storytelling"].value is None


def test_the_entry_page_tells_both_rounds():
    rows = explain(QUESTIONS, [""] * len(QUESTIONS), VERDICTS)
    assert "reference 8, answer 6" in rows[0].verdict
    assert "reference 8, answer 8" in rows[0].verdict
    assert rows[0].is_right is None


def test_an_answer_counts_as_far_as_it_reaches_the_reference():
    """Over the rounds it has: (7 - 1) of (8 - 1); as high or higher; (3 - 1) of (9 - 1)."""
    rows = explain(QUESTIONS, [""] * len(QUESTIONS), VERDICTS)
    assert [row.credit for row in rows] == pytest.approx([6 / 7, 1, 1 / 4])


def test_an_empty_answer_counts_nothing_and_one_without_a_round_is_not_known():
    verdicts = {
        "reference_first.1": ["- 1", None, "1 1"],
        "answer_first.1": ["- 1", None, "1 1"],
    }
    rows = explain(QUESTIONS, [""] * len(QUESTIONS), verdicts)
    assert [row.credit for row in rows] == [0, None, 1]
