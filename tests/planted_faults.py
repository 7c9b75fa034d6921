"""Faults that people would see, planted one by one in a copy of the project: each must make a test
fail.

    python -m tests.planted_faults

Coverage says that a line ran, not that anybody looked at what it made. These faults once passed all
tests of the rooms they were planted in (paging, filters, pictures and anomalies dropped, orders
reversed, states swapped). Exits with 1 where a fault is seen by no test, or no longer fits the code
it was written for.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.site import PROJECT

PAGES = "tests/leaderboard/pages"
QUESTIONS = "leaderboard/pages/entry_questions.py"


@dataclass(frozen=True, slots=True)
class Fault:
    """`good` stands exactly once in the file, and `bad` in its place is the fault. `tests`: who
    should see it."""

    name: str
    file: str
    good: str
    bad: str
    tests: str


FAULTS = (
    Fault(
        "a scoresheet of a hidden test holds all figures",
        "leaderboard/services.py",
        "return sealed_figures(run, answered, verdicts, said.ratings)",
        "pass",
        "tests/leaderboard/test_hidden_tests.py",
    ),
    Fault(
        "verdicts of a hidden test can be downloaded",
        "leaderboard/disclosure.py",
        "raise Http404(HIDDEN_TEST)",
        "return",
        "tests/leaderboard/test_hidden_test_attacker.py",
    ),
    Fault(
        "every page of questions is the first",
        QUESTIONS,
        "shown[(page - 1) * PER_PAGE : page * PER_PAGE]",
        "shown[:PER_PAGE]",
        f"{PAGES}/test_entry_questions.py",
    ),
    Fault(
        "the filter of subtasks leaves everything",
        QUESTIONS,
        'chosen.subtask in ("", view.subtask)',
        "True",
        f"{PAGES}/test_entry_questions.py",
    ),
    Fault(
        "questions lose their pictures",
        QUESTIONS,
        "found.setdefault(image.figure_id, []).append(image)",
        "found.setdefault(image.figure_id, [])",
        f"{PAGES}/test_entry_questions.py",
    ),
    Fault(
        "questions lose what is wrong with them",
        QUESTIONS,
        "anomalies=tuple(anomalies.get(view.public_id, ()))",
        "anomalies=()",
        f"{PAGES}/test_entry_questions.py",
    ),
    Fault(
        "the home page turns the best five round",
        "leaderboard/pages/home.py",
        "top=tuple(lines)",
        "top=tuple(reversed(lines))",
        f"{PAGES}/test_home.py",
    ),
    Fault(
        "baselines stand among the latest entries",
        "leaderboard/pages/home.py",
        ".exclude(origin=Submission.Origin.BASELINE)",
        ".exclude(pk=None)",
        f"{PAGES}/test_home.py",
    ),
    Fault(
        "my entries swap two states",
        "leaderboard/submission_states.py",
        "if all(run.is_scored for run in runs):",
        "if not all(run.is_scored for run in runs):",
        f"{PAGES}/test_my_entries.py",
    ),
)


def copy_project(folder: Path) -> None:
    """What git knows of, and what is new; no database, no virtual environment."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for name in listed.splitlines():
        source, target = PROJECT / name, folder / name
        if source.is_file() and not source.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)


def passes(folder: Path, tests: str) -> bool:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, tests], cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"pytest could not run {tests}:\n{done.stdout}{done.stderr}")
    return done.returncode == 0


def complaints(folder: Path) -> Iterator[str]:
    """A sentence for each fault that no test sees."""
    for tests in dict.fromkeys(fault.tests for fault in FAULTS):
        if not passes(folder, tests):
            yield f"{tests} fails with no fault planted"
    for fault in FAULTS:
        file = folder / fault.file
        text = file.read_text()
        if text.count(fault.good) != 1:
            yield f"{fault.name}: {fault.file} has {fault.good!r} {text.count(fault.good)} times"
            continue
        file.write_text(text.replace(fault.good, fault.bad))
        seen = not passes(folder, fault.tests)
        file.write_text(text)
        print(f"{'seen    ' if seen else 'NOT SEEN'} {fault.name}", flush=True)
        if not seen:
            yield f"{fault.name}: {fault.tests} passes all the same"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="assay-faults-") as folder:
        copy_project(Path(folder))
        found = list(complaints(Path(folder)))
    print("\n".join(found) or f"{len(FAULTS)} faults planted, each seen by a test")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
