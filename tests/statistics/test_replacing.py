"""Whether a judge may stand in for a person: by hand, and how often it is said wrongly."""

import numpy as np
import pytest

from benchmarks.statistics.agreement import Labels
from benchmarks.statistics.replacing import (
    Answer,
    against,
    benjamini_yekutieli,
    labels_missing,
    likeness,
    may_replace,
    p_below,
)
from tests.each_case import each_case
from tests.statistics.raters import simulated

NAN = float("nan")


def test_of_classes_it_counts_who_says_the_same_and_of_a_scale_how_near_it_is():
    """Distances 1 and 2: root of (1 + 4) / 2."""
    others = np.array([[1, 1], [1, 0], [0, NAN]])
    assert likeness(np.array([1.0, 1, 1]), others, by_class=True).tolist() == [1, 0.5, 0]
    found = likeness(np.array([5.0, NAN]), np.array([[6, 7], [1, 1.0]]), by_class=False)
    assert found.tolist() == [pytest.approx(-np.sqrt(2.5)), -np.inf]


def test_a_judge_held_against_one_person_by_hand():
    """The others say 1 and 1, 1 and 0, 0 and 0. The person agrees with 2, 1, 0 of them, the judge
    with 2, 1, 2: at least as well in three of three and two of three."""
    votes = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0.0]])
    found = against(Labels(votes, np.arange(3), 0, 1), np.array([1, 0, 0.0]), 0, 0.15)
    assert (found.judge, found.groups) == (1, 3)
    assert found.person == pytest.approx(2 / 3)
    assert np.isnan(found.p)


def test_the_test_by_hand_and_of_a_judge_that_never_differs_by_how_often_it_could_have():
    """Values -1, 0, 0, 1 twenty times: mean 0, variance 40 / 79, error 0.0796; (0 - 0.2) / 0.0796 =
    -2.51 with 79 degrees: 0.0070."""
    values = np.array([-1.0, 0, 0, 1] * 20)
    assert p_below(values, np.arange(80), 0.2) == pytest.approx(0.0070, abs=0.0002)
    assert p_below(np.zeros(30), np.arange(30), 0.15) == pytest.approx(0.85**30)


def test_several_are_corrected_whatever_depends_on_what():
    """Three: limits are 0.05 * rank / (3 * (1 + 1/2 + 1/3)) = 0.0091, 0.0182, 0.0273."""
    assert benjamini_yekutieli(np.array([0.0182, 0.02, 0.009]), 0.05).all()
    assert benjamini_yekutieli(np.array([0.02, 0.03, 0.009]), 0.05).tolist() == [
        False,
        False,
        True,
    ]
    assert not benjamini_yekutieli(np.array([0.02, 0.03, 0.04]), 0.05).any()


@each_case("groups, missing", [([30, 30, 30, 2], 0), ([40, 25, 10], 25), ([50, 50], 30), ([], 90)])
def test_labels_are_missing_up_to_three_people_of_thirty_items(groups, missing):
    assert labels_missing(groups) == missing


@each_case("items, in_group", [(20, 1), (60, 3)])
def test_too_few_labels_or_answers_to_one_question_are_no_answer(items, in_group):
    votes, groups = simulated(
        np.random.default_rng(1), items, (0.1,) * 4, (0.3, 0.4, 0.3), in_group
    )
    found = may_replace(Labels(votes[:, :3], groups, 0, 2), votes[:, 3])
    assert (found.answer, found.missing) == (Answer.NOT_ENOUGH, 30)
    assert np.isnan(found.rate)


def test_a_judge_without_a_word_replaces_nobody():
    votes, groups = simulated(np.random.default_rng(1), 60, (0.1,) * 3, (0.3, 0.4, 0.3))
    found = may_replace(Labels(votes, groups, 0, 2), np.full(60, NAN))
    assert (found.answer, found.rate) == (Answer.NO, 0)


def test_a_person_with_few_labels_is_not_tested():
    votes, groups = simulated(np.random.default_rng(1), 90, (0.05,) * 5, (0.3, 0.4, 0.3))
    votes[8:, 3] = NAN
    found = may_replace(Labels(votes[:, :4], groups, 0, 2), votes[:, 4])
    assert [np.isnan(one.p) for one in found.people] == [False, False, False, True]
    assert found.answer is Answer.YES


# --- simulated ------------------------------------------------------------------------------------

CASES = [(60, 1), (200, 1), (300, 3)]


def answers(items, in_group, errors, *, times=300, chances=(0.3, 0.4, 0.3)):
    """How often a judge, the last of the errors, may stand in for one of the others."""
    rng, yes = np.random.default_rng(2), 0
    for _ in range(times):
        votes, groups = simulated(rng, items, errors, chances, in_group)
        found = may_replace(Labels(votes[:, :-1], groups, 0, len(chances) - 1), votes[:, -1])
        yes += found.answer is Answer.YES
    return yes / times


@pytest.mark.slow
@pytest.mark.parametrize(("items", "in_group"), CASES)
def test_a_judge_as_good_as_a_person_mostly_may(items, in_group):
    assert answers(items, in_group, (0.1, 0.1, 0.1, 0.1)) >= 0.8


@pytest.mark.slow
@pytest.mark.parametrize(("items", "in_group"), CASES)
def test_a_judge_worse_by_more_than_the_advantage_rarely_may(items, in_group):
    """Where it loses 0.15 more of the items than it wins: of people who err in 10 % and a judge
    that errs just that much more. At most 5 %, and what chance adds to 300."""
    error = just_worse(in_group)
    assert answers(items, in_group, (0.1, 0.1, 0.1, error)) <= 0.05 + 0.025


def just_worse(in_group: int) -> float:
    """The least error, in hundredths, with which a judge of people who err in 10 % loses by more
    than the advantage, over very many items."""
    for hundredths in range(10, 60):
        errors = (0.1, 0.1, 0.1, hundredths / 100)
        votes, groups = simulated(
            np.random.default_rng(3), 100_000, errors, (0.3, 0.4, 0.3), in_group
        )
        found = against(Labels(votes[:, :3], groups, 0, 2), votes[:, 3], 0, 0.15)
        if found.person - found.judge > 0.15:
            return hundredths / 100
    raise AssertionError("no judge is that bad")
