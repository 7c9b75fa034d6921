"""Rates, holds and seats: whatever workers do at once, an endpoint gets what it allows and nearly
all of that."""

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from itertools import pairwise
from uuid import UUID, uuid4

import pytest
from django.db import transaction
from django.db.models.functions import Now
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judging.coordination import limits
from judging.coordination.limits import (
    SLACK_SECONDS,
    WINDOW_SECONDS,
    EndpointStatus,
    Pace,
    fair_shares,
)
from judging.models import Endpoint, Seat
from tests.database_clock import DatabaseClock, stopped_clock
from tests.judging.runs import undone
from tests.judging.threads import BEGIN_SECONDS, at_once

LIMITS = {
    "free": {},
    "spaced": {"requests": 60},
    "counted": {"tokens": 6000},
    "both": {"requests": 300, "tokens": 200_000},
    "seated": {"concurrent": 10},
}
WORKERS = [UUID(int=number) for number in range(4)]
EASY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def clock() -> Iterator[DatabaseClock]:
    with stopped_clock() as clock:
        yield clock


@pytest.fixture(autouse=True)
def endpoints(settings):
    settings.JUDGE_ENDPOINTS = {
        alias: {"url": "https://judge.example", "key": "", "limits": known}
        for alias, known in LIMITS.items()
    }


def fullest_minute(starts: Sequence[tuple[float, int]]) -> int:
    """The most that starts within 60 seconds."""
    fullest = total = first = 0
    ordered = sorted(starts)
    for start, amount in ordered:
        total += amount
        while ordered[first][0] <= start - 60:
            total -= ordered[first][1]
            first += 1
        fullest = max(fullest, total)
    return fullest


def close_to(*seconds: float) -> object:
    return pytest.approx(list(seconds), abs=0.001)  # the database keeps microseconds


# --- the arithmetic -------------------------------------------------------------------------------


calls = st.tuples(
    st.integers(1, 400),  # tokens estimated
    st.floats(0, 1),  # share of them that is used
    st.floats(0, 90),  # seconds until that is known
    st.floats(0, SLACK_SECONDS - 0.001),  # seconds it leaves too late
    st.floats(0, 3),  # seconds until the next one is asked for
)


@given(st.lists(calls, min_size=1, max_size=150), st.integers(1, 40), st.integers(400, 3000))
@settings(max_examples=50)  # most make a full minute
def test_no_minute_holds_more_than_either_limit(made, request_limit, token_limit):
    pace, now = Pace(request_limit, token_limit), 1000.0
    left: list[tuple[float, int]] = []
    unknown: list[tuple[float, float, int]] = []
    for estimated, share, known_after, late, pause in made:
        now += pause
        for known in [entry for entry in unknown if entry[0] <= now]:
            unknown.remove(known)
            pace.correct(now, *known[1:])
        pace.forget(now)
        for start in pace.take([estimated], earliest=now, latest=now + 120):
            used = int(estimated * share)
            left.append((start + late, used))
            unknown.append((start + late + known_after, start, used - estimated))
    assert fullest_minute([(start, 1) for start, _ in left]) <= request_limit
    assert fullest_minute(left) <= token_limit


def test_tokens_reach_97_percent_of_their_limit():
    for token_limit, sizes in (
        (200_000, (500, 2500)),
        (2_000_000, (500, 2500)),
        (30_000, (300, 700)),
        (30_000, (500, 500)),
    ):
        pace, now, dice = Pace(None, token_limit), 1000.0, random.Random(7)
        made: list[tuple[float, int]] = []
        while now < 1360:
            now += dice.uniform(0.05, 0.5)
            pace.forget(now)
            tokens = [dice.randint(*sizes) for _ in range(60)]
            made += zip(pace.take(tokens, earliest=now, latest=now + 1), tokens, strict=False)
        assert fullest_minute(made) <= token_limit
        used = sum(tokens for start, tokens in made if 1060 <= start < 1360)
        assert used >= 0.97 * 5 * token_limit


def test_a_call_above_the_limit_has_its_minute_alone_and_big_ones_fill_theirs():
    small, huge, after = Pace(None, 1000).take([100, 5000, 100], earliest=1000.0, latest=9999.0)
    assert (small, huge - small >= 60, after - huge >= 60) == (1000, True, True)
    starts = Pace(None, 1000).take([400] * 4, earliest=1000.0, latest=9999.0)
    assert starts[1] - starts[0] < 60 < starts[2] - starts[0] < 62


