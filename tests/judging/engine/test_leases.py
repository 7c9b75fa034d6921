"""What a process holds: claimed once, renewed in time, and given back or lost."""

from datetime import timedelta

import pytest
from django.utils import timezone

from benchmarks.registry import protocol
from judging import queue
from judging.engine.leases import RENEWALS_PER_LEASE, Leases
from judging.models import Judgement, JudgeRun
from judging.services import ensure_spec, plan_run, request_run

State = Judgement.State
LENGTH = timedelta(seconds=60)


@pytest.fixture
def run(submission) -> JudgeRun:
    spec = ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="none", model="m", repeats=1
    )
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    return run


def claimed(leases: Leases, run: JudgeRun, limit: int = 100) -> list[int]:
    return leases.claim(run.judgements.all(), spec=run.judge_spec, limit=limit)


def expire(run: JudgeRun) -> None:
    run.judgements.filter(state=State.LEASED).update(lease_until=timezone.now() - LENGTH)


def test_two_holders_claim_different_rows(run):
    first, second = Leases(LENGTH), Leases(LENGTH)
    mine, theirs = claimed(first, run, 3), claimed(second, run)
    assert (len(mine), len(theirs)) == (3, 1)
    assert not set(mine) & set(theirs)


@pytest.mark.usefixtures("lost_at_once")
def test_what_another_holder_lost_is_claimed_where_nothing_else_is_left(run):
    lost = claimed(Leases(LENGTH), run)
    expire(run)
    assert sorted(claimed(Leases(LENGTH), run)) == sorted(lost)


def test_a_lease_may_have_expired_once_it_was_not_renewed_for_its_length(run):
    leases = Leases(LENGTH)
    leases.renew([], 1000.0)
    assert not leases.may_have_expired(1060.0)
    assert leases.may_have_expired(1060.1)


def test_a_lease_is_renewed_several_times_before_it_would_end(run):
    leases = Leases(LENGTH)
    leases.renew([], 1000.0)
    next_time = 1000.0 + 60.0 / RENEWALS_PER_LEASE
    assert not leases.is_renewal_due(next_time - 0.1)
    assert leases.is_renewal_due(next_time)


def test_renewing_moves_the_end_of_what_is_held_and_of_nothing_else(run):
    mine, theirs = Leases(LENGTH), Leases(LENGTH)
    keys, others = claimed(mine, run, 2), claimed(theirs, run)
    expire(run)
    mine.renew([*keys, *others], 1000.0)
    held = set(run.judgements.filter(lease_until__gt=timezone.now()).values_list("pk", flat=True))
    assert held == set(keys)


@pytest.mark.usefixtures("lost_at_once")
def test_of_what_others_have_claimed_since_nothing_is_kept(run):
    frozen, awake = Leases(LENGTH), Leases(LENGTH)
    keys = claimed(frozen, run)
    run.judgements.filter(pk=keys[0]).update(lease_until=timezone.now() - LENGTH)
    assert claimed(awake, run) == [keys[0]]
    assert frozen.kept(keys) == set(keys[1:])


def test_what_is_released_waits_with_all_its_attempts(run):
    mine, theirs = Leases(LENGTH), Leases(LENGTH)
    keys, others = claimed(mine, run, 2), claimed(theirs, run)
    mine.release([*keys, *others])
    rows = run.judgements.values_list("pk", "state", "attempts")
    assert {pk: (state, attempts) for pk, state, attempts in rows} == {
        **dict.fromkeys(keys, (State.WAITING, 0)),
        **dict.fromkeys(others, (State.LEASED, 1)),
    }
    assert not queue.release_expired()
