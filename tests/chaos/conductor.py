"""The course of the run: events in their order, then the wait for everything to end."""

import os
import random
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence

from benchmarks.models import Release
from deploy.private_services import HOST, Postgres, Redis, StopSignals
from judging.coordination.clock import database_now
from tests.chaos.content import (
    ANSWERS,
    ask_again,
    causes,
    count_early_scores,
    count_judged,
    count_unfinished,
    most_unknown,
    patiently,
    upload,
)
from tests.chaos.course import Course
from tests.chaos.faults import Event, Fault
from tests.chaos.workers import Worker

START_SECONDS = 120
TARGET_SECONDS = 60
POLL_SECONDS = 0.1
TERMINAL_SECONDS = 60
SAY_SECONDS = 10


class Conductor:
    def __init__(
        self,
        *,
        postgres: Postgres,
        redis: Redis,
        workers: Sequence[Worker],
        release: Release,
        provider_port: int,
        rng: random.Random,
        signals: StopSignals,
    ):
        self.postgres, self.redis, self.workers = postgres, redis, workers
        self.release, self.rng, self.signals = release, rng, signals
        self.provider_port = provider_port
        self.course = Course()
        self.actions: dict[Fault, Callable[[], None]] = {
            Fault.UPLOAD: self.upload,
            Fault.KILL_CHILD: self.kill_child,
            Fault.KILL_WORKER: self.kill_worker,
            Fault.CRASH_DATABASE: self.crash_database,
            Fault.FLUSH_BROKER: self.flush_broker,
            Fault.RESTART_BROKER: self.restart_broker,
            Fault.FREEZE: self.freeze,
            Fault.THAW: self.thaw,
        }

    def await_workers(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not all(worker.is_ready for worker in self.workers):
            if time.monotonic() > deadline:
                raise RuntimeError(f"the workers are not ready after {START_SECONDS} s")
            self.pause()

    def play(self, events: Sequence[Event]) -> None:
        start = time.monotonic()
        next_word = start
        for event in events:
            while time.monotonic() < start + event.after:
                self.pause()
            self.actions[event.fault]()
            if time.monotonic() >= next_word:
                next_word = time.monotonic() + SAY_SECONDS
                self.look(time.monotonic() - start)
            self.course.done[event.fault] += 1
        self.course.fault_seconds = time.monotonic() - start
        self.course.last_fault = patiently(database_now)
        self.course.judged_before = patiently(count_judged)

    def look(self, seconds: float) -> None:
        self.course.early_scores += patiently(count_early_scores)
        say(
            f"{seconds:5.0f} s  {self.course.kills:3} kills  {patiently(count_judged):4} of "
            f"{ANSWERS} judged"
        )

    def await_terminal(self) -> float | None:
        """Seconds until everything was at its end; None where it never was."""
        start = time.monotonic()
        while time.monotonic() - start < TERMINAL_SECONDS:
            if not count_unfinished():
                return time.monotonic() - start
            self.pause()
        return None

    def end(self) -> None:
        """Everything comes to its end; what waits for a person then is asked again, and comes to
        its end too."""
        self.course.terminal_seconds = self.await_terminal()
        self.course.causes = causes()
        self.course.most_unknown = most_unknown()
        self.course.asked_again = ask_again()
        if self.course.asked_again:
            self.course.again_seconds = self.await_terminal()

    def pause(self) -> None:
        """A moment, in which workers that ended by themselves are started again, as a host does."""
        time.sleep(POLL_SECONDS)
        self.signals.raise_if_received()
        for worker in self.workers:
            if worker.has_ended:
                worker.kill()
                worker.start()
                self.course.revived += 1

    # --- events -----------------------------------------------------------------------------------

    def upload(self) -> None:
        number = self.course.done[Fault.UPLOAD]
        patiently(lambda: upload(number, self.release))

    def kill_child(self) -> None:
        """One of those that are there; waited for, where all workers are only starting."""
        deadline = time.monotonic() + TARGET_SECONDS
        while time.monotonic() < deadline:
            pools = [
                child for worker in self.workers if not worker.is_frozen for child in worker.pool()
            ]
            if pools and kill_process(self.rng.choice(sorted(pools))):
                return
            self.pause()
        raise RuntimeError("no worker has a pool process to kill")

    def kill_worker(self) -> None:
        worker = self.rng.choice([worker for worker in self.workers if not worker.is_frozen])
        worker.kill()
        worker.start()

    def crash_database(self) -> None:
        self.postgres.stop()
        self.postgres.start(self.postgres.port)

    def flush_broker(self) -> None:
        with socket.create_connection((HOST, self.redis.port), timeout=5) as connection:
            connection.sendall(b"FLUSHALL\r\n")
            if not connection.recv(100).startswith(b"+OK"):
                raise RuntimeError("Redis did not empty itself")

    def restart_broker(self) -> None:
        self.redis.stop()
        self.redis.start(self.redis.port)

    def freeze(self) -> None:
        """One that has asked the provider, so that it holds work; waited for, where none does just
        now."""
        deadline = time.monotonic() + TARGET_SECONDS
        while not (
            busy := [worker for worker in self.workers if worker.is_at_work(self.provider_port)]
        ):
            if time.monotonic() > deadline:
                raise RuntimeError("no worker is at work")
            self.pause()
        self.rng.choice(busy).freeze()

    def thaw(self) -> None:
        for worker in self.workers:
            if worker.is_frozen:
                worker.thaw()


def kill_process(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
