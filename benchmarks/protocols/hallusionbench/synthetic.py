"""Answers of models that do not exist: yes or no as the truth has it, or the other way round."""

import numpy as np

from benchmarks.protocols.base import AnswerSource

_RIGHT = 0.5
_HOPELESS = 0.08
"""Below this an answer commits to nothing, as models do that cannot read the picture."""
_UNDECIDED = (
    "I cannot tell from the picture.",
    "It is not clear from what is shown.",
    "I am not sure; there is too little to go by.",
)
_AGREEING = (
    "Yes.",
    "Yes, it does look that way.",
    "Yes, that is what I see here.",
    "Yes, as far as the picture shows.",
    "Yes, judging by what is shown.",
)
_DENYING = (
    "No.",
    "No, it does not look that way.",
    "No, that is not what I see here.",
    "No, the picture shows something else.",
    "No, judging by what is shown.",
)


def synthesise(
    source: AnswerSource, other: AnswerSource, quality: float, rng: np.random.Generator
) -> str:
    is_yes = source.question.truth.get("gt_answer") == 1
    is_right = quality >= _RIGHT
    if quality < _HOPELESS:
        return str(rng.choice(_UNDECIDED))
    word = "Yes" if is_yes == is_right else "No"
    # A model that is right often says why; one that is wrong has no sentence to quote.
    if is_right and source.reference and rng.random() < quality / 2:
        return f"{word}. {source.reference}"
    return str(rng.choice(_AGREEING if word == "Yes" else _DENYING))
