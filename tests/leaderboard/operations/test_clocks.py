"""A clock that is off stops the worker that has it; one that was set back makes nobody wait."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from judging.coordination import spending
from judging.coordination.clock import database_now
from judging.models import Endpoint, Judgement, JudgeRun
from judging.services import plan_waiting_runs, request_missing_runs
from leaderboard.models import ClockMark, OutgoingMail, WorkerBeat
from leaderboard.operations import clocks
from leaderboard.operations.clocks import ClockWatch, own_clock, reason_to_wait
from leaderboard.operations.processes.heartbeat import record_heartbeat
from leaderboard.operations.sweeps import idle_runs
from tests.database_clock import NOON, stopped_clock

HOURS = timedelta(hours=2)


class Clocks:
    """The database's, as whoever asks sees it, and what a worker is told by it."""

    def __init__(self, database, monkeypatch) -> None:
        self.database = database
        monkeypatch.setattr(clocks, "database_now", lambda: database.now)
        monkeypatch.setattr("django.utils.timezone.now", lambda: database.now)

    def jump(self, by: timedelta) -> None:
        self.database.pass_seconds(by.total_seconds())


@pytest.fixture
def site(db, monkeypatch):
    with stopped_clock() as database:
        yield Clocks(database, monkeypatch)


def look(watch: ClockWatch, name: str) -> str:
    said = watch.look(name)
    record_heartbeat(name=name, clock=said)
    return said


# --- beside the database --------------------------------------------------------------------------


def test_a_process_whose_clock_is_off_says_by_how_much_and_spends_nothing(site, monkeypatch):
    wrong = "is 2 h {} the database's. Set it by NTP."
    limit = timedelta(seconds=29)
    for off, said in (
        (HOURS, wrong.format("ahead of")),
        (-HOURS, wrong.format("behind")),
        (limit, ""),
        (-limit, ""),
    ):
        WorkerBeat.objects.all().delete()
        now = site.database.now + off
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        assert own_clock() == said
        assert look(ClockWatch(), "box/1") == said
        assert WorkerBeat.objects.get().clock == said
        assert bool(reason_to_wait()) == bool(said)
        spending.look_again()
        assert spending.reason_to_wait() == (f"The clock of this machine {said}" if said else "")
    moments = iter([NOON - timedelta(minutes=5), NOON + timedelta(minutes=5)])
    monkeypatch.setattr(timezone, "now", lambda: next(moments))
    assert own_clock() == ""  # it is the answer that came late


def test_health_status_and_progress_tell_of_a_worker_whose_clock_is_off(client, db, capsys):
    WorkerBeat.objects.create(
        name="box/1", seen=database_now(), clock="is 2 h ahead of the database's. Set it by NTP."
    )
    reply = client.get(reverse("health-ready")).json()
    assert reply["wrong"] == {
        "clock": "A worker spends nothing: its clock is 2 h ahead of the database's. Set it by NTP."
    }
    told = "Its clock is 2 h ahead of the database&#x27;s. Set it by NTP."
    assert told in client.get(reverse("status")).content.decode()


# --- beside each other ----------------------------------------------------------------------------


@pytest.mark.parametrize("off", [HOURS, timedelta(minutes=10)])
def test_of_two_workers_with_different_clocks_both_know(site, off):
    """SQLite: each asks by its own clock."""
    right, ahead = ClockWatch(), ClockWatch()
    said = []
    for _ in range(4):
        said.append(look(right, "box/1"))
        site.jump(off)
        said.append(look(ahead, "box/2"))
        site.jump(timedelta(seconds=5) - off)
    behind, before = said[-2:]
    assert "behind that of another worker" in behind
    assert "ahead of that of another worker" in before


def test_workers_with_one_clock_find_nothing_wrong_when_it_jumps(site):
    first, second = ClockWatch(), ClockWatch()
    for jump in (HOURS, -HOURS, HOURS):
        for _ in range(3):
            assert look(first, "box/1") == look(second, "box/2") == ""
            site.jump(timedelta(seconds=5))
        site.jump(jump)


def test_a_worker_that_is_gone_is_no_clock_that_is_off(site):
    watch, gone = ClockWatch(), ClockWatch()
    look(gone, "box/2")
    for _ in range(30):
        assert look(watch, "box/1") == ""
        site.jump(timedelta(seconds=5))


# --- set back -------------------------------------------------------------------------------------


@pytest.fixture
def planned(site, submission):
    """What waits for some seconds, of several kinds."""
    request_missing_runs()
    plan_waiting_runs(large=False)
    soon = site.database.now + timedelta(seconds=40)
    Judgement.objects.update(state="waiting", not_before=soon)
    Endpoint.objects.create(alias="lab", held_until=soon, next_request=soon, recent_tokens={"1": 1})
    OutgoingMail.objects.create(
        sender="a@x.org", recipients=["b@x.org"], headers={}, created=soon, next_try=soon
    )
    cache.set("sign-in", [9], 3600)


@pytest.mark.parametrize("back", [HOURS, timedelta(days=365)])
def test_what_was_planned_is_due_when_it_would_have_been(site, planned, back):
    watch = ClockWatch()
    look(watch, "box/1")
    site.jump(-back)
    for _ in range(2):
        site.jump(timedelta(seconds=5))
        assert look(watch, "box/1") == ""
    end = site.database.now + timedelta(seconds=40)
    endpoint = Endpoint.objects.get()
    waits: list[Any] = [
        *Judgement.objects.values_list("not_before", flat=True),
        endpoint.held_until,
        endpoint.next_request,
        OutgoingMail.objects.get().next_try,
    ]
    assert max(waits) <= end
    assert min(waits) > site.database.now
    assert endpoint.recent_tokens == {}
    assert cache.get("sign-in") is None


def test_a_clock_that_goes_on_moves_nothing_and_one_set_back_is_met_by_one_of_several_workers(
    site, planned
):
    watches = [ClockWatch() for _ in range(3)]
    before = Endpoint.objects.get().held_until
    for seconds in (5, -4, 5, 7200, 5):
        look(watches[0], "box/1")
        site.jump(timedelta(seconds=seconds))
    assert Endpoint.objects.get().held_until == before
    soon = site.database.now + timedelta(seconds=40)
    Endpoint.objects.update(held_until=soon)
    for watch in watches:
        watch.look("box/1")
    site.jump(-HOURS)
    for watch in watches * 3:
        watch.look("box/1")
    left = Endpoint.objects.get().held_until - site.database.now
    assert timedelta(seconds=30) < left <= timedelta(seconds=40)
    assert ClockMark.objects.get().seen == site.database.now


def test_a_run_that_was_planned_in_the_future_is_not_left_until_then(site, planned):
    Judgement.objects.update(not_before=None)
    JudgeRun.objects.update(planned=site.database.now + HOURS)
    assert idle_runs(grace=timedelta(seconds=5)) == [JudgeRun.objects.get().pk]
    JudgeRun.objects.update(planned=site.database.now - timedelta(seconds=3))
    assert idle_runs(grace=timedelta(seconds=5)) == []


def test_a_command_that_runs_alone_sees_that_it_is_behind_the_last_worker(db):
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL has a clock of its own")
    ClockMark.objects.create(pk=ClockMark.ONLY, seen=timezone.now() + timedelta(hours=48))
    said = clocks.reason_to_wait()
    assert "behind the latest that a worker saw" in said
    assert "start a worker" in said
    ClockMark.objects.update(seen=timezone.now() - timedelta(hours=48))
    assert clocks.reason_to_wait() == ""
