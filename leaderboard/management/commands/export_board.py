from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import known_protocol, refuse, writable, writable_database
from benchmarks.models import Benchmark
from benchmarks.protocols.base import BenchmarkProtocol
from leaderboard.results.selectors import (
    BoardNotStoredError,
    NoSuchEraError,
    read_board,
    read_by_measure,
)
from leaderboard.web.board.choices import BoardChoices
from leaderboard.web.board.tables import with_printed_figures
from leaderboard.web.exports import EXPORTS, export_part, in_pieces


class Command(BaseCommand):
    help = "Write a board as JSON, CSV or LaTeX: the rows and figures of the page."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("board")
        parser.add_argument("--format", choices=list(EXPORTS), default="json")
        parser.add_argument("--release", default="")
        parser.add_argument(
            "--judge",
            default="",
            help="rules, model:MODEL@ENDPOINT, or the name of a judge spec",
        )
        parser.add_argument(
            "--measure", default="", help="a way of scoring; the whole board unless one is named"
        )
        parser.add_argument("--output", type=Path, help="a file; standard output by default")

    def handle(self, *args: Any, **options: Any) -> None:
        family = known_protocol(options["board"])
        check_measure(family, options["measure"])
        export = EXPORTS[options["format"]]
        with writable_database():
            benchmark = Benchmark.objects.filter(slug=options["board"]).first()
            if benchmark is None:
                raise refuse(
                    f"Nothing of {options['board']} is imported yet; "
                    "see `manage.py import_release --help`."
                )
            try:
                reading = read_board(
                    benchmark,
                    release=options["release"],
                    judge=options["judge"],
                    part=export_part(
                        choices_named(family, options["measure"]), family.board, export
                    ),
                )
            except (NoSuchEraError, BoardNotStoredError) as error:
                raise refuse(str(error)) from None
        if options["measure"]:
            reading = read_by_measure(reading, options["measure"])
        pieces = in_pieces(export.write(with_printed_figures(reading)))
        self.write(pieces, options["output"])

    def write(self, pieces: Iterator[str], path: Path | None) -> None:
        if path is None:
            for piece in pieces:
                self.stdout.write(piece, ending="")
            return
        with writable(path, encoding="utf-8") as file:
            file.writelines(pieces)


def choices_named(family: BenchmarkProtocol, measure: str) -> BoardChoices:
    """Nothing chosen but a measure, if one is named."""
    board = family.board.BOARD
    named = next((known for known in board.measures if known.slug == measure), None)
    return BoardChoices(table=board.tables[0], measure=named)


def check_measure(family: BenchmarkProtocol, slug: str) -> None:
    known = [measure.slug for measure in family.board.BOARD.measures]
    if slug and slug not in known:
        there = f"it has {', '.join(known)}" if known else "it is read in one way only"
        raise refuse(f"The board of {family.slug} has no measure {slug!r}; {there}.")
