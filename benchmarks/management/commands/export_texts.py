from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import readable, refuse, writable
from benchmarks.models import Release
from benchmarks.releases.text_files import as_csv, as_json_lines
from benchmarks.selectors import protocol_of
from benchmarks.services.release_texts import judged_texts, written_rows


class Command(BaseCommand):
    help = (
        "Write the descriptions and references of a release as .csv or .jsonl, or its official "
        "file once more with the texts of today."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", help="name of the release in addresses")
        parser.add_argument("out", type=Path, help="file to write: .csv, .jsonl; any with --like")
        parser.add_argument(
            "--like",
            type=Path,
            metavar="FILE",
            help="the official file: written again, with the texts that are judged by today",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        release = Release.objects.filter(slug=options["release"]).first()
        if release is None:
            raise refuse(f"There is no release {options['release']!r}.")
        out: Path = options["out"]
        if options["like"]:
            self.write_official(release, options["like"], out)
            return
        forms = {".csv": as_csv, ".jsonl": as_json_lines}
        if out.suffix not in forms:
            raise refuse("Texts are written as .csv or .jsonl; the official file needs --like.")
        with writable(out, encoding="utf-8", newline="") as file:
            file.writelines(forms[out.suffix](written_rows(release)))
        self.stdout.write(f"Written: {out}")

    def write_official(self, release: Release, like: Path, out: Path) -> None:
        protocol = protocol_of(release)
        if protocol.rewriting is None:
            raise refuse(f"The official file of {protocol.title} cannot be written again.")
        if out.exists() and out.samefile(like):
            raise refuse("The official file is not written over itself; name another file.")
        with readable(like) as stream, writable(out, "wb") as file:
            try:
                file.writelines(protocol.rewriting(stream, judged_texts(release)))
            except ValueError as error:
                raise refuse(f"{like} cannot be written again. {error}") from None
        self.stdout.write(f"Written: {out}")
