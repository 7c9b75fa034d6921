"""Figures from contributions: hand-worked values, and what must not change them."""

import math
import tracemalloc
from bisect import bisect_left
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import bdtr

from benchmarks.protocols.base import Contributions, Derived, Metric, QuestionView
from benchmarks.registry import protocol
from benchmarks.scoring.sheets import (
    MetricValue,
    Parts,
    Sheet,
    derived_figure,
    number,
    release_seed,
    score_sheet,
    unit_of,
)
from tests.slow import slow
from tests.tiny_protocol import scoring
from tests.tiny_protocol.board import METRICS

Made = Callable[[Any], Any]
Figures = dict[str, MetricValue]
Bounds = tuple[float, float] | None
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
    """What the spelling protocol makes of these verdicts, the questions in another order where one
    is given."""
    order = order if order is not None else list(range(len(runs[0])))
    asked = questions(len(runs[0]))
    verdicts = {
        f"spelled.{number}": [run[i] for i in order] for number, run in enumerate(runs, start=1)
    }
    return scoring.contributions([asked[i] for i in order], [""] * len(order), verdicts)


def sheet(*runs: list[str | None], order: list[int] | None = None, seed: int = 1) -> Sheet:
    return score_sheet(
        contributions(*runs, order=order), metrics=METRICS, ranking="accuracy", seed=seed
    )


def test_a_figure_has_its_value_interval_and_counts():
    figure = sheet(["right", "right", "wrong"]).figures["accuracy"]
    assert figure.value == pytest.approx(2 / 3)
    assert (figure.low, figure.high) == pytest.approx(
        (0.2077, 0.9385), abs=1e-4
    )  # Wilson's, 2 of 3
    assert (figure.n, figure.asked, figure.judged, figure.groups) == (3, 3, 3, 3)


def test_an_interval_reaches_as_far_as_missing_verdicts_could_move_its_value():
    """Two of three, and one of four is missing: Wilson's lower end of 2/4 and upper end of 3/4, of
    three answers."""
    figure = sheet(["right", "right", "wrong", None]).figures["accuracy"]
    assert figure.value == pytest.approx(2 / 3)
    assert (figure.low, figure.high) == pytest.approx((0.1253, 0.9632), abs=1e-4)
    assert (figure.n, figure.asked, figure.judged, figure.groups) == (3, 4, 3, 3)


@pytest.mark.parametrize("lost", [slow(3), 11, slow(40)])
def test_an_interval_holds_the_truth_where_just_the_wrong_answers_lost_their_verdicts(lost):
    """1,100 independent answers, 95 % right; before, one hundredth lost was held in 73 %. The more
    are wrong the lower the lower end: from some number on the interval holds."""

    def holds(wrong: int) -> bool:
        told: list[str | None] = ["right"] * (1_100 - wrong)
        told += [None if place < lost else "wrong" for place in range(wrong)]
        low = sheet(told).figures["accuracy"].low
        assert low is not None
        return low <= 0.95

    fewest = bisect_left(range(200), True, key=holds)
    assert 1 - bdtr(fewest - 1, 1_100, 0.05) >= 0.95


def test_repeats_are_averaged_and_their_spread_is_told_and_one_run_has_none():
    first: list[str | None] = ["right", "right", "wrong", "wrong"]
    figure = sheet(first, ["right", "right", "right", "wrong"]).figures["accuracy"]
    assert figure.value == pytest.approx(0.625)
    assert figure.spread == pytest.approx(math.sqrt(2) / 8)
    assert sheet(["right", "wrong"]).figures["accuracy"].spread is None


def test_a_derived_metric_is_made_of_the_basic_ones_and_can_rank():
    figures = sheet(["right", "right", "wrong", "wrong"]).figures
    # resamples of four answers reach from none to all of them right, further than Wilson's interval
    double = figures["double"]
    assert (double.value, double.low, double.high, double.groups) == (1.0, 0.0, 2.0, 4)
    given = contributions(["right", "wrong", "wrong"])
    basic, derived = (
        score_sheet(given, metrics=METRICS, ranking=name, seed=1) for name in ("accuracy", "double")
    )
    assert derived.draws == pytest.approx(2 * basic.draws)


