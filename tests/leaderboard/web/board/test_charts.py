"""Charts: what is drawn where, what is chosen, and that a page with charts needs neither a script
nor a query more."""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit
from uuid import UUID
from xml.etree import ElementTree

import plotly.graph_objects as go
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.models import Benchmark
from benchmarks.protocols.base import Bars, Board, BoardTable, ColumnGroup, Heatmap, Metric, Radar
from benchmarks.scoring.sheets import MetricValue
from leaderboard.models import BoardFacts
from leaderboard.results.selectors import BoardEntry, BoardReading, read_board
from leaderboard.web.board.charts import chart_views, choose_entries, share
from leaderboard.web.board.plotly_bundle import bundle_path
from leaderboard.web.board.radar import MARKERS, RadarAxis, draw_radar, marker
from tests.conftest import import_spelling, judged, submit
from tests.leaderboard.web.board.many import many
from tests.leaderboard.web.board.shown import page_of

EVIL = '<script>alert("x")</script>&'
SQUARE = [RadarAxis(title, 0) for title in ("North", "East", "South", "West")]
GROUP = ColumnGroup(
    "Sides",
    tuple(
        Metric(name, name.title(), "", unit="score", digits=1, empty="not asked") for name in "abcd"
    ),
)
RADAR = Radar("spider", "Spider", "Four sides.", (GROUP,), low=0.0, high=10.0)
HEATMAP = Heatmap("heat", "Heat", "Four sides.", (GROUP,), low=0.0, high=10.0)


def figure(value: float | None) -> MetricValue:
    return MetricValue(value, None, None, None, 4, 4, 4)


def entry(
    number: int, values: Mapping[str, float | None], *, model: str = "", rank: int | None = 1
) -> BoardEntry:
    return BoardEntry(
        id=UUID(int=number),
        model_id=number,
        model=model or f"Model {number}",
        facts=BoardFacts(),
        origin="upload",
        submitted=datetime(2026, 1, number, tzinfo=UTC),
        rank=rank,
        rank_best=rank,
        rank_worst=rank,
        coverage=1.0,
        judged=4,
        unreadable=0,
        failed=0,
        excluded=0,
        figures={name: figure(value) for name, value in values.items()},
    )


def reading(*entries: BoardEntry, charts=(RADAR, HEATMAP)) -> BoardReading:
    board = Board("", "", "a", 0.9, (BoardTable("main", "Main", "", (GROUP,)),), charts=charts)
    metrics = {metric.name: metric for metric in GROUP.metrics}
    return BoardReading(
        Benchmark(slug="spelling", title="Fake"), board, metrics, None, (), entries, (), None
    )


def full(number: int, **more) -> BoardEntry:
    return entry(number, dict.fromkeys("abcd", 5.0), **more)


def draw(*series, axes=SQUARE, groups=("Sides",), field=()) -> ElementTree.Element:
    drawing = draw_radar(
        label=EVIL,
        axes=axes,
        groups=groups,
        rings=["0", "1", "2", "3", "4"],
        series=series,
        field=field,
    )
    return ElementTree.fromstring(drawing)


def path_of(svg: ElementTree.Element, number: int, kind: str) -> str:
    return svg.findall(f"g[@class='series-{number}']/path[@class='{kind}']")[0].attrib["d"]


def outline(svg: ElementTree.Element, number: int) -> str:
    return path_of(svg, number, "line")


# --- the drawing ----------------------------------------------------------------------------------


def test_axes_run_clockwise_from_the_top_and_shares_from_the_centre():
    svg = draw([1.0, 0.5, 0.0, 1.0])
    rim = float(svg.findall("circle")[-1].attrib["r"])
    assert rim == 126.0  # short titles leave room for the largest radar; the centre is 215, 215
    assert outline(svg, 1) == "M215 89L278 215L215 215L89 215Z"


def test_rings_and_centre_are_labelled_between_the_first_two_axes():
    """There the title of no axis stands, and no sign."""
    texts = draw([1.0] * 4).findall("text[@class='ring-text']")
    assert [text.text for text in texts] == ["0", "1", "2", "3", "4"]
    spots = [(float(text.attrib["x"]), float(text.attrib["y"]) - 9) for text in texts]
    side = 126 / 4 * math.sqrt(0.5)
    wanted = [(215 + side * ring, 215 - side * ring) for ring in range(5)]
    assert [one for spot in spots for one in spot] == pytest.approx(
        [one for spot in wanted for one in spot], abs=0.1
    )


