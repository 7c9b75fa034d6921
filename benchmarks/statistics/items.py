"""What a set of answers says of its questions: how hard each is, whether it tells strong entries
from weak ones, and which look as if their reference were wrong.

Entries are compared with how they do on all other questions, never with the question itself in it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.statistics.distributions import ndtri
from benchmarks.statistics.resampling import Floats

FEWEST_ENTRIES = 10
"""With fewer answers to a question nothing is said of how it tells entries apart, nor is it
suspected: of nine, chance alone makes a correlation below -0.5 one time in twelve."""
FEWEST_OTHERS = 5
"""Other questions that an entry must have a score on, for how it does on them to be known."""
EVERYBODY = 0.95
"""A question that so many get right, or wrong, tells entries apart no more. Of up to twenty entries
these are all of them."""
NUMBERS_AT_ONCE = 500_000  # 4 MB an array, of which some ten are held


@dataclass(frozen=True, slots=True)
class Items:
    """Of each of Q questions, (Q,). Nan is "not known".

    answered: entries with a score. share: the mean of their scores in [0, 1], nan without any.
    discrimination: correlation, over entries, of the score here with the mean score on all other
    questions, in [-1, 1]; nan for fewer than FEWEST_ENTRIES, or where either does not vary.
    missed: how much of the question the entries that do better than average elsewhere get wrong, in
    [0, 1], each weighted by how much better. suspicion: missed less discrimination, in [-1, 2];
    where nothing varies the discrimination counts as 0, so that what nobody gets right has 1, and
    what everybody does 0. Both are nan for fewer than FEWEST_ENTRIES.
    """

    answered: NDArray[np.int64]
    share: Floats
    discrimination: Floats
    missed: Floats
    suspicion: Floats


def item_statistics(scores: NDArray[np.floating]) -> Items:
    """scores: (entries, questions) in [0, 1], nan where an entry has none.

    The corrected item-rest correlation is that of classical test theory (Lord and Novick 1968,
    chapter 15); suspicion is ours: a wrong reference makes strong entries miss a question that
    weak ones get right, or all miss it. Entries with scores on fewer than FEWEST_OTHERS other
    questions are outside of all but `answered` and `share`.
    """
    entries, questions = scores.shape
    known = ~np.isnan(scores)
    totals = np.asarray(np.nansum(scores, axis=1, dtype=np.float64))
    counts = known.sum(axis=1)
    found = np.full((5, questions), np.nan)
    for here in blocks(questions, entries):
        found[:, here] = of_block(scores[:, here].astype(np.float64), totals, counts)
    return Items(found[0].astype(np.int64), *found[1:])


def blocks(questions: int, entries: int) -> Iterator[slice]:
    size = max(1, NUMBERS_AT_ONCE // max(1, entries))
    for start in range(0, questions, size):
        yield slice(start, start + size)


def of_block(scores: Floats, totals: Floats, counts: NDArray[np.int64]) -> Floats:
    """The five rows of Items for some questions. totals, counts: of each entry over all questions,
    (entries,)."""
    known = ~np.isnan(scores)
    answered = known.sum(axis=0)
    filled = np.where(known, scores, 0.0)
    share = divided(filled.sum(axis=0), answered)
    others = counts[:, np.newaxis] - known
    used = known & (others >= FEWEST_OTHERS)
    rest = divided(totals[:, np.newaxis] - filled, others)
    n = used.sum(axis=0)
    ahead = centred(rest, used, n)
    here = centred(scores, used, n)
    # A sum of squares of rounding errors is no variation: scores lie in [0, 1].
    spread = np.sqrt((ahead**2).sum(axis=0) * (here**2).sum(axis=0))
    varies = spread > 1e-9
    discrimination = divided((ahead * here).sum(axis=0), np.where(varies, spread, 0.0))
    weight = np.clip(ahead, 0.0, None)
    missed = divided((weight * (1.0 - filled) * used).sum(axis=0), weight.sum(axis=0))
    enough = n >= FEWEST_ENTRIES
    suspicion = missed - np.nan_to_num(discrimination)
    columns = [np.where(enough, row, np.nan) for row in (discrimination, missed, suspicion)]
    return np.stack([answered.astype(np.float64), share, *columns])


def divided(numerator: Floats, denominator: NDArray[np.floating] | NDArray[np.int64]) -> Floats:
    """Nan where the denominator is 0."""
    whole = np.where(denominator == 0, np.nan, denominator)
    return np.asarray(numerator / whole, dtype=np.float64)


def centred(values: Floats, used: NDArray[np.bool_], n: NDArray[np.int64]) -> Floats:
    """Values less the mean of the used ones of each column; 0 for the others."""
    kept = np.where(used, values, 0.0)
    mean = divided(kept.sum(axis=0), n)
    return np.where(used, kept - np.nan_to_num(mean), 0.0)


@dataclass(frozen=True, slots=True)
class Saturation:
    """Questions of a set that everybody gets right, that tell entries apart, and that nobody gets
    right (EVERYBODY); the shares of the three are of those with any score."""

    solved: int
    open: int
    missed: int

    @property
    def questions(self) -> int:
        return self.solved + self.open + self.missed


def saturation(share: Floats) -> Saturation:
    """share: mean score of each question, nan for those without any, which do not count."""
    known = share[~np.isnan(share)]
    solved = int((known >= EVERYBODY).sum())
    missed = int((known <= 1.0 - EVERYBODY + 1e-12).sum())  # 0.05 as a float is above 1 - 0.95
    return Saturation(solved, len(known) - solved - missed, missed)


def share_interval(share: Floats, n: NDArray[np.int64], *, level: float = 0.95) -> Floats:
    """Ends of the interval of a mean of n scores in [0, 1], (2, ...); nan where n is 0.

    Wilson's (1927) for a share; of scores between 0 and 1 it is wider than need be, for nothing
    with that mean varies more than rights and wrongs do.

    >>> share_interval(np.array([1.0]), np.array([3])).round(2).ravel().tolist()
    [0.44, 1.0]
    """
    z = float(ndtri((1 + level) / 2))
    number = np.where(n == 0, np.nan, n).astype(np.float64)
    centre = (share + z**2 / (2 * number)) / (1 + z**2 / number)
    half = z / (1 + z**2 / number) * np.sqrt(share * (1 - share) / number + (z / number) ** 2 / 4)
    # the share itself lies inside but for rounding
    ends = np.minimum(centre - half, share), np.maximum(centre + half, share)
    return np.asarray(np.clip(np.stack(ends), 0.0, 1.0), dtype=np.float64)
