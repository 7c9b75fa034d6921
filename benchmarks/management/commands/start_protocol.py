"""Begins a benchmark: a folder of a protocol that works, with its tests.

docs/adding_a_benchmark.md leads on from there.
"""

import keyword
import re
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from benchmarks.management.console import refuse
from benchmarks.registry import protocols

TEMPLATE = Path(__file__).parents[1] / "protocol_template"
ENDING = "-tpl"  # so that no tool takes a template for a module
_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
LONGEST_NAME = 40  # its releases are named after it, in 50 characters


class Command(BaseCommand):
    help = "Begin a benchmark: write the folder of a protocol that works, and its tests."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="lower-case letters, digits and underscores: word_games")
        parser.add_argument(
            "--judge", action="store_true", help="a model judges; otherwise rules alone do"
        )
        parser.add_argument("--root", type=Path, default=settings.BASE_DIR, help="of the project")
        parser.add_argument(
            "--package", default="benchmarks.protocols", help="the new folder is below it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        name, root, package = options["name"], options["root"], options["package"]
        if not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
            raise refuse(
                f"{name!r} is no name for a protocol: lower-case letters, digits and single "
                f"underscores, beginning with a letter, at most {LONGEST_NAME}."
            )
        if keyword.iskeyword(name) or keyword.issoftkeyword(name):
            raise refuse(f"{name!r} is a word of Python's own, and no name for a protocol.")
        if name in protocols():
            raise refuse(f"There is a protocol {name!r} already.")
        folder = root.joinpath(*package.split("."), name)
        tests = root / "tests" / "protocols" / name
        # A module of that name, which all protocols may share, could not be imported beside it.
        for taken in (folder, folder.with_suffix(".py"), tests, tests.with_suffix(".py")):
            if taken.exists():
                raise refuse(f"{taken} is there already. Nothing was written.")
        write_protocol(name, folder, tests, f"{package}.{name}", with_judge=options["judge"])
        self.stdout.write(
            f"Wrote {folder} and {tests}.\n"
            f"Check it:       manage.py check_benchmark {package}.{name}\n"
            f"Run the tests:  pytest {tests.relative_to(root)}\n"
            f'Show the board: add "{package}.{name}" to PROTOCOLS in leaderboard/settings.py\n'
            "Read on:        docs/adding_a_benchmark.md"
        )


def write_protocol(
    name: str, folder: Path, tests: Path, import_path: str, *, with_judge: bool
) -> None:
    """Both folders exist afterwards. OSError where one is there already or cannot be written."""
    words = {
        "PROTOCOL_PATH": import_path,
        "PROTOCOL_SLUG": name,
        "PROTOCOL_RELEASE": name.replace("_", "-"),
        "PROTOCOL_TITLE": name.replace("_", " ").title(),
        "PROTOCOL_PROMPTS": "v1" if with_judge else "",
    }
    judging = "judging_by_model.py" if with_judge else "judging_by_rules.py"
    modules = ("__init__.py", "dataset.py", "predictions.py", "scoring.py", "board.py")
    written = {folder / module: module for module in (*modules, "questions.json")}
    written |= {folder / "judging.py": judging, tests / "test_benchmark.py": "test_benchmark.py"}
    if with_judge:
        written[folder / "prompts" / "v1.toml"] = "prompts/v1.toml"
    folder.mkdir(parents=True)
    tests.mkdir(parents=True)
    (tests / "__init__.py").touch()
    for path, template in written.items():
        path.parent.mkdir(exist_ok=True)
        text = (TEMPLATE / f"{template}{ENDING}").read_text(encoding="utf-8")
        for word, value in words.items():
            text = text.replace(word, value)
        path.write_text(text, encoding="utf-8")
