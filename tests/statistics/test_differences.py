"""Paired differences: worked by hand, and simulated where they make a claim about chance."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchmarks.statistics.differences import (
    Difference,
    Differences,
    assumed_error,
    critical_of_two,
    paired_differences,
    smallest_difference,
    typical,
)
from benchmarks.statistics.resampling import Floats, resample_weights
from tests.each_case import each_case
from tests.slow import slow_except

NAN = float("nan")
DRAWS = arrays(
    np.float64, st.tuples(st.integers(1, 30), st.integers(1, 5)), elements=st.floats(0, 1)
)


@cache
def weights_of(questions: int) -> Floats:
    return resample_weights(questions, seed=7)


def resampled(right: Floats) -> tuple[Floats, Floats]:
    """Shares of right answers, (entries,), and 1,000 paired resamples; `right` is (entries,
    questions)."""
    weights = weights_of(right.shape[1])
    return right.mean(axis=1), weights @ right.T / right.shape[1]


def asked(truth: Floats, rng: np.random.Generator, questions: int = 300) -> Floats:
    """Right answers of entries whose true shares these are, on questions of which some are hard for
    all."""
    hard = rng.normal(0.0, 0.15, questions)
    return (rng.random((len(truth), questions)) < truth[:, np.newaxis] + hard).astype(np.float64)


def test_a_difference_has_the_interval_of_its_paired_draws():
    """Deviations from the difference 0.2 are -0.1, 0, 0 and 0.1; nineteen of twenty stay within
    0.1. Two groups are the fewest that tell an error."""
    scores = np.array([0.6, 0.4])
    draws = np.array([[0.5, 0.4], [0.6, 0.4], [0.5, 0.3], [0.7, 0.4]])
    differences = paired_differences(scores, draws)
    found, turned = differences.between(0, 1), differences.between(1, 0)
    assert (found.ahead, found.low, found.high) == pytest.approx((0.2, 0.1, 0.3))
    assert found.is_significant
    assert (turned.ahead, turned.low, turned.high) == pytest.approx((-0.2, -0.3, -0.1))
    lower = paired_differences(scores, draws, higher_is_better=False)
    assert lower.between(1, 0).ahead == pytest.approx(0.2)
    for groups, tells in ((1, False), (2, True)):
        few = paired_differences(scores, draws, groups=groups)
        assert (few.typical_error([0, 1]) is not None) == tells
        assert (few.between(0, 1).low is not None) == tells


def test_an_interval_around_zero_does_not_tell_apart_nor_does_it_turned_round():
    for ends, is_significant in (
        ((2.3, -0.4, 5.1), False),
        ((-6.0, -8.9, -3.1), True),
        ((1.0, 0.0, 2.0), False),
        ((-1.0, -2.0, 0.0), False),
    ):
        for found in (Difference(*ends), Difference(*ends).turned_round):
            assert found.is_significant is is_significant, ends
    assert Difference(1.0, -0.5, 2.5).turned_round == Difference(-1.0, -2.5, 0.5)
    assert Difference(1.0, None, None).turned_round == Difference(-1.0, None, None)


@each_case("draws", [np.tile([0.2, 0.8], (1000, 1)), np.full((3, 2), NAN)])
def test_where_the_draws_tell_nothing_there_is_no_interval(draws):
    found = paired_differences(np.array([0.2, 0.8]), draws).between(1, 0)
    assert found.ahead == pytest.approx(0.6)
    assert (found.low, found.high) == (None, None)
    assert not found.is_significant


def test_entries_of_equal_answers_have_no_interval_between_them():
    rng = np.random.default_rng(3)
    right = asked(np.array([0.5, 0.6]), rng)
    differences = paired_differences(*resampled(np.vstack([right, right[:1]])))
    assert differences.between(0, 2) == Difference(0.0, None, None)


@given(DRAWS, st.booleans())
def test_an_entry_told_to_be_behind_another_may_not_be_first(draws, simultaneous):
    """A row never says "told apart" of the leader and "may be first" at once."""
    scores = draws.mean(axis=0)
    found = paired_differences(scores, draws, simultaneous=simultaneous)
    entries = range(len(scores))
    for one in entries:
        behind = [d for k in entries if (d := found.between(one, k)).is_significant and d.ahead < 0]
        assert not (behind and found.best[one] == 1)


def held_against_the_leader(entries: int, simulations: int = 300) -> float:
    """The share of boards of equal entries on which the interval of an entry against whoever leads
    holds the true difference, which is none."""
    rng, held = np.random.default_rng(2025), 0
    for _ in range(simulations):
        scores, draws = resampled(asked(np.full(entries, 0.6), rng))
        found = paired_differences(scores, draws)
        held += not found.between(0, int(scores.argmax())).is_significant
    return held / simulations


@pytest.mark.slow
@pytest.mark.parametrize("entries", slow_except([2, 10], (10).__eq__))
def test_an_interval_holds_the_difference_also_to_the_one_picked_because_it_leads(entries):
    """With the interval of two entries alone, 87 % of ten do; two standard errors of the simulation
    are 2.5 %."""
    assert held_against_the_leader(entries) > 0.925


# --- the smallest difference ----------------------------------------------------------------------


def test_of_two_entries_the_smallest_difference_is_2_8_standard_errors():
    """Of few groups they have Student's critical value."""
    assert critical_of_two() == pytest.approx(1.959964)
    assert critical_of_two(groups=12) == pytest.approx(2.200985)
    assert critical_of_two(groups=1) is None
    assert smallest_difference(1.0, 1.959964) == pytest.approx(1.959964 + 0.841621)
    assert smallest_difference(0.5, 1.959964, power=0.5) == pytest.approx(0.979982)
    assert smallest_difference(1.0, 3.0) == pytest.approx(3.841621)


