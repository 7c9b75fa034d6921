"""Ranks of scores."""

import numpy as np

from benchmarks.statistics.pairs import Integers
from benchmarks.statistics.resampling import Floats


def competition_ranks(scores: Floats, *, higher_is_better: bool = True) -> Integers:
    """Ranks along the last axis, 1 for the best; ties share the better rank (1, 2, 2, 4). nan ranks
    last.

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
