"""A withdrawal by staff is undone until anything about it was published, and then says why not."""

from datetime import timedelta

import pytest

from benchmarks.staff_models import StaffAction
from benchmarks.submissions.models import Submission
from leaderboard.models import BoardSnapshot
from leaderboard.operations.sweeps import sweep_here
from tests.conftest import judged, submit

SURE = {"confirmed": "yes", "reason": "It was another one."}


@pytest.fixture
def desk(client, admin_user):
    client.force_login(admin_user)
    return client


def withdrawn(desk, submission: Submission) -> StaffAction:
    desk.post(f"/admin/submissions/submission/{submission.pk}/step/withdraw/", SURE)
    submission.refresh_from_db()
    assert submission.withdrawn is not None
    return StaffAction.objects.get(what="withdraw", object_id=str(submission.pk))


def undo(desk, action: StaffAction) -> str:
    place = f"/admin/benchmarks/staffaction/{action.pk}/step/undo/"
    return str(desk.post(place, SURE, follow=True).content, "utf-8")


@pytest.mark.parametrize("visibility", ["private", "public"])
def test_it_is_as_if_it_had_not_been(desk, spelling, owner, visibility):
    submission = submit(spelling, owner, visibility=visibility)
    action = withdrawn(desk, submission)
    assert "Undone: 1 staff action." in undo(desk, action)
    submission.refresh_from_db()
    assert (submission.withdrawn, submission.visibility) == (None, visibility)
    assert submission.withdrawal_reason == ""
    later = StaffAction.objects.get(what="undo")
    assert (later.undoes, later.reason) == (action, "It was another one.")


def test_it_is_undone_once(desk, submission):
    action = withdrawn(desk, submission)
    undo(desk, action)
    assert "Nothing to undo was chosen." in undo(desk, action)
    assert StaffAction.objects.filter(what="undo").count() == 1


def test_what_the_chain_told_is_not_undone_and_says_why(desk, spelling, owner):
    submission = judged(submit(spelling, owner)) or Submission.objects.get()
    sweep_here(grace=timedelta(0))
    submission = Submission.objects.get()
    action = withdrawn(desk, submission)
    sweep_here(grace=timedelta(0))
    assert BoardSnapshot.objects.exists()
    asked = str(desk.get(f"/admin/benchmarks/staffaction/{action.pk}/step/undo/").content, "utf-8")
    assert "0 entries as before: 0 private, 0 public and on boards" in asked
    page = undo(desk, action)
    assert "of the public chain tells of the withdrawal" in page
    assert Submission.objects.get().withdrawn is not None
    assert not StaffAction.objects.filter(what="undo").exists()


def test_what_was_restored_meanwhile_is_not_undone(desk, submission):
    action = withdrawn(desk, submission)
    desk.post(f"/admin/submissions/submission/{submission.pk}/step/restore/", SURE)
    assert "was restored, or withdrawn anew" in undo(desk, action)
    assert Submission.objects.get().visibility == "private"
