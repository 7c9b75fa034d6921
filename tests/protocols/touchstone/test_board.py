"""The board names only what is scored, and prints what the sources print."""

import pytest

from benchmarks.protocols.base import BoardPort, QuestionView, Radar
from benchmarks.protocols.base.anchoring import names_of
from benchmarks.protocols.touchstone import anchoring, board
from benchmarks.protocols.touchstone.board import BOARD, METRICS
from benchmarks.protocols.touchstone.scoring import contributions

TABLES = {table.slug: table for table in BOARD.tables}


@pytest.fixture(scope="module")
def scored() -> set[str]:
    one = QuestionView("0", "recognition", "", "0", "0", "?", {"categories": "recognition"}, {})
    found = contributions([one], [""], {})
    anchors = anchoring.anchors([one], [""], {}, {"comparison": [(1,)]})
    return {*found.names, *found.derived, *names_of(anchors) & METRICS.keys()}


def columns(slug: str) -> list[str]:
    return [metric.name for group in TABLES[slug].groups for metric in group.metrics]


def test_every_name_on_the_board_is_scored_and_described_in_one_sentence(scored):
    port: BoardPort = board
    assert (port.BOARD.ranking, port.BOARD.min_coverage) == ("overall", 0.99)
    (beside,) = BOARD.beside
    assert (beside.benchmark, beside.metric.name) == ("touchstone_hallucination", "h_score")
    assert set(BOARD.metric_names()) <= scored | {"h_score"} == set(METRICS)
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.about.endswith(".")
        assert not metric.empty.endswith(".")
    assert len(columns("subtasks")) == len(set(columns("subtasks"))) == 27
    charts = [(isinstance(chart, Radar), chart.low, chart.high) for chart in BOARD.charts]
    assert charts == [(True, 100, 1000), (True, 100, 1000), (False, 100, 1000)]


def test_every_printed_score_has_its_row_in_the_printed_scale():
    for source, count in (("figure 5", 7), ("new results", 10), ("Chinese", 2)):
        assert sum(source in row.source for row in BOARD.published) == count
    found = {(row.model, row.values["overall"]) for row in BOARD.published}
    assert {("GPT-4V", 803.5), ("PandaGPT", 488.5), ("VisualGLM", 247.1)} <= found
    for row in BOARD.published:
        assert (set(row.values), row.url[:8]) == ({"overall"}, "https://")
