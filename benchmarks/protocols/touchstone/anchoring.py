"""Which shares people's votes speak about: how often an answer is better than its reference, and
how often at least as good.

Votes do not tell scores from 1 to 10: Overall and the abilities have no human-anchored value.
"""

from collections.abc import Sequence

import numpy as np

from benchmarks.protocols.base import Anchor, Floats, QuestionView, Ratings
from benchmarks.protocols.base.anchoring import majority_value, mean_of_runs, values_by_answer
from benchmarks.protocols.runs import Verdicts
from benchmarks.protocols.tallies import Flags
from benchmarks.protocols.touchstone.panel import COMPARISON
from benchmarks.protocols.touchstone.scoring import leads

WIN, AT_LEAST = "win", "at_least"


def anchors(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Verdicts,
    ratings: Ratings,
) -> Sequence[Anchor]:
    """What the judge says of an answer is the sign of the mean of its two rounds, as "win" and
    "loss" count it."""
    lead, known = leads(len(questions), verdicts)
    votes = votes_of(values_by_answer(ratings, COMPARISON.slug, len(questions)))
    if np.isnan(votes).all():
        return ()
    asked = np.ones(len(questions), dtype=np.bool_)
    has_vote = ~np.isnan(votes)

    def anchor(name: str, judged: Flags, labels: Flags) -> Anchor:
        said = mean_of_runs(judged.astype(np.float64), known)
        return Anchor(name, asked, said, np.where(has_vote, labels, np.nan))

    return [
        anchor(AT_LEAST, np.asarray(lead >= 0), np.asarray(votes >= 0)),
        anchor(WIN, np.asarray(lead > 0), np.asarray(votes > 0)),
    ]


def votes_of(said: Sequence[Sequence[int]]) -> Floats:
    """-1, 0 or 1 as most raters say; nan where nobody was asked and where no vote has most of
    them."""
    found = (majority_value(scores) for scores in said)
    return np.array([np.nan if most is None else float(most) for most in found])
