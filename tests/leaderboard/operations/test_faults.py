"""A submission or a protocol at fault stops its own runs, is counted, and ends with a person; all
others go on."""

import io
import logging
import time
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from django.core import mail
from django.db import connection
from django.db.models import F

from benchmarks.checks import board_faults
from benchmarks.models import Question, Reference
from benchmarks.registry import protocol, protocols
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import Submission
from benchmarks.submissions.samples.floor import set_floor_version
from judging.coordination.clock import database_now
from judging.engine.engine import judge_run
from judging.models import Judgement, JudgeRun
from judging.services import attempts, pause_run, plan_run, resume_run
from judging.services.attempts import (
    CALM,
    LEASE,
    MOST_FAILURES,
    StillChangingError,
    attempt,
    claim,
)
from judging.services.runs import request_missing_runs
from leaderboard.models import Scoresheet
from leaderboard.operations.sweeps import sweep_here
from leaderboard.results.services import score_finished_runs, score_run
from leaderboard.web.pages.submissions.submission import submission_page
from tests.conftest import SPELLING, submit
from tests.failing_protocol import SECRET, STEP_SECONDS, Gate, gates
from tests.judging.threads import at_once
from tests.overwriting import overwrite

NOW = timedelta(0)
Pause = JudgeRun.Pause


@pytest.fixture
def failing(settings, db):
    settings.PROTOCOLS = [*settings.PROTOCOLS, "tests.failing_protocol"]
    protocols.cache_clear()
    release = import_release(
        protocol=protocol("failing"), stream=io.BytesIO(SPELLING), slug="failing-1"
    ).release
    set_floor_version(release)
    yield release
    gates.clear()
    protocols.cache_clear()


def answered(text: str) -> bytes:
    return f"1=two\n2={text}\n3=night\n4=sea\n".encode()


def sweep_after_the_wait() -> None:
    JudgeRun.objects.update(held_until=F("held_until") - timedelta(hours=1))
    sweep_here(grace=NOW)


# --- one fails, the others go on ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "doing", "kind"),
    [("unplannable", "planning", "ValueError"), ("unscorable", "scoring", "KeyError")],
)
def test_a_run_that_fails_stops_no_other_and_after_a_few_tries_a_person_is_asked(
    failing, spelling, owner, settings, client, caplog, fault, doing, kind
):
    settings.ADMINS = [("", "ops@example.org")]
    bad = submit(failing, owner, answered(fault))
    good = submit(spelling, owner)
    sweep_here(grace=NOW)
    assert Scoresheet.objects.get().submission == good
    sweep_here(grace=NOW)
    run = bad.runs.get()
    assert run.failures == 1  # it is not tried at once again
    for _ in range(MOST_FAILURES + 1):
        sweep_after_the_wait()
    run.refresh_from_db()
    assert (run.failures, run.pause_kind) == (MOST_FAILURES, Pause.FAULT)
    assert (
        run.pause_reason == f"{doing} it failed 3 times ({kind}); the log of the workers says where"
    )
    assert [run.pause_reason in str(message.body) for message in mail.outbox] == [True]
    assert submission_page(bad, owner)["progress"]["state"] == "paused"
    if fault == "unscorable":
        assert run.pause_reason.split(";")[0] in client.get("/status/").content.decode()
    faults = [r for r in caplog.records if r.name == "judging.services.attempts"]
    assert [record.levelno for record in faults] == [logging.ERROR] * MOST_FAILURES
    assert f"in {'plain_verdict' if doing == 'planning' else 'contributions'}" in caplog.text
    assert SECRET not in caplog.text
    resume_run(run=run)
    sweep_here(grace=NOW)
    run.refresh_from_db()
    assert (run.failures, run.paused) == (1, None)
    pause_run(run=run, kind=Pause.PERSON, reason="wait for the dataset")
    sweep_after_the_wait()
    run.refresh_from_db()
    assert (run.failures, run.pause_kind) == (1, Pause.PERSON)
    assert run.pause_reason == "wait for the dataset"


