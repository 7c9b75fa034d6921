"""A board that can be read by several measures: tables, order, ranks, links, exports and API follow
the one chosen."""

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import parse_qs

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from benchmarks.models import Benchmark
from benchmarks.protocols.base import (
    Board,
    BoardTable,
    ColumnGroup,
    Heatmap,
    Measure,
    Metric,
    PublishedRow,
    Radar,
    StackedBar,
)
from benchmarks.registry import protocol, protocols
from benchmarks.services.importing import import_release
from leaderboard.exports import EXPORTS, board_document
from leaderboard.models import Scoresheet
from leaderboard.selectors import BoardReading, read_board, read_by_measure
from tests.api_clients import API, check_documented, schema
from tests.conftest import ANSWERS, SPELLING, judged, submit
from tests.leaderboard.board.shown import page_of
from tests.tiny_protocol import PROTOCOL as SPELLING_PROTOCOL

RIGHT = Metric("accuracy", "Right", "Share right.")
CLOSE = Metric("close", "Close", "Share close.")
SLIPS = Metric("slips", "Slips", "Slips per word.", higher_is_better=False, unit="score", digits=1)
RATED = Metric("rated", "Rated", "What people rate.")
PRINTED = Metric("printed", "Printed", "Only papers have it.")
METRICS = (RIGHT, CLOSE, SLIPS, RATED, PRINTED)
AXES = (ColumnGroup("Both", (RIGHT, CLOSE, SLIPS)),)
BOARD = Board(
    summary="How well a model spells, told two ways.",
    how="By judge and by rule.",
    ranking="accuracy",
    min_coverage=0.9,
    tables=(
        BoardTable(
            "all",
            "Everything",
            "",
            (ColumnGroup("Slips", (SLIPS,)), ColumnGroup("People", (RATED,))),
        ),
        BoardTable(
            "by-judge", "By judge", "", (ColumnGroup("Judge", (RIGHT, RATED)),), measure="judge"
        ),
        BoardTable(
            "by-rule", "By rule", "", (ColumnGroup("Rule", (CLOSE, PRINTED)),), measure="rule"
        ),
        BoardTable(
            "by-slips", "By slips", "", (ColumnGroup("Slips", (SLIPS, RIGHT)),), measure="slips"
        ),
        BoardTable(
            "people",
            "People",
            "",
            (ColumnGroup("People", (RATED,)),),
            (StackedBar("Bar", (("rated", "R"),)),),
        ),
    ),
    published=(PublishedRow("Printed model", "a paper", "", {"printed": 0.5}),),
    charts=(
        Radar("judge-radar", "Judge", "", AXES, 0.0, 1.0, measure="judge"),
        Heatmap("map", "All of it", "", AXES, 0.0, 1.0),
    ),
    measures=(
        Measure("judge", "Judge", "A judge reads the answers.", "accuracy"),
        Measure("rule", "Rule", "A rule compares the words.", "close"),
        Measure("slips", "Slips", "A rule counts slips.", "slips"),
    ),
)
PROTOCOL = replace(
    SPELLING_PROTOCOL,
    slug="measured",
    title="Measured",
    board=SimpleNamespace(BOARD=BOARD, METRICS={metric.name: metric for metric in METRICS}),
)
VALUES: Mapping[str, tuple[float, float | None, float | None]] = {
    "Alpha": (0.9, 0.2, 3.0),
    "Beta": (0.6, 0.7, 2.0),
    "Gamma": (0.3, None, 1.0),
}
"""By model: accuracy, close, slips."""
PAGE = "/boards/measured/"


@pytest.fixture
def measured(settings):
    settings.PROTOCOLS = [*settings.PROTOCOLS, __name__]
    protocols.cache_clear()
    yield
    protocols.cache_clear()


@pytest.fixture(scope="module")
def entered(module_rows) -> None:
    """The entries of VALUES, ranked in that order."""
    with override_settings(PROTOCOLS=[*settings.PROTOCOLS, __name__]):
        protocols.cache_clear()
        enter(User.objects.create_user("rosa", "rosa@example.org", "a long enough password"))
    protocols.cache_clear()


@pytest.fixture
def reading(entered, measured, db) -> BoardReading:
    return read_board(Benchmark.objects.get(slug="measured"))


