import io
from collections.abc import Callable

import pytest
from django.core.files.storage import default_storage

from benchmarks.models import Release
from benchmarks.registry import protocol
from benchmarks.services.importing import (
    ImportedRelease,
    Intake,
    build_release,
    import_release,
    question_rows,
)
from tests.benchmarks.pictures import picture

DRAFT = b"d1|draft|draft|draft.png\nd2|sketch|sketch\n"


@pytest.fixture
def load(db) -> Callable[..., ImportedRelease]:
    """Imports lines of the spelling protocol."""

    def load(lines: bytes, **options) -> ImportedRelease:
        return import_release(protocol=protocol("spelling"), stream=io.BytesIO(lines), **options)

    return load


@pytest.fixture
def folder(tmp_path):
    """A folder of images with one picture, red.png, unlike any stored before."""
    red = picture(colour=f"#{abs(hash(tmp_path)) % 0xFFFFFF:06x}")
    (tmp_path / "red.png").write_bytes(red)
    return tmp_path


@pytest.fixture
def draft(db) -> Release:
    """A release that was never opened, as an import leaves it for a moment."""
    family, intake = protocol("spelling"), Intake()
    rows = question_rows(family.dataset.read(io.BytesIO(DRAFT)), intake)
    return build_release(family, rows, None, intake, lambda rows: None)


def stored_figures() -> set[str]:
    folders, files = default_storage.listdir("") if default_storage.exists("") else ([], [])
    return set(files) | {
        f"{name}/{file}" for name in folders for file in default_storage.listdir(name)[1]
    }
