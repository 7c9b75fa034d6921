"""From a planned run to settled judgements: what each reply becomes, what is paid, and what a late
worker can do."""

import asyncio
import time
from dataclasses import fields
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connections
from django.utils import timezone

from benchmarks.protocols.base import JudgeCase
from benchmarks.registry import protocol
from benchmarks.submissions.services import withdraw_submission
from judging import limits, queue
from judging.engine.engine import Engine, judge_run
from judging.engine.outcomes import FREE_REFUSALS, MAX_UNREADABLE
from judging.judges.base import (
    JudgeHaltedError,
    JudgeRefusedError,
    JudgeRequest,
    JudgeUnavailableError,
    Reply,
)
from judging.judges.scripted import ScriptedJudge
from judging.models import Endpoint, JudgeCall, Judgement, JudgeRun, JudgeSpec
from judging.queue import MAX_ATTEMPTS, MAX_UNKNOWN, Settlement
from judging.selectors import run_counts
from judging.services import ensure_spec, plan_run, request_run, resume_run
from judging.tasks import judge_run as judge_run_task
from tests.conftest import submit
from tests.judging.endpoint import completion, serve
from tests.judging.test_judges import FAULTS, patience
from tests.overwriting import overwrite
from tests.slow import slow_except_every

State = Judgement.State
LEASE = timedelta(seconds=60)


def planned(submission, kind: str = "openai") -> JudgeRun:
    spec = ensure_spec(of=protocol("spelling"), kind=kind, endpoint="none", model="m", repeats=1)
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    return run


@pytest.fixture
def run(submission) -> JudgeRun:
    return planned(submission)


def states(run: JudgeRun) -> set[str]:
    return set(run.judgements.values_list("state", flat=True))


def pause_of(run: JudgeRun) -> tuple[str, str]:
    run.refresh_from_db()
    return run.pause_kind, run.pause_reason


def again(run: JudgeRun, judge: ScriptedJudge, times: int) -> None:
    for _ in range(times):
        run.judgements.update(not_before=None)
        judge_run(run_id=run.pk, judge=judge)


def test_planning_twice_changes_nothing(run):
    assert not plan_run(run_id=run.pk)
    assert run.judgements.count() == 4


def test_readable_replies_become_verdicts_with_their_text(run):
    judge_run(run_id=run.pk, judge=ScriptedJudge([Reply("right", model="scribe", prompt_tokens=9)]))
    assert set(
        run.judgements.values_list(
            "state", "verdict", "raw_reply", "reported_model", "prompt_tokens"
        )
    ) == {(State.JUDGED, "right", "right", "scribe", 9)}


def test_an_unreadable_reply_is_asked_again_and_never_a_verdict(run):
    judge = ScriptedJudge(["maybe"])
    again(run, judge, MAX_UNREADABLE)
    assert states(run) == {State.UNREADABLE}
    assert len(judge.asked) == 4 * MAX_UNREADABLE
    assert not run.judgements.exclude(verdict="").exists()


@pytest.mark.slow
def test_a_person_may_have_asked_again_what_no_worker_asks_any_more(run):
    again(
        run, ScriptedJudge([JudgeUnavailableError("no answer", is_unknown=True)]), MAX_UNKNOWN + 1
    )
    resume_run(run=run)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    assert states(run) == {State.JUDGED}


def test_an_unavailable_endpoint_is_waited_for(run):
    judge_run(run_id=run.pk, judge=ScriptedJudge([JudgeUnavailableError("HTTP 429", 30)]))
    row = run.judgements.first()
    assert row.state == State.WAITING
    assert row.not_before > timezone.now() + timedelta(seconds=20)
    assert judge_run(run_id=run.pk, judge=ScriptedJudge(["right"])) == 0


@pytest.mark.slow
def test_an_endpoint_that_stays_away_is_waited_for_and_then_left_to_a_person(run):
    again(run, ScriptedJudge([JudgeUnavailableError("HTTP 500")]), MAX_ATTEMPTS)
    assert set(run.judgements.values_list("state", "reason")) == {
        (State.PAUSED, "HTTP 500, 5 times")
    }


LIMITED = JudgeUnavailableError("HTTP 429", 20, is_limit=True)
OVERLOADED = JudgeUnavailableError("HTTP 503", is_overload=True)


