"""Human-anchored scores of an entry: whose labels move them, what is said where there are too few,
and that the judge's plain score stays as it is."""

import numpy as np
import pytest

from benchmarks.protocols.base import Anchor, QuestionView
from benchmarks.protocols.hallusionbench import anchoring as hallusionbench
from benchmarks.protocols.runs import Verdicts
from benchmarks.protocols.tiny_lvlm_ehub import anchoring as ehub
from benchmarks.protocols.tiny_lvlm_ehub import board as ehub_board
from benchmarks.protocols.touchstone import anchoring as touchstone
from benchmarks.protocols.touchstone_hallucination import anchoring as hallucination
from benchmarks.registry import protocol
from benchmarks.scoring.anchoring import anchored_figures
from benchmarks.statistics.anchored import LEAST_LABELS
from leaderboard.results.formatting import why_missing

METRICS = ehub_board.METRICS


def view(number, ability="perception", subtask="IC15", **facts):
    return QuestionView(str(number), ability, subtask, "", f"{number}", "?", facts, {})


# --- what a judge and people say, by protocol -----------------------------------------------------


def test_hallusionbench_takes_unclear_as_its_judge_does():
    """Right where there was no picture to look at, wrong elsewhere; rows by three runs."""
    facts = {"visual_input": 0, "set_id": 0, "question_id": 0, "original": None}
    questions = [
        view(0, "VS", "VS/map", category="VS", figure_id=0, **facts),
        view(1, "VD", "VD/map", category="VD", figure_id=1, **facts),
        view(2, "VD", "VD/map", category="VD", figure_id=1, **facts),
    ]
    runs: tuple[list[str | None], ...] = (
        ["unclear", "correct", "correct"],
        ["correct", "incorrect", None],
    )
    verdicts: Verdicts = {f"correctness.{run}": said for run, said in enumerate(runs, start=1)}
    ratings = {"correct": [(2, 2, 0), (2, 2, 1), (0, 1)]}
    anchors = {
        one.name: one for one in hallusionbench.anchors(questions, [""] * 3, verdicts, ratings)
    }
    assert set(anchors) == {"aAcc", "aAcc@VD", "aAcc@VS"}
    assert anchors["aAcc"].judged.tolist() == [1.0, 0.5, 1.0]
    np.testing.assert_array_equal(anchors["aAcc"].labels, [1.0, 0.0, np.nan])
    assert anchors["aAcc@VD"].asked.tolist() == [False, True, True]


def test_touchstone_counts_who_is_ahead_and_ties():
    verdicts: Verdicts = {
        "reference_first.1": ["8 9", "8 8", "8 2", "8 8"],
        "answer_first.1": ["8 8", "8 8", "8 8", None],
    }
    ratings = {"comparison": [(1, 1, 0), (0, 0), (-1,), (1, 0, -1)]}
    at_least, win = touchstone.anchors([view(n) for n in range(4)], [""] * 4, verdicts, ratings)
    np.testing.assert_array_equal(at_least.judged, [1, 1, 0, np.nan])
    np.testing.assert_array_equal(win.judged, [1, 0, 0, np.nan])
    np.testing.assert_array_equal(at_least.labels, [1, 1, 0, np.nan])
    np.testing.assert_array_equal(win.labels, [1, 0, 0, np.nan])


def test_the_hallucination_score_is_on_the_scale_of_its_raters():
    verdicts: Verdicts = {"hallucination.1": ["4", "10"], "hallucination.2": ["5", None]}
    (found,) = hallucination.anchors(
        [view(0), view(1)], [""] * 2, verdicts, {"hallucination": [(3, 4), ()]}
    )
    assert found.judged.tolist() == [450.0, 1000.0]
    np.testing.assert_array_equal(found.labels, [350.0, np.nan])
    assert not found.is_share


