import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.protocols.base import Metric
from leaderboard.board.cells import (
    WHISKER_WIDTH,
    column_scale,
    figure_cell,
    head_cell,
    published_cell,
    stacked_bar,
)
from leaderboard.formatting import (
    no_interval,
    print_interval,
    print_range,
    print_rank,
    print_share,
    print_value,
)
from leaderboard.scoring import MetricValue

PERCENT = Metric("a", "A", "…", empty="nothing <counted>")
SIGNED = Metric("d", "D", "…", higher_is_better=None, unit="ratio", digits=3)
SCORE = Metric("s", "S", "…", unit="score", digits=1)


def figure(value, low=None, high=None, judged=10):
    return MetricValue(value, low, high, None, 10, 10, judged)


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


@pytest.mark.parametrize(
    ("metric", "value", "low", "high", "printed"),
    [
        (PERCENT, 0.5, 0.4, 0.62, "± 11.00"),
        (PERCENT, 1.0, 0.4385, 1.0, "43.85–100.00"),
        (PERCENT, 0.5, 0.4, 0.64, "40.00–64.00"),
        (SIGNED, 0.9, -0.1, 1.0, "-0.100 to +1.000"),
        (SCORE, 645.24, 600.2, 690.28, "± 45.0"),
    ],
)
def test_an_interval_is_half_its_width_or_its_ends_where_it_is_lopsided(
    metric, value, low, high, printed
):
    assert print_interval(metric, figure(value, low, high)) == printed


@pytest.mark.parametrize(
    ("groups", "reason"),
    [
        (None, "before reasons were kept"),
        (1, "its questions count for one group"),
        (4, "its questions count for 4 groups"),
        (9, "nothing varies between its groups of questions"),
    ],
)
def test_a_figure_without_an_interval_says_why(groups, reason):
    found = replace(figure(0.5), groups=groups)
    assert reason in no_interval(found)
    text = cell(PERCENT, found)
    assert text.count(reason) == 2
    assert ">–<" in text
    assert "<svg" not in text


def test_a_figure_with_an_interval_or_without_a_value_needs_no_reason():
    assert no_interval(figure(0.5, 0.4, 0.6)) == no_interval(figure(None)) == ""


LABELLED = Metric("l", "L", "…", empty="no fair draw", needs_labels=True)


@pytest.mark.parametrize(
    ("missing", "reason", "shown"),
    [
        (12, "not enough labels by people: at least 12 more are needed", "12 labels more"),
        (1, "not enough labels by people: at least one more is needed", "1 label more"),
    ],
)
def test_a_score_that_needs_labels_says_how_many_are_missing(missing, reason, shown):
    text = cell(LABELLED, replace(figure(None), groups=missing))
    assert text.count(reason) == 2
    assert f">{shown}</small>" in text


def test_with_enough_labels_and_no_value_the_metric_says_why():
    text = cell(LABELLED, replace(figure(None), groups=0))
    assert ("no fair draw" in text, "<small" in text) == (True, False)


def test_an_entry_that_nobody_labelled_says_so():
    text = figure_cell(LABELLED, None, column_scale(LABELLED, []))
    assert "people labelled no answer of this entry" in text


def test_a_count_has_no_interval_and_needs_no_reason():
    count = Metric("c", "C", "…", unit="score", digits=0, is_count=True)
    text = cell(count, replace(figure(80.0), n=80), replace(figure(60.0), n=60))
    assert ("<b>80</b>" in text, "<small" in text, "<i>" in text) == (True, False, False)


def test_an_interval_in_words_is_its_two_ends():
    assert print_range(PERCENT, figure(0.5, 0.4, 0.6)) == "40.00 to 60.00"
    assert print_range(PERCENT, figure(0.5)) == ""


def test_what_a_figure_counts_stands_beside_it():
    others = [replace(figure(0.2), n=9)] * 2
    assert "<i>n 10</i>" in cell(PERCENT, figure(0.5), *others)
    assert "<i>n 10</i>" in cell(PERCENT, figure(0.5, 0.4, 0.6), *others)


def test_counts_of_thousands_are_printed_as_everywhere():
    many = MetricValue(0.5, None, None, None, 1129, 1129, 1128)
    assert "<i>n 1,129</i>" in cell(PERCENT, many, *[replace(many, n=9)] * 2)
    assert 'title="judged 1,128 of 1,129"' in cell(PERCENT, many)
    assert "<i>n 1,129</i>" in head_cell(PERCENT, url="?", aria_sort="none", n=1129)


def test_what_most_figures_of_a_column_count_stands_in_its_head():
    figures = [figure(0.5), replace(figure(0.6), n=9), figure(0.2, 0.1, 0.3), figure(None)]
    scale = column_scale(PERCENT, figures)
    assert scale.n == 10
    assert "</a><i>n 10</i>" in head_cell(PERCENT, url="?", aria_sort="none", n=scale.n)
    assert ["<i>" in figure_cell(PERCENT, f, scale) for f in figures] == [False, True, False, False]


def test_a_column_without_figures_counts_nothing():
    assert column_scale(PERCENT, []).n is None
    assert "<i>" not in head_cell(PERCENT, url="?", aria_sort="none")


@pytest.mark.parametrize(
    ("share", "printed"),
    [(1, "100 %"), (0.9999, "99.9 %"), (85 / 153, "55.6 %"), (0.5, "50.0 %"), (0, "0.0 %")],
)
def test_a_share_is_rounded_and_never_up_to_all(share, printed):
    assert print_share(share) == printed


@pytest.mark.parametrize(
    ("best", "worst", "printed"), [(1, 1, "1"), (2, 4, "2-4"), (None, None, "–")]
)
def test_ranks_are_printed_as_a_range(best, worst, printed):
    assert print_rank(best, worst) == printed


