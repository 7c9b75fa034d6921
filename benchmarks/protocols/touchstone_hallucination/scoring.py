"""TouchStone's H-score: the mean degree of hallucination times 100, lower is better.

A run is one repeat of the judge. A missing verdict is outside the mean. Length and the share of the description that
is mentioned stand beside the score, for an answer that says next to nothing invents nothing.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.protocols.base import Contributions, Floats, QuestionView, ScoredRow
from benchmarks.protocols.touchstone_hallucination.comparing import MENTIONED
from benchmarks.protocols.touchstone_hallucination.judging import SLOT

SCALE = 100.0


def contributions(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Mapping[str, Sequence[str | None]],
) -> Contributions:
    """`h_score` in [0, 1000], `answer_length` in characters, `answer_words` in words between blanks, and `mentions`, a
    share, where `verdicts` has what comparing says; resampling groups are the figures.

    `judged` of the score counts questions with a verdict in every run; the others need none. Without verdicts there
    is one run without any. Raises ValueError for a verdict `judging.parse` does not give or sequences of other lengths.
    Source: TouchStone paper, section 4.3; the others are ours.
    """
    scores = _read_runs(len(questions), verdicts)
    has_score = ~np.isnan(scores)
    shares = _column(verdicts.get(MENTIONED, [None] * len(questions)), len(questions))
    columns = {
        "h_score": (SCALE * scores, has_score),
        "answer_length": _known([float(len(answer)) for answer in answers], scores),
        "answer_words": _known([float(len(answer.split())) for answer in answers], scores),
        "mentions": _known(shares, scores),
    }
    numerator = np.stack([np.where(has, of, 0.0) for of, has in columns.values()], axis=-1)
    denominator = np.stack([has for _, has in columns.values()], axis=-1).astype(np.float64)
    groups = tuple(sorted({question.group for question in questions}))
    belongs = np.array(
        [[question.group == group for question in questions] for group in groups], dtype=np.float64
    )
    belongs = belongs.reshape(len(groups), len(questions))
    return Contributions(
        names=tuple(columns),
        groups=groups,
        numerator=belongs @ numerator,
        denominator=belongs @ denominator,
        counts=denominator[0].sum(axis=0).astype(np.int64),
        asked=np.array([len(questions)] * len(columns), dtype=np.int64),
        judged=np.array([has.all(axis=0).sum() for _, has in columns.values()], dtype=np.int64),
        coverage=float(has_score.mean()) if questions else 0.0,
        derived={},
    )


def _known(values: Sequence[float] | Floats, scores: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The same values in every run, and where they are known."""
    repeated = np.broadcast_to(np.asarray(values, dtype=np.float64), scores.shape)
    return repeated, ~np.isnan(repeated)


def _column(texts: Sequence[str | None], size: int) -> Floats:
    """Numbers; nan where there is none. Raises ValueError for another number of them than `size`."""
    if len(texts) != size:
        raise ValueError(f"there are {size} questions, but not as many comparisons")
    return np.array([np.nan if text is None else float(text) for text in texts], dtype=np.float64)


def _read_runs(size: int, verdicts: Mapping[str, Sequence[str | None]]) -> Floats:
    """Scores of R runs, (R, N); nan where there is none."""
    keys = (key.rpartition(".") for key in verdicts)
    repeats = sorted(int(repeat) for name, _, repeat in keys if name == SLOT)
    columns = [verdicts[f"{SLOT}.{repeat}"] for repeat in repeats] or [[None] * size]
    if any(len(column) != size for column in columns):
        raise ValueError(f"there are {size} questions, but not as many verdicts")
    scores = [[np.nan if text is None else float(text) for text in column] for column in columns]
    return np.array(scores, dtype=np.float64).reshape(len(columns), size)


def explain(
    questions: Sequence[QuestionView],
    answers: Sequence[str],
    verdicts: Mapping[str, Sequence[str | None]],
) -> tuple[ScoredRow, ...]:
    """The degree of hallucination of each answer, 0 to 10, the mean over runs; nothing is right or wrong here."""
    scores = _read_runs(len(questions), verdicts)
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
    return ScoredRow(f"{mean:.4g} of 10", None, remark, mean)
