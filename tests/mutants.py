"""Small changes of the code, one by one in a copy of the project: tests should fail of each.

    python -m tests.mutants [ROOM…] [--sample 30] [--seed 7] [--minutes 10]

A change is an operator or a number: `<` becomes `<=`, `and` becomes `or`, 5 becomes 6. Of a room's
changes a seeded sample is tried, as many as its minutes allow, each on the tests of its file alone.
Prints what nobody saw and each room's share of changes that some test saw; exits with 1 where one
is below 85 %.

Ours, for the tools there are copy the whole suite or wrap every function: neither fits tests that
need Django's set-up, of which those of one file take seconds.
"""

import ast
import random
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.planted_faults import copy_project

GOAL = 0.85
SLOWEST = 5.0  # times as long as without a change: then it runs in circles, which is seen
SETTLING = 30.0  # seconds that a busy machine may add

STATISTICS = "benchmarks/statistics"
BOARD_TESTS = "tests/leaderboard/board"
PAGE_TESTS = "tests/leaderboard/pages"
ROOMS: Mapping[str, Mapping[str, str]] = {
    "statistics": {
        f"{STATISTICS}/{name}.py": f"tests/statistics/test_{name}.py"
        for name in ("correlation", "differences", "firsts", "intervals", "ranks", "resampling")
    },
    "scoring": {
        "leaderboard/scoring.py": "tests/leaderboard/test_scoring.py",
        "leaderboard/fragility.py": "tests/leaderboard/test_fragility.py",
        "benchmarks/protocols/tallies.py": "tests/protocols/test_tallies.py",
        **{
            f"benchmarks/protocols/{family}/scoring.py": f"tests/protocols/{family}/test_scoring.py"
            for family in ("hallusionbench", "touchstone", "tiny_lvlm_ehub")
        },
    },
    "selectors": {
        "leaderboard/selectors/ranking.py": (
            f"{BOARD_TESTS}/test_rank_ranges.py {BOARD_TESTS}/test_equal_answers.py"
        ),
        "leaderboard/selectors/boards.py": (
            f"{BOARD_TESTS}/test_page.py {BOARD_TESTS}/test_standing.py"
        ),
        "leaderboard/selectors/eras.py": (
            f"{BOARD_TESTS}/test_page.py {BOARD_TESTS}/test_older_texts.py"
        ),
    },
    "pages": {
        "leaderboard/pages/entry_questions.py": f"{PAGE_TESTS}/test_entry_questions.py",
        "leaderboard/pages/home.py": f"{PAGE_TESTS}/test_home.py",
        "leaderboard/pages/entry.py": f"{PAGE_TESTS}/test_entry.py",
        "leaderboard/pages/my_entries.py": f"{PAGE_TESTS}/test_my_entries.py",
        "leaderboard/submission_states.py": "tests/leaderboard/test_submission_states.py",
    },
}

COMPARED = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
COUNTED = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
CHOSEN = {ast.And: ("and", "or"), ast.Or: ("or", "and")}


@dataclass(frozen=True, slots=True)
class Mutant:
    """The bytes `start` to `end` of a file become `bad`."""

    file: str
    tests: str
    line: int
    start: int
    end: int
    good: str
    bad: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.good} becomes {self.bad}"


