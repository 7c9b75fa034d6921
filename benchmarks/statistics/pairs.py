"""What paired resamples tell of each entry against all others, of ten entries and of ten thousand.

The critical value of an entry is a quantile, over the resamples, of the largest of its studentised
differences to all others. To look at every difference in every resample is a hundred billion of
them for ten thousand entries. But few can be the largest. Entries stand in blocks, a root of their
number in each (`Blocks`), and by the ends of a block in a resample and the smallest error against
any entry of it, the differences to all of them have a bound. `Pairs.of` looks at the entries that
are much like the one, and then only at blocks whose bound is above what was found. What it returns
is what looking at everything gives. So the work on n entries grows with n to the power of 1.5, but
for the errors of all pairs, which are a product of matrices.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

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
CLOSE, MOST_ALIKE = 1.5, 640
"""An entry is a relative of one where its error is so many times smaller than the median one; of
these so many are looked at in every resample. Else near copies would make the bound on all others
useless."""
FEW_GROUPS = 20
"""Of so many groups or fewer the critical value is that of as many independent tests as there are
pairs (Bonferroni), for each pair has an error of its own that so few tell badly; resamples take
all errors for known. Of more groups it moves from there to that of the resamples, by the root of
this over the groups: `python -m bench.ranks` has the simulations."""
BLOCK = 64
"""Entries whose errors against all others are computed at once: 26 MB for ten thousand. With 256 it
takes as long, and 103 MB."""


class Pairs:
    """Entries in the order of `scores`; sign: -1 where lower is better.

    scores: (entries,); draws: (resamples, entries), paired; neither with nan. groups: how many of
    equal size those that were resampled count for (`intervals.effective_groups`); None: so many
    that their number does not matter. As long as it lives it keeps two copies of the draws, one by
    entry and one by block: 160 MB for ten thousand entries and a thousand resamples.
    """

    def __init__(
        self, scores: Floats, draws: Floats, sign: float = 1.0, *, groups: float | None = None
    ) -> None:
        self.scores, self.groups = sign * scores, groups
        self.by_entry = np.ascontiguousarray(draws.T - scores[:, np.newaxis])
        self.by_entry *= sign * spread_factor(groups)
        self.spread = np.einsum("er,er->e", self.by_entry, self.by_entry) / max(len(draws), 1)
        largest = max(float(np.abs(scores).max(initial=0.0)), float(np.finfo(np.float64).tiny))
        self.least = _ROUNDING * largest
        self.blocks = Blocks.among(self.by_entry, self.spread) if len(scores) > FEW else None

    def errors(self, ones: Integers, others: Integers | None = None) -> Floats:
        """Standard errors of the differences of these entries to others, or to all, (ones, others);
        nan where the draws do not differ."""
        columns = np.arange(len(self.scores)) if others is None else others
        second = self.by_entry if others is None else self.by_entry[others]
        moments = self.by_entry[ones] @ second.T / max(self.by_entry.shape[1], 1)
        spread, facing = self.spread[ones][:, np.newaxis], self.spread[columns]
        found = np.sqrt(np.maximum(spread + facing - 2 * moments, 0.0))
        single = np.sqrt(np.maximum(spread, facing))
        tells = found > np.maximum(self.least, _CANCELLED * single)
        tells &= ones[:, np.newaxis] != columns
        return np.where(tells, found, np.nan)

    def weights(self) -> Iterator[tuple[int, Floats]]:
        """Every entry with one over each of its errors, (entries,); 0 where the draws tell
        nothing."""
        for start in range(0, len(self.scores), BLOCK):
            block = np.arange(start, min(start + BLOCK, len(self.scores)))
            yield from enumerate(np.nan_to_num(1.0 / self.errors(block)), start)

    def ahead(self, entry: int, weight: Floats) -> Floats:
        """How many standard errors the entry is ahead of each, (entries,)."""
        found: Floats = (self.scores[entry] - self.scores) * weight
        return found

    def of(self, entry: int, weight: Floats, first: int = 0) -> "Deviations | ManyDeviations":
        """The differences of an entry to those from `first` on; `weight` as `weights` has it."""
        kind = Deviations if self.blocks is None else ManyDeviations
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
    """Deviations of an entry from many others, most of them not looked at."""

    def __init__(self, pairs: Pairs, entry: int, weight: Floats, first: int) -> None:
        assert pairs.blocks is not None
        self.blocks, self.own = pairs.blocks, pairs.by_entry[entry]
        rest = weight.copy()
        rest[:first] = 0.0
        self.alike = relatives(rest)
        self.near = self.own - pairs.by_entry[self.alike]
        self.near *= rest[self.alike, np.newaxis]
        rest[self.alike] = 0.0
        self.rest = self.blocks.of(rest)
        self.over, self.under = self.own - self.blocks.low, self.blocks.high - self.own

    def largest(self, up: Booleans, down: Booleans, level: float, known: Floats) -> Floats:
        found = largest_of(self.near, up[self.alike], down[self.alike], known.copy())
        above, below = self.rest * self.blocks.of(up), self.rest * self.blocks.of(down)
        bound = np.maximum(
            self.over * above.max(axis=1)[:, np.newaxis],
            self.under * below.max(axis=1)[:, np.newaxis],
        )
        enough = np.maximum(found, quantile_at_most(found, level))
        # First the block that may hold the largest, in the resamples that may be above the
        # quantile: what is found there leaves few others.
        rows = largest_places(bound.max(axis=0), 2 * math.ceil((1 - level) * len(found)))
        blocks = bound[:, rows].argmax(axis=0)
        is_open = bound[blocks, rows] > enough[rows]
        self.look(blocks[is_open], rows[is_open], above, below, found)
        bound[blocks, rows] = 0.0
        enough = np.maximum(found, quantile_at_most(found, level))
        blocks, rows = np.divmod(np.flatnonzero(bound > enough), len(found))
        most = bound[blocks, rows]
        for some in parts(np.argsort(-most)):
            left = some[most[some] > enough[rows[some]]]
            if len(left):
                self.look(blocks[left], rows[left], above, below, found)
                enough = np.maximum(found, quantile_at_most(found, level))
        return found

    def look(
        self, blocks: Integers, rows: Integers, above: Floats, below: Floats, found: Floats
    ) -> None:
        """Each block is looked at in the resample of the same place, and what is largest so far
        kept in `found`."""
        deviations = self.own[rows, np.newaxis] - self.blocks.values[blocks, rows]
        more = (deviations * above[blocks]).max(axis=1)
        less = (deviations * below[blocks]).min(axis=1)
        np.maximum.at(found, rows, np.maximum(more, -less))


def relatives(weight: Floats) -> Integers:
    """The entries whose errors against one are much smaller than is usual."""
    told = weight[weight > 0]
    usual = float(np.median(told)) if len(told) else 0.0
    found = np.flatnonzero(weight > CLOSE * usual)
    return found if len(found) <= MOST_ALIKE else largest_places(weight, MOST_ALIKE)


def largest_places(values: Floats, count: int) -> Integers:
    """Places of so many of the largest values, in no order."""
    if count >= len(values):
        return np.arange(len(values))
    return np.argpartition(values, len(values) - count)[len(values) - count :]


def quantile_at_most(values: Floats, level: float) -> float:
    """The quantile, or the value next below it."""
    place = max(0, math.floor(level * (len(values) - 1)))
    return float(np.partition(values, place)[place])


@dataclass(frozen=True, slots=True)
class Blocks:
    """Entries that spread alike, together. order: (blocks, size), places, the number of entries
    where a block is not full; values: (blocks, resamples, size), where they stand; low, high:
    (blocks, resamples), the ends of these."""

    order: Integers
    values: Floats
    low: Floats
    high: Floats

    @classmethod
    def among(cls, by_entry: Floats, spread: Floats) -> "Blocks":
        entries, resamples = by_entry.shape
        size = math.isqrt(entries)
        count = math.ceil(entries / size)
        order = np.full(count * size, entries)
        order[:entries] = np.argsort(spread, kind="stable")
        order = order.reshape(count, size)
        values = np.zeros((count, resamples, size))
        low, high = np.empty((count, resamples)), np.empty((count, resamples))
        for block, places in enumerate(order):
            own = by_entry[places[places < entries]]
            values[block, :, : len(own)] = own.T
            low[block], high[block] = own.min(axis=0), own.max(axis=0)
        return cls(order, values, low, high)

    def of(self, values: NDArray[Any]) -> NDArray[Any]:
        """What stands for the entries, (entries,), by block; 0 where a block is not full."""
        return np.append(values, values.dtype.type(0))[self.order]


def parts(rows: Integers) -> Iterator[Integers]:
    """Two hundred and fifty-six at a time: 200 kB of ten thousand entries."""
    for start in range(0, len(rows), 256):
        yield rows[start : start + 256]


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
    critical: (entries,), how many standard errors all differences of an entry stay within; nan
    where the draws tell nothing."""

    above: Integers
    below: Integers
    critical: Floats


