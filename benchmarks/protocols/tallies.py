"""Metrics counted answer by answer, and put together by resampling group: the last step of most
scorers.

R runs (repeats of the judge), N answers in the order of the questions, G resampling groups, M
metrics.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.protocols.base import Contributions, Derived, Floats, Numbers, QuestionView

LARGEST = np.iinfo(np.int32).max

Flags = NDArray[np.bool_]
Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Tally:
    """One metric, a ratio of two sums over answers.

    numerator, denominator: (R, N), or (N,) where it is the same in every run: what each answer
    adds. asked, judged: (N,), the answers the metric looks at, and of these the ones it knows
    enough of in every run.
    """

    numerator: Floats | Flags
    denominator: Floats | Flags
    asked: Flags
    judged: Flags


def share(hits: Flags, counted: Flags, asked: Flags, known: Flags | None = None) -> Tally:
    """Of the `counted` answers the share of `hits`; both (R, N) or (N,). Judged are those `known`
    in every run; where that is not said, those counted.

    >>> red, said = np.array([True, False, True]), np.array([True, True, False])
    >>> tally = share(red, said, np.array([True, True, True]))
    >>> tally.numerator.tolist(), tally.denominator.tolist()
    ([True, False, False], [True, True, False])
    """
    known = counted if known is None else known
    judged = known.all(axis=0) if known.ndim == 2 else known
    return Tally(hits & counted, counted, asked, asked & judged)


def mean(values: Floats, known: Flags) -> Tally:
    """The mean of the `known` values, both (R, N) or (N,), with all answers asked; nan is taken for
    a value nowhere else."""
    asked = np.ones(values.shape[-1], dtype=np.bool_)
    always = known.all(axis=0) if known.ndim == 2 else known
    return Tally(np.where(known, values, 0.0), known, asked, asked & always)


def assembled(
    questions: Sequence[QuestionView],
    tallies: Mapping[str, Tally],
    *,
    runs: int,
    coverage: float,
    derived: Mapping[str, Derived] | None = None,
) -> Contributions:
    """The tallies as Contributions: every group once, sorted, however many questions it has and
    wherever they stand.

    `coverage` and `derived` are those of Contributions. Without questions there are no groups.
    """
    groups, place = grouping(questions)
    shape = runs, len(groups), len(tallies)
    numerator, denominator = (
        stacked((by_group(part, place, len(groups), runs) for part in parts), shape)
        for parts in (
            (tally.numerator for tally in tallies.values()),
            (tally.denominator for tally in tallies.values()),
        )
    )
    return Contributions(
        names=tuple(tallies),
        groups=groups,
        numerator=numerator,
        denominator=denominator,
        counts=np.rint(denominator[0].sum(axis=0)).astype(np.int64),  # weights may add up to 201.99
        asked=np.array([tally.asked.sum() for tally in tallies.values()], dtype=np.int64),
        judged=np.array([tally.judged.sum() for tally in tallies.values()], dtype=np.int64),
        coverage=coverage,
        derived=derived or {},
    )


def stacked(columns: Iterable[Floats], shape: tuple[int, int, int]) -> Numbers:
    """The columns, (R, G) each, as one array (R, G, M): of int32 where all are whole numbers, which
    is the most that scoring holds of a large release."""
    stack: Numbers = np.zeros(shape, dtype=np.int32)
    for place, column in enumerate(columns):
        if stack.dtype == np.int32 and not is_whole(column):
            stack = stack.astype(np.float64)
        stack[:, :, place] = column
    return stack


def is_whole(values: Floats) -> bool:
    """Whether an int32 holds each of the values."""
    return bool(((np.abs(values) <= LARGEST) & (values == np.rint(values))).all())


def grouping(questions: Sequence[QuestionView]) -> tuple[tuple[str, ...], Ints]:
    """The groups, each once and sorted, and the place (N,) of each question's group among them."""
    groups = tuple(sorted({question.group for question in questions}))
    places = {group: place for place, group in enumerate(groups)}
    return groups, np.array([places[question.group] for question in questions], dtype=np.intp)


def by_group(values: Floats | Flags, place: Ints, groups: int, runs: int = 0) -> Floats:
    """Sums (R, G) of those of `values`, (R, N) or for all `runs` alike (N,), whose answers share a
    place (N,)."""
    rows = np.broadcast_to(values, (runs or len(values), len(place)))
    sums = [np.bincount(place, row.astype(np.float64), groups) for row in rows]
    return np.array(sums, dtype=np.float64).reshape(len(rows), groups)
