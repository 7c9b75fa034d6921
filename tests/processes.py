"""What tests of real processes and threads wait for."""

import subprocess
import time
from collections.abc import Callable

from leaderboard.operations.processes.lent_connections import IDLE


def comes_true(condition: Callable[[], object], seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return bool(condition())


def is_running(pid: int) -> bool:
    """And no zombie, which has ended: nobody may have waited for it in a container."""
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return found.stdout.strip()[:1] not in ("", "Z")


def close_idle_connections() -> None:
    """Those that a request gave back, in this process, for the next to borrow."""
    while (wrapper := IDLE.take()) is not None:
        wrapper.close()