def test_what_a_call_did_not_use_is_used_by_others_at_once_and_no_more_than_that():
    pace = Pace(None, 1000)
    pace.take([900], earliest=1000.0, latest=1000.0)
    pace.correct(1002.0, 1000.0, -800)
    assert pace.take([850], earliest=1002.0, latest=1010.0)
    pace = Pace(None, 1000)
    pace.take([100], earliest=1000.0, latest=1000.0)
    pace.correct(1001.0, 1000.0, -999_999)
    assert (sum(pace.recent.values()), pace.next_tokens) == (0, 1000.0)


# --- starts ---------------------------------------------------------------------------------------


def test_requests_are_spaced_and_those_too_late_left_out(db, clock):
    assert limits.reserve("spaced", [5] * 4, within=2.5) == close_to(0, 1.005, 2.01)
    assert limits.reserve("spaced", [5] * 4, within=2.5) == ()
    assert limits.reserve("spaced", [5], within=4) == close_to(3.015)
    assert limits.reserve("spaced", []) == ()
    clock.pass_seconds(600.0)  # in which an idle endpoint saves nothing up
    assert limits.reserve("spaced", [5] * 3, within=1.5) == close_to(0, 1.005)


def test_tokens_are_spaced_by_their_number_and_by_what_calls_used(db):
    with undone():
        assert limits.reserve("counted", [300, 100, 300], within=10) == close_to(0, 1.85, 2.8)
    with undone():
        limits.reserve("counted", [1000])
        limits.charge_each("counted", [(5000, 0.0)])
        assert limits.reserve("counted", [10], within=59) == ()
    limits.reserve("counted", [6000])
    assert limits.reserve("counted", [6000], within=55) == ()
    limits.charge_each("counted", [(-6000, 0.0)])
    assert limits.reserve("counted", [6000]) == close_to(0)


def test_without_rates_all_start_at_once_and_no_row_is_written(db):
    assert limits.reserve("free", [10**9] * 3) == (0, 0, 0)
    assert limits.reserve("unheard-of", [1]) == (0,)
    limits.charge_each("spaced", [(100, 0.0)])
    limits.charge_each("counted", [(0, 0.0)])
    assert limits.take_seat("both", holder=uuid4(), wanted=64, seconds=30) == 64
    assert limits.endpoint_status("free") == EndpointStatus(0, "", "")
    assert not Endpoint.objects.exists()


def test_a_reservation_takes_three_queries(db, django_assert_num_queries):
    limits.reserve("both", [5])
    with django_assert_num_queries(5):  # two of them the savepoint inside the test's transaction
        limits.reserve("both", [5] * 20)


def three_workers(
    clock: DatabaseClock, alias: str, tokens: Callable[[], int], used: Callable[[int], int]
) -> list[tuple[float, int]]:
    """When calls started in three simulated minutes, and what they used; each worker asks twice a
    second."""
    dice = random.Random(3)
    made: list[tuple[float, int]] = []
    for asked in (turn / 2 for turn in range(360)):
        for _ in dice.sample(range(3), 3):
            estimates = [tokens() for _ in range(20)]
            delays = limits.reserve(alias, estimates)
            actual = [used(estimate) for estimate in estimates[: len(delays)]]
            made += [(asked + delay, count) for delay, count in zip(delays, actual, strict=True)]
            differences = [count - guess for count, guess in zip(actual, estimates, strict=False)]
            limits.charge_each(
                alias, [(d, -delay) for d, delay in zip(differences, delays, strict=True)]
            )
        clock.pass_seconds(0.5)
    return [(start, count) for start, count in made if start < 180]


@pytest.mark.slow
def test_three_workers_together_ask_97_percent_of_the_requests_and_never_more(db, clock):
    made = three_workers(clock, "both", lambda: 100, lambda estimate: estimate)
    assert fullest_minute([(start, 1) for start, _ in made]) <= 300
    assert len(made) >= 0.97 * 3 * 300


@pytest.mark.slow
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_three_workers_together_use_97_percent_of_the_tokens_and_never_more(db, clock, share):
    dice = random.Random(5)
    made = three_workers(
        clock, "both", lambda: dice.randint(1000, 2000), lambda estimate: int(estimate * share)
    )
    if share == 1.0:
        assert sum(count for start, count in made) >= 0.97 * 3 * 200_000
    assert fullest_minute(made) <= 200_000
    assert fullest_minute([(start, 1) for start, _ in made]) <= 300


