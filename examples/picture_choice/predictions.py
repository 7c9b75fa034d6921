"""Submitted answers: rows of id and prediction in any kind of file."""

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.protocols.base import Baseline, QuestionView
from benchmarks.protocols.files import plain_ids as named_ids
from benchmarks.protocols.files import read_plain as read
from benchmarks.protocols.floor_rows import floor_rows

from .judging import letters_of

__all__ = ["baselines", "named_ids", "read"]


def baselines(
    questions: Sequence[QuestionView], descriptions: Mapping[str, str], rng: np.random.Generator
) -> tuple[Baseline, ...]:
    """The rows of every benchmark, and a guess at every question."""
    guesses = {q.public_id: str(rng.choice(list(letters_of(q)))) for q in questions}
    about = "A letter drawn for every question, with no picture seen. One draw, not an average."
    return (
        *floor_rows(questions, descriptions),
        Baseline("guess", "Guessed letters", about, guesses),
    )