def test_a_missing_value_opens_the_outline_there():
    assert outline(draw([1.0, None, 0.0, 1.0]), 1) == "M215 215L89 215L215 89"
    assert outline(draw([1.0, None, 0.5, None]), 1) == "M215 278M215 89"
    assert outline(draw([None] * 4), 1) == ""


def test_the_field_is_a_line_behind_the_series_with_a_dot_for_each_value():
    drawn = draw([1.0] * 4, field=[0.5, None, 0.5, 0.5])
    (field,) = drawn.findall("path[@class='field']")
    dots = "M215 152h0M215 278h0M152 215h0"
    assert field.attrib["d"] == f"M215 278L152 215L215 152{dots}"
    kinds = [part.get("class") for part in drawn]
    assert kinds.index("field") < kinds.index("series-1")
    assert not draw([1.0] * 4, field=[None] * 4).findall("path[@class='field']")


def test_only_values_that_are_there_have_a_marker_and_what_is_given_is_escaped():
    svg = draw([1.0, None, 0.0, 1.0], [0.5] * 4)
    marks = [path_of(svg, n, "marks") for n in (1, 2)]
    assert [text.count("M") for text in marks] == [3, 4]
    assert marks[1].startswith(f"M215 152{MARKERS[1]}")
    for number, drawn in enumerate(marks, 1):  # and a legend shows the same sign
        (sign,) = ElementTree.fromstring(marker(number)).findall("path")
        assert sign.attrib["d"].removeprefix("M0 0") in drawn
    svg = draw([0.5] * 4, axes=[RadarAxis(EVIL, 0)] * 4)
    assert svg.get("aria-label") == EVIL
    assert not svg.findall(".//script")
    assert not [node for node in svg.iter() if node.get("style")]


