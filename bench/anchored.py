"""How often intervals of human-anchored scores hold what is true, and how wide they are beside
those of labels alone: `python -m bench.anchored`.

Answers are simulated, so the truth is known: a share of them is right, people label some, and the
judge errs as often of right answers as of wrong ones. With groups, the answers of one figure are
right more or less often together, and so is the judge. docs/visitor/human_labels.md has the tables.
"""

import os

os.environ.setdefault(
    "OPENBLAS_NUM_THREADS", "1"
)  # a process per core, not four threads per process

import sys
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product

import numpy as np

from benchmarks.statistics.anchored import (
    Places,
    anchored_mean,
    by_error_rates,
    by_group,
    sample_of,
)
from benchmarks.statistics.intervals import cluster_interval
from benchmarks.statistics.resampling import Floats

SEED = 2024
PROCESSES = 2
SHARE = (0.0, 1.0)
ACCURACIES = (0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
SHARES = (0.3, 0.5, 0.7, 0.9)
ANSWERS = 5_000


@dataclass(frozen=True, slots=True)
class Case:
    """share: of right answers; accuracy: of the judge; together: answers of a group, 1 for none.
    of the groups all answers are labelled, or none. is_score: labels are whole numbers from 0 to
    10, and a judge that errs is one to three away."""

    share: float
    accuracy: float
    labels: int = 200
    answers: int = ANSWERS
    together: int = 1
    is_score: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """Of a case. held: how often each interval holds the truth; width: their mean widths, over that
    of labels alone; unknown: how often the error rates do not tell."""

    case: Case
    held: float
    width: float
    held_by_rates: float
    width_by_rates: float
    unknown: float


def simulate(case: Case, times: int) -> Found:
    rng = np.random.default_rng([SEED, zlib.crc32(repr(case).encode())])
    rows = np.array([one(case, rng) for _ in range(times)])
    held, width, alone = rows[:, :3].mean(axis=0)
    told = rows[~np.isnan(rows[:, 3]), 3:]
    by_rates, rates_width = told.mean(axis=0) if len(told) else (np.nan, np.nan)
    return Found(
        case, held, width / alone, by_rates, rates_width / alone, 1 - len(told) / len(rows)
    )


def one(case: Case, rng: np.random.Generator) -> tuple[float, ...]:
    truth, said, group = answers_of(case, rng)
    expected = 5.0 if case.is_score else case.share
    labels = np.where(np.arange(case.answers) < case.labels, truth, np.nan)
    sample = sample_of(said, labels, group)
    bounds = None if case.is_score else SHARE
    assert sample is not None
    found = anchored_mean(sample, bounds=bounds)
    rates = None if case.is_score else by_error_rates(sample)
    assert found is not None
    labelled = group[: case.labels]
    number, sums = (
        by_group(labelled, np.ones(case.labels)),
        by_group(labelled, truth[: case.labels]),
    )
    low, high = cluster_interval(sums, number, bounds=bounds)
    by_rates: tuple[float, float] = (np.nan, np.nan)
    if rates and rates.low is not None and rates.high is not None:
        by_rates = float(rates.low <= expected <= rates.high), rates.high - rates.low
    is_held = float(found.low <= expected <= found.high)
    return is_held, found.high - found.low, float(high - low), *by_rates


def answers_of(case: Case, rng: np.random.Generator) -> tuple[Floats, Floats, Places]:
    """What people say of each answer, what the judge does, and the group of each."""
    group = np.arange(case.answers) // case.together
    if case.is_score:
        truth = rng.integers(0, 11, case.answers).astype(np.float64)
        away = rng.integers(1, 4, case.answers) * rng.choice([-1, 1], case.answers)
        errs = rng.random(case.answers) >= case.accuracy
        return truth, np.clip(truth + errs * away, 0, 10), group
    right, correct = (shares(chance, case, rng)[group] for chance in (case.share, case.accuracy))
    truth = (rng.random(case.answers) < right).astype(np.float64)
    return truth, np.where(rng.random(case.answers) < correct, truth, 1 - truth), group


def shares(mean: float, case: Case, rng: np.random.Generator) -> Floats:
    """Of each group; a correlation of 0.25 within groups, where answers are grouped."""
    groups = -(-case.answers // case.together)
    if case.together == 1:
        return np.full(groups, mean)
    return rng.beta(3 * mean, 3 * (1 - mean), groups)


def cases() -> Iterator[Case]:
    for accuracy, share in product(ACCURACIES, SHARES):
        yield Case(share, accuracy)
    for accuracy, share in product(ACCURACIES, (0.5, 0.8)):
        yield Case(share, accuracy, labels=201, answers=5_001, together=3)
    for accuracy in ACCURACIES:
        yield Case(0.5, accuracy, is_score=True)
    for labels, accuracy, share in product((50, 100), (0.7, 0.9), (0.5, 0.8)):
        yield Case(share, accuracy, labels=labels)
    for accuracy in (0.7, 0.9):
        yield Case(0.7, accuracy, labels=60, answers=200)


def print_found(found: Found) -> str:
    case = found.case
    kind = "0-10" if case.is_score else f"{case.share:.0%}"
    first = f"{case.labels:>6} {case.answers:>7} {case.together:>5} {kind:>5} {case.accuracy:>6.0%}"
    by_rates = f"{found.held_by_rates:>7.1%} {found.width_by_rates:>6.2f} {found.unknown:>6.0%}"
    by_rates = "" if case.is_score else by_rates
    return f"{first}  {found.held:>6.1%} {found.width:>6.2f}  {by_rates}"


def main(times: int) -> None:
    print("labels answers group right judge   holds  width    rates  width unknown")
    with ProcessPoolExecutor(PROCESSES) as pool:
        some = list(cases())
        for found in pool.map(simulate, some, [times] * len(some)):
            print(print_found(found), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 4_000)
