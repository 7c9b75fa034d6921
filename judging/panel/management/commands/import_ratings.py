from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import (
    count_of,
    print_problems,
    readable,
    refuse,
    writable_database,
)
from benchmarks.protocols.base import Upload
from benchmarks.wake import wake
from judging.panel.selectors import rating_counts
from judging.panel.services import RatingsRefusedError, import_ratings


class Command(BaseCommand):
    help = (
        "Import a CSV or TSV file of what people say of answers: ratings or labels. The same file "
        "changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file",
            type=Path,
            help="columns entry, item, rater, dimension, score, or entry, item, rater, label",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with writable_database():
            with readable(options["file"]) as stream:
                upload = Upload(options["file"].name, stream.read())
            try:
                imported = import_ratings(upload=upload, by=None)
            except RatingsRefusedError as error:
                listing = print_problems(error.problems)
                raise refuse(
                    f"Nothing was imported: {count_of(error.problems)}.\n{listing}"
                ) from None
            if not imported.is_new:
                self.stdout.write(f"Already imported as file {imported.file.pk}; nothing changed.")
                return
            counts = rating_counts(imported.file)
        wake()
        self.stdout.write(f"File {imported.file.pk}: {imported.count:,} ratings")
        for line in counts:
            self.stdout.write(f"  {line.submission} {line.model}, {line.dimension}: {line.count:,}")
