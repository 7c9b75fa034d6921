import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.protocols.base import Metric, StackedBar
from benchmarks.scoring.sheets import MetricValue
from leaderboard.results.formatting import (
    no_interval,
    print_interval,
    print_rank,
    print_share,
    print_value,
)
from leaderboard.web.board.cells import (
    WHISKER_WIDTH,
    column_scale,
    figure_cell,
    head_cell,
    published_cell,
    stacked_bar,
)

PERCENT = Metric("a", "A", "…", empty="nothing <counted>")
SIGNED = Metric("d", "D", "…", higher_is_better=None, unit="ratio", digits=3)
SCORE = Metric("s", "S", "…", unit="score", digits=1)


def figure(value, low=None, high=None, judged=10):
    return MetricValue(value, low, high, None, 10, 10, judged)


def test_numbers_are_printed_in_their_unit():
    values = (
        (PERCENT, 0.31428, "31.43"),
        (PERCENT, None, "–"),
        (SIGNED, 0.0708, "+0.071"),
        (SIGNED, -0.4287, "−0.429"),
        (SCORE, 645.24, "645.2"),
    )
    assert [print_value(metric, value) for metric, value, _ in values] == [v[2] for v in values]
    intervals = (
        (PERCENT, (0.5, 0.4, 0.62), "40.00 to 62.00"),
        (PERCENT, (1.0, 0.4385, 1.0), "43.85 to 100.00"),
        (PERCENT, (0.5, 0.4, 0.64), "40.00 to 64.00"),
        (SIGNED, (0.9, -0.1, 1.0), "−0.100 to +1.000"),
        (SCORE, (645.24, 600.2, 690.28), "600.2 to 690.3"),
    )
    found = [print_interval(metric, figure(*ends)) for metric, ends, _ in intervals]
    assert found == [printed for _, _, printed in intervals]
    assert print_interval(PERCENT, figure(0.5)) == ""
    ranks = {(1, 1): "1", (2, 4): "2-4", (None, None): "–"}
    assert {ends: print_rank(*ends) for ends in ranks} == ranks
    # a share is rounded, and never up to all
    shares = {1: "100 %", 0.9999: "99.9 %", 85 / 153: "55.6 %", 0.5: "50.0 %", 0: "0.0 %"}
    assert {share: print_share(share) for share in shares} == shares


def cell(metric, *figures):
    """The cell of the first of a column's figures."""
    return figure_cell(metric, figures[0], column_scale(metric, figures))


def test_a_figure_without_an_interval_says_why():
    reasons = {
        None: "before the reason was recorded",
        1: "too few question groups (1)",
        4: "too few question groups (4)",
        9: "all question groups have the same value",
    }
    for groups, reason in reasons.items():
        found = replace(figure(0.5), groups=groups)
        assert reason in no_interval(found)
        text = cell(PERCENT, found)
        assert (text.count(reason), ">–<" in text, "<svg" in text) == (2, True, False), groups
    assert no_interval(figure(0.5, 0.4, 0.6)) == no_interval(figure(None)) == ""
    count = Metric("c", "C", "…", unit="score", digits=0, is_count=True)
    text = cell(count, replace(figure(80.0), n=80), replace(figure(60.0), n=60))
    assert ("<b>80</b>" in text, "<small" in text, "<i>" in text) == (True, False, False)


LABELLED = Metric("l", "L", "…", empty="no fair draw", needs_labels=True)


def test_a_score_that_needs_labels_says_how_many_are_missing():
    for missing, more, shown in (
        (12, "12 more are needed", "12 labels more"),
        (1, "one more is needed", "1 label more"),
    ):
        text = cell(LABELLED, replace(figure(None), groups=missing))
        assert text.count(f"not enough labels by people: at least {more}") == 2
        assert f">{shown}</small>" in text
    # with enough of them, and no value, the metric says why
    text = cell(LABELLED, replace(figure(None), groups=0))
    assert ("no fair draw" in text, "<small" in text) == (True, False)
    text = figure_cell(LABELLED, None, column_scale(LABELLED, []))
    assert "people have labelled no answer of this entry" in text


def test_what_figures_count_stands_in_the_head_or_beside_those_that_differ():
    figures = [figure(0.5), replace(figure(0.6), n=9), figure(0.2, 0.1, 0.3), figure(None)]
    scale = column_scale(PERCENT, figures)
    assert scale.n == 10
    assert "</a><i>n 10</i>" in head_cell(PERCENT, url="?", aria_sort="none", n=scale.n)
    assert ["<i>" in figure_cell(PERCENT, f, scale) for f in figures] == [False, True, False, False]
    others = [replace(figure(0.2), n=9)] * 2
    for one in (figure(0.5), figure(0.5, 0.4, 0.6)):
        assert "<i>n 10</i>" in cell(PERCENT, one, *others)
    many = MetricValue(0.5, None, None, None, 1129, 1129, 1128)
    assert "<i>n 1,129</i>" in cell(PERCENT, many, *others)
    assert 'title="judged 1,128 of 1,129"' in cell(PERCENT, many)
    assert "<i>n 1,129</i>" in head_cell(PERCENT, url="?", aria_sort="none", n=1129)
    assert column_scale(PERCENT, []).n is None
    assert "<i>" not in head_cell(PERCENT, url="?", aria_sort="none")


def test_a_cell_says_why_it_has_no_value_what_may_be_first_and_what_was_not_judged():
    missing = figure_cell(PERCENT, figure(None), column_scale(PERCENT, []))
    assert "nothing &lt;counted&gt;" in missing
    assert '<td class="missing"' in missing
    assert "not measured" in figure_cell(PERCENT, None, column_scale(PERCENT, []))
    one = figure(0.2)
    scale = column_scale(PERCENT, [one])
    for is_best in (True, False):
        text = figure_cell(PERCENT, one, scale, may_be_first=is_best)
        assert ('<td class="best"' in text) is is_best
    assert "○ 80.0 %" in cell(PERCENT, figure(0.5, judged=8))
    assert published_cell(PERCENT, None) == '<td data-label="A">–</td>'
    assert ">31.40<" in published_cell(PERCENT, 0.314)


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
        shown = re.findall(r"<b>([^<]+)<", text)[0].replace("−", "-")
        keys.append((float(shown), int(after[0]) if after else 0))
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


def test_an_interval_is_drawn_and_told():
    assert column_scale(PERCENT, [figure(0.5)]).place(0.5) == WHISKER_WIDTH  # in half pixels
    text = cell(PERCENT, figure(0.5, 0.4, 0.6))
    assert ("40.00 to 60.00" in text, "<svg" in text) == (True, True)


def test_a_bar_tells_its_parts_which_fill_it_or_is_not_drawn():
    def drawn(*parts: tuple[str, float | None]) -> str:
        bar = StackedBar("Kinds", tuple((label, label) for label, _ in parts))
        return stacked_bar(bar, dict(parts).get)

    bar = drawn(("<b>", 0.25), ("rest", 0.75))
    assert ("&lt;b&gt; 25.0 %, rest 75.0 %" in bar, "<b>" in bar) == (True, False)
    assert sum(map(float, re.findall(r'width="([\d.]+)"', bar))) == 160
    # a share that is not defined is left out where the others are the whole
    bar = drawn(("Language", None), ("Visual", 0.25), ("Mixed", 0.75))
    assert ("Visual 25.0 %, Mixed 75.0 %" in bar, "Language" in bar) == (True, False)
    assert "<svg" not in drawn(("Language", None), ("Visual", 0.25), ("Mixed", 0.5))
    assert "missing" in drawn(("a", 0.5), ("b", None))
