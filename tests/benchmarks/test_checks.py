"""`manage.py check --tag content` refuses a board that promises what nobody computes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError, SystemCheckError

from benchmarks.checks import board_faults, check_boards
from benchmarks.models import Release
from benchmarks.protocols.base import (
    BenchmarkProtocol,
    Beside,
    Board,
    BoardTable,
    ColumnGroup,
    Contributions,
    Derived,
    Metric,
    PublishedRow,
    QuestionView,
    Radar,
    StackedBar,
)
from benchmarks.registry import protocol, protocols
from tests.each_case import each_case
from tests.tiny_protocol.board import ACCURACY, BOARD, METRICS
from tests.tiny_protocol.dataset import TAXONOMY

MISTYPED = replace(ACCURACY, name="acuracy")


def family_with(
    board: Board, metrics: Mapping[str, Metric] = METRICS, **more: Any
) -> BenchmarkProtocol:
    """Spelling with another board."""
    return replace(
        protocol("spelling"), board=SimpleNamespace(BOARD=board, METRICS=metrics), **more
    )


def faults(family: BenchmarkProtocol) -> list[tuple[str, str]]:
    return [(fault.id.removeprefix("benchmarks."), fault.msg) for fault in board_faults(family)]


def table_of(*metrics: Metric, bars: tuple[StackedBar, ...] = ()) -> tuple[BoardTable, ...]:
    return (BoardTable("main", "Main", "", (ColumnGroup("All", metrics),), bars),)


# --- what is as it should be ----------------------------------------------------------------------


@each_case("slug", sorted(protocols()))
def test_no_board_that_ships_promises_what_nobody_computes(slug):
    """The template for new protocols among them."""
    assert faults(protocol(slug)) == []


def test_what_only_published_rows_have_may_be_a_column():
    printed = Metric("printed", "Printed", "")
    board = replace(
        BOARD,
        tables=table_of(ACCURACY, printed),
        published=(PublishedRow("M", "a paper", "", {"printed": 1.0}),),
    )
    assert faults(family_with(board, {**METRICS, "printed": printed})) == []


@each_case("neighbour", ["touchstone_hallucination", "not-run-on-this-site"])
def test_a_column_of_a_neighbour_is_filled_by_it(neighbour):
    other = Metric("h_score", "H-score", "")
    board = replace(BOARD, tables=table_of(ACCURACY, other), beside=(Beside(neighbour, other),))
    assert faults(family_with(board)) == []


# --- what is not ----------------------------------------------------------------------------------


G_SCORE = Metric("g_score", "G-score", "")


@each_case(
    "column, told, more",
    [
        (MISTYPED, "Nobody fills the column 'acuracy' of spelling", {}),
        (replace(ACCURACY, name="accuracy@words/shrot"), "('words/shrot' is no ability or sub", {}),
        (G_SCORE, "'g_score'", {"beside": (Beside("touchstone_hallucination", G_SCORE),)}),
    ],
)
def test_a_column_that_nobody_fills_is_told(column, told, more):
    board = replace(BOARD, tables=table_of(ACCURACY, column), **more)
    for metrics in (METRICS, {**METRICS, column.name: column}):  # described and never computed
        ((code, message),) = faults(family_with(board, metrics))
        assert (code, told in message) == ("E003", True)
        assert ("subtask" in message) is ("@" in column.name)


@each_case(
    "change, place",
    [
        ({"tables": table_of(ACCURACY, bars=(StackedBar("", (("acuracy", "A"),)),))}, "in a bar"),
        (
            {"charts": (Radar("r", "", "", (ColumnGroup("", (MISTYPED,)),), 0.0, 1.0),)},
            "in a chart",
        ),
        ({"agreement": (MISTYPED,)}, "on its judge's card"),
        ({"reliability": (MISTYPED,)}, "on its judge's card"),
    ],
)
def test_a_metric_that_no_scorer_makes_is_told_with_its_place(change, place):
    ((code, told),) = faults(family_with(replace(BOARD, **change)))
    assert (code, f"reads 'acuracy' {place}" in told) == ("E002", True)


def test_a_ranking_that_is_described_and_never_computed_is_told():
    board = replace(BOARD, ranking="acuracy")
    ((code, told),) = faults(family_with(board, {**METRICS, "acuracy": MISTYPED}))
    assert (code, "to order its entries" in told) == ("E002", True)


def test_a_figure_of_a_published_row_that_no_column_shows_is_told():
    board = replace(BOARD, published=(PublishedRow("M", "a paper", "", {"acuracy": 1.0}),))
    ((code, told),) = faults(family_with(board))
    assert (code, "'acuracy'" in told) == ("E005", True)


def test_bundled_questions_of_a_subtask_that_the_taxonomy_lacks_are_told():
    family = protocol("hallusionbench")
    vd, vs = family.dataset.TAXONOMY
    short = SimpleNamespace(read=family.dataset.read, TAXONOMY=(vd, replace(vs, subtasks=())))
    told = [message for code, message in faults(replace(family, dataset=short)) if code == "E004"]
    assert any("the subtask 'VS/chart' of 'VS'" in message for message in told)


def test_metrics_of_subtasks_without_bundled_questions_are_made_too():
    """A mini release need not have every subtask of the official one."""
    seen: list[str] = []

    def contributions(questions: Sequence[QuestionView], *rest: Any) -> Contributions:
        seen.extend(question.subtask for question in questions)
        return family.scoring.contributions(questions, *rest)

    family = protocol("spelling")
    assert not faults(replace(family, scoring=SimpleNamespace(contributions=contributions)))
    assert seen == [subtask.slug for subtask in TAXONOMY[0].subtasks]


def test_a_metric_made_of_one_that_nobody_makes_is_told():
    family = protocol("spelling")

    def contributions(*asked: Any) -> Contributions:
        found = family.scoring.contributions(*asked)
        twice = Derived(lambda parts: 2 * parts["acuracy"], ("acuracy",))
        return replace(found, derived={**found.derived, "twice": twice})

    ((code, told),) = faults(replace(family, scoring=SimpleNamespace(contributions=contributions)))
    assert (code, "makes 'twice' of 'acuracy'" in told) == ("E008", True)


def test_a_table_of_a_mistyped_measure_is_told():
    board = replace(BOARD, tables=(replace(BOARD.tables[0], measure="wordz"), *BOARD.tables))
    ((code, told),) = faults(family_with(board))
    assert (code, "by 'wordz'" in told) == ("E007", True)


def fail(*asked: object) -> Contributions:
    raise KeyError("category")


def test_a_scorer_that_fails_on_its_own_questions_is_told():
    ((code, told),) = faults(
        replace(protocol("hallusionbench"), scoring=SimpleNamespace(contributions=fail))
    )
    assert code == "E006"
    assert "KeyError: 'category'" in told


def test_a_scorer_that_cannot_be_tried_is_a_warning_and_no_hindrance(monkeypatch):
    family = replace(protocol("spelling"), scoring=SimpleNamespace(contributions=fail))
    ((code, _),) = faults(family)
    assert code == "W001"
    monkeypatch.setattr("benchmarks.checks.protocols", lambda: {"spelling": family})
    call_command("check", tags=["content"])


def test_check_refuses_a_mistyped_board(monkeypatch):
    family = family_with(replace(BOARD, tables=table_of(ACCURACY, MISTYPED)))
    monkeypatch.setattr("benchmarks.checks.protocols", lambda: {"spelling": family})
    assert [fault.id for fault in check_boards(None)] == ["benchmarks.E003"]
    with pytest.raises(SystemCheckError, match="Nobody fills the column 'acuracy'"):
        call_command("check", tags=["content"])
    call_command("check")  # as before every command: no scorer is tried


def test_what_this_site_ships_is_sound(capsys):
    call_command("check", tags=["content"])
    assert "no issues" in capsys.readouterr().out


@pytest.mark.django_db
def test_a_release_of_a_mistyped_board_is_refused(monkeypatch, tmp_path):
    file = tmp_path / "spelling.txt"
    file.write_bytes(b"1|two|two\n")
    family = family_with(replace(BOARD, tables=table_of(ACCURACY, MISTYPED)))
    monkeypatch.setattr("benchmarks.management.console.protocol", lambda slug: family)
    with pytest.raises(CommandError, match="the column 'acuracy' of spelling"):
        call_command("import_release", "spelling", file)
    assert not Release.objects.exists()
