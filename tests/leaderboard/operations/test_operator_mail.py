"""What operators are told by mail: every event once, never a secret, and never at the cost of
judging."""

from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.utils import timezone

from benchmarks.registry import protocol
from benchmarks.submissions.services import withdraw_submission
from judging import limits
from judging.engine.engine import judge_run
from judging.models import CanaryRun, JudgeRun
from judging.services import ensure_spec, pause_run, request_run, resume_run
from leaderboard.models import OperatorNotice, Scoresheet
from leaderboard.operations.operator_mail import LINES, RETRY, tell_operators
from leaderboard.operations.sweeps import sweep_here
from leaderboard.services import score_finished_runs
from tests.conftest import submit
from tests.leaderboard.operations.test_health import beat, waiting_run
from tests.leaderboard.operations.test_sweeps import planned
from tests.overwriting import overwrite

NOW = timedelta(0)
MAIN = {
    "url": "https://judge.example.org/v1",
    "key": "key-of-the-judge",
    "limits": {},
    "prices": {},
}
AWAY = "tests.leaderboard.operations.test_operator_mail.ServerAway"


class ServerAway(EmailBackend):
    tried = 0

    def send_messages(self, messages):
        type(self).tried += 1
        raise ConnectionRefusedError("nobody listens")


@pytest.fixture(autouse=True)
def operators(settings, db):
    settings.ADMINS = [("", "ops@example.org")]
    settings.JUDGE_ENDPOINTS = {"main": MAIN}


def told() -> list[str]:
    """Subjects of the mails since the last look."""
    subjects = [str(message.subject) for message in mail.outbox]
    mail.outbox.clear()
    return subjects


def paused(run: JudgeRun, kind: JudgeRun.Pause, reason: str = "the key is refused") -> JudgeRun:
    pause_run(run=run, kind=kind, reason=reason)
    return run


# --- what is told ---------------------------------------------------------------------------------


def test_a_halted_endpoint_is_told_once_however_many_sweeps_and_calls_there_are():
    for _ in range(3):
        limits.halt("main", reason="HTTP 401")
        sweep_here(grace=NOW)
    (message,) = mail.outbox
    assert message.to == ["ops@example.org"]
    assert message.subject.startswith("[Assay] The judge endpoint main is halted: HTTP 401.")
    assert "manage.py endpoints --reopen main" in message.body


def test_an_endpoint_halted_again_is_told_again():
    limits.halt("main", reason="HTTP 401")
    tell_operators()
    limits.reopen("main")
    tell_operators()
    limits.halt("main", reason="HTTP 402")
    tell_operators()
    assert [subject.partition(": ")[2][:8] for subject in told()] == ["HTTP 401", "HTTP 402"]
    assert OperatorNotice.objects.count() == 1


def test_a_halt_between_two_sweeps_of_another_is_told_too():
    limits.halt("main", reason="HTTP 401")
    tell_operators()
    limits.reopen("main")
    limits.halt("main", reason="HTTP 402")
    assert tell_operators() == 1


@pytest.mark.parametrize(
    ("kind", "told_as"),
    [("budget", "by a budget"), ("endpoint", "for its endpoint"), ("judge", "for its judge")],
)
def test_a_paused_run_is_told_once_with_its_reason(submission, kind, told_as):
    run = paused(waiting_run(submission), JudgeRun.Pause(kind), "there is no room")
    assert (tell_operators(), tell_operators()) == (1, 0)
    (message,) = mail.outbox
    assert f"is paused {told_as}: there is no room." in message.body
    assert str(run.submission_id) in message.body


def test_a_run_that_a_person_paused_or_its_owner_withdrew_is_not_told(spelling, owner, submission):
    paused(waiting_run(submission), JudgeRun.Pause.PERSON)
    gone = paused(waiting_run(submit(spelling, owner, name="Gone")), JudgeRun.Pause.BUDGET)
    withdraw_submission(submission=gone.submission)
    assert (tell_operators(), told()) == (0, [])


