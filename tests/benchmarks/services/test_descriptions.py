"""Descriptions: their states, who may approve, and what happens when two people write at once."""

from functools import partial

import pytest
from django.contrib.auth.models import Group, User
from django.db import IntegrityError, transaction

from benchmarks.models import Description, Figure, Release
from benchmarks.selectors import approved_descriptions
from benchmarks.services.descriptions import (
    DESCRIPTION_REVIEW,
    EditConflictError,
    restore,
    save_draft,
    submit_for_review,
    withdraw,
)
from benchmarks.services.importing import ImportedRelease
from benchmarks.services.proposals import ProposalError
from tests.conftest import freeze_release, make_groups
from tests.judging.threads import at_once

State = Description.State
LINES = b"1|two|two|one.png\n2|colour|colour|one.png\n3|night|night|dark.png\n4|sea|sea\n"


@pytest.fixture
def release(load) -> Release:
    imported: ImportedRelease = load(LINES, slug="spelling-1")
    return imported.release


@pytest.fixture
def figure(release) -> Figure:
    return Figure.objects.get(key="one.png")


def draft(figure: Figure, author: User, text: str = "A cat.", base: int = 0) -> Description:
    return save_draft(figure=figure, language="en", text=text, author=author, base_version=base)


def in_state(figure: Figure, author: User, reviewer: User, state: str) -> Description:
    """A version that came to this state by its steps."""
    description = draft(figure, author)
    if state != State.DRAFT:
        submit_for_review(description=description)
    if state == State.APPROVED:
        DESCRIPTION_REVIEW.approve(proposal=description, reviewer=reviewer)
    if state == State.SENT_BACK:
        DESCRIPTION_REVIEW.send_back(proposal=description, reviewer=reviewer, comment="Which cat?")
    if state == State.SUPERSEDED:
        newer = draft(figure, author, "A red cat.", base=1)
        submit_for_review(description=newer)
        DESCRIPTION_REVIEW.approve(proposal=newer, reviewer=reviewer)
        description.refresh_from_db()
    assert description.state == state
    return description


# --- states ---------------------------------------------------------------------------------------

STEPS = {
    "submit": lambda description, reviewer: submit_for_review(description=description),
    "approve": lambda description, reviewer: DESCRIPTION_REVIEW.approve(
        proposal=description, reviewer=reviewer
    ),
    "send back": lambda description, reviewer: DESCRIPTION_REVIEW.send_back(
        proposal=description, reviewer=reviewer, comment="Why?"
    ),
    "withdraw": lambda description, _: withdraw(description=description, by=description.author),
}
ALLOWED = {
    ("submit", State.DRAFT): State.IN_REVIEW,
    ("approve", State.IN_REVIEW): State.APPROVED,
    ("send back", State.IN_REVIEW): State.SENT_BACK,
    ("withdraw", State.IN_REVIEW): State.DRAFT,
}


@pytest.mark.parametrize("step", STEPS)
def test_each_step_leaves_from_one_state_only(figure, owner, stranger, step):
    for state in State:
        with transaction.atomic():
            description = in_state(figure, owner, stranger, state)
            if (step, state) in ALLOWED:
                STEPS[step](description, stranger)
            else:
                told = "out of date" if state == State.SUPERSEDED else f"{state}, not"
                with pytest.raises(ProposalError, match=f"1 of .* is {told}|Nothing is changed"):
                    STEPS[step](description, stranger)
            description.refresh_from_db()
            assert description.state == ALLOWED.get((step, state), state)
            transaction.set_rollback(True)


def test_what_was_decided_names_its_reviewer_and_comment(figure, owner, stranger):
    description = in_state(figure, owner, stranger, State.IN_REVIEW)
    stale = Description.objects.get(pk=description.pk)
    with pytest.raises(ProposalError, match="comment"):
        DESCRIPTION_REVIEW.send_back(proposal=description, reviewer=stranger, comment=" \n")
    with pytest.raises(IntegrityError), transaction.atomic():
        Description.objects.update(state=State.SENT_BACK)
    DESCRIPTION_REVIEW.send_back(proposal=description, reviewer=stranger, comment="Which cat?")
    assert (description.review_comment, description.reviewed_by) == ("Which cat?", stranger)
    with pytest.raises(ProposalError, match="sent back"):
        DESCRIPTION_REVIEW.approve(proposal=stale, reviewer=stranger)
    better = draft(figure, owner, "A red cat.", base=1)
    submit_for_review(description=better)
    DESCRIPTION_REVIEW.approve(proposal=better, reviewer=stranger)
    assert better.reviewed_by == stranger
    assert better.reviewed_at
    assert approved_descriptions([figure.pk], "en") == {figure.pk: "A red cat."}


