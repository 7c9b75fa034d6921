"""Writes site.sqlite3.gz anew: a small site as the release before keeps it, rows of our own.

python -m tests.release_before.make COMMIT
"""

import gzip
import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from tests.site import PROJECT

HERE = Path(__file__).parent
KEPT = HERE / "site.sqlite3.gz"


def checkout(commit: str, folder: Path) -> None:
    """The files of a commit, without touching the repository. CalledProcessError: it is not in the
    history, as in a shallow clone."""
    archive = subprocess.run(
        ["git", "archive", commit], cwd=PROJECT, capture_output=True, check=True
    ).stdout
    subprocess.run(["tar", "--extract", "--directory", folder], input=archive, check=True)


def fill(old: Path, **settings: str) -> None:
    """The small site is in the database of the settings, by the code in that folder."""
    environment = {**os.environ, "PYTHONPATH": str(old), **settings}
    command = [sys.executable, str(HERE / "content.py")]
    subprocess.run(command, cwd=old, env=environment, check=True)


def main(commit: str) -> None:
    with tempfile.TemporaryDirectory(prefix="assay-before-") as name:
        old, database = Path(name, "checkout"), Path(name, "site.sqlite3")
        old.mkdir()
        checkout(commit, old)
        fill(old, DATABASE_URL=f"sqlite:///{database}")
        whole = Path(name, "whole.sqlite3")
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("VACUUM INTO ?", [str(whole)])
        KEPT.write_bytes(gzip.compress(whole.read_bytes(), 9, mtime=0))


if __name__ == "__main__":
    main(sys.argv[1])
