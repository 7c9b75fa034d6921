"""What staff do to submissions asks first, says in counts what follows, and is written down."""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.submissions.models import Submission
from benchmarks.submissions.samples.floor import ensure_baselines
from benchmarks.submissions.services import withdraw_submission
from leaderboard.operations.sweeps import sweep_here
from tests.finished_work import analyze, copy_finished
from tests.rows_read import steps_of

LIST = "/admin/submissions/submission/"


def act(client, action: str, *chosen: Submission, **more):
    keys = [str(one.pk) for one in chosen]
    return client.post(LIST, {"action": action, "_selected_action": keys, **more}, follow=True)


def test_the_first_press_asks_and_the_second_withdraws_and_is_in_the_history(
    desk, submission, admin_user
):
    page = act(desk, "withdraw", submission).text
    for words in ("Withdraw 1 submission", "Speller on", "only their owner can publish them"):
        assert words in page
    for reason, said in ((" ", "Say why."), ("a\u202etekcah", "U+202E")):
        response = act(desk, "withdraw", submission, confirmed="yes", reason=reason)
        assert (response.status_code, said in response.text) == (422, True)
    assert Submission.objects.not_withdrawn().exists()
    page = act(desk, "withdraw", submission, confirmed="yes", reason="wrong file").text
    assert "Withdrawn: 1 submission." in page
    assert not Submission.objects.not_withdrawn().exists()
    entry = LogEntry.objects.get(object_id=str(submission.pk))
    assert (entry.user, entry.get_change_message()) == (admin_user, "Withdrawn: wrong file")


def test_who_is_asked_for_a_public_reason_is_told_where_it_is_typed(desk, submission):
    for step in ("withdraw", "keep_out", "rank", "verify"):
        assert "say nothing about people</div>" in act(desk, step, submission).text, step


def test_what_was_withdrawn_can_be_restored_for_its_owner_alone_and_a_baseline_for_all(
    desk, submission, spelling
):
    withdraw_submission(submission=submission)
    assert "ask the owner first" in act(desk, "restore", submission).text
    baseline = ensure_baselines(release=spelling)[0]
    withdraw_submission(submission=baseline)
    for one, visibility in ((submission, "private"), (baseline, "public")):
        act(desk, "restore", one, confirmed="yes", reason="a mistake")
        one.refresh_from_db()
        assert (one.withdrawn, one.visibility) == (None, visibility)
        entry = LogEntry.objects.get(object_id=str(one.pk))
        assert entry.get_change_message() == "Restored: a mistake"


def test_what_nobody_confirmed_is_not_restored(desk, submission):
    Submission.objects.update(confirmed=None, visibility="private")
    withdraw_submission(submission=submission)
    assert "Nothing to restore was chosen." in act(desk, "restore", submission).text


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
