"""A worker that is told to stop as soon as its endpoint wants to be left alone: no test has to
guess when that is."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from judging.coordination import limits
from judging.engine.stopping import STOPPING


@contextmanager
def stopped_when_held() -> Iterator[None]:
    hold = limits.hold

    def hold_and_stop(alias: str, *, seconds: float, reason: str) -> None:
        hold(alias, seconds=seconds, reason=reason)
        STOPPING.set()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "hold", hold_and_stop)
        try:
            yield
        finally:
            STOPPING.clear()
