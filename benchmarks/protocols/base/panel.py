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

    A benchmark that has one has a scorer that gets what they say (RatedScoringPort).
    """

    def dimensions(self, question: QuestionView) -> tuple[Dimension, ...]: ...
