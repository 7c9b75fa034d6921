from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
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
    refuse_unsound,
    writable_database,
)
from benchmarks.models import Release
from benchmarks.protocols.base import Terms
from benchmarks.protocols.files import visible
from benchmarks.services.archives import make_archive
from benchmarks.services.importing import ReleaseRefusedError, import_release
from benchmarks.services.release_texts import Difference
from benchmarks.services.renditions import make_renditions

ANOMALIES_SHOWN = 8
TEXTS_SHOWN = 8


class Command(BaseCommand):
    help = (
        "Import an official dataset file as an open release, or as a draft. The same file again "
        "changes nothing."
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
            "--disclosure",
            choices=Release.Disclosure.values,
            default=Release.Disclosure.HIDDEN_TEST,
            help="open: references and verdicts are public; hidden_references: verdicts alone, from"
            " which labels can be worked out; hidden_test (default): nothing but a coarse score",
        )
        parser.add_argument(
            "--draft",
            action="store_true",
            help="keep it a draft that only staff see; its empty texts are written before it opens",
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
        refuse_unsound([protocol])
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
                    disclosure=options["disclosure"],
                    terms=terms_of(options),
                    part=part,
                    is_draft=options["draft"],
                    on_progress=bar.update,
                )
            except ReleaseRefusedError as error:
                listing = print_problems(map(dataset.located, error.problems))
                raise refuse(
                    f"Nothing was imported: {count_of(error.problems)}.\n{listing}"
                ) from None
        release = imported.release
        if not imported.is_new:
            if imported.put_back:
                self.stdout.write(
                    f"{imported.put_back:,} pictures were damaged or missing: put back."
                )
            self.print_differences(release, imported.differences)
            return
        self.stdout.write(
            f"Release {release.slug}: {release.question_count:,} questions, checksum "
            f"{release.checksum[:16]}"
        )
        self.stdout.write(release.disclosure_sentence)
        if not release.verdicts_are_public:
            self.stdout.write("Say --disclosure open where its labels are known anyway.")
        if not release.is_open:
            self.stdout.write(
                f"It is a draft: {texts_of(imported.gaps)} empty. Fill it in and open it in the "
                "admin."
            )
        for note in imported.notes:
            self.stdout.write(f"Note: {note.message}")
        self.print_anomalies(release.anomalies)
        with writable_database():
            make_renditions(limit=None)
            make_archive(release)

    def print_differences(self, release: Release, differences: Sequence[Difference]) -> None:
        """Of a file whose questions are there already. Its texts are for people to decide on."""
        if not differences:
            self.stdout.write(f"Already imported as release {release.slug}; nothing changed.")
            return
        texts = "1 text" if len(differences) == 1 else f"{len(differences):,} texts"
        self.stdout.write(
            f"The questions are those of release {release.slug}, but {texts} of this file never "
            "stood on the site. Nothing was changed."
        )
        for found in differences[:TEXTS_SHOWN]:
            site = f"version {found.base} on the site" if found.base else "none on the site"
            text = visible(found.row.text)
            self.stdout.write(f"  {found.row.kind} of {found.name}, {site}; here: {text}")
        if len(differences) > TEXTS_SHOWN:
            self.stdout.write(f"  … and {len(differences) - TEXTS_SHOWN:,} more")
        self.stdout.write(
            "Hand them in for review in the admin, under “Texts as files” of the release, or give "
            "the file a --slug of its own to make another release of it."
        )

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


def texts_of(gaps: int) -> str:
    return "1 text of the file is" if gaps == 1 else f"{gaps or 'no'} texts of the file are"


def terms_of(options: dict[str, Any]) -> Terms:
    return Terms(
        creator=options["creator"],
        licence=options["licence"],
        licence_url=options["licence_url"],
        source=options["source"],
        passes_pictures_on=options["pass_pictures_on"],
    )
