import pytest

from benchmarks.protocols.base import Metric
from leaderboard.cells import column_scale, figure_cell, stacked_bar
from leaderboard.numbers import print_interval, print_rank, print_share, print_value
from leaderboard.scoring import Figure

PERCENT = Metric("a", "A", "…", empty="nothing <counted>")
SIGNED = Metric("d", "D", "…", higher_is_better=None, unit="ratio", digits=3)
SCORE = Metric("s", "S", "…", unit="score", digits=1)


def figure(value, low=None, high=None, judged=10):
    return Figure(value, low, high, None, 10, 10, judged)


@pytest.mark.parametrize(
    ("metric", "value", "printed"),
    [
        (PERCENT, 0.31428, "31.43"),
        (PERCENT, None, "–"),
        (SIGNED, 0.0708, "+0.071"),
        (SIGNED, -0.4287, "-0.429"),
        (SCORE, 645.24, "645.2"),
    ],
)
def test_values_are_printed_in_their_unit(metric, value, printed):
    assert print_value(metric, value) == printed


def test_an_interval_is_half_its_width():
    assert print_interval(PERCENT, figure(0.5, 0.4, 0.62)) == "± 11.00"


@pytest.mark.parametrize(("share", "printed"), [(1, "100 %"), (0.9999, "99.9 %"), (0.5, "50.0 %"), (0, "0.0 %")])
def test_a_share_is_never_rounded_up_to_all(share, printed):
    assert print_share(share) == printed


@pytest.mark.parametrize(("best", "worst", "printed"), [(1, 1, "1"), (2, 4, "2-4"), (None, None, "–")])
def test_ranks_are_printed_as_a_range(best, worst, printed):
    assert print_rank(best, worst) == printed


def test_a_missing_value_says_why_and_is_escaped():
    cell = figure_cell(PERCENT, figure(None), column_scale(PERCENT, []))
    assert "nothing &lt;counted&gt;" in cell
    assert 'class="figure missing"' in cell


def test_the_best_and_second_of_a_column_are_marked():
    figures = [figure(0.2), figure(0.9), figure(0.5)]
    scale = column_scale(PERCENT, figures)
    marks = ["best" in figure_cell(PERCENT, f, scale) for f in figures]
    assert marks == [False, True, False]
    assert " second" in figure_cell(PERCENT, figures[2], scale)


def test_lower_is_better_turns_the_marks_round():
    metric = Metric("h", "H", "…", higher_is_better=False)
    figures = [figure(0.2), figure(0.9)]
    assert " best" in figure_cell(metric, figures[0], column_scale(metric, figures))


def test_incomplete_coverage_is_shown_in_the_cell():
    assert "○ 80.0 %" in figure_cell(PERCENT, figure(0.5, judged=8), column_scale(PERCENT, []))


def test_a_bar_without_all_its_parts_is_missing():
    assert "missing" in stacked_bar([("a", 0.5), ("b", None)])
