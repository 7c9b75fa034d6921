import io
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from benchmarks.management.console import known_protocol, print_problems, readable, refuse
from benchmarks.protocols.base import BenchmarkProtocol, Problem, QuestionRow, QuestionView
from benchmarks.protocols.files import read_json


class Command(BaseCommand):
    help = (
        "Recompute every expected number of a conformance file with our scoring. Exit status 1 if "
        "any differs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("protocol", help="protocol, or protocol:variant")
        parser.add_argument("cases", type=Path)
        parser.add_argument(
            "--questions", type=Path, help="official dataset file the cases speak of"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        slug, _, variant = options["protocol"].partition(":")
        protocol = known_protocol(slug)
        if variant not in protocol.conformance:
            known = (
                ", ".join(f"{slug}:{name}" if name else slug for name in protocol.conformance)
                or "none"
            )
            raise refuse(f"{slug} has no conformance check {variant!r}. Known: {known}.")
        check = protocol.conformance[variant]
        questions = read_questions(protocol, options["questions"]) if options["questions"] else ()
        cases = read_cases(options["cases"])
        differing = 0
        for number, case in enumerate(cases, start=1):
            differences = check(case, questions)
            differing += bool(differences)
            self.stdout.write(f"case {number}: {'differs' if differences else 'agrees'}")
            for difference in differences:
                self.stdout.write(
                    f"  {difference.name}: expected {difference.expected}, found {difference.found}"
                )
        self.stdout.write(f"{len(cases)} cases, {differing} differing")
        if differing:
            raise SystemExit(1)


def read_cases(path: Path) -> list[dict[str, Any]]:
    with readable(path) as stream:
        try:
            document = read_json(stream.read())
        except ValueError:
            document = None
    if not isinstance(document, dict) or not {"cases", "printed"} & document.keys():
        expected = '{"about": …, "cases": […]}, or one case with what is printed'
        raise refuse(f"{path} is not a conformance file: expected {expected}.")
    cases = document.get("cases", [document])
    if (
        not isinstance(cases, list)
        or not cases
        or not all(isinstance(case, dict) for case in cases)
    ):
        raise refuse(f"{path}: cases must be a list of objects, and not an empty one.")
    return cases


def read_questions(protocol: BenchmarkProtocol, path: Path) -> Sequence[QuestionView]:
    with readable(path) as stream:
        items = list(protocol.dataset.read(io.BytesIO(stream.read())))
    problems = [item for item in items if isinstance(item, Problem)]
    if problems:
        raise refuse(f"{path} cannot be read as questions.\n{print_problems(problems)}")
    return tuple(item.view() for item in items if isinstance(item, QuestionRow))
