"""From contributions to figures: values, intervals, spread and coverage of every metric, and the
ranking draws."""

import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.kept_documents import from_row
from benchmarks.protocols.base import Contributions, Derived, Metric
from benchmarks.statistics.intervals import (
    cluster_interval,
    combined_interval,
    correlations,
    effective_groups,
    slopes_of,
)
from benchmarks.statistics.resampling import (
    Floats,
    intervals,
    point_ratios,
    ratios,
    resampled_ratios,
    run_means,
    weight_blocks,
)

SCORING_VERSION = 16
"""To be raised whenever the same verdicts give another scoresheet, here or in a protocol: stored
ones of an older version are then computed anew (services.score_finished_runs). 2: counts of means,
coverage by what is scored. 3: guarded word matching, and what descriptions of the hallucination
score mention. 4: intervals of groups. 5: HallusionBench as the common kits score it. 6: what
changed answers cost. 7: HallusionBench diagnoses of wrong rows alone. 8: intervals of groups of
unequal size. 9: intervals end where scales do. 10: what each answer counts is kept. 11: TouchStone
controlled for length. 12: nothing is said of length where a line leads out of the scale, or is of
few answers. 13: how far abilities move with each group is kept. 14: human-anchored
scores. 15: what groups count for is kept of every figure. 16: intervals of shares of exactly
a half are the same from either side. Verdicts from before 4 name the texts they were judged by when
they are scored anew, as far as can be told."""

DIGITS = 6
"""Of what groups count for: enough for any quantile, and three groups of one size are 3."""

BOUNDS = {"percent": (0.0, 1.0)}
"""What the units of a basic metric lie between, by Metric.unit. Those of a "ratio" may be of any
size: most questions add 0 to a signed share, and few of them 1 or -1."""


NUMBERS_AT_ONCE = 500_000
"""4 MB, of which an interval needs some ten times as much: with all metrics of 10,290 records
at once it was 400 MB."""

MULTIPLIED_AT_ONCE = 2_000_000
"""16 MB. A product needs little beside its factors, and takes longer the more pieces it has; of the
papers' releases all metrics are one piece."""


@dataclass(frozen=True, slots=True)
class MetricValue:
    """A metric's value and what belongs beside it. Shares lie in [0, 1]; `None` is "not defined".

    spread: standard deviation over the judge's repeats, None for a single run. n: units in the
    denominator. asked, judged: rows the metric looks at, rows of these with the verdict it needs
    (Contributions). groups: how many of equal size the resampling groups behind it count for
    (effective_groups), by how far each moves it; of a derived metric without an interval those of
    the part that has fewest; None in sheets of before this was kept. It tells why there is no
    interval (leaderboard.results.formatting), and how far the spread of resamples is known (pairs).
    """

    value: float | None
    low: float | None
    high: float | None
    spread: float | None
    n: int
    asked: int
    judged: int
    groups: float | None = None

    def packed(self) -> list[float | int | None]:
        counts = self.n, self.asked, self.judged, self.groups
        return [self.value, self.low, self.high, self.spread, *counts]

    @classmethod
    def unpacked(cls, packed: Sequence[Any]) -> "MetricValue":
        return from_row(cls, packed)


@dataclass(frozen=True, slots=True)
class Sheet:
    figures: dict[str, MetricValue]
    draws: Floats


def release_seed(release_slug: str) -> int:
    """One seed per release, so that all its entries are resampled alike and their draws are
    paired."""
    return zlib.crc32(release_slug.encode())


def score_sheet(
    contributions: Contributions, *, metrics: Mapping[str, Metric], ranking: str, seed: int
) -> Sheet:
    """Every metric of `contributions`, and the resamples of the metric `ranking` (nan where
    undefined).

    `metrics` tell which are shares (BOUNDS) and where scales end; "aAcc@VS" is what "aAcc" is
    unless it is named itself.
    """
    c = contributions
    per_run = point_ratios(c.numerator, c.denominator)
    values = run_means(per_run)
    spreads = np.std(per_run, axis=0, ddof=1) if len(per_run) > 1 else np.full(len(values), np.nan)
    missing = share_missing(c, metrics)
    down, up = room = room_of_missing(missing, values, c.names, metrics)
    low, high = basic_intervals(c, values, metrics, missing, room)
    groups = np.nan_to_num(groups_counted_for(c))
    figures = {
        name: MetricValue(
            number(values[i]),
            number(low[i]),
            number(high[i]),
            number(spreads[i]),
            int(c.counts[i]),
            int(c.asked[i]),
            int(c.judged[i]),
            round(float(groups[i]), DIGITS),
        )
        for i, name in enumerate(c.names)
    }
    drawn = resampled(c, ranking, seed)
    ranking_draws = drawn.get(ranking)
    columns = {name: i for i, name in enumerate(c.names)}
    for name, made in c.derived.items():
        places = [columns[part] for part in made.parts]
        parts = Parts(
            values[places],
            (low + down)[places],
            (high - up)[places],
            np.stack([down, up])[:, places],
            per_run[:, places],
            np.stack([drawn[part] for part in made.parts], axis=1),
            c.denominator[..., places].mean(axis=0),
            float(groups[places].min()),
        )
        counted = [figures[part] for part in made.counted or made.parts]
        figures[name] = derived_figure(made, parts, counted)
        if made.is_extrapolated:
            figures[name] = if_on_scale(figures[name], metric_of(name, metrics))
        if name == ranking:
            ranking_draws = made.function({part: drawn[part] for part in made.parts})
    assert ranking_draws is not None, f"no metric {ranking!r}"
    ended = {name: on_scale(figure, metric_of(name, metrics)) for name, figure in figures.items()}
    return Sheet(ended, ranking_draws)


