"""Settings read anew, as a process does at its start."""

import os
import runpy
from typing import Any

import pytest

from tests.site import PROJECT


@pytest.fixture
def start(monkeypatch, tmp_path):
    """The settings, read anew from an environment that has only these of our variables."""

    def read(**variables: str) -> dict[str, Any]:
        for name in [
            name for name in os.environ if name.startswith(("JUDGE_", "BUDGET_", "QUOTA_"))
        ]:
            monkeypatch.delenv(name)
        for name in ("DEFAULT_JUDGE", "LOG_LEVEL", "SWEEP_SECONDS", "CANARY_HOURS"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {"VAR_DIR": str(tmp_path), **variables}.items():
            monkeypatch.setenv(name, value)
        return runpy.run_path(str(PROJECT / "leaderboard" / "settings.py"))

    return read


@pytest.fixture
def refusal(start, capsys):
    def read(**variables: str) -> str:
        with pytest.raises(SystemExit, match="2"):
            start(**variables)
        said: str = capsys.readouterr().err
        assert said.startswith("Assay cannot start: ")
        assert said.count("\n") == 1
        return said

    return read
