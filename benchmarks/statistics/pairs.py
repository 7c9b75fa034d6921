"""What paired resamples tell of each entry against all others, of ten entries and of ten thousand.

The critical value of an entry is a quantile, over the resamples, of the largest of its studentised
differences to all others. To look at every difference in every resample is a hundred billion of
them for ten thousand entries. But few can be the largest: those to entries that a resample puts far
from where they stand, and those to entries so alike that their difference hardly varies.
`Pairs.largest` looks at these, knows how large any other can be at most, and looks at all only in
the resamples in which that might matter. What it returns is what looking at everything gives.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.statistics.distributions import ndtr, stdtrit
from benchmarks.statistics.intervals import LEAST_GROUPS_OF_MEAN
from benchmarks.statistics.resampling import Floats

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]

# Share of the scores: differences that spread less than this are equal but for rounding. And of a
# critical value: one that is a difference of the scores too tells it on no machine.
_ROUNDING = 1e-9

# Share of the single errors: of two numbers that cancel, a hundred millionth is left by rounding
# (√2⁻⁵³).
_CANCELLED = 1e-6

FEW = 250
"""Entries of which all differences are looked at: of 200 that takes 0.8 times as long as choosing,
of 300 1.5 times, of 400 1.7 times."""
EXTREMES, EXTREME_SHARE = 32, 32
"""Highest and lowest entries looked at in each resample: so many, or one of so many where that is
more. The bound on all others is where the last of them stands, which of many entries is farther
out: with 32 of 10,000 four resamples of ten are looked at in full, with 312 one of thirty."""
ALIKE, ALIKE_SHARE, MOST_ALIKE = 64, 8, 640
"""Entries with the smallest errors against one, looked at in every resample: one of eight, within
these limits. So many near relatives of an entry may be handed in before all others are looked at
more often. Of 10,000 entries of twenty families, 500 each, an entry takes 18 ms instead of the 59
it takes with 64 and 32 extremes; of 1,000 1.7 instead of 2.1. More than 640 take longer."""
FEW_GROUPS = 20
"""Of so many groups or fewer the critical value is that of as many independent tests as there are
pairs (Bonferroni), for each pair has an error of its own that so few tell badly; resamples take
all errors for known. Of more groups it moves from there to that of the resamples, by the root of
this over the groups: `python -m bench.ranks` has the simulations."""
BLOCK = 256
"""Entries whose errors against all others are computed at once: 20 MB for ten thousand."""


class Pairs:
    """Entries in the order of `scores`; sign: -1 where lower is better.

    scores: (entries,); draws: (resamples, entries), paired; neither with nan. groups: how many of
    equal size those that were resampled count for (`intervals.effective_groups`); None: so many
    that their number does not matter. As long as it lives it keeps two copies of the draws, one by
    entry and one by resample: 160 MB for ten thousand entries and a thousand resamples.
    """

    def __init__(
        self, scores: Floats, draws: Floats, sign: float = 1.0, *, groups: float | None = None
    ) -> None:
        self.scores, self.groups = sign * scores, groups
        self.by_entry = np.ascontiguousarray(draws.T - scores[:, np.newaxis])
        self.by_entry *= sign * spread_factor(groups)
        self.by_resample = np.ascontiguousarray(self.by_entry.T)
        self.spread = np.einsum("er,er->e", self.by_entry, self.by_entry) / max(len(draws), 1)
        largest = max(float(np.abs(scores).max(initial=0.0)), float(np.finfo(np.float64).tiny))
        self.least = _ROUNDING * largest
        self.extremes = Extremes.of(self) if len(scores) > FEW else None
        self.alike = min(max(ALIKE, len(scores) // ALIKE_SHARE), MOST_ALIKE)

    def errors(self, ones: Integers, others: Integers | None = None) -> Floats:
        """Standard errors of the differences of these entries to others, or to all, (ones, others);
        nan where the draws do not differ."""
        columns = np.arange(len(self.scores)) if others is None else others
        second = self.by_entry if others is None else self.by_entry[others]
        moments = self.by_entry[ones] @ second.T / max(len(self.by_resample), 1)
        spread, facing = self.spread[ones][:, np.newaxis], self.spread[columns]
        found = np.sqrt(np.maximum(spread + facing - 2 * moments, 0.0))
        single = np.sqrt(np.maximum(spread, facing))
        tells = found > np.maximum(self.least, _CANCELLED * single)
        tells &= ones[:, np.newaxis] != columns
        return np.where(tells, found, np.nan)

    def weights(self) -> Iterator[tuple[int, Floats]]:
        """Every entry with one over each of its errors, (entries,); 0 where nothing is told."""
        for start in range(0, len(self.scores), BLOCK):
            block = np.arange(start, min(start + BLOCK, len(self.scores)))
            yield from enumerate(np.nan_to_num(1.0 / self.errors(block)), start)

    def ahead(self, entry: int, weight: Floats) -> Floats:
        """How many standard errors the entry is ahead of each, (entries,)."""
        found: Floats = (self.scores[entry] - self.scores) * weight
        return found

    def of(self, entry: int, weight: Floats, first: int = 0) -> "Deviations | ManyDeviations":
        """The differences of an entry to those from `first` on; `weight` as `weights` has it."""
        kind = Deviations if self.extremes is None else ManyDeviations
        return kind(self, entry, weight, first)


class Deviations:
    """What chance does to the studentised differences of one entry, all of them looked at."""

    def __init__(self, pairs: Pairs, entry: int, weight: Floats, first: int) -> None:
        self.first = first
        self.all = pairs.by_entry[entry] - pairs.by_entry[first:]
        self.all *= weight[first:, np.newaxis]

    def largest(self, up: Booleans, down: Booleans, level: float, known: Floats) -> Floats:
        """The largest in each resample, (resamples,), of `known` and of these.

        up, down: (entries,), against whom the entry is to be ahead, and behind. Numbers below the
        quantile `level` of the result may be too small, which moves no quantile from there on.
        """
        return largest_of(self.all, up[self.first :], down[self.first :], known)


def largest_of(deviations: Floats, up: Booleans, down: Booleans, known: Floats) -> Floats:
    """deviations: (entries, resamples). What is left out is 0, as what the draws tell nothing of
    is."""
    found = known
    for some, sign in ((up, np.maximum), (down, np.minimum)):
        kept = deviations if some.all() else deviations[some]
        if len(kept):
            ends = sign.reduce(kept, axis=0)
            found = np.maximum(found, ends if sign is np.maximum else -ends)
    return found


class ManyDeviations:
    """The same, most of them not looked at."""

    def __init__(self, pairs: Pairs, entry: int, weight: Floats, first: int) -> None:
        assert pairs.extremes is not None
        self.extremes, self.own = pairs.extremes, pairs.by_entry[entry]
        self.by_resample, self.first = pairs.by_resample, first
        self.weight = weight.copy()
        self.weight[:first] = 0.0
        self.alike = np.argpartition(self.weight, -pairs.alike)[-pairs.alike :]
        self.near = self.own - pairs.by_entry[self.alike]
        self.near *= self.weight[self.alike, np.newaxis]
        self.rest = self.weight.copy()
        self.rest[self.alike] = 0.0

    def largest(self, up: Booleans, down: Booleans, level: float, known: Floats) -> Floats:
        found = largest_of(self.near, up[self.alike], down[self.alike], known)
        above, below = self.rest * up, self.rest * down
        found = np.maximum(found, self.extremes.largest(self.own, above, below))
        bound = self.extremes.bound(self.own, float(above.max()), float(below.max()))
        quantile = np.quantile(found, level, method="higher")
        for rows in parts(np.flatnonzero(bound > np.maximum(found, quantile))):
            deviations = self.own[rows, np.newaxis] - self.by_resample[rows]
            more, less = (deviations * above).max(axis=1), (deviations * below).min(axis=1)
            found[rows] = np.maximum(found[rows], np.maximum(more, -less))
        return found


@dataclass(frozen=True, slots=True)
class Extremes:
    """The entries that stand lowest and highest in each resample. lowest, highest: (extremes,
    resamples), places; low, high: where they stand, the one nearest to all others last and
    first."""

    lowest: Integers
    highest: Integers
    low: Floats
    high: Floats

    @classmethod
    def of(cls, pairs: Pairs) -> "Extremes":
        most = max(EXTREMES, len(pairs.scores) // EXTREME_SHARE)
        order = np.empty((2 * most, len(pairs.by_resample)), dtype=np.int64)
        for r, row in enumerate(pairs.by_resample):
            split = np.argpartition(row, [most - 1, len(row) - most])
            order[:most, r], order[most:, r] = split[:most], split[-most:]
        values = np.take_along_axis(pairs.by_entry, order, axis=0)
        return cls(order[:most], order[most:], values[:most], values[most:])

    def largest(self, own: Floats, above: Floats, below: Floats) -> Floats:
        """Of the differences of an entry at `own`, (resamples,), to the extreme ones."""
        up = ((own - self.low) * above[self.lowest]).max(axis=0)
        down = ((self.high - own) * below[self.highest]).max(axis=0)
        found: Floats = np.maximum(up, down)
        return found

    def bound(self, own: Floats, above: float, below: float) -> Floats:
        """How large the difference to any other entry is at most, by the largest weights."""
        found: Floats = np.maximum((own - self.low[-1]) * above, (self.high[0] - own) * below)
        return found


def parts(rows: Integers) -> Iterator[Integers]:
    """Sixty-four at a time: 5 MB of ten thousand entries."""
    for start in range(0, len(rows), 64):
        yield rows[start : start + 64]


def spread_factor(groups: float | None) -> float:
    """What the spread of resamples is to be multiplied by: that of G groups is the root of
    (G - 1) / G too small, as the variance of a sample divided by its size is."""
    return 1.0 if groups is None or groups <= 1 else math.sqrt(groups / (groups - 1))


def are_enough(groups: float | None) -> bool:
    """Whether so many groups tell how much they vary."""
    return groups is None or groups >= LEAST_GROUPS_OF_MEAN


def critical_value(largest: Floats, level: float, groups: float | None, count: float) -> float:
    """How many standard errors the largest of `count` differences stays within, with `level`.

    largest: (resamples,), of the studentised differences. groups: see `Pairs`; with it the result
    is Student's with groups - 1 degrees, for the chance that one difference has (FEW_GROUPS).
    """
    critical = max(0.0, float(np.quantile(largest, level, method="higher"))) * (1 + _ROUNDING)
    if groups is None:
        return critical
    chance = 2 * float(ndtr(-critical))
    independent = min(chance, (1 - level) / max(count, 1.0))
    weight = math.sqrt(min(1.0, FEW_GROUPS / groups))
    return -float(stdtrit(groups - 1, chance ** (1 - weight) * independent**weight / 2))


@dataclass(frozen=True, slots=True)
class SignificantCounts:
    """above, below: (entries,), how many others are significantly better and worse than each.
    critical: (entries,), the critical value of each entry's differences in standard errors; nan
    where the draws have no spread."""

    above: Integers
    below: Integers
    critical: Floats


def no_significant_counts(entries: int) -> SignificantCounts:
    none = np.zeros(entries, dtype=np.int64)
    return SignificantCounts(none, none.copy(), np.full(entries, np.nan))


def significant_counts(pairs: Pairs, *, level: float, simultaneous: bool) -> SignificantCounts:
    """How many entries are significantly better and worse than each: at `level` for the comparisons
    of one entry together, or with `simultaneous` for those of all entries together."""
    if len(pairs.scores) < 2 or not len(pairs.by_resample) or not are_enough(pairs.groups):
        return no_significant_counts(len(pairs.scores))
    return (compare_together if simultaneous else compare_each)(pairs, level=level)


def compare_each(pairs: Pairs, *, level: float) -> SignificantCounts:
    """Each entry against all others in both directions, at once with `level`.

    Studentised differences with step-down (Romano and Wolf 2005): significant
    differences leave the family, and the rest is tested again by a lower critical value.
    """
    counts = no_significant_counts(len(pairs.scores))
    nobody = np.zeros(len(pairs.by_resample))
    for i, weight in pairs.weights():
        if not weight.any():
            continue
        ahead, critical = pairs.ahead(i, weight), np.inf
        deviations = pairs.of(i, weight)
        while True:
            up, down = ahead <= critical, -ahead <= critical
            found = deviations.largest(up, down, level, nobody)
            count = compared(up, down, weight)
            before, critical = critical, critical_value(found, level, pairs.groups, count)
            if np.isnan(counts.critical[i]):
                counts.critical[i] = critical
            distance = np.abs(ahead)
            if not ((distance > critical) & (distance <= before)).any():
                break
        counts.below[i], counts.above[i] = (ahead > critical).sum(), (-ahead > critical).sum()
    return counts


def compared(up: Booleans, down: Booleans, weight: Floats) -> float:
    """How many differences are not significant yet and vary over the draws; one that is left in
    one direction counts half."""
    return float(((weight > 0) * (up * 1.0 + down)).sum()) / 2


def compare_together(pairs: Pairs, *, level: float) -> SignificantCounts:
    """All entries against all others at once with `level`; one critical value, step-down as in
    `compare_each`."""
    counts = no_significant_counts(len(pairs.scores))
    critical = np.inf
    while True:
        found, nearest, count = np.zeros(len(pairs.by_resample)), 0.0, 0.0
        tells = False
        for i, weight in pairs.weights():
            tells = tells or bool(weight.any())
            ahead = pairs.ahead(i, weight)
            counts.below[i], counts.above[i] = (ahead > critical).sum(), (-ahead > critical).sum()
            nearest = max(nearest, float(ahead.max(where=ahead <= critical, initial=0.0)))
            if i + 1 < len(weight):  # the pairs before were looked at from the other entry
                up, down = ahead <= critical, -ahead <= critical
                found = pairs.of(i, weight, i + 1).largest(up, down, level, found)
                rest = slice(i + 1, None)
                count += compared(up[rest], down[rest], weight[rest])
        before, critical = critical, critical_value(found, level, pairs.groups, count)
        if tells and before == np.inf:
            counts.critical[:] = critical
        if nearest <= critical:
            return counts
