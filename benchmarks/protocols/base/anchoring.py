"""The port of `anchoring.py`: which means of a submission the labels that people gave speak about,
so that the judge's error can be taken out of them (benchmarks.statistics.anchored)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from benchmarks.protocols.base.board import FROM_ZERO, Measure, Metric
from benchmarks.protocols.base.dataset import QuestionView
from benchmarks.protocols.base.scoring import Floats, Ratings
from benchmarks.protocols.runs import Verdicts

MEASURE = "human-anchored"
"""Slug of the measure by which a board shows human-anchored scores."""

Figure = Literal["anchored", "judged", "rates", "labels", "finds_right", "takes_wrong"]
"""What is made of an anchor, before "_" and its name: the mean with the judge's error taken out, by
the judge alone, by its error rates, how many labels were used, and of the answers that people call
right and wrong how many the judge calls right. Of these a sheet has those that the board's METRICS
name."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A mean over the answers of a submission, in the order of its questions.

    asked: (N,), the answers that it looks at. judged: (N,), what the judge says of each, the mean
    over its runs; nan where it said nothing. labels: (N,), what people say; nan where nobody was
    asked, or they do not agree. is_share: both lie in [0, 1] and labels are 0 or 1.
    """

    name: str
    asked: NDArray[np.bool_]
    judged: Floats
    labels: Floats
    is_share: bool = True

    def __post_init__(self) -> None:
        if not len(self.asked) == len(self.judged) == len(self.labels):
            raise ValueError(f"{self.name}: there is not one of each for every answer")


class AnchoringPort(Protocol):
    """Only for benchmarks whose panel asks what a score is the mean of."""

    def anchors(
        self,
        questions: Sequence[QuestionView],
        answers: Sequence[str],
        verdicts: Verdicts,
        ratings: Ratings,
    ) -> Sequence[Anchor]:
        """All sequences follow `questions`, as in ScoringPort; empty where nobody said anything."""


def figure_name(figure: Figure, anchor: str) -> str:
    return f"{figure}_{anchor}"


def majority_value(scores: Sequence[int]) -> int | None:
    """The value that more than half of an answer's raters gave; None without raters and where no
    value has so many.

    >>> majority_value([1, 2, 1]), majority_value([0, 1]), majority_value([])
    (1, None, None)
    """
    found = {score: scores.count(score) for score in scores}
    most = max(found, key=lambda score: found[score], default=None)
    return most if most is not None and 2 * found[most] > len(scores) else None


def mean_of_runs(values: Floats, known: NDArray[np.bool_]) -> Floats:
    """Of each answer over the runs that say something, (N,) from (R, N); nan where none does."""
    counts = known.sum(axis=0)
    sums = np.where(known, values, 0.0).sum(axis=0)
    found: Floats = np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)
    return found


def values_by_answer(ratings: Ratings, dimension: str, size: int) -> Sequence[Sequence[int]]:
    """The values that raters gave on the dimension, one sequence for each of `size` answers."""
    return ratings.get(dimension, [()] * size)


# --- columns that boards of several families have alike -------------------------------------------

NO_FAIR_DRAW = "people labelled some parts of the release and not others"
NOT_IDENTIFIED = (
    "not identified: the labels do not tell how often the judge is right of right and of wrong "
    "answers"
)


def rates_columns(name: str, title: str, digits: int = 1) -> tuple[Metric, Metric, Metric]:
    """Of an anchor that is a share: the value by error rates, and the two rates."""
    return (
        Metric(
            figure_name("rates", name),
            f"{title}, by error rates",
            "The share that fits how often the judge says right, given how often it does so of "
            "answers that people call right and wrong (Rogan and Gladen 1978). Another way to the "
            "same figure, less exact.",
            digits=digits,
            empty=NOT_IDENTIFIED,
            needs_labels=True,
        ),
        Metric(
            figure_name("finds_right", name),
            "Right found",
            "Of the answers that people call right, the share that the judge calls right (its "
            "sensitivity).",
            higher_is_better=None,
            digits=digits,
            empty="people called no answer right",
        ),
        Metric(
            figure_name("takes_wrong", name),
            "Wrong taken",
            "Of the answers that people call wrong, the share that the judge calls right (1 less "
            "its specificity).",
            higher_is_better=None,
            digits=digits,
            empty="people called no answer wrong",
        ),
    )


def anchored(plain: Metric, name: str, title: str, about: str) -> Metric:
    """The column of a plain score with the judge's error taken out."""
    return replace(
        plain,
        name=figure_name("anchored", name),
        title=title,
        about=about,
        empty=NO_FAIR_DRAW,
        needs_labels=True,
    )


def human_anchored(order: Metric) -> Measure:
    """The measure itself; its table has its slug."""
    return Measure(
        MEASURE, "Human-anchored", ABOUT_MEASURE, order.name, opens_with=MEASURE, where_known=True
    )


def labels_column(name: str) -> Metric:
    return Metric(
        figure_name("labels", name),
        "Labels",
        "How many answers of the entry have a label by people and a word by the judge.",
        higher_is_better=None,
        unit="score",
        digits=0,
        bounds=FROM_ZERO,
        is_count=True,
    )


HOW_ANCHORED = (
    "Where people labelled answers of an entry, the board can be read human-anchored: the same "
    "score with the judge's error taken out. The judge's score over all answers is shifted by how "
    "far the judge is from people on the labelled ones (prediction-powered inference, Angelopoulos "
    "and others 2023). The interval then contains what people would say of all answers. It is "
    "narrower than the interval from the labels alone if the judge mostly agrees with them. The "
    "anchored score is shown only for an entry with enough labels of its own, drawn from all its "
    "answers: we do not assume that a judge errs in the same way for every model. Ranks stay those "
    "of the plain score."
)
ABOUT_MEASURE = (
    "Sorted by the score with the judge's error taken out, estimated from labels that people gave "
    "to some answers of the entry. Entries without enough labels have none. Ranks are those of the "
    "plain score."
)


def names_of(anchors: Sequence[Anchor]) -> set[str]:
    """Of all figures that may be made of these."""
    return {figure_name(figure, one.name) for one in anchors for figure in get_args(Figure)}
