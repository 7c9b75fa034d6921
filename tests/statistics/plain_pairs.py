"""What paired differences tell, written down as it is defined: every difference in every resample.
It takes memory with the square of the entries, and is what `statistics.pairs` must agree with."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from benchmarks.statistics.resampling import Floats

Booleans = NDArray[np.bool_]
_ROUNDING = 1e-9
_CANCELLED = 1e-6


class Told(NamedTuple):
    """What paired differences tell of entries.

    above, below: (entries, entries), which others are told to stand above each, and which below.
    error: (entries, entries), standard errors of the differences; nan where the draws tell nothing.
    critical: (entries,), how many standard errors all differences from an entry stay within; nan
    where none tells.
    """

    above: Booleans
    below: Booleans
    error: Floats
    critical: Floats


def told_apart(
    scores: Floats,
    draws: Floats,
    *,
    level: float,
    simultaneous: bool,
    groups: float | None = None,
) -> Told:
    """Which entries stand above which. Scores and draws have no nan; higher is better. `groups`:
    see `pairs.Pairs`.

    Studentised differences with step-down (Romano and Wolf 2005). A family of hypotheses is what
    must hold at once: an entry against all others in both directions, or with `simultaneous` all of
    them.
    """
    entries = len(scores)
    above, below = (np.zeros((entries, entries), dtype=bool) for _ in range(2))
    critical = np.full(entries, np.nan)
    if entries < 2 or len(draws) == 0 or (groups is not None and groups < 2):
        return Told(above, below, np.full((entries, entries), np.nan), critical)
    centred = (draws - scores) * np.sqrt(1.0 if groups is None else groups / (groups - 1))
    error = pair_errors(centred, largest=float(np.abs(scores).max()))
    per_error = np.nan_to_num(1.0 / error)
    if simultaneous:
        families = [np.nonzero(np.triu(per_error))]
    else:
        families = [
            (np.full(len(k), i), k) for i in range(entries) if len(k := per_error[i].nonzero()[0])
        ]
    for ones, others in families:
        weight = per_error[ones, others]
        ahead = (scores[ones] - scores[others]) * weight
        deviations = (centred[:, ones] - centred[:, others]) * weight
        is_more, is_less, first = _step_down(ahead, deviations, level, groups)
        below[ones[is_more], others[is_more]] = True
        above[ones[is_less], others[is_less]] = True
        critical[np.concatenate([ones, others]) if simultaneous else ones] = first
    if simultaneous:
        above, below = above | below.T, below | above.T
    return Told(above, below, error, critical)


def pair_errors(centred: Floats, *, largest: float) -> Floats:
    """Standard error of each difference of two entries, (entries, entries); nan where the draws do
    not differ.

    centred: (resamples, entries), without nan; largest: the size of the scores, by which rounding
    is told.
    """
    moments = centred.T @ centred / len(centred)
    spread = np.diag(moments)
    errors = np.sqrt(np.maximum(spread[:, None] + spread[None, :] - 2 * moments, 0.0))
    single = np.sqrt(np.maximum(spread[:, None], spread[None, :]))
    tells = errors > np.maximum(
        _ROUNDING * max(largest, np.finfo(np.float64).tiny), _CANCELLED * single
    )
    np.fill_diagonal(tells, False)
    return np.where(tells, errors, np.nan)


def _step_down(
    ahead: Floats, deviations: Floats, level: float, groups: float | None
) -> tuple[Booleans, Booleans, float]:
    """Which of the differences are told to be above and below zero, shape (differences,) each, and
    the critical value that holds for all of them at once.

    ahead: studentised differences; deviations: (resamples, differences), what chance does to them.
    What is told drops out of the family, and the rest is looked at again by a lower critical value.
    """
    is_more, is_less = (np.zeros(len(ahead), dtype=bool) for _ in range(2))
    first = np.nan
    while True:
        up, down = ~is_more, ~is_less
        if not (up.any() or down.any()):
            return is_more, is_less, first
        largest = np.maximum(
            deviations.max(axis=1, where=up, initial=-np.inf),
            -deviations.min(axis=1, where=down, initial=np.inf),
        )
        critical = max(0.0, float(np.quantile(largest, level, method="higher"))) * (1 + 1e-9)
        if groups is not None:
            by_resamples = 2 * ndtr(-critical)
            by_count = min(by_resamples, (1 - level) / ((up.sum() + down.sum()) / 2))
            weight = min(1.0, 20 / groups) ** 0.5
            chance = np.exp((1 - weight) * np.log(by_resamples) + weight * np.log(by_count))
            critical = float(stdtrit(groups - 1, 1 - chance / 2))
        first = critical if np.isnan(first) else first
        more, less = up & (ahead > critical), down & (-ahead > critical)
        if not (more.any() or less.any()):
            return is_more, is_less, first
        is_more |= more
        is_less |= less
