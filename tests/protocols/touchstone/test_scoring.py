"""Hand-worked rounds: means over rounds times 100, and the comparison with the reference."""

import pytest

from benchmarks.protocols.base import QuestionView
from benchmarks.protocols.touchstone.board import METRICS
from benchmarks.protocols.touchstone.scoring import contributions, explain
from benchmarks.scoring.sheets import score_sheet


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


BY_HAND = {
    "overall": (660.0, 5),  # 6 7 8 9 3
    "overall@recognition": (750.0, 4),  # 6 7 8 9
    "overall@comprehension": (pytest.approx(100 * 19 / 3), 3),  # 7 9 3
    "overall@recognition/brand-recognition": (700.0, 2),
    "overall@storytelling": (None, 0),
    "reference": (760.0, 5),  # 8 7 8 6 9
    "win": (0.5, 2),
    "tie": (0.0, 2),
    "loss": (0.5, 2),
    "answer_length": (4.0, 3),
}


def test_a_metric_is_what_one_computes_by_hand():
    """A length needs no verdict; the coverage is the share of rounds."""
    made = contributions(QUESTIONS, ["abcd", "ab", "abcdef"], VERDICTS)
    figures = score_sheet(made, metrics=METRICS, ranking="overall", seed=1).figures
    assert {name: (figures[name].value, figures[name].n) for name in BY_HAND} == BY_HAND
    assert (figures["overall"].asked, figures["overall"].judged) == (3, 2)
    assert (figures["answer_length"].asked, figures["answer_length"].judged) == (3, 3)
    assert made.coverage == pytest.approx(5 / 6)
    assert contributions((), (), {}).coverage == 0.0


def test_the_entry_page_tells_both_rounds_and_how_far_an_answer_reaches_its_reference():
    """Over the rounds it has: (7 - 1) of (8 - 1); as high or higher; (3 - 1) of (9 - 1)."""
    rows = explain(QUESTIONS, [""] * 3, VERDICTS)
    assert "reference first: answer 6 / 10, reference 8 / 10" in rows[0].verdict
    assert "answer first: answer 8 / 10, reference 8 / 10" in rows[0].verdict
    alike = {"reference_first.1": ["8 7"], "answer_first.1": ["8 7"]}
    (row,) = explain(QUESTIONS[:1], [""], alike)
    assert row.verdict == "Answer 7 / 10, reference 8 / 10 (same in both orders)"
    assert rows[0].is_right is None
    assert [row.credit for row in rows] == pytest.approx([6 / 7, 1, 1 / 4])
    said: list[str | None] = ["- 1", None, "1 1"]
    empty = explain(QUESTIONS, [""] * 3, {"reference_first.1": said, "answer_first.1": said})
    assert [row.credit for row in empty] == [0, None, 1]
