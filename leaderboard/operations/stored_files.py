"""Stored files, a few at a time, compared with the digests that their rows have: one that a disk
damaged, or that is gone, is named before anybody needs it. And what no row names is deleted."""

import time
from collections.abc import Mapping
from typing import Any, cast

from django.core.files.storage import default_storage, storages
from django.db.models import Model, QuerySet
from django.utils import timezone

from benchmarks.file_storage import WholeFileStorage, digest_of_file
from benchmarks.models import FigureImage, ReleaseArchive
from benchmarks.submissions.models import Submission
from judging.panel.models import RatingFile
from leaderboard.models import DamagedFile, DataExport, EvidenceArchive, FileCheck

AT_ONCE = 200
"""Files of a kind that one round reads: two thousand pictures are all read within ten hours, and a
round costs the same however many there are."""
SECONDS = 10.0
"""How long a round reads files of a kind: what is handed in may have 20 MB."""
SHOWN = 20
MADE_ANEW = (ReleaseArchive, EvidenceArchive)
"""Sweeps make another one where there is none."""


def kinds() -> "Mapping[str, QuerySet[Any]]":
    """Rows with a file and its digest, by what the file is."""
    return {
        "figure": FigureImage.objects.exclude(sha256=""),
        "submission": Submission.objects.exclude(file=""),
        "ratings": RatingFile.objects.all(),
        "release archive": ReleaseArchive.objects.all(),
        "evidence archive": EvidenceArchive.objects.all(),
    }


def check_files(*, everything: bool = False) -> int:
    """Of each kind, files that were found damaged, and the next in the order of their rows, are
    known to be whole or not: as many as a round reads, or all. How many were read in their
    order."""
    read = 0
    for kind, rows in kinds().items():
        for damaged in DamagedFile.objects.filter(kind=kind).order_by("looked")[:AT_ONCE]:
            row = rows.filter(file=damaged.name).first()
            if row is None:
                damaged.delete()
            else:
                check_file(kind, row)
        read += check_next(kind, rows, everything)
    return read


def check_next(kind: str, rows: "QuerySet[Any]", everything: bool) -> int:
    place, _ = FileCheck.objects.get_or_create(kind=kind)
    rows = rows.order_by("pk")
    if not everything:
        rows = (rows.filter(pk__gt=place.last) if place.last else rows)[:AT_ONCE]
    began, read, last = time.monotonic(), 0, ""
    for row in rows.iterator(chunk_size=AT_ONCE):
        check_file(kind, row)
        read, last = read + 1, str(row.pk)
        if not everything and time.monotonic() - began >= SECONDS:
            break
    place.last = last  # behind the last row it begins anew
    place.save()
    return read


def check_file(kind: str, row: Any) -> None:
    """A file that is not whole is noted; an archive's row is gone, and with it what is said of
    it."""
    store, name = row.file.storage, row.file.name
    try:
        found = digest_of_file(store, name)
        fault = "" if found == row.sha256 else "missing" if found is None else "damaged"
    except OSError:
        fault = "unreadable"
    if fault and not isinstance(row, MADE_ANEW):
        DamagedFile.objects.update_or_create(
            kind=kind, name=name, defaults={"fault": fault, "looked": timezone.now()}
        )
        return
    DamagedFile.objects.filter(kind=kind, name=name).delete()
    if fault:
        cast(Model, row).delete()


def damaged_files() -> tuple[str, ...]:
    """A line for each of the first SHOWN, and one for the rest."""
    rows = DamagedFile.objects.order_by("kind", "name")
    lines = [f"{row.kind} {row.name}: {row.fault}" for row in rows[:SHOWN]]
    more = rows.count() - SHOWN
    return (*lines, f"and {more:,} more") if more > 0 else tuple(lines)


def delete_leftovers() -> int:
    """Files that processes left behind which were killed, or met a full disk, are gone; how many.
    Only folders are listed that hold a file for each release, board or export."""
    done = 0
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
