"""The files of the scoring library, as they are handed out with evidence and installed by
themselves; `python -m benchmarks.scoring.source` prints the digest that verify.py shows of them."""

import hashlib
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

PROJECT = Path(__file__).parents[2]
ROOMS = ("bundled", "protocols", "scoring", "statistics")
SOURCE = (".py", ".toml", ".json")
"""Programs, prompts and published figures; of what ships with a family, the programs alone."""


def library_files(family: str = "") -> dict[str, Path]:
    """By name below the library, sorted; with `family`, a package that may stand elsewhere."""
    benchmarks = PROJECT / "benchmarks"
    found = {benchmarks / "__init__.py", benchmarks / "kept_documents.py"}
    for room in ROOMS:
        found |= {*files_below(benchmarks / room, SOURCE[:1] if room == "bundled" else SOURCE)}
    files = {path.relative_to(PROJECT).as_posix(): path for path in found}
    if family and not family.startswith("benchmarks."):
        spec = find_spec(family)
        assert spec is not None
        assert spec.origin is not None
        folder, name = Path(spec.origin).parent, family.replace(".", "/")
        files |= {
            f"{name}/{path.relative_to(folder).as_posix()}": path
            for path in files_below(folder, SOURCE)
        }
    return dict(sorted(files.items()))


def files_below(folder: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.suffix in endings)


def digest_of(hashes: Mapping[str, str]) -> str:
    """Of a library whose files have these SHA-256 by name: that of a line for each, sorted."""
    lines = (f"{hashes[name]}  {name}\n" for name in sorted(hashes))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


if __name__ == "__main__":
    hashes = {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in library_files().items()
    }
    sys.stdout.write(f"{digest_of(hashes)}\n")
