"""Five fractions and their sum, twice: "guarded@reasoning" is the share of right verdicts in an ability, "guarded" the
sum, from 0 to 5; "words" and its parts are the same by word matching as published, read from the answers.

Source: the code of the ability-level benchmark (docs/tiny_lvlm_ehub.md). An ability without a value leaves the sum
without one; records without a verdict are outside.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from benchmarks.protocols.base import Contributions, Derived, Floats, QuestionView, ScoredRow
from benchmarks.protocols.tiny_lvlm_ehub.dataset import references_of
from benchmarks.protocols.tiny_lvlm_ehub.suite import JUDGED
from benchmarks.protocols.tiny_lvlm_ehub.word_matching import matches
from benchmarks.protocols.tiny_lvlm_ehub_ability.judging import RIGHT, SLOT

SCORES = GUARDED, PUBLISHED = "guarded", "words"


def contributions(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Mapping[str, Sequence[str | None]],
) -> Contributions:
    """One run. Groups are the records; raises ValueError for verdicts of another number."""
    found = verdicts.get(SLOT.key, [None] * len(questions))
    order = sorted(range(len(questions)), key=lambda row: questions[row].group)
    columns = list(zip(questions, answers, found, strict=True))
    asked = np.array([[q.ability == a for a in JUDGED] for q, _, _ in columns], dtype=np.float64)
    asked = asked.reshape(len(columns), len(JUDGED))
    judged = asked * _column(verdict is not None for _, _, verdict in columns)
    right = judged * _column(verdict == RIGHT for _, _, verdict in columns)
    matched = asked * _column(matches(answer, references_of(q)) for q, answer, _ in columns)
    names = {score: tuple(f"{score}@{ability}" for ability in JUDGED) for score in SCORES}
    denominator = np.concatenate([judged, asked], axis=1)
    return Contributions(
        names=(*names[GUARDED], *names[PUBLISHED]),
        groups=tuple(questions[row].group for row in order),
        numerator=np.concatenate([right, matched], axis=1)[np.newaxis, order],
        denominator=denominator[np.newaxis, order],
        counts=denominator.sum(axis=0).astype(np.int64),
        asked=np.tile(asked.sum(axis=0), len(SCORES)).astype(np.int64),
        judged=denominator.sum(axis=0).astype(np.int64),
        coverage=float(judged.sum() / len(questions)) if questions else 0.0,
        derived={score: Derived(_total, parts) for score, parts in names.items()},
    )


def _column(values: Iterable[bool]) -> Floats:
    return np.array(list(values), dtype=np.float64).reshape(-1, 1)


def _total(values: Mapping[str, Floats]) -> Floats:
    return np.asarray(sum(values.values()), dtype=np.float64)


def explain(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Mapping[str, Sequence[str | None]],
) -> tuple[ScoredRow, ...]:
    found = verdicts.get(SLOT.key, [None] * len(questions))
    return tuple(
        ScoredRow("no verdict", None)
        if verdict is None
        else ScoredRow(_TITLES[verdict], verdict == RIGHT)
        for verdict in found
    )


_TITLES = {RIGHT: "a correct answer is found in it", "0": "no correct answer is found in it"}
