"""TouchStone's H-score: the mean degree of hallucination times 100, lower is better.

A run is one repeat of the judge. A missing verdict is outside the mean. Length and the share of the
description that is mentioned stand beside the score, for an answer that says next to nothing
invents nothing.
"""

from collections.abc import Sequence

import numpy as np

from benchmarks.protocols.base import Contributions, Floats, QuestionView, ScoredRow
from benchmarks.protocols.runs import Verdicts, read_runs
from benchmarks.protocols.tallies import Flags, Tally, assembled, mean
from benchmarks.protocols.touchstone_hallucination.comparing import MENTIONED
from benchmarks.protocols.touchstone_hallucination.judging import SLOT, WORST

SCALE = 100.0


def contributions(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Verdicts,
) -> Contributions:
    """`h_score` in [0, 1000], `answer_length` in characters, `answer_words` in words between
    blanks, and `mentions`, a share, where `verdicts` has what comparing says; resampling groups are
    the figures.

    `judged` of the score counts questions with a verdict in every run; the others need none.
    Without verdicts there is one run without any. Raises ValueError for a verdict `judging.parse`
    does not give or sequences of other lengths. Source: TouchStone paper, section 4.3; the others
    are ours.
    """
    scores = read_scores(len(questions), verdicts)
    has_score = ~np.isnan(scores)
    shares = _column(verdicts.get(MENTIONED, [None] * len(questions)), len(questions))
    tallies = {
        "h_score": mean(SCALE * scores, has_score),
        "answer_length": _of_all([len(answer) for answer in answers]),
        "answer_words": _of_all([len(answer.split()) for answer in answers]),
        "mentions": mean(shares, ~np.isnan(shares)),
    }
    coverage = float(has_score.mean()) if questions else 0.0
    return assembled(questions, tallies, runs=len(scores), coverage=coverage)


def _of_all(values: Sequence[int]) -> Tally:
    """A mean over all answers, which needs no verdict."""
    known = np.array(values, dtype=np.float64)
    return mean(known, _every(known))


def _every(values: Floats) -> Flags:
    return np.ones(values.shape, dtype=np.bool_)


def _column(texts: Sequence[str | None], size: int) -> Floats:
    """Numbers; nan where there is none. Raises ValueError for another number of them than
    `size`."""
    if len(texts) != size:
        raise ValueError(f"there are {size} questions, but not as many comparisons")
    return np.array([np.nan if text is None else float(text) for text in texts], dtype=np.float64)


def read_scores(size: int, verdicts: Verdicts) -> Floats:
    """Scores of R runs, (R, N); nan where there is none."""
    runs = [column for (column,) in read_runs(verdicts, [SLOT], size)]
    scores = [[np.nan if text is None else float(text) for text in column] for column in runs]
    return np.array(scores, dtype=np.float64).reshape(len(runs), size)


def explain(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Verdicts,
) -> tuple[ScoredRow, ...]:
    """The degree of hallucination of each answer, 0 to 10, the mean over runs; nothing is right or
    wrong here."""
    scores = read_scores(len(questions), verdicts)
    return tuple(_explained(column[~np.isnan(column)]) for column in scores.T)


def _explained(scores: Floats) -> ScoredRow:
    if not len(scores):
        return ScoredRow("no verdict", None)
    remark = (
        f"Runs differ: {', '.join(f'{score:.4g}' for score in scores)}."
        if len(set(scores.tolist())) > 1
        else ""
    )
    mean = float(scores.mean())
    return ScoredRow(f"{mean:.4g} of 10", None, remark, mean, points=1 - mean / WORST)