def metric_of(name: str, metrics: Mapping[str, Metric]) -> Metric | None:
    """None for a metric that nobody described."""
    return metrics.get(name) or metrics.get(name.partition("@")[0])


def unit_of(name: str, metrics: Mapping[str, Metric]) -> str:
    """Empty for a metric that nobody described."""
    metric = metric_of(name, metrics)
    return metric.unit if metric else ""


def if_on_scale(figure: MetricValue, metric: Metric | None) -> MetricValue:
    """Without value and interval where a line leads out of the scale: it tells nothing there."""
    if metric is None or figure.value is None:
        return figure
    least, most = metric.scale
    if least <= figure.value <= most:
        return figure
    return replace(figure, value=None, low=None, high=None, spread=None)


def on_scale(figure: MetricValue, metric: Metric | None) -> MetricValue:
    """Its interval ends where its scale does, and always holds its value."""
    if metric is None or figure.value is None or figure.low is None or figure.high is None:
        return figure
    least, most = metric.scale
    low, high = min(max(figure.low, least), figure.value), max(min(figure.high, most), figure.value)
    return replace(figure, low=low, high=high)


def basic_intervals(
    contributions: Contributions,
    values: Floats,
    metrics: Mapping[str, Metric],
    missing: Floats,
    room: tuple[Floats, Floats],
) -> tuple[Floats, Floats]:
    """Of every basic metric, (metrics,) each, as far as what is `missing` could move it; `room` is
    how far that moves each that is no share down and up (room_of_missing). Of several runs each
    group adds what it adds on average: repeats of a judge are no further questions."""
    units = [unit_of(name, metrics) for name in contributions.names]
    low, high = np.empty(len(units)), np.empty(len(units))
    for bounds in {BOUNDS.get(unit) for unit in units}:
        alike = [place for place, unit in enumerate(units) if BOUNDS.get(unit) == bounds]
        for here in blocks_of(alike, contributions, NUMBERS_AT_ONCE):
            numerator, denominator = (
                array.mean(axis=0) for array in of_metrics(contributions, here)
            )
            low[here], high[here] = cluster_interval(
                numerator, denominator, bounds=bounds, missing=missing[here]
            )
            if bounds is None:
                low[here] -= room[0][here]
                high[here] += room[1][here]
    # Where runs lack different verdicts, the mean over runs is not the ratio of the means.
    return np.minimum(low, values), np.maximum(high, values)


def share_missing(contributions: Contributions, metrics: Mapping[str, Metric]) -> Floats:
    """Of every basic metric, (metrics,), the share of its units that have no verdict: each verdict
    that is missing may be of a unit of its own. What needs labels by people is a sample of them,
    and misses nothing."""
    c = contributions
    found = [metric_of(name, metrics) for name in c.names]
    missing = np.where(
        [one is not None and one.needs_labels for one in found], 0, c.asked - c.judged
    )
    return np.nan_to_num(ratios(missing.astype(np.float64), missing + c.counts))


def room_of_missing(
    missing: Floats, values: Floats, names: Sequence[str], metrics: Mapping[str, Metric]
) -> tuple[Floats, Floats]:
    """How far below and above its value every basic metric would be, (metrics,) each, if what is
    missing were at the ends of its scale; nan where something is and the scale has no end."""
    found = [metric_of(name, metrics) for name in names]
    ends = np.array([one.scale if one else (-np.inf, np.inf) for one in found]).reshape(-1, 2).T
    ends = np.where(np.isfinite(ends), ends, np.nan)
    down, up = (np.where(missing > 0, missing * np.abs(values - end), 0.0) for end in ends)
    return down, up


def groups_counted_for(contributions: Contributions) -> Floats:
    """effective_groups of every basic metric, (metrics,), on average over runs."""
    found = np.empty(len(contributions.names))
    for here in blocks_of(range(len(found)), contributions, NUMBERS_AT_ONCE):
        found[here] = effective_groups(contributions.denominator[..., here].mean(axis=0))
    return found


def of_metrics(contributions: Contributions, places: list[int]) -> tuple[Floats, Floats]:
    """Numerator and denominator of these metrics, (runs, groups, places) each."""
    c = contributions
    return (
        c.numerator[..., places].astype(np.float64),
        c.denominator[..., places].astype(np.float64),
    )