def test_an_approval_closes_the_older_versions_in_work_and_says_by_which(figure, owner, stranger):
    """And nothing of another figure; what it closed is not decided any more."""
    of_other = draft(Figure.objects.exclude(pk=figure.pk).get(), owner)
    sent_back = in_state(figure, owner, stranger, State.SENT_BACK)
    left = draft(figure, owner, "A red cat.", base=1)
    waiting = draft(figure, owner, "A blue cat.", base=2)
    submit_for_review(description=waiting)
    stale = Description.objects.get(pk=waiting.pk)
    newest = draft(figure, owner, "A green cat.", base=3)
    submit_for_review(description=newest)
    later = draft(figure, owner, "A grey cat.", base=4)
    DESCRIPTION_REVIEW.approve(proposal=newest, reviewer=stranger)
    for version in (sent_back, left, waiting, later, of_other):
        version.refresh_from_db()
    assert [left.state, waiting.state] == [State.SUPERSEDED] * 2
    assert left.superseded_by == waiting.superseded_by == newest
    assert (sent_back.state, later.state) == (State.SENT_BACK, State.DRAFT)
    assert of_other.state == State.DRAFT
    with pytest.raises(ProposalError, match="a newer one is approved"):
        DESCRIPTION_REVIEW.approve(proposal=stale, reviewer=stranger)
    with pytest.raises(ProposalError, match="a newer one is approved"):
        DESCRIPTION_REVIEW.send_back(proposal=stale, reviewer=stranger, comment="Why?")


# --- whose words ----------------------------------------------------------------------------------


@pytest.fixture
def third(db) -> User:
    return User.objects.create_user("tina", "tina@example.org")


def test_neither_who_wrote_nor_who_submitted_it_approves_it(figure, owner, stranger, third):
    description = draft(figure, owner)
    submit_for_review(description=description, by=stranger)
    for own in (owner, stranger):
        with pytest.raises(ProposalError, match="You cannot approve your own"):
            DESCRIPTION_REVIEW.approve(proposal=description, reviewer=own)
        with pytest.raises(IntegrityError), transaction.atomic():
            Description.objects.update(state=State.APPROVED, reviewed_by=own)
    description.refresh_from_db()
    assert description.state == State.IN_REVIEW
    DESCRIPTION_REVIEW.approve(proposal=description, reviewer=third)
    assert description.submitted_by == stranger


def test_who_wrote_a_version_since_the_last_approval_does_not_approve_the_next(
    figure, owner, stranger, third
):
    draft(figure, stranger, "A cat, almost all of it by me.")
    changed = draft(figure, owner, "A cat, almost all of it by me!", base=1)
    submit_for_review(description=changed)
    with pytest.raises(ProposalError, match="You cannot approve your own"):
        DESCRIPTION_REVIEW.approve(proposal=changed, reviewer=stranger)
    DESCRIPTION_REVIEW.approve(proposal=changed, reviewer=third)
    later = draft(figure, owner, "Another cat.", base=2)
    submit_for_review(description=later)
    DESCRIPTION_REVIEW.approve(
        proposal=later, reviewer=stranger
    )  # nothing of theirs since the last approval


# --- taking it back, and nothing new --------------------------------------------------------------


def test_its_writer_takes_a_version_out_of_review_and_nobody_else(figure, owner, stranger):
    description = in_state(figure, owner, stranger, State.IN_REVIEW)
    with pytest.raises(ProposalError, match="Only its author"):
        withdraw(description=description, by=stranger)
    withdraw(description=description, by=owner)
    assert (description.state, description.submitted_by) == (State.DRAFT, None)
    with pytest.raises(ProposalError, match="not in review"):
        DESCRIPTION_REVIEW.approve(proposal=description, reviewer=stranger)