def test_a_run_resumed_and_paused_again_is_told_again(submission):
    run = paused(planned(submission), JudgeRun.Pause.JUDGE)
    tell_operators()
    resume_run(run=run)
    tell_operators()
    paused(run, JudgeRun.Pause.JUDGE)
    tell_operators()
    assert len(told()) == 2


def test_work_that_is_stuck_is_told_once_until_it_is_stuck_again(submission):
    run = waiting_run(submission)
    beat("a worker")
    assert [tell_operators(), tell_operators()] == [1, 0]
    judge_run(run_id=run.pk)
    assert tell_operators() == 0
    assert "nothing was done for 120 s" in told()[0]
    overwrite(run.judgements, state="waiting", verdict="", settled=None)
    assert tell_operators() == 1


def test_work_that_a_sweep_does_is_not_told_although_it_waited_long(submission):
    waiting_run(submission)
    sweep_here(grace=NOW)
    assert Scoresheet.objects.exists()
    assert told() == []


def test_work_just_done_is_no_fault_and_the_oldest_is_not_looked_for(
    submission, django_assert_num_queries
):
    run = waiting_run(submission)
    row = run.judgements.first()
    run.judgements.filter(pk=row.pk).update(state="judged", verdict="right", settled=timezone.now())
    with django_assert_num_queries(2):
        assert tell_operators() == 0


@pytest.mark.slow
def test_what_is_new_in_one_sweep_is_one_mail(spelling, owner):
    for number in range(LINES + 2):
        paused(waiting_run(submit(spelling, owner, name=f"Model {number}")), JudgeRun.Pause.BUDGET)
    assert tell_operators() == LINES + 2
    (message,) = mail.outbox
    assert message.subject == f"[Assay] {LINES + 2} things keep judging from going on"
    assert message.body.count("is paused by a budget") == LINES
    assert "and 2 more" in message.body


def test_no_mail_has_an_address_or_a_key_or_a_broken_subject(submission):
    reason = (
        "no route\nto https://judge.example.org/v1\r\nBcc: all@example.org, key key-of-the-judge"
    )
    limits.halt("main", reason=reason)
    assert tell_operators() == 1
    message = mail.outbox[0].message().as_string()
    assert "judge.example.org" not in message
    assert "key-of-the-judge" not in message
    assert mail.outbox[0].recipients() == ["ops@example.org"]


def test_without_operators_nobody_is_told_and_nothing_is_asked(settings, django_assert_num_queries):
    settings.ADMINS = []
    limits.halt("main", reason="HTTP 401")
    with django_assert_num_queries(0):
        assert tell_operators() == 0
    assert told() == []


def test_nothing_is_written_where_there_is_nothing_new(django_assert_num_queries):
    limits.halt("main", reason="HTTP 401")
    tell_operators()
    with django_assert_num_queries(9):
        tell_operators()
    assert OperatorNotice.objects.get().told


# --- judgements for a person, judges that changed -------------------------------------------------


def test_judgements_that_wait_for_a_person_are_told_once_for_their_run(submission):
    run = planned(submission)
    run.judgements.update(state="paused", reason="HTTP 500, 5 times")
    assert [tell_operators(), tell_operators()] == [1, 0]
    (message,) = mail.outbox
    assert "4 judgements wait for a person in the run of Speller on spelling-1" in message.body
    assert "HTTP 500, 5 times" in message.body
    resume_run(run=run)
    tell_operators()
    run.judgements.filter(pk=run.judgements.first().pk).update(state="paused", reason="x")
    assert tell_operators() == 1
    assert "1 judgement waits for a person" in mail.outbox[-1].body


def test_an_entry_is_scored_with_its_coverage_while_one_judgement_waits_for_a_person(submission):
    run = planned(submission)
    judge_run(run_id=run.pk)
    row = run.judgements.order_by("pk").first()
    overwrite(run.judgements.filter(pk=row.pk), state="paused", verdict="", reason="HTTP 500")
    sweep_here(grace=NOW)
    sheet = Scoresheet.objects.get(run=run)
    assert (sheet.coverage, sheet.judged) == (0.75, 3)
    with_one, sheet_again = sheet.computed, Scoresheet.objects.filter(run=run)
    sweep_here(grace=NOW)
    assert sheet_again.get().computed == with_one  # nothing is done anew while nothing changes
    resume_run(run=run)
    sweep_here(grace=NOW)
    assert sheet_again.get().coverage == 1.0


