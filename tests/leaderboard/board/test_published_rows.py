"""Published rows say by which judge and on how many questions, as far as their source does."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from benchmarks.protocols.base import (
    Board,
    BoardTable,
    ColumnGroup,
    Metric,
    PublishedRow,
)
from benchmarks.registry import protocol
from leaderboard.board.cells import print_judging
from leaderboard.board.tables import PUBLISHED, UNSTATED
from leaderboard.exports import export_csv, published_document
from leaderboard.selectors import BoardReading
from tests.leaderboard.board.shown import page_of

SCORE = Metric("score", "Score", "What is printed.")
STATED = PublishedRow("Alpha", "A paper", "", {"score": 0.5}, judge="GPT-4", questions=1129)
UNJUDGED = PublishedRow("Beta", "A file", "", {"score": 0.7})
AGAIN = replace(STATED, model="Gamma", reproduced="From <recorded> verdicts.")


def reading(*rows: PublishedRow) -> BoardReading:
    table = BoardTable("main", "Main", "", (ColumnGroup("All", (SCORE,)),))
    board = Board("", "", "score", 0.99, (table,), published=rows)
    benchmark = SimpleNamespace(slug="spelling", title="Spelling")
    return BoardReading(
        benchmark=benchmark,  # type: ignore[arg-type]  # no database here
        board=board,
        metrics={"score": SCORE},
        era=None,
        eras=(),
        entries=(),
        published=rows,
        computed=None,
    )


def blocks(*rows: PublishedRow) -> list[tuple[str, str]]:
    return [(block.title, block.body) for block in page_of(reading(*rows)).table.published]


def test_a_row_without_a_judge_stands_apart_whatever_the_order():
    (first, stated), (second, unstated) = blocks(UNJUDGED, STATED)
    assert (first, second) == (PUBLISHED, UNSTATED)
    assert "Alpha" in stated
    assert "Beta" not in stated
    assert "Beta" in unstated


def test_a_block_without_rows_is_not_shown():
    assert [title for title, _ in blocks(STATED)] == [PUBLISHED]
    assert [title for title, _ in blocks(UNJUDGED)] == [UNSTATED]


def test_rows_say_judge_and_questions():
    ((_, stated), (_, unstated)) = blocks(STATED, UNJUDGED)
    assert "GPT-4 · 1,129 questions · A paper" in stated
    assert "judge and questions not stated · A file" in unstated


@pytest.mark.parametrize(
    ("change", "printed"),
    [
        ({"judge": ""}, "judge not stated · 1,129 questions"),
        ({"questions": 0}, "GPT-4 · questions not stated"),
    ],
)
def test_what_a_source_says_is_said_without_the_rest(change, printed):
    assert print_judging(replace(STATED, **change)) == printed


def test_a_reproduced_row_is_marked_and_says_from_what():
    (_, body), *_ = blocks(STATED, AGAIN)
    assert body.count(">reproduced in part<") == 1
    assert "From &lt;recorded&gt; verdicts." in body


def test_exports_say_the_same():
    assert published_document(UNJUDGED, ["score"])["questions"] is None
    document = published_document(AGAIN, ["score"])
    assert (document["questions"], document["reproduced"]) == (1129, AGAIN.reproduced)
    assert '"A paper · GPT-4 · 1,129 questions"' in "".join(export_csv(reading(STATED)))


@pytest.mark.parametrize(
    ("slug", "unjudged", "uncounted"),
    [
        ("hallusionbench", 9, 9),
        ("touchstone", 0, 12),
        ("touchstone_hallucination", 0, 7),
        ("tiny_lvlm_ehub", 0, 0),
        ("tiny_lvlm_ehub_ability", 0, 0),
    ],
)
def test_only_sources_that_do_not_say_leave_it_open(slug, unjudged, uncounted):
    rows = protocol(slug).board.BOARD.published
    assert sum(not row.judge for row in rows) == unjudged
    assert sum(not row.questions for row in rows) == uncounted


def test_the_leaderboard_file_of_hallusionbench_names_no_judge():
    rows = protocol("hallusionbench").board.BOARD.published
    unstated = [row for row in rows if print_judging(row) == "judge and questions not stated"]
    assert {row.source for row in unstated} == {"HallusionBench leaderboard.json, October 2025"}
