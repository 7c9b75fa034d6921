"""Agreement between people and with a judge: tables worked by hand, published examples, a library,
and simulations of what the intervals claim."""

import krippendorff
import numpy as np
import pytest

from benchmarks.statistics.agreement import (
    Agreed,
    Labels,
    Level,
    cohen_kappa,
    fleiss_kappa,
    holm,
    judge_like_majority,
    judge_like_votes,
    krippendorff_alpha,
    majority,
    pair_agreement,
    raters,
    settled_by_fourth,
    votes_like_majority,
)
from tests.each_case import each_case
from tests.statistics.raters import simulated

NAN = float("nan")


def labels(rows, low=-1, high=1, level=Level.NOMINAL, groups=None):
    votes = np.array(rows, dtype=float)
    places = np.arange(len(votes)) if groups is None else np.array(groups)
    return Labels(votes, places, low, high, level)


# --- shares by hand -------------------------------------------------------------------------------

FOUR_ITEMS = [
    [1, 1, 1, NAN],  # all say better
    [1, 1, -1, NAN],  # two do
    [1, 0, -1, 1],  # three say three things, and a fourth decides
    [0, 0, 0, NAN],
]


def test_what_most_say_and_a_tie_has_no_majority():
    assert majority(labels(FOUR_ITEMS)).tolist() == [1, 1, 1, 0]
    assert np.isnan(majority(labels([[1, 0, -1], [1, 0, NAN], [NAN, NAN, NAN]]))).all()


def test_single_votes_are_held_against_a_majority_of_three_or_more_alone():
    """Of one or two people all votes would say what most say."""
    two = labels([[1, 1, NAN], [1, 0, NAN], [0, NAN, NAN]])
    assert np.isnan(votes_like_majority(two).value)
    mixed = labels([[1, 1, 0], [1, 1, NAN]])
    found = votes_like_majority(mixed)
    assert (found.value, found.units) == (2 / 3, 3)


def test_the_fourth_decides_and_is_counted_only_where_that_is_asked():
    """Equal to the majority: 3 of 3, 2 of 3, 1 of 3 (2 of 4 with the fourth), 3 of 3."""
    found = labels(FOUR_ITEMS)
    assert settled_by_fourth(found).tolist() == [False, False, True, False]
    without, with_fourth = (votes_like_majority(found, with_fourth=w) for w in (False, True))
    assert (without.value, without.units) == (9 / 12, 12)
    assert (with_fourth.value, with_fourth.units) == (10 / 13, 13)


def test_four_people_asked_about_everything_are_no_fourth():
    assert not settled_by_fourth(labels([[1, 0, -1, 1], [1, 1, 1, 1], [0, 0, 1, 1]])).any()


def test_pairs_of_people_and_a_judge_against_the_majority_and_against_single_votes():
    """3 of 3 pairs, 1 of 3, 0 of 3 without the fourth, 3 of 3. The judge says better, better,
    worse, nothing: 2 of 4 majorities; of votes 3 of 3, 2 of 3, 1 of 3 and none of 3."""
    found, judge = labels(FOUR_ITEMS), np.array([1, 1, -1, NAN])
    pairs = pair_agreement(found)
    assert (pairs.value, pairs.units) == (7 / 12, 12)
    assert judge_like_majority(found, judge).value == 2 / 4
    assert judge_like_votes(found, judge).value == 6 / 12


def test_the_papers_share_counts_the_votes_of_three():
    """78.4 % of the paper is 1,411 of 1,800 votes: 212 items on which all three agree, 387 on which
    two do, and one on which a fourth decided between three, whose vote is not counted."""
    rows = [[1, 1, 1, NAN]] * 212 + [[0, 0, 1, NAN]] * 387 + [[1, 0, -1, 1]]
    found = votes_like_majority(labels(rows))
    assert (found.units, f"{found.value:.1%}") == (1_800, "78.4%")


# --- coefficients ---------------------------------------------------------------------------------


