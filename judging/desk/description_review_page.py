"""What the review of a version shows, as values."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import QuerySet

from benchmarks.forms.diff import word_count
from benchmarks.forms.typed_text import plain_text
from benchmarks.forms.unsaved import unsaved_text
from benchmarks.models import Description, Figure, Question
from benchmarks.services.descriptions import is_own, older_in_work
from benchmarks.services.twins import Twin, twins_of
from judging.desk.description_page import (
    QUESTIONS_SHOWN,
    Comparison,
    Picture,
    closed_sentence,
    comparisons,
    pictures_of,
)
from judging.desk.staleness import BlastRadius, blast_radius

State = Description.State
COMMENTS_SHOWN = 20  # a review is about the last ones; the history of the figure has all


@dataclass(frozen=True, slots=True)
class TwinEffect:
    """What approving does to a figure of another benchmark that shows the same pictures."""

    twin: Twin
    radius: BlastRadius


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """`comparisons`: to the approved text and to the one sent back last, where there are such.
    `comments`: older versions with what reviewers said of them, the newest first, not all.
    `radius` is None where the visitor decides nothing. `closes`: older versions in work, which
    approving closes.
    `unsaved`: the visitor typed another text on the form of the figure and has not saved it."""

    description: Description
    words: int
    pictures: tuple[Picture, ...]
    comparisons: tuple[Comparison, ...]
    comments: tuple[Description, ...]
    questions: tuple[Question, ...]
    radius: BlastRadius | None
    closes: tuple[Description, ...]
    twins: tuple[TwinEffect, ...]
    may_withdraw: bool
    is_writer: bool
    unsaved: bool
    closed: str

    @property
    def is_waiting(self) -> bool:
        return self.description.state == State.IN_REVIEW

    @property
    def may_decide(self) -> bool:
        return self.is_waiting and not self.is_writer and not self.closed


def version_review_page(*, description: Description, user: User, form_path: str) -> ReviewPage:
    """`form_path` is the address of the form on which the figure is written about."""
    figure, language = description.figure, description.language
    versions = Description.objects.filter(figure=figure, language=language)
    older = (
        versions.filter(version__lt=description.version)
        .select_related("author", "reviewed_by")
        .order_by("-version")
    )
    decided = [older.filter(state=state).first() for state in (State.APPROVED, State.SENT_BACK)]
    questions = (
        Question.objects.filter(figure=figure)
        .select_related("subtask__ability")
        .order_by("public_id")
    )
    is_writer = is_own(user, description)
    closed = closed_sentence(figure, language)
    decides = description.state == State.IN_REVIEW and not is_writer and not closed
    return ReviewPage(
        description=description,
        words=word_count(description.text),
        pictures=pictures_of(figure),
        comparisons=comparisons(description, [one for one in decided if one is not None]),
        comments=tuple(older.exclude(review_comment="")[:COMMENTS_SHOWN]),
        questions=tuple(questions[:QUESTIONS_SHOWN]),
        radius=blast_radius(description=description) if decides else None,
        twins=twin_effects(description) if decides else (),
        closes=tuple(older_in_work(description).select_related("author")) if decides else (),
        may_withdraw=description.state == State.IN_REVIEW
        and user.pk in (description.author_id, description.submitted_by_id),
        is_writer=is_writer,
        unsaved=has_unsaved_text(user, form_path, versions),
        closed=closed,
    )


def twin_effects(description: Description) -> tuple[TwinEffect, ...]:
    """Of those that are judged by other words."""
    twins = [
        twin
        for twin in twins_of(figure=description.figure, language=description.language)
        if twin.approved is None or twin.approved.text != description.text
    ]
    figures = Figure.objects.in_bulk([twin.name.figure for twin in twins]) if twins else {}
    return tuple(
        TwinEffect(twin, blast_radius(description=description, twin=figures[twin.name.figure]))
        for twin in twins
    )


def has_unsaved_text(user: User, path: str, versions: "QuerySet[Description]") -> bool:
    """Whether the person typed a text on this form that is no version yet."""
    kept = unsaved_text(user=user, path=path)
    fields: Mapping[str, str] = kept.fields if kept else {}
    text = plain_text(fields.get("text", ""))
    return bool(text) and not versions.filter(text=text).exists()
