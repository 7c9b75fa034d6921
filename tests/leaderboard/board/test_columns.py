"""Which columns a table shows, and that what they are stays with every link and file."""

import json
import re
from urllib.parse import parse_qs

import pytest
from django.http import QueryDict

from benchmarks.protocols.base import BoardTable, ColumnGroup, ColumnSet, Metric
from benchmarks.registry import protocol, protocols
from leaderboard.board.choices import choices_of
from leaderboard.board.columns import (
    columns_asked,
    names_shown,
    width_of,
    with_columns,
)
from leaderboard.board.tables import of_one_table
from leaderboard.exports import export_csv, export_json, export_latex
from leaderboard.selectors import BoardPart, read_by_measure
from leaderboard.selectors.part import cut
from tests.leaderboard.board.many import many
from tests.leaderboard.board.shown import page_of

A, B, C, D = METRICS = tuple(Metric(name, name.upper(), f"About {name}.") for name in "abcd")
TABLE = BoardTable(
    "t",
    "T",
    "",
    (ColumnGroup("One", (A, B)), ColumnGroup("Two", (C, D))),
    sets=(ColumnSet("one", "One", (A, B)), ColumnSet("two", "Two", (C, D))),
)
PLAIN = BoardTable("p", "P", "", TABLE.groups)


FAMILIES = sorted(protocols())


def asked(query: str, table: BoardTable = TABLE) -> tuple[tuple[str, ...], list[str]]:
    notes: list[str] = []
    return columns_asked(QueryDict(query), table, notes), notes


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ()),
        ("columns=", ()),
        ("columns=all", ("all",)),
        ("columns=two", ("two",)),
        ("columns=d,c", ("two",)),
        ("columns=c&columns=d", ("two",)),
        ("columns=d&columns=a", ("a", "d")),
        ("columns=a,a,a", ("a",)),
        ("columns=one,two", ("all",)),
        ("columns=a,two", ("a", "c", "d")),
    ],
)
def test_columns_are_said_as_shortly_as_can_be(query, found):
    assert asked(query) == (found, [])


def test_all_columns_of_a_table_without_sets_are_the_usual_ones():
    assert asked("columns=a,b,c,d", PLAIN) == ((), [])
    assert names_shown(PLAIN, ()) == set("abcd")


@pytest.mark.parametrize("query", ["columns=x", "columns=a,%3Cb%3E", "columns=" + "x," * 99_999])
def test_what_is_no_column_is_said_and_left_out(query):
    found, notes = asked(query)
    assert len(notes) == 1
    assert set(found) <= {"a"}
    assert len(notes[0]) < 200


def test_the_first_set_with_a_value_is_shown():
    assert names_shown(TABLE, ()) == {"a", "b"}
    kept = with_columns(TABLE, {"c", "d"})
    assert names_shown(kept, ()) == {"c", "d"}
    assert names_shown(with_columns(TABLE, set()), ()) == set()


def test_a_column_without_a_value_is_not_shown_to_whoever_asks():
    assert names_shown(with_columns(TABLE, {"a"}), ("a", "d")) == {"a"}


def test_a_table_is_as_wide_as_the_columns_it_shows():
    assert (width_of(TABLE, ()), width_of(TABLE, ("all",)), width_of(PLAIN, ())) == (2, 4, 4)


@pytest.mark.parametrize(
    "table",
    [table for slug in sorted(protocols()) for table in protocols()[slug].board.BOARD.tables],
    ids=lambda table: table.slug,
)
def test_sets_of_every_board_are_of_its_tables_columns(table):
    names = {metric.name for metric in table.metrics}
    slugs = [one.slug for one in table.sets]
    assert len(set(slugs)) == len(slugs)
    assert not set(slugs) & {"all", *names}
    assert all({metric.name for metric in one.metrics} <= names for one in table.sets)


@pytest.mark.parametrize("slug", sorted(protocols()))
def test_no_board_shows_more_than_four_tables(slug):
    board = protocols()[slug].board.BOARD
    for measure in [m.slug for m in board.measures] or [""]:
        assert len([table for table in board.tables if table.measure in ("", measure)]) <= 4


@pytest.mark.parametrize(
    ("slug", "table"),
    [(slug, table.slug) for slug in FAMILIES for table in protocol(slug).board.BOARD.tables],
)
def test_what_a_table_shows_at_first_fits_a_page(slug, table):
    board = protocol(slug).board.BOARD
    (shown,) = (one for one in board.tables if one.slug == table)
    query = {"table": table, "measure": shown.measure}
    assert not page_of(many(slug, 3), **query).table.is_wide


def shown(page) -> list[str]:
    return [column.metric for column in page.table.columns]