def test_an_endpoint_that_answers_but_not_so_often_costs_no_attempt_and_holds_everyone(run):
    again(run, ScriptedJudge(["right", LIMITED]), 1)
    assert set(run.judgements.values_list("state", "attempts")) == {
        (State.JUDGED, 1),
        (State.WAITING, 0),
    }
    assert 18 < limits.endpoint_status("none").held_seconds <= 20


@pytest.mark.slow
@pytest.mark.parametrize(
    "error",
    [JudgeUnavailableError("HTTP 429", is_limit=True), OVERLOADED],
    ids=["HTTP 429", "HTTP 503"],
)
def test_an_endpoint_that_answers_nobody_is_left_to_a_person_after_five_attempts(run, error):
    judge = ScriptedJudge([error])
    for _ in range(MAX_ATTEMPTS + 1):
        Endpoint.objects.all().delete()
        again(run, judge, 1)
    assert set(run.judgements.values_list("state", "reason")) == {
        (State.PAUSED, f"{error}, 5 times")
    }
    assert len(judge.asked) == 4 * MAX_ATTEMPTS


@pytest.mark.slow
def test_an_overloaded_endpoint_is_given_more_time_with_every_attempt(run, settings):
    settings.JUDGE_RETRY_SECONDS = [100.0]
    settings.JUDGE_CONCURRENCY = 1
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right", OVERLOADED]))
    waiting = run.judgements.filter(not_before__gt=timezone.now() + timedelta(seconds=90))
    assert set(waiting.values_list("attempts", flat=True)) == {1}


@pytest.mark.slow
def test_even_one_that_says_how_long_is_not_waited_for_for_ever(run):
    judge = ScriptedJudge([LIMITED])
    for _ in range(FREE_REFUSALS + MAX_ATTEMPTS + 1):
        Endpoint.objects.all().delete()
        again(run, judge, 1)
    assert states(run) == {State.PAUSED}
    assert len(judge.asked) == 4 * (FREE_REFUSALS + MAX_ATTEMPTS)


def test_three_calls_of_unknown_outcome_are_enough(run):
    judge = ScriptedJudge([JudgeUnavailableError("no answer", is_unknown=True)])
    again(run, judge, MAX_UNKNOWN + 1)
    assert states(run) == {State.PAUSED}
    assert (
        len(judge.asked) == JudgeCall.objects.filter(outcome="unknown").count() == 4 * MAX_UNKNOWN
    )


def test_a_lasting_refusal_is_not_asked_again(run):
    judge = ScriptedJudge([JudgeRefusedError("HTTP 400")])
    again(run, judge, 2)
    assert states(run) == {State.FAILED}
    assert len(judge.asked) == 4


def test_a_halted_endpoint_pauses_the_run_until_it_is_resumed(run):
    judge_run(run_id=run.pk, judge=ScriptedJudge([JudgeHaltedError("HTTP 401")]))
    assert pause_of(run) == ("judge", "HTTP 401")
    assert not run_counts(run).is_finished
    assert judge_run(run_id=run.pk, judge=ScriptedJudge(["right"])) == 0
    resume_run(run=run)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    assert states(run) == {State.JUDGED}


def test_the_first_halt_pauses_all_that_waits(run, settings):
    settings.JUDGE_CONCURRENCY = 1
    judge = ScriptedJudge([JudgeHaltedError("HTTP 401")])
    judge_run(run_id=run.pk, judge=judge)
    assert len(judge.asked) == 1
    assert pause_of(run) == ("judge", "HTTP 401")
    assert states(run) == {State.WAITING}


def test_a_halt_of_the_endpoint_stops_every_run_on_it(run, spelling, owner):
    judge_run(
        run_id=run.pk, judge=ScriptedJudge([JudgeHaltedError("HTTP 401", is_endpoint_wide=True)])
    )
    assert pause_of(run) == ("endpoint", "HTTP 401")
    other = planned(submit(spelling, owner, b"1=a\n2=b\n3=c\n4=d\n", name="Other"))
    judge = ScriptedJudge(["right"])
    judge_run(run_id=other.pk, judge=judge)
    assert (judge.asked, pause_of(other)) == ([], ("endpoint", "HTTP 401"))


