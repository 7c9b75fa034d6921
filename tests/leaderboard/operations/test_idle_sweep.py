"""What a sweep costs where there is a history: nothing of it is looked at."""

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
from judging import limits, spending
from judging.models import (
    CanaryRun,
    Judgement,
    JudgeRun,
    ReferenceRequest,
)
from judging.services import ensure_spec, pause_run, plan_run, request_missing_runs
from leaderboard import services
from leaderboard.models import LookAtWaits, OperatorNotice, Scoresheet
from leaderboard.operations.operator_mail import tell_operators
from leaderboard.operations.sweeps import (
    LOOK_AGAIN,
    is_anything_due,
    prepare,
    sweep_and_queue,
    sweep_here,
    work_here,
)
from tests.conftest import submit
from tests.finished_work import analyze, boards_are_stored, copy_finished
from tests.overwriting import overwrite
from tests.rows_read import read_in_full, steps_of

NOW = timedelta(0)
HOUR = timedelta(hours=1)
LONG = timedelta(days=60)
# a thousand judgements, which PostgreSQL reads in full rather than by an index that helps little
MANY = 250


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


@pytest.fixture
def finished(submission: Submission) -> Submission:
    """Judged, scored and long ago, with a call in the ledger for each of its judgements."""
    sweep_here(grace=NOW)
    JudgeRun.objects.update(planned=timezone.now() - LONG)
    Judgement.objects.update(settled=timezone.now() - LONG)
    boards_are_stored()
    return submission


def is_due_but_for_boards() -> bool:
    boards_are_stored()
    return is_anything_due()


def queries_of_every_stage() -> list[str]:
    spending.reason_to_wait()
    with CaptureQueriesContext(connection) as captured:
        is_anything_due()
        work_here(grace=NOW)
        tell_operators()
    return [query["sql"] for query in captured.captured_queries]


# --- what it costs --------------------------------------------------------------------------------


def test_an_idle_sweep_is_three_queries(finished, operators, django_assert_num_queries):
    copy_finished(finished, 20)
    for sweep in (lambda: sweep_here(grace=NOW), sweep_and_queue):
        spending.look_again()
        with django_assert_num_queries(3):
            sweep()


def test_all_stages_with_nothing_to_do_are_few_queries_and_write_nothing(finished, operators):
    copy_finished(finished, 20)
    queries = queries_of_every_stage()
    # is anything due, fourteen stages, who waits for whom, and what operators are told
    assert len(queries) == 22
    assert [sql for sql in queries if not sql.lstrip("(").startswith("SELECT")] == []


@pytest.mark.slow
@pytest.mark.skipif(connection.vendor != "sqlite", reason="counted by SQLite's virtual machine")
def test_no_stage_looks_at_more_because_more_was_judged(finished, operators):
    queries = queries_of_every_stage()
    steps = []
    for times in (10, MANY):
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
def test_no_query_of_a_sweep_reads_a_table_of_the_history_from_end_to_end(
    finished, operators, spelling, owner
):
    copy_finished(finished, MANY)
    analyze()
    assert read_in_full(queries_of_every_stage()) == []


@pytest.mark.slow
def test_nor_does_one_that_has_work(finished, operators, spelling, owner):
    copy_finished(finished, 5 * MANY)  # of fewer rows PostgreSQL rightly reads all
    analyze()
    submit(spelling, owner, b"1=a\n2=b\n3=c\n4=d\n", name="New")
    prepare()
    assert read_in_full(queries_of_every_stage()) == []
    assert Scoresheet.objects.filter(submission__model__name="New").exists()


@pytest.mark.slow
def test_without_its_indexes_it_would_be_seen_to_read_everything(finished, operators):
    copy_finished(finished, MANY)
    analyze()
    with connection.cursor() as cursor:
        for name in ("judgement_parked", "judgement_for_review", "judgement_run_state"):
            cursor.execute(f"DROP INDEX {name}")
    assert any("judging_judgement" in fault for fault in read_in_full(queries_of_every_stage()))


# --- and yet nothing is left lying ----------------------------------------------------------------


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL knows what is rare")
def test_scores_by_older_formulas_are_found_by_their_index(finished):
    by_formulas, _ = services.outdated_runs()
    assert "SEARCH U0 USING INDEX scoresheet_scoring" in by_formulas.explain()


