"""What a sweep costs where there is a history: nothing of it is looked at. And yet nothing that is
due is left lying."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks.models import Release
from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import restore_submission, withdraw_submission
from judging.coordination import limits, spending
from judging.models import CanaryRun, Judgement, JudgeRun, ReferenceRequest
from judging.services import ensure_spec, pause_run, plan_run, request_missing_runs
from leaderboard.models import LookAtWaits, OperatorNotice, Scoresheet
from leaderboard.operations.mail.operator_mail import tell_operators
from leaderboard.operations.sweeps import (
    LOOK_AGAIN,
    is_anything_due,
    prepare,
    sweep_and_queue,
    sweep_here,
    work_here,
)
from leaderboard.results import services
from tests.conftest import confirmed, import_spelling, submit
from tests.finished_work import analyze, boards_are_stored, copy_finished
from tests.overwriting import overwrite
from tests.rows_read import read_in_full, steps_of

NOW = timedelta(0)
LONG = timedelta(days=60)
# a thousand judgements, which PostgreSQL reads in full rather than by an index that helps little
MANY = 250


@pytest.fixture(scope="module")
def history(module_rows) -> Submission:
    """Judged, scored and long ago, with a call in the ledger for each of its judgements; and twenty
    like it."""
    owner = confirmed(User.objects.create_user("rosa", "rosa@example.org", "a long password"))
    submission = submit(import_spelling(), owner)
    sweep_here(grace=NOW)
    JudgeRun.objects.update(planned=timezone.now() - LONG)
    Judgement.objects.update(settled=timezone.now() - LONG)
    copy_finished(submission, 20)
    return submission


@pytest.fixture
def finished(history, db) -> Submission:
    return Submission.objects.get(pk=history.pk)


@pytest.fixture
def operators(settings, monkeypatch):
    """Every part of a sweep has something to look for. Whether anything may be spent is asked once
    a second: here once in all, or on a busy machine once more."""
    monkeypatch.setattr(spending, "KEPT_SECONDS", 600.0)
    monkeypatch.setattr(spending, "kept", (0.0, ""))  # and what is kept then goes with the test
    settings.ADMINS = [("ops", "ops@example.org")]
    settings.CANARY_HOURS = 24.0
    settings.JUDGE_ENDPOINTS = {
        "main": {"url": "https://judge.example.org/v1", "key": "k", "limits": {}, "prices": {}}
    }


def is_due_but_for_boards() -> bool:
    boards_are_stored()
    return is_anything_due()


def a_minute_later() -> None:
    LookAtWaits.objects.update(next_at=timezone.now() - LOOK_AGAIN)


def queries_of_every_stage() -> list[str]:
    spending.reason_to_wait()
    with CaptureQueriesContext(connection) as captured:
        is_anything_due()
        work_here(grace=NOW)
        tell_operators()
    return [query["sql"] for query in captured.captured_queries]


def late(submission: Submission, name: str) -> Submission:
    """One of other answers, planned and not judged."""
    release, answers = submission.release, f"1={name}\n2=b\n3=c\n4=d\n".encode()
    made = submit(release, submission.owner, answers, name=name)
    request_missing_runs()
    return made


# --- what it costs --------------------------------------------------------------------------------


def test_an_idle_sweep_is_three_queries_and_all_its_stages_few_that_write_nothing(
    finished, operators, django_assert_num_queries
):
    for sweep in (lambda: sweep_here(grace=NOW), sweep_and_queue):
        spending.look_again()
        with django_assert_num_queries(3):
            sweep()
    queries = queries_of_every_stage()
    # is anything due, fourteen stages, who waits for whom, and what operators are told
    assert len(queries) == 22
    assert [sql for sql in queries if not sql.lstrip("(").startswith("SELECT")] == []


@pytest.mark.slow
@pytest.mark.skipif(connection.vendor != "sqlite", reason="counted by SQLite's virtual machine")
def test_no_stage_looks_at_more_because_more_was_judged(finished, operators):
    queries = queries_of_every_stage()
    steps = []
    for times in (1, MANY):
        copy_finished(finished, times)
        analyze()
        steps.append([steps_of(sql) for sql in queries])
    growing = [
        (few, many, sql)
        for few, many, sql in zip(*steps, queries, strict=True)
        if many > 1.2 * few + 50  # what few rows there are of releases and judges
    ]
    assert growing == []


@pytest.mark.slow
def test_no_query_of_a_sweep_reads_a_table_of_the_history_from_end_to_end(finished, operators):
    copy_finished(finished, 5 * MANY)  # of fewer rows PostgreSQL rightly reads all
    analyze()
    assert read_in_full(queries_of_every_stage()) == []
    late(finished, "New")
    prepare()
    assert read_in_full(queries_of_every_stage()) == []
    assert Scoresheet.objects.filter(submission__model__name="New").exists()
    with connection.cursor() as cursor:
        for name in ("judgement_parked", "judgement_for_review", "judgement_run_state"):
            cursor.execute(f"DROP INDEX {name}")
    found = read_in_full(queries_of_every_stage())
    assert any("judging_judgement" in fault for fault in found)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL knows what is rare")
def test_scores_by_older_formulas_are_found_by_their_index(finished):
    by_formulas, _ = services.outdated_runs()
    assert "SEARCH U0 USING INDEX scoresheet_scoring" in by_formulas.explain()


# --- and yet nothing is left lying ----------------------------------------------------------------


def test_work_of_every_stage_is_noticed(finished, operators):
    runs = JudgeRun.objects.filter(submission=finished)
    for rows, due, done in (
        (Release.objects.all(), {"floor_version": 0}, {"floor_version": 1}),
        (Submission.objects.all(), {"flags_version": 0}, {"flags_version": 100}),
        (Scoresheet.objects.all(), {"scoring": 0}, {"scoring": 100}),
        (runs, {"unscored": 1}, {"unscored": None}),
        (runs, {"paused": timezone.now() - LONG}, {"paused": None}),
    ):
        assert not is_due_but_for_boards()
        rows.update(**due)
        assert is_due_but_for_boards(), due
        rows.update(**done)
    spec = ensure_spec(of=protocol("spelling"), kind="rules")
    canary = CanaryRun.objects.create(judge_spec=spec, started=timezone.now())
    a_minute_later()
    assert is_due_but_for_boards()
    canary.delete()
    assert not is_due_but_for_boards()
    ReferenceRequest.objects.create(release=finished.release, endpoint="main", model="m")
    assert is_due_but_for_boards()


def test_what_nobody_confirmed_is_noticed_after_its_week(finished):
    left = submit(finished.release, finished.owner, name="Late", confirm=False)
    assert not is_due_but_for_boards()
    Submission.objects.filter(pk=left.pk).update(created=timezone.now() - LONG)
    sweep_here(grace=NOW)
    left.refresh_from_db()
    assert left.withdrawn is not None
    assert not is_due_but_for_boards()


def test_what_was_withdrawn_is_not_looked_at_until_it_stands_again(finished):
    new = late(finished, "Late")
    prepare()
    assert is_due_but_for_boards()
    for one in (new, finished):
        withdraw_submission(submission=one)
    Scoresheet.objects.filter(submission=finished).update(scoring=0)
    assert not is_due_but_for_boards()
    for one in (new, finished):
        restore_submission(submission=one)
        assert is_due_but_for_boards()
        sweep_here(grace=NOW)
        assert not is_due_but_for_boards()
    assert Scoresheet.objects.filter(submission=new).exists()
    assert not Scoresheet.objects.filter(scoring=0).exists()


@pytest.mark.parametrize("older", [{"scoring": 0}, {"flags_version": 0}])
def test_what_cannot_be_scored_anew_keeps_neither_others_nor_sweeps_from_it(
    finished, monkeypatch, older
):
    """Neither does it hold the few places there are, nor is it looked for again and again."""
    gone, fails, *others = JudgeRun.objects.order_by("pk")[:4]
    rows = Scoresheet.objects if "scoring" in older else Submission.objects
    key = "run__in" if "scoring" in older else "runs__in"
    rows.filter(**{key: [gone, fails, *others]}).update(**older)
    withdraw_submission(submission=gone.submission)
    JudgeRun.objects.filter(pk=fails.pk).update(pause_kind="fault", held_until=None)
    monkeypatch.setattr(services, "CHECKED_AT_ONCE", 1)
    assert [services.score_finished_runs() for _ in range(3)] == [1, 1, 0]
    assert [found.count() for found in services.outdated_runs()] == [0, 0]
    assert not is_due_but_for_boards()


def test_a_paused_run_is_noticed_though_nothing_of_it_waits(finished):
    run = finished.runs.get()
    pause_run(run=run, kind=JudgeRun.Pause.BUDGET, reason="no room")
    assert is_due_but_for_boards()
    sweep_here(grace=NOW)
    assert JudgeRun.objects.get(pk=run.pk).paused is None


# --- what waits for people, for days --------------------------------------------------------------


def test_a_judgement_that_is_left_to_a_person_is_told_and_then_is_overdue(finished, operators):
    left = finished.runs.get().judgements
    rows = left.filter(pk=left.order_by("pk")[0].pk)
    overwrite(rows, state="paused", verdict="", settled=timezone.now())
    sweep_here(grace=NOW)
    assert "1 judgement waits for a person" in mail.outbox[0].body
    rows.update(settled=timezone.now() - LONG)
    sweep_here(grace=NOW)
    assert Scoresheet.objects.get(submission=finished).failed == 1
    assert not is_due_but_for_boards()  # the notice went with the judgement


def test_while_people_are_waited_for_sweeps_are_idle_and_what_comes_meanwhile_is_told_at_once(
    finished, operators, django_assert_num_queries
):
    """A judgement, runs that a person paused, that fail and whose judge gives no verdict, a halted
    endpoint, and a judge that was asked its canary."""
    left = finished.runs.get().judgements
    first = left.order_by("pk")[0].pk
    overwrite(left.filter(pk=first), state="paused", verdict="", settled=timezone.now())
    waits = {}
    for kind in (JudgeRun.Pause.PERSON, JudgeRun.Pause.FAULT, JudgeRun.Pause.JUDGE):
        waits[kind] = late(finished, kind).runs.get()
        pause_run(run=waits[kind], kind=kind, reason="it fails")
    limits.halt("main", reason="HTTP 401")
    spec = ensure_spec(of=protocol("spelling"), kind="rules")
    CanaryRun.objects.create(judge_spec=spec, started=timezone.now(), finished=timezone.now())
    sweep_here(grace=NOW)
    assert mail.outbox.pop().subject.endswith("4 things keep judging from going on")
    boards_are_stored()
    for _ in range(2):
        assert not is_anything_due()
        with django_assert_num_queries(5):
            sweep_here(grace=NOW)
    a_minute_later()
    assert is_anything_due()
    sweep_here(grace=NOW)
    assert not is_anything_due()

    def judgement_comes() -> None:
        run = waits[JudgeRun.Pause.PERSON]
        plan_run(run_id=run.pk)
        one = run.judgements.filter(pk=run.judgements.order_by("pk")[0].pk)
        overwrite(one, state="paused", settled=timezone.now())

    def run_comes() -> None:
        JudgeRun.objects.filter(pause_kind="fault").update(paused=timezone.now())

    def endpoint_comes() -> None:
        limits.reopen("main")
        limits.halt("main", reason="HTTP 402")

    def mail_was_not_sent() -> None:
        OperatorNotice.objects.filter(subject="endpoint/main").delete()

    for comes in (judgement_comes, run_comes, endpoint_comes, mail_was_not_sent):
        assert mail.outbox == []
        comes()
        assert is_due_but_for_boards(), comes
        sweep_here(grace=NOW)
        assert mail.outbox.pop(), comes
        assert not is_due_but_for_boards(), comes


def test_what_was_told_and_is_over_is_forgotten_within_the_minute(finished, operators):
    limits.halt("main", reason="HTTP 401")
    assert is_due_but_for_boards()
    sweep_here(grace=NOW)
    limits.reopen("main")
    assert not is_due_but_for_boards()
    a_minute_later()
    sweep_here(grace=NOW)
    assert not OperatorNotice.objects.exists()
