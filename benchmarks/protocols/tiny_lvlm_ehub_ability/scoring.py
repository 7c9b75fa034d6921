"""Five fractions and their sum: "words@reasoning" is right / all in an ability, "words" the sum, from 0 to 5.

Source: the code of the ability-level benchmark (docs/tiny_lvlm_ehub.md). An ability without a value leaves the sum
without one; records without a verdict are outside.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.protocols.base import Contributions, Derived, Floats, QuestionView, ScoredRow
from benchmarks.protocols.tiny_lvlm_ehub.suite import JUDGED
from benchmarks.protocols.tiny_lvlm_ehub_ability.judging import RIGHT, SLOT


def contributions(
    questions: Sequence[QuestionView], answers: Sequence[str], verdicts: Mapping[str, Sequence[str | None]]
) -> Contributions:
    """One run. Groups are the records; raises ValueError for verdicts of another number."""
    found = verdicts.get(SLOT.key, [None] * len(questions))
    order = sorted(range(len(questions)), key=lambda row: questions[row].group)
    columns = [(questions[row].ability, verdict) for row, verdict in zip(range(len(questions)), found, strict=True)]
    names = tuple(f"words@{ability}" for ability in JUDGED)
    asked = np.array([[ability == a for a in JUDGED] for ability, _ in columns], dtype=np.float64)
    counted = asked * np.array([[verdict is not None] for _, verdict in columns], dtype=np.float64)
    right = counted * np.array([[verdict == RIGHT] for _, verdict in columns], dtype=np.float64)
    return Contributions(
        names=names,
        groups=tuple(questions[row].group for row in order),
        numerator=right[np.newaxis, order],
        denominator=counted[np.newaxis, order],
        counts=counted.sum(axis=0).astype(np.int64),
        asked=asked.sum(axis=0).astype(np.int64),
        judged=counted.sum(axis=0).astype(np.int64),
        coverage=float(counted.sum() / len(questions)) if questions else 0.0,
        derived={"words": Derived(_total, names)},
    )


def _total(values: Mapping[str, Floats]) -> Floats:
    return np.asarray(sum(values.values()), dtype=np.float64)


def explain(
    questions: Sequence[QuestionView], answers: Sequence[str], verdicts: Mapping[str, Sequence[str | None]]
) -> tuple[ScoredRow, ...]:
    found = verdicts.get(SLOT.key, [None] * len(questions))
    return tuple(
        ScoredRow("no verdict", None) if verdict is None else ScoredRow(_TITLES[verdict], verdict == RIGHT)
        for verdict in found
    )


_TITLES = {RIGHT: "a correct answer occurs in it", "0": "no correct answer occurs in it"}
