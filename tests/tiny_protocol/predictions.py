from collections.abc import Sequence

import numpy as np

from benchmarks.protocols.base import Baseline, PredictionReading, Problem, QuestionView, Upload


def read(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    answers = dict(line.split("=", 1) for line in upload.content.decode().splitlines() if "=" in line)
    missing = [q.public_id for q in questions if q.public_id not in answers]
    problems = tuple(Problem("missing", f"{key} has no answer", column="id") for key in missing)
    return PredictionReading(answers, problems)


def baselines(questions: Sequence[QuestionView], rng: np.random.Generator) -> tuple[Baseline, ...]:
    return ()
