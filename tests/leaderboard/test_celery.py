"""What a worker's main process does before it forks its pool, and when it is asked to stop."""

import os
import subprocess
import sys
import threading

import pytest

from judging.engine.stopping import STOPPING
from leaderboard import celery
from tests.slow import slow


def test_a_worker_whose_pool_was_killed_with_it_ends_all_the_same(monkeypatch):
    ended, codes = threading.Event(), []

    def end(code: int) -> None:
        codes.append(code)
        ended.set()

    monkeypatch.setattr(os, "_exit", end)
    monkeypatch.setattr(celery, "END_SECONDS", 0.01)
    try:
        celery.stop_judging()
        assert ended.wait(10)
        assert codes == [1]
        assert STOPPING.is_set()
    finally:
        STOPPING.clear()


INIT = """
import django, sys
django.setup()
from celery.signals import celeryd_init
from leaderboard.celery import app
celeryd_init.send(sender=None, instance=None, conf=None, options=None)
print("judging.judges.providers.openai" in sys.modules)
"""


@pytest.mark.parametrize(
    ("endpoints", "is_imported"), [("lab=http://127.0.0.1:9/v1", "True"), slow(("", "False"))]
)
def test_a_worker_has_the_client_of_judges_before_its_pool_is_there(
    tmp_path, endpoints, is_imported
):
    """A run would wait for it. A site without endpoints has no use for it."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("JUDGE_")},
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "JUDGE_ENDPOINTS": endpoints,
        "SECRET_KEY": "a-key-of-this-test-that-protects-nothing",
        "VAR_DIR": str(tmp_path),
        "BROKER_URL": "",
        "DATABASE_URL": "",
    }
    ended = subprocess.run(
        [sys.executable, "-c", INIT], env=environment, capture_output=True, text=True, check=False
    )
    assert ended.stdout.strip() == is_imported, ended.stderr
