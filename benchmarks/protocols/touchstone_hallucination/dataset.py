"""The pictures of a TouchStone file, each asked once for a description.

The file is that of TouchStone, in either layout. A picture is named after the first question that
is asked of it, and keeps the description people wrote of it. The paper asked "various prompts" that
it does not print; this one is ours.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from benchmarks.protocols.base import AbilityEntry, Anomaly, DatasetItem, QuestionRow, SubtaskEntry
from benchmarks.protocols.touchstone import dataset as touchstone

INSTRUCTION = (
    "Describe this picture in detail: what is to be seen, where it is, what it looks like and "
    "what is happening. Write only what you can see."
)
SUBTASK = "description/whole-picture"
TAXONOMY: tuple[AbilityEntry, ...] = (
    AbilityEntry("description", "Description", (SubtaskEntry(SUBTASK, "Whole picture"),)),
)


def read(stream: BinaryIO) -> Iterator[DatasetItem]:
    """One question per picture in file order. Problems are those of the TouchStone file; of its
    anomalies only those that concern descriptions, told on the question kept."""
    kept: dict[str, str] = {}
    figure = ""
    for item in touchstone.read(stream):
        if isinstance(item, QuestionRow):
            figure = item.figure
            if figure not in kept:
                kept[figure] = item.public_id
                yield _description_question(item)
        elif not isinstance(item, Anomaly):
            yield item
        elif item.code == touchstone.OTHER_DESCRIPTION:
            yield Anomaly(
                kept[figure],
                item.code,
                f"Question {item.question} describes this picture otherwise.",
                is_public=True,
            )


def _description_question(row: QuestionRow) -> QuestionRow:
    return replace(
        row,
        ability=TAXONOMY[0].slug,
        subtask=SUBTASK,
        text=INSTRUCTION,
        reference="",
        facts={},
    )
