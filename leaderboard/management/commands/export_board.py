from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import known_protocol, refuse, writable_database
from benchmarks.models import Benchmark
from benchmarks.protocols.base import BenchmarkProtocol
from leaderboard.exports import EXPORTS
from leaderboard.selectors import NoSuchEraError, read_board, read_by_measure


class Command(BaseCommand):
    help = "Write a board as JSON, CSV or LaTeX: the rows and figures of the page."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("board")
        parser.add_argument("--format", choices=list(EXPORTS), default="json")
        parser.add_argument("--release", default="")
        parser.add_argument("--judge", default="")
        parser.add_argument(
            "--measure", default="", help="a way of scoring; the whole board unless one is named"
        )
        parser.add_argument("--output", type=Path, help="a file; standard output by default")

    def handle(self, *args: Any, **options: Any) -> None:
        check_measure(known_protocol(options["board"]), options["measure"])
        with writable_database():
            benchmark = Benchmark.objects.filter(slug=options["board"]).first()
            if benchmark is None:
                raise refuse(
                    f"Nothing of {options['board']} is imported yet; see `manage.py import_release --help`."
                )
            try:
                reading = read_board(benchmark, release=options["release"], judge=options["judge"])
            except NoSuchEraError as error:
                raise refuse(str(error)) from None
        if options["measure"]:
            reading = read_by_measure(reading, options["measure"])
        _, write = EXPORTS[options["format"]]
        text = write(reading)
        if options["output"] is None:
            self.stdout.write(text, ending="")
            return
        try:
            options["output"].write_text(text, "utf-8")
        except OSError as error:
            raise refuse(f"Cannot write {options['output']}: {error.strerror}.") from None


def check_measure(family: BenchmarkProtocol, slug: str) -> None:
    known = [measure.slug for measure in family.board.BOARD.measures]
    if slug and slug not in known:
        there = f"it has {', '.join(known)}" if known else "it is read in one way only"
        raise refuse(f"The board of {family.slug} has no measure {slug!r}; {there}.")
