"""Spearman's rank correlation: worked by hand, and what always holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.statistics.correlation import mean_ranks, spearman
from tests.each_case import each_case

PAIRS = st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=2, max_size=40)


@each_case(
    "first, second, expected",
    [
        ([1, 2, 3, 4], [10, 30, 20, 40], 0.8),  # 1 - 6 * 2 / (4 * 15)
        ([1, 2, 3], [3, 2, 1], -1.0),
        ([1, 2, 3], [1, 8, 27], 1.0),
        ([1, 1, 2], [1, 2, 3], 0.8660254),  # ranks 1.5 1.5 3 against 1 2 3
        ([1, 2, 3, 4], [True, False, True, False], -0.4472136),
    ],
)
def test_the_correlation_is_that_worked_by_hand(first, second, expected):
    assert spearman(first, second) == pytest.approx(expected)


@each_case("first, second", [([], []), ([1], [2]), ([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [7, 7, 7])])
def test_without_variation_there_is_none(first, second):
    assert spearman(first, second) is None


def test_measurements_of_different_things_are_refused():
    with pytest.raises(ValueError, match="both measurements"):
        spearman([1, 2], [1])


def test_equal_values_share_their_mean_rank():
    assert mean_ranks([5, 5, 1]).tolist() == [2.5, 2.5, 1.0]


@given(PAIRS)
def test_it_has_two_sides_alike_and_lies_between_minus_one_and_one(pairs):
    first, second = zip(*pairs, strict=True)
    found = spearman(first, second)
    assert found == pytest.approx(spearman(second, first))
    assert found is None or -1.0000001 <= found <= 1.0000001


@given(PAIRS)
def test_only_the_order_counts(pairs):
    first, second = zip(*pairs, strict=True)
    assert spearman([value**3 for value in first], second) == pytest.approx(spearman(first, second))