def test_a_judge_that_raises_stops_no_other(failing, spelling, owner, caplog):
    bad = submit(failing, owner)
    sweep_here(grace=timedelta(hours=1))  # plans it, and leaves it to workers that nobody wakes
    Judgement.objects.filter(answer__submission=bad).update(slot="a slot that is none")
    good = submit(spelling, owner, name="Behind")
    sweep_here(grace=NOW)
    assert Scoresheet.objects.get().submission == good
    assert "judging it failed: ValueError" in caplog.text


# --- tries ----------------------------------------------------------------------------------------


def run_of(submission: Submission) -> JudgeRun:
    request_missing_runs()
    return submission.runs.get()


def test_a_run_that_takes_its_workers_down_is_paused(submission):
    run = run_of(submission)
    for _ in range(MOST_FAILURES):
        assert claim(run.pk, "planning it")  # and the worker is killed
        assert not claim(run.pk, "planning it")
        JudgeRun.objects.update(held_until=F("held_until") - LEASE)
    sweep_here(grace=NOW)
    run.refresh_from_db()
    assert run.pause_reason == (
        "planning it was tried 3 times, and the last worker did not come back"
    )
    assert run.planned is None


def test_a_worker_that_was_killed_is_taken_over(submission):
    run = run_of(submission)
    claim(run.pk, "planning it")
    JudgeRun.objects.update(held_until=F("held_until") - LEASE)
    sweep_here(grace=NOW)
    assert (run.judgements.count(), Scoresheet.objects.get().judged) == (4, 4)
    run.refresh_from_db()
    assert (run.failures, run.held_until) == (0, None)


def test_a_worker_that_lost_its_lease_changes_nothing_of_the_next_try(submission):
    run = run_of(submission)

    def frozen(error: Exception | None) -> None:
        # A second more: SQLite's clock tells thousandths, and this may be within the same one.
        JudgeRun.objects.update(held_until=F("held_until") - LEASE - timedelta(seconds=1))
        assert claim(run.pk, "planning it") == 2
        if error:
            raise error

    for error in (None, ValueError(), StillChangingError()):
        JudgeRun.objects.update(failures=0, held_until=None)
        attempt(run_id=run.pk, doing="planning it", work=partial(frozen, error))
        run.refresh_from_db()
        assert run.failures == 2
        assert not claim(run.pk, "planning it")


def test_a_run_whose_worker_is_stopped_or_that_people_keep_changing_is_at_no_fault(submission):
    run = run_of(submission)

    def ended_by(error: BaseException) -> None:
        raise error

    with pytest.raises(SystemExit):
        attempt(run_id=run.pk, doing="planning it", work=partial(ended_by, SystemExit()))
    run.refresh_from_db()
    assert (run.failures, run.held_until) == (0, None)
    changing = partial(ended_by, StillChangingError())
    for _ in range(MOST_FAILURES + 1):
        assert attempt(run_id=run.pk, doing="scoring it", work=changing) is None
        run.refresh_from_db()
        assert (run.failures, run.paused) == (0, None)
        assert not claim(run.pk, "scoring it")  # it is left in peace for a moment
        JudgeRun.objects.update(held_until=F("held_until") - CALM)
    assert claim(run.pk, "scoring it")


# --- meanwhile ------------------------------------------------------------------------------------


def wait_for_end_of_lease(run: JudgeRun) -> None:
    """The lease that the run has now is over when this returns; whoever is at it has another."""
    (first,) = JudgeRun.objects.filter(pk=run.pk).values_list("held_until", flat=True)
    end = time.monotonic() + 15
    while database_now() <= first:
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
def test_scoring_that_takes_longer_than_its_lease_is_begun_once(
    committed, failing, owner, monkeypatch
):
    monkeypatch.setattr(attempts, "LEASE", timedelta(seconds=2))
    monkeypatch.setattr(attempts, "RENEWALS", 40)  # whoever is busy misses some of them
    run, gate = run_of(submit(failing, owner, answered("wait for people"))), Gate()
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk)
    gates.append(gate)
    scored: list[int] = []

    def others() -> None:
        assert gate.reached.wait(timeout=20)
        for _ in range(MOST_FAILURES):
            wait_for_end_of_lease(run)
            scored.append(score_finished_runs())
        run.refresh_from_db()
        assert (run.failures, run.paused) == (1, None)
        gate.opened.set()

    at_once(lambda: scored.append(score_finished_runs()), others)
    assert scored == [0] * MOST_FAILURES + [1]
    run.refresh_from_db()
    assert (run.failures, run.held_until, run.unscored) == (0, None, None)


