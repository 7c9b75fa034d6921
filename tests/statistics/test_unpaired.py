"""Differences of figures of which only intervals are known: worked by hand, and simulated."""

from statistics import NormalDist

import numpy as np
import pytest

from benchmarks.statistics.intervals import cluster_interval
from benchmarks.statistics.unpaired import Ends, unpaired_difference, widening
from tests.each_case import each_case


def test_errors_add_by_their_squares():
    found = unpaired_difference(Ends(6.0, 5.7, 6.3), Ends(5.0, 4.6, 5.4))
    assert (found.ahead, found.low, found.high) == pytest.approx((1.0, 0.5, 1.5))
    assert found.is_told_apart


def test_the_halves_that_face_each_other_count():
    """From 6 down to 5.7 and from 5 up to 5.4; from 6 up to 6.6 and from 5 down to 4.2."""
    found = unpaired_difference(Ends(6.0, 5.7, 6.6), Ends(5.0, 4.2, 5.4))
    assert (found.low, found.high) == pytest.approx((0.5, 2.0))


def test_where_lower_is_better_it_is_turned_round():
    one, other = Ends(6.0, 5.7, 6.6), Ends(5.0, 4.2, 5.4)
    found = unpaired_difference(one, other, higher_is_better=False)
    assert (found.ahead, found.low, found.high) == pytest.approx((-1.0, -2.0, -0.5))


def test_the_other_is_as_far_behind_as_the_one_is_ahead():
    one, other = Ends(6.0, 5.7, 6.6, 9), Ends(5.0, 4.2, 5.4, 12)
    there, back = (unpaired_difference(*two, looked_at=3) for two in ((one, other), (other, one)))
    assert (there.ahead, there.low, there.high) == pytest.approx(
        (-back.ahead, -back.high, -back.low)
    )


def test_the_more_are_looked_at_the_wider_each_is():
    assert [round(widening(n, None), 3) for n in (1, 2, 20)] == [1.0, 1.144, 1.543]
    assert widening(20, 6) > widening(20, 30) > widening(20, None)


@each_case("end", [5.0, float("nan")])
def test_an_interval_without_width_tells_nothing(end):
    found = unpaired_difference(Ends(6.0, 5.7, 6.3), Ends(5.0, end, end))
    assert (found.ahead, found.low, found.is_told_apart) == (1.0, None, False)


def test_one_group_tells_nothing():
    found = unpaired_difference(Ends(6.0, 5.7, 6.3, 1), Ends(5.0, 4.9, 5.1, 30))
    assert (found.low, found.high) == (None, None)


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
            unpaired_difference(ends[2 * i], ends[2 * i + 1], looked_at=looked_at).is_told_apart
            for i in range(looked_at)
        )
    most = 0.05 + NormalDist().inv_cdf(0.999) * np.sqrt(0.05 * 0.95 / simulations)
    assert wrong / simulations <= most
