import numpy as np

from benchmarks.protocols.base import Facts, QuestionView
from benchmarks.protocols.floor_rows import COMMON_WORDS, floor_rows
from benchmarks.registry import protocol
from tests.each_case import each_case

FACTS: Facts = {"category": "VS", "figure_id": 0}
QUESTIONS = [
    QuestionView("1", "", "", "a", "a", "Is it red?", FACTS, {}),
    QuestionView("2", "", "", "", "b", "What is it?", {"category": "VD", "figure_id": 0}, {}),
]
DESCRIBED = {"1": "A red kettle."}
GENERIC = {"constant", "one-word", "both", "options", "echo", "common-words"}


def test_the_description_is_a_row_only_where_there_is_one_and_it_alone_is_hidden():
    """The question is given back, and what the ids of HallusionBench tell is a row."""
    assert len(COMMON_WORDS) == len(set(COMMON_WORDS)) == 300
    plain = {row.slug: row for row in floor_rows(QUESTIONS, {})}
    assert set(plain) == GENERIC
    assert plain["echo"].answers == {"1": "Is it red?", "2": "What is it?"}
    rows = floor_rows(QUESTIONS, DESCRIBED)
    assert {row.slug for row in rows if row.is_hidden} == {"description"}
    assert rows[-1].answers == {"1": "A red kettle.", "2": ""}
    made = protocol("hallusionbench").predictions.baselines(QUESTIONS, {}, np.random.default_rng(1))
    assert made[-1].answers == {"1": "I cannot tell.", "2": "Yes"}


@each_case(
    "family",
    [
        "hallusionbench",
        "tiny_lvlm_ehub",
        "tiny_lvlm_ehub_ability",
        "touchstone",
        "touchstone_hallucination",
    ],
)
def test_every_benchmark_has_every_row_and_every_row_answers_every_question(family):
    made = protocol(family).predictions.baselines(QUESTIONS, DESCRIBED, np.random.default_rng(1))
    slugs = [row.slug for row in made]
    assert {*GENERIC, "description"} <= set(slugs)
    assert len(slugs) == len(set(slugs))
    assert all(row.answers.keys() == {"1", "2"} for row in made)
    assert all(row.is_hidden == (row.slug == "description") for row in made)