def test_many_axes_are_numbered_and_their_groups_have_arcs():
    axes = [RadarAxis(f"Subtask {n}", n // 9) for n in range(27)]
    svg = draw(
        [0.5] * 27,
        axes=axes,
        groups=("First", "Second", "Third"),
    )
    assert [node.text for node in svg.findall("text[@class='number']")] == [
        str(n) for n in range(1, 28)
    ]
    assert len(svg.findall("path[@class='arc']")) == 3
    right, left = (
        [(float(text.attrib["y"]), text.text) for text in svg.findall(f"g[@class='{side}']/text")]
        for side in ("listed", "listed end")
    )
    numbered = [f"Subtask {n}" for n in range(27)]
    assert [text for _, text in right] == [
        *("First", *numbered[:9]),
        *("Second", *numbered[9:14]),
    ]
    assert [text for _, text in left] == [
        *("Third", *numbered[:17:-1]),
        *("Second", *numbered[17:13:-1]),
    ]
    for side in (right, left):  # no title lies on another
        heights = [y for y, _ in side]
        assert all(low - high >= 16.9 for high, low in pairwise(heights))


def test_a_series_of_27_axes_is_under_three_kilobytes_and_within_the_chart():
    axes = [RadarAxis(str(n), 0) for n in range(27)]
    one, two = (
        len(ElementTree.tostring(draw(*[[0.777] * 27] * count, axes=axes))) for count in (1, 2)
    )
    assert two - one < 3000
    shares = {5.0: 0.5, -3.0: 0.0, 12.0: 1.0, None: None}
    assert {value: share(RADAR, value) for value in shares} == shares


def judged_often(value: float, judged: int) -> MetricValue:
    return replace(figure(value), n=judged, asked=judged, judged=judged)


def test_a_radar_with_groups_has_its_figures_as_dots_and_those_of_few_judgements_are_hollow():
    one, two = (
        replace(
            full(n, rank=n),
            figures={
                name: judged_often(5.0 + n, often)
                for name, often in zip("abcd", counts, strict=True)
            },
        )
        for n, counts in ((1, (20, 19, 20, 20)), (2, (40, 40, 40, 40)))
    )
    groups = (
        replace(GROUP, title="Upper", metrics=GROUP.metrics[:3]),
        replace(GROUP, title="Lower", metrics=GROUP.metrics[3:]),
    )
    whole = reading(one, two, charts=(replace(RADAR, groups=groups),))
    (view,) = chart_views(whole, (one, two))
    assert view.note == "Hollow: fewer than 20 judgements."
    dots, radar = (ElementTree.fromstring(str(drawn)) for drawn in (view.dots, view.svg))
    titles = [text.text for text in dots.findall("text") if text.get("class") != "number"]
    assert titles == ["0", "10", "Upper", "A", "B", "C", "Lower", "D"]
    for drawing in (dots, radar):
        marks, few, sure = (
            path_of(drawing, number, kind)
            for number, kind in ((1, "marks"), (1, "few"), (2, "marks"))
        )
        signs = [path.count(MARKERS[n]) for path, n in ((marks, 0), (few, 0), (sure, 1))]
        assert signs == [3, 1, 4]
        assert not drawing.findall("g[@class='series-2']/path[@class='few']")
    # from 0 to 10 on 148 units: 6 lies at 224 + 89
    assert path_of(dots, 1, "few").startswith("M312.8 ")
    assert view.figure["data"][0]["marker"]["symbol"] == [
        *("circle", "circle-open", "circle", "circle", "circle"),
    ]
    (plain,) = views_of(RADAR, one)
    assert (plain.dots, plain.note) == (None, "")


def test_bars_have_a_panel_for_each_metric_and_in_it_a_bar_for_each_chosen_model():
    bars = Bars("bars", "Bars", "Four sides.", (GROUP,), low=0.0, high=10.0)
    one = entry(1, {"b": None, "c": 10.0}, model=EVIL)
    one = replace(one, figures={**one.figures, "a": replace(figure(5.0), low=2.5, high=7.5)})
    (view,) = views_of(bars, one, full(2))
    svg = ElementTree.fromstring(view.svg)
    assert [text.text for text in svg.findall("g[@class='group']/text")] == list("ABCD")
    values = [text.text for text in svg.findall("g[@class='end']/text")]
    assert values == ["5.0", "–", "10.0", "–", "5.0", "5.0", "5.0", "5.0"]
    lengths = [re.findall(r"h([\d.]+)v", path_of(svg, n, "bar")) for n in (1, 2)]
    assert lengths == [["64", "128"], ["64"] * 4]
    (interval,) = svg.findall("path[@class='interval']")
    assert re.fullmatch(r"M48 \d+H112", interval.attrib["d"])  # 16 + a quarter and three of 128
    assert EVIL in svg.get("aria-label")
    go.Figure(view.figure)
    assert view.figure["data"][0]["x"] == [5.0, None, 10.0, None]
    assert view.note == "Gap at B: not asked. Gap at D: not measured."


def test_a_board_has_the_charts_that_its_paper_is_known_for():
    touchstone, ehub = (page_of(many(slug, 4)) for slug in ("touchstone", "tiny_lvlm_ehub"))
    assert (touchstone.profile.title, ehub.profile.title) == ("Abilities", "Capabilities")
    assert [chart.title for chart in touchstone.charts] == ["27 subtasks", "Subtasks by model"]
    assert [chart.title for chart in ehub.charts] == ["Capability radar", "Datasets by model"]
    assert ('class="bars"' in ehub.profile.svg, ehub.profile.table) == (True, ())
    subtasks = touchstone.charts[0]
    drawn = ElementTree.fromstring(subtasks.svg)
    listed = [text.text for text in drawn.iter("text") if text.text]
    for title, axes in subtasks.groups:
        assert title in listed
        assert {axis for _, axis in axes} <= set(listed)
        assert title in subtasks.dots


# --- which models ---------------------------------------------------------------------------------


def test_the_first_three_with_a_rank_are_drawn_unasked_and_at_most_six_in_board_order():
    def chosen(entries, asked) -> list[int]:
        return [entry.id.int for entry in choose_entries(entries, asked)]

    entries = [full(n, rank=rank) for n, rank in enumerate((1, None, 2, 3, 4), 1)]
    assert chosen(entries, []) == [1, 3, 4]
    assert chosen(entries, ["nonsense", str(UUID(int=99))]) == [1, 3, 4]
    entries = [full(n, rank=n) for n in range(1, 9)]
    asked = [str(entry.id) for entry in reversed(entries)]
    assert chosen(entries, asked) == [1, 2, 3, 4, 5, 6]
    assert chosen(entries, [*asked[:1], "<x>", asked[-1]]) == [1, 8]


def test_a_link_of_the_legend_leaves_one_model_out_and_keeps_the_order():
    page = page_of(
        reading(full(1), full(2), full(3)),
        sort="b",
        order="asc",
        m=[UUID(int=n) for n in (1, 3)],
    )
    query = parse_qs(page.chosen[0][1].removeprefix("?").removesuffix("#charts"))
    assert query == {"sort": ["b"], "order": ["asc"], "m": [str(UUID(int=3))]}
    assert [(key.int, " checked" in row) for key, row in page.rows.items()] == [
        (1, True),
        (2, False),
        (3, True),
    ]


def test_the_only_model_has_no_link_and_a_board_without_charts_has_boxes_for_comparing():
    page = page_of(reading(full(1)))
    assert [url for _, url in page.chosen] == [""]
    page = page_of(reading(full(1), full(2), charts=()), m=UUID(int=1))
    assert (page.charts, page.chosen, page.is_choosing) == ((), [], True)
    assert [" checked" in row for row in page.rows.values()] == [True, False]
    assert chart_views(reading(), ()) == ()


# --- tables and figures ---------------------------------------------------------------------------


def views(*entries: BoardEntry):
    return views_of(RADAR, *entries, more=(HEATMAP,))


def views_of(chart, *entries: BoardEntry, more=()):
    return chart_views(reading(*entries, charts=(chart, *more)), choose_entries(entries, []))


def test_the_table_prints_values_and_says_why_one_is_missing():
    radar, heat = views(entry(1, {"a": 1.0, "b": None, "c": 9.96}))
    for view in (radar, heat):
        cells = re.sub(r"<[^>]+>", "|", view.table[0]["cells"])
        assert [text for text in cells.split("|") if text] == [
            "1.0",
            "–",
            " not asked",
            "10.0",
            "–",
            " not measured",
        ]
    assert radar.note == "Gap at B: not asked. Gap at D: not measured."
    labelled = ColumnGroup("", tuple(replace(m, needs_labels=True) for m in GROUP.metrics))
    (view,) = views_of(replace(RADAR, groups=(labelled,)), entry(1, dict.fromkeys("abc", 1.0)))
    assert view.note == "Gap at D: people have labelled no answer of this entry."
    none, _ = views(entry(1, {}), full(2))
    assert none.note == "A gap is a value that is missing; the table says why."


def test_a_heatmap_shades_by_tenths_of_its_scale_and_has_the_first_models_of_the_page():
    heat = views(entry(1, {"a": 0.0, "b": 0.99, "c": 1.0, "d": 10.0}))[1]
    assert re.findall(r"heat-(\d)", heat.table[0]["cells"]) == ["0", "0", "1", "9"]
    entries = [full(n, rank=n) for n in range(1, 29)]
    heat = chart_views(reading(*entries), choose_entries(entries, [str(UUID(int=7))]))[1]
    assert [row["model"] for row in heat.table] == [f"Model {n}" for n in range(1, 9)]
    assert [row["model"] for row in heat.table if row["marker"]] == ["Model 7"]
    assert heat.note == "The first 8 models of this page."


def test_figures_are_what_plotly_accepts():
    radar, heat = views(entry(1, {"a": 1.0, "b": None, "c": 3.0, "d": 4.0}), full(2, model=EVIL))
    for view in (radar, heat):
        go.Figure(view.figure)
    assert radar.figure["data"][0]["r"] == [1.0, None, 3.0, 4.0, 1.0]
    assert radar.figure["data"][0]["theta"] == [0.0, 90.0, 180.0, 270.0, 0.0]
    assert heat.figure["data"][0]["z"][0] == [1.0, None, 3.0, 4.0]
    assert "<" not in radar.figure["data"][1]["name"]


# --- the page -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(module_rows) -> None:
    release = import_spelling()
    owner = User.objects.create_user("rosa", "rosa@example.org")
    judged(submit(release, owner))
    judged(submit(release, owner, b"1=two\n2=x\n3=y\n4=z\n", name=EVIL))


@pytest.fixture
def board(made, db) -> BoardReading:
    return read_board(Benchmark.objects.get(slug="spelling"))


def boxes(text: str) -> dict[str, bool]:
    """What a browser without scripts offers to draw, and whether that is ticked."""
    found = re.findall(r"<input\b[^>]*>", text)
    chosen = [tag for tag in found if 'form="choose"' in tag and 'name="m"' in tag]
    return {re.findall(r'value="([^"]*)"', tag)[0]: " checked" in tag for tag in chosen}


def test_a_board_page_draws_what_is_ticked_in_a_form_without_any_script(board, client):
    first, second = (str(entry.id) for entry in board.entries)
    text = client.get("/boards/spelling/").text
    assert boxes(text) == {first: False, second: False}  # only what the reader selects is compared
    # those before it search and choose columns
    assert re.findall(r'<form\b[^>]*?(?: id="(\w+)"[^>]*)?>', text)[-1] == "choose"
    assert text.count('<svg class="radar"') == 1
    assert "heat-7" in text
    # a name that is markup stays a name
    assert EVIL not in text
    assert "<script>alert" not in text
    # the note on charts leads to the table that is shown
    (place,) = re.findall(r'Select other models in the <a href="#([^"]+)">', text)
    assert f'id="{place}"' in text
    alone = client.get("/boards/spelling/", {"m": second, "sort": "double"}).text
    assert boxes(alone) == {first: False, second: True}
    assert ('<g class="series-1">' in alone, '<g class="series-2">' in alone) == (True, False)
    assert '<input type="hidden" name="sort" value="double">' in alone
    # ids that are none are ignored
    response = client.get("/boards/spelling/", {"m": ["'", "0", str(UUID(int=5)), "%00"]})
    assert response.status_code == 200
    assert '<g class="series-2">' in response.text


class SortedLinks(HTMLParser):
    """What of a page carries the sort order along: `keeps` what a script changes when it sorts,
    `stays` the rest. Links of heads, each with an order of its own, are not among them."""

    def __init__(self) -> None:
        super().__init__()
        self.keeps: list[str] = []
        self.stays: list[str] = []
        self.is_in_head = False
        self.form: dict[str, str | None] = {}

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if tag == "form":
            self.form = found
        if tag == "th":
            self.is_in_head = True
        is_link = tag == "a" and "sort" in parse_qs(urlsplit(found.get("href") or "").query)
        if is_link and not self.is_in_head:
            self.note(found, found["href"])
        if tag == "input" and found.get("name") == "sort":
            self.note(self.form, f"form {self.form.get('class')}")

    def handle_endtag(self, tag):
        if tag == "th":
            self.is_in_head = False

    def note(self, found, name):
        (self.keeps if "data-keeps-sort" in found else self.stays).append(name)


@pytest.mark.parametrize("query", [{}, {"q": "script"}, {"q": "nobody"}])
def test_all_that_carries_the_order_along_follows_when_a_script_sorts(board, client, query):
    links = SortedLinks()
    asked = {"sort": "double", "order": "asc", **query}
    links.feed(client.get("/boards/spelling/", asked).content.decode())
    # the figure is not drawn anew
    as_drawn = ("charts/lead.svg?", "/embed/")
    assert all(link.startswith(as_drawn) for link in links.stays)
    kept = " ".join(links.keeps)
    assert "form search" in kept
    assert "export.csv" in kept
    assert ("form choose-bar" in kept) is (not query or query["q"] == "script")


def test_choosing_and_drawing_ask_the_database_nothing(board, client):
    with CaptureQueriesContext(connection) as reads:
        read_board(Benchmark.objects.get(slug="spelling"))
    with CaptureQueriesContext(connection) as page:
        client.get("/boards/spelling/", {"m": [str(entry.id) for entry in board.entries]})
    assert len(page) == len(reads) + 1, "and what is judged anew, which no stored board tells"


def test_the_bundle_is_served_whole_and_known_again(client, db):
    response = client.get("/plotly.js")
    assert response["Content-Type"] == "text/javascript"
    assert len(b"".join(response.streaming_content)) == bundle_path().stat().st_size
    assert client.get("/plotly.js", headers={"If-None-Match": response["ETag"]}).status_code == 304


def test_rings_to_explore_are_those_of_the_drawing():
    """plotly.js begins at zero with ticks of its own unless it is told both."""
    page = page_of(many("touchstone", 4))
    radar = next(chart for chart in page.charts if not chart.is_heatmap)
    axis = radar.figure["layout"]["polar"]["radialaxis"]
    assert (axis["range"], axis["autorange"]) == ([100.0, 1000.0], False)
    drawn = re.findall(r'class="ring-text"[^>]*>([\d.]+)<', radar.svg)
    assert [f"{tick:g}" for tick in axis["tickvals"]] == drawn[1:] == ["325", "550", "775", "1000"]
