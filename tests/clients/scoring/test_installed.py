"""The scoring library by itself: its wheel, and `assay score` where nothing else is installed."""

import json
import re
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

from benchmarks.scoring.offline import score_file
from tests.clients.python.installing import CLIENT, build_wheel, install

pytestmark = [pytest.mark.slow]
LIBRARY = CLIENT.parent / "scoring"
ANSWERS = CLIENT.parents[1] / "benchmarks/bundled/hallusionbench/answers/lucid-9b.jsonl"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    code = "import sys, building; print(building.build_wheel(sys.argv[1]))"
    built = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        cwd=LIBRARY,
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(folder, built.stdout.strip())


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The client in an environment of its own, with this library and what that needs."""
    found = install(build_wheel(wheel.parent), wheel.parent / "environment")
    (packages,) = found.folder.glob("lib/python3*/site-packages")
    for name in ("numpy", "scipy"):
        site = Path(str(distribution(name).locate_file("")))
        for part in (name, f"{name}.libs"):
            if (site / part).exists():
                (packages / part).symlink_to(site / part)
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(packages)
    return found


def test_a_wheel_holds_the_library_and_questions_and_needs_numpy_and_scipy(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {"benchmarks/scoring/sheets.py", "benchmarks/statistics/pairs.py"} <= set(names)
    assert "benchmarks/bundled/hallusionbench/questions.json" in names
    assert not [name for name in names if name.endswith((".png", "/models.py", "/admin.py"))]
    (metadata,) = (name for name in names if name.endswith("METADATA"))
    text = zipfile.ZipFile(wheel).read(metadata).decode()
    needed = re.findall(r"^Requires-Dist: (\w+)( ;.*)?$", text, re.MULTILINE)
    assert [name for name, condition in needed if not condition] == ["numpy", "scipy"]
    project = Path(LIBRARY.parents[1], "pyproject.toml").read_text()
    version = re.search(r'^version = "(.+)"', project, re.MULTILINE)
    assert version is not None
    assert f"\nVersion: {version[1]}\n" in text


def test_a_file_is_scored_without_a_site(installed, tmp_path):
    (tmp_path / "answers.jsonl").write_bytes(ANSWERS.read_bytes())
    done = installed.run("score", "hallusionbench", "answers.jsonl", "--json", site="", at=tmp_path)
    assert (done.status, done.errors) == (0, "")
    assert json.loads(done.out) == score_file("hallusionbench", ANSWERS)


def test_its_digest_is_that_of_the_project(installed):
    command = ["-m", "benchmarks.scoring.source"]
    own, other = (
        subprocess.run([program, *command], cwd=folder, capture_output=True, text=True, check=True)
        for program, folder in (
            (sys.executable, LIBRARY.parents[1]),
            (installed.folder / "bin/python", installed.folder),
        )
    )
    assert own.stdout == other.stdout
    assert re.fullmatch("[0-9a-f]{64}\n", own.stdout)


def test_the_client_alone_says_what_is_missing(wheel, tmp_path_factory, tmp_path):
    alone = install(build_wheel(wheel.parent), tmp_path_factory.mktemp("alone") / "environment")
    done = alone.run("score", "hallusionbench", str(ANSWERS), site="", at=tmp_path)
    assert (done.status, done.out) == (2, "")
    assert "Needs the scoring library, which is not installed" in done.errors
    assert "pip install ./clients/scoring" in done.errors
