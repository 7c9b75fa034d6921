"""How far one entry is ahead of another on the same questions, between which places its true rank
lies, and the smallest difference a release can show.

All come from the same paired resamples: questions that are hard for all
entries are hard in the same resamples, so that the error of a difference is smaller than the two
errors apart (Miller 2024, "Adding Error Bars to Evals", section 4).

A rank range is a confidence set for a rank (Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference
for Ranks"): every other entry that paired differences place above, by a critical value for all
these comparisons at once, takes a place from the top, every one below a place from the bottom. The
quantiles of resampled ranks are no such set: of ten equal models each then has place 1 in its range
in six simulations of ten.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from benchmarks.statistics.distributions import stdtrit
from benchmarks.statistics.pairs import (
    Integers,
    Pairs,
    SignificantCounts,
    are_enough,
    both_significant_counts,
    can_compare,
    significant_counts,
    spread_factor,
)
from benchmarks.statistics.resampling import LEVEL, Floats

POWER = 0.8
MOST_TYPICAL = 1_000
"""Entries whose errors tell what is typical: a million pairs, 8 MB. All of ten thousand would be
800."""
TYPICAL_CORRELATION = 0.5
"""Of two models' scores by question, where there are no two to tell: Miller 2024 finds 0.3 to
0.7."""


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much an entry is ahead of another, below zero where it is behind, in the unit of the
    scores.

    low, high: ends of the interval; None where the draws tell nothing between the two.
    """

    ahead: float
    low: float | None
    high: float | None

    @property
    def is_significant(self) -> bool:
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)

    @property
    def turned_round(self) -> "Difference":
        """Of the other to the one."""
        if self.low is None or self.high is None:
            return Difference(-self.ahead, None, None)
        return Difference(-self.ahead, -self.high, -self.low)


@dataclass(frozen=True, slots=True)
class Differences:
    """Of all pairs of entries. scores, critical: (entries,), the scores turned round where lower
    is better; best, worst: (entries,), the ends of the rank ranges. errors_tell: whether the groups
    that were resampled are enough."""

    scores: Floats
    pairs: Pairs
    errors_tell: bool
    critical: Floats
    best: Integers
    worst: Integers

    def error(self, one: int, other: int) -> float:
        """The standard error of a difference; nan where the draws tell nothing."""
        if not self.errors_tell:
            return float("nan")
        return float(self.pairs.errors(np.array([one]), np.array([other]))[0, 0])

    def typical_error(self, entries: Sequence[int]) -> float | None:
        """The median of the errors between these entries, or between MOST_TYPICAL of them, evenly
        chosen; None where no two of them tell."""
        if not self.errors_tell or not entries:
            return None
        places = np.linspace(0, len(entries) - 1, min(len(entries), MOST_TYPICAL)).astype(int)
        some = np.asarray(entries)[places]
        return typical(self.pairs.errors(some, some))

    def between(self, one: int, other: int) -> Difference:
        """How far `one` is ahead of `other`. The intervals of `one` against all others hold at
        once, so that they also hold against an entry that was picked because it leads."""
        ahead = float(self.scores[one] - self.scores[other])
        error = self.error(one, other)
        critical = float(self.critical[one])
        if np.isnan(critical * error):
            return Difference(ahead, None, None)
        width = critical * error
        # As the rank ranges tell it: rounding must not tell more.
        if abs(ahead) * (1.0 / error) <= critical:
            width = max(width, abs(ahead))
        return Difference(ahead, ahead - width, ahead + width)


def paired_differences(
    scores: Floats,
    draws: Floats,
    *,
    higher_is_better: bool = True,
    level: float = LEVEL,
    simultaneous: bool = False,
    groups: float | None = None,
) -> Differences:
    """All differences between entries, and the rank ranges that follow from them: each range holds
    its entry's true rank with `level`; with `simultaneous`, all of them do at once.

    scores: (entries,), without nan; draws: (resamples, entries), paired; a resample with a nan is
    left out. The intervals of an entry against all others hold at once with `level`; of two entries
    alone that is their own interval. With `simultaneous` those of all pairs do. groups: how many
    of equal size those that were resampled count for, see `pairs.Pairs`. Without them the spread of
    resamples is taken as known: of 28 equal entries on 20 sets of four questions all ranges hold in
    88 % of simulations.

    Entries that are equal in truth share all their places, and a range holds the whole span of such
    a tie. Where the difference of two entries is the same in every resample, nothing is told
    between them, and the range is wide.
    """
    pairs = pairs_of(scores, draws, higher_is_better=higher_is_better, groups=groups)
    del draws  # of ten thousand entries 80 MB, and all of it stands in the pairs
    return differences_of(pairs, significant_counts(pairs, level=level, simultaneous=simultaneous))


def both_differences(
    scores: Floats,
    draws: Floats,
    *,
    higher_is_better: bool = True,
    level: float = LEVEL,
    groups: float | None = None,
) -> tuple[Differences, Differences]:
    """What `paired_differences` returns without `simultaneous` and with it, at half the cost."""
    pairs = pairs_of(scores, draws, higher_is_better=higher_is_better, groups=groups)
    del draws  # as above
    each, together = both_significant_counts(pairs, level=level)
    return differences_of(pairs, each), differences_of(pairs, together)


def pairs_of(
    scores: Floats, draws: Floats, *, higher_is_better: bool, groups: float | None
) -> Pairs:
    is_whole = ~np.isnan(draws).any(axis=1)
    sign = 1.0 if higher_is_better else -1.0
    return Pairs(scores, draws if is_whole.all() else draws[is_whole], sign, groups=groups)


def differences_of(pairs: Pairs, counts: SignificantCounts) -> Differences:
    return Differences(
        scores=pairs.scores,
        pairs=pairs,
        errors_tell=can_compare(pairs),
        critical=counts.critical,
        best=1 + counts.above,
        worst=len(pairs.scores) - counts.below,
    )


def typical(values: Floats) -> float | None:
    """The median, as of `Pairs.errors` or `Differences.critical`, without nan; None where all are
    nan."""
    found = values[~np.isnan(values)]
    return float(np.median(found)) if len(found) else None


def assumed_error(draws: Floats, *, groups: float | None = None) -> float | None:
    """The standard error of a difference of two typical entries that correlate as is usual, from
    the errors of single ones; None where none varies.

    draws: (resamples, entries); a resample with a nan is left out. groups: see `pairs.Pairs`.
    """
    usable = draws[~np.isnan(draws).any(axis=1)]
    spreads = usable.std(axis=0) * spread_factor(groups) if len(usable) else np.zeros(0)
    found = spreads[spreads > 0]
    return float(np.median(found) * np.sqrt(2 * (1 - TYPICAL_CORRELATION))) if len(found) else None


def critical_of_two(*, level: float = LEVEL, groups: float | None = None) -> float | None:
    """The critical value of two entries that are compared with nobody else: Student's, or the
    normal one where `groups` is None (see `pairs.Pairs`). None with fewer than two groups, which
    tell nothing."""
    if groups is None:
        return NormalDist().inv_cdf((1 + level) / 2)
    return float(stdtrit(groups - 1, (1 + level) / 2)) if are_enough(groups) else None


def smallest_difference(error: float, critical: float, *, power: float = POWER) -> float:
    """The true difference that two entries need so that `Differences.between` tells them apart with
    probability `power`, in the unit of `error`, the standard error of a difference.

    (critical + z_power) * error: Miller 2024, section 5, with the critical value of as many entries
    as are compared in the place of that of two: smallest_difference(1.0, 1.96) = 2.80.
    """
    return (critical + NormalDist().inv_cdf(power)) * error
