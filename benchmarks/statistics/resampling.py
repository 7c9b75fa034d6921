"""Intervals by resampling questions in their natural groups (the cluster bootstrap; Davison and
Hinkley 1997, ch. 3).

All entries of a release use the same weights, so their draws are paired and one matrix product
serves every metric.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.float64] | NDArray[np.signedinteger]

RESAMPLES = 1_000
LEVEL = 0.95

WEIGHTS_AT_ONCE = 2_000_000
"""16 MB. Releases of up to 2,000 groups, as all the papers' are, have all their resamples in one
block; those of ten thousand took 165 MB."""


def resample_weights(groups: int, *, seed: int, resamples: int = RESAMPLES) -> Floats:
    """How often each group is drawn in each resample, (resamples, groups); rows sum to `groups`.

    The same arguments give the same weights. Without groups the result has no columns.
    """
    return np.concatenate(list(weight_blocks(groups, seed=seed, resamples=resamples)))


def weight_blocks(
    groups: int, *, seed: int, resamples: int = RESAMPLES, at_once: int = WEIGHTS_AT_ONCE
) -> Iterator[Floats]:
    """The same weights, (n, groups) after (n, groups): blocks of at most `at_once` weights, or of
    one resample where that has more.

    Made of some blocks or of one, sums of whole numbers are equal; of others the last digit may
    differ, as it does by how many threads multiply.
    """
    rng = np.random.default_rng(seed)
    rows = min(resamples, max(1, at_once // max(1, groups)))
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        if groups == 0:
            yield np.zeros((size, 0))
        else:
            chances = np.full(groups, 1 / groups)
            yield rng.multinomial(groups, chances, size=size).astype(np.float64)


def ratios(numerator: Numbers, denominator: Numbers) -> Floats:
    """Elementwise numerator / denominator; nan where the denominator is zero."""
    undefined = denominator == 0
    return np.where(undefined, np.nan, numerator / np.where(undefined, 1.0, denominator))


def run_means(values: Floats) -> Floats:
    """Mean over the first axis (runs) of those values that are defined; nan where none is."""
    defined = ~np.isnan(values)
    return ratios(
        np.where(defined, values, 0.0).sum(axis=0), defined.sum(axis=0).astype(np.float64)
    )


def point_ratios(numerator: Numbers, denominator: Numbers) -> Floats:
    """Metric per run, shape (runs, metrics), from arrays of shape (runs, groups, metrics)."""
    return ratios(numerator.sum(axis=1), denominator.sum(axis=1))


def resampled_ratios(weights: Floats, numerator: Floats, denominator: Floats) -> Floats:
    """Metrics of every resample averaged over runs, shape (resamples, metrics).

    weights: (resamples, groups); numerator, denominator: (runs, groups, metrics). A resample in
    which no run has a denominator is nan.
    """
    return run_means(ratios(weights @ numerator, weights @ denominator))


def intervals(draws: Floats, *, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Percentile interval of each column of draws, shape (resamples, metrics) -> two of shape
    (metrics,).

    A column with fewer than half of its resamples defined has no interval: nan, nan.
    """
    missing = np.isnan(draws).mean(axis=0) > 0.5
    low, high = np.full(draws.shape[1], np.nan), np.full(draws.shape[1], np.nan)
    tails = [50 * (1 - level), 50 * (1 + level)]
    complete = ~np.isnan(draws).any(axis=0)
    if complete.any():
        low[complete], high[complete] = np.percentile(draws[:, complete], tails, axis=0)
    for column in np.flatnonzero(~complete & ~missing):
        low[column], high[column] = np.nanpercentile(draws[:, column], tails)
    return low, high
