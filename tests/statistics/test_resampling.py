import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchmarks.statistics.resampling import (
    intervals,
    point_ratios,
    ratios,
    resample_weights,
    resampled_ratios,
    run_means,
    weight_blocks,
)
from tests.each_case import each_case

NAN = float("nan")


def counted(runs: int, groups: int):
    """A numerator and a denominator of (runs, groups, 1), the numerator never the larger."""
    shape = (runs, groups, 1)
    return st.tuples(
        arrays(np.float64, shape, elements=st.integers(0, 3).map(float)),
        arrays(np.float64, shape, elements=st.integers(3, 5).map(float)),
    )


def same(found, expected) -> bool:
    return bool(
        np.array_equal(np.asarray(found), np.asarray(expected, dtype=np.float64), equal_nan=True)
    )


@each_case(
    "numerator, denominator, expected",
    [
        ([1.0, 3.0], [2.0, 4.0], [0.5, 0.75]),
        ([0.0, 2.0], [0.0, 0.0], [NAN, NAN]),
        ([], [], []),
        ([-1.0], [4.0], [-0.25]),
    ],
)
def test_a_ratio_is_undefined_where_nothing_is_counted(numerator, denominator, expected):
    assert same(ratios(np.array(numerator), np.array(denominator)), expected)


@each_case(
    "values, expected",
    [
        ([[0.2, 0.4], [0.4, 0.8]], [0.3, 0.6]),
        ([[0.2, NAN], [NAN, NAN]], [0.2, NAN]),
        ([[0.5]], [0.5]),
    ],
)
def test_a_mean_over_runs_leaves_out_runs_without_a_value(values, expected):
    assert run_means(np.array(values)) == pytest.approx(expected, nan_ok=True)


def test_groups_are_added_before_they_are_divided_with_the_weights_of_a_resample():
    """A resample of empty groups is undefined."""
    numerator = np.array([[[1.0], [1.0]], [[0.0], [2.0]]])
    denominator = np.array([[[1.0], [3.0]], [[1.0], [3.0]]])
    assert same(point_ratios(numerator, denominator), [[0.5], [0.5]])
    weights, one = np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]]), np.array([[[1.0], [0.0]]])
    for of, expected in (([1.0, 3.0], [1.0, 0.0, 0.25]), ([2.0, 0.0], [0.5, NAN, 0.5])):
        found = resampled_ratios(weights, one, np.array(of).reshape(1, 2, 1))
        assert same(found[:, 0], expected)


def test_an_interval_is_the_central_part_of_the_draws_that_are_defined():
    draws = np.arange(1001, dtype=np.float64)[:, np.newaxis]
    assert np.ravel(intervals(draws)) == pytest.approx([25.0, 975.0])
    assert np.ravel(intervals(draws / 10, level=0.5)) == pytest.approx([25.0, 75.0])
    for ends in intervals(np.array([[NAN, 1.0], [NAN, 1.0], [1.0, NAN]])):
        assert same(ends, [NAN, 1.0])


@given(st.integers(0, 30), st.integers(0, 2**32 - 1))
def test_every_resample_draws_as_many_groups_as_there_are_by_its_seed(groups, seed):
    weights = resample_weights(groups, seed=seed, resamples=20)
    assert weights.shape == (20, groups)
    assert (weights.sum(axis=1) == groups).all()
    assert (weights >= 0).all()
    assert same(resample_weights(groups, seed=seed, resamples=20), weights)
    assert groups < 9 or not same(resample_weights(groups, seed=seed + 1, resamples=20), weights)


@given(counted(2, 6), st.integers(0, 1000))
def test_a_share_and_its_interval_stay_between_nought_and_one(counts, seed):
    draws = resampled_ratios(resample_weights(6, seed=seed, resamples=50), *counts)
    low, high = intervals(draws)
    assert 0 <= low[0] <= high[0] <= 1


@given(counted(1, 6), st.randoms())
def test_the_order_of_groups_does_not_change_a_point(counts, random):
    order = random.sample(range(6), 6)
    shuffled = [part[:, order] for part in counts]
    assert same(point_ratios(*shuffled), point_ratios(*counts))


def test_the_interval_of_a_known_binomial_is_near_the_normal_one():
    right, asked = 270, 400
    numerator = np.concatenate([np.ones(right), np.zeros(asked - right)])[np.newaxis, :, np.newaxis]
    draws = resampled_ratios(resample_weights(asked, seed=7), numerator, np.ones_like(numerator))
    low, high = intervals(draws)
    share = right / asked
    half = 1.96 * math.sqrt(share * (1 - share) / asked)
    assert low[0] == pytest.approx(share - half, abs=0.006)
    assert high[0] == pytest.approx(share + half, abs=0.006)


def test_groups_that_agree_within_widen_the_interval():
    alike = np.repeat([[1.0, 0.0]], 20, axis=0).reshape(1, 40, 1) * 10
    of_ten = np.full((1, 40, 1), 10.0)
    grouped = intervals(resampled_ratios(resample_weights(40, seed=3), alike, of_ten))
    apart = np.tile([1.0, 0.0], 200).reshape(1, 400, 1)
    single = intervals(resampled_ratios(resample_weights(400, seed=3), apart, np.ones((1, 400, 1))))
    assert grouped[1][0] - grouped[0][0] > 2 * (single[1][0] - single[0][0])


@each_case("at_once, rows", [(1, 1), (60, 3), (139, 6), (10_000, 50)])
def test_blocks_are_the_same_weights_and_no_larger_than_asked(at_once, rows):
    blocks = list(weight_blocks(20, seed=3, resamples=50, at_once=at_once))
    assert {len(block) for block in blocks[:-1]} <= {rows}
    assert len(blocks[-1]) <= rows
    assert same(np.concatenate(blocks), resample_weights(20, seed=3, resamples=50))


def test_blocks_of_no_groups_have_every_resample():
    blocks = list(weight_blocks(0, seed=3, resamples=50, at_once=20))
    assert np.concatenate(blocks).shape == (50, 0)


def test_whole_numbers_are_resampled_alike_in_any_blocks():
    rng = np.random.default_rng(2)
    denominator = rng.integers(0, 9, size=(2, 30, 5)).astype(np.float64)
    numerator = np.minimum(denominator, rng.integers(0, 9, size=denominator.shape))
    whole, pieces = (
        [
            resampled_ratios(weights, numerator, denominator)
            for weights in weight_blocks(30, seed=5, resamples=40, at_once=at_once)
        ]
        for at_once in (10_000, 200)
    )
    assert len(whole) == 1 < len(pieces)
    assert same(np.concatenate(pieces), whole[0])