def test_work_of_every_stage_is_noticed(finished, operators, spelling):
    copy_finished(finished, 5)
    releases = type(spelling).objects.filter(pk=spelling.pk)
    submissions = Submission.objects.filter(pk=finished.pk)
    runs = JudgeRun.objects.filter(submission=finished)
    sheets = Scoresheet.objects.filter(submission=finished)
    long_ago = timezone.now() - LONG
    for rows, due, done in (
        (releases, {"floor_version": 0}, {"floor_version": 1}),
        (submissions, {"flags_version": 0}, {"flags_version": 100}),
        (sheets, {"scoring": 0}, {"scoring": 100}),
        (runs, {"unscored": 1}, {"unscored": None}),
        (runs, {"paused": long_ago}, {"paused": None}),
    ):
        assert not is_due_but_for_boards()
        rows.update(**due)
        assert is_due_but_for_boards(), due
        rows.update(**done)


def test_what_nobody_confirmed_is_noticed_after_its_week(finished, spelling, owner):
    late = submit(spelling, owner, name="Late", confirm=False)
    assert not is_due_but_for_boards()
    Submission.objects.filter(pk=late.pk).update(created=timezone.now() - LONG)
    sweep_here(grace=NOW)
    late.refresh_from_db()
    assert late.withdrawn is not None
    assert not is_due_but_for_boards()


def test_what_operators_are_to_be_told_and_what_people_asked_for_is_noticed(
    finished, operators, spelling
):
    spec = ensure_spec(of=protocol("spelling"), kind="rules")
    canary = CanaryRun.objects.create(judge_spec=spec, started=timezone.now())
    a_minute_later()
    assert is_due_but_for_boards()
    canary.delete()
    limits.halt("main", reason="HTTP 401")
    assert is_due_but_for_boards()
    limits.reopen("main")
    assert not is_due_but_for_boards()
    ReferenceRequest.objects.create(release=spelling, endpoint="main", model="m")
    assert is_due_but_for_boards()


def test_what_was_withdrawn_is_not_looked_at_until_it_stands_again(finished, spelling, owner):
    late = submit(spelling, owner, b"1=a\n2=b\n3=c\n4=d\n", name="Late")
    prepare()
    assert is_due_but_for_boards()
    withdraw_submission(submission=late)
    assert not is_due_but_for_boards()
    restore_submission(submission=late)
    sweep_here(grace=NOW)
    assert Scoresheet.objects.filter(submission=late).exists()
    assert not is_due_but_for_boards()


@pytest.mark.slow
def test_a_judgement_that_is_left_to_a_person_is_told_and_then_is_overdue(finished, operators):
    row = Judgement.objects.order_by("pk")[0]
    rows = Judgement.objects.filter(pk=row.pk)
    overwrite(rows, state="paused", verdict="", settled=timezone.now())
    sweep_here(grace=NOW)
    assert "1 judgement waits for a person" in mail.outbox[0].body
    rows.update(settled=timezone.now() - LONG)
    sweep_here(grace=NOW)
    assert Scoresheet.objects.get(submission=finished).failed == 1
    assert not is_due_but_for_boards()  # the notice went with the judgement


# --- what waits for people, for days --------------------------------------------------------------


def left_to_a_person(finished: Submission, spelling: Release, owner: User) -> None:
    """A judgement, runs that a person paused, that fail and whose judge gives no verdict, a halted
    endpoint, and a judge that was asked its canary."""
    row = Judgement.objects.filter(run__submission=finished).order_by("pk")[0]
    rows = Judgement.objects.filter(pk=row.pk)
    overwrite(rows, state="paused", verdict="", settled=timezone.now())
    for kind in (JudgeRun.Pause.PERSON, JudgeRun.Pause.FAULT, JudgeRun.Pause.JUDGE):
        run = JudgeRun.objects.get(submission=late(spelling, owner, kind))
        pause_run(run=run, kind=kind, reason="it fails")
    limits.halt("main", reason="HTTP 401")
    spec = ensure_spec(of=protocol("spelling"), kind="rules")
    CanaryRun.objects.create(judge_spec=spec, started=timezone.now(), finished=timezone.now())


def late(spelling: Release, owner: User, name: str) -> Submission:
    submission = submit(spelling, owner, f"1={name}\n2=b\n3=c\n4=d\n".encode(), name=name)
    request_missing_runs()
    return submission


