"""Stored files, a few at a time, compared with the digests that their rows have: one that a disk
damaged, or that is gone, is named before anybody needs it. And what no row names is deleted."""

import shutil
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.core.files.storage import default_storage, storages
from django.db import connection
from django.db.models import Model, Q, QuerySet

from benchmarks.common.file_storage import WholeFileStorage, digest_of_file
from benchmarks.models import FigureImage, ReleaseArchive, Rendition
from benchmarks.submissions.models import Submission
from judging.coordination.clock import database_now
from judging.panel.models import RatingFile
from leaderboard.models import DamagedFile, DataExport, EvidenceArchive, FileCheck

AT_ONCE = 200
SECONDS = 1.0
"""Files of a kind that one look reads, and for how long: it costs the same however many there are.
Looks come each minute, so twenty thousand pictures are read in two hours."""
PAUSE = timedelta(seconds=50)
ROUND = timedelta(days=1)
"""Between the end of a round and the next: a disk that damages files is known within days, and a
site at rest does not read for ever."""
SHOWN = 20
TEMPORARY = "assay-evidence-"
"""Folders in which a process packs a board, within minutes; if it is killed it leaves one."""
LEFT = timedelta(days=1)
DATABASE = "database"
DATABASE_BYTES = 1_000_000_000  # which are read in some ten seconds, once a day
MADE_ANEW = (Rendition, ReleaseArchive, EvidenceArchive)
"""Sweeps make another one where there is none."""
REMEDIES = {
    DATABASE: "Stop the site and put its database back from a backup (docs/operator/backup.md).",
    "figure": "Import the release again from its official files (manage.py import_release), or "
    "start the demo again where the release is bundled: that puts back each picture that is "
    "damaged or missing, and changes nothing else.",
    "submission": "Put the file back from a backup of VAR_DIR; what was judged of it stays.",
    "ratings": "Put the file back from a backup of VAR_DIR; the ratings themselves stay.",
}


def kinds() -> "Mapping[str, QuerySet[Any]]":
    """Rows with a file and its digest, by what the file is."""
    return {
        "figure": FigureImage.objects.exclude(sha256=""),
        "rendition": Rendition.objects.exclude(file_sha256=""),
        "submission": Submission.objects.exclude(file=""),
        "ratings": RatingFile.objects.all(),
        "release archive": ReleaseArchive.objects.all(),
        "evidence archive": EvidenceArchive.objects.all(),
    }


def check_files(*, everything: bool = False) -> int:
    """Of each kind, files that were found damaged, and the next in the order of their rows, are
    known to be whole or not: as many as one look reads, or all. How many were read in their order.
    One worker looks at a kind at a time."""
    now, read = database_now(), 0
    resting = set(FileCheck.objects.exclude(due(now)).values_list("kind", flat=True))
    for kind, rows in kinds().items():
        if everything or (kind not in resting and claim(kind, now)):
            for damaged in DamagedFile.objects.filter(kind=kind).order_by("looked")[:AT_ONCE]:
                row = rows.filter(file=damaged.name).first()
                if row is None:
                    damaged.delete()
                else:
                    check_file(kind, row, now)
            read += check_next(kind, rows, everything, now)
    if connection.vendor == "sqlite" and (everything or DATABASE not in resting):
        check_database(everything, now)
    return read


def check_database(everything: bool, now: datetime) -> None:
    """SQLite's own look at its file, whole: a worker leaves those beyond DATABASE_BYTES to the
    command. PostgreSQL has checksums of pages, and whoever runs it looks at its log."""
    path = Path(str(connection.settings_dict["NAME"]))
    if not everything and not claim(DATABASE, now):
        return
    if everything or is_small(path):
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA quick_check(1)")
            (found,) = cursor.fetchone()
        note_fault(DATABASE, path.name, "" if found == "ok" else "damaged", now)
    FileCheck.objects.filter(kind=DATABASE).update(next_at=now + ROUND)


def note_fault(kind: str, name: str, fault: str, now: datetime) -> None:
    """Empty: it is whole."""
    if fault:
        DamagedFile.objects.update_or_create(
            kind=kind, name=name, defaults={"fault": fault, "looked": now}
        )
    else:
        DamagedFile.objects.filter(kind=kind, name=name).delete()


def is_small(path: Path) -> bool:
    return path.is_file() and path.stat().st_size <= DATABASE_BYTES


def due(now: datetime) -> Q:
    """A date beyond a round is of a clock that was wrong."""
    return Q(next_at__lte=now) | Q(next_at__gt=now + ROUND)


