import threading
from collections.abc import Callable


class Probe:
    """A check that may hang, as a disk of another host can: asked in a thread, and waited for a
    bounded time.

    While one hangs no second one is begun, so however often health is asked, one thread is stuck
    and no more.
    """

    def __init__(self, check: Callable[[], str], *, seconds: float, late: str) -> None:
        self.check, self.seconds, self.late = check, seconds, late
        self.lock = threading.Lock()
        self.thread: threading.Thread | None = None
        self.answer = ""

    def __call__(self) -> str:
        with self.lock:
            if self.thread is None or not self.thread.is_alive():
                self.thread = threading.Thread(target=self.run, name="probe", daemon=True)
                self.thread.start()
            thread = self.thread
        thread.join(self.seconds)
        return self.late if thread.is_alive() else self.answer

    def run(self) -> None:
        self.answer = self.check()