def no_significant_counts(entries: int) -> SignificantCounts:
    none = np.zeros(entries, dtype=np.int64)
    return SignificantCounts(none, none.copy(), np.full(entries, np.nan))


def can_compare(pairs: Pairs) -> bool:
    entries, resamples = pairs.by_entry.shape
    return entries > 1 and resamples > 0 and are_enough(pairs.groups)


@dataclass(frozen=True, slots=True)
class FirstLook:
    """Of all pairs before any is significant. largest: (resamples,), of their studentised
    differences, too small at most below the quantile of any entry, and so below that of all; count:
    pairs of which the draws tell anything."""

    largest: Floats
    count: float


def significant_counts(pairs: Pairs, *, level: float, simultaneous: bool) -> SignificantCounts:
    """How many entries are significantly better and worse than each: at `level` for the comparisons
    of one entry together, or with `simultaneous` for those of all entries together."""
    if not can_compare(pairs):
        return no_significant_counts(len(pairs.scores))
    if simultaneous:
        return compare_together(pairs, level=level)
    return compare_each(pairs, level=level)[0]


def both_significant_counts(
    pairs: Pairs, *, level: float
) -> tuple[SignificantCounts, SignificantCounts]:
    """The `significant_counts` without `simultaneous` and with it, quicker than one after the
    other."""
    if not can_compare(pairs):
        return no_significant_counts(len(pairs.scores)), no_significant_counts(len(pairs.scores))
    each, first = compare_each(pairs, level=level)
    return each, compare_together(pairs, level=level, first=first)


