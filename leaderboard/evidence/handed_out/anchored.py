"""Human-anchored scores by NumPy alone: a judge's mean with its error taken out, by the labels that
people gave to some answers. The project's docs/visitor/human_labels.md has the sources."""

import math
from typing import Any

import numpy as np
from intervals import Z, effective_groups, interval, mean_of_runs, student

Array = Any  # of NumPy
LABELS, GROUPS, OF_A_KIND = 50, 30, 10  # below which nothing is said
UNSEEN, FEW = 0.2, 200  # labels more of every kind of error; of a mean of fewer labels more
UNLIKELY = 4.75  # deviations: one time in a million


def anchored(anchors: Any, questions: Any, group: Array) -> dict[str, list[Any]]:
    """By name [value, low, high, spread, n, asked, judged, groups]. anchors: by name which answers
    are asked, what the judge says of each by run, what people say, and whether these are shares."""
    strata, parts = (
        np.unique([question[key] for question in questions], return_inverse=True)[1]
        for key in ("ability", "subtask")
    )
    found: dict[str, list[Any]] = {}
    for name, (asked, said, labels, is_share) in anchors.items():
        judged = np.where(asked, mean_of_runs(said), np.nan)
        known = ~np.isnan(judged)
        counts = [int((known & ~np.isnan(labels)).sum()), int(asked.sum()), int(known.sum())]
        if not counts[0]:
            continue
        found[f"labels_{name}"] = [counts[0], *[math.nan] * 3, *counts, 0]
        found[f"judged_{name}"] = mean(judged, known, group, is_share, [counts[2], *counts[1:]])
        for kind, label in (("finds_right", 1), ("takes_wrong", 0)) if is_share else ():
            some = known & (labels == label)
            found[f"{kind}_{name}"] = mean(judged, some, group, True, [int(some.sum())] * 3)
        rows = (part[known] for part in (judged, labels, group, strata, parts))
        for kind, figure in by_labels(*rows, is_share=is_share).items():
            *ends, groups = figure
            found[f"{kind}_{name}"] = [*ends, math.nan, *counts, groups]
    return found


def mean(values: Array, some: Array, group: Array, is_share: bool, counts: Any) -> list[Any]:
    under = np.bincount(group, 1.0 * some)
    over = np.bincount(group, np.where(some, values, 0.0))
    if not some.any():
        return [math.nan] * 4 + [*counts, 0]
    ends = interval(over, under, is_share)
    groups = effective_groups(under) if math.isnan(ends[0]) else (under > 0).sum()
    return [over.sum() / under.sum(), *ends, math.nan, *counts, groups]


def by_labels(
    judged: Array, labels: Array, group: Array, strata: Array, parts: Array, *, is_share: bool
) -> dict[str, list[Any]]:
    """[value, low, high, groups] of the anchored mean, and of a share also by error rates; without
    a value "groups" is how many labels are missing."""
    has, kinds = ~np.isnan(labels), ["anchored", "rates"] if is_share else ["anchored"]
    nothing = [math.nan] * 3
    share = {s: (strata == s).sum() / max((has & (strata == s)).sum(), 0.5) for s in {*strata}}
    is_fair = all((has & (strata == s)).any() for s in share) and is_drawn(has, strata, parts)
    if not is_fair:
        return {kind: [*nothing, max(0, LABELS - has.sum())] for kind in kinds}
    group = np.unique(group, return_inverse=True)[1]
    groups = effective_groups(np.bincount(group, 1.0 * has))
    if missing := max(0, LABELS - has.sum(), GROUPS - int(groups * (1 + 1e-12))):
        return {kind: [*nothing, missing] for kind in kinds}
    weights = np.where(has, [share[s] for s in strata], 0.0)
    weights, every = weights / weights.sum(), np.full(len(judged), 1 / len(judged))
    given = np.where(has, labels, 0.0)
    label = Mean(given, weights, group)
    judge, own = Mean(judged, every, group), Mean(judged, weights, group)
    t, factor = student(0.025, groups - 1), groups / (groups - 1)
    moved = judge.moves - own.moves
    spread = moved @ moved
    best = -(label.moves @ moved) / spread if spread > 1e-24 else 0.0
    weight = min(max(float(best), 0.0), 1.0)
    value, variance = label.value + weight * (judge.value - own.value), label.moves + weight * moved
    variance = factor * variance @ variance
    if not is_share:
        half = t * math.sqrt(variance)
        return {"anchored": [value, value - half, value + half, int(groups)]}
    middle = label.value - weight * own.value
    corners = [(a - weight * b - middle) ** 2 for a in (0, 1) for b in (0, 1)]
    unseen = UNSEEN * max(1.0, FEW / has.sum())
    variance += unseen * sum(corners) * (weights**2).sum() ** 2
    ends = wilson(min(max(value, 0.0), 1.0), math.sqrt(variance), t)
    found = {"anchored": [*ends, int(groups)], "rates": [*nothing, 0]}
    if min((labels == 1).sum(), (labels == 0).sum()) >= OF_A_KIND:
        kinds_of = [np.where(labels == kind, weights, 0.0) for kind in (1, 0)]
        ends = fieller(judged, judge, kinds_of, group, factor, t)
        found["rates"] = [*ends, 0 if math.isnan(ends[0]) else int(groups)]
    return found