def test_alpha_is_that_of_krippendorffs_own_example():
    """Krippendorff (2011), four observers and twelve units, some not seen by all."""
    rows = np.array(
        [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
            [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
        ]
    ).T
    found = [krippendorff_alpha(labels(rows, 1, 5, level)).value for level in Level]
    assert [round(value, 3) for value in found] == [0.743, 0.815, 0.849]


def test_kappa_is_that_of_fleiss_own_example():
    """Fleiss (1971) in the form it is usually shown: ten subjects, fourteen raters: 0.210."""
    counts = """0 0 0 0 14,0 2 6 4 2,0 0 3 5 6,0 3 9 2 0,2 2 8 1 1,
        7 7 0 0 0,3 2 6 3 0,2 5 3 2 2,6 5 2 1 0,0 2 2 3 7"""
    rows = [
        [value for value, n in enumerate(map(int, line.split())) for _ in range(n)]
        for line in counts.split(",")
    ]
    assert round(fleiss_kappa(labels(rows, 0, 4)).value, 3) == 0.210


def test_cohens_kappa_by_hand():
    """Both yes 20, no 15; only the one yes 5, only the other 10. They agree on 35 of 50 = 0.7; by
    chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5; (0.7 - 0.5) / (1 - 0.5) = 0.4."""
    pairs = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    one, other = np.array(pairs, dtype=float).T
    found = cohen_kappa(one, other, labels(pairs, 0, 1))
    assert found.value == pytest.approx(0.4)
    assert found.low < 0.4 < found.high


@each_case("level", list(Level))
@each_case("constant", [0, 1])
def test_who_says_one_thing_of_everything_has_no_kappa(level, constant):
    """The formula gives 0 whatever the other says: 0.00 ± 0.00 of a judge that never looked."""
    varied = np.array([0, 1, 1, 2] * 15, dtype=float)
    pairs = np.column_stack([np.full(60, constant), varied])
    same = np.column_stack([np.zeros(60), np.full(60, constant)])
    for one, other in (pairs.T, pairs.T[::-1], same.T):
        found = cohen_kappa(one, other, labels(pairs, 0, 2, level))
        assert np.isnan([found.value, found.low, found.high]).all()
        assert (np.isnan(found.low), found.missing, found.items) == (True, 0, 60)
    once = varied.copy()
    once[:] = constant
    once[0] = 2  # one word of its own tells nearly nothing
    found = cohen_kappa(once, varied, labels(pairs, 0, 2, level))
    assert (np.isnan(found.value), np.isnan(found.low)) == (False, True)


def test_one_of_two_people_who_never_varies_leaves_the_coefficients_of_all():
    """Fleiss and Krippendorff look at all votes together: 60 of 80 are 1, seen 1/2, by chance
    5/8, so kappa is (1/2 - 5/8) / (3/8) = -1/3. Only where all votes are one value there is
    nothing."""
    votes = [[1, 1], [1, 0]] * 20
    assert fleiss_kappa(labels(votes, 0, 1)).value == pytest.approx(-1 / 3)
    assert np.isfinite(krippendorff_alpha(labels(votes, 0, 1)).value)
    assert np.isnan(fleiss_kappa(labels([[1, 1]] * 40, 0, 1)).value)


@pytest.mark.slow
@pytest.mark.parametrize("rare", [0.02, 0.05, 0.1])
@pytest.mark.parametrize("errors", [(0.02,) * 3, (0.05,) * 3, (0.05, 0.1, 0.25)])
@pytest.mark.parametrize("items", [60, 200])
def test_an_interval_of_a_rare_label_is_told_only_where_it_holds(rare, errors, items):
    """Before, 87 % held at the worst; of 60 items with a label of one in fifty hardly any is told
    now."""
    rng, held = np.random.default_rng(5), []

    def rated(number):
        truth = (rng.random(number) < rare) * 1.0
        wrong = rng.random((number, 3)) < np.array(errors)
        return labels(np.where(wrong, 1 - truth[:, np.newaxis], truth[:, np.newaxis]), 0, 1)

    true = krippendorff_alpha(rated(100_000)).value
    for _ in range(400):
        found = krippendorff_alpha(rated(items))
        if not np.isnan(found.low):
            held.append(found.low <= true <= found.high)
    assert len(held) < 20 or np.mean(held) > 0.9


def test_weighted_and_unweighted_kappa_by_hand():
    """Of (0, 0), (1, 1), (2, 2), (0, 2) the distances are 0, 0, 0 and 2: seen 2 / 4. By chance, of
    rows (2, 1, 1) and columns (1, 1, 2), row times column times distance: 0-1 2, 0-2 8, 1-0 1,
    1-2 2, 2-0 2, 2-1 1, together 16 of 16. 1 - (1 / 2) / 1 = 1 / 2. Unweighted they agree on 3 of
    4; by chance on (2 * 1 + 1 * 1 + 1 * 2) / 16 = 5 / 16; (12 / 16 - 5 / 16) / (11 / 16) =
    7 / 11."""
    pairs = np.array([(0, 0), (1, 1), (2, 2), (0, 2)], dtype=float)
    (one, other), given = pairs.T, labels(pairs, 0, 2, Level.ORDINAL)
    for is_weighted, value in ((True, 1 / 2), (False, 7 / 11)):
        found = cohen_kappa(one, other, given, is_weighted=is_weighted)
        assert found.value == pytest.approx(value)


@each_case("level", list(Level))
def test_alpha_is_the_librarys(level):
    rng = np.random.default_rng(1)
    for values in (2, 3, 5, 11):
        votes = rng.integers(0, values, (40, 4)).astype(float)
        votes[rng.random(votes.shape) < 0.3] = NAN
        theirs = krippendorff.alpha(votes.T, level_of_measurement=level.value)
        ours = krippendorff_alpha(labels(votes, 0, values - 1, level)).value
        assert ours == pytest.approx(theirs)


def test_few_items_or_one_value_only_tell_no_coefficient():
    """Two items on which two people are of opposite minds: kappa -1, of which nothing is said.
    Thirty items of ten questions are too few too."""
    found = fleiss_kappa(labels([[0, 1], [1, 0]], 0, 1))
    assert (np.isnan(found.low), found.items, found.missing) == (True, 2, 28)
    found = krippendorff_alpha(labels([[0, 1], [1, 1], [0, 0]] * 10, 0, 1, groups=[*range(10)] * 3))
    assert (np.isnan(found.low), found.missing) == (True, 10)
    found = krippendorff_alpha(labels([[1, 1, 1]] * 40))
    assert (np.isnan(found.value), np.isnan(found.low)) == (True, True)
    empty = labels(np.zeros((0, 3)))
    for one in (krippendorff_alpha(empty), fleiss_kappa(empty), pair_agreement(empty)):
        assert (np.isnan(one.value), one.units) == (True, 0)


def test_nobody_disagreeing_leaves_room_below():
    found = krippendorff_alpha(labels([[0, 0], [1, 1]] * 20, 0, 1))
    assert (found.value, found.high) == (1, 1)
    assert 0.7 < found.low < 0.9


def test_order_of_items_and_raters_changes_nothing():
    votes, groups = simulated(np.random.default_rng(2), 60, (0.1, 0.2, 0.3), (0.3, 0.4, 0.3), 3)
    turned = votes[::-1, ::-1], groups[::-1]
    one, other = (krippendorff_alpha(Labels(v, g, 0, 2)) for v, g in ((votes, groups), turned))
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


# --- who stands out -------------------------------------------------------------------------------


def test_whoever_agrees_with_nobody_stands_out():
    votes, groups = simulated(np.random.default_rng(3), 100, (0.05, 0.05, 0.5), (0.3, 0.4, 0.3))
    found = raters(Labels(votes, groups, 0, 2))
    assert [one.is_outlier for one in found] == [False, False, True]
    assert found[2].like_others.value < 0.6 < 0.85 < found[2].others.value


def test_a_rater_without_company_is_nobody_who_stands_out():
    rows = [[1, NAN], [NAN, 0]] * 30
    found = raters(labels(rows))
    assert [(one.votes, one.like_others.units, one.is_outlier) for one in found] == [
        (30, 0, False),
        (30, 0, False),
    ]


def test_the_smaller_a_number_the_fewer_it_is_multiplied_by():
    """Holm: 0.01 * 3, then 0.02 * 2, then 0.2."""
    assert holm(np.array([0.2, 0.01, 0.02, NAN]), 0.05).tolist() == [False, True, True, False]
    assert not holm(np.array([0.02, 0.03, 0.04]), 0.05).any()


# --- simulated ------------------------------------------------------------------------------------

CASES = [(40, 1), (60, 1), (60, 3), (200, 1)]


@pytest.mark.slow
@pytest.mark.parametrize(("items", "in_group"), CASES)
@pytest.mark.parametrize("errors", [(0.05, 0.1, 0.25, 0.1), (0.1, 0.1, 0.1, 0.2)])
def test_intervals_hold_what_they_promise(items, in_group, errors):
    """Of three people and a judge, in 400 simulations: between 93 % and 97 %, and what chance does
    to so many (2.5 standard errors, 2.7 points)."""
    chances = (0.3, 0.4, 0.3)
    whole = everything(*simulated(np.random.default_rng(4), 150_000, errors, chances, in_group))
    rng, held = np.random.default_rng(5), np.zeros(len(whole))
    for _ in range(400):
        found = everything(*simulated(rng, items, errors, chances, in_group))
        held += [one.low <= true.value <= one.high for one, true in zip(found, whole, strict=True)]
    assert (held / 400 >= 0.93 - 0.027).all(), held / 4
    assert (held / 400 <= 0.97 + 0.027).all(), held / 4


def everything(votes: np.ndarray, groups: np.ndarray) -> list[Agreed]:
    people, judge = votes[:, :-1], votes[:, -1]
    nominal, ordinal = (Labels(people, groups, 0, 2, each) for each in list(Level)[:2])
    return [
        krippendorff_alpha(nominal),
        krippendorff_alpha(ordinal),
        fleiss_kappa(nominal),
        cohen_kappa(judge, majority(nominal), nominal),
        cohen_kappa(judge, majority(ordinal), ordinal),
        judge_like_majority(nominal, judge),
        judge_like_votes(nominal, judge),
        pair_agreement(nominal),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("items", "in_group"), [(30, 1), (60, 1), (60, 3), (300, 3)])
@pytest.mark.parametrize("errors", [(0.1,) * 3, (0.25,) * 5])
def test_equal_raters_rarely_stand_out(items, in_group, errors):
    """Any of them, in at most 5 % of 500 simulations, and what chance adds."""
    rng, wrong = np.random.default_rng(6), 0
    for _ in range(500):
        votes, groups = simulated(rng, items, errors, (0.3, 0.4, 0.3), in_group)
        wrong += any(one.is_outlier for one in raters(Labels(votes, groups, 0, 2)))
    assert wrong / 500 <= 0.05 + 0.024


@pytest.mark.slow
def test_a_rater_who_guesses_is_mostly_seen():
    rng, seen = np.random.default_rng(7), 0
    for _ in range(200):
        votes, groups = simulated(rng, 60, (0.1, 0.1, 0.5), (0.3, 0.4, 0.3))
        seen += raters(Labels(votes, groups, 0, 2))[2].is_outlier
    assert seen / 200 >= 0.95