@pytest.mark.slow
def test_a_halt_burns_no_attempt(run):
    for _ in range(MAX_ATTEMPTS):
        judge_run(run_id=run.pk, judge=ScriptedJudge([JudgeHaltedError("HTTP 401")]))
        resume_run(run=run)
    assert set(run.judgements.values_list("attempts", flat=True)) == {0}
    judge_run(run_id=run.pk, judge=ScriptedJudge([JudgeUnavailableError("HTTP 500")]))
    assert states(run) == {State.WAITING}


def test_a_withdrawn_submission_is_asked_about_no_more(run):
    withdraw_submission(submission=run.submission)
    judge = ScriptedJudge(["right"])
    judge_run(run_id=run.pk, judge=judge, wait=True)
    assert judge.asked == []
    assert JudgeCall.objects.count() == 0


STATES = {
    JudgeUnavailableError: State.WAITING,
    JudgeHaltedError: State.WAITING,
    JudgeRefusedError: State.FAILED,
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "served", "error"),
    slow_except_every(4, FAULTS),  # each is quick in test_judges.py
    ids=[name for name, _, _ in FAULTS],
)
def test_no_fault_of_an_endpoint_becomes_a_verdict(run, settings, name, served, error):
    settings.JUDGE_TIMEOUT_SECONDS = patience(served)
    with serve([served]) as endpoint:
        settings.JUDGE_ENDPOINTS = {"none": {"url": endpoint.url, "key": ""}}
        judge_run(run_id=run.pk)
    assert set(run.judgements.values_list("state", "verdict")) == {(STATES[error], "")}
    closed = JudgeCall.objects.filter(outcome__in=["failed", "unknown"]).count()
    assert len(endpoint.asked) == closed == JudgeCall.objects.count() == 4
    assert bool(pause_of(run)[0]) == (error is JudgeHaltedError)


@pytest.mark.slow
def test_verdicts_of_two_models_never_stand_under_one_judge(run, settings):
    settings.JUDGE_CONCURRENCY = 1
    judge = ScriptedJudge([Reply("right", model="m-1"), Reply("right", model="m-2")])
    for _ in range(2):
        judge_run(run_id=run.pk, judge=judge)
        reported = set(run.judgements.values_list("state", "reported_model"))
        assert reported == {(State.JUDGED, "m-1"), (State.WAITING, "")}
        kind, reason = pause_of(run)
        assert (kind, reason.endswith("judge anew by openai:m@none=m-2")) == ("judge", True)
        resume_run(run=run)
    assert set(JudgeCall.objects.exclude(outcome="unsent").values_list("outcome", flat=True)) == {
        "answered"
    }


@pytest.mark.parametrize("kind", ["openai", "rules"])
def test_an_older_judge_gets_no_verdicts_by_today_s_reading(submission, kind):
    run = planned(submission, kind=kind)
    JudgeSpec.objects.filter(pk=run.judge_spec_id).update(parser_version="0")
    judge = ScriptedJudge(["right"])
    assert judge_run(run_id=run.pk, judge=judge if kind == "openai" else None) == 0
    assert (judge.asked, states(run)) == ([], {State.WAITING})
    assert pause_of(run)[1].startswith("this judge reads replies by version 0; today there are ")


def test_a_judge_may_be_pinned_to_what_the_endpoint_reports(run):
    pinned = ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="none", model="m", answers_as="m-2"
    )
    other = request_run(submission=run.submission, spec=pinned)
    plan_run(run_id=other.pk)
    judge_run(run_id=other.pk, judge=ScriptedJudge([Reply("right", model="m-1")]))
    assert (states(other), pause_of(other)[0]) == ({State.WAITING}, "judge")
    resume_run(run=other)
    judge_run(run_id=other.pk, judge=ScriptedJudge([Reply("right", model="m-2")]))
    assert states(other) == {State.JUDGED}


