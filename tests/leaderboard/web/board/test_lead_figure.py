"""What of a board its first figure draws, and what it says of that."""

import re
from dataclasses import replace

from benchmarks.protocols.base import FROM_ZERO, Metric
from benchmarks.scoring.sheets import MetricValue
from leaderboard.web.board.forest import ForestRow
from leaderboard.web.board.lead_figure import MOST_ROWS, axis_of, axis_title, floor_marks
from tests.leaderboard.web.board.many import many
from tests.leaderboard.web.board.shown import page_of


def with_value(entry, name, value, **changes):
    figure = None if value is None else MetricValue(value, None, None, None, 9, 9, 9, 9)
    return replace(entry, figures={name: figure} if figure else {}, **changes)


def names(page) -> list[str]:
    texts = re.findall(r'<text class="name">(.*?)</text>', page.lead.wide)
    return [" ".join(re.sub(r"<[^>]+>", " ", text).split()) for text in texts]


def squeezed(texts) -> list[str]:
    return ["".join(text.split()) for text in texts]


def test_it_draws_the_first_rows_of_the_page_in_their_order_with_links_to_each():
    page = page_of(many("touchstone", 10))
    entries = many("touchstone", 10).entries[:-1]  # the last is a baseline
    assert squeezed(names(page))[:9] == squeezed(entry.model for entry in entries)
    assert re.findall(r'href="/entries/([^/]+)/"', page.lead.wide) == [str(e.id) for e in entries]
    assert "1-9" in page.lead.wide


def test_it_draws_as_many_rows_as_stand_on_a_screen_and_says_what_it_leaves_out():
    page = page_of(many("touchstone", 80))
    assert len(names(page)) == MOST_ROWS
    assert page.lead.wide.count('class="printed"') == 4
    printed = sum(len(block.rows) for block in page.table.published)
    left_out = f"{len(page.table.rows) - 10} more of this page and {printed - 4} more printed ones"
    assert page.lead.left_out == f"Not drawn: {left_out}."
    assert page_of(many("touchstone", 5), published="off").lead.left_out == ""
    alone = page_of(many("touchstone", 80), published="off")
    assert len(names(alone)) == MOST_ROWS
    assert 'class="printed"' not in alone.lead.wide


def test_it_shows_the_best_of_the_published_rows():
    page = page_of(many("touchstone", 80))
    values = [row.values["overall"] for row in many("touchstone", 80).published]
    drawn = re.findall(r'class="printed".*?class="value end"[^>]*>([\d.]+)', page.lead.wide)
    assert [float(text) for text in drawn] == sorted(values, reverse=True)[:4]


def test_it_draws_the_column_that_orders_the_rows():
    page = page_of(many("hallusionbench", 12), sort="fAcc")
    assert "fAcc in %; higher is better" in page.lead.wide
    kits = page_of(many("hallusionbench", 12), measure="kits")
    assert "Overall (kits) in %" in kits.lead.wide


def test_a_board_of_published_rows_alone_has_a_figure_and_an_empty_one_none():
    whole = many("touchstone", 2)
    assert page_of(replace(whole, entries=())).lead.about.count("Hollow") == 1
    assert page_of(replace(whole, entries=()), published="off").lead is None


def test_one_entry_and_one_without_a_value_are_drawn():
    whole = many("touchstone", 3)
    one = replace(whole, entries=whole.entries[:1])
    assert len(re.findall("<circle", page_of(one, published="off").lead.wide)) == 1
    bare = with_value(whole.entries[1], "overall", None)
    two = page_of(replace(whole, entries=(whole.entries[0], bare)), published="off")
    assert len(re.findall("<circle", two.lead.wide)) == 1
    assert len(names(two)) == 2


def test_baselines_are_one_band_and_one_that_is_given_the_texts_a_line():
    whole = many("touchstone", 3)
    metric = whole.metrics["overall"]
    floor = [
        with_value(whole.entries[-1], "overall", value, model=name, repeats_texts=name == "Told")
        for name, value in (("One word", 100.0), ("Words", 131.7), ("Told", 850.5), ("None", None))
    ]
    band, rule = floor_marks(metric, floor)
    assert (band.low, band.high, band.label) == (100.0, 131.7, "baselines, 100.0 to 131.7")
    assert (rule.low, rule.kind, rule.label) == (850.5, "rule", "people’s own description, 850.5")
    page = page_of(replace(whole, entries=(whole.entries[0], *floor)))
    assert "look at no picture" in page.lead.about
    assert "the description people wrote" in page.lead.about
    assert "One word" not in names(page)
    assert floor_marks(metric, whole.entries[:1]) == ()


def test_percents_are_drawn_as_they_are_printed():
    whole = many("hallusionbench", 3)
    (band,) = floor_marks(
        whole.metrics["overall"], [with_value(whole.entries[-1], "overall", 0.385)]
    )
    assert (band.low, band.label) == (38.5, "baselines, 38.50")


def test_the_axis_says_its_scale_and_which_end_is_better():
    """It is the protocol's, and ends with what is drawn where that has no end."""
    bounded = Metric("a", "Overall", "", bounds=(100.0, 1000.0), unit="score")
    open_ended = replace(bounded, title="Length", bounds=FROM_ZERO)
    for metric, title in (
        (bounded, "Overall, of 1000"),
        (Metric("a", "aAcc", ""), "aAcc in %"),
        (open_ended, "Length"),
        (Metric("a", "Sum", "", bounds=(0.0, 5.0)), "Sum, of 500"),
    ):
        assert axis_title(metric) == f"{title}; higher is better"
        assert axis_title(replace(metric, higher_is_better=False)) == f"{title}; lower is better"
        assert axis_title(replace(metric, higher_is_better=None)) == title
    rows = [ForestRow("A", "", "1", "", 40.0, 30.0, 55.0)]
    ends = {metric.title: axis_of(metric, rows, ()) for metric in (bounded, open_ended)}
    assert {title: (axis.low, axis.high) for title, axis in ends.items()} == {
        "Overall": (100.0, 1000.0),
        "Length": (0.0, 55.0),
    }
