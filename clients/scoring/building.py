"""Builds a wheel of the scoring library: the files that stand in the project, and no copy of them.

A build backend (PEP 517) around flit's, which takes a package from the folder that it stands in.
"""

import shutil
import sys
import tomllib
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from flit_core import buildapi

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]
sys.path.append(str(PROJECT))

from benchmarks.scoring.source import library_files


def build_wheel(
    folder: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    place = Path(folder).resolve()
    with TemporaryDirectory() as work, chdir(work):
        for name, path in {**library_files(), **questions()}.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, name)
        version = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["version"]
        text = (HERE / "pyproject.toml").read_text()
        Path("pyproject.toml").write_text(text.replace('version = "0"', f'version = "{version}"'))
        shutil.copyfile(HERE / "README.md", "README.md")
        return str(buildapi.build_wheel(str(place)))


def questions() -> dict[str, Path]:
    """Of the releases that ship with the project, without their pictures."""
    found = (PROJECT / "benchmarks/bundled").glob("*/questions*.json")
    return {path.relative_to(PROJECT).as_posix(): path for path in found}
