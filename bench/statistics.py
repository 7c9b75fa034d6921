"""How often intervals hold what is true, beside what they replace: `make bench-statistics`, which
also runs bench/ranks.py.

Answers are simulated, so the truth is known. Every case has a seed of its own, made of SEED and its
name: the tables come out alike on every run, whatever the number of processes. HallusionBench's
questions are the official file where it lies beside the project, else sets made here.
docs/visitor/intervals.md has the tables.
"""

import os

os.environ.setdefault(
    "OPENBLAS_NUM_THREADS", "1"
)  # a process per core, not four threads per process

import json
import math
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.statistics.intervals import (
    cluster_interval,
    combined_interval,
    correlations,
)
from benchmarks.statistics.resampling import (
    Floats,
    intervals,
    ratios,
    resample_weights,
)

SEED = 2024
PROCESSES = 2
SHARE = (0.0, 1.0)
OFFICIAL = Path(__file__).parents[2] / "shared" / "data" / "hallusionbench" / "HallusionBench.json"
Ints = NDArray[np.int64]


def generator(name: str) -> np.random.Generator:
    return np.random.default_rng([SEED, zlib.crc32(name.encode())])


# --- HallusionBench's grouping --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Grouping:
    """Questions of a release. group: (questions,) its set; figure, pair: (questions,) what it
    belongs to, -1 for no figure; figure_group, pair_group: their sets."""

    group: Ints
    figure: Ints
    pair: Ints
    figure_group: Ints
    pair_group: Ints

    @property
    def groups(self) -> int:
        return int(self.group.max()) + 1


@cache
def hallusionbench(subcategory: str = "") -> Grouping:
    """The real sets, of one subcategory or of all."""
    rows = json.loads(OFFICIAL.read_bytes()) if OFFICIAL.exists() else list(made_rows())
    rows = [row for row in rows if subcategory in ("", row["subcategory"])]
    places: dict[str, dict[tuple[str, ...], int]] = defaultdict(dict)
    group, figure, pair = [], [], []
    for row in rows:
        key = row["category"], row["subcategory"], row["set_id"]
        group.append(place := places["group"].setdefault(key, len(places["group"])))
        with_set = (*key, str(place))
        seen = (*with_set, row["figure_id"])
        asked = (*with_set, row["question_id"])
        has_image = str(row["visual_input"]) != "0"
        figure.append(places["figure"].setdefault(seen, len(places["figure"])) if has_image else -1)
        pair.append(places["pair"].setdefault(asked, len(places["pair"])))
    return Grouping(
        group=np.array(group),
        figure=np.array(figure),
        pair=np.array(pair),
        figure_group=np.array([int(key[-2]) for key in places["figure"]]),
        pair_group=np.array([int(key[-2]) for key in places["pair"]]),
    )


def made_rows() -> Iterator[dict[str, str]]:
    """Sets of the sizes that the official ones have, in nine subcategories."""
    for number in range(167):
        for figure in range(1 + number % 4):
            for question in range(1 + number % 3):
                yield {
                    "category": "VD",
                    "subcategory": "map" if number < 11 else "other",
                    "set_id": str(number),
                    "figure_id": str(figure),
                    "question_id": str(question),
                    "visual_input": "1",
                }


def accuracies(right: NDArray[np.bool_], of: Grouping) -> tuple[Floats, Floats]:
    """Numerators and denominators of aAcc, fAcc and qAcc, (groups, 3) each."""
    numerator, denominator = np.zeros((2, of.groups, 3))
    units = (
        (of.group, right),
        (of.figure_group, all_right(right, of.figure)),
        (of.pair_group, all_right(right, of.pair)),
    )
    for column, (group, hits) in enumerate(units):
        numerator[:, column] = np.bincount(group, hits.astype(np.float64), of.groups)
        denominator[:, column] = np.bincount(group, minlength=of.groups)
    return numerator, denominator


def all_right(right: NDArray[np.bool_], unit: Ints) -> NDArray[np.bool_]:
    known = unit >= 0
    wrong = np.bincount(unit[known], ~right[known], int(unit.max()) + 1)
    return np.asarray(wrong == 0)


