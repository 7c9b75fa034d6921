"""The contract finds faults: those that people who began a benchmark by copying another have
made."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, BinaryIO

import pytest

from benchmarks.protocols.base import (
    Baseline,
    BenchmarkProtocol,
    Contributions,
    DatasetItem,
    JudgeCase,
    Message,
    PlainVerdict,
    PredictionReading,
    QuestionRow,
    QuestionView,
    Slot,
    Upload,
)
from benchmarks.registry import protocol
from examples.picture_choice import PROTOCOL as EXAMPLE
from tests.each_case import each_case
from tests.protocols import contract

SUITE = protocol("tiny_lvlm_ehub")


def changed(family: BenchmarkProtocol, room: str, **functions: Any) -> BenchmarkProtocol:
    made: dict[str, Any] = {room: SimpleNamespace(**{**vars(getattr(family, room)), **functions})}
    return replace(family, **made)


def repeated_groups(questions: Sequence[QuestionView], *said: Any) -> Contributions:
    """A row for every question, as if none shared a group."""
    made = EXAMPLE.scoring.contributions(
        [replace(question, group=question.public_id) for question in questions], *said
    )
    names = {question.public_id: question.group for question in questions}
    return replace(made, groups=tuple(names[name] for name in made.groups))


def mistyped_column(
    questions: Sequence[QuestionView], answers: Sequence[str], verdicts: Mapping[str, Any]
) -> Contributions:
    found = {key.replace("choice", "choise"): column for key, column in verdicts.items()}
    return EXAMPLE.scoring.contributions(questions, answers, found)


def first_come(
    questions: Sequence[QuestionView], answers: Sequence[str], verdicts: Mapping[str, Any]
) -> Contributions:
    """Groups are told apart by their place."""
    named = [replace(q, group=f"{place // 4}") for place, q in enumerate(questions)]
    made = EXAMPLE.scoring.contributions(named, answers, verdicts)
    return replace(made, numerator=made.numerator * (1 + 0 * made.numerator).cumsum(axis=1))


def in_percent(questions: Sequence[QuestionView], *said: Any) -> Contributions:
    made = EXAMPLE.scoring.contributions(questions, *said)
    return replace(made, numerator=100 * made.numerator)


def deaf(*given: Any) -> Contributions:
    """What people say is passed over."""
    return SUITE.scoring.contributions(*given[:3])


def decoded(stream: BinaryIO) -> Iterator[DatasetItem]:
    stream.read().decode()
    stream.seek(0)
    yield from EXAMPLE.dataset.read(stream)


def tuples(stream: BinaryIO) -> Iterator[DatasetItem]:
    for item in EXAMPLE.dataset.read(stream):
        if isinstance(item, QuestionRow):
            yield replace(item, facts={"options": ("2", "3")})


def of_no_subtask(stream: BinaryIO) -> Iterator[DatasetItem]:
    for item in EXAMPLE.dataset.read(stream):
        yield replace(item, subtask="shape") if isinstance(item, QuestionRow) else item


def what_is_there(upload: Upload, questions: Sequence[QuestionView]) -> PredictionReading:
    """Missing answers are nobody's business."""
    reading = EXAMPLE.predictions.read(upload, questions)
    return replace(reading, problems=tuple(p for p in reading.problems if p.code != "missing"))


def backwards(upload: Upload, most_rows: int) -> tuple[str, ...]:
    return EXAMPLE.predictions.named_ids(upload, most_rows)[::-1]


def undrawn(*given: Any) -> tuple[Baseline, ...]:
    made = EXAMPLE.predictions.baselines(*given)
    return (*made[:-1], replace(made[-1], answers={"1": "A"}))


def pasted(case: JudgeCase, prompts: Mapping[str, str], delimiter: str) -> tuple[Message, ...]:
    return (Message("user", f"{delimiter}\n{case.answer}\n{delimiter}"),)


def kind(case: JudgeCase) -> PlainVerdict | None:
    return PlainVerdict("1", "Nothing was said.") if not case.answer.strip() else None


def whatever(slot: Slot, reply: str, parser: str, version: str = "1") -> str:
    return reply[-1:] or "A"


FAULTS: tuple[tuple[str, BenchmarkProtocol, Callable[[BenchmarkProtocol], None]], ...] = (
    (
        "resampling groups repeated",
        changed(EXAMPLE, "scoring", contributions=repeated_groups),
        contract.groups_stand_once,
    ),
    (
        "a column of a mistyped name",
        changed(EXAMPLE, "scoring", contributions=mistyped_column),
        contract.what_is_judged_is_counted,
    ),
    (
        "an order that counts",
        changed(EXAMPLE, "scoring", contributions=first_come),
        contract.the_order_of_questions_changes_nothing,
    ),
    (
        "a share in percent",
        changed(EXAMPLE, "scoring", contributions=in_percent),
        contract.metrics_are_in_bounds,
    ),
    (
        "people who are not heard",
        changed(SUITE, "scoring", contributions=deaf),
        contract.what_people_say_is_scored,
    ),
    (
        "a crash on a file that is not UTF-8",
        changed(EXAMPLE, "dataset", read=decoded),
        contract.a_faulty_dataset_is_refused_with_sentences,
    ),
    ("facts of tuples", changed(EXAMPLE, "dataset", read=tuples), contract.questions_are_whole),
    (
        "a subtask that nobody has",
        changed(EXAMPLE, "dataset", read=of_no_subtask),
        contract.the_board_names_what_is_made,
    ),
    (
        "missing answers taken",
        changed(EXAMPLE, "predictions", read=what_is_there),
        contract.a_faulty_answer_file_is_refused_with_sentences,
    ),
    (
        "ids in another order",
        changed(EXAMPLE, "predictions", named_ids=backwards),
        contract.the_ids_of_a_file_are_named,
    ),
    (
        "baselines of some questions",
        changed(EXAMPLE, "predictions", baselines=undrawn),
        contract.baselines_answer_every_question_and_are_drawn_alike,
    ),
    (
        "an answer that forges the delimiter",
        changed(SUITE, "judging", messages=pasted),
        contract.no_text_forges_the_delimiter,
    ),
    (
        "a point for saying nothing",
        changed(SUITE, "judging", plain_verdict=kind),
        contract.saying_nothing_gets_the_floor,
    ),
    (
        "a parser that reads everything",
        changed(EXAMPLE, "judging", parse=whatever),
        contract.unreadable_replies_are_said_to_be_so,
    ),
)


@each_case("family, clause", [(*fault,) for name, *fault in FAULTS])
def test_a_fault_is_found(family, clause):
    with pytest.raises((AssertionError, UnicodeDecodeError, pytest.fail.Exception)):
        clause(family)
