"""Which columns a table shows, and that what they are stays with every link and file."""

import json
import re
from dataclasses import replace
from urllib.parse import parse_qs

from django.http import QueryDict

from benchmarks.protocols.base import BoardTable, ColumnGroup, ColumnSet, Metric
from benchmarks.registry import protocols
from leaderboard.results.selectors import BoardPart, BoardReading, read_by_measure
from leaderboard.results.selectors.part import cut
from leaderboard.templatetags.numbers import to_page
from leaderboard.web.board.choices import choices_of
from leaderboard.web.board.columns import (
    columns_asked,
    names_shown,
    width_of,
    with_columns,
)
from leaderboard.web.board.tables import of_one_table
from leaderboard.web.exports import export_csv, export_json, export_latex
from tests.leaderboard.web.board.many import many
from tests.leaderboard.web.board.shown import heads_of, markup, page_of

A, B, C, D = METRICS = tuple(Metric(name, name.upper(), f"About {name}.") for name in "abcd")
TABLE = BoardTable(
    "t",
    "T",
    "",
    (ColumnGroup("One", (A, B)), ColumnGroup("Two", (C, D))),
    sets=(ColumnSet("one", "One", (A, B)), ColumnSet("two", "Two", (C, D))),
)
PLAIN = BoardTable("p", "P", "", TABLE.groups)


def asked(query: str, table: BoardTable = TABLE) -> tuple[tuple[str, ...], list[str]]:
    notes: list[str] = []
    return columns_asked(QueryDict(query), table, notes), notes


def test_columns_are_said_as_shortly_as_can_be():
    said = {
        "": (),
        "columns=": (),
        "columns=all": ("all",),
        "columns=two": ("two",),
        "columns=d,c": ("two",),
        "columns=c&columns=d": ("two",),
        "columns=d&columns=a": ("a", "d"),
        "columns=a,a,a": ("a",),
        "columns=one,two": ("all",),
        "columns=a,two": ("a", "c", "d"),
    }
    assert {query: asked(query) for query in said} == {
        query: (found, []) for query, found in said.items()
    }
    # all columns of a table without sets are the usual ones
    assert asked("columns=a,b,c,d", PLAIN) == ((), [])
    assert names_shown(PLAIN, ()) == set("abcd")


def test_what_is_no_column_is_said_and_left_out():
    for query in ("columns=x", "columns=a,%3Cb%3E", "columns=" + "x," * 99_999):
        found, (note,) = asked(query)
        assert set(found) <= {"a"}
        assert len(note) < 200


def test_the_first_set_with_a_value_is_shown_and_no_column_without_one():
    assert names_shown(TABLE, ()) == {"a", "b"}
    kept = with_columns(TABLE, {"c", "d"})
    assert names_shown(kept, ()) == {"c", "d"}
    assert names_shown(with_columns(TABLE, set()), ()) == set()
    assert names_shown(with_columns(TABLE, {"a"}), ("a", "d")) == {"a"}
    assert (width_of(TABLE, ()), width_of(TABLE, ("all",)), width_of(PLAIN, ())) == (2, 4, 4)


def test_every_board_has_few_tables_whose_sets_are_of_their_columns_and_fit_a_page(subtests):
    for slug in sorted(protocols()):
        board = protocols()[slug].board.BOARD
        for measure in [m.slug for m in board.measures] or [""]:
            of_measure = [one for one in board.tables if one.measure in ("", measure)]
            assert len(of_measure) <= 4, slug
        for table in board.tables:
            with subtests.test(f"{slug} {table.slug}"):
                names = {metric.name for metric in table.metrics}
                slugs = [one.slug for one in table.sets]
                assert len(set(slugs)) == len(slugs)
                assert not set(slugs) & {"all", *names}
                assert all({metric.name for metric in one.metrics} <= names for one in table.sets)
                query = {"table": table.slug, "measure": table.measure}
                assert not page_of(many(slug, 3), **query).is_wide


def shown(page) -> list[str]:
    return [head.metric for head in heads_of(page)]


def boxes_of(page) -> dict[str, bool]:
    """By the name of each column that is offered, whether its box is ticked."""
    found = re.findall(r'name="columns" value="(\w+)"( checked)?', markup(page))
    return {name: bool(mark) for name, mark in found}


def query_of(url: str) -> dict[str, list[str]]:
    return parse_qs(url.partition("?")[2].partition("#")[0])


def test_chosen_columns_stay_with_every_link_of_the_table():
    page = page_of(many("hallusionbench", 120), columns=["aAcc", "overall"], page=2)
    assert shown(page) == ["overall", "aAcc"]
    links = [head.url for head in heads_of(page)]
    links += [to_page(page.pages_url, 1), page.rank_url, page.published_url, page.ranges[1].url]
    links += [url for _, url in page.downloads[0][1]]
    assert [query_of(url)["columns"] for url in links] == [["overall,aAcc"]] * len(links)
    assert dict(page.search_kept)["columns"] == dict(page.kept)["columns"] == "overall,aAcc"
    assert "columns" not in dict(page.columns["kept"])
    away = [tab.url for tab in page.tabs] + [choice.url for choice in page.measures]
    assert not any("columns" in query_of(url) for url in away)
    assert not any("columns" in query_of(url) for _, url in page.downloads[1][1])


