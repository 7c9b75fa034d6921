"""Which accuracies people's labels speak about: those of single rows.

A question pair or a figure is right when all its rows are, so that a label tells nothing of it
before all its rows have one: qAcc, fAcc and the overall mean with them have no human-anchored
value.
"""

from collections.abc import Sequence

import numpy as np

from benchmarks.protocols.base import Anchor, Floats, QuestionView, Ratings
from benchmarks.protocols.base.anchoring import majority_value, mean_of_runs, values_by_answer
from benchmarks.protocols.hallusionbench.layout import lay_out
from benchmarks.protocols.hallusionbench.panel import CORRECT
from benchmarks.protocols.hallusionbench.scoring import row_verdicts
from benchmarks.protocols.runs import Verdicts
from benchmarks.protocols.tallies import Flags


def anchors(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Verdicts,
    ratings: Ratings,
) -> Sequence[Anchor]:
    """aAcc of all rows and of each category."""
    layout = lay_out(questions)
    judged = mean_of_runs(*row_verdicts(layout, verdicts))
    labels = labels_of(values_by_answer(ratings, CORRECT.slug, layout.size), layout.is_blank)
    if np.isnan(labels).all():
        return ()
    categories = np.array([question.ability for question in questions])
    scopes = {"": layout.everything}
    scopes |= {f"@{slug}": categories == slug for slug in sorted(set(categories.tolist()))}
    return [Anchor(f"aAcc{scope}", asked, judged, labels) for scope, asked in scopes.items()]


def labels_of(said: Sequence[Sequence[int]], is_blank: Flags) -> Floats:
    """What most raters say, by the scheme of the judge: unclear is right where there was nothing to
    look at, and wrong elsewhere."""
    found = np.full(len(said), np.nan)
    for row, scores in enumerate(said):
        most = majority_value(scores)
        if most is not None:
            found[row] = is_blank[row] if most == CORRECT.unclear else most
    return found
