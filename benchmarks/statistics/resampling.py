"""Intervals by resampling questions in their natural groups (the cluster bootstrap; Davison and Hinkley 1997, ch. 3).

All entries of a release use the same weights, so their draws are paired and one matrix product serves every metric.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RESAMPLES = 1_000
LEVEL = 0.95


def resample_weights(groups: int, *, seed: int, resamples: int = RESAMPLES) -> Floats:
    """How often each group is drawn in each resample, shape (resamples, groups); every row sums to `groups`.

    The same arguments give the same weights. Without groups the result has no columns.
    """
    if groups == 0:
        return np.zeros((resamples, 0))
    rng = np.random.default_rng(seed)
    return rng.multinomial(groups, np.full(groups, 1 / groups), size=resamples).astype(np.float64)


def ratios(numerator: Floats, denominator: Floats) -> Floats:
    """Elementwise numerator / denominator; nan where the denominator is zero."""
    undefined = denominator == 0
    return np.where(undefined, np.nan, numerator / np.where(undefined, 1.0, denominator))


def run_means(values: Floats) -> Floats:
    """Mean over the first axis (runs) of those values that are defined; nan where none is."""
    defined = ~np.isnan(values)
    return ratios(
        np.where(defined, values, 0.0).sum(axis=0), defined.sum(axis=0).astype(np.float64)
    )


def point_ratios(numerator: Floats, denominator: Floats) -> Floats:
    """Metric per run, shape (runs, metrics), from arrays of shape (runs, groups, metrics)."""
    return ratios(numerator.sum(axis=1), denominator.sum(axis=1))


def resampled_ratios(weights: Floats, numerator: Floats, denominator: Floats) -> Floats:
    """Metrics of every resample averaged over runs, shape (resamples, metrics).

    weights: (resamples, groups); numerator, denominator: (runs, groups, metrics). A resample in which no run has a
    denominator is nan.
    """
    return run_means(ratios(weights @ numerator, weights @ denominator))


def intervals(draws: Floats, *, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Percentile interval of each column of draws, shape (resamples, metrics) -> two of shape (metrics,).

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