@pytest.mark.slow
def test_work_that_never_ends_is_found_by_others_in_the_end(committed, submission, monkeypatch):
    monkeypatch.setattr(attempts, "LEASE", timedelta(seconds=1))
    monkeypatch.setattr(attempts, "LONGEST", timedelta(0))
    run, gate = run_of(submission), Gate()

    def others() -> None:
        assert gate.reached.wait(timeout=20)
        wait_for_end_of_lease(run)
        assert claim(run.pk, "planning it") == 2
        gate.opened.set()

    at_once(lambda: attempt(run_id=run.pk, doing="planning it", work=gate.wait), others)


def test_two_plan_one_run_at_once_and_it_is_planned_once(committed, failing, owner):
    run, gate = run_of(submit(failing, owner, answered("wait"))), Gate()
    gates.append(gate)
    planned = []

    def slow() -> None:
        planned.append(plan_run(run_id=run.pk))

    def fast() -> None:
        assert gate.reached.wait(timeout=20)
        planned.append(plan_run(run_id=run.pk))
        gate.opened.set()

    at_once(slow, fast)
    assert planned == [True, False]
    assert run.judgements.count() == 4


def test_a_reference_that_changes_while_a_run_is_planned_is_the_one_it_is_judged_by(
    committed, failing, owner
):
    run, gate = run_of(submit(failing, owner, answered("wait"))), Gate()
    gates.append(gate)

    def change() -> None:
        assert gate.reached.wait(timeout=20)
        question = Question.objects.get(public_id="2")
        Reference.objects.create(question=question, version=2, text="wait", origin="human")
        gate.opened.set()

    at_once(lambda: plan_run(run_id=run.pk), change)
    before = set(run.judgements.values_list("content_key", flat=True))
    Judgement.objects.all().delete()
    JudgeRun.objects.update(planned=None)
    plan_run(run_id=run.pk)
    assert set(run.judgements.values_list("content_key", flat=True)) == before


def test_verdicts_that_change_while_they_are_scored_are_scored_again(committed, failing, owner):
    run, gate = run_of(submit(failing, owner, answered("wait for people"))), Gate()
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk)
    gates.append(gate)

    def change() -> None:
        assert gate.reached.wait(timeout=20)
        overwrite(run.judgements.filter(answer__question__public_id="1"), verdict="wrong")
        gate.opened.set()

    at_once(lambda: score_run(run=run), change)
    assert Scoresheet.objects.get().ranking == 0.5
    assert score_finished_runs() == 0


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has no such limit")
def test_settling_may_take_longer_than_the_database_waits_for_an_idle_transaction(
    committed, failing, spelling, owner
):
    submit(failing, owner, b"1=slow\n2=slow\n3=slow\n4=slow\n")
    good = submit(spelling, owner, name="Behind")
    with connection.cursor() as cursor:
        limit_ms = int(STEP_SECONDS * 2000)  # of four steps
        cursor.execute(f"SET idle_in_transaction_session_timeout = {limit_ms}")
    sweep_here(grace=NOW)
    assert {sheet.submission for sheet in Scoresheet.objects.all()} > {good}


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has no connection to cut off")
def test_a_run_that_costs_its_connection_stops_no_other(committed, submission):
    run = run_of(submission)

    def cut_off() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    assert attempt(run_id=run.pk, doing="planning it", work=cut_off) is None
    run.refresh_from_db()
    assert run.failures == 1


# --- before anything is scored --------------------------------------------------------------------


def test_a_board_that_is_ordered_by_no_metric_is_told_by_check(failing):
    family = protocol("failing")
    assert not [*board_faults(family)]

    class Mistyped:
        BOARD = replace(family.board.BOARD, ranking="acuracy")
        METRICS = family.board.METRICS

    (fault,) = board_faults(replace(family, board=Mistyped()))
    assert "'acuracy', which is none of its metrics" in fault.msg
