"""Texts that come as a file: previewed, then handed in for review as one, or not at all.

The preview is stored as a loose file, which is gone after an hour or once it was handed in. What it
showed is compared with the site again before anything is written.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.core.files.storage import storages
from django.db import IntegrityError, transaction
from django.utils.module_loading import import_string

from benchmarks.forms.diff import word_count
from benchmarks.kept_documents import from_mapping
from benchmarks.models import Description, Reference, Release
from benchmarks.protocols.base import Upload
from benchmarks.releases.text_files import TextRow, rows_of
from benchmarks.services.release_texts import (
    AT_ONCE,
    TO_SUBMIT,
    Comparison,
    Difference,
    compare,
    other_questions,
)
from benchmarks.submissions.files.loose import GRACE, claim, drop, store_loose
from benchmarks.submissions.files.reading import document_apart
from judging.coordination.clock import database_now
from judging.models import ReferenceProposal

SALT = "judging.text-imports"
TEXTS = "benchmarks.releases.text_files:texts_document"
OFFICIAL = "benchmarks.releases.text_files:official_document"


class ImportRefusedError(Exception):
    """Nothing was written; the message says why."""


class MeanwhileError(ImportRefusedError):
    """Somebody else wrote between the preview and now: `rows` are the texts concerned."""

    def __init__(self, rows: Sequence[Difference]):
        self.rows = tuple(rows)
        names = ", ".join(f"{found.row.kind} of {found.name}" for found in rows[:5])
        more = ", …" if rows[5:] else ""
        super().__init__(
            f"Somebody else wrote meanwhile: {names}{more}. Nothing was submitted; look at the "
            "differences again."
        )


@dataclass(frozen=True, slots=True)
class Preview:
    """What a file would change. `token` hands it in; empty where there is nothing to hand in."""

    release: Release
    file_name: str
    comparison: Comparison
    token: str = ""


@dataclass(frozen=True, slots=True)
class HandedIn:
    descriptions: int
    references: int
    file_name: str
    sha256: str


def preview_texts(*, release: Release, upload: Upload, by: User, is_official: bool) -> Preview:
    """Every difference of the file, or every problem. Raises ReadersBusyError and its kinds."""
    path, given = (OFFICIAL, [family_path(release.benchmark.slug)]) if is_official else (TEXTS, [])
    found = document_apart(path, given, upload, sender_id=by.pk)
    rows, problems = rows_of(found)
    if problems:
        return Preview(release, upload.name, Comparison((), tuple(problems)))
    if is_official:
        problems += other_questions(release, found["questions"])
    comparison = compare(release, rows)
    differences = without_proposed(comparison.differences)
    comparison = Comparison(differences, (*problems, *comparison.problems))
    chosen = comparison.of(*TO_SUBMIT)
    if comparison.problems or comparison.of("meanwhile") or not chosen:
        return Preview(release, upload.name, comparison)
    return Preview(release, upload.name, comparison, keep(release, upload, chosen, by))


def without_proposed(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    """A reference whose very words wait as a proposal is unchanged, and one whose words were sent
    back the last time is of an older version: the page of its question refuses both as well. One
    query for each AT_ONCE texts to hand in."""
    chosen = [d for d in differences if d.row.kind == "reference" and d.status in TO_SUBMIT]
    last: dict[tuple[int, str], str] = {}
    for first in range(0, len(chosen), AT_ONCE):
        keys = [found.key for found in chosen[first : first + AT_ONCE]]
        proposals = ReferenceProposal.objects.filter(question__in=keys).order_by("created", "pk")
        undecided = proposals.exclude(state=ReferenceProposal.State.APPROVED)
        for key, text, state in undecided.values_list("question", "text", "state").iterator():
            last[key, text] = state
    return tuple(
        proposed_already(found, last.get((found.key, found.row.text), ""))
        if found.row.kind == "reference" and found.status in TO_SUBMIT
        else found
        for found in differences
    )


def proposed_already(found: Difference, state: str) -> Difference:
    """`state`: of the newest proposal with its words; "" for none."""
    if not state:
        return found
    waits = state == ReferenceProposal.State.IN_REVIEW
    return replace(found, status="unchanged" if waits else "older")


def family_path(slug: str) -> str:
    """Where the protocol of a benchmark stands, for the process that reads files."""
    paths = [f"{path}.PROTOCOL" for path in settings.PROTOCOLS]
    module, _, name = next(p for p in paths if import_string(p).slug == slug).rpartition(".")
    return f"{module}:{name}"


def keep(release: Release, upload: Upload, chosen: Sequence[Difference], by: User) -> str:
    """The token of a preview that is stored."""
    kept = {
        "release": release.pk,
        "by": by.pk,
        "file_name": upload.name,
        "sha256": hashlib.sha256(upload.content).hexdigest(),
        "rows": [[asdict(found.row), found.base] for found in chosen],
    }
    content = json.dumps(kept).encode()
    stored = store_loose(f"previews/{hashlib.sha256(content).hexdigest()}.json", content)
    return signing.dumps([stored, by.pk, release.pk], salt=SALT)


def submit_preview(*, token: str, release: Release, by: User) -> HandedIn:
    """The rows of the preview wait for review as versions and proposals of `by`, all of them.

    Raises MeanwhileError where one of these texts was written since the preview, and
    ImportRefusedError where the preview is gone, was handed in, or the release is closed.
    """
    stored, kept = stored_preview(token, release, by)
    try:
        with transaction.atomic():
            claim(stored)
            made = submit_rows(
                release=Release.objects.select_for_update().get(pk=release.pk),
                rows=[from_mapping(TextRow, row) for row, _ in kept["rows"]],
                bases=[base for _, base in kept["rows"]],
                by=by,
            )
    except FileNotFoundError:
        raise gone() from None
    except IntegrityError:
        raise ImportRefusedError(
            "Somebody else wrote one of these texts at this very moment. Nothing was submitted; "
            "try again."
        ) from None
    drop(stored)
    return HandedIn(*made, file_name=kept["file_name"], sha256=kept["sha256"])


def stored_preview(token: str, release: Release, by: User) -> tuple[str, dict[str, Any]]:
    try:
        stored, owner, pk = signing.loads(token, salt=SALT, max_age=GRACE)
    except signing.BadSignature:
        raise gone() from None
    if (owner, pk) != (by.pk, release.pk):
        raise gone()
    try:
        with storages["uploads"].open(stored) as file:
            return stored, json.loads(file.read())
    except FileNotFoundError:
        raise gone() from None


def gone() -> ImportRefusedError:
    return ImportRefusedError(
        "This preview was used before, or is older than an hour. Choose the file again."
    )


def submit_rows(
    *, release: Release, rows: Sequence[TextRow], bases: Sequence[int], by: User
) -> tuple[int, int]:
    """How many descriptions and references wait for review now. Needs a transaction; the unique
    version numbers decide every race."""
    if release.state not in Release.TAKES_TEXTS:
        raise ImportRefusedError(f"The release is {release.state}: its texts stay as they are.")
    found = without_proposed(compare(release, rows).differences)
    before = {(row.kind, row.name): base for row, base in zip(rows, bases, strict=True)}
    moved = [
        one
        for one in found
        if one.base != before[one.row.kind, one.row.name] or one.status not in TO_SUBMIT
    ]
    if moved:
        raise MeanwhileError(moved)
    descriptions = [one for one in found if one.row.kind == "description"]
    references = [one for one in found if one.row.kind == "reference"]
    now = database_now()
    Description.objects.bulk_create(
        Description(
            figure_id=one.key,
            language=release.language,
            version=one.base + 1,
            text=one.row.text,
            state=Description.State.IN_REVIEW,
            author=by,
            submitted_by=by,
            submitted_at=now,
            words=word_count(one.row.text),
        )
        for one in descriptions
    )
    ReferenceProposal.objects.bulk_create(
        ReferenceProposal(
            question_id=one.key,
            text=one.row.text,
            origin=Reference.Origin.HUMAN,
            maker=str(by)[:200],
            replaces=one.base,
            author=by,
        )
        for one in references
    )
    return len(descriptions), len(references)
