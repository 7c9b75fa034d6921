"""Runs in the admin: why they are paused, and resuming them."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from benchmarks.submissions.services import withdraw_submission
from judging.models import Judgement, JudgeRun
from judging.services import pause_run
from tests.conftest import submit
from tests.judging.test_review import planned

RUNS = "/admin/judging/judgerun/"


@pytest.fixture
def run(submission) -> JudgeRun:
    """Paused for its judge, with one judgement that is paused for its own sake."""
    run = planned(submission)
    pause_run(run=run, kind=JudgeRun.Pause.JUDGE, reason="HTTP 404: the model or address is unknown")
    run.judgements.filter(pk=run.judgements.first().pk).update(state=Judgement.State.PAUSED, attempts=5)
    return run


def desk(*permissions: str) -> Client:
    user = User.objects.create_user("vera", "vera@example.org", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


def resume(client: Client, *runs: JudgeRun):
    chosen = {"action": "resume_chosen", "_selected_action": [run.pk for run in runs]}
    return client.post(RUNS, chosen, follow=True)


def again(run: JudgeRun) -> JudgeRun:
    return JudgeRun.objects.get(pk=run.pk)


def test_the_list_says_why_a_run_is_paused(run):
    shown = desk("view_judgerun").get(RUNS).content.decode()
    assert "HTTP 404: the model or address is unknown" in shown


def test_resumed_runs_go_on_with_all_that_was_paused(run):
    response = resume(desk("view_judgerun", "change_judgerun"), run)
    assert "1 paused run goes on." in response.content.decode()
    assert (again(run).paused, again(run).pause_kind, again(run).pause_reason) == (None, "", "")
    assert set(run.judgements.values_list("state", "attempts")) == {(Judgement.State.WAITING, 0)}
    assert "HTTP 404" in LogEntry.objects.get().change_message


def test_who_may_only_look_resumes_nothing(run):
    resume(desk("view_judgerun"), run)
    assert again(run).paused is not None


def test_runs_that_are_not_paused_or_withdrawn_stay_as_they_are(run, spelling, owner):
    going = planned(submit(spelling, owner, name="Going"))
    withdraw_submission(submission=run.submission)
    JudgeRun.objects.filter(pk=run.pk).update(paused=timezone.now())
    response = resume(desk("view_judgerun", "change_judgerun"), run, going)
    assert "0 paused runs go on." in response.content.decode()
    assert again(run).paused is not None


def test_nothing_else_of_a_run_is_edited(run):
    client = desk("view_judgerun", "change_judgerun")
    assert client.post(f"{RUNS}{run.pk}/change/", {"pause_reason": "x"}).status_code == 403
    assert again(run).pause_reason.startswith("HTTP 404")
