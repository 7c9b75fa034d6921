from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from benchmarks.statistics.differences import paired_differences
from benchmarks.statistics.intervals import effective_groups
from benchmarks.statistics.ranks import competition_ranks
from benchmarks.statistics.resampling import Floats, resample_weights
from tests.each_case import each_case

NAN = float("nan")
SCORES = arrays(np.float64, st.integers(1, 8), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0, NAN]))
DRAWS = arrays(
    np.float64, st.tuples(st.integers(1, 30), st.integers(1, 5)), elements=st.floats(0, 1)
)


@each_case(
    "scores, ranks",
    [
        ([0.3, 0.5, 0.5, 0.1], [3, 1, 1, 4]),
        ([0.5, 0.5, 0.5], [1, 1, 1]),
        ([0.9], [1]),
        ([], []),
        ([NAN, 0.1, 0.2], [3, 2, 1]),
        ([NAN, 0.1, NAN], [2, 1, 2]),
        ([-0.0, 0.0], [1, 1]),
        ([NAN, NAN], [1, 1]),
        ([[0.1, 0.2], [0.2, 0.1], [0.2, 0.2]], [[2, 1], [1, 2], [1, 1]]),  # each row by itself
    ],
)
def test_ties_share_the_better_rank_and_nan_is_last_whatever_is_better(scores, ranks):
    values = np.array(scores, dtype=np.float64)
    assert competition_ranks(values).tolist() == ranks
    assert competition_ranks(-values, higher_is_better=False).tolist() == ranks


@given(SCORES, st.randoms())
def test_relabelling_entries_permutes_their_ranks(scores, random):
    order = random.sample(range(len(scores)), len(scores))
    assert competition_ranks(scores[order]).tolist() == competition_ranks(scores)[order].tolist()


@given(SCORES)
def test_a_rank_is_one_more_than_the_number_of_better_entries(scores):
    better = [
        sum(bool(other > score) or (score != score and other == other) for other in scores)
        for score in scores
    ]
    assert competition_ranks(scores).tolist() == [count + 1 for count in better]


# --- rank ranges ----------------------------------------------------------------------------------


def resampled(right: NDArray[np.float64], *, seed: int = 7) -> tuple[Floats, Floats]:
    """Shares of right answers of each entry, (entries,), and 1,000 paired resamples of them;
    `right` is (entries, questions)."""
    weights = resample_weights(right.shape[1], seed=seed)
    return right.mean(axis=1), weights @ right.T / right.shape[1]


def ranges(scores: Floats, draws: Floats, **more: Any) -> list[tuple[int, int]]:
    found = paired_differences(scores, draws, **more)
    return list(zip(found.best.tolist(), found.worst.tolist(), strict=True))


def answers(*shares: float, questions: int = 400) -> NDArray[np.float64]:
    """Entries that are right on so many questions, each on questions of its own."""
    rng = np.random.default_rng(11)
    return (rng.random((len(shares), questions)) < np.array(shares)[:, None]).astype(np.float64)


def test_entries_far_apart_have_a_place_each():
    """Where less is better the order turns round; equal ones share all their places."""
    scores, draws = resampled(answers(0.9, 0.1, 0.5))
    assert ranges(scores, draws) == [(1, 1), (3, 3), (2, 2)]
    assert ranges(scores, draws, higher_is_better=False) == [(3, 3), (1, 1), (2, 2)]
    found = [paired_differences(scores, draws, groups=groups) for groups in (400.0, 2.0, 1.0)]
    widths = [int((one.worst - one.best).sum()) for one in found]
    assert widths == sorted(widths)
    assert (widths[0], widths[2]) == (0, 6)
    right = answers(0.5, 0.5, 0.9)
    right[1] = right[0]
    assert ranges(*resampled(right)) == [(2, 3), (2, 3), (1, 1)]


@each_case(
    "scores, draws, told",
    [
        ([0.4, 0.6], np.linspace(0.3, 0.5, 100)[:, None] + np.array([0.0, 0.2]), [(1, 2)] * 2),
        ([0.2, 0.8], np.tile([0.2, 0.8], (1000, 1)), [(1, 2)] * 2),  # of one group
        ([0.9, 0.1], np.array([[NAN, 0.2], [0.4, NAN]]), [(1, 2)] * 2),  # no complete resample
        ([0.5], np.array([[0.4], [0.6]]), [(1, 1)]),
        ([], np.zeros((10, 0)), []),
    ],
)
def test_resamples_without_a_varying_difference_tell_nothing(scores, draws, told):
    for simultaneous in (False, True):
        assert ranges(np.array(scores), draws, simultaneous=simultaneous) == told


