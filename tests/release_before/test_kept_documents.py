"""What the release before keeps for pages is read by today's code, and so is what a newer one may
write; a document of another schema is one that is not there, and never a failure."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.site import PROJECT

KEPT = Path(__file__).with_name("site.sqlite3.gz")

pytestmark = pytest.mark.slow


def read(folder: Path, how: str) -> dict[str, Any]:
    database = folder / "site.sqlite3"
    database.write_bytes(gzip.decompress(KEPT.read_bytes()))
    command = [sys.executable, "-m", "tests.release_before.read", str(database), how]
    ran = subprocess.run(
        command, cwd=PROJECT, env={**os.environ}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr[-2_000:]
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


@pytest.mark.parametrize("how", ["kept", "grown"])
def test_every_page_reads_what_another_version_kept(tmp_path, how):
    found = read(tmp_path, how)
    assert found["failed"] == []
    assert len(found["opened"]) > 300
    assert sorted(figures[0] for figures in found["figures"].values()) == [
        pytest.approx(share) for share in (20 / 30, 23 / 30, 24 / 30)
    ]


def test_a_document_of_another_schema_is_not_shown(tmp_path):
    found = read(tmp_path, "unknown")
    assert found["failed"] == []
    assert found["figures"] == {}
    assert {"/", "/boards/spelling/history/", "/studies/"} <= set(found["opened"])
