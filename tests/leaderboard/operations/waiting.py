"""What a process of its own does in a test."""

import os
from pathlib import Path

from judging.engine.stopping import STOPPING

BEGUN = "TEST_HAS_BEGUN"


def until_stopped() -> None:
    Path(os.environ[BEGUN]).touch()
    assert STOPPING.wait(timeout=60)
