"""An entry page says where what was judged is not, word for word, what the file says."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from benchmarks.protocols.base import BoardTable, ColumnGroup
from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from leaderboard.models import Scoresheet
from leaderboard.older_texts import TextsBehind
from leaderboard.pages.entry import metric_line, metric_sections, older_texts, scope_table
from leaderboard.scoring import MetricValue
from leaderboard.selectors import read_board
from tests.conftest import judged
from tests.tiny_protocol.board import BOARD, METRICS

TOLD = "Answers that begin with a block: 1 of 4."
OTHER = "An unknown column was passed over."


def page_of(client, submission: Submission) -> str:
    content: str = client.get(f"/entries/{submission.pk}/").content.decode()
    return content


def test_thoughts_taken_out_of_answers_are_told_at_the_entry(submission, client):
    judged(submission)
    notes = [{"code": "thinking", "message": TOLD}, {"code": "columns", "message": OTHER}]
    Submission.objects.filter(pk=submission.pk).update(reading_notes=notes)
    page = page_of(client, submission)
    assert TOLD in page
    assert OTHER not in page


def test_an_entry_without_thoughts_says_nothing_of_them(submission, client):
    judged(submission)
    assert "How its answers were read" not in page_of(client, submission)


def test_answers_by_older_texts_and_by_unknown_ones_are_counted_together(submission):
    judged(submission)
    sheet = Scoresheet.objects.select_related("submission__release__benchmark").get()
    (entry,) = read_board(sheet.submission.release.benchmark).entries
    (figure,) = older_texts(sheet, replace(entry, texts=TextsBehind(older=3, unknown=1)))
    assert figure.value == "4"


def value(share: float | None, spread: float | None = None, judged: int = 9) -> MetricValue:
    return MetricValue(share, None, None, spread, n=8, asked=10, judged=judged)


def test_a_metric_is_told_with_its_spread_and_how_much_of_it_was_judged():
    line = metric_line(METRICS["accuracy"], value(0.5, spread=0.015))
    assert (line.value, line.spread, line.n, line.coverage) == ("50.00", "1.50", 8, "90.0 %")
    assert line.reason == ""


def test_a_metric_that_is_not_defined_says_why():
    line = metric_line(METRICS["neatness"], MetricValue(None, None, None, None, 0, 0, 0))
    assert (line.value, line.spread, line.coverage) == ("–", "", "–")
    assert line.reason == "nobody rated it"


def test_parts_stand_in_the_order_of_the_taxonomy_and_those_beyond_it_last():
    known = {"accuracy": 0.9, "accuracy@own/part": 0.1, "accuracy@own": 0.2}
    figures = {name: value(share) for name, share in known.items()}
    figures |= {"accuracy@words": value(0.3), "accuracy@words/long": value(None)}
    table = scope_table(protocol("spelling"), figures)
    assert table.heads == ("Accuracy",)
    assert [(row.title, row.is_ability, *row.values) for row in table.rows] == [
        ("Words", True, ("30.00", "")),
        ("Short", False, ("–", "not measured here")),
        ("Long", False, ("–", "nothing to count")),
        ("own/part", False, ("10.00", "")),
        ("own", True, ("20.00", "")),
    ]


@pytest.mark.parametrize(("count", "others_are_open"), [(1, True), (4, True), (5, False)])
def test_of_more_than_four_sections_only_the_first_is_open(count, others_are_open):
    metrics = [replace(METRICS["accuracy"], name=f"metric {n}") for n in range(count)]
    tables = tuple(
        BoardTable(f"{n}", f"Table {n}", "", (ColumnGroup("", tuple(metrics[: n + 1])),))
        for n in range(count)
    )
    family = replace(
        protocol("spelling"), board=SimpleNamespace(BOARD=replace(BOARD, tables=tables))
    )
    sections = metric_sections(family, {metric.name: value(0.5) for metric in metrics})
    assert [len(section.lines) for section in sections] == [1] * count  # each where it first is
    assert [section.is_open for section in sections] == [True, *[others_are_open] * (count - 1)]


def test_a_section_without_any_metric_is_left_out():
    assert metric_sections(protocol("spelling"), {"neatness": value(0.5)}) == ()
