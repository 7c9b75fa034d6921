"""Writing descriptions: every save is a new version. Steps of one figure are taken one after the
other.

draft → in review → approved, or sent back with a comment. Its writer may take a version out of
review again. Approving closes the older versions that were still in work: they are superseded. A
text is never changed in place, so nobody's words are lost.
"""

from collections.abc import Set

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from benchmarks.figures.names import name_of
from benchmarks.figures.worklist import newest_description
from benchmarks.forms.diff import same_words, word_count
from benchmarks.forms.typed_text import plain_text
from benchmarks.models import Description, Figure, Release
from benchmarks.services.proposals import ProposalError, Review
from benchmarks.services.twins import Twin, copy_to, twins_of, wrote_of_twins

State = Description.State


class EditConflictError(ProposalError):
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


def save_draft(
    *, figure: Figure, language: str, text: str, author: User, base_version: int
) -> Description:
    """A new draft has the text. `base_version` is the version its author started from, 0 where
    there was none.

    Raises EditConflictError where that is not the newest any more (the unique version number
    decides every race), and other kinds of ProposalError.
    """
    check_open(figure, language)
    newest = newest_description(figure, language)
    if (newest.version if newest else 0) != base_version:
        raise EditConflictError(newest, base_version)
    text = plain_text(text)
    check_changed(figure, language, text, base_version + 1)
    try:
        with transaction.atomic():
            return Description.objects.create(
                figure=figure,
                language=language,
                version=base_version + 1,
                text=text,
                author=author,
                words=word_count(text),
            )
    except IntegrityError as error:
        raise EditConflictError(newest_description(figure, language), base_version) from error


def check_changed(figure: Figure, language: str, text: str, version: int) -> None:
    """Raises ProposalError where, before this version, the same words were approved last, or
    were sent back since."""
    decided = Description.objects.filter(
        figure=figure,
        language=language,
        version__lt=version,
        state__in=(State.APPROVED, State.SENT_BACK),
    ).order_by("-version")
    for old in decided.iterator(chunk_size=20):
        if old.text == text:
            raise ProposalError(
                f"Nothing is changed: version {old.version} has the same text and is approved."
                if old.state == State.APPROVED
                else f"Nothing is changed: version {old.version} has the same text and was sent "
                "back. Change what its reviewer asked for, and then send it again."
            )
        if old.state == State.APPROVED:
            return


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


def submit_for_review(*, description: Description, by: User | None = None) -> None:
    """The version waits for review. `by`: who submits it; None for its author. Raises
    ProposalError as `save_draft`."""
    check_changed(description.figure, description.language, description.text, description.version)
    DESCRIPTION_REVIEW.move(
        description,
        State.DRAFT,
        state=State.IN_REVIEW,
        submitted_by=by or description.author,
        submitted_at=timezone.now(),
    )


def withdraw(*, description: Description, by: User) -> None:
    """The version waits for review no more and is a draft again, as its author or who submitted it
    wishes. Raises ProposalError for anybody else."""
    if by.pk not in (description.author_id, description.submitted_by_id):
        raise ProposalError("Only its author, or who submitted it, takes it out of review.")
    taken_back = {"state": State.DRAFT, "submitted_by": None, "submitted_at": None}
    DESCRIPTION_REVIEW.move(description, State.IN_REVIEW, **taken_back)


class DescriptionReview(Review[Description]):
    """Approving closes older versions in work, and approves copies for figures of other benchmarks
    that show the same pictures."""

    model = Description

    def lock(self, proposal: Description) -> None:
        lock_figures(proposal.figure_id)

    def name(self, proposal: Description) -> str:
        return f"Version {proposal.version} of {name_of(proposal.figure)}"

    def check_step(self, proposal: Description) -> None:
        """Nor after the approval of a newer version."""
        check_open(proposal.figure, proposal.language)
        newer = proposal.figure.descriptions.filter(
            language=proposal.language, state=State.APPROVED, version__gt=proposal.version
        )
        if newer.exists():
            raise ProposalError(f"{self.name(proposal)} is out of date: a newer one is approved.")

    def why_own(self, user: User, proposal: Description) -> str:
        if wrote(user, proposal):
            return (
                "You cannot approve your own description, nor one that you changed or submitted "
                "since the last approval. Ask another reviewer."
            )
        if wrote_of_twins(user, twins_of_version(proposal), proposal):
            return (
                "You cannot approve this description: since the last approval you wrote about the"
                " same picture in another benchmark, in these or other words. Ask another reviewer."
            )
        return ""

    def before_approval(self, proposal: Description) -> None:
        twins = twins_of_version(proposal)
        lock_figures(proposal.figure_id, *(twin.name.figure for twin in twins))

    def follow(self, proposal: Description) -> str:
        close_older(proposal)
        for twin in twins_of_version(proposal):
            if twin.approved is None or twin.approved.text != proposal.text:
                close_older(copy_to(figure_id=twin.name.figure, source=proposal))
        return f"{self.name(proposal)} is approved: from now on, answers are judged with it."


DESCRIPTION_REVIEW = DescriptionReview()


def lock_figures(*figures: int) -> None:
    """Until the transaction ends, nobody else takes a step of any version of these. What names a
    figure as its own, a new version too, does not wait. Everybody holds them in one order, so that
    no two wait for each other."""
    rows = Figure.objects.select_for_update(no_key=True).order_by("pk")
    list(rows.filter(pk__in=figures).values_list("pk"))


def twins_of_version(description: Description) -> list[Twin]:
    return twins_of(figure=description.figure, language=description.language)


def close_older(description: Description) -> None:
    older_in_work(description).update(state=State.SUPERSEDED, superseded_by=description)


def older_in_work(description: Description) -> "QuerySet[Description]":
    """Versions that its approval closes."""
    return Description.objects.filter(
        figure=description.figure_id,
        language=description.language,
        version__lt=description.version,
        state__in=(State.DRAFT, State.IN_REVIEW),
    )


def wrote(user: User, description: Description) -> bool:
    """Whether the words are this person's in any part: who wrote or submitted one of the versions
    since the last approval, of which this one was made, or one with the same words ever. Another
    blank, sign or capital makes no other words.

    What of a version is left in a later one is not measured: a reviewer who changed a comma may
    send back and not approve. Whoever only wants to advise says so in a comment.
    """
    versions = Description.objects.filter(
        figure=description.figure_id, language=description.language
    )
    before = versions.filter(state=State.APPROVED, version__lt=description.version)
    last = before.order_by("-version").values_list("version", flat=True).first() or 0
    since = Q(version__gt=last, version__lte=description.version)
    mine = versions.filter(Q(author=user) | Q(submitted_by=user))
    if mine.filter(since).exists():
        return True
    return any(same_words(old, description.text) for old in mine.values_list("text", flat=True))


def check_open(figure: Figure, language: str) -> None:
    """Raises ProposalError where every release that shows the figure is closed."""
    if reason := why_closed(figure, language):
        raise ProposalError(reason)


def why_closed(figure: Figure, language: str) -> str:
    """Why nobody can write about it any more; empty where they can."""
    shown = Release.objects.filter(questions__figure=figure, language=language)
    return closed_reason(set(shown.order_by().values_list("state", flat=True)))


def closed_reason(states: Set[str]) -> str:
    """Why a figure of releases in these states is written about no more; empty where it is."""
    if not states or not states.isdisjoint(Release.TAKES_TEXTS):
        return ""
    return "Every release with this figure is frozen or retired: its description stays as it is."