@pytest.mark.slow
def test_a_case_that_is_being_judged_elsewhere_is_waited_for_and_then_free(run, spelling, owner):
    other = planned(submit(spelling, owner, name="The same once more"))
    elsewhere = uuid4()
    leased = queue.claim(run.judgements.all(), limit=9, lease=LEASE, holder=elsewhere)
    judge = ScriptedJudge(["right"])
    assert judge_run(run_id=other.pk, judge=judge) == 0
    assert set(other.judgements.values_list("state", "attempts")) == {(State.WAITING, 0)}
    queue.release(leased, holder=elsewhere)
    judge_run(run_id=run.pk, judge=judge)
    judge_run(run_id=other.pk, judge=judge, wait=True)
    assert len(judge.asked) == JudgeCall.objects.count() == 4
    assert set(other.judgements.values_list("state", "reused_from")) == {
        (State.JUDGED, pk) for pk in leased
    }


def test_of_equal_cases_in_one_claim_one_is_asked(run):
    overwrite(run.judgements, content_key="0" * 64)
    keys = queue.claim_once(
        run.judgements.all(), spec=run.judge_spec, limit=9, lease=LEASE, holder=uuid4()
    )
    assert keys == [run.judgements.order_by("pk").first().pk]
    assert (
        run.judgements.filter(state=State.WAITING, attempts=0, not_before__isnull=False).count()
        == 3
    )


def test_a_good_endpoint_is_asked_once_per_answer(run, settings):
    with serve([completion("right")]) as endpoint:
        settings.JUDGE_ENDPOINTS = {"none": {"url": endpoint.url, "key": ""}}
        judge_run(run_id=run.pk)
    assert states(run) == {State.JUDGED}
    assert len(endpoint.asked) == JudgeCall.objects.filter(outcome="answered").count() == 4


def test_a_spec_without_its_endpoint_on_this_machine_pauses(run):
    judge_run(run_id=run.pk)
    assert pause_of(run)[0] == "judge"
    assert JudgeCall.objects.count() == 0


@pytest.mark.parametrize(
    ("finish_reason", "state"),
    [("length", State.TOO_LONG), ("content_filter", State.REFUSED), ("refusal", State.REFUSED)],
)
def test_an_incomplete_reply_has_its_own_state(run, finish_reason, state):
    judge_run(run_id=run.pk, judge=ScriptedJudge([Reply("right", finish_reason=finish_reason)]))
    assert states(run) == {state}


def test_an_empty_answer_is_settled_without_a_call(spelling, owner):
    run = planned(submit(spelling, owner, b"1=\n2= \n3=x\n4=\n"))
    judge = ScriptedJudge(["right"])
    judge_run(run_id=run.pk, judge=judge)
    assert len(judge.asked) == 1
    assert run.judgements.filter(verdict="wrong", reason="the answer is empty").count() == 3


def test_the_same_answers_again_are_neither_asked_nor_paid(run, spelling, owner):
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    paid = JudgeCall.objects.count()
    twin = planned(submit(spelling, owner, name="Twin"))
    assert states(twin) == {State.JUDGED}
    assert twin.judgements.filter(reused_from__isnull=False).count() == 4
    assert JudgeCall.objects.count() == paid


def test_the_offline_rules_leave_no_ledger(submission):
    run = planned(submission, kind="rules")
    judge_run(run_id=run.pk)
    assert states(run) == {State.JUDGED}
    assert JudgeCall.objects.count() == 0


def test_every_request_stands_in_the_ledger_and_is_closed(run):
    judge_run(run_id=run.pk, judge=ScriptedJudge([Reply("right", request_id="r1")]))
    assert list(JudgeCall.objects.values_list("outcome", "request_id")) == [("answered", "r1")] * 4
    assert not JudgeCall.objects.filter(closed__isnull=True).exists()


def test_a_call_cut_off_by_a_crash_stays_open_in_the_ledger(run):
    class Crash(Exception):
        pass

    with pytest.raises(Crash):
        judge_run(run_id=run.pk, judge=ScriptedJudge([Crash()]))
    assert set(JudgeCall.objects.values_list("outcome", flat=True)) == {"open"}
    assert states(run) == {State.LEASED}


def seen_from_another_connection() -> int:
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT COUNT(*) FROM judging_judgecall WHERE outcome = 'open'")
            return int(cursor.fetchone()[0])
    finally:
        other.connection.close()  # Django's own close() leaves databases in memory open


class LookingJudge(ScriptedJudge):
    """Looks into the ledger while its requests are under way, each time before it replies."""

    def __init__(self, script):
        super().__init__(script)
        self.found: list[int] = []

    async def ask(self, request):
        self.found.append(await asyncio.to_thread(seen_from_another_connection))
        return await super().ask(request)


