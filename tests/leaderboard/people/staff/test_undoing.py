"""A withdrawal by staff is undone until anything about it was published, and then says why not."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.staff_models import StaffAction
from benchmarks.submissions.models import Submission
from judging.models import JudgeSpec
from leaderboard.models import BoardSnapshot
from leaderboard.operations.sweeps import sweep_here
from leaderboard.people.staff.undoing import newest_boards
from tests.conftest import judged, submit
from tests.rows_read import steps_of

LOG = "/admin/benchmarks/staffaction/"
SURE = {"confirmed": "yes", "reason": "It was another one."}


def withdrawn(desk, submission: Submission) -> StaffAction:
    desk.post(f"/admin/submissions/submission/{submission.pk}/step/withdraw/", SURE)
    submission.refresh_from_db()
    assert submission.withdrawn is not None
    return StaffAction.objects.get(what="withdraw", object_id=str(submission.pk))


def undo_column(desk) -> list[str]:
    """Of the log, the newest first."""
    page = desk.get(LOG).text
    return re.findall(r'<td class="field-undoing">([^<]*)</td>', page)


def undo(desk, action: StaffAction) -> str:
    place = f"/admin/benchmarks/staffaction/{action.pk}/step/undo/"
    return str(desk.post(place, SURE, follow=True).text)


@pytest.mark.parametrize("visibility", ["private", "public"])
def test_it_is_offered_once_and_then_as_if_it_had_not_been(desk, spelling, owner, visibility):
    submission = submit(spelling, owner, visibility=visibility)
    action = withdrawn(desk, submission)
    page = desk.get(f"{LOG}{action.pk}/change/").text
    assert f"/admin/benchmarks/staffaction/{action.pk}/step/undo/" in page
    assert undo_column(desk) == ["possible"]
    assert "Undone: 1 staff action." in undo(desk, action)
    submission.refresh_from_db()
    found = (submission.withdrawn, submission.visibility, submission.withdrawal_reason)
    assert found == (None, visibility, "")
    assert undo_column(desk) == ["-", "done"]
    assert "Nothing to undo was chosen." in undo(desk, action)
    later = StaffAction.objects.get(what="undo")
    assert (later.undoes, later.reason) == (action, "It was another one.")


def test_what_the_chain_told_is_not_undone_and_says_why(desk, spelling, owner):
    judged(submit(spelling, owner))
    sweep_here(grace=timedelta(0))
    submission = Submission.objects.get()
    action = withdrawn(desk, submission)
    sweep_here(grace=timedelta(0))
    assert BoardSnapshot.objects.exists()
    why = "of the public chain tells of the withdrawal"
    assert why in undo(desk, action)
    assert Submission.objects.get().withdrawn is not None
    assert not StaffAction.objects.filter(what="undo").exists()
    offered = f"/admin/benchmarks/staffaction/{action.pk}/step/undo/"
    page = desk.get(f"{LOG}{action.pk}/change/").text
    assert why in page
    assert offered not in page
    assert desk.get(offered).status_code == 302
    assert undo_column(desk) == ["published"]


def test_of_several_those_that_are_refused_are_named_and_the_others_asked_about(desk, submission):
    refused = withdrawn(desk, submission)
    desk.post(f"/admin/submissions/submission/{submission.pk}/step/restore/", SURE)
    desk.post(f"/admin/submissions/submission/{submission.pk}/step/withdraw/", SURE)
    possible = StaffAction.objects.filter(what="withdraw").latest("id")
    both = {"action": "undo", "_selected_action": [refused.pk, possible.pk]}
    page = desk.post(LOG, both).text
    assert "withdraw: " in page
    assert "was restored, or withdrawn again" in page
    assert "1 entry as before" in page
    desk.post(LOG, {**both, **SURE})
    assert [one.undoes for one in StaffAction.objects.filter(what="undo")] == [possible]


def test_more_withdrawals_are_no_more_queries(desk, submission):
    withdrawn(desk, submission)
    with CaptureQueriesContext(connection) as few:
        desk.get(LOG)
    for _ in range(20):
        one = StaffAction.objects.filter(what="withdraw").latest("id")
        StaffAction.objects.create(
            by=one.by,
            about=one.about,
            object_id=one.object_id,
            name=one.name,
            what="withdraw",
            before={"visibility": "public"},
            after=one.after,
        )
    with CaptureQueriesContext(connection) as many:
        assert undo_column(desk).count("possible") == 21
    assert len(many) <= len(few) + 2  # links and boards, which only public entries are on


def keep_boards(release, judge_spec, number: int, first: datetime) -> None:
    """One a minute."""
    BoardSnapshot.objects.bulk_create(
        BoardSnapshot(
            release=release,
            judge_spec=judge_spec,
            name=f"{judge_spec.pk}-{minute}",
            digest="",
            shown="",
            taken=first + timedelta(minutes=minute),
            entries=0,
            content_number=1,
            head={},
            columns=b"",
            leaders=[],
            changes={},
        )
        for minute in range(number)
    )


FIRST = datetime(2020, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def judges(submission) -> list[JudgeSpec]:
    judged(submission)
    one = JudgeSpec.objects.get()
    other = JudgeSpec.objects.get()
    other.pk, other.slug, other.content_hash = None, "other", "other"
    other.save()
    return [one, other]


@pytest.mark.parametrize("newest", [0, 1])
def test_the_newest_board_of_a_release_is_that_of_any_judge(spelling, judges, newest):
    assert newest_boards([spelling.pk]) == {}
    keep_boards(spelling, judges[newest], 3, FIRST)
    keep_boards(spelling, judges[1 - newest], 2, FIRST)
    assert newest_boards([spelling.pk]) == {spelling.pk: FIRST + timedelta(minutes=2)}


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite counts its steps")
def test_the_newest_board_is_looked_up_not_searched(spelling, judges):
    def steps() -> int:
        with CaptureQueriesContext(connection) as queries:
            newest_boards([spelling.pk])
        return sum(steps_of(query["sql"]) for query in queries)

    keep_boards(spelling, judges[0], 2, FIRST)
    few = steps()
    keep_boards(spelling, judges[1], 1000, FIRST)
    assert steps() < few + 200


def test_what_was_restored_meanwhile_is_not_undone(desk, submission):
    action = withdrawn(desk, submission)
    desk.post(f"/admin/submissions/submission/{submission.pk}/step/restore/", SURE)
    assert undo_column(desk) == ["-", "restored"]
    assert "was restored, or withdrawn again" in undo(desk, action)
    assert Submission.objects.get().visibility == "private"
