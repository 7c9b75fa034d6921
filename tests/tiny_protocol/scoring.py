from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.protocols.base import Contributions, Derived, QuestionView, ScoredRow
from benchmarks.protocols.runs import read_runs
from benchmarks.protocols.tallies import Tally, assembled


def contributions(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Mapping[str, Sequence[str | None]],
) -> Contributions:
    nothing: list[str | None] = [None] * len(questions)
    runs = [column for (column,) in read_runs(verdicts, ["spelled"], len(questions))]
    ratings, labels = verdicts.get("neatness", nothing), verdicts.get("correct", nothing)
    is_rated = bool({"neatness", "correct"} & verdicts.keys())
    names = ("accuracy", "neatness", "agreement") if is_rated else ("accuracy",)
    marks = [
        [marks_of(*said) for said in zip(column, ratings, labels, strict=True)] for column in runs
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


def marks_of(verdict: str | None, ratings: str | None, labels: str | None) -> tuple[list[int], ...]:
    """What one answer adds to each metric: whether it is right, its ratings, and which labels agree
    with the judge."""
    is_right = verdict == "right"
    rated = [int(rating) for rating in (ratings or "").split()]
    if verdict is None:
        return [], rated, []
    return (
        [int(is_right)],
        rated,
        [int((label == "1") == is_right) for label in (labels or "").split()],
    )


def explain(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Mapping[str, Sequence[str | None]],
) -> tuple[ScoredRow, ...]:
    nothing: list[str | None] = [None] * len(questions)
    pairs = zip(verdicts.get("spelled.1", nothing), verdicts.get("neatness", nothing), strict=True)
    return tuple(
        ScoredRow(
            verdict or "",
            None if verdict is None else verdict == "right",
            f"people say {said}" if said else "",
        )
        for verdict, said in pairs
    )
