"""What verify.py needs of statistics, by NumPy alone: intervals, and which entries are told apart.

The project's docs/visitor/intervals.md has the sources of the formulas, and how they were tested.
"""

import math
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np

Array = Any  # of NumPy
Z = NormalDist().inv_cdf(0.975)


def ratio(over: Array, under: Array) -> Array:
    """nan where there is nothing under it."""
    return np.where(under == 0, np.nan, over / np.where(under == 0, 1.0, under))


def mean_of_runs(values: Array) -> Array:
    """Over the first axis, of those that are defined. A run is a repeat of the judge."""
    known = ~np.isnan(values)
    return ratio(np.where(known, values, 0.0).sum(axis=0), known.sum(axis=0))


def deviation(of_runs: Array) -> float:
    return float(np.std(of_runs, ddof=1)) if len(of_runs) > 1 else math.nan


@cache
def student(above: float, degrees: float) -> float:
    """What Student's t exceeds by that chance: with t = sqrt(degrees) tan(angle) its density is a
    power of the cosine, which Gauss and Legendre sum from the angle on, in fourth powers for it may
    have no slope at the end. It is nothing twelve deviations on."""
    nodes, weights = np.polynomial.legendre.leggauss(120)
    fourth, slope = ((nodes + 1) / 2) ** 4, 2 * ((nodes + 1) / 2) ** 3
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)
    low, high = 0.0, math.pi / 2
    for _ in range(80):
        angle = (low + high) / 2
        end = min(math.pi / 2, angle + 12 / math.sqrt(degrees))
        powers = np.cos(end - (end - angle) * fourth) ** (degrees - 1)
        chance = scale * (end - angle) * float(weights @ (powers * slope))
        low, high = (angle, high) if chance > above else (low, angle)
    return math.sqrt(degrees) * math.tan(low)


def effective_groups(under: Array) -> float:
    """How many groups of equal size tell as much as these (Kish 1965); 0 without any."""
    return float(under.sum() ** 2 / (under**2).sum() * (1 + 1e-12)) if under.any() else 0.0


def interval(over: Array, under: Array, is_share: bool, missing: float = 0.0) -> Any:
    """Of sum(over) / sum(under) over groups: of a share Wilson's, with the design effect of groups
    of several units (Korn and Graubard 1998), else Student's; the variance is the jackknife's.
    Of few groups with any unit of the rarer value the effect is partly that of units all alike.
    missing: the share of units that might be anything; the ends are those of the worst share and of
    the best."""
    groups, units, filled = effective_groups(under), under.sum(), (under > 0).sum()
    is_plain = is_share and bool((under <= 1).all())
    if groups < (1 if is_plain else 5 if is_share else 2):
        return math.nan, math.nan
    value = over.sum() / units
    value = min(max(value, 0.0), 1.0) if is_share else value
    variance = (filled - 1) / filled * (ratio(over - value * under, units - under) ** 2).sum()
    if not is_share:
        is_told = math.sqrt(variance) > 1e-12 * abs(value)
        half = student(0.025, groups - 1) * math.sqrt(variance) if is_told else math.nan
        return value - half, value + half
    spread, number = value * (1 - value), units if is_plain else groups
    if not is_plain and spread > 1e-12:
        effect, most = max(variance * units / spread, 1.0), units / groups
        telling = ((under - over if value > 0.5 else over) > 1e-12 * under).sum()
        weight = 3 / (3 + telling**2) if effect < most else 0.0
        effect = (1 - weight) * effect + weight * most
        number = units / effect * (Z / student(0.025, groups - 1)) ** 2
    ends = []
    for share, sign in ((value * (1 - missing), -1), (value * (1 - missing) + missing, 1)):
        half = Z * math.sqrt(share * (1 - share) / number + Z**2 / (4 * number**2))
        ends.append((share + Z**2 / (2 * number) + sign * half) / (1 + Z**2 / number))
    return max(min(ends[0], value), 0.0), min(max(ends[1], value), 1.0)


def room(value: float, missing: float, metric: Any) -> Array:
    """How far below and above its value a figure would be, if what is missing were at the ends of
    its scale; nan where something is and the scale has no end."""
    ends = metric.get("scale") or (None, None)
    moved = [math.nan if end is None else missing * abs(value - end) for end in ends]
    return np.array(moved) if missing else np.zeros(2)


def combined(function: Any, figures: Array, alike: Array) -> tuple[float, float]:
    """Of a metric made of parts, from their values and intervals (Zou and Donner 2008)."""
    value, low, high = figures
    made, slopes = slopes_of(function, value)
    both = (value - low, high - value), (high - value, value - low)
    arms = [np.where(slopes != 0, slopes * np.where(slopes > 0, *ends), 0.0) for ends in both]
    kept = np.where(slopes != 0, alike, 0.0)
    below, above = (math.sqrt(max(float(arm @ kept @ arm), 0.0)) for arm in arms)
    return made - below, made + above


def slopes_of(function: Any, value: Array) -> tuple[float, Array]:
    """What a metric is made to by these parts, and how it rises with each."""
    size, step = len(value), 1e-4
    moved = np.concatenate([np.eye(size), -np.eye(size), np.zeros((1, size))]).T * step
    found = function(value[:, np.newaxis] + moved)
    return found[-1], (found[:size] - found[size:-1]) / (2 * step)


