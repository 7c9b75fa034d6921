import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchmarks.statistics.ranks import competition_ranks, rank_ranges

NAN = float("nan")
SCORES = arrays(np.float64, st.integers(1, 8), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0, NAN]))
DRAWS = arrays(np.float64, st.tuples(st.integers(1, 30), st.integers(1, 5)), elements=st.floats(0, 1))


@pytest.mark.parametrize(
    ("scores", "ranks"),
    [
        ([0.3, 0.5, 0.5, 0.1], [3, 1, 1, 4]),
        ([0.5, 0.5, 0.5], [1, 1, 1]),
        ([0.9], [1]),
        ([], []),
        ([NAN, 0.1, 0.2], [3, 2, 1]),
        ([NAN, 0.1, NAN], [2, 1, 2]),
        ([-0.0, 0.0], [1, 1]),
        ([NAN, NAN], [1, 1]),
    ],
)
def test_ties_share_the_better_rank_and_nan_is_last(scores, ranks):
    assert competition_ranks(np.array(scores, dtype=np.float64)).tolist() == ranks


def test_where_lower_is_better_the_lowest_is_first_and_nan_still_last():
    ranks = competition_ranks(np.array([0.3, NAN, 0.1, 0.3]), higher_is_better=False)
    assert ranks.tolist() == [2, 4, 1, 2]


def test_each_row_of_a_table_is_ranked_by_itself():
    ranks = competition_ranks(np.array([[0.1, 0.2], [0.2, 0.1], [0.2, 0.2]]))
    assert ranks.tolist() == [[2, 1], [1, 2], [1, 1]]


def test_a_rank_range_is_the_best_and_worst_rank_that_occurred():
    draws = np.array([[0.9, 0.5, 0.1], [0.9, 0.1, 0.5], [0.9, 0.5, 0.1]])
    best, worst = rank_ranges(draws)
    assert (best.tolist(), worst.tolist()) == ([1, 2, 2], [1, 3, 3])


def test_a_rank_range_leaves_out_the_rarest_resamples():
    draws = np.tile([0.9, 0.1], (1000, 1))
    draws[:10] = [0.1, 0.9]  # 1 % of the resamples, less than each tail of 2.5 %
    best, worst = rank_ranges(draws)
    assert (best.tolist(), worst.tolist()) == ([1, 2], [1, 2])


def test_without_entries_the_rank_ranges_are_empty():
    best, worst = rank_ranges(np.zeros((10, 0)))
    assert (best.tolist(), worst.tolist()) == ([], [])


def test_an_entry_without_any_draw_is_last_in_every_resample():
    best, worst = rank_ranges(np.array([[NAN, 0.2], [NAN, 0.4]]))
    assert (best.tolist(), worst.tolist()) == ([2, 1], [2, 1])


@given(SCORES, st.randoms())
def test_relabelling_entries_permutes_their_ranks(scores, random):
    order = random.sample(range(len(scores)), len(scores))
    assert competition_ranks(scores[order]).tolist() == competition_ranks(scores)[order].tolist()


@given(SCORES)
def test_a_rank_is_one_more_than_the_number_of_better_entries(scores):
    better = [sum(bool(other > score) or (score != score and other == other) for other in scores) for score in scores]
    assert competition_ranks(scores).tolist() == [count + 1 for count in better]


@given(DRAWS, st.randoms())
def test_relabelling_entries_permutes_their_rank_ranges(draws, random):
    order = random.sample(range(draws.shape[1]), draws.shape[1])
    best, worst = rank_ranges(draws)
    relabelled = rank_ranges(draws[:, order])
    assert (relabelled[0].tolist(), relabelled[1].tolist()) == (best[order].tolist(), worst[order].tolist())


@given(DRAWS)
def test_rank_ranges_lie_between_one_and_the_number_of_entries(draws):
    best, worst = rank_ranges(draws)
    assert (best >= 1).all()
    assert (best <= worst).all()
    assert (worst <= draws.shape[1]).all()