def enter(owner: User) -> None:
    release = import_release(
        protocol=protocol("measured"), stream=io.BytesIO(SPELLING), slug="measured-1"
    ).release
    for name, (right, close, slips) in VALUES.items():
        answers = ANSWERS.replace(b"color", name.encode())
        sheet = Scoresheet.objects.get(run=judged(submit(release, owner, answers, name=name)))
        sheet.board_figures = {
            metric: [value, None, None, None, 4, 4, 4]
            for metric, value in (
                ("accuracy", right),
                ("close", close),
                ("slips", slips),
                ("rated", None),
            )
        }
        sheet.ranking = right
        sheet.save()


def tables(page) -> list[str]:
    return [tab.slug for tab in page.tabs]


def columns(page) -> list[str]:
    return [column.metric for column in page.table.columns]


def models(page) -> list[str]:
    return [name for row in page.table.rows for name in re.findall(r">(\w+)</a>", row.markup)]


def ranks(page) -> list[str]:
    return [
        rank for row in page.table.rows for rank in re.findall(r'class="rank">([^<]*)<', row.markup)
    ]


def query_of(url: str) -> dict[str, str]:
    return {
        name: values[0]
        for name, values in parse_qs(url.removeprefix("?").partition("#")[0]).items()
    }


def links_of(text: str, label: str) -> list[tuple[str, str, str]]:
    """Address, mark and title of the links below that label which follow a script that sorts."""
    (links,) = re.findall(rf'<nav class="\w+" aria-label="{label}">(.*?)</nav>', text, re.DOTALL)
    return re.findall(
        r'<a href="\?([^"]*)" data-keeps-sort (aria-current="true")?>([\w ]+)</a>', links
    )


# --- what is shown --------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", ["", "judge", "nonsense"])
def test_the_first_measure_is_shown_unless_another_is_named(reading, asked):
    page = page_of(reading, measure=asked)
    assert tables(page) == ["all", "by-judge"]
    assert [chart.slug for chart in page.charts] == ["judge-radar", "map"]
    assert [choice.is_current for choice in page.measures] == [True, False, False]


def test_a_measure_shows_its_own_tables_and_charts_and_those_of_none(reading):
    page = page_of(reading, measure="rule")
    assert tables(page) == ["all", "by-rule"]
    assert [chart.slug for chart in page.charts] == ["map"]


def test_a_board_without_measures_has_no_switch_and_shows_all(reading):
    page = page_of(replace(reading, board=replace(BOARD, measures=())), measure="rule")
    assert page.measures == ()
    assert tables(page) == ["all", "by-judge", "by-rule", "by-slips"]
    assert "measure" not in query_of(page.rank_url)


def test_the_switch_is_real_links_and_says_what_the_measure_is(reading, client):
    text = client.get(PAGE, {"measure": "rule"}).content.decode()
    links = links_of(text, "Way of scoring")
    assert [
        (query_of(url.replace("&amp;", "&"))["measure"], bool(mark), title)
        for url, mark, title in links
    ] == [
        ("judge", False, "Judge"),
        ("rule", True, "Rule"),
        ("slips", False, "Slips"),
    ]
    assert "A rule compares the words." in text
    assert "A judge reads the answers." not in text


def test_tabs_follow_when_a_script_sorts(reading, client):
    text = client.get(PAGE, {"measure": "rule"}).content.decode()
    assert len(links_of(text, "Tables of this board")) == 2


def test_reading_by_a_measure_asks_the_database_nothing(reading):
    with CaptureQueriesContext(connection) as queries:
        page_of(reading, measure="rule")
    assert len(queries) == 0


# --- order and ranks ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("judge", ["Alpha", "Beta", "Gamma"]),
        ("rule", ["Beta", "Alpha", "Gamma"]),  # Gamma has no value
        ("slips", ["Gamma", "Beta", "Alpha"]),  # lower is better
    ],
)
def test_rows_stand_in_the_order_of_the_measure(reading, measure, expected):
    assert models(page_of(reading, measure=measure)) == expected


def test_the_rank_stays_that_of_the_board_and_says_so(reading):
    page = page_of(reading, measure="rule")
    by_model = dict(zip(models(page), ranks(page), strict=True))
    assert by_model == dict(zip(models(page_of(reading)), ranks(page_of(reading)), strict=True))
    assert page.rank_title == "Rank by Right"
    assert page_of(reading, measure="judge").rank_title == "Rank"