def test_ranges_that_hold_all_at_once_are_no_narrower():
    scores, draws = resampled(answers(*np.linspace(0.4, 0.6, 12)))
    each, all_at_once = (paired_differences(scores, draws, simultaneous=s) for s in (False, True))
    assert (all_at_once.best <= each.best).all()
    assert (all_at_once.worst >= each.worst).all()
    assert sum(all_at_once.worst - all_at_once.best) > sum(each.worst - each.best)


def coverage(spread: float, *, simultaneous: bool, simulations: int = 120) -> tuple[float, float]:
    """The share of ranges that hold the true rank, and of boards all of whose ranges do: ten
    entries, whose true shares lie so far apart, on 300 questions of which some are hard for all."""
    rng = np.random.default_rng(2024)
    truth = 0.6 + spread * np.linspace(0.5, -0.5, 10)
    first = 1 + (truth[:, None] < truth - 1e-12).sum(axis=1)
    last = 10 - (truth[:, None] > truth + 1e-12).sum(axis=1)
    held = []
    for _ in range(simulations):
        hard = rng.normal(0.0, 0.15, 300)
        right = rng.random((10, 300)) < np.clip(truth[:, None] + hard, 0, 1)
        scores, draws = resampled(right.astype(np.float64))
        found = paired_differences(scores, draws, simultaneous=simultaneous)
        held.append((found.best <= first) & (found.worst >= last))
    return float(np.mean(held)), float(np.mean([every.all() for every in held]))


@pytest.mark.slow
def test_ranges_of_equal_entries_hold_their_rank():
    """Quantiles of resampled ranks would hold it for 21 %; so few simulations tell no more than
    that."""
    each, all_at_once = (coverage(0.0, simultaneous=s, simulations=12) for s in (False, True))
    assert each[0] > 0.85
    assert all_at_once[1] > 0.75


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.0, 0.1])
def test_ranges_hold_the_true_rank(spread):
    """Quantiles of resampled ranks hold it for 21 % of ten equal entries."""
    assert coverage(spread, simultaneous=False)[0] > 0.93  # 0.95 less two standard errors


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.0, 0.1])
def test_simultaneous_ranges_hold_all_true_ranks(spread):
    assert coverage(spread, simultaneous=True)[1] > 0.91


@pytest.mark.slow
def test_ranges_of_entries_of_unlike_kinds_hold_less_often_and_the_docs_say_so():
    """Ten equal entries, right of 90 % of 20 sets of four: half of them right and wrong by sets,
    half question by question. Of 500 boards 89 % hold, and 92 % of the ranges."""
    rng, sizes = np.random.default_rng(2026), np.full(20, 4.0)
    weights, by_sets = resample_weights(20, seed=1), np.arange(10) % 2 == 1
    held = []
    for _ in range(200):
        chance = np.where(by_sets, rng.beta(0.6, 0.0667, (20, 10)), 0.9)
        right = rng.binomial(4, chance).astype(np.float64)
        scores, draws = right.mean(axis=0) / 4, (weights @ right) / 80
        groups = float(effective_groups(sizes))
        found = paired_differences(scores, draws, simultaneous=True, groups=groups)
        held.append((found.worst - found.best == 9).all())
    assert 0.82 < np.mean(held) < 0.945


@given(DRAWS, st.randoms())
def test_relabelling_entries_permutes_their_rank_ranges(draws, random):
    order = random.sample(range(draws.shape[1]), draws.shape[1])
    found = ranges(draws.mean(axis=0), draws)
    assert ranges(draws.mean(axis=0)[order], draws[:, order]) == [found[i] for i in order]


@given(DRAWS, st.booleans())
def test_rank_ranges_hold_the_rank_of_the_scores(draws, simultaneous):
    scores = draws.mean(axis=0)
    found = paired_differences(scores, draws, simultaneous=simultaneous)
    ranks = competition_ranks(scores)
    assert (found.best >= 1).all()
    assert (found.best <= ranks).all()
    assert (ranks <= found.worst).all()
    assert (found.worst <= draws.shape[1]).all()
