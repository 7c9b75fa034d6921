"""The port of `scoring.py`: answers and verdicts become the parts of metrics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.protocols.base.dataset import QuestionView
from benchmarks.protocols.runs import Verdicts

Floats = NDArray[np.float64]
Numbers = NDArray[np.float64] | NDArray[np.int32]
"""What only holds whole numbers takes half the memory."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A metric made of basic ones: `function` takes those that `parts` names by name. The arrays
    share one shape, and undefined values are nan.

    Its counts, asked and judged are the sums over `counted`, those of the parts that together look
    at every row once; over all parts where it is empty. (A mean of datasets sums over them, a kappa
    counts one of its shares.)

    is_extrapolated: it is what a line tells of what was not seen; where that lies beyond the
    metric's scale it is not defined.
    """

    function: Callable[[Mapping[str, Floats]], Floats]
    parts: tuple[str, ...]
    counted: tuple[str, ...] = ()
    is_extrapolated: bool = False


@dataclass(frozen=True, slots=True)
class Contributions:
    """Everything a submission's metrics are made of, by resampling group, so that an interval is a
    matrix product.

    A basic metric is sum(numerator) / sum(denominator) over groups, in each run, averaged over
    runs.

    names: M names of basic metrics.
    numerator, denominator: shape (runs, groups, M); the rows of the group axis follow `groups`.
    groups: G names, sorted, so that entries of one release can share resampling weights.
    counts, asked, judged: per basic metric, shape (M,): units in the denominator (first run), rows
        the metric looks at, rows of these that it knows enough of in every run: that have the
        verdict it needs, or need none. A row may be judged and outside the denominator (an answer
        "no" and the precision of "yes").
    coverage: the share of verdicts there are of those that the scores need, which decides whether
        an entry is ranked. A vote is one verdict, however many labels it takes. 0 where none is
        needed.
    derived: metrics made of the basic ones, by name.
    """

    names: tuple[str, ...]
    groups: tuple[str, ...]
    numerator: Numbers
    denominator: Numbers
    counts: NDArray[np.int64]
    asked: NDArray[np.int64]
    judged: NDArray[np.int64]
    coverage: float
    derived: Mapping[str, Derived]


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """What the scorer says of one answer, for the entry page: a short label and whether it counted
    as right.

    `score` is what the judge gave it where it gives numbers, and None where there is none or right
    and wrong say all. `outcome` sorts the answers of a page where right, wrong and "no verdict"
    do not fit: "rated by people", "unclear". `points` are what the answer counts when questions are
    compared, in [0, 1], where right and wrong do not say it (BenchmarkProtocol.right_means).
    `dispute` says how far the judge's replies about it lie apart, from 0 to 1. Everybody may read
    all of it, so none of it repeats a reference, a description or a reply.
    """

    verdict: str
    is_right: bool | None
    remark: str = ""
    score: float | None = None
    outcome: str = ""
    points: float | None = None
    dispute: float = 0.0

    @property
    def credit(self) -> float | None:
        """What the answer counts in [0, 1] when questions are compared; None where nobody can
        say."""
        if self.points is not None:
            return self.points
        return None if self.is_right is None else float(self.is_right)


Ratings = Mapping[str, Sequence[Sequence[int]]]
"""What people say, by the slug of a dimension: for each answer, in the order of the questions, the
scores that they gave it; none where nobody rated it. Dimensions that nobody used may be absent."""
NOT_RATED: Ratings = MappingProxyType({})


class ScoringPort(Protocol):
    def contributions(
        self,
        questions: Sequence[QuestionView],
        answers: Sequence[str],
        verdicts: Verdicts,
    ) -> Contributions:
        """Metrics of one submission. All sequences follow `questions`; `verdicts` is by slot key,
        None where there is no verdict (unreadable, failed, not asked)."""

    def explain(
        self,
        questions: Sequence[QuestionView],
        answers: Sequence[str],
        verdicts: Verdicts,
    ) -> tuple[ScoredRow, ...]:
        """One row per question, in order: how its answer and verdicts entered the metrics."""


class RatedScoringPort(ScoringPort, Protocol):
    """The scorer of a benchmark that scores_ratings: it gets what people say as well."""

    def contributions(
        self,
        questions: Sequence[QuestionView],
        answers: Sequence[str],
        verdicts: Verdicts,
        ratings: Ratings = ...,
    ) -> Contributions: ...

    def explain(
        self,
        questions: Sequence[QuestionView],
        answers: Sequence[str],
        verdicts: Verdicts,
        ratings: Ratings = ...,
    ) -> tuple[ScoredRow, ...]: ...