def beta_shares(
    rng: np.random.Generator, share: float, likeness: float, shape: tuple[int, ...]
) -> Floats:
    """Chances of groups, so that two answers of one group correlate by `likeness`."""
    odds = 1 / likeness - 1
    return rng.beta(share * odds, (1 - share) * odds, shape)


# --- intervals ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Held:
    """Of a case: the share of simulations whose interval holds the truth, and the mean width; then
    and now. `none`: the share in which today's method gives no interval, which counts as not
    held."""

    case: str
    before: float
    now: float
    width_before: float
    width_now: float
    none: float


def held(
    case: str,
    truth: float,
    before: Sequence[Floats],
    now: Sequence[Floats],
    chances: Floats | None = None,
) -> Held:
    """`before`, `now`: low and high, (simulations,) each; `chances` of outcomes that are not
    simulated but listed."""
    chances = np.full(len(now[0]), 1 / len(now[0])) if chances is None else chances
    shares, widths = [], []
    for low, high in (before, now):
        shares.append(float(chances @ ((low <= truth + 1e-9) & (truth - 1e-9 <= high))))
        known = ~np.isnan(low)
        widths.append(float(chances[known] @ (high - low)[known] / chances[known].sum()))
    none = float(np.isnan(now[0]).mean())
    return Held(case, shares[0], shares[1], widths[0], widths[1], none)


def few_questions(asked: int, share: float) -> Held:
    """Independent questions: every possible number of right ones, by its chance."""
    counts = np.arange(asked + 1)
    right = (np.arange(asked)[:, None] < counts).astype(np.float64)
    draws = resample_weights(asked, seed=SEED) @ right / asked
    now = cluster_interval(right, np.ones_like(right), bounds=SHARE)
    chances = np.array(
        [math.comb(asked, k) * share**k * (1 - share) ** (asked - k) for k in counts.tolist()]
    )
    case = f"share, {asked} questions, p = {share}"
    return held(case, share, intervals(draws), now, chances)


def few_figures(figures: int, per_figure: int) -> Held:
    """Means of scores from 1 to 10 of questions that are easy or hard together."""
    case = f"mean score, {figures} figures of {per_figure}"
    rng = generator(case)

    def scores(count: int) -> Floats:
        hard = rng.normal(7, 1.5, (figures, 1, count))
        return np.clip(np.round(hard + rng.normal(0, 1.5, (figures, per_figure, count))), 1, 10)

    truth = float(scores(100_000).mean())
    totals = scores(4000).sum(axis=1)
    draws = resample_weights(figures, seed=SEED) @ totals / (figures * per_figure)
    now = cluster_interval(totals, np.full_like(totals, per_figure))
    return held(case, truth, intervals(draws), now)


LEANING = (0.05, 0.03, 0.03, 0.04, 0.05, 0.07, 0.12, 0.2, 0.26, 0.15)
"""Chances of the scores from 1 to 10 of answers that are mostly good and now and then worthless."""


def leaning_scores(figures: int) -> Held:
    """Means of one such score per figure."""
    case = f"mean score that leans, {figures} figures of 1"
    return means(case, figures, np.arange(1.0, 11.0), LEANING)


def rarely_low(figures: int, one_in: int, low: int, least: int) -> Held:
    """Means of scores of which one in so many is `low`, and the rest from `least` to 10."""
    rest = np.arange(least, 11.0)
    named = "10" if least == 10 else f"{least} to 10"
    case = f"mean of {figures} scores, 1 in {one_in} is {low}, the rest {named}"
    chances = (1 / one_in, *[(1 - 1 / one_in) / len(rest)] * len(rest))
    return means(case, figures, np.array([low, *rest]), chances)


def means(case: str, figures: int, scores: Floats, chances: tuple[float, ...]) -> Held:
    drawn = generator(case).choice(scores, p=chances, size=(figures, 4000))
    draws = resample_weights(figures, seed=SEED) @ drawn / figures
    now = cluster_interval(drawn, np.ones_like(drawn))
    return held(case, float(scores @ chances), intervals(draws), now)


