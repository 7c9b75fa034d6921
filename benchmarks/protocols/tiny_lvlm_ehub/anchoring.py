"""Which accuracies people's labels speak about: the share of right answers, of all that have a
correct answer and of each dataset.

The overall score and the capabilities are means of datasets, and would need enough labels of each:
of all answers together the accuracy is anchored, every answer counting alike.
"""

from collections.abc import Sequence

import numpy as np

from benchmarks.protocols.base import Anchor, QuestionView, Ratings
from benchmarks.protocols.base.anchoring import mean_of_runs, values_by_answer
from benchmarks.protocols.runs import Verdicts
from benchmarks.protocols.tiny_lvlm_ehub.panel import CORRECT
from benchmarks.protocols.tiny_lvlm_ehub.scoring import vote_of_people, vote_verdicts
from benchmarks.protocols.tiny_lvlm_ehub.suite import EMBODIED

RIGHT = "right"


def anchors(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Verdicts,
    ratings: Ratings,
) -> Sequence[Anchor]:
    labels = np.array(
        [
            np.nan if (says := vote_of_people(scores)) is None else float(says)
            for scores in values_by_answer(ratings, CORRECT.slug, len(questions))
        ]
    )
    if np.isnan(labels).all():
        return ()
    judged = mean_of_runs(*vote_verdicts(len(questions), verdicts))
    asked = np.array([question.ability != EMBODIED for question in questions])
    datasets = np.array([question.subtask for question in questions])
    labelled = sorted(set(datasets[asked & ~np.isnan(labels)].tolist()))
    scopes = {"": asked, **{f"@{slug}": datasets == slug for slug in labelled}}
    return [Anchor(f"{RIGHT}{scope}", here, judged, labels) for scope, here in scopes.items()]
