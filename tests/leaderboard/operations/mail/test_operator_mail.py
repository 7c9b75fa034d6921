"""What operators are told by mail: every event once, never a secret, and never at the cost of
judging."""

import threading
from datetime import timedelta

import pytest
from django.core import mail
from django.core.cache import cache
from django.core.mail.backends.locmem import EmailBackend
from django.db import connections
from django.utils import timezone

from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import withdraw_submission
from judging.coordination import limits
from judging.engine.engine import judge_run
from judging.models import CanaryRun, JudgeRun
from judging.services import ensure_spec, pause_run, request_run, resume_run
from leaderboard.models import OperatorNotice, Scoresheet
from leaderboard.operations.mail import operator_mail
from leaderboard.operations.mail.operator_mail import NO_MAIL, tell_operators
from leaderboard.operations.sweeps import sweep_here
from leaderboard.results.services import score_finished_runs
from tests.conftest import submit
from tests.leaderboard.operations.waiting import beat, planned, waiting_run
from tests.overwriting import overwrite

NOW = timedelta(0)
Pause = JudgeRun.Pause
MAIN = {
    "url": "https://judge.example.org/v1",
    "key": "key-of-the-judge",
    "limits": {},
    "prices": {},
}
AWAY = "tests.leaderboard.operations.mail.test_operator_mail.ServerAway"


class ServerAway(EmailBackend):
    tried = 0

    def send_messages(self, messages):
        type(self).tried += 1
        raise ConnectionRefusedError("nobody listens")


@pytest.fixture(autouse=True)
def operators(settings, db):
    settings.ADMINS = [("", "ops@example.org")]
    settings.JUDGE_ENDPOINTS = {"main": MAIN}
    cache.delete(NO_MAIL)  # of another test, less than a minute ago


def told() -> list[str]:
    """Subjects of the mails since the last look."""
    subjects = [str(message.subject) for message in mail.outbox]
    mail.outbox.clear()
    return subjects


def openai_run(submission: Submission) -> JudgeRun:
    spec = ensure_spec(of=protocol("spelling"), kind="openai", endpoint="main", model="m")
    return request_run(submission=submission, spec=spec)


# --- what is told ---------------------------------------------------------------------------------


def test_what_is_new_is_one_mail_with_a_sentence_for_each(spelling, owner):
    limits.halt("main", reason="HTTP 401")
    limits.pause_by_person("billed", reason="the bill is due")
    expected = {
        "The judge endpoint main is halted: HTTP 401. manage.py endpoints --reopen main opens it.",
        "Each is told once. /status/ shows what waits now.",
    }
    hows = {
        Pause.BUDGET: "by a budget",
        Pause.ENDPOINT: "for its endpoint",
        Pause.JUDGE: "for its judge",
        Pause.FAULT: "because it fails",
    }
    runs: dict[Submission, JudgeRun] = {}
    for kind in (*hows, Pause.PERSON, Pause.BUDGET):
        one = submit(spelling, owner, name=f"Model {len(runs)}")
        run = runs[one] = openai_run(one) if kind == Pause.JUDGE else planned(one)
        pause_run(run=run, kind=kind, reason=f"reason {len(runs)}")
        if len(runs) <= len(hows):
            todo = ""
            if kind == Pause.JUDGE:
                todo = (
                    " Once the cause is gone, Resume in the admin or manage.py endpoints --reopen "
                    "main lets it go on."
                )
            expected.add(
                f"The run of {one.model.name} on spelling-1 by {run.judge_spec.slug} is paused "
                f"{hows[kind]}: reason {len(runs)}.{todo} Submission {one.pk}."
            )
    withdraw_submission(submission=one)  # the one that a budget paused last
    left = submit(spelling, owner, name="Left")
    run = planned(left)
    run.judgements.update(state="paused", reason="HTTP 500, 5 times")
    expected.add(
        f"4 judgements wait for a person in the run of Left on spelling-1 by "
        f"{run.judge_spec.slug}: HTTP 500, 5 times. Resume the run in the admin to have them asked "
        "again, or exclude them under Judgements for review. The entry is scored without them, "
        f"with its coverage. Submission {left.pk}."
    )
    assert (tell_operators(), tell_operators()) == (6, 0)
    (message,) = mail.outbox
    assert (message.to, message.subject) == (
        ["ops@example.org"],
        "[Assay] 6 things keep judging from going on",
    )
    paragraphs = message.body.split("\n\n")
    assert set(paragraphs) == expected
    assert len(paragraphs) == len(expected)
    assert paragraphs[-1].startswith("Each is told once.")


