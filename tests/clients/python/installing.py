"""The client as whoever uses it has it: a wheel in an environment of its own, with what the wheel
says it needs and nothing of this project."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CLIENT = Path(__file__).parents[3] / "clients/python"


@dataclass(frozen=True)
class Installed:
    """An environment that has the client."""

    folder: Path

    def run(self, *words: str, site: str, token: str = "", at: Path) -> "Done":
        """`assay` with these words, run in the folder `at`."""
        found = subprocess.run(
            [self.folder / "bin/assay", *words],
            cwd=at,
            env={"ASSAY_URL": site, "ASSAY_TOKEN": token, "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Done(found.returncode, found.stdout, found.stderr)


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    errors: str


def build_wheel(folder: Path) -> Path:
    """Built as pip does, without a network."""
    code = "import sys; from flit_core import buildapi; print(buildapi.build_wheel(sys.argv[1]))"
    built = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        cwd=CLIENT,
        capture_output=True,
        text=True,
        check=True,
    )
    return folder / built.stdout.strip()


def install(wheel: Path, folder: Path) -> Installed:
    """In a new environment: the wheel by pip, what it needs from this one, as there is no
    network."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    options = ["--quiet", "--no-deps", "--no-index", "--disable-pip-version-check"]
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            folder / "bin/python",
            "install",
            *options,
            wheel,
        ],
        check=True,
    )
    (packages,) = folder.glob("lib/python3*/site-packages")
    for name in sorted(needed("httpx2", set())):
        copy_distribution(name, packages)
    return Installed(folder)


def needed(name: str, found: set[str]) -> set[str]:
    """The distribution and all that it needs on this machine, without what is optional."""
    name = canonicalize_name(name)
    if name in found:
        return found
    found.add(name)
    for requirement in map(Requirement, distribution(name).requires or ()):
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            needed(requirement.name, found)
    return found


def copy_distribution(name: str, packages: Path) -> None:
    found = distribution(name)
    tops = {file.parts[0] for file in found.files or () if file.parts[0] != ".."}
    for top in sorted(tops - {"__pycache__"}):
        source, place = Path(str(found.locate_file(top))), packages / top
        if source.is_dir():
            shutil.copytree(source, place, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy(source, place)