def test_a_derived_metric_reaches_as_far_as_its_parts_where_its_resamples_do_not_vary():
    figures = sheet(["right", "right", "right"]).figures
    assert figures["accuracy"].low == pytest.approx(0.4385, abs=1e-4)
    ends = figures["double"].low, figures["double"].high
    assert ends == pytest.approx((2 * figures["accuracy"].low, 2.0))


def mean_of_parts(*denominators: list[int], counted: tuple[str, ...] = ()) -> Sheet:
    """A metric over basic ones with these denominators on each of three rows, of which each looks
    at as many as it has places."""
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
    shares = {name: Metric(name, name, "", unit="percent") for name in names}
    return score_sheet(given, metrics=METRICS | shares, ranking="mean", seed=1)


def test_a_mean_of_parts_counts_the_rows_of_all_and_the_same_ones_once():
    """Its groups count by how far they move it: of a mean of a part of three questions and one of
    two, the question of one part alone moves it by a sixth, and the two of both by five twelfths
    each."""
    rows = [2, 2, 0], [1, 1, 1]
    figure, once = (mean_of_parts(*rows, counted=c).figures["mean"] for c in ((), ("part1",)))
    assert (figure.value, figure.n, figure.asked, figure.judged) == (0.5, 7, 6, 5)
    assert (once.n, once.asked, once.judged) == (3, 3, 3)
    moved = mean_of_parts([1, 1, 1], [1, 0, 1]).figures["mean"]
    assert moved.groups == pytest.approx(1 / (2 * (5 / 12) ** 2 + (1 / 6) ** 2), abs=1e-6)


@pytest.mark.parametrize(
    ("looks", "low"),
    [([[1, 0], [1, 1], [0, 1]], 0.3), ([[1, 0], [1, 0], [0, 1]], 0.5 - 0.2 / 2**0.5)],
)
def test_parts_that_share_one_group_are_alike_where_no_resample_varies(looks, low):
    """The arms of like parts add up; of independent ones the squares do."""
    made = Derived(lambda found: np.mean(list(found.values()), axis=0), ("one", "other"))
    parts = Parts(
        value=np.array([0.5, 0.5]),
        low=np.array([0.3, 0.3]),
        high=np.array([0.7, 0.7]),
        room=np.zeros((2, 2)),
        per_run=np.array([[0.5, 0.5]]),
        draws=np.full((4, 2), 0.5),
        units=np.array(looks, dtype=np.float64),
        fewest=1.0,
    )
    assert derived_figure(made, parts, []).low == pytest.approx(low)


def test_a_metric_made_of_others_is_moved_by_what_is_missing_of_each():
    """One falls as its second part rises, so that what could raise that lowers it."""

    def figure(room: list[list[float]]) -> MetricValue:
        parts = Parts(
            value=np.array([0.8, 0.3]),
            low=np.array([0.7, 0.2]),
            high=np.array([0.9, 0.4]),
            room=np.array(room),
            per_run=np.array([[0.8, 0.3]]),
            draws=np.full((4, 2), 0.5),
            units=np.eye(2),
            fewest=1.0,
        )
        return derived_figure(
            Derived(lambda found: found["one"] - found["other"] / 2, names), parts, []
        )

    names = ("one", "other")
    whole, lacking = figure([[0, 0], [0, 0]]), figure([[0.08, 0.03], [0.02, 0.07]])
    assert whole.low - lacking.low == pytest.approx(0.08 + 0.07 / 2)
    assert lacking.high - whole.high == pytest.approx(0.02 + 0.03 / 2)
    assert figure([[np.nan, 0], [np.nan, 0]]).low is None


