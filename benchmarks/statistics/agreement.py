"""How far people agree with each other, and a judge with them, about the same items.

Values are whole numbers from `low` to `high`, nan where somebody was not asked. Items of one group
(answers to one question, questions about one picture) may be alike, so intervals go over groups:
of shares Wilson's with the design effect (`intervals.cluster_interval`), of coefficients Student's
on Fisher's scale, its error from leaving out each group. Percentiles of resamples, tried beside it,
held the true coefficient of 60 items in 20 groups in 90 % of simulations, this in 94 % to 97 %
(docs/visitor/human_labels.md).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from benchmarks.statistics.distributions import stdtr, stdtrit
from benchmarks.statistics.intervals import cluster_interval, effective_groups
from benchmarks.statistics.resampling import LEVEL, Floats, ratios

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

LEAST_ITEMS, LEAST_GROUPS = 30, 20
"""Of a coefficient: with fewer nothing is said. Of 20 items with a rare label the interval held the
true value in 90 % of simulations, of 30 in 93 %; two items printed -1.00 ± 0.50."""
LEAST_RARE = 5
"""Groups in which something else is said than what is said most, by two people of one item, or by
each of two raters: agreement beyond chance is told by these. Where a rare answer was given in fewer
the interval held the true coefficient in 0 to 90 % of simulations, and printed 0.00 ± 0.01."""
LEAST_VOTES = 3
"""Of an item on which single votes are held against what most say: one vote is its own majority,
and two that differ have none, so of one or two people all votes would say what most say."""
GROUPS_AT_ONCE = 2_000  # on a scale of eleven 2 MB an array, of which some ten are held
OUTLIER_LEVEL = 0.05
"""How often anybody is said to stand out where all raters err alike, of all raters of a study
together."""
_ROUNDING = 1e-12


class Level(StrEnum):
    """Which differences count: all alike, by how many ranks lie between, by the distance."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


@dataclass(frozen=True, slots=True)
class Labels:
    """What raters said of N items.

    votes: (N, columns), nan where nobody was asked. groups: (N,) whole numbers, equal for items
    that may be alike. low, high: of the scale. people: so many first columns are one rater each,
    all where it is None; the others have votes of whoever it was.
    """

    votes: Floats
    groups: Integers
    low: int
    high: int
    level: Level = Level.NOMINAL
    people: int | None = None

    @property
    def columns(self) -> range:
        """Those of one rater each."""
        return range(self.votes.shape[1] if self.people is None else self.people)

    @property
    def counts(self) -> Floats:
        """Votes for each value, (N, values)."""
        values = np.arange(self.low, self.high + 1)
        found = (self.votes[:, :, np.newaxis] == values).sum(axis=1)
        return np.asarray(found, dtype=np.float64)

    def of(self, items: Flags) -> "Labels":
        votes, groups = self.votes[items], self.groups[items]
        return replace(self, votes=votes, groups=groups)


@dataclass(frozen=True, slots=True)
class Agreed:
    """A share or a coefficient with its interval, all nan where it is not defined; `low`, `high`
    alone where too few items tell it.

    units: what a share counts in its denominator; of a coefficient the items. items, groups: that
    have any. missing: how many more items a coefficient needs.
    """

    value: float
    low: float
    high: float
    units: int
    items: int
    groups: int
    missing: int = 0


# --- shares ---------------------------------------------------------------------------------------


def share(hits: Floats, asked: Floats, groups: Integers) -> Agreed:
    """sum(hits) / sum(asked) over items, (N,) each."""
    number = int(groups.max(initial=-1)) + 1
    top, bottom = (np.bincount(groups, each, number).astype(np.float64) for each in (hits, asked))
    low, high = cluster_interval(top, bottom, bounds=(0.0, 1.0)) if number else (np.nan, np.nan)
    value = float(ratios(top.sum(), bottom.sum()))
    counted = (int((each > 0).sum()) for each in (asked, bottom))
    return Agreed(value, float(low), float(high), round(float(bottom.sum())), *counted)


