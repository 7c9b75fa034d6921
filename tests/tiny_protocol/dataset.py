from collections.abc import Iterator
from typing import BinaryIO

from benchmarks.protocols.base import AbilityEntry, DatasetItem, Problem, QuestionRow, SubtaskEntry

TAXONOMY = (AbilityEntry("words", "Words", (SubtaskEntry("words/short", "Short"), SubtaskEntry("words/long", "Long"))),)


def read(stream: BinaryIO) -> Iterator[DatasetItem]:
    for number, line in enumerate(stream.read().decode().splitlines(), start=1):
        parts = line.split("|")
        if len(parts) != 3:
            yield Problem("shape", "A line is id|word|spelling.", line=number)
            continue
        public_id, word, spelling = parts
        yield QuestionRow(
            public_id=public_id,
            ability="words",
            subtask="words/long" if len(word) > 4 else "words/short",
            figure="",
            group=public_id,
            text=f"Spell {word}.",
            reference=spelling,
            truth={"spelling": spelling},
        )
