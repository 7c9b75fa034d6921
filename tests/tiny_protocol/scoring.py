from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.protocols.base import Contributions, Derived, QuestionView, ScoredRow


def contributions(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Mapping[str, Sequence[str | None]],
) -> Contributions:
    groups = tuple(sorted({q.group for q in questions}))
    place = {group: i for i, group in enumerate(groups)}
    nothing: list[str | None] = [None] * len(questions)
    runs = sorted(name for name in verdicts if name.startswith("spelled.")) or ["spelled.1"]
    ratings, labels = verdicts.get("neatness", nothing), verdicts.get("correct", nothing)
    names = (
        ("accuracy", "neatness", "agreement")
        if {"neatness", "correct"} & verdicts.keys()
        else ("accuracy",)
    )
    numerator, denominator = np.zeros((2, len(runs), len(groups), len(names)))
    known = np.zeros((len(runs), len(questions), len(names)), dtype=np.bool_)
    for r, run in enumerate(runs):
        rows = zip(questions, verdicts.get(run, nothing), ratings, labels, strict=True)
        for row, (question, *said) in enumerate(rows):
            for metric, marks in enumerate(marks_of(*said)[: len(names)]):
                numerator[r, place[question.group], metric] += sum(marks)
                denominator[r, place[question.group], metric] += len(marks)
                known[r, row, metric] = bool(marks)
    return Contributions(
        names=names,
        groups=groups,
        numerator=numerator,
        denominator=denominator,
        counts=denominator[0].sum(axis=0).astype(np.int64),
        asked=np.full(len(names), len(questions)),
        judged=known.all(axis=0).sum(axis=0),
        coverage=float(np.mean(known[..., 0])) if questions else 0.0,
        derived={"double": Derived(lambda found: 2 * found["accuracy"], ("accuracy",))},
    )


def marks_of(verdict: str | None, ratings: str | None, labels: str | None) -> tuple[list[int], ...]:
    """What one answer adds to each metric: whether it is right, its ratings, and which labels agree with the judge."""
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