def test_what_is_over_is_told_again_when_it_comes_again(submission):
    run = planned(submission)
    for reason in ("HTTP 401", "HTTP 402"):
        limits.halt("main", reason=reason)
        pause_run(run=run, kind=Pause.JUDGE, reason=reason)
        assert [tell_operators() for _ in range(2)] == [2, 0]
        limits.reopen("main")
        resume_run(run=JudgeRun.objects.get(pk=run.pk))
        assert tell_operators() == 0
        assert not OperatorNotice.objects.exists()
    run.judgements.update(state="paused", reason="x")
    assert tell_operators() == 1
    run.judgements.update(state="waiting")
    tell_operators()
    run.judgements.filter(pk=run.judgements.first().pk).update(state="paused")
    assert tell_operators() == 1
    assert "1 judgement waits for a person" in mail.outbox[-1].body
    limits.halt("main", reason="HTTP 401")
    tell_operators()
    limits.reopen("main")  # and halted again before the next look
    limits.halt("main", reason="HTTP 402")
    assert tell_operators() == 1
    assert told()[-1].startswith("[Assay] The judge endpoint main is halted: HTTP 402.")


def test_work_that_is_stuck_is_told_once_until_it_is_stuck_again(
    submission, django_assert_num_queries
):
    run = waiting_run(submission)
    beat("a worker")
    assert [tell_operators(), tell_operators()] == [1, 0]
    judge_run(run_id=run.pk)
    assert tell_operators() == 0
    with django_assert_num_queries(2):  # of work just done nobody looks for the oldest
        assert tell_operators() == 0
    assert "nothing has been done for 120 s" in told()[0]
    overwrite(run.judgements, state="waiting", verdict="", settled=None)
    assert tell_operators() == 1


def test_work_that_a_sweep_does_is_not_told_although_it_waited_long(submission):
    waiting_run(submission)
    sweep_here(grace=NOW)
    assert Scoresheet.objects.exists()
    assert told() == []


def test_a_long_mail_counts_the_rest(spelling, owner, monkeypatch):
    monkeypatch.setattr(operator_mail, "LINES", 1)
    for number in range(3):
        run = planned(submit(spelling, owner, name=f"Model {number}"))
        pause_run(run=run, kind=Pause.BUDGET, reason="no room")
    assert tell_operators() == 3
    (message,) = mail.outbox
    assert message.subject == "[Assay] 3 things keep judging from going on"
    assert message.body.count("is paused by a budget") == 1
    assert "and 2 more" in message.body


def test_no_mail_has_an_address_or_a_key_or_a_broken_subject():
    reason = (
        "no route\nto https://judge.example.org/v1\r\nBcc: all@example.org, key key-of-the-judge"
    )
    limits.halt("main", reason=reason)
    assert tell_operators() == 1
    message = mail.outbox[0].message().as_string()
    assert "judge.example.org" not in message
    assert "key-of-the-judge" not in message
    assert mail.outbox[0].recipients() == ["ops@example.org"]


def test_without_operators_or_anything_new_nobody_is_told_and_little_asked(
    settings, django_assert_num_queries
):
    limits.halt("main", reason="HTTP 401")
    with_them, settings.ADMINS = settings.ADMINS, []
    with django_assert_num_queries(0):
        assert tell_operators() == 0
    settings.ADMINS = with_them
    tell_operators()
    with django_assert_num_queries(8):
        tell_operators()
    assert OperatorNotice.objects.get().subject == "endpoint/main"


