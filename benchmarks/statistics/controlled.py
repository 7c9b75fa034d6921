"""A mean score with one influence taken out: what it would be where a covariate is zero everywhere.

A straight line within strata, y = stratum + slope * x, is fitted to the answers of one entry, and
the mean is told at x = 0: mean(y) - slope * mean(x). Within strata, because what is asked decides
both how long an answer is and how well it is done. Length-controlled AlpacaEval (Dubois, Galambosi,
Liang and Hashimoto 2024, arXiv 2404.04475) does the same with a logistic line for preferences, a
difficulty per question fitted over all its models, and a small penalty on the slope. Of one entry's
own answers alone no other entry moves the result, and without a penalty the interval says how
little is known where its answers hardly differ in x.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.statistics.resampling import Floats, ratios

Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class SlopeParts:
    """What each answer adds to a slope, which is sum(numerator) / sum(denominator); both (R, N). An
    answer outside the fit adds 0 to either."""

    numerator: Floats
    denominator: Floats


def slope_parts(
    totals: Floats, counts: Floats, covariate: Floats, strata: Places, *, least: int = 1
) -> SlopeParts:
    """The slope within strata by least squares, as a ratio of sums over answers (Frisch and Waugh
    1933: both sides less the means of their stratum).

    totals, counts: sum and number of the scores that each of N answers has in each of R runs, (R,
    N); an answer with the count 0 is outside. covariate: (N,), finite. strata: (N,), from 0. The
    denominators of a run add up to its number of scores, whatever the unit of the covariate; where
    it is the same in every stratum they are all 0, and there is no slope; nor is there in a run in
    which fewer than `least` answers are left over when one of each stratum is taken away.

    >>> scores, lengths = np.array([[1.0, 3.0, 5.0, 9.0]]), np.array([0.0, 1.0, 0.0, 2.0])
    >>> parts = slope_parts(scores, np.ones((1, 4)), lengths, np.array([0, 0, 1, 1]))
    >>> float(parts.numerator.sum() / parts.denominator.sum())
    2.0
    """
    counted = counts > 0
    apart = np.where(counted, covariate - stratum_means(counts * covariate, counts, strata), 0.0)
    # Rounding leaves a little where all are alike, and a slope of nothing but rounding is none.
    apart[np.abs(apart) <= _ROUNDING * np.abs(covariate).max(initial=0.0)] = 0.0
    left_over = [np.count_nonzero(row) - len(set(strata[row != 0].tolist())) for row in apart]
    apart[np.array(left_over) < least] = 0.0
    above = np.where(counted, totals - counts * stratum_means(totals, counts, strata), 0.0)
    numerator, denominator = apart * above, counts * apart**2
    whole = ratios(counts.sum(axis=1), denominator.sum(axis=1))[:, np.newaxis]
    factor = np.nan_to_num(whole, nan=0.0)
    return SlopeParts(numerator * factor, denominator * factor)


def stratum_means(totals: Floats, counts: Floats, strata: Places) -> Floats:
    """The mean of each answer's stratum, (R, N); nan where nothing of it is counted."""
    means = np.empty(totals.shape)
    for run, (total, count) in enumerate(zip(totals, counts, strict=True)):
        means[run] = ratios(np.bincount(strata, total), np.bincount(strata, count))[strata]
    return means


_ROUNDING = 1e-12  # share of the largest


def at_zero(mean: Floats, slope: Floats, covariate: Floats) -> Floats:
    """What the mean score would be with a mean covariate of zero; nan where any of them is. A line
    may lead out of the scale of the scores, and is not cut off there: resamples that were would all
    be alike, and their interval nothing."""
    return mean - slope * covariate
