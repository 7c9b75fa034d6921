from collections.abc import Sequence

import numpy as np

from benchmarks.protocols.base import (
    NOT_RATED,
    Contributions,
    Derived,
    QuestionView,
    Ratings,
    ScoredRow,
)
from benchmarks.protocols.runs import Verdicts, read_runs
from benchmarks.protocols.tallies import Tally, assembled


def contributions(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Verdicts,
    ratings: Ratings = NOT_RATED,
) -> Contributions:
    nobody: Sequence[Sequence[int]] = [()] * len(questions)
    runs = [column for (column,) in read_runs(verdicts, ["spelled"], len(questions))]
    rated, labels = ratings.get("neatness", nobody), ratings.get("correct", nobody)
    is_rated = bool({"neatness", "correct"} & ratings.keys())
    names = ("accuracy", "neatness", "agreement") if is_rated else ("accuracy",)
    marks = [
        [marks_of(*said) for said in zip(column, rated, labels, strict=True)] for column in runs
    ]
    everything = np.ones(len(questions), dtype=np.bool_)
    tallies = {}
    for metric, name in enumerate(names):
        sums = np.array([[sum(row[metric]) for row in run] for run in marks], dtype=np.float64)
        numbers = np.array([[len(row[metric]) for row in run] for run in marks], dtype=np.float64)
        tallies[name] = Tally(sums, numbers, everything, np.asarray((numbers > 0).all(axis=0)))
    known = [verdict is not None for column in runs for verdict in column]
    return assembled(
        questions,
        tallies,
        runs=len(runs),
        coverage=float(np.mean(known)) if questions else 0.0,
        derived={"double": Derived(lambda found: 2 * found["accuracy"], ("accuracy",))},
    )


def marks_of(
    verdict: str | None, rated: Sequence[int], labels: Sequence[int]
) -> tuple[Sequence[int], ...]:
    """What one answer adds to each metric: whether it is right, its ratings, and which labels agree
    with the judge."""
    is_right = verdict == "right"
    if verdict is None:
        return [], rated, []
    return [int(is_right)], rated, [int(bool(label) == is_right) for label in labels if label < 2]


def explain(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Verdicts,
    ratings: Ratings = NOT_RATED,
) -> tuple[ScoredRow, ...]:
    nothing: list[str | None] = [None] * len(questions)
    rated = ratings.get("neatness", [()] * len(questions))
    pairs = zip(verdicts.get("spelled.1", nothing), rated, strict=True)
    return tuple(
        ScoredRow(
            verdict or "",
            None if verdict is None else verdict == "right",
            f"people say {' '.join(map(str, said))}" if said else "",
        )
        for verdict, said in pairs
    )
