"""Runs in the admin: why they are paused, and resuming them."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from benchmarks.staff_models import StaffAction
from benchmarks.submissions.services import withdraw_submission
from judging.coordination import limits
from judging.engine.engine import judge_run
from judging.models import Endpoint, Judgement, JudgeRun
from judging.services import pause_run
from leaderboard.operations.sweeps import prepare
from tests.conftest import submit
from tests.judging.runs import found, new_run, pause_of, planned
from tests.judging.scripted import ScriptedJudge

RUNS = "/admin/judging/judgerun/"


@pytest.fixture(scope="module")
def world(module_rows) -> int:
    """Paused for its judge, with one judgement that is paused for its own sake."""
    run = new_run()
    pause_run(
        run=run, kind=JudgeRun.Pause.JUDGE, reason="HTTP 404: the model or address is unknown"
    )
    first = run.judgements.earliest("pk").pk
    run.judgements.filter(pk=first).update(state=Judgement.State.PAUSED, attempts=5)
    return run.pk


@pytest.fixture
def run(world, db) -> JudgeRun:
    return JudgeRun.objects.get(pk=world)


@pytest.fixture
def going(run) -> JudgeRun:
    return planned(submit(run.submission.release, None, name="Going"))


def desk(*permissions: str) -> Client:
    user, _ = User.objects.get_or_create(username="vera", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


def take(client: Client, where: str, action: str, keys: list[int], reason: str):
    """The second press, which says that it is meant."""
    chosen = {"action": action, "_selected_action": keys, "confirmed": "yes", "reason": reason}
    return client.post(where, chosen, follow=True)


def is_paused(run: JudgeRun) -> bool:
    return JudgeRun.objects.filter(pk=run.pk, paused__isnull=False).exists()


def told(client: Client, action: str, *runs: JudgeRun, reason: str = "It is mended.") -> str:
    response = take(client, RUNS, action, [run.pk for run in runs], reason)
    return str(response.content, "utf-8")


def test_a_resumed_run_goes_on_with_all_that_was_paused(run):
    client = desk("view_judgerun", "change_judgerun")
    assert "Resumed: 1 judge run." in told(client, "resume", run)
    assert pause_of(run) == ("", "")
    assert not is_paused(run)
    assert found(run, "state", "attempts") == {(Judgement.State.WAITING, 0)}
    assert LogEntry.objects.get().change_message == "Resumed: It is mended."
    action = StaffAction.objects.get()
    assert (action.before["why"][:8], action.after["why"]) == ("HTTP 404", "")
    assert "Judgements requested again and paid for: 4, of 1 run." in action.told


def test_who_may_only_look_reads_why_and_changes_nothing(run, going):
    looking = desk("view_judgerun")
    shown = looking.get(RUNS).content.decode()
    assert "HTTP 404: the model or address is unknown" in shown
    told(looking, "resume", run)
    told(looking, "pause", going, reason="why not")
    assert (is_paused(run), is_paused(going)) == (True, False)
    changing = desk("view_judgerun", "change_judgerun")
    assert changing.post(f"{RUNS}{run.pk}/change/", {"pause_reason": "x"}).status_code == 403
    assert pause_of(run)[1].startswith("HTTP 404")


def test_runs_that_are_not_paused_or_withdrawn_stay_as_they_are(run, going):
    withdraw_submission(submission=run.submission)
    JudgeRun.objects.filter(pk=run.pk).update(paused=timezone.now())
    client = desk("view_judgerun", "change_judgerun")
    assert "Nothing to resume was chosen." in told(client, "resume", run, going)
    assert is_paused(run)


def test_a_person_pauses_a_run_with_a_reason_and_no_sweep_ends_that(run, going, settings):
    settings.BUDGET_SUBMISSION = 0.0
    pause_run(run=run, kind=JudgeRun.Pause.BUDGET, reason="no room")
    client = desk("view_judgerun", "change_judgerun")
    assert "Say why." in told(client, "pause", run, reason=" ")
    assert "Paused: 1 judge run." in told(client, "pause", run, reason=" looks\n odd ")
    prepare()
    limits.reopen("none")
    judge = ScriptedJudge(["right"])
    assert pause_of(run) == ("person", "looks odd")
    assert LogEntry.objects.get().change_message == "Paused: looks odd"
    assert judge_run(run_id=run.pk, judge=judge) == 0
    judge_run(run_id=going.pk, judge=judge)  # it is judged, and has nothing to pause
    assert "Nothing to pause was chosen." in told(client, "pause", going, reason="why not")
    assert not is_paused(going)


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
    looking = desk("view_endpoint")
    shown = looking.get(ENDPOINTS).content.decode()
    assert "HTTP 401: the key is refused" in shown
    assert all(word in shown for word in ("main", "none", "halted", "open"))
    assert "key-of-the-judge" not in shown
    assert "judge.example.org" not in shown
    act(looking, "pause", "none", reason="why not")
    assert not limits.endpoint_status("none").halt_reason


def test_a_person_pauses_an_endpoint_and_only_a_person_reopens_it(two, going):
    client = desk("view_endpoint", "change_endpoint")
    act(client, "pause", "none", reason="the bill is due")
    judge = ScriptedJudge(["right"])
    judge_run(run_id=going.pk, judge=judge)
    prepare()
    assert (pause_of(going), judge.asked) == (("endpoint", "the bill is due"), [])
    assert "paused by a person" in client.get(ENDPOINTS).content.decode()
    act(client, "reopen", "none", reason="It is paid.")
    assert not is_paused(going)
    judge_run(run_id=going.pk, judge=judge)
    assert len(judge.asked) == 4
    assert {entry.change_message for entry in LogEntry.objects.all()} == {
        "Paused: the bill is due",
        "Reopened: It is paid.",
    }
