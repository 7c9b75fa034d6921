"""Rank ranges: between which places an entry stands over the paired resamples of all entries."""

import numpy as np
from numpy.typing import NDArray

from benchmarks.statistics.resampling import LEVEL, Floats


def competition_ranks(scores: Floats, *, higher_is_better: bool = True) -> NDArray[np.int64]:
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
    draws: Floats, *, higher_is_better: bool = True, level: float = LEVEL
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Best and worst rank of each entry in the central `level` of the resamples.

    draws: (resamples, entries), paired. Without entries both results are empty. The bounds are ranks that occurred.
    """
    if draws.shape[1] == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    ranks = competition_ranks(draws, higher_is_better=higher_is_better)
    best = np.percentile(ranks, 50 * (1 - level), axis=0, method="lower")
    worst = np.percentile(ranks, 50 * (1 + level), axis=0, method="higher")
    return best.astype(np.int64), worst.astype(np.int64)