class Finder(ast.NodeVisitor):
    """Collects what may be changed. Types, decorators, assertions and texts are left alone."""

    def __init__(self, file: str, tests: str, content: bytes) -> None:
        self.file, self.tests, self.content = file, tests, content
        self.starts = [0]
        for line in content.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.found: list[Mutant] = []

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assert):
            return
        for name in ("annotation", "returns", "decorator_list"):
            if hasattr(node, name):
                setattr(node, name, [] if name == "decorator_list" else None)
        super().visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        is_type = any(isinstance(t, ast.Name) and t.id[0].isupper() for t in node.targets) and (
            isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.BitOr)
        )
        if not is_type:
            self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        for place, op in enumerate(node.ops):
            self.between(sides[place], sides[place + 1], *COMPARED[type(op)])
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in COUNTED:
            self.between(node.left, node.right, *COUNTED[type(node.op)])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for one, other in zip(node.values, node.values[1:], strict=False):
            self.between(one, other, *CHOSEN[type(node.op)])
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        word = {ast.Not: "not ", ast.USub: "-"}.get(type(node.op))
        if word:
            start = self.offset(node.lineno, node.col_offset)
            self.add(node.lineno, start, start + len(word), word, "")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if not isinstance(node.value, int | float):
            return
        start = self.offset(node.lineno, node.col_offset)
        end = self.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        good = self.content[start:end].decode()
        bad = str(not node.value) if isinstance(node.value, bool) else f"({good} + 1)"
        self.add(node.lineno, start, end, good, bad)

    def between(self, one: ast.expr, other: ast.expr, good: str, bad: str) -> None:
        start = self.offset(one.end_lineno or 0, one.end_col_offset or 0)
        end = self.offset(other.lineno, other.col_offset)
        place = self.content.find(good.encode(), start, end)
        if place >= 0 and b"#" not in self.content[start:end]:
            self.add(one.end_lineno or 0, place, place + len(good), good, bad)

    def offset(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column

    def add(self, line: int, start: int, end: int, good: str, bad: str) -> None:
        self.found.append(Mutant(self.file, self.tests, line, start, end, good.strip(), bad))


def mutants_of(folder: Path, file: str, tests: str) -> list[Mutant]:
    content = (folder / file).read_bytes()
    finder = Finder(file, tests, content)
    finder.visit(ast.parse(content))
    return finder.found


def passes(folder: Path, tests: str, seconds: float) -> bool:
    """False as well where the tests do not end in time, or cannot even be read."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    try:
        done = subprocess.run(
            [*command, *tests.split()], cwd=folder, capture_output=True, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def seconds_of(folder: Path, tests: str) -> float:
    start = time.monotonic()
    if not passes(folder, tests, 3_600):
        raise SystemExit(f"{tests} fails with nothing changed")
    return time.monotonic() - start


def tried(folder: Path, chosen: list[Mutant], minutes: float) -> Iterator[tuple[Mutant, bool]]:
    """Each mutant with whether a test saw it, until the time is over."""
    end = time.monotonic() + 60 * minutes
    usual: dict[str, float] = {}
    for mutant in chosen:
        if time.monotonic() > end:
            return
        if mutant.tests not in usual:
            usual[mutant.tests] = seconds_of(folder, mutant.tests)
        path = folder / mutant.file
        content = path.read_bytes()
        path.write_bytes(content[: mutant.start] + mutant.bad.encode() + content[mutant.end :])
        seen = not passes(folder, mutant.tests, SLOWEST * usual[mutant.tests] + SETTLING)
        path.write_bytes(content)
        yield mutant, seen


def share_seen(folder: Path, room: str, sample: int, seed: int, minutes: float) -> float:
    everything = [
        mutant for file, tests in ROOMS[room].items() for mutant in mutants_of(folder, file, tests)
    ]
    chosen = random.Random(seed).sample(everything, min(sample, len(everything)))
    seen = []
    for mutant, is_seen in tried(folder, chosen, minutes):
        seen.append(is_seen)
        if not is_seen:
            print(f"  nobody saw {mutant}", flush=True)
    share = sum(seen) / len(seen) if seen else 0.0
    print(f"{room}: {sum(seen)} of {len(seen)} seen, {share:.0%} ({len(everything):,} possible)")
    return share


def main() -> int:
    parser = ArgumentParser(description="Changes that tests should see; `make mutants`")
    parser.add_argument("rooms", nargs="*", choices=[*ROOMS, []], default=[])
    parser.add_argument("--sample", type=int, default=30, help="changes tried in each room")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--minutes", type=float, default=10, help="at most, for each room")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-mutants-") as name:
        copy_project(Path(name))
        shares = [
            share_seen(Path(name), room, options.sample, options.seed, options.minutes)
            for room in options.rooms or ROOMS
        ]
    return int(min(shares) < GOAL)


if __name__ == "__main__":
    sys.exit(main())
