"""How alike two orders of the same entries are, and how much of an order is told."""

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from benchmarks.statistics.differences import critical_of_two
from benchmarks.statistics.pairs import Pairs
from benchmarks.statistics.resampling import LEVEL, Floats

Signs = NDArray[np.int8]

STEPS = 4_001
"""Correlations that are tried as the true one, from -1 to 1: ends of intervals are right to three
digits, and pages print two."""


def order_signs(scores: Floats) -> Signs:
    """Who stands above whom, (entries, entries): 1 above, -1 below, 0 for equals. A thousand
    entries are a megabyte."""
    found: Signs = np.sign(scores[:, np.newaxis] - scores).astype(np.int8)
    return found


def kendall_tau_b(first: Floats, second: Floats) -> float | None:
    """Kendall's tau-b, from -1 to 1: pairs of entries in the same order in both, less those in the
    opposite one, over the geometric mean of the pairs that are tied in neither one (Kendall 1945,
    "The treatment of ties in ranking problems").

    None for fewer than two entries, and where either side ties all. Raises ValueError for sequences
    of different lengths. Looks at all pairs: for some thousand entries at most.

    >>> kendall_tau_b(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    0.3333333333333333
    """
    if len(first) != len(second):
        raise ValueError("each entry needs both scores")
    one, other = order_signs(first), order_signs(second)
    alike = float((one * other).sum(dtype=np.int64))
    untied = float(np.count_nonzero(one)) * float(np.count_nonzero(other))
    return alike / float(np.sqrt(untied)) if untied else None


def kendall_interval(tau: float, entries: int, *, level: float = LEVEL) -> tuple[float, float]:
    """The interval of a tau of so many entries, as drawn from all models there could be: the true
    correlations from which `tau` is no farther than chance brings it.

    The variance under each true correlation is that of two normal scores (Esscher 1924; Kendall and
    Gibbons 1990, chapter 10), and tau only looks at ranks, so that any scale will do. So the same
    order in both has an interval too: of ten entries from 0.76. Raises ValueError for fewer than
    two entries.
    """
    if entries < 2:
        raise ValueError("an order takes two entries")
    true = np.append(np.linspace(-1.0, 1.0, STEPS), tau)
    far = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(kendall_variance(true, entries))
    fitting = true[np.abs(tau - true) <= far + np.finfo(np.float64).eps]
    return float(fitting.min()), float(fitting.max())


def kendall_variance(true: Floats, entries: int) -> Floats:
    """Of the tau of so many pairs of normal scores whose true tau is this, (N,)."""
    correlation = np.sin(np.pi * true / 2)
    shared = 1 / 9 - (2 / np.pi * np.arcsin(correlation / 2)) ** 2
    found = 2 / (entries * (entries - 1)) * (1 - true**2 + 2 * (entries - 2) * shared)
    return np.asarray(np.maximum(found, 0.0))


def significant_signs(
    scores: Floats,
    draws: Floats,
    *,
    higher_is_better: bool = True,
    groups: float | None = None,
    level: float = LEVEL,
) -> Signs:
    """Which of two entries is significantly better, each pair by itself, (entries, entries): 1 the
    first, -1 the second, 0 where the difference is not significant.

    scores: (entries,), without nan; draws: (resamples, entries), paired; a resample with a nan is
    left out. groups: see `pairs.Pairs`. Of pairs that are equal in
    truth one in twenty is significant.
    """
    sign, size = 1.0 if higher_is_better else -1.0, len(scores)
    critical = critical_of_two(level=level, groups=groups)
    whole = draws[~np.isnan(draws).any(axis=1)]
    if critical is None or size < 2 or not len(whole):
        return np.zeros((size, size), dtype=np.int8)
    errors = Pairs(scores, whole, sign, groups=groups).errors(np.arange(size))
    ahead = sign * (scores[:, np.newaxis] - scores) / errors
    found: Signs = (np.sign(ahead) * (np.abs(ahead) > critical)).astype(np.float64)
    return np.nan_to_num(found, nan=0.0).astype(np.int8)


def share_significant(signs: Signs) -> float | None:
    """The share of pairs that differ significantly ("separability"); None for fewer than two
    entries."""
    pairs = len(signs) * (len(signs) - 1)
    return np.count_nonzero(signs) / pairs if pairs else None
