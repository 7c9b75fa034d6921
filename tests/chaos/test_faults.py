"""What the run of `make drill ONLY=chaos` promises to do, without doing it."""

from collections import Counter

from tests.chaos.faults import Fault, schedule


def test_sixty_kills_two_crashes_and_one_of_each_other_fault_in_their_order_and_by_the_seed():
    first, again, other = (
        schedule(seed=seed, seconds=90, uploads=6, frozen_seconds=24) for seed in (1, 1, 2)
    )
    assert first == again != other
    moments = [event.after for event in other]
    assert moments == sorted(moments)
    assert 0 <= moments[0] <= moments[-1] <= 90
    counts = Counter(event.fault for event in other)
    assert counts[Fault.KILL_CHILD] + counts[Fault.KILL_WORKER] >= 60
    assert counts[Fault.CRASH_DATABASE] == 2
    once = (Fault.FLUSH_BROKER, Fault.RESTART_BROKER, Fault.FREEZE, Fault.THAW)
    assert [counts[fault] for fault in once] == [1] * 4
