"""Metrics made of metrics: means of dataset values, and Cohen's kappa of two sides."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from benchmarks.protocols.base import Derived, Floats


def mean_of_means(
    parts: Sequence[Sequence[str]], defined: set[str]
) -> Callable[[Mapping[str, Floats]], Floats]:
    """The unweighted mean over `parts` of the unweighted mean of each. Undefined where one of the
    metrics has no value; a resample without any record of a dataset goes on without it."""
    is_whole = defined.issuperset(name for names in parts for name in names)

    def mean(values: Mapping[str, Floats]) -> Floats:
        means = [mean_where_known([values[name] for name in names]) for names in parts]
        return mean_where_known(means) if is_whole else np.full_like(means[0], np.nan)

    return mean


def mean_where_known(columns: Sequence[Floats]) -> Floats:
    stacked = np.array(columns, dtype=np.float64)
    known = ~np.isnan(stacked)
    number = known.sum(axis=0)
    total = np.where(known, stacked, 0.0).sum(axis=0)
    mean: Floats = np.divide(total, number, out=np.full_like(total, np.nan), where=number > 0)
    return mean


def kappa(agreement: str, one: str, other: str) -> Derived:
    """Cohen's kappa of two sides that say right or wrong, from how often they agree and each says
    right (Cohen 1960). Undefined where chance alone agrees always. All three look at the same
    answers."""

    def beyond_chance(values: Mapping[str, Floats]) -> Floats:
        observed, a, b = (
            np.asarray(values[name], dtype=np.float64) for name in (agreement, one, other)
        )
        chance = a * b + (1 - a) * (1 - b)
        empty = np.full_like(chance, np.nan)
        share: Floats = np.divide(observed - chance, 1 - chance, out=empty, where=chance < 1)
        return share

    return Derived(beyond_chance, (agreement, one, other), (agreement,))
