"""What starts waits for no library that it may not need (`make bench-startup` says how long)."""

import json
import os
import subprocess
import sys

import pytest
from django.conf import settings

ASKED = """
import json, sys, django
from django.core.management import call_command

django.setup()
loaded = {"setup": sorted(sys.modules)}
call_command("check", stdout=sys.stderr)
loaded["check"] = sorted(sys.modules)
print(json.dumps(loaded))
"""
NEVER = {"scipy", "pyarrow", "openai", "plotly", "openpyxl", "qrcode"}
"""What computes, reads and draws single things, and no page or command needs to be there."""
WITH_PAGES = {"numpy", "PIL", "psycopg", "rest_framework.views", "drf_spectacular.openapi"}
"""What the admin, the pages and the API begin with: workers and most commands have none."""
OURS = {
    "leaderboard.urls",
    "leaderboard.admin",
    "benchmarks.checks",
    "benchmarks.protocols.base",
    "judging.services",
}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """Names of modules after django.setup() and after `manage.py check`, in a new process."""
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "VAR_DIR": str(tmp_path_factory.mktemp("var")),
    }
    environment.pop("DATABASE_URL", None)  # PostgreSQL's brings its client
    told = subprocess.run(
        [sys.executable, "-c", ASKED],
        cwd=settings.BASE_DIR,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return {step: set(names) for step, names in json.loads(told).items()}


@pytest.mark.slow
def test_setting_up_loads_models_and_neither_pages_nor_what_they_need(loaded):
    assert "judging.models" in loaded["setup"]
    assert not loaded["setup"] & (NEVER | WITH_PAGES | OURS)


@pytest.mark.slow
def test_checking_loads_all_pages_and_tries_no_scorer(loaded):
    assert {"leaderboard.urls", "leaderboard.admin"} <= loaded["check"]
    assert not loaded["check"] & (NEVER | {"benchmarks.protocols.hallusionbench.scoring"})
