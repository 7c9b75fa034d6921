"""Who may be first in a column of figures with intervals: worked by hand, and simulated."""

import tracemalloc
from itertools import product
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.statistics.firsts import may_be_first
from benchmarks.statistics.resampling import Floats

NAN = float("nan")


def marked(*figures: tuple[float, float, float], higher_is_better: bool = True) -> list[bool]:
    """Of figures as value, low, high."""
    value, low, high = np.array(figures, dtype=np.float64).reshape(-1, 3).T
    found = may_be_first(value, low, high, higher_is_better=higher_is_better)
    return [bool(is_first) for is_first in found]


def test_who_is_not_told_apart_from_the_best_may_be_first():
    """Of two the critical value is 1.645; half an interval of 0.1 is 1.96 errors: 1.645 / 1.96 *
    0.1 * √2 = 0.1187."""
    assert marked((0.6, 0.5, 0.7), (0.4815, 0.3815, 0.5815)) == [True, True]
    assert marked((0.6, 0.5, 0.7), (0.4810, 0.3810, 0.5810)) == [True, False]


def test_the_halves_that_face_each_other_count():
    """0.9 is lopsided towards 0.7: its lower half is wide, and so is the upper half of the
    other."""
    assert marked((0.9, 0.72, 0.92), (0.7, 0.68, 0.88)) == [True, True]
    assert marked((0.9, 0.88, 1.0), (0.7, 0.55, 0.72)) == [True, False]


def test_the_more_are_compared_the_more_may_be_first():
    close = [(0.6, 0.5, 0.7), (0.47, 0.37, 0.57)]
    assert marked(*close) == [True, False]
    assert marked(*close, *[(0.1, 0.0, 0.2)] * 20)[:2] == [True, True]


def test_where_lower_is_better_the_lowest_may_be_first():
    assert marked((0.9, 0.85, 0.95), (0.1, 0.05, 0.15), higher_is_better=False) == [False, True]


def test_without_intervals_only_ties_with_the_best_are_first():
    assert marked((0.6, NAN, NAN), (0.6, NAN, NAN), (0.59, NAN, NAN)) == [True, True, False]


def test_an_entry_without_an_interval_is_compared_with_nobody():
    """An interval without width says as little: three of three are all that was looked at."""
    for end in (NAN, 1.0):
        found = marked((1.0, end, end), (0.9, 0.8, 1.0), (0.2, 0.1, 0.3), (0.9, NAN, NAN))
        assert found == [True, True, False, False]


def test_a_missing_value_is_not_first():
    assert marked((NAN, NAN, NAN), (0.2, 0.1, 0.3)) == [False, True]
    assert marked((NAN, NAN, NAN)) == [False]
    assert marked() == []


@given(st.lists(st.tuples(*[st.floats(0, 1)] * 3).map(sorted), min_size=1, max_size=8))
def test_the_best_value_may_always_be_first(ends):
    figures = [(value, low, high) for low, value, high in ends]
    found = marked(*figures)
    best = max(value for value, _, _ in figures)
    assert all(
        is_first for is_first, (value, *_) in zip(found, figures, strict=True) if value == best
    )


def wilson(right: Floats, questions: int) -> tuple[Floats, Floats, Floats]:
    """Shares of right answers with their 95 % intervals (Wilson 1927)."""
    share, z2 = right / questions, 1.959964**2
    middle = (share + z2 / (2 * questions)) / (1 + z2 / questions)
    half = 1.959964 * np.sqrt(share * (1 - share) / questions + z2 / (4 * questions**2))
    half /= 1 + z2 / questions
    return share, np.minimum(middle - half, share), np.maximum(middle + half, share)


def held(entries: int, questions: int, best: float, others: float) -> float:
    """The share of columns in which the entry that is best in truth is marked. Answers are
    independent of each other, which is the worst: questions that are hard for all bring the figures
    closer together."""
    rng = np.random.default_rng(2026)
    truth = np.array([best, *[others] * (entries - 1)])
    found = [
        may_be_first(*wilson(rng.binomial(questions, truth).astype(np.float64), questions))[0]
        for _ in range(2_000)
    ]
    return float(np.mean(found))


QUICK = [(2, 20, 0.9), (5, 300, 0.6)]
SLOW = [*product([2, 5, 20, 100], [20, 60], [0.9]), *product([20, 100], [20, 300], [0.5, 0.6])]


@pytest.mark.parametrize("cases", [QUICK, pytest.param(SLOW, marks=pytest.mark.slow)])
def test_the_entry_that_is_best_in_truth_is_marked(cases):
    """Against equal ones, which is the hardest. Two standard errors of 2,000 simulations are 1
    %."""
    found = {(e, q, best): held(e, q, best, best) for e, q, best in cases}
    assert min(found.values()) > 0.94, found


def test_entries_far_behind_are_not_marked():
    assert held(10, 300, 0.5, 0.7) < 0.01


def plainly(values: Floats, low: Floats, high: Floats) -> list[bool]:
    """Every pair compared, as the rule says it; every entry has an interval."""
    number = len(values)
    normal = NormalDist()
    wider = normal.inv_cdf(1 - 0.05 / (number - 1)) / normal.inv_cdf(0.975)
    facing = np.hypot((high - values)[:, np.newaxis], (values - low)[np.newaxis, :])
    behind = values[np.newaxis, :] - values[:, np.newaxis] > wider * facing
    found: list[bool] = (~behind.any(axis=1) | (values == values.max())).tolist()
    return found


@given(
    st.lists(
        st.tuples(st.integers(0, 20), st.integers(1, 8), st.integers(1, 8)), min_size=2, max_size=60
    )
)
def test_whoever_is_compared_with_few_is_told_as_if_with_all(parts):
    values, down, up = (np.array(column) / 20 for column in zip(*parts, strict=True))
    found = may_be_first(values, values - down, values + up)
    assert found.tolist() == plainly(values, values - down, values + up)


def test_ten_thousand_figures_of_few_questions_take_little_memory():
    """Compared pair by pair they would take 800 MB."""
    rng = np.random.default_rng(3)
    values = rng.integers(0, 11, 10_000) / 11
    tracemalloc.start()
    found = may_be_first(values, values - 0.2, values + 0.2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6
    assert 0 < found.sum() < 10_000
