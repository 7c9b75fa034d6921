"""Differences of two figures on the same questions: worked by hand, and simulated."""

from statistics import NormalDist

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.statistics.differences import Difference
from benchmarks.statistics.intervals import cluster_interval
from benchmarks.statistics.likeness import likeness
from benchmarks.statistics.unpaired import Ends, unpaired_difference
from tests.each_case import each_case


def moves(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """What the ratio moves by when each group is left out."""
    top, bottom = numerator.sum(), denominator.sum()
    found: np.ndarray = (top - numerator) / (bottom - denominator) - top / bottom
    return found


def paired(
    one: np.ndarray, other: np.ndarray, size: np.ndarray, bounds: tuple[float, float] | None
) -> Difference:
    """one, other, size: (groups,), what each group adds to two figures, and of how many units."""
    ends = []
    for part in (one, other):
        low, high = cluster_interval(part, size, bounds=bounds)
        ends.append(Ends(float(part.sum() / size.sum()), float(low), float(high), len(size)))
    alike = likeness(moves(one, size), moves(other, size), len(size))
    return unpaired_difference(ends[0], ends[1], likeness=alike)


def test_groups_that_move_both_alike_make_them_alike_but_for_what_few_groups_cannot_tell():
    hits = np.array([1.0, -1.0] * 10)
    assert likeness(hits, 3 * hits, 20) == pytest.approx(0.9)
    half = np.array([1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, -1.0] * 5)
    assert likeness(np.array([1.0, -1.0] * 20), half, 40) == pytest.approx(0.5 - 0.05)


@each_case(
    "one, other, groups",
    [
        ([1.0, -1.0], [-1.0, 1.0], 2),
        ([0.0, 0.0], [1.0, -1.0], 2),
        ([1.0, -1.0], [1.0, -1.0, 0.0], 2),
        ([1.0, -1.0], [1.0, -1.0], None),
        ([], [], 0),
    ],
)
def test_where_nothing_tells_that_two_are_alike_they_are_not(one, other, groups):
    assert likeness(np.array(one), np.array(other), groups) == 0.0


def test_groups_of_other_questions_change_nothing():
    one, other = np.array([1.0, -1.0, 2.0, -2.0]), np.array([1.0, -1.0, -2.0, 2.0])
    others = np.zeros(50)
    alike = likeness(one, one + 0.1 * other, 4)
    assert likeness(np.r_[one, others], np.r_[one + 0.1 * other, others], 4) == pytest.approx(alike)


def test_an_error_is_the_smaller_the_more_alike_two_are():
    one, other = Ends(6.0, 5.7, 6.3), Ends(5.0, 4.6, 5.4)
    found = unpaired_difference(one, other, likeness=0.5)
    half = (0.3**2 + 0.4**2 - 0.3 * 0.4) ** 0.5
    assert (found.low, found.high) == pytest.approx((1 - half, 1 + half))


def ends_of(right: NDArray[np.float64]) -> Ends:
    low, high = cluster_interval(right, np.ones(len(right)), bounds=(0.0, 1.0))
    return Ends(float(right.mean()), float(low), float(high), len(right))


def test_two_that_only_pairing_tells_apart():
    """One fails ten questions of a hundred that the other one answers; both fail forty."""
    one = np.array([1.0] * 60 + [0.0] * 40)
    other = np.array([1.0] * 50 + [0.0] * 50)
    size = np.ones(100)
    assert paired(one, other, size, (0.0, 1.0)).is_significant
    assert not unpaired_difference(
        ends_of(one),
        ends_of(other),
    ).is_significant


SIMULATIONS = 1_500
LEAST = 0.95 - NormalDist().inv_cdf(0.999) * (0.05 * 0.95 / SIMULATIONS) ** 0.5


def held(differences: list[Difference], truth: float) -> tuple[float, float]:
    """The share of intervals that hold the truth, of those that there are, and their mean width."""
    known = [(d.low, d.high) for d in differences if d.low is not None and d.high is not None]
    assert len(known) > 0.7 * len(differences)
    inside = [low - 1e-9 <= truth <= high + 1e-9 for low, high in known]
    return float(np.mean(inside)), float(np.mean([high - low for low, high in known]))


@pytest.mark.slow
@pytest.mark.parametrize("shared", [0.0, 0.5, 0.9])
@pytest.mark.parametrize(
    ("questions", "chances", "slack"),
    [
        (10, (0.7, 0.5), 0.03),  # few outcomes: coverage is coarse
        (30, (0.9, 0.8), 0.0),
        (100, (0.6, 0.5), 0.01),
    ],
)
def test_intervals_of_shares_of_the_same_questions_hold(questions, chances, slack, shared):
    """`shared`: of how many questions both answer by one and the same chance."""
    rng, found, apart = np.random.default_rng(7), [], []
    size = np.ones(questions)
    for _ in range(SIMULATIONS):
        luck = rng.random((2, questions))
        luck[1] = np.where(rng.random(questions) < shared, luck[0], luck[1])
        one, other = (
            (row < chance).astype(float) for row, chance in zip(luck, chances, strict=True)
        )
        found.append(paired(one, other, size, (0.0, 1.0)))
        apart.append(paired(one, rng.permutation(other), size, (0.0, 1.0)))
    share, width = held(found, chances[0] - chances[1])
    assert share >= LEAST - slack
    if shared == 0.9 and questions >= 30:
        assert width < 0.8 * held(apart, 0.0)[1]


@pytest.mark.slow
@pytest.mark.parametrize("shared", [0.0, 0.7])
@pytest.mark.parametrize("bounds", [(0.0, 1.0), None])
def test_intervals_of_groups_of_several_questions_hold(bounds, shared):
    """Forty groups of three whose questions are right and wrong together, or scored together."""
    rng, found = np.random.default_rng(11), []
    size = np.full(40, 3.0)
    for _ in range(SIMULATIONS):
        mood = rng.random((2, 40))
        mood[1] = np.where(rng.random(40) < shared, mood[0], mood[1])
        each = 0.5 * mood[:, :, np.newaxis] + 0.5 * rng.random((2, 40, 3))
        sums = (each < 0.5).sum(axis=2) if bounds else (10 * each).sum(axis=2)
        found.append(paired(sums[0].astype(float), sums[1].astype(float), size, bounds))
    assert held(found, 0.0)[0] >= LEAST


@pytest.mark.slow
def test_a_likeness_that_is_not_there_would_be_found_out():
    """The fault that the tests above are there for: two that share nothing, taken as alike."""
    rng, inside = np.random.default_rng(3), []
    for _ in range(SIMULATIONS):
        right = (rng.random((2, 60)) < 0.6).astype(float)
        found = unpaired_difference(ends_of(right[0]), ends_of(right[1]), likeness=0.8)
        inside.append(found.low is not None and found.low <= 0 <= (found.high or 0.0))
    assert np.mean(inside) < 0.8
