"""The evidence of a board as one file that everybody may download: made by the hourly tidying, for
no visitor waits for it.

It is given out only while its board is the one it was made of: what was withdrawn since is not in
the hands of whoever asks after that.
"""

import logging
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

from django.core.files import File
from django.core.files.storage import storages
from django.db import transaction
from django.db.models.functions import Now

from benchmarks.models import Release
from benchmarks.registry import protocol, protocols
from benchmarks.services.archives import entry, sha256_of
from judging.models import JudgeSpec
from leaderboard.evidence.folder import (
    NotSettledError,
    board_number,
    settled_source,
    write_evidence,
)
from leaderboard.models import BoardEdition, EvidenceArchive

log = logging.getLogger(__name__)
MOST_ANSWERS = 100_000
"""Answers of a board whose archive is made unasked: half a minute, and some tens of megabytes.
Whoever runs a larger site makes it with `manage.py export_evidence`."""
SECONDS = 60.0
"""How long one tidying begins to make archives."""


def boards_behind() -> Iterator[BoardEdition]:
    """Stored boards of today, none too large, whose archive is missing or of an earlier board."""
    numbers: dict[int, int] = {}
    found = BoardEdition.objects.filter(
        replaced__isnull=True, release__benchmark__slug__in=protocols()
    )
    for edition in found.select_related("release__benchmark", "judge_spec").order_by("pk"):
        benchmark = edition.release.benchmark
        if protocol(benchmark.slug).evidence is None or not edition.entries:
            continue
        if edition.entries * edition.release.question_count > MOST_ANSWERS:
            continue
        number = numbers.setdefault(benchmark.pk, board_number(benchmark))
        archive = EvidenceArchive.objects.filter(
            release=edition.release, judge_spec=edition.judge_spec
        ).first()
        if archive is None or archive.number != number:
            yield edition


def make_evidence_archives(*, seconds: float = SECONDS) -> int:
    """Boards have their archives, as many as are made within `seconds` and at least one; how many
    were made. One that is being judged, or fails, waits for the next time."""
    began, made = time.monotonic(), 0
    for edition in boards_behind():
        try:
            made += make_archive(edition) is not None
        except (NotSettledError, OSError) as error:
            log.info("Evidence of %s: %s", edition, error)
        if time.monotonic() - began >= seconds:
            break
    return made


def make_archive(edition: BoardEdition) -> EvidenceArchive:
    """Raises NotSettledError where its board changes meanwhile."""
    release, spec = edition.release, edition.judge_spec
    source = settled_source(release.benchmark, release=release.slug, judge=spec.slug)
    with tempfile.TemporaryDirectory(prefix="assay-evidence-") as folder:
        root, packed = Path(folder, "evidence"), Path(folder, "evidence.zip")
        written = write_evidence(root, source)
        pack(root, packed)
        with packed.open("rb") as file:
            sha256, size = sha256_of(file), packed.stat().st_size
            file.seek(0)
            name = storages["uploads"].save(
                f"evidence/{release.slug}-{spec.slug}-{sha256[:12]}.zip", File(file)
            )
    made = {
        "number": source.number,
        "file": name,
        "sha256": sha256,
        "size": size,
        "entries": written.entries,
        "made": Now(),
    }
    with transaction.atomic():
        held = EvidenceArchive.objects.select_for_update()
        before = held.filter(release=release, judge_spec=spec).first()
        archive, _ = EvidenceArchive.objects.update_or_create(
            release=release, judge_spec=spec, defaults=made
        )
    if before is not None and before.file.name != name:
        storages["uploads"].delete(str(before.file.name))
    archive.refresh_from_db()
    return archive


def pack(root: Path, packed: Path) -> None:
    """Everything below `root`, in one order and with one time: the same board is the same file."""
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in root.rglob("*") if path.is_file()):
            with archive.open(entry(path.relative_to(root).as_posix()), "w") as file:
                file.write(path.read_bytes())


def current_archive(release: Release, spec: JudgeSpec) -> EvidenceArchive | None:
    """The archive of the board as it is now; None where that is not made yet."""
    found = EvidenceArchive.objects.filter(release=release, judge_spec=spec).first()
    return found if found and found.number == board_number(release.benchmark) else None
