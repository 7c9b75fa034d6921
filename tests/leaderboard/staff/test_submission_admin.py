"""What staff do to submissions asks first, says in counts what follows, and is written down."""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import ensure_baselines, withdraw_submission
from leaderboard.operations.sweeps import sweep_here
from tests.finished_work import analyze, copy_finished
from tests.rows_read import steps_of

LIST = "/admin/submissions/submission/"


@pytest.fixture
def desk(client, admin_user):
    client.force_login(admin_user)
    return client


def page_of(response) -> str:
    return str(response.content, "utf-8")


def act(client, action: str, *chosen: Submission, **more):
    keys = [str(one.pk) for one in chosen]
    return client.post(LIST, {"action": action, "_selected_action": keys, **more}, follow=True)


def test_the_first_press_asks_with_the_names_and_changes_nothing(desk, submission):
    page = page_of(act(desk, "withdraw", submission))
    assert "Withdraw 1 submission" in page
    assert "Speller on" in page
    assert "only their owner can publish them" in page
    assert Submission.objects.not_withdrawn().exists()


@pytest.mark.parametrize("step", ["withdraw", "keep_out", "rank", "verify"])
def test_who_is_asked_for_a_public_reason_is_told_where_it_is_typed(desk, submission, step):
    page = page_of(act(desk, step, submission))
    assert "say nothing about people</div>" in page


def test_the_second_press_withdraws_and_is_in_the_history(desk, submission, admin_user):
    page = page_of(act(desk, "withdraw", submission, confirmed="yes", reason="wrong file"))
    assert "Withdrawn: 1 submission." in page
    assert not Submission.objects.not_withdrawn().exists()
    entry = LogEntry.objects.get(object_id=str(submission.pk))
    assert (entry.user, entry.get_change_message()) == (admin_user, "Withdrawn: wrong file")


def test_without_a_reason_it_asks_again(desk, submission):
    response = act(desk, "withdraw", submission, confirmed="yes", reason=" ")
    assert response.status_code == 422
    assert "Say why." in page_of(response)
    assert Submission.objects.not_withdrawn().exists()


def test_a_reason_holds_nothing_that_turns_or_hides_what_is_read(desk, submission):
    response = act(desk, "withdraw", submission, confirmed="yes", reason="a\u202etekcah")
    assert response.status_code == 422
    assert "U+202E" in page_of(response)
    assert Submission.objects.not_withdrawn().exists()


def test_what_was_withdrawn_can_be_restored_for_its_owner_alone(desk, submission):
    withdraw_submission(submission=submission)
    assert "ask the owner first" in page_of(act(desk, "restore", submission))
    act(desk, "restore", submission, confirmed="yes", reason="a mistake")
    submission.refresh_from_db()
    assert (submission.withdrawn, submission.visibility) == (None, "private")
    assert LogEntry.objects.get().get_change_message() == "Restored: a mistake"


def test_a_restored_baseline_is_public_again(desk, spelling):
    baseline = ensure_baselines(release=spelling)[0]
    withdraw_submission(submission=baseline)
    act(desk, "restore", baseline, confirmed="yes", reason="a mistake")
    baseline.refresh_from_db()
    assert (baseline.withdrawn, baseline.visibility) == (None, "public")


def test_what_nobody_confirmed_is_not_restored(desk, submission):
    Submission.objects.update(confirmed=None, visibility="private")
    withdraw_submission(submission=submission)
    assert "Nothing to restore was chosen." in page_of(act(desk, "restore", submission))


def test_who_may_only_look_has_neither_step(client, stranger, submission):
    stranger.is_staff = True
    stranger.save()
    stranger.user_permissions.add(Permission.objects.get(codename="view_submission"))
    client.force_login(stranger)
    act(client, "withdraw", submission, confirmed="yes", reason="why not")
    assert Submission.objects.not_withdrawn().exists()


@pytest.mark.slow
@pytest.mark.skipif(connection.vendor != "sqlite", reason="counted by SQLite's virtual machine")
@pytest.mark.parametrize("path", [LIST, "/admin/judging/judgerun/"])
def test_a_page_of_a_long_list_reads_what_it_shows(desk, submission, path):
    """Counts aside, which read an index."""
    sweep_here(grace=timedelta(0))
    steps = []
    for times in (100, 200):
        copy_finished(submission, times, calls=False)
        analyze()
        with CaptureQueriesContext(connection) as captured:
            desk.get(path)
        queries = [query["sql"] for query in captured if query["sql"].startswith("SELECT ")]
        steps.append(sum(steps_of(sql) for sql in queries if "COUNT(*)" not in sql))
    assert steps[1] < 1.1 * steps[0]
