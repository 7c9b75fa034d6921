"""What a draft lacks before it can be opened: texts that its judge would read, and that nobody has
written or approved."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from benchmarks.models import Description, Question, Reference, Release
from benchmarks.protocols.base import TextKind
from benchmarks.selectors import protocol_of, question_view

LISTED = 50
"""Texts that a page names; the worklist has all of them."""


@dataclass(frozen=True, slots=True)
class Lacking:
    """`count`: texts of this kind; `first`: at most LISTED questions, each of another text."""

    kind: TextKind
    count: int
    first: tuple[Question, ...]

    @property
    def what(self) -> str:
        """ "1 description", "1,129 references"."""
        return f"{self.count:,} {self.kind}{'' if self.count == 1 else 's'}"


def lacking_texts(release: Release) -> tuple[Lacking, ...]:
    """By kind, what a judge of this release would read as an empty text; empty where nothing is
    lacking. A figure that several questions ask about counts once."""
    read = protocol_of(release).texts_judged()
    found = []
    if "description" in read:
        found.append(counted("description", once_per_figure(without_description(release))))
    if "reference" in read:
        found.append(counted("reference", without_reference(release)))
    return tuple(one for one in found if one.count)


def counted(kind: TextKind, questions: Iterator[Question]) -> Lacking:
    count, first = 0, []
    for question in questions:
        count += 1
        if count <= LISTED:
            first.append(question)
    return Lacking(kind, count, tuple(first))


def without_description(release: Release) -> "QuerySet[Question]":
    approved = Description.objects.filter(
        figure=OuterRef("figure"), language=release.language, state=Description.State.APPROVED
    ).exclude(text="")
    questions = Question.objects.of_release(release).exclude(figure=None)
    return questions.filter(~Exists(approved))


def without_reference(release: Release) -> Iterator[Question]:
    """Those that a judge is asked about: plans that people rate have no slots. The newest version
    is judged against, and none is ever emptied."""
    written = Reference.objects.filter(question=OuterRef("pk")).exclude(text="")
    slots = protocol_of(release).judging.slots
    for question in Question.objects.of_release(release).filter(~Exists(written)).iterator():
        if slots(question_view(question), 1):
            yield question


def once_per_figure(questions: "QuerySet[Question]") -> Iterator[Question]:
    seen: set[int | None] = set()
    for question in questions.iterator():
        if question.figure_id not in seen:
            seen.add(question.figure_id)
            yield question
