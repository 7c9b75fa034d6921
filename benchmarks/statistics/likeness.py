"""How far the values of two entries rise and fall together, because the same questions are hard for
both."""

import numpy as np

from benchmarks.statistics.resampling import Floats

# Of a group's move: two that spread less are equal but for rounding.
_ROUNDING = 1e-12


def likeness(one: Floats, other: Floats, groups: float | None) -> float:
    """The correlation of two values over questions, lowered by 2 / groups and never below 0; 0
    where nothing tells.

    one, other: (groups,), what each value moves by when a group is left out (the jackknife; Efron
    and Stein 1981), for the same groups in the same order. What groups beyond those the value looks
    at move it by is 0. groups: how many it looks at.

    Few groups say little of how alike two entries are: ten that both get right or both wrong would
    make their difference certain. 2 / groups is the correction for continuity that Newcombe's
    method 10 takes off a correlation of two shares of one half (1998, "Improved confidence
    intervals for the difference between binomial proportions based on paired data"). A correlation
    below 0, which would widen an interval, is chance: no question is easier for one entry because
    another one fails it.

    >>> hits = np.array([1.0, 1.0, -1.0, -1.0])
    >>> likeness(hits, hits, 4), likeness(hits, -hits, 4), likeness(hits, 0 * hits, 4)
    (0.5, 0.0, 0.0)
    """
    if one.shape != other.shape or not groups:
        return 0.0
    first, second = one - one.mean(), other - other.mean()
    spread = float(np.sqrt((first @ first) * (second @ second)))
    if spread <= _ROUNDING**2:
        return 0.0
    return max(0.0, min(1.0, float(first @ second) / spread) - 2 / groups)
