"""How often rank ranges hold the true ranks of equal entries on few groups, and what else was tried
for their critical value: `python -m bench.ranks`. With `--held` it prints the table that boards
quote (benchmarks/statistics/held.py).

Entries are right of each question with the same chance: 0.6, moved by a group that is hard for all
(deviation 0.12) and by what is hard for one entry alone (0.08). No entry is better than another, so
that a board holds if no range leaves a place out.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process per core

import sys
import zlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np
from scipy.special import ndtr, stdtrit

from bench.statistics import hallusionbench
from benchmarks.statistics.differences import paired_differences
from benchmarks.statistics.held import ENTRIES, HELD
from benchmarks.statistics.intervals import effective_groups
from benchmarks.statistics.resampling import LEVEL, Floats, resample_weights

SEED = 2026
PROCESSES = 2
SIZES: dict[str, Callable[[], Floats]] = {
    "11 × 6": lambda: np.full(11, 6.0),
    "20 × 4": lambda: np.full(20, 4.0),
    "HallusionBench mini": lambda: np.repeat([2.0, 3.0, 4.0, 6.0], [3, 4, 8, 5]),
    "HallusionBench": lambda: np.bincount(hallusionbench().group).astype(np.float64),
}
BOARDS = {2: 2_000, 5: 1_000, 10: 1_000, 28: 500, 100: 200}
MOST_WILD = 28
"""Entries for which a wild bootstrap-t is tried: of more it takes minutes a board."""
QUESTIONS = 4  # of each group of the table that boards quote


def equal_entries(sizes: Floats, entries: int, rng: np.random.Generator) -> Floats:
    """Right answers by group, (groups, entries)."""
    chance = 0.6 + rng.normal(0, 0.12, (len(sizes), 1))
    chance = np.clip(chance + rng.normal(0, 0.08, (len(sizes), entries)), 0, 1)
    return rng.binomial(sizes.astype(np.int64)[:, np.newaxis], chance).astype(np.float64)


class Board:
    """Scores and paired resamples, and of all pairs differences and errors of the resamples."""

    def __init__(self, right: Floats, sizes: Floats, weights: Floats) -> None:
        self.right, self.sizes = right, sizes
        self.scores = right.sum(axis=0) / sizes.sum()
        self.draws = (weights @ right) / (weights @ sizes)[:, np.newaxis]
        self.one, self.other = np.triu_indices(right.shape[1], 1)
        moved = self.draws - self.scores
        self.error = self.errors(moved.T @ moved / len(moved))
        tells = self.error > 0
        self.one, self.other, self.error = self.one[tells], self.other[tells], self.error[tells]
        self.moved = moved

    def of_pairs(self, of_entries: Floats) -> Floats:
        return of_entries[..., self.one] - of_entries[..., self.other]

    def errors(self, covariance: Floats) -> Floats:
        own = np.diag(covariance)
        both = own[self.one] + own[self.other] - 2 * covariance[self.one, self.other]
        return np.where(both > 1e-12, np.sqrt(np.maximum(both, 1e-12)), 0.0)

    def largest_moved(self) -> Floats:
        """Of each resample the largest difference in units of its error, (resamples,)."""
        rows = np.array_split(self.moved, 10)
        return np.concatenate([np.abs(self.of_pairs(r) / self.error).max(axis=1) for r in rows])


def by_resamples(board: Board) -> tuple[Floats, float]:
    """Errors of differences, and how many of them all stay within: as before."""
    quantile = np.quantile(board.largest_moved(), LEVEL, method="higher")
    return board.error, -stdtrit(len(board.sizes) - 1, ndtr(-quantile))


def scaled(board: Board) -> tuple[Floats, float]:
    """With the effective number of groups, and resamples scaled by it."""
    groups = float(effective_groups(board.sizes))
    quantile = np.quantile(board.largest_moved(), LEVEL, method="higher")
    return board.error * np.sqrt(groups / (groups - 1)), -stdtrit(groups - 1, ndtr(-quantile))


def jackknife(board: Board) -> tuple[Floats, float]:
    """Errors by leaving out each group."""
    left = (board.right.sum(axis=0) - board.right) / (board.sizes.sum() - board.sizes)[:, None]
    moved, count = left - left.mean(axis=0), len(board.sizes)
    return board.errors(moved.T @ moved * (count - 1) / count), scaled(board)[1]


def wild(board: Board) -> tuple[Floats, float]:
    """Wild cluster bootstrap-t (Cameron, Gelbach and Miller 2008): signs of what each group adds
    are drawn anew, and every difference is divided by its error in that draw."""
    adds = board.of_pairs(board.right - board.scores * board.sizes[:, np.newaxis])
    adds, share = adds / board.sizes.sum(), board.sizes / board.sizes.sum()
    signs = np.random.default_rng(SEED).choice([-1.0, 1.0], size=(1_000, len(share)))
    factor = len(share) / (len(share) - 1)
    total, squares = signs @ adds, (adds**2).sum(axis=0)
    drawn = squares - 2 * total * ((signs * share) @ adds) + total**2 * (share**2).sum()
    of_draws = np.abs(total) / np.sqrt(np.maximum(factor * drawn, 1e-15))
    return np.sqrt(factor * squares), float(np.quantile(of_draws.max(axis=1), LEVEL))


TRIED = {"before": by_resamples, "scaled": scaled, "jackknife": jackknife, "wild": wild}


def case(name: str, entries: int) -> list[str]:
    """A row: how often all ranges held at once in percent, and the median critical value, in errors
    as before, by each method; the last is `paired_differences`."""
    sizes = SIZES[name]()
    rng = np.random.default_rng(zlib.crc32(f"{SEED} {name} {entries}".encode()))
    weights, groups = resample_weights(len(sizes), seed=SEED), float(effective_groups(sizes))
    held: dict[str, list[bool]] = {}
    critical: dict[str, list[float]] = {}
    for _ in range(BOARDS[entries]):
        board = Board(equal_entries(sizes, entries, rng), sizes, weights)
        ahead = np.abs(board.of_pairs(board.scores))
        for title, method in TRIED.items() if len(ahead) else ():
            if title != "wild" or entries <= MOST_WILD:
                errors, within = method(board)
                held.setdefault(title, []).append(bool((ahead <= within * errors).all()))
                critical.setdefault(title, []).append(
                    within * float(np.median(errors / board.error))
                )
        now = paired_differences(board.scores, board.draws, simultaneous=True, groups=groups)
        held.setdefault("now", []).append(bool((now.worst - now.best == entries - 1).all()))
    row = [name, str(entries), str(BOARDS[entries])]
    for title in (*TRIED, "now"):
        told = f"{100 * np.mean(held[title]):.1f}" if title in held else ""
        row.append(f"{told} · {np.median(critical[title]):.2f}" if title in critical else told)
    return row


def held(groups: int, entries: int) -> tuple[float, float]:
    """How often each range and all ranges at once held, in percent."""
    sizes = np.full(groups, float(QUESTIONS))
    rng = np.random.default_rng(zlib.crc32(f"{SEED} {groups} {entries}".encode()))
    weights, effective = resample_weights(groups, seed=SEED), float(effective_groups(sizes))
    shares = []
    for together in (False, True):
        found = []
        for _ in range(BOARDS[entries]):
            right = equal_entries(sizes, entries, rng)
            draws = (weights @ right) / (weights @ sizes)[:, np.newaxis]
            scores = right.sum(axis=0) / sizes.sum()
            ranges = paired_differences(scores, draws, simultaneous=together, groups=effective)
            whole = ranges.worst - ranges.best == entries - 1
            found.append(whole.all() if together else whole.mean())
        shares.append(100 * float(np.mean(found)))
    return shares[0], shares[1]


def main() -> None:
    quoted = "--held" in sys.argv
    with ProcessPoolExecutor(PROCESSES) as pool:
        if quoted:
            for groups in HELD:
                cases = pool.map(held, [groups] * len(ENTRIES), ENTRIES)
                row = ", ".join(f"({each:.1f}, {together:.1f})" for each, together in cases)
                print(f"    {groups}: ({row}),", flush=True)
            return
        print("| groups | entries | boards | before | scaled | jackknife | wild | now |")
        print(f"|{'---|' * 8}")
        for cells in pool.map(case, *zip(*product(SIZES, ENTRIES), strict=True)):
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
