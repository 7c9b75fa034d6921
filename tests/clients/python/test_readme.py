"""The client as it is handed out: a wheel, and the five lines of its README against a site."""

import os
import re
import subprocess
import zipfile

import pytest

from tests.clients.python.installing import CLIENT
from tests.site import running_site

pytestmark = [pytest.mark.slow]
NEW_TOKEN = """
from django.contrib.auth.models import User
from benchmarks.submissions.tokens import create_token
owner = User.objects.get(username="researcher")
print("key", create_token(owner=owner, name="script", scope="submit").key)
"""


def test_a_wheel_holds_the_package_and_needs_one_other(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {"assay/__init__.py", "assay/command_line.py", "assay/py.typed"} <= set(names)
    assert all(name.startswith(("assay/", "assay-")) for name in names)
    (metadata,) = (name for name in names if name.endswith("METADATA"))
    text = zipfile.ZipFile(wheel).read(metadata).decode()
    assert re.findall(r"^Requires-Dist: (\S+?)[<>=]", text, re.MULTILINE) == ["httpx2"]


def test_a_wheel_needs_nothing_of_this_project(installed, tmp_path):
    program = "import assay, sys; print(assay.__file__); print(*sys.modules)"
    done = subprocess.run(
        [installed.folder / "bin/python", "-c", program],
        cwd=tmp_path,
        env={},
        capture_output=True,
        text=True,
        check=True,
    )
    place, modules = done.stdout.splitlines()
    assert place.startswith(str(installed.folder))
    assert not {"django", "numpy", "benchmarks"} & set(modules.split())


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
        paths = f"{installed.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            env={"PATH": paths},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "My model on hallusionbench-mini, judged by" in done.stdout
    assert re.search(r"^  aAcc +\d+\.\d\d %  \d+\.\d\d to ", done.stdout, re.MULTILINE), done.stdout
    assert "Private. On the board by: assay publish " in done.stdout