def test_the_column_that_orders_the_rows_is_marked_and_the_rank_is_not(reading):
    page = page_of(reading, measure="slips")
    marks = {
        column.metric: column.aria_sort
        for column in page_of(reading, measure="slips", table="by-slips").table.columns
    }
    assert marks == {"slips": "ascending", "accuracy": "none"}
    assert not page.is_in_rank_order


def test_the_head_of_the_ranks_leads_to_rank_order(reading, client):
    page = page_of(reading, measure="rule")
    assert (
        query_of(page.rank_url).items()
        >= {"measure": "rule", "sort": "accuracy", "order": "desc"}.items()
    )
    again = page_of(reading, measure="rule", sort="accuracy")
    assert models(again) == ["Alpha", "Beta", "Gamma"]
    assert again.is_in_rank_order
    assert "sort" not in query_of(page_of(reading, measure="judge").rank_url)


def test_a_sort_order_of_its_own_goes_before_that_of_the_measure(reading):
    assert models(page_of(reading, measure="rule", sort="slips")) == ["Alpha", "Beta", "Gamma"]


def test_a_metric_that_the_measure_does_not_show_does_not_sort(reading, client):
    text = client.get(PAGE, {"measure": "slips", "sort": "close"}).content.decode()
    assert re.findall(r'Tick (Alpha|Beta|Gamma)"', text) == ["Gamma", "Beta", "Alpha"]


def test_charts_tell_the_figure_that_orders_and_draw_the_first_of_that_order(reading):
    page = page_of(reading, measure="slips")
    assert page.score_title == "Slips"
    assert [line.chosen.model for line in page.chosen] == ["Gamma", "Beta", "Alpha"]
    assert page.chosen[0].chosen.score == "1.0"


# --- links ----------------------------------------------------------------------------------------


def test_links_of_the_switch_keep_every_other_choice(reading):
    second = str(reading.entries[1].id)
    page = page_of(reading, measure="judge", sort="slips", order="asc", published="off", m=second)
    assert query_of(page.measures[1].url) == {
        "release": "measured-1",
        "judge": reading.era.judge_spec.slug,
        "measure": "rule",
        "sort": "slips",
        "order": "asc",
        "published": "off",
        "m": second,
    }


def test_links_of_the_switch_leave_out_a_sort_order_whose_column_they_do_not_show(reading):
    page = page_of(reading, measure="judge", sort="accuracy")
    assert ["sort" in query_of(choice.url) for choice in page.measures] == [True, False, True]


def test_every_link_of_the_page_stays_with_the_measure(reading):
    page = page_of(reading, measure="rule")
    links = [page.rank_url, page.published_url, page.chosen[0].url, page.eras[0].url]
    links += [
        url.partition("?")[2] for _, url in (*page.downloads[0].files, *page.downloads[1].files)
    ]
    links += [column.sort_url for column in page.table.columns]
    links += [tab.url for tab in page.tabs]
    assert [query_of(url)["measure"] for url in links] == ["rule"] * len(links)
    assert dict(page.kept)["measure"] == "rule"


# --- nothing to show ------------------------------------------------------------------------------


def test_columns_that_nobody_has_a_value_in_are_dropped_and_their_groups(reading):
    page = page_of(reading)
    assert [group.title for group in page.table.groups if not group.is_column] == ["Slips"]
    assert columns(page_of(reading, table="by-judge")) == ["accuracy"]


def test_a_value_that_only_a_paper_has_keeps_its_column_even_while_hidden(reading):
    for shown in ("", "off"):
        page = page_of(reading, measure="rule", table="by-rule", published=shown)
        assert columns(page) == ["close", "printed"]


def test_a_table_without_values_is_not_shown_unless_it_is_the_first(reading):
    *_, people = BOARD.tables
    first = replace(reading, board=replace(BOARD, tables=(people, *BOARD.tables[:-1])))
    assert "people" not in tables(page_of(reading))
    assert tables(page_of(first)) == ["people", "all", "by-judge"]
    assert columns(page_of(first)) == ["rated"]
    assert len(page_of(first).table.bars) == 1


def test_an_empty_board_shows_its_first_table_whole(reading):
    page = page_of(replace(reading, entries=(), published=()))
    assert tables(page) == ["all"]
    assert columns(page) == ["slips", "rated"]


def test_a_table_of_values_that_came_in_is_shown(reading):
    sheet = Scoresheet.objects.first()
    sheet.board_figures |= {"rated": [0.4, None, None, None, 4, 4, 4]}
    sheet.save()
    page = page_of(read_board(reading.benchmark), table="by-judge")
    assert tables(page) == ["all", "by-judge", "people"]
    assert columns(page) == ["accuracy", "rated"]