def test_ehub_counts_every_answer_alike_and_no_plan():
    verdicts: Verdicts = {f"prompt{n}.1": ["1", "0", None] for n in range(1, 6)}
    questions = [view(0), view(1), view(2, "embodied", "VirtualHome")]
    ratings = {"correct": [(1,), (1, 0), ()]}
    found = {one.name: one for one in ehub.anchors(questions, [""] * 3, verdicts, ratings)}
    assert set(found) == {"right", "right@IC15"}
    assert found["right"].asked.tolist() == [True, True, False]
    np.testing.assert_array_equal(found["right"].judged, [1, 0, np.nan])
    np.testing.assert_array_equal(found["right"].labels, [1, np.nan, np.nan])


def test_a_protocol_anchors_nothing_that_nobody_rated():
    for slug in ("hallusionbench", "tiny_lvlm_ehub", "touchstone", "touchstone_hallucination"):
        assert protocol(slug).anchoring is not None
        assert list(protocol(slug).anchors([], [], {}, {})) == []


# --- the figures of a sheet -----------------------------------------------------------------------


def figures(labels, judged, datasets=("IC15",)):
    """Of answers in turn of each dataset, of which the first ones have a label."""
    size = len(judged)
    given = np.full(size, np.nan)
    given[: len(labels)] = labels
    questions = [view(n, subtask=datasets[n % len(datasets)]) for n in range(size)]
    anchor = Anchor("right", np.ones(size, dtype=bool), np.array(judged, dtype=float), given)
    return anchored_figures([anchor], questions, METRICS)


def test_enough_labels_move_the_score_towards_what_people_say():
    """The judge takes every second wrong answer for right: it says 80 %, people 60 %."""
    truth = [1, 1, 1, 0, 0] * 60
    judged = [1, 1, 1, 1, 0] * 60
    found = figures(truth[:100], judged)
    anchored, plain = found["anchored_right"], found["judged_right"]
    assert (plain.value, anchored.n, anchored.asked) == (pytest.approx(0.8), 100, 300)
    assert anchored.value == pytest.approx(0.6, abs=0.02)
    assert anchored.low < 0.6 < anchored.high < 0.8
    assert (found["finds_right_right"].value, found["finds_right_right"].n) == (1.0, 60)
    assert (found["takes_wrong_right"].value, found["takes_wrong_right"].n) == (0.5, 40)
    assert found["labels_right"].value == 100
    assert found["rates_right"].value == pytest.approx(0.6)


def test_too_few_labels_give_no_value_and_say_how_many_are_missing():
    found = figures([1, 0] * 10, [1, 1, 0] * 100)
    anchored = found["anchored_right"]
    assert (anchored.value, anchored.low, anchored.groups) == (None, None, LEAST_LABELS - 20)
    assert found["judged_right"].value == pytest.approx(2 / 3)
    assert figures([], [1, 0] * 100) == {}


def test_labels_of_one_dataset_of_many_give_no_value():
    names = ("IC13", "IC15", "SVT", "CTW", "HOST")
    questions = [view(n, subtask=names[n % 5]) for n in range(400)]
    labels = np.array([1.0 if n % 5 == 0 else np.nan for n in range(400)])
    everything = Anchor("right", np.ones(400, dtype=bool), np.ones(400), labels)
    of_one = Anchor("right@IC13", np.array([n % 5 == 0 for n in range(400)]), np.ones(400), labels)
    found = anchored_figures([everything, of_one], questions, METRICS)
    assert (found["anchored_right"].value, found["anchored_right"].groups) == (None, 0)
    assert found["anchored_right@IC13"].value == 1.0


def test_a_judge_whose_errors_tell_nothing_is_not_identified():
    rng = np.random.default_rng(4)
    found = figures(rng.integers(0, 2, 100), rng.integers(0, 2, 400))
    assert found["anchored_right"].value is not None
    assert (found["rates_right"].value, found["rates_right"].groups) == (None, 0)
    assert "not identified" in why_missing(METRICS["rates_right"], found["rates_right"])