@pytest.mark.parametrize("state", [State.APPROVED, State.SENT_BACK])
def test_a_text_about_which_was_decided_is_not_saved_or_submitted_again(
    figure, owner, stranger, state
):
    in_state(figure, owner, stranger, state)
    with pytest.raises(ProposalError, match="version 1 has the same text"):
        draft(figure, owner, " A cat.\r\n", base=1)
    forced = Description.objects.create(figure=figure, version=2, text="A cat.", author=owner)
    with pytest.raises(ProposalError, match="Nothing is changed"):
        submit_for_review(description=forced)
    assert draft(figure, owner, "A red cat.", base=2).version == 3


def test_a_text_of_before_the_last_approval_may_be_restored(figure, owner, stranger):
    first = in_state(figure, owner, stranger, State.APPROVED)
    second = draft(figure, owner, "A dog.", base=1)
    submit_for_review(description=second)
    DESCRIPTION_REVIEW.approve(proposal=second, reviewer=stranger)
    assert restore(description=first, author=owner).text == "A cat."


# --- versions -------------------------------------------------------------------------------------


def test_every_save_is_a_new_version_and_two_of_one_base_are_a_conflict(figure, owner, stranger):
    for base in (1, 99):
        with pytest.raises(EditConflictError):
            draft(figure, owner, base=base)
    first = draft(figure, owner, "A cat.\r\nA dog.\r\n")
    theirs = draft(figure, stranger, "A red cat.", base=1)
    told = r"sam saved version 2 on .* UTC, after you had opened version 1"
    with pytest.raises(EditConflictError, match=told) as error:
        draft(figure, owner, "A blue cat.", base=1)
    assert error.value.newest == theirs
    assert restore(description=first, author=stranger).author == stranger
    saved = figure.descriptions.order_by("version").values_list("version", "text", "state")
    assert list(saved) == [
        (1, "A cat.\nA dog.", State.DRAFT),
        (2, "A red cat.", State.DRAFT),
        (3, "A cat.\nA dog.", State.DRAFT),
    ]


def test_simultaneous_saves_have_one_winner_each_round_and_lose_nothing(committed, load):
    release = load(b"1|two|two|one.png\n", slug="spelling-1").release
    figure = Figure.objects.get(questions__releases=release)
    outcomes: dict[str, object] = {}

    def save(author: User) -> None:
        try:
            outcomes[author.username] = draft(figure, author, f"By {author.username}.")
        except EditConflictError as error:
            outcomes[author.username] = error

    authors = [User.objects.create_user(f"author{i}") for i in range(4)]
    at_once(*(partial(save, author) for author in authors))
    (winner,) = [one for one in outcomes.values() if isinstance(one, Description)]
    conflicts = [one for one in outcomes.values() if isinstance(one, EditConflictError)]
    assert [error.newest for error in conflicts] == [winner] * 3
    assert [(d.version, d.text) for d in figure.descriptions.all()] == [(1, f"By {winner.author}.")]


# --- closed releases ------------------------------------------------------------------------------


def test_a_figure_of_frozen_releases_keeps_its_description(load, release, figure, owner, stranger):
    waiting = in_state(figure, owner, stranger, State.IN_REVIEW)
    freeze_release(release=release)
    for attempt in (
        lambda: draft(figure, owner, base=1),
        lambda: restore(description=waiting, author=owner),
        lambda: DESCRIPTION_REVIEW.approve(proposal=waiting, reviewer=stranger),
        lambda: DESCRIPTION_REVIEW.send_back(proposal=waiting, reviewer=stranger, comment="Why?"),
    ):
        with pytest.raises(ProposalError, match="frozen or retired"):
            attempt()
    assert list(figure.descriptions.values_list("state", flat=True)) == [State.IN_REVIEW]
    load(LINES, slug="spelling-2")
    assert draft(figure, owner, "Shown by an open release too.", base=1).version == 2


# --- groups ---------------------------------------------------------------------------------------


def test_the_groups_hold_what_their_members_need_and_no_submission(db):
    make_groups()
    held = {
        group.name: {p.codename for p in group.permissions.all()} for group in Group.objects.all()
    }
    looking = {
        "view_figure",
        "view_figureimage",
        "view_question",
        "view_description",
        "view_reference",
        "view_questionreport",
        "view_labeldoubt",
    }
    assert held["annotators"] == looking | {
        "add_description",
        "change_description",
        "add_reference",
        "add_labelcorrection",
    }
    assert held["reviewers"] == held["annotators"] | {
        "approve_description",
        "assign_figure",
        "change_questionreport",
        "confirm_labelcorrection",
        "rejudge_stale",
    }
