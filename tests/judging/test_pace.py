"""How fast a run moves, how long it takes, and what stands before it in the queue."""

from datetime import timedelta

import pytest

from benchmarks.registry import protocol
from benchmarks.submissions.services import withdraw_submission
from judging.clock import database_now
from judging.models import Judgement, JudgeRun
from judging.progress import PACE_WINDOW, RunPace, progress_parts, read_progress
from judging.selectors import runs_ahead
from judging.services import ensure_spec, plan_run, request_run
from tests.conftest import judged, submit


@pytest.fixture
def run(submission) -> JudgeRun:
    found = request_run(
        submission=submission, spec=ensure_spec(of=protocol("spelling"), kind="rules")
    )
    plan_run(run_id=found.pk)
    long_ago = database_now() - timedelta(hours=3)
    JudgeRun.objects.filter(pk=found.pk).update(planned=long_ago)
    found.refresh_from_db()
    return found


def run_pace(run: JudgeRun) -> RunPace:
    first, *others = progress_parts(run.submission_id)
    (found,) = read_progress(first.union(*others, all=True))
    assert found.pace is not None
    return found.pace


def settle(run: JudgeRun, count: int, ago: timedelta) -> None:
    keys = list(run.judgements.filter(settled=None).values_list("pk", flat=True)[:count])
    Judgement.objects.filter(pk__in=keys).update(
        state="judged", verdict="right", settled=database_now() - ago
    )


def test_nothing_is_said_of_a_pace_that_nobody_saw(run):
    assert run_pace(run).per_minute is None
    settle(run, 2, timedelta(hours=1))
    found = run_pace(run)
    assert (found.per_minute, found.seconds_left) == (None, None)


def test_the_pace_is_that_of_the_last_minutes(run):
    settle(run, 1, timedelta(hours=1))
    settle(run, 2, timedelta(minutes=1))
    found = run_pace(run)
    assert found.per_minute == pytest.approx(2 / (PACE_WINDOW.total_seconds() / 60))
    assert found.seconds_left == 150


def test_a_run_that_has_just_begun_is_not_averaged_over_minutes_before_it(run):
    JudgeRun.objects.filter(pk=run.pk).update(planned=database_now() - timedelta(seconds=60))
    run.refresh_from_db()
    settle(run, 2, timedelta(seconds=30))
    assert run_pace(run).per_minute == pytest.approx(2, rel=0.05)


def test_what_was_asked_for_before_and_is_not_done_stands_ahead(run, spelling, stranger):
    later = request_run(submission=submit(spelling, stranger), spec=run.judge_spec)
    assert (runs_ahead(run), runs_ahead(later), runs_ahead(None)) == (0, 1, 2)
    JudgeRun.objects.filter(pk=run.pk).update(paused=database_now())
    assert runs_ahead(later) == 0
    JudgeRun.objects.filter(pk=run.pk).update(paused=None)
    judged(run.submission)
    assert runs_ahead(later) == 0


def test_what_was_withdrawn_holds_nobody_up(run, spelling, stranger):
    later = request_run(submission=submit(spelling, stranger), spec=run.judge_spec)
    withdraw_submission(submission=run.submission)
    assert runs_ahead(later) == 0
