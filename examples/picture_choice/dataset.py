"""The questions of the example: a JSON list of objects, each with its options and the letter of the
right one."""

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
from benchmarks.protocols.files import Form, Record, read_records, visible
from benchmarks.protocols.long_lists import limited

TAXONOMY = (
    AbilityEntry(
        "scenes",
        "Scenes",
        (
            SubtaskEntry("shapes", "Counting shapes"),
            SubtaskEntry("colours", "Colours"),
            SubtaskEntry("sides", "Where things are"),
        ),
    ),
    AbilityEntry(
        "signs-and-charts",
        "Signs and charts",
        (
            SubtaskEntry("bars", "Bar charts"),
            SubtaskEntry("clocks", "Clocks"),
            SubtaskEntry("signs", "Signs"),
        ),
    ),
)
ABILITY_OF = {subtask.slug: ability.slug for ability in TAXONOMY for subtask in ability.subtasks}

LETTERS = "ABCDEFGH"
MOST_QUESTIONS = 100_000  # ten times the largest benchmark of this kind: what reading may cost
_FORM = Form(required=("id", "topic", "question", "options", "answer", "picture"))


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
    fields, options = record.fields, record.fields.get("options", ["?", "!"])
    for name in ("id", "topic", "question", "answer", "picture"):
        if not isinstance(fields.get(name, "?"), str) or not fields.get(name, "?"):
            yield record.problem("type", f'The field "{name}" is no text.', name, "text")
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        yield record.problem("options", "The options are no list of texts.", "options")
    elif not 2 <= len(options) <= len(LETTERS):
        found = str(len(options))
        yield record.problem("options", "There are 2 to 8 options.", "options", "2 to 8", found)
    elif str(fields.get("answer", "A")) not in tuple(LETTERS[: len(options)]):
        found = visible(str(fields["answer"]))
        message = "The answer is the letter of no option."
        yield record.problem("answer", message, "answer", LETTERS[: len(options)], found)


def _question(record: Record) -> QuestionRow:
    fields, options = record.fields, record.fields["options"]
    assert isinstance(options, list), "checked before"
    topic, letter, picture = (str(fields[name]) for name in ("topic", "answer", "picture"))
    choices = (f"{name}. {text}" for name, text in zip(LETTERS, options, strict=False))
    return QuestionRow(
        public_id=str(fields["id"]),
        ability=ABILITY_OF.get(topic, ""),
        subtask=topic,
        figure=picture,
        group=picture,  # questions about one picture are right or wrong together
        text="\n".join([str(fields["question"]), *choices]),
        reference=f"{letter}. {options[LETTERS.index(letter)]}",
        images=(ImageSource(picture),),
        facts={"options": options},
        truth={"letter": letter},
        line=record.line,
        record=record.place,
    )
