"""Contenders: each works in a process of its own, so that its processor time and memory are its
alone.

A contender says "ready", starts when a line comes on standard input, and ends with a line of JSON
about its work.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
SAMPLE_SECONDS = 0.1
LIMIT_SECONDS = 150


@dataclass(frozen=True, slots=True)
class Work:
    """`start` and `end` by the clock that all processes of the machine share."""

    calls: int
    start: float
    end: float
    cpu_seconds: float
    peak_megabytes: float

    @property
    def seconds(self) -> float:
        return self.end - self.start

    @property
    def rate(self) -> float:
        return self.calls / self.seconds

    @property
    def cpu_ms(self) -> float:
        return self.cpu_seconds / max(self.calls, 1) * 1000


@dataclass(frozen=True, slots=True)
class Sample:
    """What a process had used when the endpoint had been asked so many calls."""

    calls: int
    cpu_seconds: float
    megabytes: float


def report_work(work: Callable[[], int]) -> None:
    """Inside a contender: `work` returns how many calls came to something."""
    print("ready", flush=True)
    if not sys.stdin.readline():
        sys.exit("whoever started this contender is gone")
    cpu, start = cpu_seconds(), time.monotonic()
    calls = work()
    end = time.monotonic()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(asdict(Work(calls, start, end, cpu_seconds() - cpu, peak))), flush=True)


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Contender:
    def __init__(self, module: str, *arguments: object, environment: Mapping[str, str]):
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *map(str, arguments)],
            cwd=PROJECT,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def wait_until_ready(self) -> None:
        assert self.process.stdout is not None
        if self.process.stdout.readline().strip() != "ready":
            raise RuntimeError(
                f"{self.process.args!r} did not start (status {self.process.wait()})"
            )

    def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def work(self) -> Work:
        try:
            said, _ = self.process.communicate(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise
        return Work(**json.loads(said.splitlines()[-1]))

    def watched(self, calls_so_far: Callable[[], int]) -> list[Sample]:
        """Samples from outside, until the work is done; read from /proc, so Linux only."""
        folder = Path("/proc") / str(self.process.pid)
        samples = []
        while self.process.poll() is None and (lines := read_lines(folder / "status")):
            memory = next((line for line in lines if line.startswith("VmRSS")), None)
            if memory is None:  # it has ended
                break
            user, system = read_lines(folder / "stat")[0].rpartition(")")[2].split()[11:13]
            used = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
            samples.append(Sample(calls_so_far(), used, int(memory.split()[1]) / 1024))
            time.sleep(SAMPLE_SECONDS)
        return samples


def read_lines(file: Path) -> list[str]:
    try:
        return file.read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return []
