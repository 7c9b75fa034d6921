"""From a confirmed submission to its scoresheet without any message: the rows are the queue."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from benchmarks.registry import protocol
from benchmarks.submissions.services import confirm_submission, withdraw_submission
from judging import limits, queue
from judging.models import Judgement, JudgeRun
from judging.services import ensure_spec, pause_run, plan_run, request_run
from leaderboard.celery import app
from leaderboard.models import Scoresheet
from leaderboard.operations.sweeps import idle_runs, prepare, sweep_and_queue, sweep_here
from tests.conftest import submit
from tests.overwriting import overwrite

NOW = timedelta(0)
HOUR = timedelta(hours=1)
State = Judgement.State


def planned(submission) -> JudgeRun:
    run = request_run(
        submission=submission, spec=ensure_spec(of=protocol("spelling"), kind="rules")
    )
    plan_run(run_id=run.pk)
    return run


def rows() -> list[Any]:
    return [*JudgeRun.objects.values(), *Judgement.objects.values(), *Scoresheet.objects.values()]


def test_a_further_sweep_changes_nothing(submission):
    sweep_here(grace=NOW)
    sweep_here(
        grace=NOW
    )  # scores again where the last verdict was settled in the millisecond of the first scoring
    before = rows()
    sweep_here(grace=NOW)
    assert rows() == before


def test_a_sweep_finds_what_is_confirmed_later(spelling, owner):
    submission = submit(spelling, owner, confirm=False)
    sweep_here(grace=NOW)
    confirm_submission(submission=submission, visibility="private")
    sweep_here(grace=NOW)
    assert Scoresheet.objects.get().submission == submission


def test_a_sweep_leaves_fresh_work_to_the_workers_the_broker_wakes(submission):
    sweep_here(grace=HOUR)
    assert set(Judgement.objects.values_list("state", flat=True)) == {State.WAITING}
    JudgeRun.objects.update(planned=timezone.now() - 2 * HOUR)
    sweep_here(grace=HOUR)
    assert Scoresheet.objects.count() == 1


@pytest.mark.usefixtures("lost_at_once")
def test_a_sweep_goes_on_where_a_worker_was_lost(submission):
    run = planned(submission)
    queue.claim(run.judgements.all(), limit=2, lease=-HOUR)
    sweep_here(grace=NOW)
    assert Scoresheet.objects.get().judged == 4


def test_a_sweep_leaves_what_another_worker_holds(submission):
    run = planned(submission)
    queue.claim(run.judgements.all(), limit=2, lease=HOUR)
    sweep_here(grace=NOW)
    assert run.judgements.filter(state=State.LEASED).count() == 2
    assert not Scoresheet.objects.exists()


def test_a_paused_run_waits_for_its_operator_without_a_score(submission):
    run = planned(submission)
    pause_run(run=run, kind=JudgeRun.Pause.PERSON, reason="no key")
    sweep_here(grace=NOW)
    assert set(run.judgements.values_list("state", flat=True)) == {State.WAITING}
    assert not Scoresheet.objects.exists()


def test_a_run_paused_by_a_closed_endpoint_goes_on_once_it_is_reopened(submission):
    run = planned(submission)
    limits.halt(run.judge_spec.endpoint, reason="HTTP 401")
    pause_run(run=run, kind=JudgeRun.Pause.ENDPOINT, reason="HTTP 401")
    sweep_here(grace=NOW)
    assert not Scoresheet.objects.exists()
    limits.reopen(run.judge_spec.endpoint)
    sweep_here(grace=NOW)
    assert Scoresheet.objects.get().judged == 4


@pytest.mark.slow
def test_withdrawn_submissions_keep_no_place_in_the_queue(spelling, owner):
    for number in range(21):
        submission = submit(spelling, owner, name=f"Withdrawn {number}")
        planned(submission)
        withdraw_submission(submission=submission)
    standing = submit(spelling, owner, b"1=a\n2=b\n3=c\n4=d\n", name="Standing")
    sweep_here(grace=NOW)
    assert [sheet.submission for sheet in Scoresheet.objects.all()] == [standing]


def test_a_run_nobody_works_on_is_idle_until_somebody_does(submission):
    prepare()
    run = JudgeRun.objects.get()
    assert idle_runs() == [run.pk]
    queue.claim(run.judgements.all(), limit=1, lease=HOUR)
    assert idle_runs() == []


def test_a_run_whose_verdicts_changed_is_scored_again(submission):
    sweep_here(grace=NOW)
    overwrite(Judgement.objects, verdict="wrong", settled=timezone.now() + timedelta(seconds=1))
    sweep_here(grace=NOW)
    assert Scoresheet.objects.get().ranking == 0.0


@pytest.fixture
def eager():
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


def test_the_sweeping_task_takes_a_submission_to_its_scoresheet(submission, eager):
    sweep_and_queue()
    assert Scoresheet.objects.get().submission == submission


def test_the_sweeping_task_delivered_again_changes_nothing(submission, eager):
    sweep_and_queue()
    before = rows()
    sweep_and_queue()
    assert rows() == before
