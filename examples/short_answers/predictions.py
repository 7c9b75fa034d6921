"""Submitted answers: rows of id and prediction in any kind of file, or {id: prediction}."""

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.protocols.base import Baseline, QuestionView
from benchmarks.protocols.files import plain_ids as named_ids
from benchmarks.protocols.files import read_plain as read
from benchmarks.protocols.floor_rows import floor_rows

__all__ = ["baselines", "named_ids", "read"]


def baselines(
    questions: Sequence[QuestionView], descriptions: Mapping[str, str], rng: np.random.Generator
) -> tuple[Baseline, ...]:
    return floor_rows(questions, descriptions)