def compare_each(pairs: Pairs, *, level: float) -> tuple[SignificantCounts, "FirstLook"]:
    """Each entry against all others in both directions, at once with `level`.

    Studentised differences with step-down (Romano and Wolf 2005): significant
    differences leave the family, and the rest is tested again by a lower critical value.
    """
    counts = no_significant_counts(len(pairs.scores))
    nobody = np.zeros(pairs.by_entry.shape[1])
    of_all, pairs_twice = nobody, 0.0
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
                of_all, pairs_twice = np.maximum(of_all, found), pairs_twice + count
            distance = np.abs(ahead)
            if not ((distance > critical) & (distance <= before)).any():
                break
        counts.below[i], counts.above[i] = (ahead > critical).sum(), (-ahead > critical).sum()
    return counts, FirstLook(of_all, pairs_twice / 2)


def compared(up: Booleans, down: Booleans, weight: Floats) -> float:
    """How many differences are not significant yet and vary over the draws; one that is left in
    one direction counts half."""
    return float(((weight > 0) * (up * 1.0 + down)).sum()) / 2


def compare_together(
    pairs: Pairs, *, level: float, first: FirstLook | None = None
) -> SignificantCounts:
    """All entries against all others at once with `level`; one critical value, step-down as in
    `compare_each`, which has looked at all pairs already where `first` is given."""
    counts = no_significant_counts(len(pairs.scores))
    critical = np.inf
    if first is not None and first.count:
        critical = critical_value(first.largest, level, pairs.groups, first.count)
        counts.critical[:] = critical
    while True:
        found, nearest, count = np.zeros(pairs.by_entry.shape[1]), 0.0, 0.0
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
