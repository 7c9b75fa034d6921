"""Answers counted and put in groups, by hand."""

import numpy as np

from benchmarks.protocols.base import Derived, QuestionView
from benchmarks.protocols.tallies import Tally, assembled, by_group, mean, share
from tests.each_case import each_case


def questions(*groups: str) -> list[QuestionView]:
    return [QuestionView(str(i), "", "", "", group, "", {}, {}) for i, group in enumerate(groups)]


def flags(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.bool_)


def test_every_group_stands_once_and_sorted_and_a_share_counts_hits_only_where_they_count():
    hits = share(flags(1, 0, 1), flags(1, 1, 1), flags(1, 1, 1))
    found = assembled(questions("b", "a", "b"), {"right": hits}, runs=1, coverage=1.0)
    assert found.groups == ("a", "b")
    assert found.numerator.tolist() == [[[0.0], [2.0]]]
    assert found.denominator.tolist() == [[[1.0], [2.0]]]
    assert (found.counts.tolist(), found.asked.tolist(), found.judged.tolist()) == ([3], [3], [3])
    given = flags(1, 1, 0), flags(1, 0, 1), flags(1, 1, 1)
    tally = share(*given)
    assert (tally.numerator.tolist(), tally.denominator.tolist()) == ([1, 0, 0], [1, 0, 1])
    assert tally.judged.tolist() == [True, False, True]
    assert share(*given, flags(1, 1, 0)).judged.tolist() == [True, True, False]


def test_an_answer_is_judged_that_is_known_in_every_run():
    known = np.array([[True, True], [True, False]])
    tally = mean(np.array([[3.0, 4.0], [5.0, np.nan]]), known)
    assert tally.judged.tolist() == [True, False]
    assert tally.numerator.tolist() == [[3.0, 4.0], [5.0, 0.0]]
    found = assembled(questions("a", "a"), {"score": tally}, runs=2, coverage=0.75)
    assert found.numerator.tolist() == [[[7.0]], [[5.0]]]
    assert found.counts.tolist() == [2], "those of the first run"


@each_case(
    "values, kind", [([2.0, 3.0], np.int32), ([2.0, 0.5], np.float64), ([2.0, 3e9], np.float64)]
)
def test_numbers_take_half_the_memory_where_all_are_whole(values, kind):
    """And are what they were in each run: a column of fractions behind whole ones changes none of
    them."""
    counted = Tally(np.array([7.0, 8.0]), np.ones(2), flags(1, 1), flags(1, 1))
    given = Tally(np.array(values), np.ones(2), flags(1, 1), flags(1, 1))
    tallies = {"counted": counted, "given": given}
    found = assembled(questions("a", "b"), tallies, runs=3, coverage=0.0)
    assert found.numerator.dtype == kind
    assert found.denominator.dtype == np.int32
    assert found.numerator.transpose(0, 2, 1).tolist() == [[[7.0, 8.0], values]] * 3


def test_without_questions_there_are_no_groups():
    nothing = Tally(np.zeros(0), np.zeros(0), flags(), flags())
    derived = {"twice": Derived(lambda found: 2 * found["a"], ("a",))}
    found = assembled([], {"a": nothing}, runs=1, coverage=0.0, derived=derived)
    assert (found.groups, found.numerator.shape, found.counts.tolist()) == ((), (1, 0, 1), [0])
    assert found.derived == derived


def test_sums_hold_what_their_own_rows_hold():
    place = np.array([1, 0, 1], dtype=np.intp)
    assert by_group(np.array([[1.0, 2.0, 4.0]]), place, 3).tolist() == [[2.0, 5.0, 0.0]]
