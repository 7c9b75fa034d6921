"""The work queue: who holds a row, for how long, and what a late worker can still do to it."""

import threading
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from judging.coordination import queue
from judging.coordination.clock import database_now
from judging.coordination.queue import CallClosing, Settlement
from judging.models import JudgeCall, Judgement, JudgeRun
from judging.querysets import JudgementQuerySet
from judging.services import pause_run, resume_run
from tests.judging.runs import planned, undone

State = Judgement.State
LEASE = timedelta(seconds=60)
HOUR = timedelta(hours=1)


@pytest.fixture
def work(submission) -> JudgementQuerySet:
    return Judgement.objects.filter(run=planned(submission)).order_by("pk")


def claim(work: JudgementQuerySet, limit: int = 99, lease: timedelta = LEASE, **more) -> list[int]:
    return queue.claim(work, limit=limit, lease=lease, **more)


def claim_one(work: JudgementQuerySet, lease: timedelta = LEASE) -> Judgement:
    return Judgement.objects.get(pk=claim(work, 1, lease)[0])


def again(row: Judgement) -> Judgement:
    return Judgement.objects.get(pk=row.pk)


def settle(row: Judgement, state: str, verdict: str = "", fence: int | None = None, **more) -> None:
    queue.settle(
        [Settlement(row.pk, row.fence if fence is None else fence, state, verdict, **more)]
    )


def test_a_claim_takes_the_oldest_rows_that_nobody_holds_and_counts_an_attempt(work):
    keys = list(work.values_list("pk", flat=True))
    before = timezone.now()
    assert (claim(work, 3), claim(work, 3), claim(work)) == (keys[:3], keys[3:], [])
    assert set(work.values_list("state", "attempts", "fence")) == {(State.LEASED, 1, 1)}
    assert all(row.lease_until > before for row in work)


def test_only_what_waits_and_is_due_in_a_run_that_goes_on_is_claimed(work):
    for state in set(State) - {State.WAITING, State.JUDGED, State.LEASED}:
        with undone():
            work.update(state=state)
            assert (state, claim(work)) == (state, [])
    work.update(not_before=timezone.now() + HOUR)
    assert claim(work) == []
    work.update(not_before=timezone.now() - HOUR)
    run = work[0].run
    pause_run(run=run, kind=JudgeRun.Pause.PERSON, reason="wait")
    assert claim(work) == []
    resume_run(run=run)
    assert len(claim(work)) == 4


def claim_elsewhere(work: JudgementQuerySet, found: list[int]) -> None:
    try:
        found += claim(work)
    finally:
        connection.close()


def test_a_claim_passes_over_rows_another_claim_holds(committed, request):
    work = request.getfixturevalue("work")
    if connection.vendor == "sqlite":
        pytest.skip("SQLite runs one claim at a time")
    found: list[int] = []
    with transaction.atomic():
        mine = claim(work, 2)
        other = threading.Thread(target=claim_elsewhere, args=(work, found))
        other.start()
        other.join(timeout=10)
        assert not other.is_alive()
    assert (len(mine), len(found)) == (2, 2)
    assert not set(mine) & set(found)


def test_only_expired_leases_are_released_and_their_calls_stay_open_in_the_ledger(work):
    lost, held = claim_one(work, -LEASE), claim_one(work)
    queue.open_calls([lost])
    queue.release_expired()
    assert [again(row).state for row in (lost, held)] == [State.WAITING, State.LEASED]
    assert again(lost).reason == "the worker that held it did not come back"
    assert JudgeCall.objects.get().outcome == "open"


def test_a_holder_renews_and_gives_back_its_own_rows_only(work):
    mine, other = uuid4(), uuid4()
    for holder in (mine, other):
        claim(work, 1, holder=holder)
    keys = list(work.values_list("pk", flat=True))
    queue.renew(keys, holder=mine, lease=HOUR)
    ends = dict(work.filter(state=State.LEASED).values_list("holder", "lease_until"))
    assert ends[mine] - ends[other] > HOUR / 2
    queue.release(keys, holder=mine)
    assert list(work.values_list("state", "attempts")) == [
        (State.WAITING, 0),
        (State.LEASED, 1),
        (State.WAITING, 0),
        (State.WAITING, 0),
    ]


def test_a_settled_row_holds_its_verdict_and_no_lease_and_is_settled_once(work):
    row = claim_one(work)
    settle(row, State.JUDGED, "right", raw_reply="right.")
    settle(row, State.JUDGED, "wrong")
    row = again(row)
    assert (row.state, row.verdict, row.raw_reply) == (State.JUDGED, "right", "right.")
    assert (row.lease_until, row.settled is None) == (None, False)


@pytest.mark.parametrize("fence", [0, 2])
def test_a_settlement_with_another_fence_changes_nothing(work, fence):
    row = claim_one(work)
    before = work.values().get(pk=row.pk)
    settle(row, State.JUDGED, "right", fence)
    assert work.values().get(pk=row.pk) == before


def test_a_worker_that_comes_back_too_late_changes_nothing(work):
    late = claim_one(work, -LEASE)
    queue.release_expired()
    assert claim_one(work).pk == late.pk
    settle(late, State.JUDGED, "wrong")
    assert again(late).state == State.LEASED


def test_a_row_that_waits_again_has_a_time_and_its_attempt_where_that_was_free(work):
    row, free = claim_one(work), claim_one(work)
    settle(row, State.WAITING, wait_seconds=3600)
    settle(free, State.WAITING, is_free=True)
    assert again(row).not_before > timezone.now() + timedelta(minutes=59)
    assert [(r.attempts, r.settled) for r in map(again, (row, free))] == [(1, None), (0, None)]


def test_texts_longer_than_their_columns_are_cut(work):
    row, long = claim_one(work), "x" * 1000
    settle(row, State.FAILED, reason=long, finish_reason=long, reported_model=long)
    row = again(row)
    cut = [len(text) for text in (row.reason, row.finish_reason, row.reported_model)]
    assert cut == [300, 40, 100]


def test_a_call_is_closed_once(work):
    (call,) = queue.open_calls([claim_one(work)])
    queue.close_calls([CallClosing(call.pk, "answered", request_id="first")])
    queue.close_calls([CallClosing(call.pk, "failed", error="late")])
    call.refresh_from_db()
    assert (call.outcome, call.request_id, call.error) == ("answered", "first", "")
    assert call.closed


def test_database_time_is_now(db):
    assert abs(database_now() - timezone.now()) < timedelta(seconds=5)


def test_the_database_refuses_verdicts_without_judgement_endless_leases_and_doubles(work):
    broken: list[dict[str, Any]] = [
        {"state": State.JUDGED},
        {"verdict": "right"},
        {"state": State.FAILED, "verdict": "wrong"},
        {"state": State.UNREADABLE, "verdict": "wrong"},
        {"state": State.LEASED},
    ]
    for change in broken:
        with pytest.raises(IntegrityError), transaction.atomic():
            work.update(**change)
    row, run = work[0], work[0].run
    row.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save()
    with pytest.raises(IntegrityError), transaction.atomic():
        JudgeRun.objects.create(submission=run.submission, judge_spec=run.judge_spec)
