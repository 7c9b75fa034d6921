"""The board names only what is scored, and prints what the sources print."""

import pytest

from benchmarks.protocols.base import BoardPort, QuestionView, Radar
from benchmarks.protocols.base.anchoring import names_of
from benchmarks.protocols.touchstone import anchoring, board
from benchmarks.protocols.touchstone.board import BOARD, METRICS
from benchmarks.protocols.touchstone.scoring import contributions
from tests.each_case import each_case

TABLES = {table.slug: table for table in BOARD.tables}


@pytest.fixture(scope="module")
def scored() -> set[str]:
    one = QuestionView("0", "recognition", "", "0", "0", "?", {"categories": "recognition"}, {})
    found = contributions([one], [""], {})
    anchors = anchoring.anchors([one], [""], {}, {"comparison": [(1,)]})
    return {*found.names, *found.derived, *names_of(anchors) & METRICS.keys()}


def columns(slug: str) -> list[str]:
    return [metric.name for group in TABLES[slug].groups for metric in group.metrics]


def test_module_satisfies_the_port():
    port: BoardPort = board
    assert (port.BOARD.ranking, port.BOARD.min_coverage) == ("overall", 0.99)


def test_every_name_on_the_board_is_scored_and_described(scored):
    neighbours = {beside.metric.name for beside in BOARD.beside}
    assert set(BOARD.metric_names()) <= scored | neighbours
    assert set(METRICS) == scored | neighbours
    assert all(metric.name == name for name, metric in METRICS.items())


def test_the_subtask_table_has_all_twenty_seven():
    assert len(columns("subtasks")) == len(set(columns("subtasks"))) == 27


def test_two_radars_and_a_heatmap_share_the_scale():
    assert [(isinstance(chart, Radar), chart.low, chart.high) for chart in BOARD.charts] == [
        (True, 100, 1000),
        (True, 100, 1000),
        (False, 100, 1000),
    ]


def test_the_hallucination_score_stands_beside():
    (beside,) = BOARD.beside
    assert (beside.benchmark, beside.metric.name) == ("touchstone_hallucination", "h_score")


@each_case("source, count", [("figure 5", 7), ("new results", 10), ("Chinese", 2)])
def test_every_printed_score_has_its_row(source, count):
    assert sum(source in row.source for row in BOARD.published) == count


def test_printed_scores_are_in_the_printed_scale():
    found = {(row.model, row.values["overall"]) for row in BOARD.published}
    assert {("GPT-4V", 803.5), ("PandaGPT", 488.5), ("VisualGLM", 247.1)} <= found
    assert all(
        row.values.keys() == {"overall"} and row.url.startswith("https://")
        for row in BOARD.published
    )


@each_case("metric", METRICS.values())
def test_metric_is_explained_in_one_sentence(metric):
    assert metric.about.endswith(".")
    assert not metric.empty.endswith(".")
