"""Figures from contributions: hand-worked values, and what must not change them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.protocols.base import Contributions, Derived, QuestionView
from leaderboard.scoring import Sheet, number, release_seed, score_sheet
from tests.tiny_protocol import scoring

VERDICTS = st.lists(st.sampled_from(["right", "wrong", None]), min_size=1, max_size=8)
REPEATED = st.integers(1, 8).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from(["right", "wrong", None]), min_size=n, max_size=n),
        min_size=1,
        max_size=3,
    )
)


def questions(count: int) -> list[QuestionView]:
    names = [str(i) for i in range(count)]
    return [
        QuestionView(name, "words", "words/short", "", name, f"Spell {name}.", {}, {})
        for name in names
    ]


def contributions(*runs: list[str | None], order: list[int] | None = None) -> Contributions:
    """What the spelling protocol makes of these verdicts, the questions in another order where one is given."""
    order = order if order is not None else list(range(len(runs[0])))
    asked = questions(len(runs[0]))
    verdicts = {
        f"spelled.{number}": [run[i] for i in order] for number, run in enumerate(runs, start=1)
    }
    return scoring.contributions([asked[i] for i in order], [""] * len(order), verdicts)


def sheet(*runs: list[str | None], order: list[int] | None = None, seed: int = 1) -> Sheet:
    return score_sheet(contributions(*runs, order=order), ranking="accuracy", seed=seed)


def test_a_figure_has_its_value_interval_and_counts():
    figure = sheet(["right", "right", "wrong", None]).figures["accuracy"]
    assert figure.value == pytest.approx(2 / 3)
    assert figure.low == pytest.approx(0.0)
    assert figure.high == 1.0
    assert (figure.n, figure.asked, figure.judged) == (3, 4, 3)


def test_repeats_are_averaged_and_their_spread_is_told():
    figure = sheet(
        ["right", "right", "wrong", "wrong"], ["right", "right", "right", "wrong"]
    ).figures["accuracy"]
    assert figure.value == pytest.approx(0.625)
    assert figure.spread == pytest.approx(math.sqrt(2) / 8)


def test_a_single_run_has_no_spread():
    assert sheet(["right", "wrong"]).figures["accuracy"].spread is None


def test_a_derived_metric_is_made_of_the_basic_ones():
    figures = sheet(["right", "right", "wrong", "wrong"]).figures
    assert figures["double"].value == 1.0
    assert figures["double"].low == pytest.approx(2 * figures["accuracy"].low)
    assert figures["double"].high == pytest.approx(2 * figures["accuracy"].high)


def mean_of_parts(*denominators: list[int], counted: tuple[str, ...] = ()) -> Sheet:
    """A metric over basic ones with these denominators on each of three rows, of which each looks at as many as it has
    places."""
    names = tuple(f"part{number}" for number in range(len(denominators)))
    denominator = np.array(denominators, dtype=np.float64).T[np.newaxis]
    made = Derived(lambda found: np.mean(list(found.values()), axis=0), names, counted)
    given = Contributions(
        names=names,
        groups=("a", "b", "c"),
        numerator=denominator / 2,
        denominator=denominator,
        counts=denominator[0].sum(axis=0).astype(np.int64),
        asked=np.full(len(names), 3),
        judged=(denominator[0] > 0).sum(axis=0),
        coverage=1.0,
        derived={"mean": made},
    )
    return score_sheet(given, ranking="mean", seed=1)


def test_a_mean_of_parts_counts_the_rows_of_all():
    figure = mean_of_parts([2, 2, 0], [1, 1, 1]).figures["mean"]
    assert (figure.value, figure.n, figure.asked, figure.judged) == (0.5, 7, 6, 5)


def test_parts_that_look_at_the_same_rows_are_counted_once():
    figure = mean_of_parts([2, 2, 0], [1, 1, 1], counted=("part1",)).figures["mean"]
    assert (figure.n, figure.asked, figure.judged) == (3, 3, 3)


def test_one_group_gives_no_interval_to_a_metric_or_what_is_made_of_it():
    figures = sheet(["right"]).figures
    assert [figure.value for figure in figures.values()] == [1.0, 2.0]
    assert [(figure.low, figure.high) for figure in figures.values()] == [
        (None, None),
        (None, None),
    ]


def test_a_derived_metric_can_rank():
    given = contributions(["right", "wrong", "wrong"])
    basic, derived = (score_sheet(given, ranking=name, seed=1) for name in ("accuracy", "double"))
    assert derived.draws == pytest.approx(2 * basic.draws)


def test_without_any_verdict_nothing_is_defined():
    found = sheet([None, None])
    assert [figure.value for figure in found.figures.values()] == [None, None]
    assert [figure.low for figure in found.figures.values()] == [None, None]
    assert np.isnan(found.draws).all()


def test_a_ranking_that_no_metric_has_is_an_error():
    with pytest.raises(AssertionError, match="no metric 'speed'"):
        score_sheet(contributions(["right"]), ranking="speed", seed=1)


def test_a_release_has_one_seed_and_another_release_another():
    assert release_seed("spelling-1") == release_seed("spelling-1") != release_seed("spelling-2")


@pytest.mark.parametrize(
    ("value", "plain"), [(float("nan"), None), (np.float64(0.5), 0.5), (np.array(2.0), 2.0)]
)
def test_an_undefined_number_is_none(value, plain):
    assert number(value) == plain


@given(REPEATED, st.integers(0, 99))
@settings(max_examples=40)
def test_the_same_verdicts_give_the_same_sheet(runs, seed):
    first, second = sheet(*runs, seed=seed), sheet(*runs, seed=seed)
    assert first.figures == second.figures
    assert np.array_equal(first.draws, second.draws, equal_nan=True)


@given(REPEATED, st.randoms())
@settings(max_examples=40)
def test_the_order_of_answers_changes_no_figure(runs, random):
    order = random.sample(range(len(runs[0])), len(runs[0]))
    assert sheet(*runs, order=order).figures == sheet(*runs).figures


@given(REPEATED)
@settings(max_examples=40)
def test_a_share_lies_inside_its_interval_and_between_nought_and_one(runs):
    figure = sheet(*runs).figures["accuracy"]
    if figure.value is not None and figure.low is not None and figure.high is not None:
        assert 0 <= figure.low <= figure.high <= 1
        assert 0 <= figure.value <= 1


@given(VERDICTS)
@settings(max_examples=40)
def test_a_missing_verdict_counts_neither_as_right_nor_as_wrong(verdicts):
    figure = sheet([*verdicts, None]).figures["accuracy"]
    assert figure.value == sheet(verdicts).figures["accuracy"].value
    assert (figure.asked, figure.judged) == (
        len(verdicts) + 1,
        len(verdicts) - verdicts.count(None),
    )