def one_part(numerator: list[float], denominator: list[float], formula: Made, **metrics) -> Figures:
    """Figures of a metric with one group per number, and of one that is made of it."""
    size = len(numerator)
    counts = np.array([int(sum(denominator))])
    given = Contributions(
        names=("part",),
        groups=tuple("abcdefgh"[:size]),
        numerator=np.array(numerator, dtype=np.float64).reshape(1, size, 1),
        denominator=np.array(denominator, dtype=np.float64).reshape(1, size, 1),
        counts=counts,
        asked=counts,
        judged=counts,
        coverage=1.0,
        derived={"made": Derived(lambda found: formula(found["part"]), ("part",))},
    )
    told = {name: Metric(name, name, "", **more) for name, more in metrics.items()}
    return score_sheet(given, metrics=told, ranking="part", seed=1).figures


def few_groups(*units: int, unit: Literal["percent", "score"]) -> Figures:
    """A metric of that unit over groups of so many units, of which one each is right, and its
    double."""
    right = [1.0] * len(units)
    return one_part(right, [*map(float, units)], lambda part: 2 * part, part={"unit": unit})


@pytest.mark.parametrize(
    ("units", "unit", "groups"),
    [
        ([2], "percent", 1),
        ([2, 3, 2, 4], "percent", 121 / 33),
        ([50, 1, 1, 1, 1], "percent", 54**2 / 2504),
        ([30, 10, 5, 1, 1, 1], "percent", 48**2 / 1028),
        ([3], "score", 1),
        ([3, 3, 3], "score", 3),
        ([50, 1, 1, 1, 1], "score", 54**2 / 2504),
    ],
)
def test_what_too_few_groups_tell_has_no_interval_and_what_is_made_of_it_neither(
    units, unit, groups
):
    """They tell how many groups of one size theirs count for."""
    figures = few_groups(*units, unit=unit).values()
    assert [(figure.low, figure.high) for figure in figures] == [(None, None)] * 2
    assert [figure.groups for figure in figures] == pytest.approx([groups, groups])


def test_groups_that_count_for_five_tell_an_interval_of_a_share():
    figure = few_groups(2, 3, 2, 3, 2, 2, unit="percent")["part"]
    assert 0 < figure.low < figure.value < figure.high < 1


def test_a_part_of_the_release_is_a_share_as_the_whole_is():
    assert unit_of("accuracy@words", METRICS) == "percent"
    assert unit_of("neatness@words", METRICS) == "score"
    assert unit_of("unheard_of", METRICS) == ""


def test_an_interval_ends_where_the_scale_does():
    """Of two scores, 1 and 3, Student's interval goes from -10.7 to 14.7."""
    ends: tuple[tuple[Bounds, tuple[float, float]], ...] = (
        (None, (-10.7, 14.7)),
        ((1.0, 10.0), (1.0, 10.0)),
        ((0.0, math.inf), (0.0, 14.7)),
    )
    for bounds, interval in ends:
        told = {"unit": "score", "bounds": bounds}
        found = one_part([1.0, 3.0], [1.0, 1.0], lambda part: 1 * part, part=told, made=told)
        for figure in found.values():
            assert (figure.low, figure.high) == pytest.approx(interval, abs=0.05)
    signed = one_part(
        [0.0, 0.0], [1.0, 1.0], lambda part: 4 * part - 1, part={}, made={"unit": "ratio"}
    )["made"]
    assert (signed.value, signed.low, signed.high) == pytest.approx((-1.0, -1.0, 1.0))


SCALES = {
    ("touchstone", "overall"): (100, 1000),
    ("touchstone", "order_effect"): (-900, 900),
    ("touchstone", "h_score"): (0, 1000),
    ("touchstone_hallucination", "answer_words"): (0, math.inf),
    ("tiny_lvlm_ehub", "rated"): (0.2, 1),
    ("tiny_lvlm_ehub_ability", "guarded"): (0, 5),
    ("hallusionbench", "pct_diff"): (-1, 1),
    ("hallusionbench", "aAcc"): (0, 1),
}


