"""What of a board its first figure draws, and what it says of that."""

import re
from dataclasses import replace
from uuid import UUID

import pytest

from benchmarks.protocols.base import FROM_ZERO, Metric
from benchmarks.scoring.sheets import MetricValue
from leaderboard.web.board.forest import ForestRow
from leaderboard.web.board.lead_figure import MOST_ROWS, axis_of, axis_title, floor_marks
from leaderboard.web.board.lead_panel import BAR, DOTS
from tests.leaderboard.web.board.many import many
from tests.leaderboard.web.board.shown import markup, page_of


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


def test_it_draws_as_many_rows_as_stand_on_a_screen_and_says_of_how_many():
    page = page_of(many("touchstone", 80))
    assert len(names(page)) == page.lead.drawn == MOST_ROWS
    assert page.lead.entries == len(page.rows)
    assert f"The first {MOST_ROWS} on this page." in markup(page)
    few = page_of(many("touchstone", 5))
    assert few.lead.drawn == few.lead.entries


def test_a_lower_score_with_a_better_range_is_explained_where_there_is_one():
    board = many("touchstone", 5)
    first, second, *rest = board.entries
    assert (first.rank_worst, second.rank_worst) != (4, 3)
    crossed = (replace(first, rank_worst=4), replace(second, rank_worst=3), *rest)
    told = "a lower score can have the better range"
    assert told in markup(page_of(replace(board, entries=crossed)))
    ordered = [replace(one, rank_worst=n + 2) for n, one in enumerate(board.entries)]
    assert told not in markup(page_of(replace(board, entries=tuple(ordered))))


def test_published_results_share_no_axis_with_ranked_scores():
    """They are of other questions, and one click away."""
    page = page_of(many("touchstone", 80))
    published = {row.model for row in page.reading.published}
    assert published
    assert published.isdisjoint(names(page))
    text = markup(page)
    assert f'<a href="#published">Published elsewhere ({len(page.reading.published)})</a>' in text
    assert text.count('id="published"') == 1


def test_beside_the_scores_stand_the_accuracies_and_why_answers_are_wrong():
    whole = many("hallusionbench", 3)
    metrics = ("aAcc", "fAcc", "qAcc", "diag_lh", "diag_vi", "diag_mixed")
    values = (0.6, 0.4, 0.2, 0.5, 0.25, 0.25)
    figures = {
        name: MetricValue(value, None, None, None, 9, 9, 9, 9)
        for name, value in zip(metrics, values, strict=True)
    }
    entries = tuple(replace(one, figures={**one.figures, **figures}) for one in whole.entries[:1])
    page = page_of(replace(whole, entries=entries))
    (row,) = re.findall(r'<g class="judged">.*?</g></g>', page.lead.wide)
    spots = {
        number: float(x) / DOTS
        for number, x in re.findall(r'class="series-(\d) marks" d="M([\d.]+) 0', row)
    }
    assert spots == pytest.approx({"1": 0.6, "2": 0.4, "3": 0.2}, abs=0.01)
    widths = [float(w) / BAR for w in re.findall(r'class="part-\d"[^>]*? width="([\d.]+)"', row)]
    assert widths == pytest.approx([0.2, 0.1, 0.1], abs=0.01)
    # nothing of it where the rows are read by another measure, or on a phone
    assert "series-1" not in page.lead.narrow
    assert "series-1" not in page_of(replace(whole, entries=entries), measure="kits").lead.wide


def test_it_draws_the_column_that_orders_the_rows():
    page = page_of(many("hallusionbench", 12), sort="fAcc")
    assert "fAcc in %; higher is better" in page.lead.wide
    kits = page_of(many("hallusionbench", 12), measure="kits")
    assert "Overall (kits) in %" in kits.lead.wide


def test_a_table_of_another_way_to_score_stands_in_its_own_order():
    page = page_of(many("tiny_lvlm_ehub_ability", 30), table="published")
    column = page.reading.board.tables[1].metrics[0]
    values = [entry.value(column.name) or 0.0 for entry in page.reading.rows]
    assert values == sorted(values, reverse=True)
    assert f"{column.title}, of 500" in page.lead.wide
    ranked = page_of(many("tiny_lvlm_ehub_ability", 30)).reading.rows
    assert [entry.id for entry in ranked] != [entry.id for entry in page.reading.rows]


def test_a_board_without_entries_has_no_figure():
    assert page_of(replace(many("touchstone", 2), entries=())).lead is None


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
    assert (rule.low, rule.kind, rule.label) == (850.5, "rule", "human-written description, 850.5")
    floor = [replace(one, id=UUID(int=number)) for number, one in enumerate(floor)]
    page = page_of(replace(whole, entries=(whole.entries[0], *floor)))
    assert "never look at a picture" in page.lead.about
    assert "the human-written description" in page.lead.about
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
