"""The work queue: who holds a row, for how long, and what a late worker can still do to it."""

import threading
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from benchmarks.registry import protocol
from judging import queue
from judging.clock import database_now
from judging.models import JudgeCall, Judgement, JudgeRun
from judging.querysets import JudgementQuerySet
from judging.queue import CallClosing, Settlement
from judging.services import ensure_spec, pause_run, plan_run, request_run, resume_run

State = Judgement.State
LEASE = timedelta(seconds=60)
HOUR = timedelta(hours=1)


@pytest.fixture
def work(submission) -> JudgementQuerySet:
    spec = ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="none", model="m", repeats=1
    )
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    return Judgement.objects.filter(run=run).order_by("pk")


def claim_one(work: JudgementQuerySet, lease: timedelta = LEASE) -> Judgement:
    (key,) = queue.claim(work, limit=1, lease=lease)
    return Judgement.objects.get(pk=key)


def again(row: Judgement) -> Judgement:
    return Judgement.objects.get(pk=row.pk)


# --- claiming -------------------------------------------------------------------------------------


def test_a_claim_takes_the_oldest_rows_up_to_its_limit(work):
    keys = list(work.values_list("pk", flat=True))
    assert queue.claim(work, limit=3, lease=LEASE) == keys[:3]


def test_a_claim_counts_an_attempt_and_raises_the_fence(work):
    row = claim_one(work)
    assert (row.state, row.attempts, row.fence) == (State.LEASED, 1, 1)
    assert row.lease_until > timezone.now()


def test_a_claim_of_nothing_is_empty(work):
    queue.claim(work, limit=99, lease=LEASE)
    assert queue.claim(work, limit=99, lease=LEASE) == []


@pytest.mark.parametrize(("wait", "claimed"), [(-HOUR, 4), (HOUR, 0)])
def test_a_row_is_not_claimed_before_its_time(work, wait, claimed):
    work.update(not_before=timezone.now() + wait)
    assert len(queue.claim(work, limit=99, lease=LEASE)) == claimed


@pytest.mark.parametrize(
    "state", [state for state in State if state not in (State.WAITING, State.JUDGED, State.LEASED)]
)
def test_only_waiting_rows_are_claimed(work, state):
    work.update(state=state)
    assert queue.claim(work, limit=99, lease=LEASE) == []


def claim_elsewhere(work: JudgementQuerySet, found: list[int]) -> None:
    try:
        found += queue.claim(work, limit=99, lease=LEASE)
    finally:
        connection.close()


def test_a_claim_passes_over_rows_another_claim_holds(committed, request):
    work = request.getfixturevalue("work")
    if connection.vendor == "sqlite":
        pytest.skip("SQLite runs one claim at a time")
    found: list[int] = []
    with transaction.atomic():
        mine = queue.claim(work, limit=2, lease=LEASE)
        other = threading.Thread(target=claim_elsewhere, args=(work, found))
        other.start()
        other.join(timeout=10)
        assert not other.is_alive()
    assert (len(mine), len(found)) == (2, 2)
    assert not set(mine) & set(found)


# --- leases that run out --------------------------------------------------------------------------


def test_only_expired_leases_are_released(work):
    lost, held = claim_one(work, -LEASE), claim_one(work)
    queue.release_expired()
    assert (again(lost).state, again(held).state) == (State.WAITING, State.LEASED)


def test_a_lost_call_stays_open_in_the_ledger(work):
    queue.open_calls([claim_one(work, -LEASE)])
    queue.release_expired()
    assert JudgeCall.objects.get().outcome == "open"


def test_a_released_row_says_why_it_waits(work):
    row = claim_one(work, -LEASE)
    queue.release_expired()
    assert again(row).reason == "the worker that held it did not come back"


# --- settling -------------------------------------------------------------------------------------


def test_a_settled_row_holds_its_verdict_and_no_lease(work):
    row = claim_one(work)
    queue.settle([Settlement(row.pk, row.fence, State.JUDGED, "right", raw_reply="right.")])
    row = again(row)
    assert (row.state, row.verdict, row.raw_reply, row.lease_until) == (
        State.JUDGED,
        "right",
        "right.",
        None,
    )
    assert row.settled