# --- exports and API ------------------------------------------------------------------------------


def exported(client, kind, **query):
    return client.get(f"{PAGE}export.{kind}", query).getvalue().decode()


def test_the_csv_holds_the_columns_and_the_order_of_the_measure(reading, client):
    lines = list(csv.reader(io.StringIO(exported(client, "csv", measure="rule"))))
    columns = [
        name for name in lines[0] if name in {"accuracy", "slips", "rated", "close", "printed"}
    ]
    assert columns == ["slips", "rated", "close", "printed"]
    assert [line[2] for line in lines[1:]] == ["Beta", "Alpha", "Gamma", "Printed model"]


def test_the_json_holds_the_figures_of_the_measure(reading, client):
    document = json.loads(client.get(f"{PAGE}export.json", {"measure": "rule"}).getvalue())
    assert (document["measure"], document["ranking"]) == ("rule", "accuracy")
    assert [metric["name"] for metric in document["metrics"]] == [
        "slips",
        "rated",
        "close",
        "printed",
    ]
    assert [list(entry["figures"]) for entry in document["entries"]] == [
        ["slips", "rated", "close"]
    ] * 3
    assert [entry["rank"] for entry in document["entries"]] == [
        entry.rank for entry in rule_order(reading)
    ]
    assert document["published"][0]["values"] == {"printed": 0.5}


def rule_order(reading: BoardReading):
    return read_by_measure(reading, "rule").entries


def test_the_latex_holds_the_tables_of_the_measure(reading, client):
    text = exported(client, "latex", measure="rule")
    titles = re.findall(r"% Measured: ([^;]+);", text)
    assert titles == ["Everything", "By rule", "People"]


def test_an_export_without_a_measure_is_that_of_the_first(reading, client):
    for kind in ("csv", "json", "latex"):
        assert (
            exported(client, kind)
            == exported(client, kind, measure="judge")
            == exported(client, kind, measure="x")
        )


def test_a_whole_board_keeps_every_metric(reading):
    names = [metric["name"] for metric in board_document(reading)["metrics"]]
    assert names == ["slips", "rated", "accuracy", "close", "printed"]


def in_the_terminal(kind: str, **options) -> str:
    out = io.StringIO()
    call_command("export_board", "measured", format=kind, stdout=out, **options)
    return out.getvalue()


@pytest.mark.parametrize("measure", [measure.slug for measure in BOARD.measures])
@pytest.mark.parametrize("kind", EXPORTS)
def test_the_command_exports_a_measure_as_the_page_does(reading, client, kind, measure):
    assert in_the_terminal(kind, measure=measure) == exported(client, kind, measure=measure)


def test_the_command_exports_the_whole_board_unless_a_measure_is_named(reading):
    assert json.loads(in_the_terminal("json")) == board_document(reading)


@pytest.mark.parametrize(
    ("board", "known"),
    [("measured", "it has judge, rule, slips"), ("spelling", "it is read in one way only")],
)
def test_the_command_refuses_a_measure_that_the_board_has_not(reading, board, known):
    with pytest.raises(CommandError, match=f"no measure 'x'; {known}") as refused:
        call_command("export_board", board, measure="x")
    assert refused.value.returncode == 2


def test_the_api_reads_a_board_by_a_measure(reading, client):
    response = client.get(f"{API}/boards/measured/", {"measure": "rule"})
    check_documented(response, "/boards/{slug}/")
    exported = json.loads(client.get(f"{PAGE}export.json", {"measure": "rule"}).getvalue())
    assert response.json().items() >= exported.items()


def test_the_api_lists_the_measures_of_a_board(reading, client):
    response = client.get(f"{API}/boards/")
    check_documented(response, "/boards/")
    found = {
        line["slug"]: [measure["slug"] for measure in line["measures"]] for line in response.json()
    }
    assert found["measured"] == ["judge", "rule", "slips"]


def test_the_schema_describes_the_measure_of_a_board():
    parameters = schema()["paths"][f"{API}/boards/{{slug}}/"]["get"]["parameters"]
    (found,) = [parameter for parameter in parameters if parameter["name"] == "measure"]
    assert found["in"] == "query"
    assert not found.get("required")
    assert "first one" in found["description"]
