"""Settings read anew, as a process does at its start."""

import os
import runpy
from typing import Any

import pytest

from tests.site import PROJECT

OURS = (
    *("JUDGE_", "BUDGET_", "QUOTA_"),
    *("DEFAULT_JUDGE", "LOG_LEVEL", "SWEEP_SECONDS", "CANARY_HOURS"),
)


@pytest.fixture
def start(tmp_path):
    """The settings, read anew from an environment that has only these of our variables."""

    def read(**variables: str) -> dict[str, Any]:
        with pytest.MonkeyPatch.context() as patch:
            for name in [*os.environ]:
                if name.startswith(OURS):
                    patch.delenv(name)
            for name, value in {"VAR_DIR": str(tmp_path), **variables}.items():
                patch.setenv(name, value)
            return runpy.run_path(str(PROJECT / "leaderboard" / "settings.py"))

    return read


@pytest.fixture
def refusal(start, capsys):
    """The line that a process is ended with which has these variables."""

    def read(**variables: str) -> str:
        with pytest.raises(SystemExit, match="2"):
            start(**variables)
        said: str = capsys.readouterr().err
        assert said.startswith("Assay cannot start: ")
        assert said.count("\n") == 1
        return said

    return read


@pytest.fixture
def refuses(refusal):
    """Each of these is refused in words that hold the sentence beside it."""

    def read(*cases: tuple[dict[str, str], str]) -> None:
        found = [(variables, sentence, refusal(**variables)) for variables, sentence in cases]
        assert [one for one in found if one[1] not in one[2]] == []
        # the password of each case that has one
        assert [said for _, _, said in found if "hunter2" in said] == []

    return read