def test_the_ledger_is_committed_before_a_request_leaves(committed, request):
    run = request.getfixturevalue("run")
    judge = LookingJudge(["right"])
    judge_run(run_id=run.pk, judge=judge)
    assert len(judge.found) == max(judge.found) == 4
    assert min(judge.found) >= 1  # its own; earlier ones may be closed by then
    assert seen_from_another_connection() == 0


def test_a_case_has_no_field_for_who_submitted_it():
    assert {f.name for f in fields(JudgeRequest)} == {"case", "messages"}
    assert {f.name for f in fields(JudgeCase)} == {
        "slot",
        "question",
        "reference",
        "description",
        "answer",
        "peer_answer",
    }


def test_every_message_has_a_delimiter_of_its_own(run):
    judge = ScriptedJudge(["right"])
    judge_run(run_id=run.pk, judge=judge)
    assert len({request.messages[0].content.splitlines()[1] for request in judge.asked}) == 4


def test_the_judge_learns_nothing_of_the_submitter(run, owner):
    judge = ScriptedJudge(["right"])
    judge_run(run_id=run.pk, judge=judge)
    told = repr(judge.asked)
    assert all(
        secret not in told
        for secret in ("Speller", owner.username, owner.email, str(run.submission_id))
    )


def test_a_worker_frozen_beyond_its_lease_lets_go_of_what_it_had_not_asked(run):
    frozen = Engine(run, ScriptedJudge(["right"]), closes_judge=False)
    frozen.claim(4)
    run.judgements.update(lease_until=timezone.now() - LEASE)
    queue.release_expired()
    frozen.leases.renewed -= 2 * frozen.leases.length.total_seconds()
    frozen.heartbeat(time.monotonic())
    assert not frozen.intake.waiting
    frozen.close()


def test_two_claims_share_no_row(run):
    first = queue.claim(run.judgements.all(), limit=3, lease=LEASE)
    second = queue.claim(run.judgements.all(), limit=3, lease=LEASE)
    assert (len(first), len(second)) == (3, 1)
    assert not set(first) & set(second)


def test_a_lost_lease_is_claimable_again(run):
    queue.claim(run.judgements.all(), limit=4, lease=-LEASE)
    queue.release_expired()
    assert len(queue.claim(run.judgements.all(), limit=4, lease=LEASE)) == 4


def test_an_answer_that_kills_worker_after_worker_is_paused(run):
    for _ in range(MAX_ATTEMPTS):
        keys = queue.claim(run.judgements.all(), limit=4, lease=-LEASE)
        queue.open_calls(list(Judgement.objects.filter(pk__in=keys)))
        queue.release_expired()
    assert states(run) == {State.PAUSED}


def test_what_was_claimed_and_never_asked_about_loses_no_attempt_with_its_worker(run):
    for _ in range(MAX_ATTEMPTS):
        queue.claim(run.judgements.all(), limit=4, lease=-LEASE)
        queue.release_expired()
    assert set(run.judgements.values_list("state", "attempts")) == {(State.WAITING, 0)}


@pytest.mark.usefixtures("lost_at_once")
def test_an_engine_takes_over_what_a_lost_worker_held_without_waiting_for_a_sweep(run):
    queue.claim(run.judgements.all(), limit=3, lease=-LEASE)
    judge = ScriptedJudge(["right"])
    judge_run(run_id=run.pk, judge=judge)
    assert states(run) == {State.JUDGED}


def test_a_worker_that_comes_back_too_late_changes_nothing(run):
    (key,) = queue.claim(run.judgements.all(), limit=1, lease=-LEASE)
    late = Judgement.objects.get(pk=key)
    queue.release_expired()
    queue.claim(run.judgements.filter(pk=key), limit=1, lease=LEASE)
    queue.settle([Settlement(late.pk, late.fence, State.JUDGED, "wrong")])
    assert Judgement.objects.get(pk=key).state == State.LEASED


def test_the_task_judges_and_a_second_delivery_changes_nothing(submission):
    run = planned(submission, kind="rules")
    judge_run_task(run.pk)
    before = list(run.judgements.values())
    judge_run_task(run.pk)
    assert list(run.judgements.values()) == before
    assert states(run) == {State.JUDGED}
