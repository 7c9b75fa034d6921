"""A whole site in a folder of its own, as `make demo` starts it or as a host runs it: for tests
that need real processes."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
START_SECONDS = 300  # the set-up of a whole site: 60 to 130, on the slowest machine met
STOP_SECONDS = 60
IS_LOADED = "Ctrl-C stops everything"  # what the demo and deploy/run_site.py say last
OWN_SETTINGS = (
    "DJANGO_SETTINGS_MODULE",
    "BROKER_URL",
    "DATABASE_URL",
    "VAR_DIR",
    "EMAIL_URL",
    "SECRET_KEY",
)


@dataclass(frozen=True)
class Site:
    url: str
    email: str
    password: str
    environment: Mapping[str, str]
    log: Path

    def manage(self, *arguments: str) -> str:
        """What a management command of this site prints; its links lead to the site as it runs."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=PROJECT,
            env={"SITE_URL": self.url.rstrip("/"), **self.environment},
            capture_output=True,
            text=True,
            check=True,
        ).stdout


@contextmanager
def running_site(
    folder: Path, *, as_host: bool = False, is_small: bool = False, **settings: str
) -> Iterator[Site]:
    """The demo with these environment variables on top of the defaults; stopped by Ctrl-C at the
    end.

    `as_host`: with several web processes, two workers and beat; `settings` must name the two
    servers.
    """
    program = ["deploy/run_site.py", "--demo", "--port", "0"] if as_host else ["manage.py", "demo"]
    program += ["--small"] if is_small else []
    environment = {key: value for key, value in os.environ.items() if key not in OWN_SETTINGS}
    environment |= {
        "VAR_DIR": str(folder / "var"),
        "SECRET_KEY": "tests-only-key-that-protects-nothing-at-all",
        **settings,
    }
    log = folder / "log.txt"
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, *program],
            cwd=PROJECT,
            env=environment,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
        try:
            url, email, password = wait_for_site(process, log)
            yield Site(url, email, password, environment, log)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=STOP_SECONDS)


def wait_for_site(process: "subprocess.Popen[bytes]", log: Path) -> tuple[str, str, str]:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        text = log.read_text()
        url = re.search(r"http://127\.0\.0\.1:\d+/", text)
        account = re.search(r"account (researcher@\S+)\s+password (\S+)", text)
        if url and account and IS_LOADED in text and answers(url[0]):
            return url[0], account[1], account[2]
        time.sleep(0.3)
    raise AssertionError(f"the site did not start:\n{log.read_text()}")


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False
