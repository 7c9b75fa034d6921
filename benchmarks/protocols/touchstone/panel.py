"""What people are asked: which of two answers is the better one, not told which is the model's
(docs/touchstone.md; section 4.1 of the paper names three raters and no label set)."""

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.protocols.base import (
    AttentionCheck,
    Dimension,
    PublishedAgreement,
    QuestionView,
    Sight,
)
from benchmarks.protocols.touchstone.scoring import read_rounds

COMPARISON = Dimension(
    "comparison",
    "Answer against reference",
    -1,
    1,
    asks="Which of the two answers is better?",
    words=("the reference is better", "equally good", "the model's answer is better"),
    published=PublishedAgreement(
        judge=0.722,
        people=0.784,
        source="TouchStone paper, section 4.1: 200 questions, three models, three people an answer",
    ),
)
INSTRUCTIONS = """\
Look at the picture, read the question, then both answers. Say which of the two is more \
helpful to someone who asked this question about this picture.

First, is the answer true of the picture? Then, does it answer what was asked? And then, is it \
useful and well put? Length by itself is no merit.

Say "equally good" if both are equally right or equally wrong. You need not find a winner."""


def dimensions(question: QuestionView) -> tuple[Dimension, ...]:
    return (COMPARISON,)


def sight(question: QuestionView) -> Sight:
    return Sight(compares=True)


def check(
    question: QuestionView, reference: str, others: Sequence[str], number: int
) -> AttentionCheck | None:
    """The reference on both sides, and in turn an answer to another question beside it."""
    if not reference:
        return None
    if number % 2 == 0:
        return AttentionCheck(reference, COMPARISON.slug, (0,), "the same text on both sides")
    other = next((text for text in others if text and text != reference), "")
    if not other:
        return None
    return AttentionCheck(other, COMPARISON.slug, (-1,), "an answer to another question")


def judge_says(dimension: str, verdicts: Mapping[str, str | None]) -> int | None:
    """The sign of the difference of the two rounds' means, over the runs that have both rounds."""
    if dimension != COMPARISON.slug:
        return None
    columns = {key: [verdict] for key, verdict in verdicts.items()}
    margins = read_rounds(1, columns).margin[:, :, 0].mean(axis=1)
    known = margins[~np.isnan(margins)]
    return int(np.sign(known.mean())) if len(known) else None
