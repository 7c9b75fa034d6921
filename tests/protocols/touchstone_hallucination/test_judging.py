import pytest

from benchmarks.protocols.base import JudgeCase, QuestionView, Slot, UnreadableError
from benchmarks.protocols.touchstone_hallucination import PROTOCOL
from tests.each_case import each_case

JUDGING = PROTOCOL.judging
QUESTION = QuestionView("f", "", "", "f", "f", "Describe the picture.", {}, {})
(SLOT,) = JUDGING.slots(QUESTION, 1)


def case(answer: str) -> JudgeCase:
    return JudgeCase(SLOT, QUESTION, "", "A red kettle stands on a stove beside a window.", answer)


@each_case(
    "reply, verdict",
    [
        ("7", "7"),
        ("0", "0"),
        ("10", "10"),
        ("2.5\nBecause.", "2.5"),
        ("**7**.", "7"),
        ("<think>9</think>3", "3"),
    ],
)
def test_one_score_on_the_first_line_is_read(reply, verdict):
    assert JUDGING.parse(SLOT, reply, "strict") == verdict


@each_case(
    "reply", ["", "11", "-1", "nan", "7/10", "7 8", "Score: 7", "about 7", "7..", "<think>7"]
)
def test_anything_else_is_unreadable(reply):
    with pytest.raises(UnreadableError):
        JUDGING.parse(SLOT, reply, "strict")


@each_case("answer", [" ", "Solution:"])
def test_a_description_that_says_nothing_gets_the_worst_score_without_a_call(answer):
    plain = JUDGING.plain_verdict(case(answer))
    assert plain
    assert plain.verdict == "10"


def test_the_instruction_given_back_has_the_worst_score():
    assert JUDGING.rule(case(QUESTION.text)).startswith("10\n")


@each_case("answer", ["picture", "The picture shows " + "over above one other such " * 12])
def test_words_that_say_nothing_have_the_worst_score(answer):
    assert JUDGING.rule(case(answer)).startswith("10\n")


def test_the_offline_rules_find_what_is_invented():
    def score(answer: str) -> float:
        return float(JUDGING.parse(SLOT, JUDGING.rule(case(answer)), "strict"))

    assert score("A red kettle stands on a stove.") < score(
        "Three dogs play football in deep snow."
    )


def test_the_slot_is_one_call():
    assert Slot(SLOT.name, 1) == SLOT
