"""Ends the processes of a site after the one that started them, however that one ended.

    python guard.py GRACE_SECONDS

Its input is a pipe that the manager of the site alone holds open: each process tells its group as
it starts, and where the input ends, so has the manager, also by SIGKILL. Then each is asked to end,
by its id, and what is left of its group after GRACE_SECONDS is killed. Standard library only: a
guard stands beside every site and takes a tenth of what a process of it takes.
"""

import os
import signal
import sys
import time
from contextlib import suppress

POLL_SECONDS = 0.05


def send(group: int, number: int) -> bool:
    """Whether its leader, which has the same id, was there to be told."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(group, number)
        return True
    return False


def main(grace_seconds: float) -> None:
    groups: set[int] = set()
    for line in sys.stdin:
        group = int(line)
        if group > 0:
            groups.add(group)
        else:  # the manager saw its end, and its id may be another's by now
            groups.discard(-group)
    deadline = time.monotonic() + grace_seconds
    left = [group for group in groups if send(group, signal.SIGTERM)]
    while left and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
        left = [group for group in left if send(group, 0)]
    for group in groups:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main(float(sys.argv[1]))
