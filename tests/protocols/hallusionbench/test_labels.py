from benchmarks.protocols.base import QuestionView
from benchmarks.protocols.hallusionbench.labels import contradiction
from tests.each_case import each_case


def asked(text: str) -> QuestionView:
    return QuestionView("1", "VD", "figure", "1", "1", text, {}, {})


@each_case(
    "question, label, reference, is_told",
    [
        ("Is the hand pointing at the number 3?", "no", "The hand points at number 3.", True),
        ("Is the hand pointing at the number 3?", "yes", "The hand points at number 3.", False),
        ("Is the hand pointing at the number 3?", "no", "The hand points at number 9.", False),
        ("Are there three dots?", "no", "There are 3 dots.", True),
        ("Is the number under the line 75?", "no", "The number under the line is 75.", True),
        ("Is the number under the line 75?", "no", "It is not 75.", False),
        ("Is the number under the line 75?", "yes", "No, the number under the line is 85.", True),
        ("Is the number 75?", "no", "The number is 85, not 75.", False),
        ("Are both lines straight?", "yes", "Both lines are straight, there are no rays.", False),
        ("Is it red?", "no", "Yes, it is red.", True),
        ("Is it red?", "yes", "", False),
    ],
)
def test_a_reference_that_denies_the_label_is_told(question, label, reference, is_told):
    said = contradiction(asked(question), label, reference)
    assert bool(said) is is_told
    assert ("“yes”" in said) is (is_told and label == "no")
