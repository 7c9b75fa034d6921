"""The judge's word on the scale that people are asked on, from the verdicts of one answer."""

from benchmarks.protocols.hallusionbench import panel as hallusionbench
from benchmarks.protocols.tiny_lvlm_ehub import panel as ehub
from benchmarks.protocols.touchstone import panel as touchstone
from benchmarks.protocols.touchstone_hallucination import panel as hallucination
from tests.each_case import each_case


def rounds(*scores):
    """By run, "reference model" of the round with the reference first, then of the other."""
    return {
        f"{name}.{run}": pair
        for run, pairs in enumerate(scores, start=1)
        for name, pair in zip(("reference_first", "answer_first"), pairs, strict=True)
    }


@each_case(
    "verdicts, said",
    [
        (rounds(("8 9", "8 8")), 1),  # means 8 and 8.5
        (rounds(("8 9", "9 8")), 0),  # ahead in one round, behind in the other
        (rounds(("8 2", "8 8")), -1),
        (rounds(("8 9", None)), None),  # one round tells half
        (rounds(("8 9", None), ("8 7", "8 8")), -1),  # of the run with both
        (rounds(("8 9", "8 9"), ("9 7", "9 7")), -1),  # +1 and -2 on average
        (rounds(("- 1", "- 1")), -1),  # an empty answer, settled at the floor
        ({}, None),
    ],
)
def test_touchstone_compares_the_means_of_both_rounds(verdicts, said):
    assert touchstone.judge_says("comparison", verdicts) == said


@each_case(
    "verdicts, said",
    [
        (["correct"], 1),
        (["incorrect"], 0),
        (["unclear"], 2),
        (["correct", "incorrect", "incorrect"], 0),
        (["correct", "incorrect"], 1),  # of equally frequent ones the first
        ([None], None),
    ],
)
def test_hallusionbench_says_what_it_says_most_often(verdicts, said):
    of_answer = {f"correctness.{run}": word for run, word in enumerate(verdicts, start=1)}
    assert hallusionbench.judge_says("correct", {**of_answer, "same.1": "same"}) == said


@each_case(
    "labels, said",
    [
        ("11010", 1),
        ("11000", 0),
        (["1", "1", "1", None, None], 1),
        (["1", "1", None, None, "0"], 1),
        (["-1", "-1", "-1", "0", "1"], None),
        (["1", "1", None, None, None], None),
    ],
)
def test_the_ehub_says_what_its_five_labels_vote(labels, said):
    verdicts = {f"prompt{number}.1": label for number, label in enumerate(labels, start=1)}
    assert ehub.judge_says("correct", verdicts) == said


def test_nobody_asks_a_judge_about_plans():
    assert ehub.judge_says("conciseness", {"prompt1.1": "1"}) is None


@each_case(
    "scores, said", [(["3"], 3), (["3", "4"], 4), (["2.4"], 2), ([None, "7"], 7), ([], None)]
)
def test_the_share_made_up_is_a_mean_in_whole_numbers(scores, said):
    verdicts = {f"hallucination.{run}": score for run, score in enumerate(scores, start=1)}
    assert hallucination.judge_says("hallucination", verdicts) == said


@each_case("panel", [touchstone, hallusionbench, hallucination, ehub])
def test_what_is_not_asked_has_no_word(panel):
    assert panel.judge_says("beauty", {}) is None