UNEVEN = (16, 8, 8, 4, 4, 4, 2, 2, 2, 2), (30, *[2] * 21), (20, 20, 20, 20, 20, 10, 1, 1)
"""Sizes of groups of which few have most of the questions."""


def uneven(sizes: tuple[int, ...], share: float) -> Held:
    """Two answers of a group correlate by 0.2."""
    case = f"share, {len(sizes)} groups, the largest {sizes[0]} of {sum(sizes)}, p = {share}"
    rng = generator(case)
    asked = np.repeat(np.array(sizes, dtype=np.int64)[:, None], 4000, axis=1)
    right = rng.binomial(asked, beta_shares(rng, share, 0.2, asked.shape)).astype(np.float64)
    units = asked.astype(np.float64)
    weights = resample_weights(len(sizes), seed=SEED)
    draws = ratios(weights @ right, weights @ units)
    return held(case, share, intervals(draws), cluster_interval(right, units, bounds=SHARE))


def sets(subcategory: str, share: float, likeness: float, *, simulations: int) -> list[Held]:
    """aAcc, qAcc and their mean with fAcc on HallusionBench's grouping."""
    of = hallusionbench(subcategory)
    where = f"{of.groups} sets" if subcategory else f"all {of.groups} sets"
    rng = generator(f"{where} {share}")
    weights = resample_weights(of.groups, seed=SEED)

    def once() -> tuple[Floats, Floats]:
        chance = beta_shares(rng, share, likeness, (of.groups,))
        return accuracies(rng.random(len(of.group)) < chance[of.group], of)

    truth = np.mean([ratios(*(part.sum(axis=0) for part in once())) for _ in range(4000)], axis=0)
    before: list[list[tuple[float, float]]] = [[], [], [], []]
    now: list[list[tuple[float, float]]] = [[], [], [], []]
    for _ in range(simulations):
        numerator, denominator = once()
        draws = ratios(weights @ numerator, weights @ denominator)
        low, high = cluster_interval(numerator, denominator, bounds=SHARE)
        means = draws.mean(axis=1, keepdims=True)
        drawn_low, drawn_high = intervals(np.concatenate([draws, means], axis=1))
        value = ratios(numerator.sum(axis=0), denominator.sum(axis=0))
        likenesses = correlations(draws, np.ones((3, 3), dtype=np.bool_))
        mean = combined_interval(mean_of, value, low, high, likenesses)
        for column in range(4):
            before[column].append((drawn_low[column], drawn_high[column]))
        for column in range(3):
            now[column].append((low[column], high[column]))
        now[3].append((min(mean[0], drawn_low[3]), max(mean[1], drawn_high[3])))
    names = "aAcc", "fAcc", "qAcc", "overall"
    return [
        held(
            f"{names[i]}, {where}, p = {share}",
            float([*truth, truth.mean()][i]),
            list(np.array(before[i]).T),
            list(np.array(now[i]).T),
        )
        for i in (0, 2, 3)
    ]


def mean_of(parts: Floats) -> Floats:
    return np.asarray(parts.mean(axis=0))


def datasets(count: int, each: int, share: float) -> Held:
    """The mean of datasets of independent questions."""
    case = f"mean of {count} datasets of {each}, p = {share}"
    rng, weights = generator(case), resample_weights(count * each, seed=SEED)
    place = np.repeat(np.eye(count), each, axis=0)
    before, now = [], []
    for _ in range(600):
        right = np.where(rng.random((count * each, 1)) < share, place, 0.0)
        draws = ratios(weights @ right, weights @ place)
        low, high = cluster_interval(right, place, bounds=SHARE)
        likenesses = correlations(draws, np.eye(count, dtype=np.bool_))
        found = combined_interval(mean_of, right.sum(axis=0) / each, low, high, likenesses)
        (least,), (most,) = intervals(np.nanmean(draws, axis=1)[:, np.newaxis])
        before.append((least, most))
        now.append((min(found[0], least), max(found[1], most)))
    return held(case, share, list(np.array(before).T), list(np.array(now).T))


