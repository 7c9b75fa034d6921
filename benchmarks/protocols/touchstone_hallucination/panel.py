"""What people are asked: how much of a description is made up, on the judge's scale from 0 to 10
(section 4.3 of the paper)."""

import math
from collections.abc import Mapping, Sequence

from benchmarks.protocols.base import AttentionCheck, Dimension, QuestionView, Sight
from benchmarks.protocols.runs import runs_of_answer
from benchmarks.protocols.touchstone_hallucination.judging import SLOT

HALLUCINATION = Dimension(
    "hallucination",
    "Made up",
    0,
    10,
    asks="How much of this description is not in the picture?",
    ends=("nothing is made up", "nothing of it is in the picture"),
)
INSTRUCTIONS = """\
Look at the picture, then read the description. From 0 to 10, how much of the description is not \
in the picture? Count things that the picture does not show, and things that it shows differently.

0: everything described is in the picture. 10: none of it is. What the description leaves out does \
not count, and neither does its length or style."""
SOME_OF_IT = 5
"""Descriptions of two pictures may share a table or a sky: who looks calls at least half of it made
up."""


def dimensions(question: QuestionView) -> tuple[Dimension, ...]:
    return (HALLUCINATION,)


def sight(question: QuestionView) -> Sight:
    """The picture is all that is needed; the description people wrote is the judge's eyes, not
    theirs."""
    return Sight()


def check(
    question: QuestionView, reference: str, others: Sequence[str], number: int
) -> AttentionCheck | None:
    other = next((text for text in others if text), "")
    passed_by = tuple(range(SOME_OF_IT, HALLUCINATION.high + 1))
    about = "a description of another picture"
    return AttentionCheck(other, HALLUCINATION.slug, passed_by, about) if other else None


def judge_says(dimension: str, verdicts: Mapping[str, str | None]) -> int | None:
    """The mean of its runs as a whole number, halves up, for people give whole ones."""
    if dimension != HALLUCINATION.slug:
        return None
    said = [float(score) for (score,) in runs_of_answer(verdicts, [SLOT]) if score is not None]
    return math.floor(sum(said) / len(said) + 0.5) if said else None
