"""The evidence of a board as one file that everybody may download: made by sweeps within minutes of
what changed, for no visitor waits for it.

It is given out only while its board is the one it was made of: what was withdrawn since is not in
the hands of whoever asks after that.
"""

import logging
import math
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from django.core.cache import cache
from django.core.files import File
from django.core.files.storage import storages
from django.db import DatabaseError, InterfaceError, OperationalError, transaction
from django.db.models.functions import Now

from benchmarks.models import Release
from benchmarks.registry import protocols
from benchmarks.services.archives import entry, sha256_of
from judging.coordination.clock import database_now
from judging.models import JudgeSpec
from judging.services.attempts import LEASE, describe_error, renewed
from leaderboard.models import BoardEdition, EvidenceArchive
from leaderboard.operations.files.file_marks import own_files
from leaderboard.operations.files.stored_files import TEMPORARY
from leaderboard.web.evidence.folder import (
    NotSettledError,
    board_number,
    settled_source,
    write_evidence,
)

log = logging.getLogger(__name__)
MOST_ANSWERS = 100_000
"""Answers of a board whose archive is made unasked: half a minute, and some tens of megabytes.
Whoever runs a larger site makes it with `manage.py export_evidence`."""
SECONDS = 15.0
"""How long one look begins to make archives: so long its worker's sweep waits, as for judging."""
REST = timedelta(minutes=10)
"""Between two archives of one board: of one that changes all the time each is out of date within
the minute, and the largest takes half a minute."""
CLAIM = "evidence-archives"
LOOK_SECONDS = 60
"""Between two looks for boards that changed, which workers take (settings.EACH_MINUTE)."""


def is_made_unasked(release: Release, entries: int) -> bool:
    """Whether anything is behind the board that everybody may see, and it is not too large."""
    return release.verdicts_are_public and 0 < entries * release.question_count <= MOST_ANSWERS


def boards_to_archive() -> list[BoardEdition]:
    """Stored boards of today whose archive is missing, or of an earlier board and not of just now;
    those without one first."""
    found = BoardEdition.objects.filter(
        replaced__isnull=True, release__benchmark__slug__in=protocols()
    )
    editions = found.select_related("release__benchmark", "judge_spec").order_by("pk")
    archives = {(a.release_id, a.judge_spec_id): a for a in EvidenceArchive.objects.all()}
    numbers: dict[int, int] = {}
    now, missing, older = database_now(), [], []
    for edition in editions:
        benchmark = edition.release.benchmark
        if not is_made_unasked(edition.release, edition.entries):
            continue
        if benchmark.pk not in numbers:
            numbers[benchmark.pk] = board_number(benchmark)
        archive = archives.get((edition.release_id, edition.judge_spec_id))
        if archive is None:
            missing.append(edition)
        elif archive.number != numbers[benchmark.pk] and archive.made + REST <= now:
            older.append(edition)
    return [*missing, *older]


@contextmanager
def alone() -> Iterator[bool]:
    """Whether no other worker is at it: two of them would pack the same board. The claim is renewed
    while this lasts, so that of a worker that died it is over after LEASE."""
    if not cache.add(CLAIM, True, LEASE.seconds):
        yield False
        return
    try:
        with renewed(lambda: cache.touch(CLAIM, LEASE.seconds)):
            yield True
    finally:
        cache.delete(CLAIM)


def make_evidence_archives(*, seconds: float = SECONDS) -> int:
    """Boards have their archives, as many as are made within `seconds` and at least one; how many
    were made. One that is being judged, or fails, waits for the next time."""
    started, made, editions = time.monotonic(), 0, boards_to_archive()
    if not editions or own_files():
        return 0
    with alone() as is_free:
        for edition in editions if is_free else ():
            try:
                made += make_archive(edition) is not None
            except (NotSettledError, OSError) as error:
                log.info("Evidence of %s: %s", edition, error)
            except (OperationalError, InterfaceError):
                raise
            except Exception as error:
                log.error("Evidence of %s: %s", edition, describe_error(error))
            if time.monotonic() - started >= seconds:
                break
    return made


def seconds_until_made(release: Release, spec: JudgeSpec, entries: int) -> int | None:
    """About when the archive of the board as it is now is there; None where nobody makes it
    unasked. entries: of the board."""
    if not is_made_unasked(release, entries):
        return None
    found = EvidenceArchive.objects.filter(release=release, judge_spec=spec)
    made: datetime | None = found.values_list("made", flat=True).first()
    rest = (made + REST - database_now()).total_seconds() if made else 0.0
    return math.ceil(max(rest, 0.0)) + 2 * LOOK_SECONDS


def make_archive(edition: BoardEdition) -> EvidenceArchive:
    """Raises NotSettledError where its board changes meanwhile."""
    release, spec = edition.release, edition.judge_spec
    source = settled_source(release.benchmark, release=release.slug, judge=spec.slug)
    with tempfile.TemporaryDirectory(prefix=TEMPORARY) as folder:
        root, packed = Path(folder, "evidence"), Path(folder, "evidence.zip")
        written = write_evidence(root, source)
        pack(root, packed)
        with packed.open("rb") as file:
            sha256, size = sha256_of(file), packed.stat().st_size
            file.seek(0)
            # By keys: two slugs are longer than a name of a file may be.
            place = f"evidence/{release.pk}-{spec.pk}-{sha256[:12]}.zip"
            name = storages["uploads"].save(place, File(file))
    made = {
        "number": source.number,
        "file": name,
        "sha256": sha256,
        "size": size,
        "entries": written.entries,
        "made": Now(),
    }
    try:
        with transaction.atomic():
            held = EvidenceArchive.objects.select_for_update()
            before = held.filter(release=release, judge_spec=spec).first()
            archive, _ = EvidenceArchive.objects.update_or_create(
                release=release, judge_spec=spec, defaults=made
            )
    except DatabaseError:  # it is full, too: another file each minute fills what is left
        storages["uploads"].delete(name)
        raise
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
    if not release.verdicts_are_public:  # it may have one of before that was said
        return None
    found = EvidenceArchive.objects.filter(release=release, judge_spec=spec).first()
    return found if found and found.number == board_number(release.benchmark) else None
