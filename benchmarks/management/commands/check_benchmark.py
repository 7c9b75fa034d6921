from argparse import ArgumentParser
from importlib import import_module
from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import refuse
from benchmarks.protocols.base import BenchmarkProtocol

CONTRACT = "tests.protocols.contract"


class Command(BaseCommand):
    help = (
        "Say all that is wrong with a benchmark: what the contract of every benchmark asks of its "
        "files, pictures, judging, scoring and board. Exit status 1 if anything is."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "name", help="word_games, or a package: benchmarks.protocols.word_games"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["name"]
        family = family_at(name if "." in name else f"benchmarks.protocols.{name}")
        try:
            contract = import_module(CONTRACT)
        except ModuleNotFoundError as error:
            raise refuse(f"It needs {error.name}: a checkout, after `make setup`.") from None
        faults = contract.faults_of(family)
        for fault in faults:
            self.stdout.write(fault)
        if faults:
            raise SystemExit(1)
        self.stdout.write(f"Nothing is wrong with {family.title}.")


def family_at(package: str) -> BenchmarkProtocol:
    try:
        found: BenchmarkProtocol = import_module(package).PROTOCOL
    except Exception as error:  # whatever is wrong with its files
        raise refuse(f"{package}: {type(error).__name__}: {error}") from None
    return found
