from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.console import known_protocol, refuse, writable_database
from benchmarks.models import Benchmark
from leaderboard.exports import EXPORTS
from leaderboard.selectors import NoSuchEraError, read_board


class Command(BaseCommand):
    help = "Write a board as JSON, CSV or LaTeX: the rows and figures of the page."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("board")
        parser.add_argument("--format", choices=list(EXPORTS), default="json")
        parser.add_argument("--release", default="")
        parser.add_argument("--judge", default="")
        parser.add_argument("--output", type=Path, help="a file; standard output by default")

    def handle(self, *args: Any, **options: Any) -> None:
        known_protocol(options["board"])
        with writable_database():
            benchmark = Benchmark.objects.filter(slug=options["board"]).first()
            if benchmark is None:
                raise refuse(f"Nothing of {options['board']} is imported yet; see `manage.py import_release --help`.")
            try:
                reading = read_board(benchmark, release=options["release"], judge=options["judge"])
            except NoSuchEraError as error:
                raise refuse(str(error)) from None
        _, write = EXPORTS[options["format"]]
        text = write(reading)
        if options["output"] is None:
            self.stdout.write(text, ending="")
            return
        try:
            options["output"].write_text(text, "utf-8")
        except OSError as error:
            raise refuse(f"Cannot write {options['output']}: {error.strerror}.") from None
