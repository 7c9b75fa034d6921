"""A provider as a child of this process, for as long as a block runs."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.provider.options import flag

PROJECT = Path(__file__).resolve().parents[2]
CONTROL_SECONDS = 10


@dataclass(frozen=True)
class RunningProvider:
    """`url` is the base address for a client, ending in /v1."""

    url: str
    process: "subprocess.Popen[str]"

    def stats(self, *, with_answers: bool = True) -> dict[str, Any]:
        return self.call("/stats" if with_answers else "/stats?answers=0")

    def control(self, **changes: Any) -> dict[str, Any]:
        """From now on these options; "hold" and "away" in seconds. Raises HTTPError for what it
        does not know."""
        return self.call("/control", json.dumps(changes).encode())

    def call(self, path: str, body: bytes | None = None) -> dict[str, Any]:
        address = self.url.removesuffix("/v1") + path
        with urllib.request.urlopen(address, data=body, timeout=CONTROL_SECONDS) as reply:
            document: dict[str, Any] = json.load(reply)
            return document


@contextmanager
def running_provider(**options: Any) -> Iterator[RunningProvider]:
    """The options of tests/provider/options.py, milliseconds for latency and jitter."""
    arguments = [f"{flag(name)}={value}" for name, value in options.items()]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.provider", *arguments],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        if not address:
            raise RuntimeError(f"the provider did not start (status {process.wait()})")
        yield RunningProvider(address, process)
    finally:
        process.terminate()
        process.wait(timeout=10)
        process.stdout.close()
