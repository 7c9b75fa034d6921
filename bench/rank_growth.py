"""Processor time of both kinds of rank ranges of whole boards: `python -m bench.rank_growth
[SIZES]`, by itself of 500 to 10,000 entries.

Up to 1,000 entries also the direct way, which looks at every difference in every resample. A board
has twenty families of entries that answer alike, as that of `bench.growth`; `--unlike` makes them
all unlike, `--copies` leaves nothing but the score between those of a family.
"""

import math
import os
import sys
import time
from collections.abc import Callable
from functools import partial

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # so that processor time is that of one core

import numpy as np

from benchmarks.statistics import pairs
from benchmarks.statistics.differences import both_differences, paired_differences
from benchmarks.statistics.resampling import Floats, resample_weights

SEED, SETS, QUESTIONS, FAMILIES = 2026, 167, 6, 20
SIZES = 500, 1_000, 2_000, 5_000, 10_000
MOST_DIRECT = 1_000


def board(entries: int, kind: str) -> tuple[Floats, Floats]:
    """Scores and draws, (entries,) and (resamples, entries)."""
    rng = np.random.default_rng(SEED)
    bases = entries if kind == "--unlike" else FAMILIES
    base = rng.integers(0, bases, entries) if bases < entries else np.arange(entries)
    hard = rng.normal(0, 1, (SETS, 1)) + rng.normal(0, 0.5, (SETS, bases))
    chance = 1 / (1 + np.exp(-(rng.normal(0, 1, bases) + hard)))
    right = rng.binomial(QUESTIONS, chance).astype(np.float64)[:, base]
    if kind == "--families":
        is_other = rng.random(right.shape) < 0.1
        right = np.where(is_other, rng.binomial(QUESTIONS, chance[:, base]), right)
    draws = resample_weights(SETS, seed=SEED) @ right / (SETS * QUESTIONS)
    moved = rng.normal(0, 0.1, entries) if kind == "--copies" else np.zeros(entries)
    return right.sum(axis=0) / (SETS * QUESTIONS) + moved, draws + moved


def seconds(ranks: Callable[[], object]) -> float:
    start = time.process_time()
    ranks()
    return time.process_time() - start


def main() -> None:
    kinds = [word for word in sys.argv[1:] if word.startswith("--")]
    sizes = [int(word) for word in sys.argv[1:] if not word.startswith("--")] or SIZES
    kind, first, few = kinds[0] if kinds else "--families", 0.0, pairs.FEW
    both_differences(*board(10, kind), groups=float(SETS))  # SciPy is imported
    print("entries  seconds  direct  direct / now  to the first, over n log n  load")
    for size in sizes:
        scores, draws = board(size, kind)
        now = seconds(partial(both_differences, scores, draws, groups=float(SETS)))
        first = first or now / (size * math.log(size))
        direct = 0.0
        if size <= MOST_DIRECT:
            pairs.FEW = size
            for together in (False, True):
                ranks = partial(paired_differences, scores, draws, groups=float(SETS))
                direct += seconds(partial(ranks, simultaneous=together))
            pairs.FEW = few
        told = f"{direct:7.1f} {direct / now:13.1f}" if direct else " " * 21
        growth = now / (size * math.log(size)) / first
        print(f"{size:7,} {now:8.1f} {told} {growth:27.2f} {os.getloadavg()[0]:5.1f}", flush=True)


if __name__ == "__main__":
    main()
