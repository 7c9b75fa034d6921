"""Every state that is not an end has a deadline, and something that moves it on."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import confirm_submission
from judging import queue
from judging.engine.references import request_references
from judging.models import Judgement, JudgeRun, ReferenceRequest
from judging.querysets import UNFINISHED
from judging.services import (
    ensure_spec,
    expire_overdue,
    pause_run,
    plan_run,
    request_run,
    resume_run,
    retry_failed,
)
from leaderboard.models import Scoresheet
from leaderboard.operations.sweeps import sweep_here
from tests.conftest import submit

State, Pause = Judgement.State, JudgeRun.Pause
NOW = timedelta(0)
DAY = timedelta(days=1)
ENDS = {State.JUDGED, State.UNREADABLE, State.REFUSED, State.TOO_LONG, State.FAILED, State.EXCLUDED}
REASON = "nobody resumed it within 14 days"


@pytest.fixture
def run(submission) -> JudgeRun:
    run = request_run(
        submission=submission, spec=ensure_spec(of=protocol("spelling"), kind="rules")
    )
    plan_run(run_id=run.pk)
    return run


def states(run: JudgeRun) -> set[tuple[str, str]]:
    return set(run.judgements.values_list("state", "reason"))


def sweep() -> None:
    expire_overdue()
    sweep_here(grace=NOW)


# --- judgements -----------------------------------------------------------------------------------


def leave_waiting(run: JudgeRun) -> None:
    run.judgements.update(not_before=Now() - DAY)


def leave_leased(run: JudgeRun) -> None:
    queue.claim(run.judgements.all(), limit=9, lease=-DAY)


def leave_paused(run: JudgeRun) -> None:
    run.judgements.update(state=State.PAUSED, settled=Now() - 15 * DAY)


LEFT: dict[str, Callable[[JudgeRun], None]] = {
    State.WAITING: leave_waiting,
    State.LEASED: leave_leased,
    State.PAUSED: leave_paused,
}


def test_every_state_is_an_end_or_has_a_deadline():
    assert ENDS | LEFT.keys() == set(State)
    assert LEFT.keys() == set(UNFINISHED)


@pytest.mark.usefixtures("lost_at_once")
@pytest.mark.parametrize("state", LEFT)
def test_a_judgement_that_was_left_comes_to_an_end(run, state):
    LEFT[state](run)
    assert set(run.judgements.values_list("state", flat=True)) == {state}
    sweep()
    assert set(run.judgements.values_list("state", flat=True)) <= ENDS
    assert Scoresheet.objects.filter(run=run).exists()


def test_a_judgement_nobody_resumed_has_failed_with_its_reason_and_no_score(run):
    leave_paused(run)
    sweep()
    assert states(run) == {(State.FAILED, REASON)}
    assert Scoresheet.objects.get(run=run).ranking is None


def test_a_pause_within_the_deadline_is_left_alone(run):
    run.judgements.update(state=State.PAUSED, settled=Now() - 13 * DAY, reason="HTTP 500, 5 times")
    sweep()
    assert states(run) == {(State.PAUSED, "HTTP 500, 5 times")}


def test_the_days_are_a_setting(run, settings):
    settings.JUDGE_DEADLINE_DAYS = 20
    leave_paused(run)
    sweep()
    assert {state for state, _ in states(run)} == {State.PAUSED}


def test_a_judgement_paused_without_a_time_has_its_time_from_the_first_look(run):
    run.judgements.update(state=State.PAUSED, settled=None)
    expire_overdue()
    assert {state for state, _ in states(run)} == {State.PAUSED}
    assert not run.judgements.filter(settled=None).exists()


def test_what_has_failed_like_this_can_be_asked_again(run):
    leave_paused(run)
    sweep()
    retry_failed(run=run, by=None)
    sweep()
    assert {state for state, _ in states(run)} == {State.JUDGED}


# --- runs -----------------------------------------------------------------------------------------


def pause(run: JudgeRun, kind: str, *, days: int) -> None:
    pause_run(run=run, kind=Pause(kind), reason="because")
    JudgeRun.objects.update(paused=Now() - days * DAY)


@pytest.mark.parametrize("kind", [kind for kind in Pause if kind])
def test_a_paused_run_that_nobody_resumed_comes_to_an_end(run, kind):
    pause(run, kind, days=15)
    expire_overdue()
    assert states(run) == {(State.FAILED, REASON)}


@pytest.mark.parametrize("kind", [kind for kind in Pause if kind])
def test_a_run_paused_within_the_deadline_is_left_alone(run, kind):
    pause(run, kind, days=13)
    expire_overdue()
    assert states(run) == {(State.WAITING, "")}


def test_verdicts_of_a_run_that_nobody_resumed_stay(run):
    first = run.judgements.order_by("pk")[0].pk
    run.judgements.filter(pk=first).update(state=State.JUDGED, verdict="right")
    pause(run, Pause.PERSON, days=15)
    expire_overdue()
    assert run.judgements.get(state=State.JUDGED).pk == first


def test_a_run_that_has_failed_is_paused_no_more_and_can_be_judged_after_all(run):
    pause(run, Pause.JUDGE, days=15)
    expire_overdue()
    assert not JudgeRun.objects.exclude(paused=None).exists()
    retry_failed(run=run, by=None)
    sweep()
    assert {state for state, _ in states(run)} == {State.JUDGED}


def test_a_run_that_was_never_planned_is_planned(submission):
    run = request_run(
        submission=submission, spec=ensure_spec(of=protocol("spelling"), kind="rules")
    )
    sweep()
    assert {state for state, _ in states(run)} == {State.JUDGED}


def test_a_pause_starts_anew_with_its_run(run):
    pause(run, Pause.PERSON, days=15)
    resume_run(run=run)
    pause(run, Pause.PERSON, days=1)
    expire_overdue()
    assert states(run) == {(State.WAITING, "")}


# --- what people asked for ------------------------------------------------------------------------


def test_a_request_for_references_that_is_never_finished_ends(spelling):
    request = request_references(
        release=spelling, model="m", endpoint="none", requested_by=None, calls=1, cost=0
    )
    expire_overdue()
    request.refresh_from_db()
    assert request.finished is None
    ReferenceRequest.objects.update(created=Now() - 15 * DAY, claimed_until=Now() + DAY)
    expire_overdue()
    request.refresh_from_db()
    assert request.finished is not None
    assert request.outcome == "not finished within 14 days"


@pytest.mark.parametrize(("days", "is_withdrawn"), [(6, False), (8, True)])
def test_a_submission_that_its_owner_never_confirmed_is_withdrawn(
    spelling, owner, days, is_withdrawn
):
    submission = submit(spelling, owner, confirm=False)
    Submission.objects.update(created=Now() - days * DAY)
    expire_overdue()
    submission.refresh_from_db()
    assert (submission.withdrawn is not None) == is_withdrawn
    assert confirm_submission(submission=submission, visibility="private") != is_withdrawn


def test_a_confirmed_submission_stays_however_old(submission):
    Submission.objects.update(created=Now() - 100 * DAY)
    expire_overdue()
    submission.refresh_from_db()
    assert submission.withdrawn is None


def test_a_second_look_changes_nothing(run):
    leave_paused(run)
    expire_overdue()
    before = list(Judgement.objects.values())
    expire_overdue()
    assert list(Judgement.objects.values()) == before