# --- judgements for a person, judges that changed -------------------------------------------------


def test_an_entry_is_scored_with_its_coverage_once_only_people_are_waited_for(submission):
    run = planned(submission)
    judge_run(run_id=run.pk)
    first, second = run.judgements.order_by("pk")[:2]
    overwrite(run.judgements.filter(pk=first.pk), state="paused", verdict="", reason="HTTP 500")
    overwrite(run.judgements.filter(pk=second.pk), state="waiting", verdict="")
    assert score_finished_runs() == 0
    sweep_here(grace=NOW)
    sheet = Scoresheet.objects.get(run=run)
    assert (sheet.coverage, sheet.judged) == (0.75, 3)
    sweep_here(grace=NOW)
    assert Scoresheet.objects.get().computed == sheet.computed  # nothing is done anew
    resume_run(run=run)
    sweep_here(grace=NOW)
    assert Scoresheet.objects.get().coverage == 1.0


def test_a_judge_whose_canary_drifts_is_told_once_for_each_canary():
    spec = ensure_spec(of=protocol("spelling"), kind="openai", endpoint="main", model="m")
    for same, times in ((20, [0, 0]), (11, [1, 0]), (20, [0, 0])):
        now = timezone.now()
        CanaryRun.objects.create(judge_spec=spec, started=now, finished=now, asked=20, same=same)
        assert [tell_operators(), tell_operators()] == times
    assert mail.outbox[0].body.split("\n\n")[0] == (
        f"The judge {spec.slug} has changed: in its canary under 90 % of the verdicts were the "
        f"same. /judges/{spec.slug}/ shows it."
    )


# --- what a mail server cannot do -----------------------------------------------------------------


def test_mail_whose_server_is_away_is_tried_again_after_a_minute_and_judging_goes_on(
    settings, submission, caplog
):
    tried = ServerAway.tried
    with_server, settings.EMAIL_BACKEND = settings.EMAIL_BACKEND, AWAY
    limits.halt("main", reason="HTTP 401")
    for _ in range(3):
        sweep_here(grace=NOW)
    assert Scoresheet.objects.get().submission == submission
    assert "Operators could not be told of 1 events by mail" in caplog.text
    assert not OperatorNotice.objects.exists()
    assert ServerAway.tried == tried + 1
    settings.EMAIL_BACKEND = with_server
    cache.delete(NO_MAIL)  # as a minute later
    for _ in range(3):
        sweep_here(grace=NOW)
    assert len(told()) == 1


def test_what_another_worker_is_telling_is_not_told_twice(monkeypatch):
    limits.halt("main", reason="HTTP 401")
    seen = []
    monkeypatch.setattr(
        operator_mail, "send", lambda events: seen.append((len(events), tell_operators()))
    )
    tell_operators()
    assert seen == [(1, 0)]


@pytest.mark.slow
@pytest.mark.postgresql
def test_workers_that_look_at_once_tell_each_event_once(committed):
    aliases = [f"judge{number}" for number in range(8)]
    for _ in range(2):
        for alias in aliases:
            limits.reopen(alias)
            limits.halt(alias, reason="HTTP 401")  # anew, so that notices of before are old
        start = threading.Barrier(3)

        def work(start: threading.Barrier = start) -> None:
            start.wait()
            tell_operators()
            connections.close_all()

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        text = "".join(str(message.body) for message in mail.outbox)
        assert [text.count(f"endpoint {alias} is halted") for alias in aliases] == [1] * 8
        mail.outbox.clear()


def test_a_stage_that_fails_does_not_keep_operators_from_being_told(monkeypatch):
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

    monkeypatch.setattr("leaderboard.web.pages.site.home.home_page", broken)
    client.raise_request_exception = False
    assert client.get("/").status_code == 500
    assert told() == []
