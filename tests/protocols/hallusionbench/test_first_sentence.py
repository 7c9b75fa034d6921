import pytest

from benchmarks.protocols.base import JudgeCase, QuestionView, Slot
from benchmarks.protocols.hallusionbench import judging
from benchmarks.protocols.hallusionbench.first_sentence import reads_no, rule
from tests.each_case import each_case


def case(answer: str, *, truth: int = 1, slot: str = "correctness", peer: str | None = None):
    question = QuestionView(
        "VD/figure/0/1/0", "VD", "VD/figure", "", "0", "Is it?", {}, {"gt_answer": truth}
    )
    return JudgeCase(Slot(slot), question, "It is.", "", answer, peer)


@each_case(
    "answer, says_no",
    [
        ("No.", True),
        ("NO, it does not.", True),
        ("It is not clear. Yes.", True),
        ("Yes. It is not.", False),
        ("I cannot tell.", False),
        ("Nothing is known.", False),
        ("", False),
    ],
)
def test_only_no_and_not_in_the_first_sentence_deny(answer, says_no):
    assert reads_no(answer) is says_no


def test_an_answer_that_commits_to_nothing_is_never_unclear():
    undecided = case("I cannot tell from the picture.")
    assert (rule(undecided), judging.rule(undecided)) == ("correct", "unclear")
    assert rule(case("I cannot tell.", truth=0)) == "incorrect"


def test_a_row_whose_truth_is_unknown_is_unclear():
    question = QuestionView("1", "VD", "VD/figure", "", "0", "Is it?", {}, {})
    unknown = JudgeCase(Slot("correctness"), question, "Blue.", "", "Yes.")
    assert rule(unknown) == "unclear"


@each_case(
    "answer, peer, verdict",
    [
        ("Yes.", "I cannot tell.", "same"),
        ("No.", "It is not.", "same"),
        ("Yes.", "No.", "different"),
    ],
)
def test_answers_are_the_same_where_both_deny_or_neither_does(answer, peer, verdict):
    assert rule(case(answer, slot="same", peer=peer)) == verdict


def test_a_pair_without_the_other_answer_is_refused():
    with pytest.raises(ValueError, match="original row"):
        rule(case("Yes.", slot="same"))
