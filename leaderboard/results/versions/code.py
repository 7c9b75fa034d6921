"""Which code makes boards and pages of rows: another text whenever another one is installed."""

import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
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


@cache
def board_code() -> str:
    """What computes boards."""
    return code_version(board_paths())


@cache
def page_code() -> str:
    """What makes pages of them. What serves or works asks for it as it starts, so that it is of the
    code that runs; who only starts a command reads no thousand files for it."""
    # Pages name these two, and a new name is a restart.
    names = [settings.SITE_NAME, settings.CONTACT_EMAIL]
    return repr([board_code(), code_version(page_paths()), *names])
