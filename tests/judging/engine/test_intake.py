"""What a claim makes of rows: a verdict at once where one is known, else what is to be asked."""

from datetime import timedelta

import pytest
from django.utils import timezone

from benchmarks.registry import protocol
from judging import queue
from judging.engine.engine import judge_run
from judging.engine.intake import Intake
from judging.engine.leases import Leases
from judging.judges.base import JudgeUnavailableError
from judging.judges.scripted import ScriptedJudge
from judging.models import Judgement, JudgeRun
from judging.queue import MAX_UNKNOWN
from judging.services import ensure_spec, plan_run, request_run
from tests.conftest import submit

State = Judgement.State
LENGTH = timedelta(seconds=60)


def planned(submission) -> JudgeRun:
    spec = ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="none", model="m", repeats=1
    )
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    return run


@pytest.fixture
def run(submission) -> JudgeRun:
    return planned(submission)


def intake_of(run: JudgeRun) -> Intake:
    return Intake(run, protocol("spelling").judging, Leases(LENGTH))


def test_what_nobody_knows_is_made_ready_in_the_order_of_the_queue(run):
    intake = intake_of(run)
    assert intake.claim(3, held=[]) == 0
    first = list(run.judgements.order_by("pk").values_list("pk", flat=True))[:3]
    assert intake.keys() == first
    assert [item.row.pk for item in intake.first(2)] == first[:2]
    assert all(item.request.messages and item.prompt_tokens for item in intake.waiting)


def test_a_verdict_that_is_known_needs_no_request(run, spelling, owner):
    other = planned(submit(spelling, owner, b"1=two\n2=too\n3=sea\n4=eye", name="Other"))
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    intake = intake_of(other)
    known = intake.claim(100, held=[])
    assert known + len(intake.waiting) == other.judgements.count()
    assert known == other.judgements.filter(state=State.JUDGED).count() > 0


def test_three_calls_of_unknown_outcome_leave_a_row_to_a_person(run):
    lost = ScriptedJudge([JudgeUnavailableError("no answer", is_unknown=True)])
    for _ in range(MAX_UNKNOWN):
        run.judgements.update(not_before=None)
        judge_run(run_id=run.pk, judge=lost)
    run.judgements.update(not_before=None)
    intake = intake_of(run)
    assert intake.claim(100, held=[]) == 4
    assert not intake.waiting
    assert set(run.judgements.values_list("state", flat=True)) == {State.PAUSED}


def test_an_empty_claim_is_not_repeated_at_once(run):
    intake, other = intake_of(run), intake_of(run)
    other.claim(100, held=[])
    intake.claim(100, held=[])
    assert (intake.is_dry, intake.next_claim > 0) == (True, True)
    intake.look_again()
    assert (intake.is_dry, intake.next_claim) == (False, 0.0)


def test_what_it_holds_itself_is_not_claimed_again_after_a_freeze(run):
    intake = intake_of(run)
    intake.claim(2, held=[])
    run.judgements.update(lease_until=timezone.now() - LENGTH)
    queue.release_expired()
    held = intake.keys()
    intake.claim(100, held=held)
    assert len(intake.keys()) == len(set(intake.keys())) == 4


@pytest.mark.usefixtures("lost_at_once")
def test_what_others_took_meanwhile_is_dropped(run):
    frozen, awake = intake_of(run), intake_of(run)
    frozen.claim(2, held=[])
    run.judgements.filter(pk=frozen.keys()[0]).update(lease_until=timezone.now() - LENGTH)
    kept = frozen.keys()[1:]
    awake.claim(2, held=[])
    awake.claim(100, held=awake.keys())
    frozen.drop_lost()
    assert frozen.keys() == kept
