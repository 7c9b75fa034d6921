"""The port of `dataset.py`: an official file becomes questions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol

from benchmarks.protocols.base.problems import Anomaly, Note, Problem

Json = str | int | float | bool | None | Sequence["Json"]
"""What JSON gives back as it was: lists are lists, not tuples."""
Facts = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class SubtaskEntry:
    """`questions`: how many the official release has of it, 0 where that is not told."""

    slug: str
    title: str
    questions: int = 0


@dataclass(frozen=True, slots=True)
class AbilityEntry:
    slug: str
    title: str
    subtasks: tuple[SubtaskEntry, ...]


@dataclass(frozen=True, slots=True)
class ImageSource:
    """A picture of a figure: bytes from inside the dataset file, or `None` and a path below the
    images folder."""

    name: str
    content: bytes | None = None


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question as a dataset file gives it.

    `facts` are public and belong to the protocol; `truth` is what the judge and the scorer may know
    and nobody else (ground-truth labels). `group` names the unit of resampling. `line` and `record`
    are its place in the file, as a problem has it; None and empty where the protocol does not tell.
    """

    public_id: str
    ability: str
    subtask: str
    figure: str
    group: str
    text: str
    reference: str
    images: tuple[ImageSource, ...] = ()
    description: str = ""
    facts: Facts = field(default_factory=dict)
    truth: Facts = field(default_factory=dict)
    line: int | None = None
    record: str = ""

    def view(self) -> "QuestionView":
        """The question as it will be seen once it is stored."""
        return QuestionView(
            public_id=self.public_id,
            ability=self.ability,
            subtask=self.subtask,
            figure=self.figure,
            group=self.group,
            text=self.text,
            facts=self.facts,
            truth=self.truth,
        )


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A stored question as protocols see it: a `QuestionRow` without files, reference and
    description."""

    public_id: str
    ability: str
    subtask: str
    figure: str
    group: str
    text: str
    facts: Facts
    truth: Facts


@dataclass(frozen=True, slots=True)
class NewSubtask:
    """A subtask that the taxonomy does not have, given before its first question. Its ability may
    be new as well."""

    ability: str
    ability_title: str
    slug: str
    title: str


@dataclass(frozen=True, slots=True)
class Gap:
    """A text that the next question lacks, and that people may write while its release is a draft.
    `problem` is what is wrong with the file where its release is to be open at once."""

    problem: Problem


DatasetItem = QuestionRow | NewSubtask | Anomaly | Note | Gap | Problem


class DatasetPort(Protocol):
    @property
    def TAXONOMY(self) -> tuple[AbilityEntry, ...]: ...

    def read(self, stream: BinaryIO) -> Iterator[DatasetItem]:
        """The questions of an official file in file order, with its anomalies; a `Problem` means:
        import nothing. A `Note` is what whoever imports the file should know of all of it."""


@dataclass(frozen=True, slots=True)
class DatasetPart:
    """A part of the official file that others score by itself, and that can be a release. `read` is
    as that of DatasetPort, `title` is said of the release."""

    title: str
    read: Callable[[BinaryIO], Iterator[DatasetItem]]
