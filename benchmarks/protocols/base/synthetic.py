"""The port for synthetic answers: what models that do not exist say in a demo, made of the
references."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.protocols.base.dataset import QuestionView


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """What a synthetic answer to a question is made of; texts are "" where there is none."""

    question: QuestionView
    reference: str
    description: str


Synthesising = Callable[[AnswerSource, AnswerSource, float, np.random.Generator], str]
"""A question, another one of its kind from which a wrong answer may be taken, and how good the
answer is to be, from 0 to 1: right from a half on where answers are right or wrong. The same
generator state gives the same answer."""