def moves_by_group(units: Array, slopes: Array) -> Array:
    """How far each group moves a metric made of parts; units: (parts, groups)."""
    shares = np.nan_to_num(ratio(units.T, units.sum(axis=1)))
    return shares @ np.abs(np.nan_to_num(slopes))


def likeness(draws: Array, overlaps: Array) -> Array:
    """Correlations of parts (rows) over resamples; what does not vary is like what it overlaps."""
    draws = draws[:, ~np.isnan(draws).any(axis=0)]
    if not draws.size:
        return 1.0 * overlaps
    varies = draws.std(axis=1) > 1e-12
    with np.errstate(all="ignore"):
        found = np.atleast_2d(np.corrcoef(draws)).clip(-1.0, 1.0)
    found = np.where(varies[:, np.newaxis] & varies, found, overlaps)
    np.fill_diagonal(found, 1.0)
    return found


class Pairs:
    """Entries that are compared: scores (entries,), the best highest; draws (entries, resamples);
    groups: behind the score where they count for least. Resamples of so many spread by the root
    of (G - 1) / G too little. Every difference is in units of its own error."""

    def __init__(self, scores: Array, draws: Array, groups: float) -> None:
        self.scores, self.groups = scores, groups
        self.moved = draws[:, ~np.isnan(draws).any(axis=0)] - scores[:, np.newaxis]
        self.moved *= math.sqrt(groups / (groups - 1)) if groups > 1 else 1.0
        self.spread = (self.moved**2).sum(axis=1) / max(self.moved.shape[1], 1)
        self.tells = groups >= 2 and self.moved.size > 0

    def errors(self, one: int) -> Array:
        """Of its differences to all; nan where the resamples tell nothing."""
        facing = self.moved @ self.moved[one] / max(self.moved.shape[1], 1)
        found = np.sqrt(np.maximum(self.spread[one] + self.spread - 2 * facing, 0.0))
        least = max(1e-9 * np.abs(self.scores).max(), 1e-300)
        single = 1e-6 * np.sqrt(np.maximum(self.spread[one], self.spread))
        is_told = (found > np.maximum(least, single)) & (np.arange(len(found)) != one)
        return np.where(is_told & self.tells, found, np.nan)

    def told(self, family: Any) -> Any:
        """How many stand above and below each of these, all their comparisons at once (Romano and
        Wolf 2005: what is told drops out, and the rest is looked at again); the critical value."""
        critical, first = math.inf, math.nan
        while True:
            largest, nearest, counts, left = np.zeros(self.moved.shape[1]), 0.0, {}, 0
            for one in family:
                weight = np.nan_to_num(1.0 / self.errors(one))
                ahead = (self.scores[one] - self.scores) * weight
                moved = (self.moved[one] - self.moved) * weight[:, np.newaxis]
                for turned, far in ((moved, ahead), (-moved, -ahead)):
                    some = np.where((far <= critical)[:, np.newaxis], turned, 0.0)
                    largest = np.maximum(largest, some.max(axis=0))
                    left += int(((far <= critical) & (weight > 0)).sum())
                counts[one] = int((-ahead > critical).sum()), int((ahead > critical).sum())
                distance = np.abs(ahead)
                nearest = max(nearest, distance.max(where=distance <= critical, initial=0.0))
            if not left:
                return counts, first
            times = 2 if len(family) == 1 else 4  # both directions, and of all also both ends
            critical = self.critical(
                float(np.quantile(largest, 0.95, method="higher")), left / times
            )
            first = critical if math.isnan(first) else first
            if nearest <= critical:
                return counts, first

    def critical(self, by_resamples: float, count: float) -> float:
        """Student's, for the chance that one of so many differences has. 20 groups and fewer tell
        each error by itself, so that it is that of independent ones; of more it lies between."""
        chance = math.erfc(by_resamples / math.sqrt(2))
        weight = math.sqrt(min(1.0, 20 / self.groups))
        independent = min(chance, 0.05 / max(count, 1.0))
        return student(chance ** (1 - weight) * independent**weight / 2, self.groups - 1)

    def place(self, one: int, told: Any) -> list[Any]:
        """[rank, best and worst place, ahead of who leads, from, to]; told: as of `told`."""
        ((above, below), critical), size = (told[0][one], told[1]), len(self.scores)
        leader, rank = int(self.scores.argmax()), 1 + int((self.scores > self.scores[one]).sum())
        ahead, width = self.scores[one] - self.scores[leader], critical * self.errors(one)[leader]
        ends = [None, None] if np.isnan(width) else [float(ahead - width), float(ahead + width)]
        difference = [None] * 3 if one == leader else [float(ahead), *ends]
        return [rank, 1 + above, size - below, *difference]

    def smallest(self, owners: list[str], criticals: list[float]) -> float | None:
        """The difference that two typical entries are told apart by in 80 % of cases: of the best
        entry of each owner, or of 1,000 of them."""
        best: dict[str, int] = {}
        for one in sorted(range(len(owners)), key=lambda i: -self.scores[i]):
            best.setdefault(owners[one], one)
        ones = np.array(sorted(best.values()))
        some = ones[np.linspace(0, len(ones) - 1, min(len(ones), 1_000)).astype(int)]
        errors, told = np.array([self.errors(one)[some] for one in some]), np.array(criticals)[ones]
        if np.isnan(errors).all() or np.isnan(told).all():
            return None
        return float((np.nanmedian(told) + NormalDist().inv_cdf(0.8)) * np.nanmedian(errors))