def test_the_chooser_ticks_what_is_shown_and_its_sets_are_links_of_which_one_is_marked():
    page = page_of(many("hallusionbench", 12))
    boxes = boxes_of(page)
    assert [name for name, is_shown in boxes.items() if is_shown] == shown(page)
    assert (len(shown(page)), len(boxes)) == (6, 8)
    assert "Columns: 6 of 8" in markup(page)
    whole = page_of(many("hallusionbench", 12), columns=list(boxes))
    assert shown(whole) == list(boxes)
    assert [one.is_current for one in whole.columns["sets"]] == [False, True]
    page = page_of(many("touchstone", 12), table="subtasks", columns="storytelling")
    assert len(shown(page)) == 5
    assert [one.title for one in page.columns["sets"] if one.is_current] == ["Visual Storytelling"]
    first, *_, every = page.columns["sets"]
    assert "columns" not in query_of(first.url)
    assert query_of(every.url)["columns"] == ["all"]


def test_files_of_the_view_hold_its_columns_and_the_rows_of_papers_that_it_shows():
    whole = many("hallusionbench", 4)
    view = view_of(whole, "columns=aAcc,fAcc")
    head, *_ = "".join(export_csv(view)).splitlines()
    assert re.findall(r"\b(\w+) low\b", head) == ["fAcc", "aAcc", "leader"]
    assert '"qAcc"' not in "".join(export_json(view))
    assert "fAcc" in "".join(export_latex(view))
    assert "qAcc" not in "".join(export_latex(view))
    found = []
    for table in ("accuracy", "diagnosis", "subcategories"):
        view = view_of(whole, f"table={table}")
        blocks = page_of(whole, table=table).published
        found.append(sum(len(block["rows"]) for block in blocks))
        document = json.loads("".join(export_json(view)))
        assert len(document["published"]) == found[-1]
        assert all(row["values"] for row in document["published"])
        lines = "".join(export_csv(view)).splitlines()
        assert sum(line.startswith("published") for line in lines) == found[-1]
    assert found[0] > found[1] > found[2] == 0


def view_of(whole: BoardReading, query: str) -> BoardReading:
    """What a file of the table that is looked at holds."""
    choices = choices_of(QueryDict(query), whole.board)
    reading = read_by_measure(cut(whole, BoardPart()), "judged")
    return of_one_table(reading, choices.table, choices.columns)


# --- heads ----------------------------------------------------------------------------------------


def test_every_head_opens_what_it_means_without_a_script():
    page = page_of(many("hallusionbench", 4))
    for number, head in enumerate(page.heads.split("\n"), start=1):
        (target,) = re.findall(r'popovertarget="([^"]+)"', head)
        assert target == f"about-{number}"
        assert f'id="{target}" popover>' in head
        about = re.sub(r"<[^>]+>", "", head.partition("popover>")[2])
        assert "better." in about
        assert "title=" not in head


def test_which_end_is_better_is_said_in_words_and_arrows_are_for_sorting_alone():
    page = page_of(many("touchstone", 4))
    heads = dict(zip(shown(page), page.heads.split("\n"), strict=True))
    assert "Higher is better." in heads["overall"]
    assert "Lower is better." in heads["h_score"]
    assert "<em>lower is better</em>" in heads["h_score"]
    assert "<em>" not in heads["overall"]
    assert not any(arrow in head for head in heads.values() for arrow in "↑↓▴▾")


def with_one_win(whole: BoardReading, *, but_for: int = 0) -> BoardReading:
    """Every ranked entry has the same share of wins, but for as many."""
    entries = tuple(
        replace(
            one,
            figures={
                **one.figures,
                "win": replace(one.figures["win"], value=0.5 if place < but_for else 0.0),
            },
        )
        for place, one in enumerate(whole.entries)
    )
    return replace(whole, entries=entries)


def test_a_column_that_is_the_same_for_every_ranked_model_is_left_out_and_said():
    whole = with_one_win(many("touchstone", 12))
    asked = {"table": "diagnosis"}

    def metrics(reading: BoardReading, **more) -> list[str]:
        return [head.metric for head in heads_of(page_of(reading, **asked, **more))]

    page = page_of(whole, **asked)
    assert "win" not in metrics(whole)
    assert page.left_out == {"win": "Win 0.0"}
    assert len(page.columns["shown"]) == page.columns["total"] - 1
    boxes = boxes_of(page)
    assert (boxes["win"], boxes["tie"]) == (False, True)
    assert 'not a column: Win 0.0. <a href="?' in markup(page)
    # whoever asks for it has it, and so has whoever searches, sorts by it or sees a part
    assert "win" in metrics(whole, columns="all")
    assert f"{page.all_url}".endswith("columns=all#diagnosis")
    for more in ({"q": whole.entries[3].model}, {"sort": "win"}, {"columns": "win,tie"}):
        assert "win" in metrics(whole, **more), more
    assert "win" in metrics(with_one_win(many("touchstone", 12), but_for=1))
    assert "win" in metrics(with_one_win(many("touchstone", 130)))
    # its files are what the page shows, and the files of all columns have it
    those, every = ([url for _, url in files] for _, files in page.downloads)
    for url in those:
        view = view_of(whole, url.partition("?")[2])
        assert [metric.name for metric in view.shown.metrics()] == metrics(whole)
    assert all("columns" not in query_of(url) for url in every)
    # two models may well be alike
    assert "win" in metrics(with_one_win(many("touchstone", 3)))
