"""The port of `panel.py`: what people are asked about an answer."""

from dataclasses import dataclass
from typing import Protocol

from benchmarks.protocols.base.dataset import QuestionView


@dataclass(frozen=True, slots=True)
class Dimension:
    """What a person is asked about an answer: a whole number from `low` to `high`."""

    slug: str
    title: str
    low: int
    high: int


class PanelPort(Protocol):
    """Only for benchmarks some of whose answers people rate, or call right or wrong.

    The scorer gets what they said among the verdicts: by the dimension's slug, the scores of an
    answer with blanks between them, "4 5 3"; None where nobody rated it.
    """

    def dimensions(self, question: QuestionView) -> tuple[Dimension, ...]: ...