def claim(kind: str, now: datetime) -> bool:
    """Whether a look at this kind is ours, and no other worker's until PAUSE is over."""
    FileCheck.objects.get_or_create(kind=kind, defaults={"next_at": now})
    return bool(FileCheck.objects.filter(due(now), kind=kind).update(next_at=now + PAUSE))


def check_next(kind: str, rows: "QuerySet[Any]", everything: bool, now: datetime) -> int:
    place, _ = FileCheck.objects.get_or_create(kind=kind, defaults={"next_at": now})
    rows = rows.order_by("pk")
    if not everything:
        rows = (rows.filter(pk__gt=place.last) if place.last else rows)[:AT_ONCE]
    began, read = time.monotonic(), 0
    for row in rows.iterator(chunk_size=AT_ONCE):
        check_file(kind, row, now)
        read, place.last = read + 1, str(row.pk)
        if not everything and time.monotonic() - began >= SECONDS:
            break
    else:
        if everything or read < AT_ONCE:  # behind the last row
            place.last, place.next_at = "", now + ROUND
    place.save()
    return read


def check_file(kind: str, row: Any, now: datetime) -> None:
    """A file that is not whole is noted; the row of one that is made anew is gone, and with it
    what is said of it."""
    store, name = row.file.storage, row.file.name
    digest = row.file_sha256 if isinstance(row, Rendition) else row.sha256
    try:
        found = digest_of_file(store, name)
        fault = "" if found == digest else "missing" if found is None else "damaged"
    except OSError:
        fault = "unreadable"
    if fault and isinstance(row, MADE_ANEW):
        cast(Model, row).delete()
        fault = ""
    note_fault(kind, name, fault, now)


def damaged_files() -> tuple[str, ...]:
    """A line for each of the first SHOWN, one for the rest, and what mends them. For operators:
    what was handed in is nobody else's business."""
    rows = DamagedFile.objects.order_by("kind", "name")
    lines = [f"{row.kind} {row.name}: {row.fault}" for row in rows[:SHOWN]]
    if (more := rows.count() - SHOWN) > 0:
        lines.append(f"and {more:,} more")
    found = rows.order_by().values_list("kind", flat=True).distinct()
    return (*lines, *(REMEDIES[kind] for kind in REMEDIES if kind in set(found)))


def damaged_pictures() -> tuple[tuple[str, str], ...]:
    """Name and fault, for everybody: pictures are named by their digests, and on pages."""
    found = DamagedFile.objects.filter(kind="figure").order_by("name")
    return tuple(found.values_list("name", "fault")[:SHOWN])


def damage_sentence() -> str:
    """How many stored files are damaged; empty where none is. Names are for operators."""
    count = DamagedFile.objects.count()
    if not count:
        return ""
    return f"{count:,} stored {'file is' if count == 1 else 'files are'} damaged or missing."


def stored_files_problem() -> str:
    """For the health check: how many stored files are damaged, as a sentence; "" where none is."""
    problem = damage_sentence()
    return f"{problem} `manage.py check_files` names them and what to do." if problem else ""


def delete_leftovers() -> int:
    """Files that processes left behind which were killed, or met a full disk, are gone; how many.
    Only folders are listed that hold a file for each release, board or export."""
    done = delete_temporary()
    for name in ("default", "uploads", "exports"):
        done += cast(WholeFileStorage, storages[name]).delete_left_behind()
    for store, folder, prefix, rows in (
        (default_storage, "", "health-", None),  # of checks of health, before they left none
        (storages["uploads"], "", "health-", None),
        (default_storage, "releases", "", ReleaseArchive),
        (storages["uploads"], "evidence", "", EvidenceArchive),
        (storages["exports"], "", "", DataExport),
    ):
        named = set(rows.objects.values_list("file", flat=True)) if rows else set()
        done += cast(WholeFileStorage, store).delete_unnamed(folder, prefix=prefix, named=named)
    return done


def delete_temporary() -> int:
    """Of kept pages, which are written under other names first, and of archives."""
    before, done = time.time() - LEFT.total_seconds(), 0
    caches: dict[str, Any] = settings.CACHES
    pages = Path(caches["pages"].get("LOCATION") or "nowhere")
    found = [*pages.glob("tmp*"), *Path(tempfile.gettempdir()).glob(f"{TEMPORARY}*")]
    for path in found:
        with suppress(OSError):  # gone meanwhile, or another user's
            if path.lstat().st_mtime < before:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
                done += 1
    return done