def planned(found: Differences) -> float:
    return smallest_difference(
        found.typical_error(range(len(found.scores))) or 0.0, typical(found.critical) or 0.0
    )


@pytest.mark.slow
@pytest.mark.parametrize("entries", slow_except([2, 5, 20], (2).__eq__))
def test_two_entries_that_far_apart_are_told_apart_in_four_of_five_releases(entries):
    """Planned from 20 boards of equal entries, then tried on 500 on which two are as far apart as
    was planned. Three standard errors of that are 5.4 %; with the critical value of two entries
    alone, 41 % of twenty are told apart."""
    rng = np.random.default_rng(11)

    def differences(truth: Floats) -> Differences:
        return paired_differences(*resampled(asked(truth, rng)), groups=300)

    equal = np.full(entries, 0.6)
    far = float(np.mean([planned(differences(equal)) for _ in range(20)]))
    truth = equal + np.array([far / 2, -far / 2, *[0.0] * (entries - 2)])
    told = sum(differences(truth).between(0, 1).is_significant for _ in range(500))
    assert told / 500 == pytest.approx(0.8, abs=0.054)


def test_the_typical_error_is_that_of_the_middle_pair():
    rng = np.random.default_rng(5)
    draws = rng.normal(0.0, [0.01, 0.01, 0.05], size=(20_000, 3))
    found = paired_differences(draws.mean(axis=0), draws)
    assert found.typical_error(range(len(found.scores))) == pytest.approx(
        np.hypot(0.01, 0.05), rel=0.02
    )


def test_one_entry_stands_for_two_that_correlate_as_is_usual():
    draws = np.random.default_rng(5).normal(0.5, 0.02, size=(20_000, 1))
    assert assumed_error(draws) == pytest.approx(0.02, rel=0.02)


def test_draws_that_differ_by_rounding_alone_tell_nothing():
    """Copies of one entry, each moved by a constant: of 4,950 pairs some had an error of 1e-9."""
    rng = np.random.default_rng(7)
    draws = rng.normal(0.5, 0.02, size=(1_000, 1)) + rng.normal(0.0, 0.02, size=100)
    assert paired_differences(draws.mean(axis=0), draws).typical_error([0, 1]) is None


@each_case("draws", [np.zeros((0, 0)), np.full((10, 2), 0.5), np.full((10, 2), NAN)])
def test_without_variation_there_is_no_error(draws):
    assert paired_differences(np.full(draws.shape[1], 0.5), draws).typical_error([0, 1]) is None
    assert assumed_error(draws) is None
