"""Which entries may be first in a column of figures that have intervals but no draws."""

from statistics import NormalDist

import numpy as np

from benchmarks.statistics.pairs import Booleans
from benchmarks.statistics.resampling import LEVEL, Floats


def may_be_first(
    values: Floats,
    low: Floats,
    high: Floats,
    *,
    higher_is_better: bool = True,
    level: float = LEVEL,
) -> Booleans:
    """Which entries no other is told to be better than, (entries,): the one that is best in truth
    is among them with `level` at least.

    values, low, high: (entries,), ends of intervals at `level`; nan where there is none, and an
    interval without width is none. An entry without an interval is compared with nobody: it may be
    first only where no value is better.

    The difference of two entries has the sum of their squared errors, each taken from the half of
    its interval that faces the other (Zou and Donner 2008, "Construction of confidence limits about
    effect measures"), as if they had answered different questions. Where the same questions are
    hard for both the error is smaller, so that this marks too many rather than too few. An entry is
    compared with all others at once (Bonferroni).
    """
    sign = 1.0 if higher_is_better else -1.0
    turned = sign * values
    found: Booleans = turned >= np.max(turned, where=~np.isnan(turned), initial=-np.inf)
    has_interval = high > low
    number = int(has_interval.sum())
    if number < 2:
        return found | has_interval
    normal = NormalDist()
    wider = normal.inv_cdf(1 - (1 - level) / (number - 1)) / normal.inv_cdf((1 + level) / 2)
    above, below = (
        (high - values, values - low) if higher_is_better else (values - low, high - values)
    )
    # Entries of equal figures are told alike, and figures of few questions are equal in thousands
    # of entries.
    figures, own = np.unique(
        np.column_stack([turned, above, below])[has_interval], axis=0, return_inverse=True
    )
    found[has_interval] |= ~is_below_any(figures[:, 0], figures[:, 1], figures[:, 2], wider)[
        own.ravel()
    ]
    return found


BLOCK = 256
"""Figures that are compared with all others at once: 20 MB for ten thousand."""


def is_below_any(values: Floats, above: Floats, below: Floats, wider: float) -> Booleans:
    """Which figures another is told to be better than, (figures,). Most are behind the one whose
    lower end is highest, and only the others are compared with all."""
    best = int(np.argmax(values - wider * below))
    found: Booleans = values[best] - values > wider * np.hypot(above, below[best])
    left = np.flatnonzero(~found)
    for start in range(0, len(left), BLOCK):
        some = left[start : start + BLOCK]
        facing = np.hypot(above[some][:, np.newaxis], below[np.newaxis, :])
        ahead = values[np.newaxis, :] - values[some][:, np.newaxis]
        found[some] = (ahead > wider * facing).any(axis=1)
    return found
