"""Tests run in forks of one process, which has imported the packages that pages need: four of the
five seconds that a test of a page takes by itself.

Of the project nothing is imported before the fork, so that any file may be changed in between.
"""

import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.planted_faults import OWN_TEST, QUICK

OWN = ("__main__", "benchmarks", "judging", "leaderboard", "tests")
OPTIONS = (
    *("-q", "-x", "-p", "no:randomly", "-m", QUICK, f"--ignore={OWN_TEST}"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # plugins are imported, that is the point
)
DATABASE = {"db", "transactional_db", "module_rows", "django_db_setup"}
HANGS = 45  # seconds: a quick test takes 0.25, and on a busy machine ten times as long
COLLECTS = 300  # seconds, of all test files on a busy machine
MAKES_DATABASE = (
    "tests/leaderboard/web/pages/site/test_icon.py"  # two small tests, one of which has it
)
LISTING = """
import json, os, sys, django
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
django.setup()
import leaderboard.urls, tests.conftest
print(json.dumps(list(sys.modules)))
"""


class Watch:
    """Keeps the first test that fails, and ends the run once `seconds` of processor time are over,
    or with the process where a test does not end."""

    def __init__(self, failing: Path, seconds: float) -> None:
        self.failing, self.seconds = failing, seconds

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """pytest-django puts what needs no database last, where the time is over."""
        items.sort(key=lambda item: bool(DATABASE & {*getattr(item, "fixturenames", ())}))

    def pytest_runtest_logstart(self) -> None:
        signal.alarm(HANGS)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failing.write_text(report.nodeid)

    pytest_collectreport = pytest_runtest_logreport

    def pytest_runtest_teardown(self, item: Any) -> None:
        if time.process_time() > self.seconds:
            item.session.shouldstop = "the time is over"


class WarmTests:
    """Of the project in the working directory. pytest's cache has the database that runs copy."""

    def __init__(self) -> None:
        import_packages()
        self.folder = open_folder(prefix="warm-")  # short, for paths of sockets
        self.cache, self.clean = self.folder / "cache", self.folder / "clean"
        if failing := self.first_failing([MAKES_DATABASE]):
            raise SystemExit(f"{failing} fails with nothing changed")
        shutil.copytree(self.cache, self.clean)

    def first_failing(self, tests: Sequence[str], seconds: float = 3_600) -> str:
        """The first test of these files that fails; empty where none did before the time was
        over."""
        shutil.rmtree(self.cache, ignore_errors=True)
        if self.clean.exists():
            shutil.copytree(self.clean, self.cache)
        own = open_folder(dir=self.folder, prefix="")
        failing = own / "failing"
        child = os.fork()
        if not child:
            run_tests(
                [f"--override-ini=cache_dir={self.cache}", *tests], own, Watch(failing, seconds)
            )
        _, status = os.waitpid(child, 0)
        with suppress(ProcessLookupError):  # what they started and left
            os.killpg(child, signal.SIGKILL)
        said = failing.read_text() if failing.exists() else ""
        shutil.rmtree(own, ignore_errors=True)
        return said or ("the run itself" if status else "")

    def close(self) -> None:
        shutil.rmtree(self.folder)


def open_folder(**options: Any) -> Path:
    """A new one; some tests run as another user."""
    folder = Path(tempfile.mkdtemp(**options))
    folder.chmod(0o755)
    return folder


def import_packages() -> None:
    listing = subprocess.run(
        [sys.executable, "-c", LISTING], check=True, capture_output=True, text=True
    )
    for name in json.loads(listing.stdout.splitlines()[-1]):
        if name.partition(".")[0] not in OWN:
            with suppress(Exception):  # some have to wait for Django's set-up
                importlib.import_module(name)


def run_tests(arguments: list[str], own: Path, watch: Watch) -> None:
    """Ends the process, with 0 where none failed."""
    code = 1
    try:
        os.setsid()
        signal.alarm(COLLECTS)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        os.environ["TMPDIR"] = tempfile.tempdir = str(own)
        ended = pytest.main([*OPTIONS, *arguments], plugins=[watch])
        over = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.INTERRUPTED)
        code = int(ended not in over)
    finally:
        os._exit(code)
