"""From a confirmed submission to its scoresheet without any message: the rows are the queue."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from benchmarks.submissions.services import confirm_submission, withdraw_submission
from judging.coordination import limits, lost_leases, queue
from judging.models import Judgement, JudgeRun
from judging.services import pause_run
from leaderboard.celery import app
from leaderboard.models import Scoresheet
from leaderboard.operations import sweeps
from leaderboard.operations.sweeps import idle_runs, sweep_and_queue, sweep_here
from tests.conftest import submit
from tests.leaderboard.operations.waiting import planned
from tests.overwriting import overwrite

NOW = timedelta(0)
HOUR = timedelta(hours=1)


def rows() -> list[Any]:
    return [*JudgeRun.objects.values(), *Judgement.objects.values(), *Scoresheet.objects.values()]


@pytest.fixture
def eager():
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


@pytest.mark.parametrize("sweep", [lambda: sweep_here(grace=NOW), sweep_and_queue])
def test_what_is_confirmed_is_scored_and_a_further_sweep_changes_nothing(
    spelling, owner, eager, sweep
):
    submission = submit(spelling, owner, confirm=False)
    sweep()
    assert not JudgeRun.objects.exists()
    confirm_submission(submission=submission, visibility="private")
    sweep()
    assert Scoresheet.objects.get().submission == submission
    sweep()  # scores again what was settled in the millisecond of the first scoring
    before = rows()
    sweep()
    assert rows() == before
    overwrite(Judgement.objects, verdict="wrong", settled=timezone.now() + timedelta(seconds=1))
    sweep()
    assert Scoresheet.objects.get().ranking == 0.0


def test_a_sweep_leaves_fresh_work_to_the_workers_the_broker_wakes(submission):
    sweep_here(grace=HOUR)
    assert set(Judgement.objects.values_list("state", flat=True)) == {"waiting"}
    JudgeRun.objects.update(planned=timezone.now() - 2 * HOUR)
    sweep_here(grace=HOUR)
    assert Scoresheet.objects.count() == 1


def test_a_sweep_leaves_what_another_worker_holds_and_goes_on_where_one_was_lost(
    submission, monkeypatch
):
    run = planned(submission)
    assert idle_runs() == [run.pk]
    queue.claim(run.judgements.all(), limit=2, lease=HOUR)
    assert idle_runs() == []
    sweep_here(grace=NOW)
    assert run.judgements.filter(state="leased").count() == 2
    assert not Scoresheet.objects.exists()
    monkeypatch.setattr(lost_leases, "STILL", 0)
    run.judgements.filter(state="leased").update(lease_until=timezone.now() - HOUR)
    sweep_here(grace=NOW)
    assert Scoresheet.objects.get().judged == 4


def test_a_paused_run_waits_for_a_person_or_its_endpoint(submission):
    run = planned(submission)
    pause_run(run=run, kind=JudgeRun.Pause.PERSON, reason="no key")
    sweep_here(grace=NOW)
    assert set(run.judgements.values_list("state", flat=True)) == {"waiting"}
    JudgeRun.objects.update(paused=None, pause_kind="", pause_reason="")
    limits.halt(run.judge_spec.endpoint, reason="HTTP 401")
    pause_run(run=run, kind=JudgeRun.Pause.ENDPOINT, reason="HTTP 401")
    sweep_here(grace=NOW)
    assert not Scoresheet.objects.exists()
    limits.reopen(run.judge_spec.endpoint)
    sweep_here(grace=NOW)
    assert Scoresheet.objects.get().judged == 4


def test_withdrawn_submissions_keep_no_place_in_the_queue(spelling, owner, monkeypatch):
    monkeypatch.setattr(sweeps, "RUNS_AT_ONCE", 1)
    gone = submit(spelling, owner, name="Withdrawn")
    planned(gone)
    withdraw_submission(submission=gone)
    standing = submit(spelling, owner, b"1=a\n2=b\n3=c\n4=d\n", name="Standing")
    sweep_here(grace=NOW)
    assert [sheet.submission for sheet in Scoresheet.objects.all()] == [standing]
