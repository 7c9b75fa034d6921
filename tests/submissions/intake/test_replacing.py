"""A new version of an entry: until it is judged and public the old one stands, then it has its
place."""

import pytest
from django.db import IntegrityError, transaction

from benchmarks.submissions.intake.replacing import REASON, take_place
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import (
    SubmissionRefusedError,
    confirm_submission,
    restore_submission,
    set_visibility,
    withdraw_submission,
)
from leaderboard.results.services import replace_entries
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


def test_the_old_one_stands_until_the_new_one_is_judged_and_public_and_goes_once(submission, newer):
    set_visibility(submission=newer, visibility="public")
    assert replace_entries() == 0
    set_visibility(submission=newer, visibility="private")
    judged(newer)
    assert replace_entries() == 0
    read(submission)
    assert submission.withdrawn is None
    set_visibility(submission=newer, visibility="public")
    assert (replace_entries(), replace_entries()) == (1, 0)
    read(submission, newer)
    assert submission.withdrawn == newer.replacement_settled
    assert (submission.was_public, submission.replaced_by) == (True, newer)
    assert submission.withdrawal_reason == REASON
    assert restore_submission(submission=submission)
    assert replace_entries() == 0
    read(submission)
    assert (submission.withdrawn, submission.replaced_by) == (None, None)
    assert submission.withdrawal_reason == ""


def test_what_was_withdrawn_before_keeps_its_reason_and_takes_no_place(submission, newer):
    judged(newer)
    withdraw_submission(submission=submission, reason="Wrong weights.")
    set_visibility(submission=newer, visibility="public")
    assert not take_place(submission_id=newer.pk)
    assert replace_entries() == 0
    read(submission, newer)
    assert (submission.withdrawal_reason, submission.replaced_by) == ("Wrong weights.", None)
    assert newer.withdrawn is None
    assert restore_submission(submission=submission)
    withdraw_submission(submission=newer)
    assert not take_place(submission_id=newer.pk)
    read(submission)
    assert submission.withdrawn is None


def test_what_cannot_be_replaced_takes_no_new_version(submission, spelling, owner, stranger):
    def said(old: Submission, release=spelling, by=owner, content=NEWER, name="Speller") -> str:
        with pytest.raises(SubmissionRefusedError) as refusal:
            submit(release, by, content, name=name, replaces=old)
        return refusal.value.problems[0].message

    draft, words = submit(spelling, owner, confirm=False), import_words(range(1, 3))
    before = Submission.objects.count()
    assert "not confirmed yet" in said(draft)
    assert "no such submission of yours" in said(submission, by=stranger)
    assert said(submission, name="Another")
    assert said(submission, words, content=b"1=a\n2=b\n")
    assert Submission.objects.count() == before
    new_version(submission)
    assert "Another new version of it is under way" in said(submission)
    withdraw_submission(submission=submission)
    assert "is withdrawn" in said(submission)


def test_after_a_cancelled_one_there_is_room_for_one_other(submission):
    draft = new_version(submission, confirm=False)
    withdraw_submission(submission=draft)
    first = new_version(submission)
    assert first.replaces == submission
    withdraw_submission(submission=first)
    new = new_version(submission)
    assert not restore_submission(submission=first)
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.create(
            owner=new.owner, model=new.model, release=new.release, replaces=submission
        )


def test_equal_answers_may_replace_their_own(submission):
    """The old one is gone by then: nothing is left to share its place with."""
    same = submit(submission.release, submission.owner, replaces=submission, confirm=False)
    confirm_submission(submission=same, visibility="public")
    judged(same)
    assert replace_entries() == 1