def query_of(url: str) -> dict[str, list[str]]:
    return parse_qs(url.partition("?")[2].partition("#")[0])


def test_chosen_columns_stay_with_every_link_of_the_table():
    page = page_of(many("hallusionbench", 120), columns=["aAcc", "overall"], page=2)
    assert shown(page) == ["overall", "aAcc"]
    links = [column.sort_url for column in page.table.columns]
    links += [page.pager.previous_url, page.rank_url, page.published_url, page.ranges[1].url]
    links += [url for _, url in page.downloads[0].files]
    assert [query_of(url)["columns"] for url in links] == [["overall,aAcc"]] * len(links)
    assert dict(page.search.kept)["columns"] == dict(page.kept)["columns"] == "overall,aAcc"
    assert "columns" not in dict(page.columns.kept)
    away = [tab.url for tab in page.tabs] + [choice.url for choice in page.measures]
    assert not any("columns" in query_of(url) for url in away)
    assert not any("columns" in query_of(url) for _, url in page.downloads[1].files)


def test_the_chooser_offers_every_column_with_a_value_and_ticks_those_shown():
    page = page_of(many("hallusionbench", 12))
    boxes = {box.name: box.is_shown for group in page.columns.groups for box in group.boxes}
    assert [name for name, is_shown in boxes.items() if is_shown] == shown(page)
    assert (len(shown(page)), len(boxes), page.columns.counted) == (6, 8, "Columns: 6 of 8")
    whole = page_of(many("hallusionbench", 12), columns=list(boxes))
    assert shown(whole) == list(boxes)
    assert [one.is_current for one in whole.columns.sets] == [False, True]


def test_sets_are_links_and_the_shown_one_is_marked():
    page = page_of(many("touchstone", 12), table="subtasks", columns="storytelling")
    assert len(shown(page)) == 5
    assert [one.title for one in page.columns.sets if one.is_current] == ["Visual Storytelling"]
    first, *_, every = page.columns.sets
    assert "columns" not in query_of(first.url)
    assert query_of(every.url)["columns"] == ["all"]


def test_files_of_the_view_hold_its_columns_alone():
    whole = many("hallusionbench", 4)
    choices = choices_of(QueryDict("columns=aAcc,fAcc"), whole.board)
    view = of_one_table(page_reading(whole), choices.table, choices.columns)
    head, *_ = "".join(export_csv(view)).splitlines()
    assert re.findall(r"\b(\w+) low\b", head) == ["fAcc", "aAcc", "leader"]
    assert '"qAcc"' not in "".join(export_json(view))
    assert "fAcc" in "".join(export_latex(view))
    assert "qAcc" not in "".join(export_latex(view))


def test_files_of_the_view_have_the_rows_of_papers_that_it_shows():
    whole = many("hallusionbench", 4)
    shown = {}
    for table in ("accuracy", "diagnosis", "subcategories"):
        choices = choices_of(QueryDict(f"table={table}"), whole.board)
        view = of_one_table(page_reading(whole), choices.table, choices.columns)
        blocks = page_of(whole, table=table).table.published
        shown[table] = sum(len(block.rows) for block in blocks)
        document = json.loads("".join(export_json(view)))
        assert len(document["published"]) == shown[table]
        assert all(row["values"] for row in document["published"])
        lines = "".join(export_csv(view)).splitlines()
        assert sum(line.startswith("published") for line in lines) == shown[table]
    assert shown["accuracy"] > shown["diagnosis"] > shown["subcategories"] == 0


def page_reading(whole):
    return read_by_measure(cut(whole, BoardPart()), "judged")


# --- heads ----------------------------------------------------------------------------------------


def test_every_head_opens_what_it_means_without_a_script():
    page = page_of(many("hallusionbench", 4))
    for number, column in enumerate(page.table.columns, start=1):
        (target,) = re.findall(r'popovertarget="([^"]+)"', column.markup)
        assert target == f"about-{number}"
        assert f'id="{target}" popover>' in column.markup
        about = re.sub(r"<[^>]+>", "", column.markup.partition("popover>")[2])
        assert "better." in about
        assert "title=" not in column.markup


def test_which_end_is_better_is_said_in_words_and_arrows_are_for_sorting_alone():
    page = page_of(many("touchstone", 4))
    heads = {column.metric: column.markup for column in page.table.columns}
    assert "Higher is better." in heads["overall"]
    assert "Lower is better." in heads["h_score"]
    assert "<em>lower is better</em>" in heads["h_score"]
    assert "<em>" not in heads["overall"]
    assert not any(arrow in head for head in heads.values() for arrow in "↑↓▴▾")
