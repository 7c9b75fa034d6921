"""Ranks, and between which places an entry's true rank lies.

A rank range is a confidence set for a rank (Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference for
Ranks"): every other entry that paired differences place above, by a critical value for all these
comparisons at once, takes a place from the top, every one below a place from the bottom. The quantiles
of resampled ranks are no such set: of ten equal models each then has place 1 in its range in six
simulations of ten.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from benchmarks.statistics.resampling import LEVEL, Floats

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]

# Share of the scores: differences that spread less than this are equal but for rounding.
_ROUNDING = 1e-9

# Share of the single errors: of two numbers that cancel, a hundred millionth is left by rounding (√2⁻⁵³).
_CANCELLED = 1e-6


def competition_ranks(scores: Floats, *, higher_is_better: bool = True) -> Integers:
    """Ranks along the last axis, 1 for the best; ties share the better rank (1, 2, 2, 4). nan ranks last.

    >>> competition_ranks(np.array([0.3, 0.5, 0.5, 0.1])).tolist()
    [3, 1, 1, 4]
    """
    keys = np.where(np.isnan(scores), np.inf, -scores if higher_is_better else scores)
    order = np.argsort(keys, axis=-1, kind="stable")
    ordered = np.take_along_axis(keys, order, axis=-1)
    places = np.broadcast_to(np.arange(keys.shape[-1]), keys.shape)
    begins = np.ones(keys.shape, dtype=bool)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    first = np.maximum.accumulate(np.where(begins, places, 0), axis=-1)
    ranks = np.empty(keys.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, first + 1, axis=-1)
    return ranks


def rank_ranges(
    scores: Floats,
    draws: Floats,
    *,
    higher_is_better: bool = True,
    level: float = LEVEL,
    simultaneous: bool = False,
    groups: int | None = None,
) -> tuple[Integers, Integers]:
    """Best and worst place of each entry: each range holds its entry's true rank with `level`; with
    `simultaneous`, all of them do at once.

    scores: (entries,), nan where there is none; such entries stand below all others.
    draws: (resamples, entries), paired resamples of the scores. A resample in which an entry with a
    score is nan is left out; without any, nothing is told.

    groups: how many groups were resampled. Resamples take the spread of so many as if it were known;
    with the number, critical values are Student's with groups - 1 degrees where they would be normal. On
    167 groups the ranges of twenty equal entries hold without it in 93 % of simulations.

    Entries that are equal in truth share all their places, and a range holds the whole span of such a
    tie. Where the difference of two entries is the same in every resample, nothing is told between
    them, and the range is wide. Without entries both results are empty.
    """
    sign = 1.0 if higher_is_better else -1.0
    scored = np.flatnonzero(~np.isnan(scores))
    usable = draws[:, scored][~np.isnan(draws[:, scored]).any(axis=1)]
    told = told_apart(
        sign * scores[scored],
        sign * usable,
        level=level,
        simultaneous=simultaneous,
        groups=groups,
    )
    best = np.full(len(scores), len(scored) + 1)
    worst = np.full(len(scores), len(scores))
    best[scored] = 1 + told.above.sum(axis=1)
    worst[scored] = len(scored) - told.below.sum(axis=1)
    return best, worst


class Told(NamedTuple):
    """What paired differences tell of entries.

    above, below: (entries, entries), which others are told to stand above each, and which below.
    error: (entries, entries), standard errors of the differences; nan where the draws tell nothing.
    critical: (entries,), how many standard errors all differences from an entry stay within; nan where none tells.
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
    groups: int | None = None,
) -> Told:
    """Which entries stand above which. Scores and draws have no nan; higher is better. `groups`: see rank_ranges.

    Studentised differences with step-down (Romano and Wolf 2005). A family of hypotheses is what must
    hold at once: an entry against all others in both directions, or with `simultaneous` all of them.
    """
    entries = len(scores)
    above, below = (np.zeros((entries, entries), dtype=bool) for _ in range(2))
    critical = np.full(entries, np.nan)
    if entries < 2 or len(draws) == 0 or (groups is not None and groups < 2):
        return Told(above, below, np.full((entries, entries), np.nan), critical)
    centred = draws - scores
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
    """Standard error of each difference of two entries, (entries, entries); nan where the draws do not differ.

    centred: (resamples, entries), without nan; largest: the size of the scores, by which rounding is told.
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
    ahead: Floats, deviations: Floats, level: float, groups: int | None
) -> tuple[Booleans, Booleans, float]:
    """Which of the differences are told to be above and below zero, shape (differences,) each, and the critical value
    that holds for all of them at once.

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
        critical = max(0.0, float(np.quantile(largest, level, method="higher")))
        if groups is not None:
            critical = -float(stdtrit(groups - 1, ndtr(-critical)))
        first = critical if np.isnan(first) else first
        more, less = up & (ahead > critical), down & (-ahead > critical)
        if not (more.any() or less.any()):
            return is_more, is_less, first
        is_more |= more
        is_less |= less
