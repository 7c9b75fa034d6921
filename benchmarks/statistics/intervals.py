"""Intervals that hold with few questions too, from what each resampling group adds to a metric.

Percentiles of resamples, which these replace, held the true share of ten questions in 65 % of
simulations, and three right answers of three gave them a width of zero (see
docs/visitor/intervals.md).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.statistics.distributions import ndtri, stdtrit
from benchmarks.statistics.resampling import LEVEL, Floats, ratios

LEAST_GROUPS = 5
"""Of a share: fewer groups of several units each do not tell how alike the units of a group are.
Groups of unequal size count as fewer (effective_groups)."""
UNKNOWN_SPREAD = 3.0
"""Where failures gather in a few groups, or successes, their design effect is told badly: by k
groups with any it has the weight k^2 / (k^2 + 3), the rest is for units of a group that count as
one. Simulated shares of 90 to 99 % on 60 sets were held in 86 % without it (`make
bench-statistics`)."""
LEAST_GROUPS_OF_MEAN = 2
"""Fewer do not tell how much they vary."""

# Share of the value: what spreads less is equal but for rounding.
_ROUNDING = 1e-12
# Step of the slopes of derived metrics, which are smooth: the error of a central difference goes
# with its square.
_STEP = 1e-4


def cluster_interval(
    numerator: Floats,
    denominator: Floats,
    *,
    bounds: tuple[float, float] | None = None,
    missing: Floats | float = 0.0,
    level: float = LEVEL,
) -> tuple[Floats, Floats]:
    """The interval of sum(numerator) / sum(denominator): low and high.

    numerator, denominator: what each group adds, shape (groups,), or (groups, metrics) for many
    metrics at once; results have the shape of the rest. Groups are independent, units of one group
    may be alike. Groups with a denominator of zero do not count.

    bounds: what a unit's value lies between. With bounds Wilson's interval (1927) for as many
    independent units as say as much as these: plain where no group has more than one unit, else
    divided by the design effect (the variance over groups against that of independent units, never
    below 1) and by (t / z)^2 for few groups (Korn and Graubard 1998). Where all units have the
    value of a bound the groups tell no variance, and units of a group count as one; where few
    groups have any unit of the rarer value, partly (UNKNOWN_SPREAD). Without bounds
    Student's t with groups - 1 degrees. The variance over groups is the jackknife's (Efron and
    Stein 1981). Degrees and what follows count effective groups.

    missing: what share of the units is not among these, and might be anything (with bounds). The
    lower end is that of the share there would be if all of it had the value of the lower bound, the
    upper end that of the upper one.

    nan, nan: no group; fewer than five groups of which one has several units (with bounds); fewer
    than two groups or no variation at all (without).

    >>> low, high = cluster_interval(np.ones(3), np.ones(3), bounds=(0, 1))
    >>> round(float(low), 2), float(high)
    (0.44, 1.0)
    """
    if bounds is None:
        low, high = _student(numerator, denominator, level)
    else:
        least, most = bounds
        part = (numerator - least * denominator) / (most - least)
        low, high = (
            least + (most - least) * end for end in _wilson(part, denominator, missing, level)
        )
    return low[()], high[()]


def effective_groups(denominator: Floats) -> Floats:
    """How many groups of equal size tell as much as these: N^2 / sum(n^2) (Kish 1965); nan for
    none.

    denominator: shape (groups, ...); the result has the shape of the rest.

    >>> [round(float(effective_groups(np.array(n))), 2) for n in ([4.0, 4.0, 0.0], [9.0, 1.0, 1.0])]
    [2.0, 1.46]
    """
    found = ratios(denominator.sum(axis=0) ** 2, (denominator**2).sum(axis=0))
    # averages over runs may leave five equal groups a hair below five
    return np.asarray(found * (1 + _ROUNDING))


def _student(numerator: Floats, denominator: Floats, level: float) -> tuple[Floats, Floats]:
    groups = effective_groups(denominator)
    value = ratios(numerator.sum(axis=0), denominator.sum(axis=0))
    error = np.sqrt(_variance(numerator, denominator, value))
    tells = (groups >= LEAST_GROUPS_OF_MEAN) & (error > _ROUNDING * np.abs(value))
    half = np.where(tells, _t(groups, level) * error, np.nan)
    return value - half, value + half


def _wilson(
    numerator: Floats, denominator: Floats, missing: Floats | float, level: float
) -> tuple[Floats, Floats]:
    """Of shares from 0 to 1."""
    groups = effective_groups(denominator)
    units = denominator.sum(axis=0)
    share = np.clip(ratios(numerator.sum(axis=0), units), 0.0, 1.0)
    is_plain = (denominator <= 1).all(axis=0)
    z = ndtri((1 + level) / 2)
    spread = share * (1 - share)
    varies = spread > _ROUNDING
    effect = ratios(_variance(numerator, denominator, share) * units, np.where(varies, spread, 0.0))
    right, wrong = (
        (part > _ROUNDING * denominator).sum(axis=0)
        for part in (numerator, denominator - numerator)
    )
    # groups with any of the rarer kind; where both are as many, the fewer groups
    telling = np.where(share == 0.5, np.minimum(right, wrong), np.where(share > 0.5, wrong, right))
    most = ratios(units, groups)
    effect, weight = np.maximum(effect, 1.0), UNKNOWN_SPREAD / (UNKNOWN_SPREAD + telling**2)
    effect = np.where(effect < most, (1 - weight) * effect + weight * most, effect)
    clustered = units / effect * (z / _t(groups, level)) ** 2
    number = np.where(is_plain, units, np.where(varies, clustered, groups))
    number = np.where((groups > 0) & (is_plain | (groups >= LEAST_GROUPS)), number, np.nan)

    def end(share: Floats, sign: int) -> Floats:
        centre = share + z**2 / (2 * number)
        half = z * np.sqrt(share * (1 - share) / number + z**2 / (4 * number**2))
        return np.asarray(np.clip((centre + sign * half) / (1 + z**2 / number), 0.0, 1.0))

    # the value itself lies inside but for rounding
    low = np.minimum(end(share * (1 - missing), -1), share)
    high = np.maximum(end(share * (1 - missing) + missing, 1), share)
    return low, high


def _variance(numerator: Floats, denominator: Floats, value: Floats) -> Floats:
    """Of a ratio of sums, from how far it moves when a group is left out; nan for fewer than two
    groups.

    Of groups of equal size it is what the groups' totals deviate by (Cochran 1977, 6.3). A group
    that has most of the units draws the value to itself and deviates little for it: leaving it out
    tells.
    """
    groups = (denominator > 0).sum(axis=0).astype(np.float64)
    units = denominator.sum(axis=0)
    moved = ratios(numerator - value * denominator, units - denominator)
    return np.asarray(ratios(groups - 1, groups) * (moved**2).sum(axis=0))


def _t(groups: Floats, level: float) -> Floats:
    """Student's quantile with groups - 1 degrees; that of one degree for fewer, where it is not
    used."""
    quantiles: Floats = stdtrit(np.maximum(groups - 1, 1), (1 + level) / 2)
    return quantiles


def combined_interval(
    function: Callable[[Floats], Floats],
    value: Floats,
    low: Floats,
    high: Floats,
    likeness: Floats,
) -> tuple[float, float]:
    """The interval of a metric made of others, from theirs: low and high.

    function: from parts, shape (parts, N), to N values. value, low, high: of each part, shape
    (parts,). likeness: correlations of the parts, (parts, parts).

    Each end of the metric is as far from its value as the ends of the parts together bring it, by
    the function's slopes (Zou and Donner 2008, "Construction of confidence limits about effect
    measures"). So a mean of parts of which each has all units right has an interval too, while
    resamples of it are all alike. nan, nan where a part that matters has no interval, or the
    function no slope.
    """
    middle, slopes = slopes_of(function, value)
    matters = slopes != 0  # nan does
    down, up = (
        np.where(slopes > 0, value - low, high - value),
        np.where(slopes > 0, high - value, value - low),
    )
    arms = (np.where(matters, slopes * arm, 0.0) for arm in (down, up))
    below, above = (
        float(np.sqrt(np.maximum(arm @ np.where(matters, likeness, 0.0) @ arm, 0.0)))
        for arm in arms
    )
    if np.isnan(below) or np.isnan(above):
        return np.nan, np.nan
    return middle - below, middle + above


def slopes_of(function: Callable[[Floats], Floats], value: Floats) -> tuple[float, Floats]:
    """What `function` makes of the parts, (parts,), and how it rises with each, (parts,)."""
    count = len(value)
    moved = np.concatenate([np.eye(count), -np.eye(count), np.zeros((1, count))]).T * _STEP
    found = np.asarray(function(value[:, np.newaxis] + moved), dtype=np.float64)
    return float(found[-1]), (found[:count] - found[count:-1]) / (2 * _STEP)


def correlations(draws: Floats, overlaps: NDArray[np.bool_]) -> Floats:
    """How far parts of a metric rise and fall together, (parts, parts), from resamples (resamples,
    parts).

    Where one is the same in all resamples they tell nothing: then parts that `overlaps` says to
    share groups count as alike, others as independent.
    """
    known = draws[~np.isnan(draws).any(axis=1)]
    if not len(known):
        return np.where(overlaps, 1.0, 0.0)
    centred = known - known.mean(axis=0)
    spread = np.sqrt((centred**2).mean(axis=0))
    varies = spread > _ROUNDING
    scaled = centred / np.where(varies, spread, 1.0)
    found = np.clip(scaled.T @ scaled / len(known), -1.0, 1.0)
    found = np.where(varies[:, np.newaxis] & varies, found, np.where(overlaps, 1.0, 0.0))
    np.fill_diagonal(found, 1.0)
    return found