def blocks_of(
    places: Sequence[int], contributions: Contributions, at_once: int
) -> Iterator[list[int]]:
    """The places of metrics, as many at a time as have `at_once` numerators, or one."""
    runs, groups, _ = contributions.numerator.shape
    size = max(1, at_once // max(1, runs * groups))
    for start in range(0, len(places), size):
        yield list(places[start : start + size])


def resampled(contributions: Contributions, ranking: str, seed: int) -> dict[str, Floats]:
    """Resamples, (resamples,) each, of the basic metrics of which any are needed, by name: the one
    that ranks, and those that others are made of."""
    c = contributions
    parts = {part for made in c.derived.values() for part in made.parts}
    needed = [i for i, name in enumerate(c.names) if name in parts or name == ranking]
    parts_of = list(blocks_of(needed, c, MULTIPLIED_AT_ONCE))
    rows = []
    for weights in weight_blocks(len(c.groups), seed=seed):
        drawn = [resampled_ratios(weights, *of_metrics(c, here)) for here in parts_of]
        rows.append(np.concatenate(drawn, axis=1))
    draws = np.concatenate(rows)
    return {c.names[place]: draws[:, column] for column, place in enumerate(needed)}


def moves_of(contributions: Contributions, names: Sequence[str]) -> dict[str, Floats]:
    """How far each of these metrics moves when a group is left out, (groups,) by name, for those
    that there are; 0 for a group that it does not look at, or without which it is not defined."""
    c = contributions
    made = {name: c.derived[name] for name in names if name in c.derived}
    parts = {part for one in made.values() for part in one.parts}
    needed = [i for i, name in enumerate(c.names) if name in parts or name in names]
    left: dict[str, Floats] = {}
    whole: dict[str, Floats] = {}
    for here in blocks_of(needed, c, NUMBERS_AT_ONCE):
        numerator, denominator = of_metrics(c, here)
        top, bottom = numerator.sum(axis=1, keepdims=True), denominator.sum(axis=1, keepdims=True)
        without = run_means(ratios(top - numerator, bottom - denominator))
        with_all = run_means(ratios(top, bottom))
        for column, place in enumerate(here):
            left[c.names[place]] = without[:, column]
            whole[c.names[place]] = with_all[:, column]
    for name, one in made.items():
        left[name] = one.function({part: left[part] for part in one.parts})
        whole[name] = one.function({part: whole[part] for part in one.parts})
    return {name: np.nan_to_num(left[name] - whole[name]) for name in names if name in left}


@dataclass(frozen=True, slots=True)
class Parts:
    """The P metrics that one is made of. value, low, high: (P,), without what is missing; room: (2,
    P), how far that could move each down and up; per_run: (runs, P); draws: (resamples, P); units:
    (groups, P), of each group, on average over runs; fewest: what the groups of one count for at
    least."""

    value: Floats
    low: Floats
    high: Floats
    room: Floats
    per_run: Floats
    draws: Floats
    units: Floats
    fewest: float


def derived_figure(made: Derived, parts: Parts, counted: Sequence[MetricValue]) -> MetricValue:
    """A metric made of others. Its interval is that of its resamples, and where the intervals of
    its parts together reach further, so far: resamples of few questions, or of answers that are
    nearly all right, vary too little. Verdicts that are missing move it as they move its parts.
    """

    def made_of(columns: Floats) -> Floats:
        """Of (P, N) the N values."""
        return made.function(dict(zip(made.parts, columns, strict=True)))

    value, per_run = number(made_of(parts.value[:, np.newaxis])[0]), made_of(parts.per_run.T)
    has_units = (parts.units > 0).astype(np.float64)
    likeness = correlations(parts.draws, has_units.T @ has_units > 0)
    groups, slopes = parts.fewest, slopes_of(made_of, parts.value)[1]
    low, high = combined_interval(made_of, parts.value, parts.low, parts.high, likeness)
    if not np.isnan(low):
        drawn_low, drawn_high = intervals(made_of(parts.draws.T)[:, np.newaxis])
        low, high = np.fmin(low, drawn_low[0]), np.fmax(high, drawn_high[0])
        moves = np.abs(np.nan_to_num(slopes))
        shares = np.nan_to_num(ratios(parts.units, parts.units.sum(axis=0))) @ moves
        groups = float(effective_groups(shares)) if shares.any() else groups
    rooms = np.where(slopes > 0, parts.room, parts.room[::-1]) * np.abs(slopes)
    down, up = np.where(slopes == 0, 0.0, rooms).sum(axis=1)
    return MetricValue(
        value,
        number(low - down),
        number(high + up),
        number(np.std(per_run, ddof=1)) if len(per_run) > 1 else None,
        sum(part.n for part in counted),
        sum(part.asked for part in counted),
        sum(part.judged for part in counted),
        round(groups, DIGITS),
    )


def number(value: float | np.floating | Floats) -> float | None:
    """A plain float; None for nan."""
    plain = float(value)
    return None if math.isnan(plain) else plain
