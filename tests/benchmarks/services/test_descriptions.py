"""Descriptions: their states, who may approve, and what happens when two people write at once."""

import threading
from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, User
from django.db import IntegrityError, connection, transaction

from benchmarks.models import Description, Figure, Release
from benchmarks.selectors import approved_descriptions
from benchmarks.services.descriptions import (
    DescriptionError,
    EditConflictError,
    FrozenFigureError,
    SelfApprovalError,
    WrongStateError,
    approve,
    restore,
    save_draft,
    send_back,
    submit_for_review,
)
from benchmarks.services.importing import ImportedRelease, freeze_release

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
        approve(description=description, reviewer=reviewer)
    if state == State.SENT_BACK:
        send_back(description=description, reviewer=reviewer, comment="Which cat?")
    assert description.state == state
    return description


# --- states ---------------------------------------------------------------------------------------

STEPS = {
    "submit": lambda description, reviewer: submit_for_review(description=description),
    "approve": lambda description, reviewer: approve(description=description, reviewer=reviewer),
    "send back": lambda description, reviewer: send_back(
        description=description, reviewer=reviewer, comment="Why?"
    ),
}
ALLOWED = {
    ("submit", State.DRAFT): State.IN_REVIEW,
    ("approve", State.IN_REVIEW): State.APPROVED,
    ("send back", State.IN_REVIEW): State.SENT_BACK,
}


@pytest.mark.parametrize("state", State.values)
@pytest.mark.parametrize("step", STEPS)
def test_each_step_leaves_from_one_state_only(figure, owner, stranger, step, state):
    description = in_state(figure, owner, stranger, state)
    if (step, state) in ALLOWED:
        STEPS[step](description, stranger)
    else:
        with pytest.raises(WrongStateError, match=f"Version 1 is {state}, not"):
            STEPS[step](description, stranger)
    description.refresh_from_db()
    assert description.state == ALLOWED.get((step, state), state)


def test_a_second_approval_of_the_same_page_is_told_the_state(figure, owner, stranger):
    description = in_state(figure, owner, stranger, State.IN_REVIEW)
    stale = Description.objects.get(pk=description.pk)
    send_back(description=description, reviewer=stranger, comment="Why?")
    with pytest.raises(WrongStateError, match="sent back"):
        approve(description=stale, reviewer=stranger)


def test_an_approved_version_names_its_reviewer_and_is_the_one_judged(figure, owner, stranger):
    description = in_state(figure, owner, stranger, State.APPROVED)
    assert (description.approved_by, description.reviewed_by) == (stranger, stranger)
    assert description.reviewed_at
    assert approved_descriptions([figure.pk], "en") == {figure.pk: "A cat."}


def test_a_version_sent_back_keeps_the_comment(figure, owner, stranger):
    description = in_state(figure, owner, stranger, State.SENT_BACK)
    assert (description.review_comment, description.reviewed_by) == ("Which cat?", stranger)


def test_sending_back_without_a_comment_is_refused(figure, owner, stranger):
    description = in_state(figure, owner, stranger, State.IN_REVIEW)
    with pytest.raises(DescriptionError, match="comment"):
        send_back(description=description, reviewer=stranger, comment=" \n")
    with pytest.raises(IntegrityError), transaction.atomic():
        Description.objects.update(state=State.SENT_BACK)


def test_nobody_approves_their_own(figure, owner):
    description = in_state(figure, owner, owner, State.IN_REVIEW)
    with pytest.raises(SelfApprovalError):
        approve(description=description, reviewer=owner)
    description.refresh_from_db()
    assert description.state == State.IN_REVIEW
    with pytest.raises(IntegrityError), transaction.atomic():
        Description.objects.update(state=State.APPROVED, approved_by=owner)


def test_a_version_older_than_the_approved_one_is_not_approved(figure, owner, stranger):
    older = in_state(figure, owner, stranger, State.IN_REVIEW)
    newer = draft(figure, owner, "A red cat.", base=1)
    submit_for_review(description=newer)
    approve(description=newer, reviewer=stranger)
    with pytest.raises(WrongStateError, match="a newer one is approved"):
        approve(description=older, reviewer=stranger)


