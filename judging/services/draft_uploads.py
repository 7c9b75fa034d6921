"""Official files handed in by page: previewed by a process with limits, then imported as a draft.

The file waits as a loose one, which is gone after an hour or once it was imported.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from django.contrib.auth.models import User
from django.core import signing
from django.core.files.storage import storages
from django.db import transaction

from benchmarks.models import Release
from benchmarks.protocols.base import Problem, Upload
from benchmarks.registry import protocol
from benchmarks.services.importing import ImportedRelease, import_release
from benchmarks.submissions.files.loose import GRACE, claim, drop, store_loose
from benchmarks.submissions.files.reading import document_apart
from judging.services.text_imports import family_path, gone

SALT = "judging.draft-uploads"
PREVIEW = "benchmarks.releases.draft_previews:draft_document"


@dataclass(frozen=True, slots=True)
class DraftPreview:
    """`found`: what draft_previews.py counts. `token` imports it; empty where there are
    problems."""

    file_name: str
    found: dict[str, Any]
    problems: Sequence[Problem]
    token: str = ""


def preview_draft(
    *, benchmark: str, upload: Upload, names: dict[str, str], by: User
) -> DraftPreview:
    """`names`: slug, title and language of the release. Raises ReadersBusyError and its kinds."""
    found = document_apart(PREVIEW, [family_path(benchmark)], upload, sender_id=by.pk)
    problems = [Problem(**problem) for problem in found["problems"]]
    if problems:
        return DraftPreview(upload.name, found, problems)
    digest = hashlib.sha256(upload.content).hexdigest()
    stored = store_loose(f"previews/{digest}", upload.content)
    token = signing.dumps([stored, by.pk, benchmark, names], salt=SALT)
    return DraftPreview(upload.name, found, (), token)


def import_draft(*, token: str, by: User) -> ImportedRelease:
    """The file of the preview is a draft, or the release that has its questions already. Raises
    ImportRefusedError where the preview is gone, and ReleaseRefusedError."""
    try:
        stored, owner, benchmark, names = signing.loads(token, salt=SALT, max_age=GRACE)
    except signing.BadSignature:
        raise gone() from None
    if owner != by.pk:
        raise gone()
    try:
        with transaction.atomic():
            claim(stored)
            with storages["uploads"].open(stored) as stream:
                imported = import_release(
                    protocol=protocol(benchmark),
                    stream=cast(BinaryIO, stream),  # read and readline, as readers want
                    is_draft=True,
                    disclosure=Release.Disclosure.HIDDEN_TEST,  # until staff choose another level
                    **names,
                )
    except FileNotFoundError:
        raise gone() from None
    drop(stored)
    return imported
