from collections.abc import Iterator
from typing import BinaryIO

from benchmarks.protocols.base import (
    AbilityEntry,
    DatasetItem,
    ImageSource,
    Problem,
    QuestionRow,
    SubtaskEntry,
)

TAXONOMY = (
    AbilityEntry(
        "words", "Words", (SubtaskEntry("words/short", "Short"), SubtaskEntry("words/long", "Long"))
    ),
)


def read(stream: BinaryIO) -> Iterator[DatasetItem]:
    try:
        lines = stream.read().decode().splitlines()
    except UnicodeDecodeError:
        yield Problem("encoding", "The file is not UTF-8 text.")
        return
    for number, line in enumerate(lines, start=1):
        parts = line.split("|")
        if len(parts) not in (3, 4):
            yield Problem(
                "shape", "A line is id|word|spelling, and |picture where it has one.", line=number
            )
            continue
        public_id, word, spelling, picture = [*parts, ""][:4]
        yield QuestionRow(
            public_id=public_id,
            ability="words",
            subtask="words/long" if len(word) > 4 else "words/short",
            figure=picture,
            group=public_id,
            text=f"Spell {word}.",
            reference=spelling,
            images=(ImageSource(picture),) if picture else (),
            truth={"spelling": spelling},
        )
