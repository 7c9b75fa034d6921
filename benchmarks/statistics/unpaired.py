"""How far one figure is ahead of another by the intervals of both, and by how far they rise and
fall together where that is known."""

from dataclasses import dataclass
from math import hypot, isnan, pi, sqrt
from statistics import NormalDist

import numpy as np

from benchmarks.statistics.differences import Difference
from benchmarks.statistics.distributions import stdtrit
from benchmarks.statistics.resampling import LEVEL, Floats


@dataclass(frozen=True, slots=True)
class Ends:
    """A value with the ends of its interval at LEVEL, in one unit. groups: how many independent
    groups of questions are behind it; None where that was not kept."""

    value: float
    low: float
    high: float
    groups: float | None = None


def unpaired_difference(
    one: Ends,
    other: Ends,
    *,
    looked_at: int = 1,
    higher_is_better: bool = True,
    likeness: float = 0.0,
) -> Difference:
    """How far `one` is ahead of `other`, as if both had answered different questions unless
    `likeness` (statistics.likeness) says how alike they answered the same. All of `looked_at` such
    intervals hold at once with LEVEL (Bonferroni).

    The error of the difference has the sum of the squared errors of both, less twice their product
    by the likeness, each taken from the half of its interval that faces the other (Zou and Donner
    2008, "Construction of confidence limits about effect measures"; of shares of the same questions
    that is Newcombe's method 10). Where the same questions are hard for both and no likeness is
    known, the true error is smaller: this tells too few differences apart rather than too many. An
    interval without width is none.

    >>> found = unpaired_difference(Ends(6.0, 5.7, 6.3), Ends(5.0, 4.6, 5.4))
    >>> found.ahead, round(found.low, 3), round(found.high, 3)
    (1.0, 0.5, 1.5)
    """
    sign = 1.0 if higher_is_better else -1.0
    ahead = sign * (one.value - other.value)
    if not (one.high > one.low and other.high > other.low):
        return Difference(ahead, None, None)
    wider = widening(looked_at, fewest(one.groups, other.groups))
    if isnan(wider):
        return Difference(ahead, None, None)
    down = side_of(one.value - one.low, other.high - other.value, likeness)
    up = side_of(one.high - one.value, other.value - other.low, likeness)
    if not higher_is_better:
        down, up = up, down
    return Difference(ahead, ahead - wider * down, ahead + wider * up)


def side_of(one: float, other: float, likeness: float) -> float:
    return sqrt(max(hypot(one, other) ** 2 - 2 * likeness * one * other, 0.0))


def fewest(*groups: float | None) -> float | None:
    known = [number for number in groups if number is not None]
    return min(known, default=None)


def widening(looked_at: int, groups: float | None) -> float:
    """By what the half of an interval at LEVEL is multiplied so that `looked_at` of them hold at
    once: a ratio of quantiles, Student's with groups - 1 degrees, or normal ones where `groups` is
    None. nan with fewer than two groups.

    >>> round(widening(1, 30), 3), round(widening(10, None), 3), round(widening(10, 6), 3)
    (1.0, 1.432, 1.857)
    """
    ends = (1 + LEVEL) / 2, 1 - (1 - LEVEL) / (2 * max(looked_at, 1))
    if groups is None:
        normal = NormalDist()
        return normal.inv_cdf(ends[1]) / normal.inv_cdf(ends[0])
    if groups < 2:
        return float("nan")
    return float(stdtrit(groups - 1, ends[1]) / stdtrit(groups - 1, ends[0]))


@dataclass(frozen=True, slots=True)
class Middle:
    """The middle of a field in one figure: the medians of values and of both ends of their
    intervals, over so many entries that have all three."""

    value: float
    low: float
    high: float
    entries: int


def middle_of(values: Floats, low: Floats, high: Floats) -> Middle | None:
    """values, low, high: (entries,), nan where there is none. None where no entry has all."""
    has_interval = ~np.isnan(values) & (high > low)
    if not has_interval.any():
        return None
    value, least, most = (float(np.median(part[has_interval])) for part in (values, low, high))
    return Middle(value, least, most, int(has_interval.sum()))


def against_middle(
    one: Ends, middle: Middle, *, looked_at: int = 1, higher_is_better: bool = True
) -> Difference:
    """How far `one` is ahead of the middle of its field, otherwise as `unpaired_difference`.

    A median of N alike entries has π / 2N of the variance of one (Kenney and Keeping 1962, 14.7);
    that of entries that differ in truth varies less or about as much.
    """
    share = sqrt(pi / (2 * middle.entries))
    low = middle.value - share * (middle.value - middle.low)
    high = middle.value + share * (middle.high - middle.value)
    other = Ends(middle.value, low, high, one.groups)
    return unpaired_difference(one, other, looked_at=looked_at, higher_is_better=higher_is_better)