def test_every_score_of_a_protocol_says_where_its_scale_ends():
    metrics = {slug: protocol(slug).board.METRICS for slug, _ in SCALES}
    scores = [m for found in metrics.values() for m in found.values() if m.unit == "score"]
    assert [metric.name for metric in scores if metric.bounds is None] == []
    assert {(slug, name): metrics[slug][name].scale for slug, name in SCALES} == SCALES


def test_without_any_verdict_nothing_is_defined():
    found = sheet([None, None])
    assert {(figure.value, figure.low) for figure in found.figures.values()} == {(None, None)}
    assert np.isnan(found.draws).all()
    numbers = [number(value) for value in (float("nan"), np.float64(0.5), np.array(2.0))]
    assert numbers == [None, 0.5, 2.0]


def test_a_ranking_that_no_metric_has_is_an_error():
    with pytest.raises(AssertionError, match="no metric 'speed'"):
        score_sheet(contributions(["right"]), metrics=METRICS, ranking="speed", seed=1)


def test_a_release_has_one_seed_and_another_release_another():
    assert release_seed("spelling-1") == release_seed("spelling-1") != release_seed("spelling-2")


@given(REPEATED, st.integers(0, 99), st.randoms())
@settings(max_examples=40)
def test_the_same_verdicts_give_the_same_sheet_in_any_order(runs, seed, random):
    """A share lies inside its interval, and that between nought and one."""
    first, second = sheet(*runs, seed=seed), sheet(*runs, seed=seed)
    assert first.figures == second.figures
    assert np.array_equal(first.draws, second.draws, equal_nan=True)
    order = random.sample(range(len(runs[0])), len(runs[0]))
    assert sheet(*runs, order=order, seed=seed).figures == first.figures
    figure = first.figures["accuracy"]
    if figure.value is not None:
        assert 0 <= figure.low <= figure.value <= figure.high <= 1
        assert figure.low < figure.high


@given(VERDICTS)
@settings(max_examples=40)
def test_a_missing_verdict_counts_neither_as_right_nor_as_wrong(verdicts):
    figure = sheet([*verdicts, None]).figures["accuracy"]
    assert figure.value == sheet(verdicts).figures["accuracy"].value
    assert (figure.asked, figure.judged) == (
        len(verdicts) + 1,
        len(verdicts) - verdicts.count(None),
    )


def wide(runs: int, groups: int, metrics: int) -> Contributions:
    """Every group counts once in each metric, half of them as right, and one metric is a mean of
    all."""
    rng = np.random.default_rng(1)
    names = tuple(f"m{number}" for number in range(metrics))
    denominator = np.ones((runs, groups, metrics), dtype=np.int32)
    numerator = rng.integers(0, 2, size=denominator.shape, dtype=np.int32)
    asked = np.full(metrics, groups, dtype=np.int64)
    places = tuple(f"{group:05}" for group in range(groups))
    mean = Derived(lambda found: np.mean(list(found.values()), axis=0), names)
    counts = asked, asked, asked
    return Contributions(names, places, numerator, denominator, *counts, 1.0, {"mean": mean})


@pytest.mark.slow
def test_scoring_ten_thousand_questions_takes_few_times_their_contributions():
    """Intervals of all metrics and all resamples at once were ten times as much."""
    made = wide(runs=3, groups=10_290, metrics=150)
    held = made.numerator.nbytes + made.denominator.nbytes
    tracemalloc.start()
    try:
        score_sheet(made, metrics=METRICS, ranking="mean", seed=1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2 * held


def test_metrics_taken_some_at_a_time_are_what_they_are_at_once(monkeypatch):
    made = wide(runs=2, groups=30, metrics=9)
    whole = score_sheet(made, metrics=METRICS, ranking="mean", seed=1)
    monkeypatch.setattr("benchmarks.scoring.sheets.NUMBERS_AT_ONCE", 130)
    monkeypatch.setattr("benchmarks.scoring.sheets.MULTIPLIED_AT_ONCE", 130)
    pieces = score_sheet(made, metrics=METRICS, ranking="mean", seed=1)
    assert pieces.figures == whole.figures
    assert np.array_equal(pieces.draws, whole.draws)
