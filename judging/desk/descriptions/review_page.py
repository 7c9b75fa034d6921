"""What the review of a version shows, as values."""

from typing import Any

from django.contrib.auth.models import User

from benchmarks.forms.typed_text import plain_text
from benchmarks.forms.unsaved import unsaved_text
from benchmarks.models import Description, Figure
from benchmarks.services.descriptions import DESCRIPTION_REVIEW, older_in_work, why_closed
from benchmarks.services.twins import twins_of
from judging.desk.descriptions.page import (
    comparisons,
    pictures_of,
    questions_about,
)
from judging.desk.stale.staleness import blast_radius

State = Description.State
COMMENTS_SHOWN = 20  # a review is about the last ones; the history of the figure has all


def review_page(*, description: Description, user: User, form_path: str) -> dict[str, Any]:
    """`form_path` is the address of the form on which the figure is written about.

    `comparisons`: to the approved text and to the one sent back last, where there are such.
    `comments`: older versions with what reviewers said of them, the newest first, not all. Of what
    approving does (`radius`, `closes`: older versions in work, `twins`) only who may decide reads.
    `unsaved`: the visitor typed another text on the form and has not saved it."""
    figure, language = description.figure, description.language
    versions = Description.objects.filter(figure=figure, language=language)
    older = (
        versions.filter(version__lt=description.version)
        .select_related("author", "reviewed_by")
        .order_by("-version")
    )
    decided = [older.filter(state=state).first() for state in (State.APPROVED, State.SENT_BACK)]
    is_writer = bool(DESCRIPTION_REVIEW.why_own(user, description))
    is_waiting = description.state == State.IN_REVIEW
    closed = why_closed(figure, language)
    may_decide = is_waiting and not is_writer and not closed
    kept = unsaved_text(user=user, path=form_path)
    typed = plain_text(kept.fields.get("text", "")) if kept else ""
    return {
        "description": description,
        "pictures": pictures_of(figure),
        "comparisons": comparisons(description, [one for one in decided if one is not None]),
        "comments": older.exclude(review_comment="")[:COMMENTS_SHOWN],
        "questions": questions_about(figure),
        "radius": blast_radius(description=description) if may_decide else None,
        "twins": twin_effects(description) if may_decide else (),
        "closes": older_in_work(description).select_related("author") if may_decide else (),
        "is_waiting": is_waiting,
        "is_writer": is_writer,
        "may_decide": may_decide,
        "may_withdraw": is_waiting
        and user.pk in (description.author_id, description.submitted_by_id),
        "unsaved": bool(typed) and not versions.filter(text=typed).exists(),
        "closed": closed,
    }


def twin_effects(description: Description) -> list[dict[str, Any]]:
    """What approving does to each figure of another benchmark that shows the same pictures and is
    judged by other words."""
    twins = [
        twin
        for twin in twins_of(figure=description.figure, language=description.language)
        if twin.approved is None or twin.approved.text != description.text
    ]
    figures = Figure.objects.in_bulk([twin.name.figure for twin in twins]) if twins else {}
    return [
        {
            "twin": twin,
            "radius": blast_radius(description=description, twin=figures[twin.name.figure]),
        }
        for twin in twins
    ]