def kappas(asked: int, right: float, agreement: float) -> Held:
    """Cohen's kappa of a judge that calls so many answers right, and people who agree so often."""
    case = f"kappa, {asked} answers, agreement {agreement}"
    rng, weights = generator(case), resample_weights(asked, seed=SEED)
    people = right * agreement + (1 - right) * (1 - agreement)
    truth = float(kappa(np.array([[agreement], [right], [people]]))[0])
    before, now = [], []
    for _ in range(1000):
        judge, agrees = rng.random(asked) < right, rng.random(asked) < agreement
        hits = np.stack([agrees, judge, agrees == judge], axis=1).astype(np.float64)
        draws = weights @ hits / asked
        low, high = cluster_interval(hits, np.ones_like(hits), bounds=SHARE)
        likenesses = correlations(draws, np.ones((3, 3), dtype=np.bool_))
        found = combined_interval(kappa, hits.mean(axis=0), low, high, likenesses)
        (least,), (most,) = intervals(kappa(draws.T)[:, np.newaxis])
        before.append((least, most))
        now.append(
            (np.fmin(found[0], least), np.fmax(found[1], most)) if found[0] == found[0] else found
        )
    clipped = [np.clip(ends, -1.0, 1.0) for ends in np.array(now).T]
    return held(case, truth, list(np.array(before).T), clipped)


def kappa(sides: Floats) -> Floats:
    """Of agreement and both shares of right, (3, N)."""
    agreement, one, other = sides
    chance = one * other + (1 - one) * (1 - other)
    empty = np.full_like(chance, np.nan)
    found: Floats = np.divide(agreement - chance, 1 - chance, out=empty, where=chance < 1)
    return found


INTERVAL_CASES: tuple[Callable[[], Held | list[Held]], ...] = (
    *(
        partial(few_questions, asked, share)
        for asked, share in ((3, 0.9), (10, 0.9), (20, 0.95), (50, 0.98), (50, 0.5))
    ),
    *(
        partial(sets, "map", share, like, simulations=1000)
        for share, like in ((0.5, 0.1), (0.8, 0.1), (0.95, 0.05))
    ),
    *(partial(uneven, sizes, share) for sizes in UNEVEN for share in (0.5, 0.8)),
    *(partial(few_figures, figures, 3) for figures in (3, 6, 11)),
    *(partial(leaning_scores, figures) for figures in (3, 6, 11)),
    *(partial(rarely_low, figures, figures, 1, 8) for figures in (12, 30)),
    *(partial(rarely_low, figures, one_in, 0, 10) for figures, one_in in ((100, 20), (300, 100))),
    *(
        partial(sets, "", share, like, simulations=600)
        for share, like in ((0.5, 0.1), (0.95, 0.05))
    ),
    *(partial(datasets, 5, each, share) for each, share in ((3, 0.7), (3, 0.95), (50, 0.7))),
    *(partial(kappas, asked, 0.7, 0.9) for asked in (10, 30, 100)),
)


# --- printing -------------------------------------------------------------------------------------


def percent(share: float) -> str:
    return f"{share * 100:.1f}"


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    print(f"| {' | '.join(heads)} |")
    print(f"|{'---|' * len(heads)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print()


def main() -> None:
    start = time.perf_counter()
    source = "the official file" if OFFICIAL.exists() else "sets made here"
    print(f"Seed {SEED}; HallusionBench's sets from {source}.\n")
    with ProcessPoolExecutor(PROCESSES) as pool:
        simulated = [pool.submit(case) for case in INTERVAL_CASES]
        lines: list[Held] = []
        for future in simulated:
            found = future.result()
            lines += [found] if isinstance(found, Held) else found
        print_table(
            ("case", "before, % held", "now, % held", "width before", "width now", "none, %"),
            (
                (
                    line.case, percent(line.before), percent(line.now),
                    f"{line.width_before:.3f}", f"{line.width_now:.3f}", percent(line.none),
                )
                for line in lines
            ),
        )  # fmt: skip
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
