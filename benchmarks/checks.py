"""What `manage.py check --tag content` says of this site's protocols: a typing error is told before
anything is scored.

What a scorer makes is found by having it score: the questions of the releases that ship with the
protocol, and one for each subtask that these leave out. Nothing of the database is read.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from django.core.checks import CheckMessage, Error, Warning

from benchmarks.protocols.base import (
    BenchmarkProtocol,
    Beside,
    Contributions,
    QuestionRow,
    QuestionView,
    Ratings,
)
from benchmarks.protocols.base.anchoring import names_of
from benchmarks.protocols.runs import Verdicts
from benchmarks.registry import protocols
from benchmarks.scoring.offline import rule_verdicts

ANSWER, DESCRIPTION = "An answer.", "A picture."


def check_boards(app_configs: object, **options: Any) -> list[CheckMessage]:
    return [fault for family in protocols().values() for fault in board_faults(family)]


def board_faults(family: BenchmarkProtocol) -> Iterator[CheckMessage]:
    """Whatever the board promises and nobody computes."""
    board, known = family.board.BOARD, family.board.METRICS
    orders = {measure.order for measure in board.measures}
    for name in sorted({board.ranking, *orders} - known.keys()):
        yield Error(
            f"The board of {family.slug} is ordered by {name!r}, which is none of its metrics.",
            hint="Name one of board.METRICS in Board.ranking and in Measure.order.",
            id="benchmarks.E001",
        )
    printed = {name for row in board.published for name in row.values}
    for name in sorted(printed - known.keys()):
        yield Error(
            f"A published row of {family.slug} has the figure {name!r}, which is none of its "
            "metrics.",
            hint="It is in no column. Name one of board.METRICS.",
            id="benchmarks.E005",
        )
    questions = bundled_questions(family)
    yield from subtask_faults(family, questions)
    yield from measure_faults(family)
    try:
        tried = specimens(family, questions)
        found, anchored = contributions_of(family, tried), anchored_names(family, tried)
    except (
        Exception
    ) as error:  # whatever a scorer raises: the site may start, and its operator is told
        yield untried(family, error)
        return
    yield from derived_faults(family, found)
    yield from metric_faults(family, {*found.names, *found.derived, *anchored}, printed)


# --- what there is to score -----------------------------------------------------------------------


def bundled_questions(family: BenchmarkProtocol) -> list[QuestionView]:
    """Of the releases that ship with the protocol."""
    found: list[QuestionView] = []
    for release in family.bundled:
        with release.dataset.open("rb") as stream:
            found += [
                row.view() for row in family.dataset.read(stream) if isinstance(row, QuestionRow)
            ]
    return found


def specimens(family: BenchmarkProtocol, questions: list[QuestionView]) -> list[QuestionView]:
    """These questions, and for each subtask that has none the first of them, or an empty one, as if
    it were of it."""
    first = questions[0] if questions else QuestionView("", "", "", "", "", "", {}, {})
    asked = {question.subtask for question in questions}
    others = (
        replace(
            first,
            public_id=f"a question of {subtask.slug}",
            ability=ability.slug,
            subtask=subtask.slug,
            group=f"a question of {subtask.slug}",
        )
        for ability in family.dataset.TAXONOMY
        for subtask in ability.subtasks
        if subtask.slug not in asked
    )
    return [*questions, *others]


def contributions_of(family: BenchmarkProtocol, questions: list[QuestionView]) -> Contributions:
    """What the scorer makes of these questions when the rules and people have said all they can."""
    verdicts = {**judged(family, questions), **compared(family, questions)}
    answers = [ANSWER] * len(questions)
    return family.contributions(questions, answers, verdicts, rated(family, questions))


def anchored_names(family: BenchmarkProtocol, questions: list[QuestionView]) -> set[str]:
    """Of all figures that may be made where people label answers of these questions."""
    verdicts = {**judged(family, questions), **compared(family, questions)}
    answers = [ANSWER] * len(questions)
    return names_of(family.anchors(questions, answers, verdicts, rated(family, questions)))


def judged(family: BenchmarkProtocol, questions: list[QuestionView]) -> Verdicts:
    """What the offline rules say of the same answer to every question."""
    rules, count = family.rules(), len(questions)
    assert rules is not None, "the usual ones"
    same = [ANSWER] * count
    return rule_verdicts(family, rules, questions, same, same, [DESCRIPTION] * count)


def rated(family: BenchmarkProtocol, questions: list[QuestionView]) -> Ratings:
    """What people say, the highest of everything they are asked."""
    columns: dict[str, list[tuple[int, ...]]] = {}
    for place, question in enumerate(questions):
        for dimension in family.panel.dimensions(question) if family.panel else ():
            column = columns.setdefault(dimension.slug, [()] * len(questions))
            column[place] = (dimension.high,)
    return columns


def compared(
    family: BenchmarkProtocol, questions: list[QuestionView]
) -> Mapping[str, list[str | None]]:
    if family.comparing is None:
        return {}
    count = len(questions)
    columns = family.comparing(questions, [ANSWER] * count, [DESCRIPTION] * count, [ANSWER] * count)
    return {name: list(column) for name, column in columns.items()}


# --- what is wrong --------------------------------------------------------------------------------


def subtask_faults(
    family: BenchmarkProtocol, questions: list[QuestionView]
) -> Iterator[CheckMessage]:
    known = {
        (ability.slug, subtask.slug)
        for ability in family.dataset.TAXONOMY
        for subtask in ability.subtasks
    }
    asked = {(question.ability, question.subtask): question.public_id for question in questions}
    for (ability, subtask), example in sorted(asked.items()):
        if (ability, subtask) not in known:
            yield Error(
                f"A question of {family.slug}, {example}, is of the subtask {subtask!r} of "
                f"{ability!r}, which its taxonomy does not have.",
                hint="Name it in dataset.TAXONOMY.",
                id="benchmarks.E004",
            )


def measure_faults(family: BenchmarkProtocol) -> Iterator[CheckMessage]:
    """A table or chart of a measure that the board does not have is never shown."""
    board = family.board.BOARD
    known = {"", *(measure.slug for measure in board.measures)}
    shown = {table.measure for table in board.tables} | {chart.measure for chart in board.charts}
    for measure in sorted(shown - known):
        yield Error(
            f"The board of {family.slug} shows a table or chart by {measure!r}, which is none of "
            "its measures.",
            hint="Name one of Board.measures.",
            id="benchmarks.E007",
        )


def derived_faults(family: BenchmarkProtocol, found: Contributions) -> Iterator[CheckMessage]:
    for name, derived in sorted(found.derived.items()):
        for part in sorted({*derived.parts, *derived.counted} - {*found.names}):
            yield Error(
                f"The scorer of {family.slug} makes {name!r} of {part!r}, which it never makes.",
                hint="Name metrics of Contributions.names in Derived.parts and Derived.counted.",
                id="benchmarks.E008",
            )


def metric_faults(
    family: BenchmarkProtocol, made: set[str], printed: set[str]
) -> Iterator[CheckMessage]:
    """`printed` are the names of published figures."""
    board = family.board.BOARD
    beside = {neighbour.metric.name for neighbour in board.beside if is_kept(neighbour)}
    for name, place in sorted(read_metrics(family).items()):
        if name not in made | beside:
            yield Error(
                f"The board of {family.slug} reads {name!r} {place}, which its scorer never makes"
                f"{scope_remark(family, name)}.",
                hint="Name a metric that scoring.contributions returns.",
                id="benchmarks.E002",
            )
    for metric in board.metrics():
        if metric.name not in made | beside | printed:
            yield Error(
                f"Nobody fills the column {metric.name!r} of {family.slug}: its scorer never "
                f"makes it{scope_remark(family, metric.name)}, and no published row has it.",
                hint="Name a metric that scoring.contributions returns.",
                id="benchmarks.E003",
            )


def read_metrics(family: BenchmarkProtocol) -> dict[str, str]:
    """Where a board reads a metric outside its columns, by name. What it is ordered by only if that
    is a metric."""
    board = family.board.BOARD
    orders = {board.ranking, *(measure.order for measure in board.measures)}
    drawn = (metric for chart in board.charts for group in chart.groups for metric in group.metrics)
    return {
        **{metric.name: "in a chart" for metric in drawn},
        **{
            name: "in a bar"
            for table in board.tables
            for bar in table.bars
            for name, _ in bar.parts
        },
        **{m.name: "on its judge's card" for m in (*board.agreement, *board.reliability)},
        **dict.fromkeys(orders & family.board.METRICS.keys(), "to order its entries"),
    }


def is_kept(neighbour: Beside) -> bool:
    """Whether the other benchmark has that metric, as far as this site runs it."""
    family = protocols().get(neighbour.benchmark)
    return family is None or neighbour.metric.name in family.board.METRICS


def scope_remark(family: BenchmarkProtocol, name: str) -> str:
    """Metrics of an ability or a subtask are named "metric@scope" where there are any."""
    _, at, scope = name.partition("@")
    taxonomy = family.dataset.TAXONOMY
    scopes = {ability.slug for ability in taxonomy}
    scopes |= {subtask.slug for ability in taxonomy for subtask in ability.subtasks}
    return f" ({scope!r} is no ability or subtask)" if at and scope not in scopes else ""


def untried(family: BenchmarkProtocol, error: Exception) -> CheckMessage:
    what = f"The scorer of {family.slug} cannot be tried: {type(error).__name__}: {error}"
    if family.bundled:
        return Error(what, hint="It fails on its own bundled questions.", id="benchmarks.E006")
    return Warning(
        f"{what}. Whether it makes the metrics of its board is not known.",
        hint="Ship a small release (BenchmarkProtocol.bundled), so that its scorer can be tried.",
        id="benchmarks.W001",
    )
