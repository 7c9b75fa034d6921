"""Faults that people would notice, planted one by one in a copy of the project: each must make a
test fail.

    python -m tests.planted_faults                    # the 60 of planted_faults.toml
    python -m tests.planted_faults --only mailing     # those whose file or sentence holds the word
    python -m tests.planted_faults --from 10 --to 20 --jobs 2
    python -m tests.planted_faults --only cells --tests tests/leaderboard/web/board

Coverage says that a line ran, not that anybody looked at what it made. The tests of the fault's
room are run first, then those that `make test-changed` names, then all quick ones: what counts is
whether `make test` alone sees it. Exits with 1 where more than three of the 60 are missed, or one
fits the code no longer.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import pytest

from tests import changed
from tests.site import PROJECT

LIST = PROJECT / "tests" / "planted_faults.toml"
MOST_MISSED = 3
"""Of 60: what a test would cost more to watch than the fault does harm."""
EVERYTHING = ("tests",)
QUICK = "not slow and not services and not browser"
OWN_TEST = "tests/test_planted_faults.py"  # fails of every fault, for it looks at the code itself
NONE_FAILED = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)  # all of them may be slow
# with -ra: "FAILED tests/x.py::test[a b] - why", also of errors and subtests
FIRST_FAILING = re.compile(r"^(?:FAILED|ERROR|SUBFAIL).*?(tests/.+?)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fault:
    """`old` stands exactly once in the file, and `new` in its place is the fault. noticed: what a
    person would have. spare: takes the place of one that turns out to change nothing."""

    file: str
    old: str
    new: str
    noticed: str
    spare: bool = False

    def planted_in(self, root: Path) -> str:
        """The text of the file with the fault. Raises ValueError where `old` does not stand there
        exactly once."""
        text = (root / self.file).read_text()
        if (count := text.count(self.old)) != 1:
            raise ValueError(f"{self.file} has {self.old!r} {count} times")
        return text.replace(self.old, self.new)


def read_faults() -> list[Fault]:
    return [Fault(**one) for one in tomllib.loads(LIST.read_text())["faults"]]


def tests_of_room(file: str, root: Path) -> tuple[str, ...]:
    """The tests of the folder of that path below `tests/`, or of the nearest one above it, with
    those named after the module first. Rooms of `benchmarks/` may stand at the top of `tests/`;
    templates are watched where pages are."""
    path = Path(file.replace("templates/", "leaderboard/web/pages/"))
    for folder in path.parents:
        for room in (folder, Path(*folder.parts[1:])):
            files = (root / "tests" / room).glob("test_*.py") if room.parts else ()
            if found := [str(one.relative_to(root)) for one in files]:
                return tuple(sorted(found, key=lambda one: (f"test_{path.stem}" not in one, one)))
    return EVERYTHING


def copy_project(folder: Path) -> Path:
    """With what git knows of, as it is in the working tree, and what is new. A repository, for
    tests ask git; no database, no virtual environment."""
    subprocess.run(["git", "clone", "--quiet", "--shared", PROJECT, folder], check=True)
    for name in changed.git("ls-files", "-co", "--exclude-standard"):
        source, target = PROJECT / name, folder / name
        if not source.exists():
            target.unlink(missing_ok=True)
        elif source.is_file() and not source.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    return folder


def run_tests(root: Path, tests: Sequence[str], *options: str) -> list[str]:
    """Ids of the tests that fail, in their order. Raises RuntimeError where pytest cannot run them,
    as where a module cannot be imported."""
    command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-m", QUICK]
    command += ["-p", "no:randomly", f"--ignore={OWN_TEST}", *options]
    own = {"TMPDIR": f"{root}.tmp", "PYTHONPYCACHEPREFIX": f"{root}.bytecode"}
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    Path(own["TMPDIR"]).mkdir(exist_ok=True)
    done = subprocess.run(
        [*command, *tests], cwd=root, env={**kept, **own}, capture_output=True, text=True
    )
    if done.returncode in NONE_FAILED:
        return []
    if done.returncode != pytest.ExitCode.TESTS_FAILED:
        raise RuntimeError(f"pytest could not run: {(done.stdout + done.stderr)[-500:]}")
    return FIRST_FAILING.findall(done.stdout) or ["a test without a name"]


def caught_by(fault: Fault, root: Path, stages: Sequence[Sequence[str]]) -> str:
    """The first test that fails with the fault planted in this copy; empty where none does. The
    copy is as it was afterwards. Raises ValueError where the fault does not fit."""
    planted, file = fault.planted_in(root), root / fault.file
    text = file.read_text()
    file.write_text(planted)
    try:
        found = (run_tests(root, tests, "-x") for tests in stages)
        return next((failing[0] for failing in found if failing), "")
    finally:
        file.write_text(text)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Plant faults that a test must see.")
    parser.add_argument("--only", default="", help="word in the file or the sentence")
    parser.add_argument("--from", type=int, default=1, dest="first", help="number in the list")
    parser.add_argument("--to", type=int, default=None, dest="last")
    parser.add_argument("--spare", action="store_true", help="the spare ones, not the 60")
    parser.add_argument("--jobs", type=int, default=1, help="copies in which faults are planted")
    parser.add_argument("--tests", nargs="+", help="run these, and nothing else")
    return parser.parse_args()


def main() -> int:
    asked = arguments()
    listed = [fault for fault in read_faults() if fault.spare == asked.spare]
    chosen = list(enumerate(listed, start=1))[asked.first - 1 : asked.last]
    chosen = [(n, f) for n, f in chosen if asked.only in f.file or asked.only in f.noticed]
    if not chosen or asked.first < 1 or asked.jobs < 1:
        print("No fault of the list is chosen by that.", file=sys.stderr)
        return 2
    if gone := [test for test in asked.tests or () if not (PROJECT / test.split("::")[0]).exists()]:
        print(f"There is no {gone[0]}.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        Path(folder).chmod(0o755)  # some tests run as another user
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(asked.jobs):
            copies.put(copy_project(Path(folder, str(number))))

        def look(numbered: tuple[int, Fault]) -> tuple[str, str]:
            """What became of the fault: a word, and the test or the reason."""
            number, fault = numbered
            root = copies.get()
            try:
                room, near = tests_of_room(fault.file, root), changed.tests_of([fault.file])
                stages = [asked.tests] if asked.tests else [room, near, EVERYTHING]
                test = caught_by(fault, root, stages)
                seen = ("caught", test) if test else ("MISSED", "")
            except (ValueError, RuntimeError) as error:
                seen = ("UNFIT", str(error))
            finally:
                copies.put(root)
            said = f"{number:>3} {seen[0]:<6} {fault.file}: {fault.noticed}\n    {seen[1]}"
            print(said.rstrip(), flush=True)
            return seen

        with ThreadPoolExecutor(asked.jobs) as pool:
            seen = list(pool.map(look, chosen))
        named = {test for word, test in seen if word == "caught" and "::" in test}
        broken = set(run_tests(copies.get(), sorted(named))) if named else set()
    for test in sorted(broken):
        print(f"fails with no fault planted, and says nothing: {test}")
    caught = sum(word == "caught" and test not in broken for word, test in seen)
    unfit = sum(word == "UNFIT" for word, _ in seen)
    missed = len(seen) - caught - unfit
    print(f"{caught} of {len(seen)} caught, {missed} missed, {unfit} no longer fit")
    return 1 if unfit or missed > MOST_MISSED else 0


if __name__ == "__main__":
    sys.exit(main())
