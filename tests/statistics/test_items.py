"""Difficulty, discrimination and suspicion of questions: by hand, by properties, and whether
planted wrong labels are found."""

import numpy as np
import pytest

from benchmarks.statistics.items import (
    FEWEST_ENTRIES,
    item_statistics,
    saturation,
    share_interval,
)
from tests.each_case import each_case
from tests.slow import slow_except

SEEDS = range(8)


def world(seed: int, *, is_flipped: bool, entries: int = 30, questions: int = 200):
    """Right and wrong answers of entries of varied strength, and which questions have a wrong
    label: what is right there counts as wrong, and where labels are one of two the other way
    round."""
    rng = np.random.default_rng(seed)
    strength, difficulty = rng.normal(size=entries), rng.normal(size=questions)
    chance = 1 / (1 + np.exp(-1.7 * (strength[:, np.newaxis] - difficulty)))
    scores = (rng.random((entries, questions)) < chance).astype(np.float64)
    planted = rng.choice(questions, questions // 20, replace=False)
    if is_flipped:
        scores[:, planted] = 1 - scores[:, planted]
    else:
        scores[:, planted] = rng.random((entries, len(planted))) < 0.02
    return scores, planted


def share_in_first_tenth(scores, planted) -> float:
    order = np.argsort(-item_statistics(scores).suspicion, kind="stable")
    return float(np.isin(planted, order[: scores.shape[1] // 10]).mean())


@each_case("is_flipped", [True, False])
@each_case("seed", SEEDS)
def test_four_of_five_planted_wrong_labels_are_in_the_first_tenth(seed, is_flipped):
    assert share_in_first_tenth(*world(seed, is_flipped=is_flipped)) >= 0.8


def test_without_planted_labels_the_first_tenth_holds_a_tenth_of_any_questions():
    """Or the test above would pass for a list that holds everything."""
    found = [share_in_first_tenth(world(s, is_flipped=True)[0], np.arange(10)) for s in SEEDS]
    assert np.mean(found) < 0.4


def test_with_fewer_entries_than_are_needed_nothing_is_claimed():
    scores, _ = world(1, is_flipped=True, entries=FEWEST_ENTRIES)
    assert not np.isnan(item_statistics(scores).suspicion).any()
    found = item_statistics(scores[:-1])
    assert np.isnan(found.suspicion).all()
    assert np.isnan(found.discrimination).all()
    assert not np.isnan(found.share).any()
    assert np.isnan(item_statistics(np.zeros((0, 3))).share).all()
    assert len(item_statistics(np.zeros((3, 0))).share) == 0


def test_discrimination_is_the_correlation_with_the_other_questions():
    scores, _ = world(3, is_flipped=False, entries=12, questions=20)
    found = item_statistics(scores)
    for question in range(20):
        here, rest = scores[:, question], np.delete(scores, question, axis=1).mean(axis=1)
        if here.std():
            assert found.discrimination[question] == pytest.approx(np.corrcoef(here, rest)[0, 1])
        else:
            assert np.isnan(found.discrimination[question])


def test_what_nobody_gets_right_is_suspected_and_what_everybody_does_is_not():
    scores, _ = world(4, is_flipped=False)
    scores[:, 0], scores[:, 1] = 0, 1
    found = item_statistics(scores)
    assert found.suspicion[0] == pytest.approx(1)
    assert found.suspicion[1] == pytest.approx(0)
    assert np.isnan(found.discrimination[:2]).all()


def test_missing_scores_are_no_wrong_answers_and_a_question_without_any_is_not_known():
    scores, _ = world(5, is_flipped=False)
    scores[::2, 7], scores[:, 9] = np.nan, np.nan
    found = item_statistics(scores)
    assert found.answered[[7, 9]].tolist() == [15, 0]
    assert found.share[7] == pytest.approx(scores[1::2, 7].mean())
    assert all(np.isnan(row[9]) for row in (found.share, found.discrimination, found.suspicion))


@pytest.mark.parametrize("entries", slow_except([30, 700], lambda entries: entries == 30))
def test_questions_looked_at_in_blocks_are_as_looked_at_alone(monkeypatch, entries):
    scores, _ = world(7, is_flipped=True, entries=entries)
    whole = item_statistics(scores)
    monkeypatch.setattr("benchmarks.statistics.items.NUMBERS_AT_ONCE", entries * 7)
    assert np.array_equal(item_statistics(scores).suspicion, whole.suspicion)


def test_relabelled_entries_change_nothing():
    scores, _ = world(8, is_flipped=True)
    shuffled = np.random.default_rng(0).permutation(scores)
    assert item_statistics(shuffled).suspicion == pytest.approx(item_statistics(scores).suspicion)


def test_saturation_counts_what_everybody_or_nobody_gets_right():
    found = saturation(np.array([1.0, 0.95, 0.94, 0.5, 0.06, 0.05, 0.0, np.nan]))
    assert (found.solved, found.open, found.missed, found.questions) == (2, 3, 2, 7)


@each_case("n", [3, 10, 30, 100])
def test_interval_of_a_share_holds_what_is_true_as_often_as_it_says(n):
    """Over all shares there are; a share of three is 0.93 to 0.97 of the time inside."""
    rng = np.random.default_rng(n)
    truth = rng.uniform(size=20_000)
    low, high = share_interval(rng.binomial(n, truth) / n, np.full(len(truth), n))
    assert 0.94 < ((low <= truth) & (truth <= high)).mean() < 0.97


def test_interval_of_three_right_answers_is_not_narrow_and_of_none_not_known():
    low, high = share_interval(np.array([1.0, np.nan]), np.array([3, 0]))
    assert (round(low[0], 2), high[0]) == (0.44, 1.0)
    assert np.isnan([low[1], high[1]]).all()
