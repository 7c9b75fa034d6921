"""Freed memory goes back to the system, and numbers are multiplied by one thread."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

LITTLE, MUCH = 5_000, 40_000  # kB

FILL = """
import numpy as np
from leaderboard.operations.processes.memory import trim_memory

def resident():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))

start = resident()
# Small arrays are on the heap, below one that stays: nothing of it falls free by itself.
held = [np.ones(2_000) for _ in range(4_000)]
last = held[-1]
del held
freed = resident()
trim_memory()
print(freed - start, resident() - start)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads Linux's /proc")
def test_what_was_freed_is_the_systems_again():
    told = subprocess.run([sys.executable, "-c", FILL], capture_output=True, text=True, check=True)
    kept, left = map(int, told.stdout.split())
    assert kept > MUCH  # else this test shows nothing
    assert left < LITTLE


def test_whatever_imports_the_project_multiplies_by_one_thread():
    shown = "import leaderboard.settings, os; print(os.environ['OPENBLAS_NUM_THREADS'])"
    without = {key: value for key, value in os.environ.items() if key != "OPENBLAS_NUM_THREADS"}
    command = [sys.executable, "-c", shown]
    told = subprocess.run(command, env=without, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "1"
