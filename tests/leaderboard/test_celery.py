"""What a worker's main process does when it is asked to stop."""

import os
import threading

from judging.engine.stopping import STOPPING
from leaderboard import celery


def test_a_worker_whose_pool_was_killed_with_it_ends_all_the_same(monkeypatch):
    ended, codes = threading.Event(), []

    def end(code: int) -> None:
        codes.append(code)
        ended.set()

    monkeypatch.setattr(os, "_exit", end)
    monkeypatch.setattr(celery, "END_SECONDS", 0.01)
    try:
        celery.stop_judging()
        assert ended.wait(10)
        assert codes == [1]
        assert STOPPING.is_set()
    finally:
        STOPPING.clear()
