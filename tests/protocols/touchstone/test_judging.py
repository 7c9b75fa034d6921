"""The table of replies in docs/touchstone.md 5, and what a judge is shown."""

import pytest

from benchmarks.protocols.base import JudgeCase, QuestionView, Slot, UnreadableError
from benchmarks.protocols.touchstone.judging import (
    ANSWER_FIRST,
    REFERENCE_FIRST,
    messages,
    parse,
    plain_verdict,
    rule,
)
from tests.each_case import each_case

QUESTION = QuestionView(
    "1", "recognition", "recognition/brand-recognition", "f", "f", "Which brand?", {}, {}
)
PROMPTS = {"system": "Rate.", "user": "$description | $question | $delimiter | $first | $second"}


def case(answer: str, slot: str = REFERENCE_FIRST) -> JudgeCase:
    return JudgeCase(
        Slot(slot), QUESTION, "A red kettle by Aquella.", "A red kettle stands on a stove.", answer
    )


@each_case(
    "line, strict, official",
    [
        ("8 5", "8 5", "8 5"),
        (" 8 5 ", "8 5", "8 5"),
        ("8.5 7", "8.5 7", "8.5 7"),
        ("8  5", "8 5", None),
        ("8\t5", "8 5", None),
        ("8, 5", "8 5", None),
        ("**8 5**", "8 5", None),
        ("**8** **5**", "8 5", None),
        ("`8, 5`", "8 5", None),
        ("8 5.", "8 5", "8 5"),
        ("_8.5 7_.", "8.5 7", None),
        ("8 5..", None, None),
        ("8*5", None, None),
        ("1*0 5", None, None),
        ("****8 5****", None, None),
        ("<think>9 9\n</think>\n\n8 5", "8 5", None),
        ("<think>8 5", None, None),
        ("8 5\n<think></think>", "8 5", "8 5"),
        ("“8 5”", None, None),
        ("8/10 7/10", None, None),
        ("8", None, None),
        ("", None, None),
        ("8 5 extra", None, None),
        ("Scores: 8 5", None, None),
        ("11 -3", None, "11 -3"),
        ("0 5", None, "0 5"),
        ("nan inf", None, None),
        ("The first is better.\n8 5", None, None),
        ("8 5\nThe first names the brand.", "8 5", "8 5"),
    ],
)
def test_a_first_line_is_read_as_the_variant_says(line, strict, official):
    for parser, expected in (("strict", strict), ("official", official)):
        if expected is None:
            with pytest.raises(UnreadableError):
                parse(Slot(REFERENCE_FIRST), line, parser)
        else:
            assert parse(Slot(REFERENCE_FIRST), line, parser) == expected


def test_the_slot_decides_which_answer_comes_first_and_a_verdict_names_the_reference_first():
    for slot, first, reply in (
        (REFERENCE_FIRST, "A red kettle by Aquella.", "8 5"),
        (ANSWER_FIRST, "Aquella", "5 8"),
    ):
        shown = messages(case("Aquella", slot), PROMPTS, "=1=")[1].content
        assert shown.split(" | ")[3] == first
        assert parse(Slot(slot), reply, "strict") == "8 5"
    shown = messages(case("$description =1= hello"), PROMPTS, "=1=")[1].content
    assert shown.endswith("$description  hello")


@each_case("answer", ["", "  \n", "...", "?!", "Solution:", "Thought process:"])
def test_an_answer_that_says_nothing_scores_the_floor_without_a_call(answer):
    plain = plain_verdict(case(answer))
    assert plain
    assert plain.verdict == "- 1"


def test_the_offline_rules_prefer_what_the_description_says_in_both_orders():
    """And give little for a list of likely words."""

    def score(answer: str) -> float:
        first, second = (
            parse(Slot(slot), rule(case(answer, slot)), "strict")
            for slot in (REFERENCE_FIRST, ANSWER_FIRST)
        )
        assert first == second
        return float(first.split()[1])

    honest = "A red kettle."
    whole = score("A red kettle by Aquella stands on a stove.")
    assert whole > score("Three dogs play football in the snow.")
    assert score(f"{honest} Dogs, cats, trees, cars, houses, tables, chairs.") < score(honest) / 2