@pytest.mark.slow
def test_while_people_are_waited_for_sweeps_are_idle_and_look_once_a_minute(
    finished, operators, spelling, owner, django_assert_num_queries
):
    left_to_a_person(finished, spelling, owner)
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
    assert mail.outbox == []


@pytest.mark.slow
@pytest.mark.parametrize("event", ["judgement", "run", "endpoint"])
def test_what_comes_meanwhile_is_told_at_once_and_what_is_over_can_come_again(
    finished, operators, spelling, owner, event
):
    left_to_a_person(finished, spelling, owner)
    sweep_here(grace=NOW)
    mail.outbox.clear()
    boards_are_stored()
    if event == "judgement":
        run = JudgeRun.objects.exclude(submission=finished).filter(pause_kind="person").get()
        plan_run(run_id=run.pk)
        row = run.judgements.order_by("pk")[0]
        overwrite(run.judgements.filter(pk=row.pk), state="paused", settled=timezone.now())
    elif event == "run":
        JudgeRun.objects.filter(pause_kind="fault").update(paused=timezone.now())
    else:
        limits.reopen("main")
        limits.halt("main", reason="HTTP 402")
    assert is_anything_due()
    sweep_here(grace=NOW)
    assert len(mail.outbox) == 1
    assert not is_due_but_for_boards()


@pytest.mark.slow
def test_a_mail_that_was_not_sent_is_tried_again_though_the_look_was_just_now(
    finished, operators, spelling, owner
):
    left_to_a_person(finished, spelling, owner)
    sweep_here(grace=NOW)
    one = OperatorNotice.objects.order_by("pk")[:1]
    again = timezone.now() - HOUR
    OperatorNotice.objects.filter(pk__in=one).update(told=None, next_try=again)
    assert is_due_but_for_boards()


def test_what_was_told_and_is_over_is_forgotten_within_the_minute(finished, operators):
    limits.halt("main", reason="HTTP 401")
    sweep_here(grace=NOW)
    limits.reopen("main")
    assert not is_due_but_for_boards()
    a_minute_later()
    sweep_here(grace=NOW)
    assert not OperatorNotice.objects.exists()


def a_minute_later() -> None:
    LookAtWaits.objects.update(next_at=timezone.now() - LOOK_AGAIN)


def test_a_paused_run_is_noticed_though_nothing_of_it_waits(finished):
    run = JudgeRun.objects.get(submission=finished)
    pause_run(run=run, kind=JudgeRun.Pause.BUDGET, reason="no room")
    assert is_due_but_for_boards()
    sweep_here(grace=NOW)
    assert JudgeRun.objects.get(pk=run.pk).paused is None


@pytest.mark.parametrize("older", [{"scoring": 0}, {"flags_version": 0}])
@pytest.mark.parametrize("why", ["withdrawn", "fault"])
def test_what_cannot_be_scored_anew_keeps_neither_others_nor_sweeps_from_it(
    finished, monkeypatch, older, why
):
    """Neither does it hold the few places there are, nor is it looked for again and again."""
    copies = copy_finished(finished, 3)
    make_outdated(older)
    first = JudgeRun.objects.order_by("pk")[0]
    if why == "withdrawn":
        withdraw_submission(submission=first.submission)
    else:
        JudgeRun.objects.filter(pk=first.pk).update(pause_kind="fault", held_until=None)
    monkeypatch.setattr(services, "LOOKED_AT", 1)
    scored = [services.score_finished_runs() for _ in range(len(copies) + 1)]
    assert scored == [1, 1, 1, 0]
    assert [rows.count() for rows in services.outdated_runs()] == [0, 0]
    assert not is_due_but_for_boards()


def test_what_stands_again_is_scored_by_the_formulas_of_now(finished):
    withdraw_submission(submission=finished)
    make_outdated({"scoring": 0})
    assert not is_due_but_for_boards()
    restore_submission(submission=finished)
    assert is_due_but_for_boards()
    assert services.score_finished_runs() == 1
    assert not Scoresheet.objects.filter(scoring=0).exists()


def make_outdated(older: dict[str, int]) -> None:
    """All there are, by formulas or by rules of flags."""
    rows = Scoresheet.objects if "scoring" in older else Submission.objects
    rows.update(**older)
