"""Threads of a worker's main process: begun with the worker, told to stop with it."""

import threading

from celery import bootsteps


class WorkerThread(bootsteps.StartStopStep):
    """Runs `run` beside the pool, whether or not a broker answers. Subclasses name and write it."""

    requires = ("celery.worker.components:Pool",)
    thread_name: str
    stop_seconds: float  # that a worker which stops waits for it

    def __init__(self, worker: object, **options: object) -> None:
        super().__init__(worker, **options)
        self.stopping = threading.Event()
        self.thread: threading.Thread | None = None

    def start(self, worker: object) -> None:
        self.thread = threading.Thread(target=self.run, name=self.thread_name, daemon=True)
        self.thread.start()

    def stop(self, worker: object) -> None:
        self.stopping.set()
        if self.thread is not None:
            self.thread.join(timeout=self.stop_seconds)

    def run(self) -> None:
        """Goes on until `stopping` is set."""
        raise NotImplementedError
