"""An event loop whose time is told, not measured: whatever waits for a timer gets it at once, in
its order."""

import asyncio
import selectors
from typing import Any


class SimulatedLoop(asyncio.SelectorEventLoop):
    """Where nothing is ready, the time moves on to the next timer. How busy the machine is changes
    no outcome."""

    def __init__(self) -> None:
        self.seconds = 0.0
        super().__init__(LeapingSelector(self))

    def time(self) -> float:
        return self.seconds


class LeapingSelector(selectors.DefaultSelector):
    """Waits for what other threads send as long as no timer is set, and never for a timer."""

    def __init__(self, loop: SimulatedLoop) -> None:
        super().__init__()
        self.loop = loop

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            return super().select(None)
        found = super().select(0)
        if not found:
            self.loop.seconds += timeout
        return found
