"""The client as it is handed out: a wheel, and the five lines of its README against a site."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.site import running_site

pytestmark = [pytest.mark.slow]
CLIENT = Path(__file__).parents[3] / "clients/python"
NEW_TOKEN = """
from django.contrib.auth.models import User
from benchmarks.submissions.services import create_token
owner = User.objects.get(username="researcher")
print("key", create_token(owner=owner, name="script", scope="submit").key)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as pip does, without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    code = "import sys; from flit_core import buildapi; print(buildapi.build_wheel(sys.argv[1]))"
    built = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        cwd=CLIENT,
        capture_output=True,
        text=True,
        check=True,
    )
    return folder / built.stdout.strip()


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    options = ["--quiet", "--no-deps", "--no-index", "--disable-pip-version-check"]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, "--target", str(folder), str(wheel)],
        check=True,
    )
    return folder


def test_a_wheel_holds_the_package_and_needs_one_other(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {"assay/__init__.py", "assay/command_line.py", "assay/py.typed"} <= set(names)
    assert all(name.startswith(("assay/", "assay-")) for name in names)
    (metadata,) = (name for name in names if name.endswith("METADATA"))
    text = zipfile.ZipFile(wheel).read(metadata).decode()
    assert re.findall(r"^Requires-Dist: (\S+?)[<>=]", text, re.MULTILINE) == ["httpx2"]


def test_five_lines_lead_from_nothing_to_a_score(installed, tmp_path):
    readme = (CLIENT / "README.md").read_text()
    block = re.search(r"```sh\n(.*?)```", readme, re.DOTALL)
    assert block is not None
    install, *lines = block[1].splitlines()
    assert install == "python -m pip install ./clients/python"
    assert len(lines) == 4
    with running_site(tmp_path, is_small=True) as site:
        key = site.manage("shell", "-c", NEW_TOKEN).rpartition("key ")[2].strip()
        script = "\n".join(["set -e", *lines])
        script = script.replace("http://127.0.0.1:8000", site.url).replace("assay_your_token", key)
        paths = f"{installed / 'bin'}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(installed), "PATH": paths},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "My model on hallusionbench-mini, judged by" in done.stdout
    assert re.search(r"^  aAcc +0\.\d+", done.stdout, re.MULTILINE), done.stdout
