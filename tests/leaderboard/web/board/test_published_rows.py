"""Published rows say by which judge and on how many questions, as far as their source does."""

from dataclasses import replace
from types import SimpleNamespace

from benchmarks.protocols.base import (
    Board,
    BoardTable,
    ColumnGroup,
    Metric,
    PublishedRow,
)
from benchmarks.registry import protocol
from leaderboard.results.selectors import BoardReading
from leaderboard.web.board.cells import print_judging
from leaderboard.web.board.tables import PUBLISHED, UNSTATED
from leaderboard.web.exports import export_csv, published_document
from tests.leaderboard.web.board.shown import page_of

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
    return [(block["title"], block["body"]) for block in page_of(reading(*rows)).published]


def test_rows_say_judge_and_questions_and_those_without_a_judge_stand_apart():
    (first, stated), (second, unstated) = blocks(UNJUDGED, STATED)
    assert (first, second) == (PUBLISHED, UNSTATED)
    assert ("Alpha" in stated, "Beta" in stated, "Beta" in unstated) == (True, False, True)
    assert "GPT-4 · 1,129 questions · A paper" in stated
    assert "judge and questions not stated · A file" in unstated
    assert [title for title, _ in blocks(STATED)] == [PUBLISHED]
    assert [title for title, _ in blocks(UNJUDGED)] == [UNSTATED]
    said = print_judging(replace(STATED, judge=""))
    assert said == "judge not stated · 1,129 questions"
    assert print_judging(replace(STATED, questions=0)) == "GPT-4 · questions not stated"


def test_a_reproduced_row_is_marked_and_says_from_what_and_so_do_exports():
    (_, body), *_ = blocks(STATED, AGAIN)
    assert body.count(">reproduced in part<") == 1
    assert "From &lt;recorded&gt; verdicts." in body
    assert published_document(UNJUDGED, ["score"])["questions"] is None
    document = published_document(AGAIN, ["score"])
    assert (document["questions"], document["reproduced"]) == (1129, AGAIN.reproduced)
    assert '"A paper · GPT-4 · 1,129 questions"' in "".join(export_csv(reading(STATED)))


def test_only_sources_that_do_not_say_leave_it_open():
    """By family: rows without a judge, and without a count of questions."""
    left_open = {
        "hallusionbench": (9, 9),
        "touchstone": (0, 12),
        "touchstone_hallucination": (0, 7),
        "tiny_lvlm_ehub": (0, 0),
        "tiny_lvlm_ehub_ability": (0, 0),
    }
    rows = {slug: protocol(slug).board.BOARD.published for slug in left_open}
    assert {
        slug: (sum(not row.judge for row in of), sum(not row.questions for row in of))
        for slug, of in rows.items()
    } == left_open
    unstated = [row for row in rows["hallusionbench"] if "not stated" in print_judging(row)]
    assert {row.source for row in unstated} == {"HallusionBench leaderboard.json, October 2025"}
