"""From contributions to figures: values, intervals, spread and coverage of every metric, and the ranking draws."""

import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.protocols.base import Contributions, Derived
from benchmarks.statistics.resampling import (
    Floats,
    intervals,
    point_ratios,
    resample_weights,
    resampled_ratios,
    run_means,
)

SCORING_VERSION = 3
"""To be raised whenever the same verdicts give another scoresheet, here or in a protocol: stored ones of an older
version are then computed anew (services.score_finished_runs). 2: counts of means, coverage by what is scored.
3: guarded word matching, and what descriptions of the hallucination score mention."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric's value and what belongs beside it. Shares lie in [0, 1]; `None` is "not defined".

    spread: standard deviation over the judge's repeats, None for a single run. n: units in the denominator.
    asked, judged: rows the metric looks at, rows of these with the verdict it needs (Contributions).
    """

    value: float | None
    low: float | None
    high: float | None
    spread: float | None
    n: int
    asked: int
    judged: int

    def packed(self) -> list[float | int | None]:
        return [self.value, self.low, self.high, self.spread, self.n, self.asked, self.judged]


@dataclass(frozen=True, slots=True)
class Sheet:
    figures: dict[str, Figure]
    draws: Floats


def release_seed(release_slug: str) -> int:
    """One seed per release, so that all its entries are resampled alike and their draws are paired."""
    return zlib.crc32(release_slug.encode())


def score_sheet(contributions: Contributions, *, ranking: str, seed: int) -> Sheet:
    """Every metric of `contributions`, and the resamples of the metric `ranking` (nan where undefined)."""
    c = contributions
    per_run = point_ratios(c.numerator, c.denominator)
    values = run_means(per_run)
    spreads = np.std(per_run, axis=0, ddof=1) if len(per_run) > 1 else np.full(len(values), np.nan)
    draws = resampled_ratios(resample_weights(len(c.groups), seed=seed), c.numerator, c.denominator)
    low, high = intervals(draws)
    groups_behind = (c.denominator > 0).any(axis=0).sum(axis=0)
    low[groups_behind < 2] = high[groups_behind < 2] = (
        np.nan
    )  # one group resampled is always itself
    figures = {
        name: Figure(
            number(values[i]),
            number(low[i]),
            number(high[i]),
            number(spreads[i]),
            int(c.counts[i]),
            int(c.asked[i]),
            int(c.judged[i]),
        )
        for i, name in enumerate(c.names)
    }
    ranking_draws = draws[:, c.names.index(ranking)] if ranking in c.names else None
    columns = {name: i for i, name in enumerate(c.names)}
    for name, made in c.derived.items():
        drawn = made.function({part: draws[:, columns[part]] for part in made.parts})
        figures[name] = derived_figure(
            made,
            made.function({part: values[columns[part]] for part in made.parts}),
            made.function({part: per_run[:, columns[part]] for part in made.parts}),
            drawn,
            figures,
        )
        if name == ranking:
            ranking_draws = drawn
    assert ranking_draws is not None, f"no metric {ranking!r}"
    return Sheet(figures, ranking_draws)


def derived_figure(
    made: Derived, value: Floats, per_run: Floats, drawn: Floats, figures: Mapping[str, Figure]
) -> Figure:
    low, high = intervals(drawn[:, np.newaxis])
    if all(figures[part].low is None for part in made.parts):
        low[0] = high[0] = np.nan
    counted = [figures[part] for part in made.counted or made.parts]
    return Figure(
        number(value),
        number(low[0]),
        number(high[0]),
        number(np.std(per_run, ddof=1)) if len(per_run) > 1 else None,
        sum(part.n for part in counted),
        sum(part.asked for part in counted),
        sum(part.judged for part in counted),
    )


def number(value: float | np.floating | Floats) -> float | None:
    """A plain float; None for nan."""
    plain = float(value)
    return None if math.isnan(plain) else plain
