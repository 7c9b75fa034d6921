"""What the run of `make drill ONLY=chaos` promises to do, without doing it."""

from collections import Counter

from tests.chaos.faults import Fault, schedule


def plan(seed: int):
    return schedule(seed=seed, seconds=90, uploads=6, frozen_seconds=24)


def test_the_same_seed_gives_the_same_faults_and_another_one_others():
    assert plan(1) == plan(1) != plan(2)


def test_at_least_sixty_kills_two_crashes_and_one_of_each_other_fault():
    counts = Counter(event.fault for event in plan(3))
    assert counts[Fault.KILL_CHILD] + counts[Fault.KILL_WORKER] >= 60
    assert counts[Fault.CRASH_DATABASE] == 2
    assert {
        counts[fault]
        for fault in (Fault.FLUSH_BROKER, Fault.RESTART_BROKER, Fault.FREEZE, Fault.THAW)
    } == {1}


def test_all_happens_in_its_order_and_time():
    moments = [event.after for event in plan(4)]
    assert moments == sorted(moments)
    assert 0 <= moments[0] <= moments[-1] <= 90
