"""Tests run in forks of one process that has imported the project: four of the five seconds that a
test of a page takes by itself.

So a change of a function has to be made in memory: each fork gives the functions of the file their
new code. What a module or a class says outside of functions was run before, and cannot be changed
in this way.
"""

import gc
import importlib
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from tests.planted_faults import OWN_TEST, QUICK

OPTIONS = (
    *("-q", "-x", "-p", "no:randomly", "-m", QUICK, f"--ignore={OWN_TEST}"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # plugins are imported, that is the point
)
HANGS = 45  # seconds: a quick test takes 0.25, and on a busy machine ten times as long
MAKES_DATABASE = "tests/leaderboard/pages/test_icon.py"  # two small tests, one of which has it
IS_FUNCTION = 2  # CO_NEWLOCALS: bodies of modules and classes have it not

Codes = Mapping[CodeType, CodeType]


def inner(code: CodeType) -> list[CodeType]:
    return [const for const in code.co_consts if isinstance(const, CodeType)]


def says(code: CodeType) -> tuple[Any, ...]:
    """What it does by itself, whatever the functions in it do."""
    consts = [c for c in code.co_consts if not isinstance(c, CodeType)]
    return code.co_code, code.co_names, consts


def pairs(was: CodeType, now: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    yield was, now
    yield from chain.from_iterable(map(pairs, inner(was), inner(now)))


def new_codes(path: Path, was: str, now: str) -> Codes | None:
    """By the code of each function its new one; None where a module or a class says something
    else outside of functions, or defines others."""
    olds, news = (compile(text, str(path), "exec") for text in (was, now))
    found = dict(pairs(olds, news))
    for old, new in found.items():
        if old.co_name != new.co_name or len(inner(old)) != len(inner(new)):
            return None
        if not old.co_flags & IS_FUNCTION and says(old) != says(new):
            return None
    return {old: new for old, new in found.items() if old.co_flags & IS_FUNCTION}


def exchange(codes: Codes) -> None:
    files = {code.co_filename for code in codes}
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename in files:
            each.__code__ = codes.get(each.__code__, each.__code__)


class Watch:
    """Keeps the first test that fails, and ends the run once `seconds` of processor time are over,
    or with the process where a test does not end."""

    def __init__(self, failing: Path, seconds: float) -> None:
        self.failing, self.seconds = failing, seconds

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
    """Of the project in the working directory. Each run begins with the files that were there at
    first, and copies the database that pytest's cache has."""

    def __init__(self, modules: Sequence[str]) -> None:
        os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
        import django

        django.setup()
        for name in ("leaderboard.urls", "tests.conftest", *modules):
            with suppress(Exception):  # a module for another process, as of a worker
                importlib.import_module(name)
        from django.conf import settings

        self.folder = Path(tempfile.mkdtemp(prefix="warm-"))  # short, for paths of sockets
        self.var, self.clean = Path(settings.VAR_DIR), self.folder / "clean"
        shutil.copytree(self.var, self.clean)
        if failing := self.first_failing([MAKES_DATABASE]):
            raise SystemExit(f"{failing} fails with nothing changed")

    def first_failing(
        self, tests: Sequence[str], codes: Codes | None = None, seconds: float = 3_600
    ) -> str:
        """The first test of these that fails, with functions of other code; empty where none did
        before the time was over."""
        shutil.rmtree(self.var)
        shutil.copytree(self.clean, self.var)
        own = Path(tempfile.mkdtemp(dir=self.folder, prefix=""))
        failing = own / "failing"
        child = os.fork()
        if not child:
            run_tests(tests, codes or {}, own, Watch(failing, time.process_time() + seconds))
        _, status = os.waitpid(child, 0)
        with suppress(ProcessLookupError):  # what they started and left
            os.killpg(child, signal.SIGKILL)
        said = failing.read_text() if failing.exists() else ""
        shutil.rmtree(own, ignore_errors=True)
        return said or ("the run itself" if status else "")

    def close(self) -> None:
        shutil.rmtree(self.folder)


def run_tests(tests: Sequence[str], codes: Codes, own: Path, watch: Watch) -> None:
    """Ends the process, with 0 where none failed."""
    code = 1
    try:
        os.setsid()
        signal.alarm(HANGS)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        import pytest

        tempfile.tempdir = os.environ["TMPDIR"] = str(own)
        exchange(codes)
        ended = pytest.main([*OPTIONS, *tests], plugins=[watch])
        over = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.INTERRUPTED)
        code = int(ended not in over)
    finally:
        os._exit(code)
