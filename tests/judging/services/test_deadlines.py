"""Every state that is not an end has a deadline, and something that moves it on."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import confirm_submission
from judging.coordination import queue
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


def asked_for(submission: Submission) -> JudgeRun:
    spec = ensure_spec(of=protocol("spelling"), kind="rules")
    return request_run(submission=submission, spec=spec)


@pytest.fixture(scope="module")
def module_run(module_submission: Submission) -> JudgeRun:
    run = asked_for(module_submission)
    plan_run(run_id=run.pk)
    return run


@pytest.fixture
def run(module_run, db) -> JudgeRun:
    return JudgeRun.objects.get(pk=module_run.pk)


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


def test_a_judgement_nobody_resumed_has_failed_without_a_score_and_can_be_asked_again(run):
    leave_paused(run)
    sweep()
    assert states(run) == {(State.FAILED, REASON)}
    assert Scoresheet.objects.get(run=run).ranking is None
    before = list(Judgement.objects.values())
    expire_overdue()
    assert list(Judgement.objects.values()) == before
    retry_failed(run=run, by=None)
    sweep()
    assert {state for state, _ in states(run)} == {State.JUDGED}


def test_a_pause_within_the_deadline_of_the_settings_is_left_alone(run, settings):
    run.judgements.update(state=State.PAUSED, settled=Now() - 13 * DAY, reason="HTTP 500, 5 times")
    sweep()
    assert states(run) == {(State.PAUSED, "HTTP 500, 5 times")}
    settings.JUDGE_DEADLINE_DAYS = 20
    leave_paused(run)
    sweep()
    assert {state for state, _ in states(run)} == {State.PAUSED}


def test_a_judgement_paused_without_a_time_has_its_time_from_the_first_look(run):
    run.judgements.update(state=State.PAUSED, settled=None)
    expire_overdue()
    assert {state for state, _ in states(run)} == {State.PAUSED}
    assert not run.judgements.filter(settled=None).exists()


# --- runs -----------------------------------------------------------------------------------------


def pause(run: JudgeRun, kind: str, *, days: int) -> None:
    pause_run(run=run, kind=Pause(kind), reason="because")
    JudgeRun.objects.update(paused=Now() - days * DAY)


@pytest.mark.parametrize("kind", [kind for kind in Pause if kind])
def test_a_paused_run_that_nobody_resumed_ends_after_its_deadline_and_keeps_its_verdicts(run, kind):
    first = run.judgements.order_by("pk")[0].pk
    run.judgements.filter(pk=first).update(state=State.JUDGED, verdict="right")
    pause(run, kind, days=13)
    expire_overdue()
    assert states(run) == {(State.WAITING, ""), (State.JUDGED, "")}
    pause(run, kind, days=15)
    expire_overdue()
    assert states(run) == {(State.FAILED, REASON), (State.JUDGED, "")}
    assert run.judgements.get(state=State.JUDGED).pk == first
    assert not JudgeRun.objects.exclude(paused=None).exists()
    retry_failed(run=run, by=None)
    sweep()
    assert {state for state, _ in states(run)} == {State.JUDGED}


def test_a_run_that_was_never_planned_is_planned(spelling, owner):
    run = asked_for(submit(spelling, owner, name="Later"))
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


def test_a_submission_that_its_owner_never_confirmed_is_withdrawn_after_a_week(
    submission, spelling, owner
):
    waiting = {days: submit(spelling, owner, name=f"{days}", confirm=False) for days in (6, 8)}
    ages = [(submission, 100), *((found, days) for days, found in waiting.items())]
    for found, days in ages:
        Submission.objects.filter(pk=found.pk).update(created=Now() - days * DAY)
    expire_overdue()
    withdrawn = Submission.objects.exclude(withdrawn=None)
    assert withdrawn.get() == waiting[8]
    confirmed = [
        confirm_submission(submission=Submission.objects.get(pk=found.pk), visibility="private")
        for found in waiting.values()
    ]
    assert confirmed == [True, False]
