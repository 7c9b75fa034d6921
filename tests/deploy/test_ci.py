"""What .ci/run does with its steps: a `make` that is told here how each of them ends."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.site import PROJECT

MAKE = """#!/bin/sh
echo "begun $1"
case " $SLEEPING " in *" $1 "*) sleep 60;; esac
echo "ended $1"
case " $FAILING " in *" $1 "*) exit 3;; esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / ".ci").mkdir()
    (tmp_path / "deploy").mkdir()
    (tmp_path / "bin").mkdir()
    shutil.copy(PROJECT / ".ci" / "run", tmp_path / ".ci" / "run")
    for name, text in (("deploy/install_debian.sh", "#!/bin/sh\n"), ("bin/make", MAKE)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    return tmp_path


def ci(checkout: Path, **told: str) -> "subprocess.CompletedProcess[str]":
    path = f"{checkout / 'bin'}:{os.environ['PATH']}"
    return subprocess.run(
        [checkout / ".ci" / "run"],
        env={"PATH": path, **told},
        capture_output=True,
        text=True,
        timeout=55,  # less than a step sleeps
    )


def test_every_step_is_run_the_readme_s_first_and_its_time_is_told(checkout):
    ended = ci(checkout)
    assert ended.returncode == 0, ended.stderr
    steps = re.findall(r"=== make (\S+)", ended.stdout)
    assert steps[0] == "test"
    assert steps[-1] == "drill"  # alone
    assert {*steps[-5:-1]} == {"fuzz-api", "test-services", "test-browser", "fresh-roots"}
    assert {*steps[1:-5]} == {
        "lint",
        "security",
        "types",
        "imports",
        "docs",
        "wheels",
        "test-js",
        "test-slow",
    }
    told = ended.stdout.rpartition("=== all passed")[2]
    assert len(re.findall(r"^ +\d+ s  make ", told, re.MULTILINE)) == len(steps)


def test_what_a_step_prints_stands_together(checkout):
    lines = ci(checkout).stdout.splitlines()
    for name in ("lint", "test-slow", "types"):
        place = lines.index(f"begun {name}")
        assert lines[place + 1] == f"ended {name}"


@pytest.mark.parametrize("failing", ["test", "types", "test-slow", "drill"])
def test_a_step_that_fails_fails_the_run_with_what_it_printed(checkout, failing):
    ended = ci(checkout, FAILING=failing)
    assert ended.returncode == 3
    assert f"ended {failing}\n=== make {failing}" in ended.stdout
    assert "FAILED with status 3" in ended.stdout
    assert "all passed" not in ended.stdout
    assert ("begun drill" in ended.stdout) == (failing == "drill")


def test_what_runs_beside_a_step_that_fails_is_ended_too(checkout):
    assert ci(checkout, FAILING="lint", SLEEPING="test-slow").returncode == 3
