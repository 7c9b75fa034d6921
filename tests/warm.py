"""Tests run in forks of one process, which has set Django up, imported the packages that pages need
and made the database: seven of the eight seconds that the tests of a page take by themselves.

What is imported of the project before the fork is what `django.setup()` imports. The rest each fork
imports for itself, so that a file may be changed in between.
"""

import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

OWN = ("__main__", "benchmarks", "judging", "leaderboard", "tests")
OPTIONS = (
    *("-q", "-x", "-p", "no:randomly"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # plugins are imported, that is the point
)
LISTING = """
import json, sys, django
django.setup()
import leaderboard.urls, tests.conftest
print(json.dumps(list(sys.modules)))
"""


class SlowLast:
    """Most of what fails fails in a quick test, and then no slow one is run."""

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items.sort(key=lambda item: item.get_closest_marker("slow") is not None)


class WarmTests:
    """Of the project in the working directory. `var` is where its tests keep files and database,
    `clean` what was there at first: each run begins with that."""

    def __init__(self) -> None:
        os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
        import django

        django.setup()
        import_packages()
        from django.conf import settings
        from django.db import connections
        from django.test.utils import setup_databases

        setup_databases(verbosity=0, interactive=False)
        connections.close_all()
        self.var = Path(settings.VAR_DIR)
        self.clean = self.var.with_name(f"{self.var.name}-clean")
        shutil.copytree(self.var, self.clean)

    def passes(self, tests: str, seconds: float) -> bool:
        """Whether all of these test files pass. False as well where they do not end in time, or
        cannot even be read."""
        shutil.rmtree(self.var)
        shutil.copytree(self.clean, self.var)
        child = os.fork()
        if not child:
            run_tests(tests.split(), seconds)
        _, status = os.waitpid(child, 0)
        with suppress(ProcessLookupError):  # what they started and left
            os.killpg(child, signal.SIGKILL)
        return status == 0

    def close(self) -> None:
        shutil.rmtree(self.clean)


def import_packages() -> None:
    listing = subprocess.run(
        [sys.executable, "-c", LISTING], check=True, capture_output=True, text=True
    )
    for name in json.loads(listing.stdout.splitlines()[-1]):
        if name.partition(".")[0] not in OWN:
            with suppress(ImportError):
                importlib.import_module(name)


def run_tests(files: list[str], seconds: float) -> None:
    """Ends the process, with 0 where all passed."""
    code = 1
    try:
        os.setsid()
        signal.alarm(int(seconds) + 1)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        import pytest
        from django.test import utils

        # What pytest-django looks up when it makes the database, which is there already.
        for name in ("setup_databases", "teardown_databases"):
            setattr(utils, name, lambda *made, **how: [])
        code = int(pytest.main([*OPTIONS, *files], plugins=[SlowLast()]))
    finally:
        os._exit(code)