def pair_agreement(labels: Labels) -> Agreed:
    """Of two people asked about one item, over all such pairs: how often they say the same. The
    vote of a fourth is left out (`counted`)."""
    counts = counted(labels)
    votes = counts.sum(axis=1)
    return share((counts * (counts - 1)).sum(axis=1) / 2, votes * (votes - 1) / 2, labels.groups)


def majority(labels: Labels) -> Floats:
    """The value that most say of each item, (N,); nan without votes and where values tie."""
    counts = labels.counts
    most = counts.max(axis=1, initial=0.0)
    is_one = ((counts == most[:, np.newaxis]).sum(axis=1) == 1) & (most > 0)
    return np.where(is_one, counts.argmax(axis=1) + labels.low, np.nan)


def settled_by_fourth(labels: Labels) -> Flags:
    """Items on which three people said three things and a fourth decided, (N,): of four votes two
    are equal. Which of these two is the fourth changes no count. None where people were asked by
    another rule: where any item has more than four votes, or four of another kind."""
    votes = (~np.isnan(labels.votes)).sum(axis=1)
    counts = labels.counts
    is_split = (counts.max(axis=1, initial=0.0) == 2) & ((counts == 1).sum(axis=1) == 2)
    found = np.asarray((votes == 4) & is_split, dtype=np.bool_)
    is_ruled = not (votes > 3)[~found].any() and (votes == 3).any()
    return found & is_ruled


def counted(labels: Labels) -> Floats:
    """Votes for each value without those of a fourth, (N, values), who was asked because three
    disagreed: with them people would agree less for having been asked."""
    counts = labels.counts
    return np.where(settled_by_fourth(labels)[:, np.newaxis], np.minimum(counts, 1), counts)


def votes_like_majority(labels: Labels, *, with_fourth: bool = False) -> Agreed:
    """Single votes that say what most say of the item. Without `with_fourth` the vote of a fourth,
    asked where three disagreed, decides and is not counted: 1,800 votes of 600 items by three
    people, as TouchStone's 78.4 % needs. Items without a majority are left out, and those with
    fewer than LEAST_VOTES votes."""
    counts = labels.counts if with_fourth else counted(labels)
    majority_values = np.where(counts.sum(axis=1) >= LEAST_VOTES, majority(labels), np.nan)
    known = ~np.isnan(majority_values)
    of_most = votes_for(counts, majority_values, labels)
    asked = np.where(known, counts.sum(axis=1), 0.0)
    return share(of_most, asked, labels.groups)


def votes_for(counts: Floats, majority_values: Floats, labels: Labels) -> Floats:
    """How many votes each item has for its value in `majority_values`, (N,); 0 where that is nan or
    off the scale."""
    place = np.nan_to_num(majority_values - labels.low, nan=-1.0)
    on_scale = (place >= 0) & (place < counts.shape[1]) & (place == np.rint(place))
    columns = np.where(on_scale, place, 0).astype(np.int64)
    found = np.take_along_axis(counts, columns[:, np.newaxis], axis=1)[:, 0]
    return np.where(on_scale, found, 0.0)


def judge_like_majority(labels: Labels, judge: Floats) -> Agreed:
    """Items on which the judge says what most people say. A judge without a word, nan, agrees with
    nobody."""
    majority_values = majority(labels)
    return share(
        (judge == majority_values) * 1.0, (~np.isnan(majority_values)) * 1.0, labels.groups
    )


def judge_like_votes(labels: Labels, judge: Floats) -> Agreed:
    """Over all votes but a fourth's, how often the judge says what that person says. A judge
    without a word agrees with nobody."""
    counts = counted(labels)
    return share(votes_for(counts, judge, labels), counts.sum(axis=1), labels.groups)