class Mean:
    """A weighted mean, and by how much each group moves it."""

    def __init__(self, values: Array, weights: Array, group: Array) -> None:
        weights = weights / weights.sum()
        self.value, self.squares = float(weights @ values), float((weights**2).sum() ** 2)
        self.moves: Array = np.bincount(group, weights * (values - self.value))


def wilson(value: float, error: float, t: float) -> list[float]:
    """Of a share, for as many independent ones as have this error."""
    error = min(error, 0.5)
    inside = min(max(value, error), 1 - error)
    number = inside * (1 - inside) / error**2 * (Z / t) ** 2
    centre = (value + Z**2 / (2 * number)) / (1 + Z**2 / number)
    spread = value * (1 - value) / number + Z**2 / (4 * number**2)
    half = Z / (1 + Z**2 / number) * math.sqrt(spread)
    return [value, max(min(centre - half, value), 0.0), min(max(centre + half, value), 1.0)]


def fieller(
    judged: Array, judge: Mean, kinds: Any, group: Array, factor: float, t: float
) -> list[float]:
    """The share p for which the judge calls as many right as it does, p of_right + (1 - p)
    of_wrong, and all that fit but for chance; nan where any does."""
    of_right, of_wrong = (Mean(judged, weights, group) for weights in kinds)
    unseen = [
        UNSEEN * (rate.value**2 + (1 - rate.value) ** 2) * rate.squares
        for rate in (of_right, of_wrong)
    ]
    above, apart = judge.value - of_wrong.value, of_right.value - of_wrong.value
    moved, turned = judge.moves - of_wrong.moves, of_right.moves - of_wrong.moves
    a = apart**2 - t**2 * (factor * turned @ turned + sum(unseen))
    if apart <= 0 or a <= 0:
        return [math.nan] * 3
    b = above * apart - t**2 * (factor * moved @ turned + unseen[1])
    c = above**2 - t**2 * (factor * moved @ moved + unseen[1])
    root = math.sqrt(max(b * b - a * c, 0.0))
    value, low, high = (
        min(max(end, 0.0), 1.0) for end in (above / apart, (b - root) / a, (b + root) / a)
    )
    return [value, min(low, value), max(high, value)]


def is_drawn(has: Array, strata: Array, parts: Array) -> bool:
    """Whether labels may have been drawn by chance within strata: chi-squared over their parts, by
    the normal that its cube root is nearly (Wilson and Hilferty 1931)."""
    squares, degrees = 0.0, 0
    for stratum in {*strata[has]}:
        here = strata == stratum
        of_part = np.array([(parts[here] == part).sum() for part in {*parts[here]}])
        seen = np.array([(parts[here & has] == part).sum() for part in {*parts[here]}])
        expected = of_part * seen.sum() / of_part.sum()
        squares += ((seen - expected) ** 2 / expected).sum()
        degrees += len(of_part) - 1
    if not degrees:
        return True
    step = 2 / (9 * degrees)
    return bool(((squares / degrees) ** (1 / 3) - (1 - step)) / math.sqrt(step) <= UNLIKELY)
