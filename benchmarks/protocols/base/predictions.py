"""The port of `predictions.py`: a submitted file becomes answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from benchmarks.protocols.base.dataset import QuestionView
from benchmarks.protocols.base.problems import Note, Problem


@dataclass(frozen=True, slots=True)
class Upload:
    """A submitted file: the name its sender gave it, never a path, and its bytes."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class PredictionReading:
    """`answers` by public id, complete if and only if there is no problem.

    `missing`: public ids that no row names, of a file that was read to its end.
    """

    answers: Mapping[str, str]
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Baseline:
    """Answers made by the system itself, so that a reader sees what knowing nothing scores.

    `is_hidden`: they are made of texts that a release may keep to itself; they are shown where its
    references are.
    """

    slug: str
    title: str
    about: str
    answers: Mapping[str, str]
    is_hidden: bool = False


class PredictionsPort(Protocol):
    def read(self, upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
        """Every answer of a submitted file, or every problem found in it (never only the first)."""

    def named_ids(self, upload: Upload, most_rows: int) -> tuple[str, ...]:
        """Ids of questions that the rows of a file name, each once and in file order, whether or
        not there are such questions. Of at most `most_rows` + 1 rows; empty where no row names one.
        """

    def baselines(
        self,
        questions: Sequence[QuestionView],
        descriptions: Mapping[str, str],
        rng: np.random.Generator,
    ) -> tuple[Baseline, ...]:
        """What the system itself submits. `descriptions` has the approved one of a question's
        figure by public id."""
