"""How fast a run moves, how long it takes, and what stands before it in the queue."""

from datetime import timedelta

import pytest

from benchmarks.submissions.services import withdraw_submission
from judging.coordination.clock import database_now
from judging.models import Judgement, JudgeRun
from judging.progress import PACE_WINDOW, RunPace, progress_parts, read_progress
from judging.selectors import runs_ahead
from judging.services import request_run
from tests.conftest import judged, submit
from tests.judging.runs import planned, undone


@pytest.fixture
def run(submission) -> JudgeRun:
    found = planned(submission, kind="rules")
    planned_at(found, timedelta(hours=3))
    return found


def planned_at(run: JudgeRun, ago: timedelta) -> None:
    JudgeRun.objects.filter(pk=run.pk).update(planned=database_now() - ago)
    run.refresh_from_db()


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


def test_the_pace_is_that_of_the_last_minutes_and_of_no_time_before_it_began(run):
    assert run_pace(run).per_minute is None
    settle(run, 1, timedelta(hours=1))
    found = run_pace(run)
    assert (found.per_minute, found.seconds_left) == (None, None)
    settle(run, 2, timedelta(seconds=30))
    found = run_pace(run)
    assert found.per_minute == pytest.approx(2 / (PACE_WINDOW.total_seconds() / 60))
    assert found.seconds_left == 150
    planned_at(run, timedelta(seconds=60))
    assert run_pace(run).per_minute == pytest.approx(2, rel=0.05)


def test_what_was_asked_for_before_and_is_neither_done_nor_withdrawn_stands_ahead(
    run, spelling, stranger
):
    later = request_run(submission=submit(spelling, stranger), spec=run.judge_spec)
    assert (run_pace(run).ahead, run_pace(later).ahead, runs_ahead()) == (0, 1, 2)
    with undone():
        JudgeRun.objects.filter(pk=run.pk).update(paused=database_now())
        assert run_pace(later).ahead == 0
    with undone():
        withdraw_submission(submission=run.submission)
        assert run_pace(later).ahead == 0
    judged(run.submission)
    assert run_pace(later).ahead == 0