# --- open, held, halted ---------------------------------------------------------------------------


@pytest.mark.parametrize("alias", ["free", "both"])
def test_nobody_starts_before_a_hold_is_over(db, clock, alias):
    limits.hold(alias, seconds=20, reason="slow down")
    found = limits.endpoint_status(alias)
    assert (found.hold_reason, found.halt_reason) == ("slow down", "")
    assert found.held_seconds == 20
    assert limits.reserve(alias, [1, 1]) == ()
    delays = limits.reserve(alias, [1, 1], within=30)
    assert len(delays) == 2
    assert min(delays) >= 20
    clock.pass_seconds(20.5)
    assert limits.endpoint_status(alias) == EndpointStatus()


def test_of_two_holds_the_longer_one_stands_and_starts_given_out_before_have_their_place(db, clock):
    for first, second, reason in ((60, 5, "first"), (5, 60, "second")):
        with undone():
            limits.hold("both", seconds=first, reason="first")
            limits.hold("both", seconds=second, reason="second")
            found = limits.endpoint_status("both")
            assert (found.hold_reason, found.held_seconds) == (reason, 60)
    limits.hold("both", seconds=5, reason="slow down")
    clock.pass_seconds(5)
    assert limits.reserve("both", [1], within=2) == close_to(1.0)


@pytest.mark.parametrize("alias", ["free", "both"])
def test_a_halted_endpoint_gives_no_starts_until_it_is_reopened(db, alias):
    limits.halt(alias, reason="no key")
    limits.halt(alias, reason="no money")
    limits.hold(alias, seconds=60, reason="slow down")
    assert limits.endpoint_status(alias).halt_reason == "no key"
    assert limits.reserve(alias, [1], within=999) == ()
    limits.reopen(alias)
    assert limits.endpoint_status(alias) == EndpointStatus()
    assert limits.reserve(alias, [1]) == close_to(0)


def test_a_reason_longer_than_its_column_is_cut_and_an_empty_one_named(db):
    limits.hold("both", seconds=60, reason="x" * 999)
    limits.halt("both", reason="")
    found = limits.endpoint_status("both")
    assert (len(found.hold_reason), found.halt_reason) == (300, "no reason was given")


# --- calls at once --------------------------------------------------------------------------------


def seat(worker: int, wanted: int = 99, **more) -> int:
    return limits.take_seat("seated", holder=WORKERS[worker], wanted=wanted, seconds=30, **more)


def test_workers_share_the_seats_once_they_renew_and_leave_what_they_do_not_want(db):
    with undone():
        order = (0, 1, 0, 1, 2, 0, 1, 2)
        assert [seat(worker) for worker in order] == [10, 0, 5, 5, 0, 4, 3, 3]
    with undone():
        assert [seat(0, wanted=2), seat(1), seat(0, wanted=2)] == [2, 8, 2]
    assert (seat(0), seat(1)) == (10, 0)  # calls under way keep their places until they are done
    assert (seat(0, busy=9), seat(1)) == (5, 1)
    assert (seat(0, busy=5), seat(1)) == (5, 5)


def test_a_seat_that_is_left_or_not_renewed_falls_free(db, clock):
    seat(0)
    limits.release_seat(holder=uuid4())
    assert seat(1) == 0
    limits.release_seat(holder=WORKERS[0])
    assert seat(1) == 10
    clock.pass_seconds(30.5)
    assert seat(2) == 10


def test_a_worker_has_one_seat_wherever_it_works_and_a_lowered_limit_holds(db, settings):
    settings.JUDGE_ENDPOINTS["other"] = {"limits": {"concurrent": 3}}
    seat(0)
    assert limits.take_seat("other", holder=WORKERS[0], wanted=99, seconds=30) == 3
    assert (seat(1), seat(0, wanted=5), seat(1, wanted=5), seat(0, wanted=5)) == (10, 0, 5, 5)
    settings.JUDGE_ENDPOINTS["seated"] = {"limits": {"concurrent": 4}}
    assert [seat(0), seat(1), seat(0), seat(1)] == [0, 2, 2, 2]


events = st.tuples(
    st.sampled_from(["take", "take", "take", "expire", "leave"]),
    st.integers(0, 3),
    st.integers(0, 15),
    st.integers(0, 15),
)


def happen(event: str, worker: int, wanted: int, busy: int) -> None:
    if event == "take":
        assert seat(worker, wanted, busy=busy) <= wanted
    elif event == "expire":
        Seat.objects.filter(holder=WORKERS[worker]).update(until=Now() - timedelta(seconds=1))
    else:
        limits.release_seat(holder=WORKERS[worker])


