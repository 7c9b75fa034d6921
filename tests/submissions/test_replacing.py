"""A new version of an entry: until it is judged and public the old one stands, then it has its
place."""

import pytest
from django.db import IntegrityError, transaction

from benchmarks.submissions.models import Submission
from benchmarks.submissions.replacing import REASON, take_place
from benchmarks.submissions.services import (
    SubmissionRefusedError,
    confirm_submission,
    restore_submission,
    set_visibility,
    withdraw_submission,
)
from leaderboard.services import replace_entries
from tests.conftest import import_words, judged, submit

NEWER = b"1=two\n2=colour\n3=night\n4=sea\n"


@pytest.fixture
def newer(submission, owner, spelling):
    """Confirmed, private and not judged."""
    return new_version(submission)


def new_version(old: Submission, **more) -> Submission:
    return submit(old.release, old.owner, NEWER, replaces=old, **{"visibility": "private", **more})


def read(*submissions: Submission) -> None:
    for submission in submissions:
        submission.refresh_from_db()


def test_the_old_one_stands_until_the_new_one_is_judged_and_public(submission, newer):
    assert replace_entries() == 0
    judged(newer)
    assert replace_entries() == 0
    set_visibility(submission=newer, visibility="public")
    assert replace_entries() == 1
    read(submission, newer)
    assert submission.withdrawn == newer.replacement_settled
    assert (submission.was_public, submission.replaced_by) == (True, newer)
    assert submission.withdrawal_reason == REASON


def test_a_public_one_that_is_not_judged_leaves_the_old_one_where_it_is(submission, newer):
    set_visibility(submission=newer, visibility="public")
    assert replace_entries() == 0
    read(submission)
    assert submission.withdrawn is None


def test_it_takes_the_place_once(submission, newer):
    judged(newer)
    set_visibility(submission=newer, visibility="public")
    assert (replace_entries(), replace_entries()) == (1, 0)
    assert restore_submission(submission=submission)
    assert replace_entries() == 0
    read(submission)
    assert (submission.withdrawn, submission.replaced_by) == (None, None)
    assert submission.withdrawal_reason == ""


def test_what_its_owner_withdrew_before_keeps_their_reason(submission, newer):
    judged(newer)
    withdraw_submission(submission=submission, reason="Wrong weights.")
    set_visibility(submission=newer, visibility="public")
    assert not take_place(submission_id=newer.pk)
    assert replace_entries() == 0
    read(submission, newer)
    assert (submission.withdrawal_reason, submission.replaced_by) == ("Wrong weights.", None)
    assert newer.withdrawn is None


def test_one_that_was_withdrawn_takes_no_place(submission, newer):
    judged(newer)
    set_visibility(submission=newer, visibility="public")
    withdraw_submission(submission=newer)
    assert not take_place(submission_id=newer.pk)
    read(submission)
    assert submission.withdrawn is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda old: withdraw_submission(submission=old), "is withdrawn"),
        (lambda old: new_version(old), "Another new version of it is under way"),
    ],
    ids=["withdrawn", "replaced already"],
)
def test_what_cannot_be_replaced_takes_no_new_version(submission, change, said):
    change(submission)
    before = Submission.objects.count()
    with pytest.raises(SubmissionRefusedError) as refusal:
        new_version(submission)
    assert said in refusal.value.problems[0].message
    assert Submission.objects.count() == before


def test_what_is_not_confirmed_is_not_replaced(spelling, owner):
    draft = submit(spelling, owner, confirm=False)
    with pytest.raises(SubmissionRefusedError) as refusal:
        new_version(draft)
    assert "not confirmed yet" in refusal.value.problems[0].message


def test_nobody_replaces_what_is_anothers(submission, stranger):
    with pytest.raises(SubmissionRefusedError) as refusal:
        submit(submission.release, stranger, NEWER, replaces=submission)
    assert "no such submission of yours" in refusal.value.problems[0].message


def test_another_model_or_release_is_no_new_version(submission, owner):
    with pytest.raises(SubmissionRefusedError):
        submit(submission.release, owner, NEWER, name="Another", replaces=submission)
    words = import_words(range(1, 3))
    with pytest.raises(SubmissionRefusedError):
        submit(words, owner, b"1=a\n2=b\n", replaces=submission)


def test_after_a_cancelled_one_there_is_room_for_another(submission):
    draft = new_version(submission, confirm=False)
    withdraw_submission(submission=draft)
    assert new_version(submission).replaces == submission


def test_a_cancelled_one_stays_so_while_another_is_under_way(submission):
    first = new_version(submission)
    withdraw_submission(submission=first)
    new_version(submission)
    assert not restore_submission(submission=first)


def test_the_database_refuses_a_second_one(submission, newer):
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.create(
            owner=newer.owner, model=newer.model, release=newer.release, replaces=submission
        )


def test_equal_answers_may_replace_their_own(submission):
    """The old one is gone by then: nothing is left to share its place with."""
    same = submit(submission.release, submission.owner, replaces=submission, confirm=False)
    confirm_submission(submission=same, visibility="public")
    judged(same)
    assert replace_entries() == 1
