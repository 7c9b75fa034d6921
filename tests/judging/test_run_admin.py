"""Runs in the admin: why they are paused, and resuming them."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from benchmarks.staff_models import StaffAction
from benchmarks.submissions.services import withdraw_submission
from judging import limits
from judging.engine.engine import judge_run
from judging.judges.scripted import ScriptedJudge
from judging.models import Endpoint, Judgement, JudgeRun
from judging.services import pause_run
from leaderboard.operations.sweeps import prepare
from tests.conftest import submit
from tests.judging.services.test_review import planned

RUNS = "/admin/judging/judgerun/"


@pytest.fixture
def run(submission) -> JudgeRun:
    """Paused for its judge, with one judgement that is paused for its own sake."""
    run = planned(submission)
    pause_run(
        run=run, kind=JudgeRun.Pause.JUDGE, reason="HTTP 404: the model or address is unknown"
    )
    run.judgements.filter(pk=run.judgements.first().pk).update(
        state=Judgement.State.PAUSED, attempts=5
    )
    return run


def desk(*permissions: str) -> Client:
    user = User.objects.create_user("vera", "vera@example.org", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


def take(client: Client, where: str, action: str, keys: list[int], reason: str):
    """The second press, which says that it is meant."""
    chosen = {"action": action, "_selected_action": keys, "confirmed": "yes", "reason": reason}
    return client.post(where, chosen, follow=True)


def resume(client: Client, *runs: JudgeRun):
    return take(client, RUNS, "resume", [run.pk for run in runs], "It is mended.")


def again(run: JudgeRun) -> JudgeRun:
    return JudgeRun.objects.get(pk=run.pk)


def test_the_list_says_why_a_run_is_paused(run):
    shown = desk("view_judgerun").get(RUNS).content.decode()
    assert "HTTP 404: the model or address is unknown" in shown


def test_resumed_runs_go_on_with_all_that_was_paused(run):
    response = resume(desk("view_judgerun", "change_judgerun"), run)
    assert "Resumed: 1 judge run." in response.content.decode()
    assert (again(run).paused, again(run).pause_kind, again(run).pause_reason) == (None, "", "")
    assert set(run.judgements.values_list("state", "attempts")) == {(Judgement.State.WAITING, 0)}
    assert LogEntry.objects.get().change_message == "Resumed: It is mended."
    action = StaffAction.objects.get()
    assert (action.before["why"][:8], action.after["why"]) == ("HTTP 404", "")
    assert "asked for again, and paid for: 4, of 1 run." in action.told


def test_who_may_only_look_resumes_nothing(run):
    resume(desk("view_judgerun"), run)
    assert again(run).paused is not None


def test_runs_that_are_not_paused_or_withdrawn_stay_as_they_are(run, spelling, owner):
    going = planned(submit(spelling, owner, name="Going"))
    withdraw_submission(submission=run.submission)
    JudgeRun.objects.filter(pk=run.pk).update(paused=timezone.now())
    response = resume(desk("view_judgerun", "change_judgerun"), run, going)
    assert "Nothing to resume was chosen." in response.content.decode()
    assert again(run).paused is not None


def test_nothing_else_of_a_run_is_edited(run):
    client = desk("view_judgerun", "change_judgerun")
    assert client.post(f"{RUNS}{run.pk}/change/", {"pause_reason": "x"}).status_code == 403
    assert again(run).pause_reason.startswith("HTTP 404")


def pause(client: Client, *runs: JudgeRun, reason: str):
    return take(client, RUNS, "pause", [run.pk for run in runs], reason)


def test_a_person_pauses_a_run_with_a_reason_and_no_sweep_ends_that(run, settings):
    settings.BUDGET_SUBMISSION = 0.0
    pause_run(run=run, kind=JudgeRun.Pause.BUDGET, reason="no room")
    response = pause(desk("view_judgerun", "change_judgerun"), run, reason=" looks\n odd ")
    assert "Paused: 1 judge run." in response.content.decode()
    prepare()
    limits.reopen("none")
    assert (again(run).pause_kind, again(run).pause_reason) == ("person", "looks odd")
    assert LogEntry.objects.get().change_message == "Paused: looks odd"
    assert judge_run(run_id=run.pk, judge=ScriptedJudge(["right"])) == 0


def test_a_run_that_is_judged_has_nothing_to_pause(submission):
    run = planned(submission)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    response = pause(desk("view_judgerun", "change_judgerun"), run, reason="why not")
    assert "Nothing to pause was chosen." in response.content.decode()
    assert again(run).paused is None


def test_a_pause_needs_a_reason_and_the_right_to_change_runs(submission):
    run = planned(submission)
    response = pause(desk("view_judgerun", "change_judgerun"), run, reason=" ")
    assert "Say why." in response.content.decode()
    User.objects.all().exclude(username="rosa").delete()
    pause(desk("view_judgerun"), run, reason="why not")
    assert again(run).paused is None


# --- endpoints ------------------------------------------------------------------------------------

ENDPOINTS = "/admin/judging/endpoint/"
MAIN = {"url": "https://judge.example.org/v1", "key": "key-of-the-judge", "limits": {}}


def act(client: Client, action: str, alias: str, reason: str = ""):
    limits.ensure_rows()
    return take(client, ENDPOINTS, action, [Endpoint.objects.get(alias=alias).pk], reason)


@pytest.fixture
def two(settings, db):
    settings.JUDGE_ENDPOINTS = {"none": MAIN, "main": MAIN}


def test_endpoints_are_listed_with_their_state_also_before_they_were_asked(two):
    limits.halt("main", reason="HTTP 401: the key is refused")
    shown = desk("view_endpoint").get(ENDPOINTS).content.decode()
    assert "HTTP 401: the key is refused" in shown
    assert all(word in shown for word in ("main", "none", "halted", "open"))
    assert "key-of-the-judge" not in shown
    assert "judge.example.org" not in shown


def test_a_person_pauses_an_endpoint_and_only_a_person_reopens_it(two, submission):
    run = planned(submission)
    client = desk("view_endpoint", "change_endpoint")
    act(client, "pause", "none", reason="the bill is due")
    judge = ScriptedJudge(["right"])
    judge_run(run_id=run.pk, judge=judge)
    prepare()
    assert (again(run).pause_kind, again(run).pause_reason) == ("endpoint", "the bill is due")
    assert judge.asked == []
    shown = client.get(ENDPOINTS).content.decode()
    assert "paused by a person" in shown
    act(client, "reopen", "none", reason="It is paid.")
    assert again(run).paused is None
    judge_run(run_id=run.pk, judge=judge)
    assert len(judge.asked) == 4
    assert {entry.change_message for entry in LogEntry.objects.all()} == {
        "Paused: the bill is due",
        "Reopened: It is paid.",
    }


def test_who_may_only_look_pauses_no_endpoint(two):
    act(desk("view_endpoint"), "pause", "none", reason="why not")
    assert not limits.endpoint_status("none").halt_reason
