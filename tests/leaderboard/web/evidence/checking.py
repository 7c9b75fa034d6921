"""verify.py as its reader runs it: from its own folder, and by its functions."""

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from leaderboard.web.evidence.folder import HANDED_OUT, MANIFEST


def load_verify() -> ModuleType:
    """It finds links.py beside it, as a script does; the library is the project's own."""
    sys.path.insert(0, str(HANDED_OUT))
    writes = sys.dont_write_bytecode
    try:
        spec = importlib.util.spec_from_file_location("evidence_verify", HANDED_OUT / "verify.py")
        assert spec
        assert spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(HANDED_OUT))
        sys.dont_write_bytecode = writes
    return module


verify = load_verify()


def write_manifest_anew(folder: Path) -> None:
    """As somebody would who changed a file and does not want it to be seen."""
    names = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MANIFEST
    )
    lines = [f"{hashlib.sha256((folder / n).read_bytes()).hexdigest()}  {n}\n" for n in names]
    (folder / MANIFEST).write_text("".join(lines))