# --- who stands out -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OneRater:
    """like_others: how often others, asked about the same items, say what this rater says; others:
    how often these agree with each other there. is_outlier: agrees less with them than they do, by
    more than chance explains (OUTLIER_LEVEL)."""

    votes: int
    like_others: Agreed
    others: Agreed
    p: float
    is_outlier: bool


def raters(labels: Labels) -> tuple[OneRater, ...]:
    """Of each rater, in order, how far the others agree.

    Whether one stands out is Student's one-sided test over groups of the difference, item by item,
    between the agreement of the others among each other and theirs with this rater, corrected by
    Holm (1979) for the number of raters. Nan, and nobody stands out, with fewer than LEAST_GROUPS
    groups in which two others were asked.
    """
    counts = labels.counts
    rows = [_one_rater(labels, counts, column) for column in labels.columns]
    is_outlier = holm(np.array([p for *_, p in rows]), OUTLIER_LEVEL)
    return tuple(
        OneRater(votes, like, others, p, bool(out))
        for (votes, like, others, p), out in zip(rows, is_outlier, strict=True)
    )


def _one_rater(labels: Labels, counts: Floats, column: int) -> tuple[int, Agreed, Agreed, float]:
    values = labels.votes[:, column]
    asked = ~np.isnan(values)
    own = np.zeros_like(counts)
    own[np.flatnonzero(asked), (values[asked] - labels.low).astype(np.int64)] = 1
    rest = counts - own
    number = np.where(asked, rest.sum(axis=1), 0.0)
    like = np.where(asked, votes_for(rest, values, labels), 0.0)
    pairs = number * (number - 1) / 2
    agreeing = (rest * (rest - 1)).sum(axis=1) / 2
    has_pairs = pairs > 0
    gap = ratios(agreeing, pairs)[has_pairs] - ratios(like, number)[has_pairs]
    return (
        int(asked.sum()),
        share(like, number, labels.groups),
        share(np.where(has_pairs, agreeing, 0.0), pairs, labels.groups),
        above_zero(gap, labels.groups[has_pairs]),
    )


def above_zero(values: Floats, groups: Integers, *, least: int = LEAST_GROUPS) -> float:
    """The chance of a mean so far above zero where the true one is zero: Student's one-sided p over
    groups. Nan for fewer than `least` groups; 1 where nothing varies."""
    _, place = np.unique(groups, return_inverse=True)
    number = int(place.max(initial=-1)) + 1
    if number < least:
        return np.nan
    totals, sizes = np.bincount(place, values, number), np.bincount(place, minlength=number)
    mean = values.mean()
    error = np.sqrt(number / (number - 1) * ((totals - mean * sizes) ** 2).sum()) / len(values)
    if error <= _ROUNDING:
        return 1.0
    return float(stdtr(number - 1, -mean / error))


def holm(p: Floats, level: float) -> Flags:
    """Which null hypotheses are rejected, at most one wrongly in `level` of all cases (Holm 1979);
    nan is none of them."""
    rejected = np.zeros(len(p), dtype=np.bool_)
    known = np.flatnonzero(~np.isnan(p))
    for rank, place in enumerate(known[np.argsort(p[known], kind="stable")]):
        if p[place] > level / (len(known) - rank):
            break
        rejected[place] = True
    return rejected


# --- coefficients ---------------------------------------------------------------------------------


def krippendorff_alpha(labels: Labels) -> Agreed:
    """Krippendorff's alpha (2011, "Computing Krippendorff's Alpha-Reliability") by the level of the
    labels, whoever of the raters was asked; items with one vote tell nothing, and that of a fourth
    is left out (`counted`)."""
    counts = counted(labels)
    votes = counts.sum(axis=1)
    both = counts[:, :, np.newaxis] * counts[:, np.newaxis, :]
    values = np.arange(counts.shape[1])
    both[:, values, values] -= counts
    coincidences = ratios(both, np.maximum(votes - 1, 0.0)[:, np.newaxis, np.newaxis])
    is_shared = votes > 1

    def alpha(sums: Floats) -> Floats:
        return _alpha(sums.reshape(-1, len(values), len(values)), labels.level)

    parts = coincidences[is_shared].reshape(int(is_shared.sum()), len(values) ** 2)
    return unless_rare(counts, coefficient(alpha, parts, labels.groups[is_shared]), labels.groups)


