"""A mean with one influence taken out: worked by hand, against a solver of least squares, and how
often its interval holds what is true. Simulations have a fixed seed."""

import numpy as np
import pytest

from benchmarks.statistics.controlled import at_zero, slope_parts
from tests.each_case import each_case


def slope_of(scores, covariate, strata, counts=None):
    scores = np.atleast_2d(np.asarray(scores, dtype=np.float64))
    counts = np.ones(scores.shape) if counts is None else np.atleast_2d(counts)
    parts = slope_parts(scores, counts, np.asarray(covariate, dtype=np.float64), strata)
    return parts.numerator.sum(axis=1), parts.denominator.sum(axis=1)


def test_the_slope_is_that_of_least_squares_with_a_constant_per_stratum():
    rng = np.random.default_rng(7)
    strata = rng.integers(0, 5, 60)
    x, counts = rng.normal(size=60), rng.integers(0, 3, 60).astype(np.float64)
    y = 3 * strata + 1.7 * x + rng.normal(size=60)
    top, bottom = slope_of(y * counts, x, strata, counts)
    columns = np.column_stack([x, np.eye(5)[strata]]) * np.sqrt(counts)[:, np.newaxis]
    expected = np.linalg.lstsq(columns, y * np.sqrt(counts), rcond=None)[0][0]
    assert top / bottom == pytest.approx([expected])


def test_only_differences_within_a_stratum_of_answers_with_scores_make_a_slope():
    """Long answers are asked for where scores are high: that alone says nothing of length."""
    one, two = np.zeros(3, int), np.array([0, 0, 1, 1])
    top, bottom = slope_of([2.0, 2.0, 8.0, 8.0], [0.0, 1.0, 5.0, 6.0], two)
    assert (top / bottom).tolist() == [0.0]
    for x in ([0.3, 0.3, 0.1], [0.1 + 0.2, 0.3, 0.1]):
        top, bottom = slope_of([1.0, 2.0, 3.0], x, two[:3])
        assert (top.tolist(), bottom.tolist()) == ([0.0], [0.0])
    _, bottom = slope_of([1.0, 3.0, 2.0], [0.1, 0.2, 0.4], one, [2.0, 2.0, 1.0])
    assert bottom == pytest.approx([5.0])
    top, bottom = slope_of([1.0, 3.0, 0.0], [0.0, 1.0, 9.0], one, [1.0, 1.0, 0.0])
    assert top / bottom == pytest.approx([2.0])
    parts = slope_parts(np.zeros((1, 0)), np.zeros((1, 0)), np.zeros(0), np.zeros(0, int))
    assert parts.numerator.shape == parts.denominator.shape == (1, 0)


def test_the_mean_at_zero_is_that_of_the_line():
    means, slopes = np.array([500.0, 900.0, np.nan]), np.array([100.0, -400.0, 1.0])
    found = at_zero(means, slopes, np.full(3, 0.5))
    assert found[:2].tolist() == [450.0, 1100.0]
    assert np.isnan(found[2])


@each_case("least, has_slope", [(2, True), (3, False)])
def test_few_answers_beside_the_first_of_their_stratum_tell_no_slope(least, has_slope):
    """Two strata of two answers each leave two over; a stratum of one leaves none."""
    covariate, strata = np.array([0.0, 1.0, 0.0, 2.0, 5.0]), np.array([0, 0, 1, 1, 2])
    scores = np.array([[1.0, 3.0, 5.0, 9.0, 9.0]])
    parts = slope_parts(scores, np.ones((1, 5)), covariate, strata, least=least)
    assert bool(parts.denominator.any()) is has_slope
