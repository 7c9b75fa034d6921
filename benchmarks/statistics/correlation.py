"""How far two measurements of the same things rise and fall together, by their ranks."""

from collections.abc import Sequence

import numpy as np

from benchmarks.statistics.resampling import Floats


def spearman(first: Sequence[float] | Floats, second: Sequence[float] | Floats) -> float | None:
    """Spearman's rank correlation, from -1 to 1: Pearson's of the ranks, ties sharing their mean
    rank.

    None for fewer than two pairs, and where either side always has the same value. Raises
    ValueError for sequences of different lengths. spearman([1, 2, 3, 4], [10, 30, 20, 40]) = 0.8
    """
    if len(first) != len(second):
        raise ValueError("each thing needs both measurements")
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    return float(np.corrcoef(mean_ranks(first), mean_ranks(second))[0, 1])


def mean_ranks(values: Sequence[float] | Floats) -> Floats:
    """Ranks from 1 for the smallest, shape (N,); equal values share the mean of their places: 5 5 1
    -> 2.5 2.5 1."""
    _, place, times = np.unique(
        np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True
    )
    last = np.cumsum(times)
    ranks: Floats = (last - (times - 1) / 2)[place]
    return ranks