def test_a_missing_value_says_why_and_is_escaped():
    cell = figure_cell(PERCENT, figure(None), column_scale(PERCENT, []))
    assert "nothing &lt;counted&gt;" in cell
    assert '<td class="missing"' in cell


@pytest.mark.parametrize("may_be_first", [True, False])
def test_what_may_be_first_is_marked(may_be_first):
    one = figure(0.2)
    text = figure_cell(PERCENT, one, column_scale(PERCENT, [one]), may_be_first=may_be_first)
    assert ('<td class="best"' in text) == may_be_first


def cell(metric, *figures):
    """The cell of the first of a column's figures."""
    return figure_cell(metric, figures[0], column_scale(metric, figures))


def test_incomplete_coverage_is_shown_in_the_cell():
    assert "○ 80.0 %" in cell(PERCENT, figure(0.5, judged=8))


def test_a_bar_without_all_its_parts_is_missing():
    assert "missing" in stacked_bar([("a", 0.5), ("b", None)])


FIGURES = st.builds(
    lambda value, low, high: figure(value, min(low, value), max(high, value)),
    *[st.floats(-5, 5, allow_nan=False) for _ in range(3)],
)


@given(st.lists(FIGURES, min_size=1, max_size=6))
def test_every_whisker_stays_inside_its_column(figures):
    scale = column_scale(PERCENT, figures)
    places = [scale.place(end) for f in figures for end in (f.low, f.value, f.high)]
    assert all(4 <= place <= 2 * WHISKER_WIDTH - 4 for place in places)


@given(st.lists(FIGURES, min_size=1, max_size=6))
def test_a_whisker_is_drawn_where_its_figure_lies(figures):
    scale = column_scale(PERCENT, figures)
    for f in figures:
        drawn = re.search(
            r'M([\d.]+) 4h([\d.]+)".*M([\d.]+) 4h0',
            figure_cell(PERCENT, f, scale),
        )
        low, width, dot = map(float, drawn.groups())
        assert [low, low + width, dot] == pytest.approx(
            [scale.place(end) / 2 for end in (f.low, f.high, f.value)], abs=0.51
        )


def test_a_value_outside_its_interval_has_its_dot_there():
    found = cell(PERCENT, figure(0.5, 0.53, 0.84))
    line, dot = re.findall(r'"M([\d.]+) 4h[\d.]+"', found)
    assert float(dot) < float(line)


@given(
    st.lists(
        st.sampled_from([0.12341, 0.12342, 0.12349, 0.1235, 0.2, -0.5]), min_size=1, max_size=6
    ),
    st.booleans(),
)
def test_what_a_cell_prints_sorts_as_its_value_does(values, is_signed):
    metric = SIGNED if is_signed else PERCENT
    figures = [figure(value) for value in values]
    scale = column_scale(metric, figures)
    keys = []
    for f in figures:
        text = figure_cell(metric, f, scale)
        after = re.findall(r'data-after="(\d+)"', text)
        keys.append((float(re.findall(r"<b>([^<]+)<", text)[0]), int(after[0]) if after else 0))
    assert sorted(range(len(values)), key=keys.__getitem__) == sorted(
        range(len(values)), key=values.__getitem__
    )


@given(
    st.floats(-5, 5, allow_nan=False), st.floats(0, 2), st.sampled_from([PERCENT, SIGNED, SCORE])
)
def test_a_cell_prints_what_every_other_page_prints(value, half, metric):
    one = figure(value, value - half, value + half)
    text = cell(metric, one)
    assert f">{print_value(metric, value)}<" in text
    assert f">{print_interval(metric, one)}<" in text


def test_a_column_of_one_value_has_its_dot_in_the_middle():
    assert column_scale(PERCENT, [figure(0.5)]).place(0.5) == WHISKER_WIDTH  # in half pixels


def test_an_interval_is_drawn_and_told():
    cell = figure_cell(
        PERCENT, figure(0.5, 0.4, 0.6), column_scale(PERCENT, [figure(0.5, 0.4, 0.6)])
    )
    assert "± 10.00" in cell
    assert "<svg" in cell


def test_without_an_interval_no_whisker_is_drawn():
    assert "<svg" not in figure_cell(PERCENT, figure(0.5), column_scale(PERCENT, [figure(0.5)]))


def test_a_metric_that_was_not_measured_says_so():
    assert "not measured" in figure_cell(PERCENT, None, column_scale(PERCENT, []))


def test_a_figure_the_source_does_not_print_is_a_dash():
    assert published_cell(PERCENT, None) == '<td data-label="A">–</td>'
    assert ">31.40<" in published_cell(PERCENT, 0.314)


def test_a_bar_tells_its_parts_as_text_that_is_escaped():
    bar = stacked_bar([("<b>", 0.25), ("rest", 0.75)])
    assert "&lt;b&gt; 25.0 %, rest 75.0 %" in bar
    assert "<b>" not in bar


def test_the_parts_of_a_bar_fill_it():
    widths = [
        float(width)
        for width in re.findall(r'width="([\d.]+)"', stacked_bar([("a", 0.25), ("b", 0.75)]))
    ]
    assert sum(widths) == 160


def test_a_bar_leaves_out_a_share_that_is_not_defined_where_the_others_are_the_whole():
    bar = stacked_bar([("Language", None), ("Visual", 0.25), ("Mixed", 0.75)])
    assert "Visual 25.0 %, Mixed 75.0 %" in bar
    assert "Language" not in bar


def test_a_bar_of_a_part_of_the_whole_is_not_drawn():
    assert "<svg" not in stacked_bar([("Language", None), ("Visual", 0.25), ("Mixed", 0.5)])