def seated() -> list[int]:
    return list(Seat.objects.filter(until__gt=Now()).values_list("calls", flat=True))


@pytest.mark.slow
@given(st.lists(events, max_size=25), st.integers(1, 12))
@EASY
def test_seats_never_exceed_the_limit_and_become_fair(db, story, limit):
    with undone(), pytest.MonkeyPatch.context() as patch:
        patch.setitem(LIMITS["seated"], "concurrent", limit)
        for event in story:
            happen(*event)
            assert sum(seated()) <= limit
        for _ in range(3):  # all wishes are known; all seats have shrunk; all have grown
            shares = [seat(worker) for worker in range(4)]
        assert sum(shares) == sum(seated()) == limit
        assert max(shares) - min(shares) <= 1


@given(st.integers(0, 50), st.lists(st.integers(0, 20), max_size=8))
def test_shares_leave_nothing_over_that_someone_wants(limit, wishes):
    shares = fair_shares(limit, wishes)
    assert sum(shares) == min(limit, sum(wishes))
    assert all(share <= wish for share, wish in zip(shares, wishes, strict=True))
    unmet = [share for share, wish in zip(shares, wishes, strict=True) if share < wish]
    assert all(share <= min(unmet, default=99) + 1 for share in shares)


# --- several at once ------------------------------------------------------------------------------


def test_workers_that_meet_an_endpoint_first_at_once_make_one_row(committed):
    at_once(
        lambda: limits.reserve("both", [1]),
        lambda: limits.charge_each("both", [(1, 0.0)]),
        lambda: limits.hold("both", seconds=1, reason="slow down"),
        lambda: limits.halt("both", reason="no key"),
    )
    assert Endpoint.objects.count() == 1


def test_workers_at_once_share_the_starts_of_one_endpoint(committed, clock, settings):
    settings.JUDGE_ENDPOINTS["spaced"] = {"limits": {"requests": 1200}}
    starts: list[float] = []

    def work(second: int) -> None:
        while delays := limits.reserve("spaced", [1] * 5, within=1.0):
            starts.extend(second + delay for delay in delays)

    for second in range(3):
        at_once(*[partial(work, second)] * 3)
        clock.pass_seconds(1)
    starts.sort()
    apart = [later - start for start, later in pairwise(starts)]
    assert min(apart) == pytest.approx(WINDOW_SECONDS / 1200, abs=0.001)
    assert max(apart) < 2 * WINDOW_SECONDS / 1200


@pytest.mark.slow
def test_who_waits_for_another_counts_from_the_time_after_the_wait(committed, clock):
    limits.reserve("both", [1])
    before, is_locked = clock.now, threading.Event()

    def keep() -> None:
        with transaction.atomic():
            limits.locked("both")
            is_locked.set()
            time.sleep(
                0.3
            )  # until the other one waits; if it does not yet, it has nothing to get wrong
            clock.pass_seconds(100)

    def wait() -> None:
        is_locked.wait(BEGIN_SECONDS)
        assert limits.reserve("both", [1]) == close_to(0)

    at_once(keep, wait)
    later = (Endpoint.objects.get().next_request - before).total_seconds()
    assert later == pytest.approx(100 + WINDOW_SECONDS / 300, abs=0.001)


@pytest.mark.slow
def test_seats_of_workers_at_once_never_exceed_the_limit(committed):
    seen: list[int] = []

    def work(worker: int) -> None:
        dice = random.Random(worker)
        for _ in range(40):
            seat(worker, dice.randint(0, 12))
            with transaction.atomic():
                limits.locked("seated")
                seen.append(sum(seated()))
            if dice.random() < 0.2:
                limits.release_seat(holder=WORKERS[worker])

    at_once(*(lambda worker=worker: work(worker) for worker in range(4)))
    assert max(seen) <= 10
    assert max(seen) >= 8


def test_who_halts_an_endpoint_sends_nothing_until_its_heartbeat_reads_so(db, settings):
    settings.JUDGE_RETRY_SECONDS = ()
    fail = partial(
        limits.note_failures, "both", timeouts=0, others=limits.FAULTS_IN_ROW, reason="HTML"
    )
    assert fail() == limits.UNTIL_SEEN_SECONDS
    assert limits.endpoint_status("both").halt_reason
    assert fail() == limits.UNTIL_SEEN_SECONDS  # another process
