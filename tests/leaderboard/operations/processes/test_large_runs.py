"""Large runs have a lane of their own: nobody waits for them, and they are not forgotten."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from judging.models import JudgeRun
from judging.services import ensure_spec, request_missing_runs, request_run, runs
from judging.services.planning import plan_waiting_runs
from leaderboard.models import Scoresheet
from leaderboard.operations.processes.large_runs import is_any_due, work_on_large_runs
from leaderboard.operations.processes.supervisor import child_process
from leaderboard.operations.sweeps import sweep_and_queue, sweep_here
from leaderboard.results.services import score_finished_runs
from tests.conftest import ANSWERS, submit
from tests.leaderboard.operations.waiting import BEGUN

NOW = timedelta(0)
LONG = b"1=two\n2=" + b"color " * 20 + b"\n3=night\n4=sea\n"


@pytest.fixture(autouse=True)
def quick(settings, monkeypatch):
    """Large is what has more than a hundred characters."""
    settings.SWEEP_SECONDS = 0.1
    monkeypatch.setattr(runs, "SMALL_CHARACTERS", 100)


@pytest.fixture
def both(spelling, owner) -> tuple[Submission, Submission]:
    """A large one, and a small one handed in after it."""
    return submit(spelling, owner, LONG, name="Large"), submit(spelling, owner, name="Small")


def scored() -> Sequence[str]:
    found = Scoresheet.objects.order_by("pk").values_list("submission__model__name", flat=True)
    return list(found)


@pytest.mark.parametrize("sweep", [lambda: sweep_here(grace=NOW), sweep_and_queue])
def test_a_sweep_sees_to_small_runs_and_the_lane_to_large_ones_from_plan_to_score(both, sweep):
    with CaptureQueriesContext(connection) as asked:
        assert not is_any_due()
    assert len(asked) <= 2
    for _ in range(3):
        sweep()
    large, small = (one.runs.get() for one in both)
    assert (large.is_large, large.planned, large.failures, large.held_until) == (
        True,
        None,
        0,
        None,
    )
    assert (small.is_large, small.planned is None) == (False, False)
    assert is_any_due()
    JudgeRun.objects.filter(is_large=True).update(failures=1, held_until="2100-01-01T00:00Z")
    sweep_here(grace=NOW)
    assert scored() == ["Small"]
    assert not is_any_due()  # another worker is at it
    JudgeRun.objects.filter(is_large=True).update(failures=0, held_until=None)
    submit(both[0].release, both[0].owner, ANSWERS, name="Behind")
    request_missing_runs()
    work_on_large_runs()
    assert scored() == ["Small", "Large"]
    assert not is_any_due()
    sweep_here(grace=NOW)
    assert scored() == ["Small", "Large", "Behind"]


def test_a_run_is_large_by_the_number_of_its_answers_too(both, monkeypatch):
    monkeypatch.setattr(runs, "SMALL_ANSWERS", 3)
    request_missing_runs()
    assert both[1].runs.get().is_large


@pytest.mark.usefixtures("both")
def test_a_stage_ends_when_its_seconds_are_over_and_the_rest_is_for_the_next(spelling, owner):
    submit(spelling, owner, name="Small too")
    request_missing_runs()
    assert plan_waiting_runs(large=False, seconds=0) == []
    assert len(plan_waiting_runs(large=False)) == 2
    assert score_finished_runs(seconds=0) == 0


def test_a_dry_run_is_small_and_what_it_becomes_is_not(spelling, owner):
    submission = submit(spelling, owner, LONG)
    spec = ensure_spec(of=protocol("spelling"), kind="rules")
    tried = JudgeRun(submission=submission, judge_spec=spec, unscored=None)
    tried.dry_run = submission.created
    tried.save()
    assert request_run(submission=submission, spec=spec).is_large


@pytest.mark.slow
def test_a_process_of_the_lane_ends_in_order_when_it_is_told_to(tmp_path, monkeypatch):
    begun = tmp_path / "begun"
    monkeypatch.setenv(BEGUN, str(begun))
    process = child_process("tests.leaderboard.operations.waiting.until_stopped")
    process.start()
    while not begun.exists():
        process.join(0.1)
        assert process.is_alive()
    process.terminate()
    process.join(60)
    assert process.exitcode == 0
