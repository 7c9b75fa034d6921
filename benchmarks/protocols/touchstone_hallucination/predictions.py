"""Submitted descriptions: plain rows of id and text. There is no official file."""

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.protocols.base import Baseline, PredictionReading, QuestionView, Upload
from benchmarks.protocols.files import PLAIN, collect_answers, read_records
from benchmarks.protocols.floor_rows import floor_rows


def read(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    records = read_records(upload, (PLAIN,), len(questions))
    return collect_answers(records, questions)


def baselines(
    questions: Sequence[QuestionView], descriptions: Mapping[str, str], rng: np.random.Generator
) -> tuple[Baseline, ...]:
    return floor_rows(questions, descriptions)
