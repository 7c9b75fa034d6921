"""Differences of figures of which only intervals are known: worked by hand, and simulated."""

from statistics import NormalDist

import numpy as np
import pytest

from benchmarks.statistics.intervals import cluster_interval
from benchmarks.statistics.unpaired import Ends, unpaired_difference, widening


def test_errors_add_by_their_squares_of_the_halves_that_face_each_other():
    """From 6 down to 5.7 and from 5 up to 5.4; from 6 up to 6.6 and from 5 down to 4.2."""
    found = unpaired_difference(Ends(6.0, 5.7, 6.3), Ends(5.0, 4.6, 5.4))
    assert (found.ahead, found.low, found.high) == pytest.approx((1.0, 0.5, 1.5))
    assert found.is_significant
    one, other = Ends(6.0, 5.7, 6.6), Ends(5.0, 4.2, 5.4)
    found, back = unpaired_difference(one, other), unpaired_difference(other, one)
    assert (found.low, found.high) == pytest.approx((0.5, 2.0))
    lower = unpaired_difference(one, other, higher_is_better=False)
    for turned in (lower, back):
        assert (turned.ahead, turned.low, turned.high) == pytest.approx((-1.0, -2.0, -0.5))


def test_the_more_are_looked_at_the_wider_each_is():
    assert [round(widening(n, None), 3) for n in (1, 2, 20)] == [1.0, 1.144, 1.543]
    assert widening(20, 6) > widening(20, 30) > widening(20, None)


def test_an_interval_without_width_or_of_one_group_tells_nothing():
    for one, other in (
        (Ends(6.0, 5.7, 6.3), Ends(5.0, 5.0, 5.0)),
        (Ends(6.0, 5.7, 6.3), Ends(5.0, float("nan"), float("nan"))),
        (Ends(6.0, 5.7, 6.3, 1), Ends(5.0, 4.9, 5.1, 30)),
    ):
        found = unpaired_difference(one, other)
        assert (found.ahead, found.low, found.high) == (1.0, None, None)
        assert not found.is_significant


@pytest.mark.slow
@pytest.mark.parametrize("questions", [10, 60])
@pytest.mark.parametrize("looked_at", [1, 12])
def test_equal_models_are_rarely_told_apart_however_many_differences_are_looked_at(
    questions, looked_at
):
    """The share of simulations in which any of the differences tells two models apart that are
    equal in truth: at most 5 %, and what chance adds to 1,000 simulations."""
    rng, simulations, wrong = np.random.default_rng(1), 1_000, 0
    for _ in range(simulations):
        right = rng.random((questions, 2 * looked_at)) < 0.7
        low, high = cluster_interval(
            right.astype(float), np.ones_like(right, dtype=float), bounds=(0.0, 1.0)
        )
        ends = [
            Ends(float(v), float(a), float(b), questions)
            for v, a, b in zip(right.mean(axis=0), low, high, strict=True)
        ]
        wrong += any(
            unpaired_difference(ends[2 * i], ends[2 * i + 1], looked_at=looked_at).is_significant
            for i in range(looked_at)
        )
    most = 0.05 + NormalDist().inv_cdf(0.999) * np.sqrt(0.05 * 0.95 / simulations)
    assert wrong / simulations <= most
