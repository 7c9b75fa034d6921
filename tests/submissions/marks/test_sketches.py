"""Bands find nearly equal submissions, hardly ever miss one, and bring few others to be
compared."""

import math

import numpy as np
import pytest

from benchmarks.submissions.marks.sketches import (
    BANDS,
    MOST_OF_A_RELEASE,
    NEAR,
    SAMPLED,
    band_keys,
    equal_answers,
    is_near,
    samples,
    sketch_of,
)
from tests.each_case import each_case

SECRET = b"a secret of sixteen"


def band_probability(questions: int, other: int) -> float:
    """That a sample of the questions holds none of the `other` ones."""
    size = max(1, min(SAMPLED, questions // MOST_OF_A_RELEASE))
    return math.prod((questions - size - i) / (questions - i) for i in range(other))


def test_fewer_than_one_in_100_000_pairs_at_the_threshold_is_missed():
    for questions in (*range(1, 2000), 5_000, 19_265, 100_000):
        other = questions - math.ceil(NEAR * questions)
        missed = (1 - band_probability(questions, other)) ** BANDS
        assert missed < 1e-5, questions


@each_case("questions, share", [(1129, 0.98), (951, 0.98), (254, 0.99)])
def test_what_is_drawn_shares_bands_as_often_as_computed(questions, share):
    rng = np.random.default_rng(7)
    own = sketch_of([str(n) for n in range(questions)])
    other = questions - math.ceil(share * questions)
    shared = []
    for trial in range(60):
        copy = own.copy()
        copy[rng.permutation(questions)[:other]] += 1
        secret = SECRET + bytes([trial])
        shared.append(len(set(band_keys(own, secret)) & set(band_keys(copy, secret))))
    expected = BANDS * band_probability(questions, other)
    assert min(shared) > 0
    assert np.mean(shared) == pytest.approx(expected, rel=0.15)


def test_honest_models_that_agree_on_nine_answers_of_ten_seldom_share_one():
    assert BANDS * band_probability(1129, 113) < 0.25


def test_who_does_not_know_the_secret_cannot_avoid_the_samples():
    one, other = samples(1129, b"one"), samples(1129, b"other")
    assert np.array_equal(one, samples(1129, b"one"))
    assert not np.array_equal(one, other)
    assert all(len(set(band)) == SAMPLED for band in one)


@each_case("questions", [0, 1, 2, 4])
def test_a_release_of_a_few_questions_has_bands_too(questions):
    sketch = sketch_of(["yes"] * questions)
    assert len(band_keys(sketch, SECRET)) == (BANDS if questions else 0)


def test_nearly_equal_begins_at_98_of_100():
    one, other = sketch_of(list("abc")), sketch_of(list("abd"))
    assert equal_answers(one, other) == 2
    assert equal_answers(one, sketch_of(list("ab"))) == 0
    assert [is_near(equal, 100) for equal in (97, 98, 100)] == [False, True, True]
    assert not is_near(0, 0)