# --- versions -------------------------------------------------------------------------------------


def test_every_save_is_a_new_version(figure, owner):
    draft(figure, owner, "A cat.")
    draft(figure, owner, "A red cat.", base=1)
    assert list(
        figure.descriptions.order_by("version").values_list("version", "text", "state")
    ) == [
        (1, "A cat.", State.DRAFT),
        (2, "A red cat.", State.DRAFT),
    ]


def test_line_ends_of_a_browser_do_not_change_a_text(figure, owner):
    assert draft(figure, owner, "A cat.\r\nA dog.\r\n").text == "A cat.\nA dog."


def test_a_restored_text_is_the_newest_draft(figure, owner, stranger):
    first = in_state(figure, owner, stranger, State.APPROVED)
    draft(figure, owner, "A dog.", base=1)
    restored = restore(description=first, author=stranger)
    assert (restored.version, restored.text, restored.state, restored.author) == (
        3,
        "A cat.",
        State.DRAFT,
        stranger,
    )


def test_a_second_edit_of_one_version_is_a_conflict_that_names_who_saved(figure, owner, stranger):
    draft(figure, owner)
    theirs = draft(figure, stranger, "A red cat.", base=1)
    with pytest.raises(
        EditConflictError, match=r"sam saved version 2 on .* UTC, after you had opened version 1"
    ) as error:
        draft(figure, owner, "A blue cat.", base=1)
    assert error.value.newest == theirs
    assert figure.descriptions.count() == 2


@pytest.mark.parametrize("base", [1, 99])
def test_a_version_that_never_was_is_no_base(figure, owner, base):
    with pytest.raises(EditConflictError):
        draft(figure, owner, base=base)


def test_simultaneous_saves_have_one_winner_each_round_and_lose_nothing(committed, load):
    release = load(b"1|two|two|one.png\n", slug="spelling-1").release
    figure = Figure.objects.get(questions__releases=release)
    authors = [User.objects.create_user(f"author{i}") for i in range(4)]
    start = threading.Barrier(len(authors))
    outcomes: dict[str, object] = {}

    def save(author: User) -> None:
        start.wait()
        try:
            outcomes[author.username] = draft(figure, author, f"By {author.username}.")
        except EditConflictError as error:
            outcomes[author.username] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=save, args=[author]) for author in authors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = [one for one in outcomes.values() if isinstance(one, Description)]
    conflicts = [one for one in outcomes.values() if isinstance(one, EditConflictError)]
    assert [error.newest for error in conflicts] == [winner] * 3
    assert [(d.version, d.text) for d in figure.descriptions.all()] == [(1, f"By {winner.author}.")]


# --- closed releases ------------------------------------------------------------------------------


def test_a_figure_of_frozen_releases_keeps_its_description(release, figure, owner, stranger):
    waiting = in_state(figure, owner, stranger, State.IN_REVIEW)
    freeze_release(release=release)
    for attempt in (
        lambda: draft(figure, owner, base=1),
        lambda: restore(description=waiting, author=owner),
        lambda: approve(description=waiting, reviewer=stranger),
        lambda: send_back(description=waiting, reviewer=stranger, comment="Why?"),
    ):
        with pytest.raises(FrozenFigureError):
            attempt()
    assert list(figure.descriptions.values_list("state", flat=True)) == [State.IN_REVIEW]


def test_a_figure_that_one_open_release_still_shows_can_be_described(load, release, figure, owner):
    freeze_release(release=release)
    load(LINES, slug="spelling-2")
    assert draft(figure, owner).version == 1


# --- groups ---------------------------------------------------------------------------------------


def test_the_groups_hold_what_their_members_need_and_no_submission(db):
    import_module("benchmarks.migrations.0003_annotators_and_reviewers").make_groups(apps, None)
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
    }
    assert held["annotators"] == looking | {
        "add_description",
        "change_description",
        "add_reference",
    }
    assert held["reviewers"] == held["annotators"] | {
        "approve_description",
        "change_questionreport",
    }
