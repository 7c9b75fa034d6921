"""What people say of the sample answers that ship with the project."""

import csv
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from uuid import UUID

from django.db import transaction

from benchmarks.protocols.base import BenchmarkProtocol, BundledRelease, Upload
from benchmarks.submissions.models import Submission
from judging.panel.services import ImportedRatings, import_ratings


def load_sample_ratings(protocol: BenchmarkProtocol) -> list[ImportedRatings]:
    """Every standing sample has the ratings that ship with it, and every release its studies. A
    sample that has or had ratings is left as it is."""
    imported = []
    for bundled in protocol.bundled:
        found = unrated_samples(bundled)
        for sample in bundled.samples:
            if sample.name in found and sample.ratings:
                with transaction.atomic():
                    uploads = [with_entry(path, found[sample.name]) for path in sample.ratings]
                    imported += [import_ratings(upload=upload, by=None) for upload in uploads]
        if bundled.studies and len(found) == len(bundled.samples):
            with transaction.atomic():
                uploads = [with_entries(path, found) for path in bundled.studies]
                imported += [import_ratings(upload=upload, by=None) for upload in uploads]
    return imported


def unrated_samples(bundled: BundledRelease) -> dict[str, UUID]:
    """By name, those that stand and never had a rating."""
    samples = Submission.objects.not_withdrawn().filter(
        origin=Submission.Origin.SAMPLE, rating_files__isnull=True, release__slug=bundled.slug
    )
    names = [sample.name for sample in bundled.samples]
    found = samples.filter(model__name__in=names).order_by("-created", "-pk")
    return {name: key for key, name in found.values_list("pk", "model__name")}


def with_entry(path: Path, entry: UUID) -> Upload:
    """The file with the column `entry` put in front."""
    return rewritten(path, lambda cells, is_head: ["entry" if is_head else str(entry), *cells])


def with_entries(path: Path, entries: Mapping[str, UUID]) -> Upload:
    """The file with ids in its first column, `entry`, for the names there."""

    def named(cells: list[str], is_head: bool) -> list[str]:
        return cells if is_head else [str(entries[cells[0]]), *cells[1:]]

    return rewritten(path, named)


def rewritten(path: Path, change: Callable[[list[str], bool], list[str]]) -> Upload:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    with path.open(encoding="utf-8", newline="") as lines:
        for number, cells in enumerate(csv.reader(lines)):
            writer.writerow(change(cells, number == 0))
    return Upload(path.name, out.getvalue().encode())