def test_a_row_that_waits_again_has_a_time_and_is_not_settled(work):
    row = claim_one(work)
    queue.settle([Settlement(row.pk, row.fence, State.WAITING, wait_seconds=3600)])
    assert again(row).settled is None
    assert again(row).not_before > timezone.now() + timedelta(minutes=59)


@pytest.mark.parametrize("fence", [0, 2])
def test_a_settlement_with_another_fence_changes_nothing(work, fence):
    row = claim_one(work)
    before = work.values().get(pk=row.pk)
    queue.settle([Settlement(row.pk, fence, State.JUDGED, "right")])
    assert work.values().get(pk=row.pk) == before


def test_a_settled_row_is_not_settled_again(work):
    row = claim_one(work)
    queue.settle([Settlement(row.pk, row.fence, State.JUDGED, "right")])
    queue.settle([Settlement(row.pk, row.fence, State.JUDGED, "wrong")])
    assert again(row).verdict == "right"


def test_texts_longer_than_their_columns_are_cut(work):
    row = claim_one(work)
    long = "x" * 1000
    queue.settle(
        [
            Settlement(
                row.pk,
                row.fence,
                State.FAILED,
                reason=long,
                finish_reason=long,
                reported_model=long,
            )
        ]
    )
    row = again(row)
    assert [len(text) for text in (row.reason, row.finish_reason, row.reported_model)] == [
        300,
        40,
        100,
    ]


def test_nothing_of_a_paused_run_is_claimed(work):
    claim_one(work)
    pause_run(run=work[0].run, kind=JudgeRun.Pause.PERSON, reason="wait")
    assert queue.claim(work, limit=99, lease=LEASE) == []
    resume_run(run=work[0].run)
    assert len(queue.claim(work, limit=99, lease=LEASE)) == 3


def test_a_holder_renews_its_own_leases_only(work):
    mine, other = uuid4(), uuid4()
    queue.claim(work, limit=1, lease=LEASE, holder=mine)
    queue.claim(work, limit=1, lease=LEASE, holder=other)
    queue.renew(list(work.values_list("pk", flat=True)), holder=mine, lease=HOUR)
    ends = dict(work.filter(state=State.LEASED).values_list("holder", "lease_until"))
    assert ends[mine] - ends[other] > HOUR / 2


def test_rows_given_back_wait_with_all_their_attempts(work):
    mine = uuid4()
    keys = queue.claim(work, limit=2, lease=LEASE, holder=mine)
    queue.release(keys, holder=uuid4())
    assert work.filter(state=State.LEASED).count() == 2
    queue.release(keys, holder=mine)
    assert set(work.values_list("state", "attempts")) == {(State.WAITING, 0)}


def test_a_free_settlement_gives_the_attempt_back(work):
    row = claim_one(work)
    queue.settle([Settlement(row.pk, row.fence, State.WAITING, is_free=True)])
    assert again(row).attempts == 0


def test_database_time_is_now(db):
    assert abs(database_now() - timezone.now()) < timedelta(seconds=5)


# --- the ledger -----------------------------------------------------------------------------------


def test_a_call_is_closed_once(work):
    (call,) = queue.open_calls([claim_one(work)])
    queue.close_calls([CallClosing(call.pk, "answered", request_id="first")])
    queue.close_calls([CallClosing(call.pk, "failed", error="late")])
    call.refresh_from_db()
    assert (call.outcome, call.request_id, call.error) == ("answered", "first", "")
    assert call.closed


# --- what the database refuses --------------------------------------------------------------------


BROKEN = [
    {"state": State.JUDGED},
    {"verdict": "right"},
    {"state": State.FAILED, "verdict": "wrong"},
    {"state": State.UNREADABLE, "verdict": "wrong"},
    {"state": State.LEASED},
]


@pytest.mark.parametrize("change", BROKEN, ids=range(len(BROKEN)))
def test_a_verdict_without_a_judgement_or_a_lease_without_end_is_refused(work, change):
    with pytest.raises(IntegrityError), transaction.atomic():
        work.update(**change)


def test_an_answer_has_one_judgement_per_slot(work):
    row = work.first()
    row.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save()


def test_a_submission_has_one_run_per_spec(work):
    run = work.first().run
    with pytest.raises(IntegrityError), transaction.atomic():
        JudgeRun.objects.create(submission=run.submission, judge_spec=run.judge_spec)
