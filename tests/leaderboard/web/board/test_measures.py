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
from django.test import override_settings

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
from leaderboard.models import Scoresheet
from leaderboard.results.selectors import BoardReading, read_board, read_by_measure
from leaderboard.web.exports import EXPORTS, board_document
from tests.api_clients import API, check_documented, schema
from tests.conftest import ANSWERS, SPELLING, judged, submit
from tests.leaderboard.web.board.shown import heads_of, page_of
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
    return [tab.url.partition("#")[2] for tab in page.tabs]


def columns(page) -> list[str]:
    return [head.metric for head in heads_of(page)]


def models(page) -> list[str]:
    return [name for row in page.rows.values() for name in re.findall(r">(\w+)</a>", row)]


def ranks(page) -> list[str]:
    return [
        rank for row in page.rows.values() for rank in re.findall(r'class="rank">([^<]*)<', row)
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


def test_a_measure_shows_its_own_tables_and_charts_and_those_of_none_in_its_order(reading):
    """The first is shown unless another is named. A rank stays that of the board and says so."""
    by_rank = ["Alpha", "Beta", "Gamma"]
    first = (["all", "by-judge"], ["judge-radar", "map"], [True, False, False], "Rank", by_rank)
    shown = {
        "": first,
        "judge": first,
        "nonsense": first,
        "rule": (
            ["all", "by-rule"],
            ["map"],
            [False, True, False],
            "Rank by Right",
            ["Beta", "Alpha", "Gamma"],  # Gamma has no value
        ),
        "slips": (
            ["all", "by-slips"],
            ["map"],
            [False, False, True],
            "Rank by Right",
            ["Gamma", "Beta", "Alpha"],  # lower is better
        ),
    }
    place = dict(zip(by_rank, ranks(page_of(reading)), strict=True))
    for measure, expected in shown.items():
        page = page_of(reading, measure=measure)
        charts = [chart.slug for chart in (page.profile, *page.charts) if chart]
        current = [choice.is_current for choice in page.measures]
        assert (tables(page), charts, current, page.rank_title, models(page)) == expected, measure
        assert ranks(page) == [place[model] for model in models(page)]


def test_a_board_without_measures_has_no_switch_and_shows_all(reading):
    page = page_of(replace(reading, board=replace(BOARD, measures=())), measure="rule")
    assert page.measures == []
    assert tables(page) == ["all", "by-judge", "by-rule", "by-slips"]
    assert "measure" not in query_of(page.rank_url)


def test_the_switch_is_real_links_that_follow_when_a_script_sorts_as_tabs_do(reading, client):
    text = client.get(PAGE, {"measure": "rule"}).text
    found = links_of(text, "Way of scoring")
    assert [
        (query_of(url.replace("&amp;", "&"))["measure"], bool(mark), title)
        for url, mark, title in found
    ] == [("judge", False, "Judge"), ("rule", True, "Rule"), ("slips", False, "Slips")]
    assert len(links_of(text, "Tables of this board")) == 2
    assert "A rule compares the words." in text
    assert "A judge reads the answers." not in text
    # a metric that the measure does not show does not sort
    text = client.get(PAGE, {"measure": "slips", "sort": "close"}).text
    assert re.findall(r'Tick (Alpha|Beta|Gamma)"', text) == ["Gamma", "Beta", "Alpha"]


def test_reading_by_a_measure_asks_the_database_nothing(reading, django_assert_num_queries):
    with django_assert_num_queries(0):
        page_of(reading, measure="rule")


def test_the_column_that_orders_is_marked_and_charts_tell_and_draw_by_it(reading):
    page = page_of(reading, measure="slips", table="by-slips")
    marks = {head.metric: head.sort for head in heads_of(page)}
    assert marks == {"slips": "ascending", "accuracy": "none"}
    assert not page.is_in_rank_order
    assert page.score_title == "Slips"
    assert [chosen.model for chosen, _ in page.chosen] == ["Gamma", "Beta", "Alpha"]
    assert page.chosen[0][0].score == "1.0"


def test_the_head_of_the_ranks_leads_to_rank_order(reading):
    page = page_of(reading, measure="rule")
    to_ranks = {"measure": "rule", "sort": "accuracy", "order": "desc"}
    assert query_of(page.rank_url).items() >= to_ranks.items()
    again = page_of(reading, measure="rule", sort="accuracy")
    assert models(again) == ["Alpha", "Beta", "Gamma"]
    assert again.is_in_rank_order
    assert "sort" not in query_of(page_of(reading, measure="judge").rank_url)
    # an order of its own goes before that of the measure
    assert models(page_of(reading, measure="rule", sort="slips")) == ["Alpha", "Beta", "Gamma"]


# --- links ----------------------------------------------------------------------------------------


def test_every_link_keeps_the_measure_and_the_switch_keeps_every_other_choice(reading):
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
    # but a sort order whose column it does not show
    page = page_of(reading, measure="judge", sort="accuracy")
    assert ["sort" in query_of(choice.url) for choice in page.measures] == [True, False, True]
    page = page_of(reading, measure="rule")
    links = [page.rank_url, page.published_url, page.chosen[0][1], page.eras[0].url]
    links += [url.partition("?")[2] for _, files in page.downloads for _, url in files]
    links += [head.url for head in heads_of(page)]
    links += [tab.url for tab in page.tabs]
    assert [query_of(url)["measure"] for url in links] == ["rule"] * len(links)
    assert dict(page.kept)["measure"] == "rule"


# --- nothing to show ------------------------------------------------------------------------------


def test_columns_and_tables_that_nobody_has_a_value_in_are_not_shown(reading):
    """Unless only a paper has one, or the table is the first."""
    groups = page_of(reading).groups
    assert [group.title for group in groups if group.metrics] == ["Slips"]
    assert columns(page_of(reading, table="by-judge")) == ["accuracy"]
    for shown in ("", "off"):
        page = page_of(reading, measure="rule", table="by-rule", published=shown)
        assert columns(page) == ["close", "printed"]
    *_, people = BOARD.tables
    first = page_of(replace(reading, board=replace(BOARD, tables=(people, *BOARD.tables[:-1]))))
    assert (tables(first), columns(first)) == (["people", "all", "by-judge"], ["rated"])
    assert len(first.table.bars) == 1
    empty = page_of(replace(reading, entries=(), published=()))
    assert (tables(empty), columns(empty)) == (["all"], ["slips", "rated"])
    sheet = Scoresheet.objects.first()
    sheet.board_figures |= {"rated": [0.4, None, None, None, 4, 4, 4]}
    sheet.save()
    page = page_of(read_board(reading.benchmark), table="by-judge")
    assert tables(page) == ["all", "by-judge", "people"]
    assert columns(page) == ["accuracy", "rated"]


# --- exports and API ------------------------------------------------------------------------------


def exported(client, kind, **query):
    return client.get(f"{PAGE}export.{kind}", query).getvalue().decode()


def in_the_terminal(kind: str, **options) -> str:
    out = io.StringIO()
    call_command("export_board", "measured", format=kind, stdout=out, **options)
    return out.getvalue()


def test_files_and_the_api_hold_the_columns_and_the_order_of_the_measure(reading, client):
    lines = list(csv.DictReader(io.StringIO(exported(client, "csv", measure="rule"))))
    metrics = ["slips", "rated", "close", "printed"]
    assert [name for name in lines[0] if name in {"accuracy", *metrics}] == metrics
    order = ["Beta", "Alpha", "Gamma"]
    assert [line["model"] for line in lines] == [*order, "Printed model"]
    document = json.loads(exported(client, "json", measure="rule"))
    assert (document["measure"], document["ranking"]) == ("rule", "accuracy")
    assert [metric["name"] for metric in document["metrics"]] == metrics
    assert [(entry["model"], entry["rank"]) for entry in document["entries"]] == [
        (entry.model, entry.rank) for entry in read_by_measure(reading, "rule").entries
    ]
    assert {tuple(entry["figures"]) for entry in document["entries"]} == {tuple(metrics[:3])}
    assert document["published"][0]["values"] == {"printed": 0.5}
    titles = re.findall(r"% Measured: ([^;]+);", exported(client, "latex", measure="rule"))
    assert titles == ["Everything", "By rule", "People"]
    response = client.get(f"{API}/boards/measured/", {"measure": "rule"})
    check_documented(response, "/boards/{slug}/")
    assert response.json().items() >= document.items()


def test_an_export_is_of_the_first_measure_and_the_command_is_of_the_whole_board_or_of_one(
    reading, client
):
    for kind in EXPORTS:
        first = exported(client, kind)
        assert first == exported(client, kind, measure="x")
        assert first == exported(client, kind, measure="judge")
        for measure in ("judge", "rule", "slips"):
            said = in_the_terminal(kind, measure=measure)
            assert said == exported(client, kind, measure=measure), (kind, measure)
    whole = json.loads(in_the_terminal("json"))
    assert whole == board_document(reading)
    names = [metric["name"] for metric in whole["metrics"]]
    assert names == ["slips", "rated", "accuracy", "close", "printed"]
    for board, known in (
        ("measured", "it has judge, rule, slips"),
        ("spelling", "it is read in one way only"),
    ):
        with pytest.raises(CommandError, match=f"no measure 'x'; {known}") as refused:
            call_command("export_board", board, measure="x")
        assert refused.value.returncode == 2


def test_the_api_lists_and_describes_the_measures_of_a_board(reading, client):
    response = client.get(f"{API}/boards/")
    check_documented(response, "/boards/")
    (measured,) = (line for line in response.json() if line["slug"] == "measured")
    assert [measure["slug"] for measure in measured["measures"]] == ["judge", "rule", "slips"]
    parameters = schema()["paths"][f"{API}/boards/{{slug}}/"]["get"]["parameters"]
    (found,) = [parameter for parameter in parameters if parameter["name"] == "measure"]
    assert (found["in"], found.get("required", False)) == ("query", False)
    assert "first one" in found["description"]
