from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.protocols.base import Contributions, QuestionView, ScoredRow


def contributions(
    questions: Sequence[QuestionView], answers: Sequence[str], verdicts: Mapping[str, Sequence[str | None]]
) -> Contributions:
    groups = tuple(sorted(q.group for q in questions))
    place = {group: i for i, group in enumerate(groups)}
    runs = sorted(verdicts) or ["spelled.1"]
    right = np.zeros((len(runs), len(groups), 1))
    counted = np.zeros((len(runs), len(groups), 1))
    for r, run in enumerate(runs):
        for question, verdict in zip(questions, verdicts.get(run, [None] * len(questions)), strict=True):
            right[r, place[question.group], 0] += verdict == "right"
            counted[r, place[question.group], 0] += verdict is not None
    judged = int((counted > 0).all(axis=0).sum())
    asked = len(questions)
    return Contributions(
        names=("accuracy",),
        groups=groups,
        numerator=right,
        denominator=counted,
        counts=np.array([int(counted[0].sum())]),
        asked=np.array([asked]),
        judged=np.array([judged]),
        derived={"double": (lambda found: 2 * found["accuracy"], ("accuracy",))},
    )


def explain(
    questions: Sequence[QuestionView], answers: Sequence[str], verdicts: Mapping[str, Sequence[str | None]]
) -> tuple[ScoredRow, ...]:
    first = verdicts.get("spelled.1", [None] * len(questions))
    return tuple(ScoredRow(v or "", None if v is None else v == "right") for v in first)
