"""What people say of the sample answers that ship with the project."""

import csv
import io
from pathlib import Path
from uuid import UUID

from django.db import transaction

from benchmarks.protocols.base import BenchmarkProtocol, Upload
from benchmarks.submissions.models import Submission
from judging.panel.services import ImportedRatings, import_ratings


def load_sample_ratings(protocol: BenchmarkProtocol) -> list[ImportedRatings]:
    """Every standing sample has the ratings that ship with it. A sample that has or had ratings is
    left as it is."""
    imported = []
    samples = Submission.objects.not_withdrawn().filter(
        origin=Submission.Origin.SAMPLE, rating_files__isnull=True
    )
    for bundled in protocol.bundled:
        for sample in bundled.samples:
            submission = samples.filter(release__slug=bundled.slug, model__name=sample.name).first()
            if submission is not None:
                with transaction.atomic():
                    uploads = [with_entry(path, submission.pk) for path in sample.ratings]
                    imported += [import_ratings(upload=upload, by=None) for upload in uploads]
    return imported


def with_entry(path: Path, entry: UUID) -> Upload:
    """The file with the column `entry` put in front."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    with path.open(encoding="utf-8", newline="") as lines:
        for number, cells in enumerate(csv.reader(lines)):
            writer.writerow([entry if number else "entry", *cells])
    return Upload(path.name, out.getvalue().encode())
