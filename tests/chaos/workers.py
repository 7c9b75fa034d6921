"""The processes of the site under fire: started by us, each in a session of its own, and found
again by their ids."""

import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.site import PROJECT

STOP_SECONDS = 30
READY = re.compile(rb"@\S+ ready\.")


class Worker:
    """A worker, or beat. Its pool processes are those of its children that run the same program."""

    def __init__(self, name: str, command: str, environment: Mapping[str, str], logs: Path):
        self.name, self.command, self.environment = name, shlex.split(command), dict(environment)
        self.logs, self.log = logs, Path()
        self.is_frozen = False
        self.starts = 0
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.starts += 1
        self.log = self.logs / f"{self.name}-{self.starts}.log"
        with self.log.open("wb") as out:
            self.process = subprocess.Popen(
                self.command,
                cwd=PROJECT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        self.is_frozen = False

    @property
    def has_ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    @property
    def is_ready(self) -> bool:
        """Until it says so, Celery takes the loss of a pool process for a failure to start, and
        gives up."""
        return self.process is not None and READY.search(self.log.read_bytes()) is not None

    def pool(self) -> list[int]:
        """Process ids of its pool; none while it is starting."""
        if self.process is None or self.has_ended or not self.is_ready:
            return []
        own = command_line(self.process.pid)
        return [child for child in children(self.process.pid) if command_line(child) == own]

    def is_at_work(self, port: int) -> bool:
        """A pool process of it asks at that port."""
        return any(is_connected(child, port) for child in self.pool())

    def signal(self, number: int) -> None:
        """To it and all its children."""
        assert self.process is not None
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """As a loss of power ends it, and its children with it."""
        self.signal(signal.SIGKILL)
        assert self.process is not None
        self.process.wait()

    def freeze(self) -> None:
        self.signal(signal.SIGSTOP)
        self.is_frozen = True

    def thaw(self) -> None:
        self.signal(signal.SIGCONT)
        self.is_frozen = False


def children(pid: int) -> list[int]:
    found = []
    with suppress(FileNotFoundError, ProcessLookupError):
        for thread in (Path("/proc") / str(pid) / "task").iterdir():
            found += [int(child) for child in (thread / "children").read_text().split()]
    return found


def is_connected(pid: int, port: int) -> bool:
    """Whether the process has a connection to that port: every line of /proc/net/tcp has both ends
    and an inode."""
    try:
        own = {
            os.readlink(descriptor) for descriptor in (Path("/proc") / str(pid) / "fd").iterdir()
        }
    except (FileNotFoundError, ProcessLookupError):
        return False
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[2].endswith(f":{port:04X}") and f"socket:[{fields[9]}]" in own:
            return True
    return False


def command_line(pid: int) -> bytes:
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


@contextmanager
def running_workers(workers: Sequence[Worker]) -> Iterator[None]:
    """None of them, and nothing they started, outlives the block."""
    try:
        for worker in workers:
            worker.start()
        yield
    finally:
        for worker in workers:
            if worker.process is not None:
                worker.kill()


def stop(workers: Sequence[Worker]) -> None:
    """As a host stops them: asked to end, and killed only after a while."""
    for worker in workers:
        worker.thaw()
        if worker.process is not None:
            worker.process.terminate()
    deadline = time.monotonic() + STOP_SECONDS
    for worker in workers:
        if worker.process is not None:
            with suppress(subprocess.TimeoutExpired):
                worker.process.wait(timeout=max(deadline - time.monotonic(), 0.1))