def test_a_run_of_which_anything_waits_for_a_worker_is_not_scored(submission):
    run = planned(submission)
    judge_run(run_id=run.pk)
    rows = run.judgements.order_by("pk")
    overwrite(run.judgements.filter(pk=rows[0].pk), state="paused", verdict="")
    overwrite(run.judgements.filter(pk=rows[1].pk), state="waiting", verdict="")
    assert score_finished_runs() == 0


def test_a_judge_whose_canary_drifts_is_told_once_for_each_canary():
    spec = ensure_spec(of=protocol("spelling"), kind="openai", endpoint="main", model="m")
    canary = CanaryRun.objects.create
    canary(judge_spec=spec, started=timezone.now(), finished=timezone.now(), asked=20, same=20)
    assert tell_operators() == 0
    canary(judge_spec=spec, started=timezone.now(), finished=timezone.now(), asked=20, same=11)
    assert [tell_operators(), tell_operators()] == [1, 0]
    assert "under 90 % of the verdicts were the same" in mail.outbox[0].body
    canary(judge_spec=spec, started=timezone.now(), finished=timezone.now(), asked=20, same=20)
    assert tell_operators() == 0


def test_an_endpoint_that_a_person_paused_is_told_to_nobody(submission):
    limits.pause_by_person("main", reason="the bill is due")
    assert tell_operators() == 0


def test_a_run_without_verdicts_is_told_with_what_to_do(submission):
    spec = ensure_spec(of=protocol("spelling"), kind="openai", endpoint="main", model="m")
    run = request_run(submission=submission, spec=spec)
    paused(run, JudgeRun.Pause.JUDGE, "20 replies in a row gave no verdict")
    tell_operators()
    assert "manage.py endpoints --reopen main" in mail.outbox[0].body


# --- what a mail server cannot do -----------------------------------------------------------------


def test_a_mail_server_that_is_away_is_logged_and_judging_goes_on(settings, submission, caplog):
    settings.EMAIL_BACKEND = AWAY
    limits.halt("main", reason="HTTP 401")
    sweep_here(grace=NOW)
    assert Scoresheet.objects.get().submission == submission
    assert "Operators could not be told of 1 events by mail" in caplog.text
    assert OperatorNotice.objects.get().told is None


def test_it_is_tried_again_by_the_first_sweep_after_a_minute_and_then_told_once(settings):
    tried = ServerAway.tried
    with_server, settings.EMAIL_BACKEND = settings.EMAIL_BACKEND, AWAY
    limits.halt("main", reason="HTTP 401")
    for _ in range(3):
        sweep_here(grace=NOW)
    assert ServerAway.tried == tried + 1
    settings.EMAIL_BACKEND = with_server
    OperatorNotice.objects.update(next_try=timezone.now() - RETRY)
    for _ in range(3):
        sweep_here(grace=NOW)
    assert len(told()) == 1


def test_what_another_worker_is_telling_is_not_told_twice(settings, monkeypatch):
    limits.halt("main", reason="HTTP 401")
    seen = []
    monkeypatch.setattr(
        "leaderboard.operations.operator_mail.send",
        lambda events: seen.append((len(events), tell_operators())),
    )
    tell_operators()
    assert seen == [(1, 0)]


def test_a_stage_that_fails_does_not_keep_operators_from_being_told(monkeypatch, submission):
    def broken(**_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("leaderboard.operations.sweeps.score_finished_runs", broken)
    limits.halt("main", reason="HTTP 401")
    with pytest.raises(ZeroDivisionError):
        sweep_here(grace=NOW)
    assert len(told()) == 1


def test_a_page_that_fails_sends_no_mail(client, monkeypatch):
    def broken() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("leaderboard.views.site.home_page", broken)
    client.raise_request_exception = False
    assert client.get("/").status_code == 500
    assert told() == []
