from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import (
    count_of,
    known_protocol,
    print_problems,
    progress,
    readable_dataset,
    refuse,
    writable_database,
)
from benchmarks.protocols.base import Terms
from benchmarks.services.archives import make_archive
from benchmarks.services.importing import ReleaseRefusedError, import_release
from benchmarks.services.renditions import make_renditions

ANOMALIES_SHOWN = 8


class Command(BaseCommand):
    help = (
        "Import an official dataset file as an open release. The same file again changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("protocol")
        parser.add_argument("file", type=Path, help="the official file, or a folder of JSON files")
        parser.add_argument(
            "--images", type=Path, help="folder in which the file's image names are found"
        )
        parser.add_argument("--slug", default="", help="name of the release in addresses")
        parser.add_argument("--title", default="")
        parser.add_argument(
            "--language", default="en", help="language of questions and descriptions (en, zh)"
        )
        parser.add_argument(
            "--only",
            default="",
            metavar="PART",
            help="a part of the file as a release of its own; hallusionbench has images",
        )
        parser.add_argument(
            "--public-references",
            action="store_true",
            help="show references and the replies of judges on entry pages",
        )

        parser.add_argument("--creator", default="", help="who made the dataset")
        parser.add_argument("--licence", default="", help="name of its licence, as CC-BY-4.0")
        parser.add_argument("--licence-url", default="", help="where the licence can be read")
        parser.add_argument("--source", default="", help="where the dataset is from: an address")
        parser.add_argument(
            "--pass-pictures-on",
            action="store_true",
            help="the licence lets this site hand the pictures out in an archive",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        protocol = known_protocol(options["protocol"])
        images: Path | None = options["images"]
        part: str = options["only"]
        if part and part not in protocol.parts:
            known = ", ".join(protocol.parts) or "none"
            raise refuse(f"{protocol.title} has no part {part!r}; it has: {known}.")
        if images is not None and not images.is_dir():
            raise refuse(f"There is no folder {images}.")
        with (
            readable_dataset(options["file"], protocol) as dataset,
            writable_database(),
            progress(None, "questions") as bar,
        ):
            try:
                imported = import_release(
                    protocol=protocol,
                    stream=dataset.stream,
                    images=images,
                    slug=options["slug"],
                    title=options["title"],
                    language=options["language"],
                    references_are_public=options["public_references"],
                    terms=terms_of(options),
                    part=part,
                    on_progress=bar.update,
                )
            except ReleaseRefusedError as error:
                listing = print_problems(map(dataset.located, error.problems))
                raise refuse(
                    f"Nothing was imported: {count_of(error.problems)}.\n{listing}"
                ) from None
        release = imported.release
        if not imported.is_new:
            self.stdout.write(f"Already imported as release {release.slug}; nothing changed.")
            return
        self.stdout.write(
            f"Release {release.slug}: {release.question_count:,} questions, checksum "
            f"{release.checksum[:16]}"
        )
        for note in imported.notes:
            self.stdout.write(f"Note: {note.message}")
        self.print_anomalies(release.anomalies)
        with writable_database():
            make_renditions(limit=None)
            make_archive(release)

    def print_anomalies(self, anomalies: list[dict[str, str]]) -> None:
        for code, count in Counter(anomaly["code"] for anomaly in anomalies).items():
            self.stdout.write(
                f"Anomaly {code}: {count} {'row' if count == 1 else 'rows'}, imported as is and "
                "flagged"
            )
            rows = [anomaly for anomaly in anomalies if anomaly["code"] == code]
            for row in rows[:ANOMALIES_SHOWN]:
                self.stdout.write(f"  {row['question']}: {row['message']}")
            if count > ANOMALIES_SHOWN:
                self.stdout.write(
                    f"  … and {count - ANOMALIES_SHOWN} more; all are kept with the release"
                )


def terms_of(options: dict[str, Any]) -> Terms:
    return Terms(
        creator=options["creator"],
        licence=options["licence"],
        licence_url=options["licence_url"],
        source=options["source"],
        passes_pictures_on=options["pass_pictures_on"],
    )
