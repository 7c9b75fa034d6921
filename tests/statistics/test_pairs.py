"""Choosing which differences to look at changes nothing of what is told."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks.statistics import pairs
from benchmarks.statistics.pairs import ManyDeviations, Pairs, both_significant_counts
from benchmarks.statistics.pairs import significant_counts as counts_by_choice
from benchmarks.statistics.resampling import Floats, resample_weights
from tests.statistics.plain_pairs import told_apart


def board(entries: int, seed: int, questions: int = 60, clones: int = 0) -> tuple[Floats, Floats]:
    """Scores and 200 draws of entries that answered the same questions, the last of them copies of
    the first, but for one answer in every second."""
    rng = np.random.default_rng(seed)
    skill, hard = rng.normal(0.0, 1.0, entries), rng.normal(0.0, 1.0, questions)
    chance = 1 / (1 + np.exp(-(skill[:, np.newaxis] + hard)))
    right = (rng.random((entries, questions)) < chance).astype(np.float64)
    for i in range(clones):
        right[-1 - i] = right[i]
        right[-1 - i, i % questions] = i % 2
    weights = resample_weights(questions, seed=seed, resamples=200)
    return right.mean(axis=1), weights @ right.T / questions


def assert_same(scores: Floats, draws: Floats, *, simultaneous: bool, groups: float | None) -> None:
    plain = told_apart(scores, draws, level=0.95, simultaneous=simultaneous, groups=groups)
    found = counts_by_choice(
        Pairs(scores, draws, groups=groups), level=0.95, simultaneous=simultaneous
    )
    assert found.above.tolist() == plain.above.sum(axis=1).tolist()
    assert found.below.tolist() == plain.below.sum(axis=1).tolist()
    told = ~np.isnan(plain.critical)
    assert found.critical[told] == pytest.approx(plain.critical[told], rel=1e-9)


@settings(max_examples=30)
@given(
    st.integers(0, 10_000),
    st.integers(1, 40),
    st.integers(0, 8),
    st.booleans(),
    st.sampled_from([None, 60, 17.98, 2, 1]),
)
@example(36, 36, 0, False, None)  # a critical value is itself a difference of two scores
def test_every_difference_is_looked_at_on_small_boards(seed, entries, clones, together, groups):
    scores, draws = board(entries, seed, clones=min(clones, entries // 2))
    assert_same(scores, draws, simultaneous=together, groups=groups)


@pytest.mark.slow
@settings(max_examples=20)
@given(st.integers(0, 10_000), st.integers(30, 70), st.integers(0, 8), st.booleans())
def test_few_are_looked_at_on_large_boards_and_tell_the_same(seed, entries, clones, together):
    """With the sizes turned down, so that most of a board of seventy is not looked at."""
    with pytest.MonkeyPatch.context() as patch:
        for name, size in (("FEW", 10), ("MOST_ALIKE", 4), ("BLOCK", 16)):
            patch.setattr(pairs, name, size)
        assert_same(*board(entries, seed, clones=clones), simultaneous=together, groups=60)


@pytest.mark.slow
@pytest.mark.parametrize("together", [False, True])
def test_as_large_a_board_as_chooses_tells_the_same(together):
    scores, draws = board(pairs.FEW + 20, seed=5, questions=400, clones=30)
    assert_same(scores, draws, simultaneous=together, groups=400)


def test_entries_that_all_draws_leave_where_they_are_tell_nothing():
    scores = np.linspace(0.0, 1.0, 5)
    assert_same(scores, np.tile(scores, (50, 1)), simultaneous=False, groups=None)


@settings(max_examples=15)
@given(
    st.integers(0, 10_000),
    st.integers(12, 60),
    st.integers(0, 25),
    st.sampled_from([None, 17.98]),
)
def test_both_kinds_of_ranges_at_once_are_those_one_by_one(seed, entries, clones, groups):
    """Few questions, so that many scores are equal, and entries with equal answers."""
    scores, draws = board(entries, seed, questions=12, clones=min(clones, entries // 2))
    with pytest.MonkeyPatch.context() as patch:
        for name, size in (("FEW", 10), ("BLOCK", 16)):
            patch.setattr(pairs, name, size)
        both = both_significant_counts(Pairs(scores, draws, groups=groups), level=0.95)
    for together, found in enumerate(both):
        plain = told_apart(scores, draws, level=0.95, simultaneous=bool(together), groups=groups)
        assert found.above.tolist() == plain.above.sum(axis=1).tolist()
        assert found.below.tolist() == plain.below.sum(axis=1).tolist()
        assert found.critical == pytest.approx(plain.critical, rel=1e-9, nan_ok=True)


@pytest.fixture
def looked(monkeypatch):
    """How many differences each look took, beside those to relatives."""
    found: list[int] = []
    look = ManyDeviations.look

    def noted(self, blocks, rows, *others):
        found.append(len(rows) * self.blocks.order.shape[1])
        look(self, blocks, rows, *others)

    monkeypatch.setattr(ManyDeviations, "look", noted)
    return found


@pytest.mark.slow
def test_large_boards_look_at_few_differences(looked):
    """Of all differences in all resamples: else ten thousand entries take hours."""
    scores, draws = board(800, seed=5, questions=400)
    chosen, everybody = Pairs(scores, draws, groups=400), np.ones(800, dtype=bool)
    for entry, weight in chosen.weights():
        chosen.of(entry, weight).largest(everybody, everybody, 0.95, np.zeros(len(draws)))
    assert sum(looked) < 0.1 * 800 * draws.size


def test_large_boards_of_few_families_look_at_few_differences(looked):
    """Of a thousand entries a hundred are much like each."""
    rng = np.random.default_rng(5)
    families = np.repeat(rng.normal(size=(200, 10)), 100, axis=1)
    draws = 0.5 + 0.03 * (0.8 * families + 0.6 * rng.normal(size=families.shape))
    everybody = np.ones(1000, dtype=bool)
    chosen = Pairs(draws.mean(axis=0), draws)
    some = list(chosen.weights())[::50]
    for entry, weight in some:
        chosen.of(entry, weight).largest(everybody, everybody, 0.95, np.zeros(len(draws)))
    assert sum(looked) < 0.1 * len(some) * draws.size


@pytest.mark.parametrize("together", [False, True])
def test_where_the_few_do_not_tell_all_are_looked_at(monkeypatch, together):
    """With one relative of each entry, most of what is largest is in the blocks only."""
    for name, size in (("FEW", 10), ("CLOSE", 0.0), ("MOST_ALIKE", 1)):
        monkeypatch.setattr(pairs, name, size)
    for seed in range(5):
        assert_same(*board(40, seed), simultaneous=together, groups=60)
