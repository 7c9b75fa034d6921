"""A lease is lost when it has run out and nobody renews it: a clock alone ends none."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

import pytest

from judging.coordination import lost_leases, queue
from judging.coordination.lost_leases import release_lost
from judging.models import Judgement
from tests.database_clock import DatabaseClock, stopped_clock
from tests.judging.runs import planned

LEASE = timedelta(seconds=30)
HOURS = timedelta(hours=2).total_seconds()
RENEWAL = 10.0  # seconds between two renewals of a lease


@dataclass
class Clocks:
    """Of the database, and of this process alone."""

    database: DatabaseClock
    own: float = 1000.0

    def pass_seconds(self, seconds: float) -> None:
        self.database.pass_seconds(seconds)
        self.own += seconds


@pytest.fixture
def clocks(monkeypatch, settings):
    settings.JUDGE_LEASE_SECONDS = LEASE.total_seconds()
    lost_leases.SEEN.clear()
    with stopped_clock() as database:
        found = Clocks(database)
        monkeypatch.setattr("judging.coordination.lost_leases.time.monotonic", lambda: found.own)
        yield found


@pytest.fixture
def held(submission, clocks):
    """A judgement that a holder has leased: its key and the holder."""
    run, holder = planned(submission), uuid4()
    (key,) = queue.claim(Judgement.objects.filter(run=run), limit=1, lease=LEASE, holder=holder)
    release_lost()
    return key, holder


def renewed(held, clocks, times: int) -> int:
    """How many leases are lost while it is renewed so often."""
    key, holder = held
    lost = 0
    for _ in range(times):
        clocks.pass_seconds(RENEWAL / 2)
        lost += release_lost()
        clocks.pass_seconds(RENEWAL / 2)
        queue.renew([key], holder=holder, lease=LEASE)
    return lost


def test_a_clock_that_jumps_or_is_off_takes_no_lease_from_who_renews_it(held, clocks):
    assert renewed(held, clocks, 2) == 0
    for jump in (HOURS, -HOURS):
        clocks.database.pass_seconds(jump)
        assert release_lost() == 0
        assert renewed(held, clocks, 5) == 0
    for off in (HOURS, 600.0, -600.0, -HOURS) * 3:
        clocks.database.pass_seconds(off)  # SQLite: the clock of who asks
        assert release_lost() == 0
        clocks.database.pass_seconds(-off)
        assert renewed(held, clocks, 1) == 0


@pytest.mark.parametrize("jump", [HOURS, 0.0, -HOURS])
def test_what_a_killed_worker_held_is_free_within_its_lease_whatever_the_clock(held, clocks, jump):
    clocks.database.pass_seconds(jump)
    for _ in range(6):
        clocks.pass_seconds(5.5)
        release_lost()
    assert Judgement.objects.get(pk=held[0]).state == "waiting"
