"""Two orders of the same entries: against SciPy's tau, worked by hand, and how often an interval
holds what is true. Simulations have a fixed seed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.statistics.orders import (
    kendall_interval,
    kendall_tau_b,
    kendall_variance,
    share_significant,
    significant_signs,
)
from tests.each_case import each_case

PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=40)


@given(PAIRS)
def test_tau_b_is_what_scipy_says(pairs):
    from scipy.stats import kendalltau  # two seconds, in each process that collects

    first, second = np.array(pairs, dtype=np.float64).T
    found, expected = kendall_tau_b(first, second), kendalltau(first, second).statistic
    if found is None:
        assert np.isnan(expected)
    else:
        assert found == pytest.approx(expected, abs=1e-12)


def test_tau_is_missing_where_nothing_can_be_ordered():
    assert kendall_tau_b(np.array([]), np.array([])) is None
    assert kendall_tau_b(np.array([1.0, 1.0]), np.array([1.0, 2.0])) is None
    with pytest.raises(ValueError, match="both scores"):
        kendall_tau_b(np.array([1.0]), np.array([1.0, 2.0]))


def test_the_variance_of_unrelated_orders_is_kendalls():
    assert kendall_variance(np.array([0.0]), 10) == pytest.approx([2 * 25 / (9 * 10 * 9)])


def test_equal_orders_of_few_entries_are_not_sure_to_be_equal():
    low, high = kendall_interval(1.0, 10)
    assert (round(low, 2), high) == (0.76, 1.0)
    assert kendall_interval(1.0, 5)[0] < low < kendall_interval(1.0, 20)[0]
    with pytest.raises(ValueError, match="two entries"):
        kendall_interval(1.0, 1)


@pytest.mark.slow
@pytest.mark.parametrize("entries", [5, 10, 40])
@pytest.mark.parametrize("true", [0.0, 0.5, 0.9])
def test_the_interval_holds_the_true_tau(entries, true):
    rng = np.random.default_rng(3)
    likeness = np.sin(np.pi * true / 2)
    first, noise = rng.normal(size=(2, 600, entries))
    second = likeness * first + np.sqrt(1 - likeness**2) * noise
    taus = (kendall_tau_b(a, b) for a, b in zip(first, second, strict=True))
    intervals = [kendall_interval(tau, entries) for tau in taus if tau is not None]
    held = np.mean([low <= true <= high for low, high in intervals])
    assert held >= 0.93


# --- what is told ---------------------------------------------------------------------------------


def drawn(scores, noise: float, seed: int = 1):
    """Scores and paired draws of entries whose errors are independent."""
    rng = np.random.default_rng(seed)
    scores = np.array(scores, dtype=np.float64)
    return scores, scores + rng.normal(0.0, noise, (1000, len(scores)))


def test_far_apart_is_told_and_near_is_not():
    signs = significant_signs(*drawn([10.0, 0.0, 0.1], 1.0))
    assert signs.tolist() == [[0, 1, 1], [-1, 0, 0], [-1, 0, 0]]
    assert share_significant(signs) == pytest.approx(2 / 3)


def test_where_lower_is_better_the_lower_one_is():
    signs = significant_signs(*drawn([10.0, 0.0], 1.0), higher_is_better=False)
    assert signs.tolist() == [[0, -1], [1, 0]]


@each_case("size, groups", [(0, None), (1, None), (2, 1)])
def test_without_two_entries_or_groups_nothing_is_told(size, groups):
    assert not significant_signs(*drawn([9.0, 0.0][:size], 1.0), groups=groups).any()


def test_of_one_entry_no_share_is_told():
    assert share_significant(np.zeros((1, 1), dtype=np.int8)) is None


@pytest.mark.slow
def test_of_equal_entries_one_pair_in_twenty_is_told():
    rng = np.random.default_rng(5)
    told, total = 0.0, 0
    for seed in range(200):
        true = rng.normal(0.0, 1.0, 6)  # the error of each score, as its draws have it
        signs = significant_signs(*drawn(true, 1.0, seed))
        told, total = told + float(np.count_nonzero(signs)) / 2, total + 15
    assert 0.03 <= told / total <= 0.07
