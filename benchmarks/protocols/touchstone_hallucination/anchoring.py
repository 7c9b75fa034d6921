"""The score that people's ratings speak about: the H-score itself, on the same scale."""

from collections.abc import Sequence

import numpy as np

from benchmarks.protocols.base import Anchor, QuestionView, Ratings
from benchmarks.protocols.base.anchoring import mean_of_runs, values_by_answer
from benchmarks.protocols.runs import Verdicts
from benchmarks.protocols.touchstone_hallucination.panel import HALLUCINATION
from benchmarks.protocols.touchstone_hallucination.scoring import SCALE, read_scores


def anchors(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Verdicts,
    ratings: Ratings,
) -> Sequence[Anchor]:
    """The label of a description is the mean of its raters."""
    said = values_by_answer(ratings, HALLUCINATION.slug, len(questions))
    if not any(said):
        return ()
    scores = read_scores(len(questions), verdicts)
    known = ~np.isnan(scores)
    labels = np.array([np.mean(given) if len(given) else np.nan for given in said])
    asked = np.ones(len(questions), dtype=np.bool_)
    judged = mean_of_runs(np.where(known, scores, 0.0), known)
    return [Anchor("h_score", asked, SCALE * judged, SCALE * labels, is_share=False)]
