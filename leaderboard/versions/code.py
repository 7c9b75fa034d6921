"""Which code makes boards and pages of rows: another text whenever another one is installed."""

import hashlib
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

from django.conf import settings


def code_version(paths: Iterable[Path]) -> str:
    """Another text whenever one of the files, or of those below the folders, has another content or
    name. Where the folders are does not matter: workers and servers may have them in different
    places."""
    found = hashlib.sha256()
    for path in sorted(paths):
        for file in sorted((path, *path.rglob("*"))):
            if file.is_file() and file.suffix != ".pyc":
                content = file.read_bytes()
                name = file.relative_to(path.parent)
                found.update(f"{name}\n{len(content)}\n".encode() + content)
    return found.hexdigest()


def board_paths() -> Iterator[Path]:
    """Our code, protocols from elsewhere, and which packages are installed."""
    yield from (settings.BASE_DIR / name for name in ("benchmarks", "judging", "leaderboard"))
    yield settings.BASE_DIR / "requirements.txt"
    for name in settings.PROTOCOLS:
        file = Path(str(import_module(name).__file__))
        yield file.parent if file.name == "__init__.py" else file


def page_paths() -> Iterator[Path]:
    """Templates, and the names of stylesheets."""
    yield from (settings.BASE_DIR / "templates", Path(settings.STATIC_ROOT, "staticfiles.json"))


BOARD_CODE = code_version(board_paths())
"""What computes boards."""
# Pages name these two, and a new name is a restart.
PAGE_CODE = repr(
    [BOARD_CODE, code_version(page_paths()), settings.SITE_NAME, settings.CONTACT_EMAIL]
)
"""What makes pages of them."""
