from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import known_protocol, progress, refuse, writable_database
from benchmarks.models import Benchmark
from leaderboard.models import BoardEdition
from leaderboard.results.selectors import BoardNotStoredError, NoSuchEraError
from leaderboard.web.evidence.archive import make_archive
from leaderboard.web.evidence.folder import NotSettledError, settled_source, write_evidence


class Command(BaseCommand):
    help = (
        "Write a board with all that is behind it as plain files, and programs that compute the "
        "board anew from them."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("board")
        where = parser.add_mutually_exclusive_group(required=True)
        where.add_argument("--out", type=Path, help="a folder that is empty or new")
        where.add_argument(
            "--download", action="store_true", help="as the board's evidence.zip, whatever its size"
        )
        parser.add_argument("--release", default="")
        parser.add_argument(
            "--judge", default="", help="rules, model:MODEL@ENDPOINT, or the name of a judge spec"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        known_protocol(options["board"])
        out = options["out"]
        if out is None:
            self.make_download(options["board"], options["release"], options["judge"])
            return
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise refuse(f"{out} is there already, and is not an empty folder.")
        with writable_database():
            benchmark = Benchmark.objects.filter(slug=options["board"]).first()
            if benchmark is None:
                raise refuse(
                    f"Nothing of {options['board']} is imported yet; "
                    "see `manage.py import_release --help`."
                )
            try:
                source = settled_source(
                    benchmark, release=options["release"], judge=options["judge"]
                )
                rows = source.each.counts.entries * source.era.release.question_count
                with progress(rows, "evidence") as bar:
                    written = write_evidence(out, source, advance=bar.update)
            except (BoardNotStoredError, NoSuchEraError, NotSettledError) as error:
                raise refuse(str(error)) from None
        self.stdout.write(
            f"{source.each.benchmark.title}, {written.era.release.title}, judge "
            f"{written.era.judge_spec.slug}: {written.entries} entries, {written.answers:,} answers"
        )
        self.stdout.write("Lines of a witness, to be kept elsewhere (docs/visitor/evidence.md):")
        if written.head:
            self.stdout.write(f"  {written.head['number']} {written.head['digest']}")
        self.stdout.write(f"  manifest {written.digest}")
        self.stdout.write(f"  library {written.library}")
        self.stdout.write(f"Check it: cd {out} && python verify.py")

    def make_download(self, slug: str, release: str, judge: str) -> None:
        """Of the era named, of all of the board where none is."""
        found = BoardEdition.objects.filter(replaced__isnull=True, release__benchmark__slug=slug)
        found = found.select_related("release__benchmark", "judge_spec").order_by("pk")
        if release:
            found = found.filter(release__slug=release)
        named = [stored for stored in found if not judge or stored.judge_spec.is_called(judge)]
        if not named:
            raise refuse("No such board is stored yet; a worker does that within a minute.")
        for edition in named:
            try:
                made = make_archive(edition)
            except (BoardNotStoredError, NoSuchEraError, NotSettledError) as error:
                raise refuse(str(error)) from None
            self.stdout.write(
                f"{edition.release.title}: {made.entries} entries, {made.size:,} bytes"
            )
