"""Writing descriptions: every save is a new version, and every step of a version is one conditional
update.

draft → in review → approved, or sent back with a comment. A text is never changed in place, so
nobody's words are lost.
"""

from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from benchmarks.forms.typed_text import plain_text
from benchmarks.models import Description, Figure, Release
from benchmarks.worklist import newest_description

State = Description.State


class DescriptionError(Exception):
    """A step that cannot be taken; the message is a sentence for whoever tried."""


class EditConflictError(DescriptionError):
    """Somebody else saved meanwhile. `newest` is their version; what was being saved is still its
    sender's."""

    def __init__(self, newest: Description | None, base_version: int):
        self.newest = newest
        if newest is None:
            super().__init__("This figure has no description yet: there is nothing to start from.")
            return
        who = newest.author or "An import"
        opened = f"version {base_version}" if base_version else "the empty form"
        when = f"{newest.created:%Y-%m-%d at %H:%M} UTC"
        super().__init__(
            f"{who} saved version {newest.version} on {when}, after you had opened {opened}."
        )


class SelfApprovalError(DescriptionError):
    pass


class WrongStateError(DescriptionError):
    pass


class FrozenFigureError(DescriptionError):
    pass


def save_draft(
    *, figure: Figure, language: str, text: str, author: User, base_version: int
) -> Description:
    """A new draft has the text. `base_version` is the version its author started from, 0 where
    there was none.

    Raises EditConflictError where that is not the newest any more; the unique version number
    decides every race.
    """
    check_open(figure, language)
    newest = newest_description(figure, language)
    if (newest.version if newest else 0) != base_version:
        raise EditConflictError(newest, base_version)
    try:
        with transaction.atomic():
            return Description.objects.create(
                figure=figure,
                language=language,
                version=base_version + 1,
                text=plain_text(text),
                author=author,
            )
    except IntegrityError as error:
        raise EditConflictError(newest_description(figure, language), base_version) from error


def restore(*, description: Description, author: User) -> Description:
    """A new draft has the text of this old version."""
    newest = newest_description(description.figure, description.language)
    return save_draft(
        figure=description.figure,
        language=description.language,
        text=description.text,
        author=author,
        base_version=newest.version if newest else 0,
    )


def submit_for_review(*, description: Description) -> None:
    move(description, State.DRAFT, state=State.IN_REVIEW)


def approve(*, description: Description, reviewer: User) -> None:
    """The version is the one judged. Raises SelfApprovalError for its author, and WrongStateError
    after a newer one."""
    if wrote(reviewer, description):
        raise SelfApprovalError("Nobody approves their own description. Ask another reviewer.")
    move(
        description,
        State.IN_REVIEW,
        state=State.APPROVED,
        approved_by=reviewer,
        reviewed_by=reviewer,
        reviewed_at=timezone.now(),
    )


def wrote(user: User, description: Description) -> bool:
    """Whether the words are this person's, also where somebody else restored or submitted them once
    more."""
    if description.author_id == user.pk:
        return True
    same = Description.objects.filter(figure=description.figure_id, text=description.text)
    return same.filter(author=user).exists()


def send_back(*, description: Description, reviewer: User, comment: str) -> None:
    if not comment.strip():
        raise DescriptionError("Say what should change: a description is sent back with a comment.")
    move(
        description,
        State.IN_REVIEW,
        state=State.SENT_BACK,
        review_comment=plain_text(comment),
        reviewed_by=reviewer,
        reviewed_at=timezone.now(),
    )


@transaction.atomic
def move(description: Description, origin: str, **changes: Any) -> None:
    """The version has left the state `origin`, once. Raises WrongStateError where another step came
    first."""
    check_open(description.figure, description.language)
    newer = Description.objects.filter(
        figure=description.figure,
        language=description.language,
        state=State.APPROVED,
        version__gt=OuterRef("version"),
    )
    moved = Description.objects.filter(~Exists(newer), pk=description.pk, state=origin).update(
        **changes
    )
    description.refresh_from_db()
    if not moved and description.state == origin:
        raise WrongStateError(
            f"Version {description.version} is out of date: a newer one is approved."
        )
    if not moved:
        raise WrongStateError(
            f"Version {description.version} is {description.state}, not {origin}."
        )


def check_open(figure: Figure, language: str) -> None:
    """Raises FrozenFigureError where every published release that shows the figure is closed."""
    shown = Release.objects.published().filter(questions__figure=figure, language=language)
    states = set(shown.order_by().values_list("state", flat=True))
    if states and Release.State.OPEN not in states:
        raise FrozenFigureError(
            "Every release with this figure is frozen or retired: its description stays as it is."
        )