def _alpha(coincidences: Floats, level: Level) -> Floats:
    """Of matrices (many, values, values), of each one."""
    margins = coincidences.sum(axis=-1)
    total = margins.sum(axis=-1)
    distance = distances(margins, level)
    seen = (coincidences * distance).sum(axis=(-1, -2))
    by_chance = (margins[:, :, np.newaxis] * margins[:, np.newaxis, :] * distance).sum(
        axis=(-1, -2)
    )
    return np.asarray(1.0 - (total - 1) * ratios(seen, by_chance))


def distances(margins: Floats, level: Level) -> Floats:
    """Squared differences of any two values, (many, values, values); of ordinal ones by how many
    votes lie between (margins, (many, values))."""
    number = margins.shape[-1]
    values = np.arange(number, dtype=np.float64)
    if level is Level.NOMINAL:
        return np.broadcast_to(1.0 - np.eye(number), (len(margins), number, number))
    if level is Level.ORDINAL:
        # votes below the middle of each value
        values = margins.cumsum(axis=-1) - margins / 2
    apart: Floats = (values[..., :, np.newaxis] - values[..., np.newaxis, :]) ** 2
    return np.broadcast_to(apart, (len(margins), number, number))


def fleiss_kappa(labels: Labels) -> Agreed:
    """Fleiss' kappa (1971), which looks at equal and not equal alone. Items need not have equally
    many votes: those of one item add its own share of pairs that agree and its own shares of the
    values; items with one vote are left out, and the vote of a fourth (`counted`)."""
    counts = counted(labels)
    votes = counts.sum(axis=1)
    is_shared = votes > 1
    counts, votes = counts[is_shared], votes[is_shared]
    agreeing = ratios((counts * (counts - 1)).sum(axis=1), votes * (votes - 1))
    parts = np.column_stack([agreeing, counts / votes[:, np.newaxis], np.ones(len(votes))])

    def kappa(sums: Floats) -> Floats:
        items = sums[:, -1]
        by_chance = (ratios(sums[:, 1:-1], items[:, np.newaxis]) ** 2).sum(axis=1)
        return beyond_chance(ratios(sums[:, 0], items), by_chance)

    return unless_rare(
        counts, coefficient(kappa, parts, labels.groups[is_shared]), labels.groups[is_shared]
    )


def unless_rare(counts: Floats, found: Agreed, groups: Integers) -> Agreed:
    """A coefficient has no interval where nearly all votes, (N, values), are for one value."""
    if found.missing or not counts.size:
        return found
    others = counts.sum(axis=1) - counts[:, counts.sum(axis=0).argmax()]
    return found if len(np.unique(groups[others > 1])) >= LEAST_RARE else without_interval(found)


def without_interval(found: Agreed) -> Agreed:
    return replace(found, low=np.nan, high=np.nan)


