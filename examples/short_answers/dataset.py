"""The questions: a JSON list of objects with id, topic, question, answer and perhaps a picture."""

from collections.abc import Iterator
from typing import BinaryIO

from benchmarks.protocols.base import (
    AbilityEntry,
    DatasetItem,
    ImageSource,
    Problem,
    QuestionRow,
    SubtaskEntry,
    Upload,
)
from benchmarks.protocols.files import Form, Record, read_records
from benchmarks.protocols.long_lists import limited

TAXONOMY = (
    AbilityEntry(
        "knowledge",
        "Knowledge",
        (SubtaskEntry("numbers", "Numbers"), SubtaskEntry("words", "Words")),
    ),
)
ABILITY_OF = {subtask.slug: ability.slug for ability in TAXONOMY for subtask in ability.subtasks}

MOST_QUESTIONS = 100_000  # what reading a file may cost
_TEXTS = ("id", "topic", "question", "answer")
_FORM = Form(required=_TEXTS, optional=("picture",))


def read(stream: BinaryIO) -> Iterator[DatasetItem]:
    """The questions in file order; of a faulty file the problems instead."""
    records = read_records(Upload("questions.json", stream.read()), (_FORM,), MOST_QUESTIONS)
    found = [problem for record in records.records for problem in _problems(record)]
    if problems := [*records.problems, *found]:
        yield from limited(problems)
        return
    for record in records.records:
        yield _question(record)


def _problems(record: Record) -> Iterator[Problem]:
    for name in (*_TEXTS, "picture"):
        value = record.fields.get(name, "?")
        if not isinstance(value, str) or not value.strip():
            yield record.problem("type", f'The field "{name}" is no text.', name, "text")


def _question(record: Record) -> QuestionRow:
    id_, topic, question, answer = (str(record.fields[name]) for name in _TEXTS)
    picture = str(record.fields.get("picture", ""))
    return QuestionRow(
        public_id=id_,
        ability=ABILITY_OF.get(topic, ""),
        subtask=topic,
        figure=picture,
        group=picture or id_,  # questions about one picture are right or wrong together
        text=question,
        reference=answer,
        images=(ImageSource(picture),) if picture else (),
        line=record.line,
        record=record.place,
    )