def cohen_kappa(one: Floats, other: Floats, labels: Labels, *, is_weighted: bool = True) -> Agreed:
    """Cohen's kappa (1960) of two columns, (N,) each, items without a word of either left out;
    where the level has an order or distances linearly weighted, by the distance (Cohen 1968), but
    for `is_weighted` False. Of 60 items the
    interval of squared ones held the true value in 88 % of simulations: a few far misses are most
    of them. The scale, level and groups are those of `labels`.

    Nan where either says one thing of every item: the formula then gives 0 whatever the other says,
    and no group shows an error, so that 0.00 with a narrow interval would stand for knowing
    nothing. Without an interval where either nearly does (LEAST_RARE)."""
    is_shared = ~np.isnan(one) & ~np.isnan(other)
    number = labels.high - labels.low + 1
    cell = (one[is_shared] - labels.low) * number + (other[is_shared] - labels.low)
    parts = np.zeros((int(is_shared.sum()), number * number))
    parts[np.arange(len(parts)), cell.astype(np.int64)] = 1.0
    values = np.arange(number)
    apart = np.abs(values[:, np.newaxis] - values) * 1.0
    if labels.level is Level.NOMINAL or not is_weighted:
        apart = 1.0 - np.eye(number)

    def kappa(sums: Floats) -> Floats:
        table = sums.reshape(-1, number, number)
        total = table.sum(axis=(-1, -2))
        rows, columns = table.sum(axis=-1), table.sum(axis=-2)
        chance = ((rows @ apart) * columns).sum(axis=-1)
        return 1.0 - ratios((table * apart).sum(axis=(-1, -2)) * total, chance)

    groups, both = labels.groups[is_shared], np.stack([one[is_shared], other[is_shared]])
    found = coefficient(kappa, parts, groups)
    if found.missing or not both.size:
        return found
    distinct, often = np.unique(both, return_counts=True)
    is_other = both != distinct[often.argmax()]
    is_enough = all(len(np.unique(groups[mask])) >= LEAST_RARE for mask in is_other)
    if is_one_value(one[is_shared]) or is_one_value(other[is_shared]):
        return replace(without_interval(found), value=np.nan)
    return found if is_enough else without_interval(found)


def is_one_value(values: Floats) -> bool:
    return bool((values == values[0]).all())


def beyond_chance(seen: Floats, chance: Floats) -> Floats:
    return ratios(seen - chance, 1.0 - chance)


def coefficient(function: Callable[[Floats], Floats], parts: Floats, groups: Integers) -> Agreed:
    """A coefficient that is a function of sums over items, and its interval.

    parts: what each item adds, (N, parts); function: from sums (many, parts) to values (many,), at
    most 1. The error is the jackknife's over groups, the interval Student's on Fisher's scale
    arctanh. Where everybody agrees on all items no group tells an error: then the lower end is that
    of Wilson's interval for as many groups, against as much agreement by chance as two halves of
    the items would have.
    """
    _, place = np.unique(groups, return_inverse=True)
    number = int(place.max(initial=-1)) + 1
    sums = np.zeros((number, parts.shape[1]))
    np.add.at(sums, place, parts)
    whole = sums.sum(axis=0)
    value = float(function(whole[np.newaxis])[0]) if number else np.nan
    missing = max(0, LEAST_ITEMS - len(parts), LEAST_GROUPS - number)
    nothing = Agreed(value, np.nan, np.nan, len(parts), len(parts), number, missing)
    if np.isnan(value) or missing:
        return nothing
    blocks = np.array_split(sums, range(GROUPS_AT_ONCE, number, GROUPS_AT_ONCE))
    without = np.concatenate([function(whole - block) for block in blocks])
    low, high = _around(value, without, np.bincount(place).astype(np.float64))
    return Agreed(value, low, high, len(parts), len(parts), number)


def _around(value: float, without: Floats, sizes: Floats) -> tuple[float, float]:
    """The interval from the value and those without each group."""
    number = len(without)
    if np.isnan(without).any():
        return np.nan, np.nan
    error = np.sqrt((number - 1) / number * ((without - value) ** 2).sum())
    groups = float(effective_groups(sizes))
    quantile = float(stdtrit(max(groups - 1, 1.0), (1 + LEVEL) / 2))
    if 1 - abs(value) <= _ROUNDING or error <= _ROUNDING:
        # shares of disagreement count double: chance agrees on half
        _, most = cluster_interval(np.zeros(number), np.ones(number), bounds=(0.0, 1.0))
        return max(-1.0, value - 2 * float(most)), min(1.0, value + 2 * float(most))
    middle, arm = np.arctanh(value), quantile * error / (1 - value**2)
    return float(np.tanh(middle - arm)), float(np.tanh(middle + arm))
