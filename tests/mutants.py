"""Small changes of the code, one by one in a copy of the project: tests should fail of each.

    python -m tests.mutants [ROOM…] [--sample 40] [--seed 7] [--minutes 10]

A change is an operator or a number: `<` becomes `<=`, `and` becomes `or`, 5 becomes 6. Of a room's
changes a seeded sample is tried, as many as its minutes allow, each on the tests of its file alone.
Prints what nobody saw and each room's share of changes that some test saw; exits with 1 where one
is below 85 %.

Ours, for the tools there are copy the whole suite or wrap every function: neither fits tests that
need Django's set-up, of which those of one file take seconds (tests/warm.py).
"""

import ast
import random
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.planted_faults import copy_project
from tests.warm import WarmTests

GOAL = 0.85
SLOWEST = 5.0  # times as long as without a change: then it runs in circles, which is seen
SETTLING = 30.0  # seconds that a busy machine may add

STATISTICS = "benchmarks/statistics"
BOARD_TESTS = "tests/leaderboard/board"
PAGE_TESTS = "tests/leaderboard/pages"
EDITIONS = "tests/leaderboard/test_editions.py"
SELECTORS = "leaderboard/selectors"
ROOMS: Mapping[str, Mapping[str, str]] = {
    "statistics": {
        f"{STATISTICS}/{name}.py": f"tests/statistics/test_{name}.py"
        for name in ("correlation", "differences", "firsts", "intervals", "ranks", "resampling")
    },
    "scoring": {
        "leaderboard/scoring.py": "tests/leaderboard/test_scoring.py",
        "benchmarks/protocols/tallies.py": "tests/protocols/test_tallies.py",
        **{
            f"benchmarks/protocols/{family}/scoring.py": " ".join(
                f"tests/protocols/{family}/test_{name}.py" for name in names
            )
            for family, names in {
                "hallusionbench": ("scoring", "kits"),
                "touchstone": ("scoring", "properties"),
                "tiny_lvlm_ehub": ("scoring",),
            }.items()
        },
    },
    "selectors": {
        f"{SELECTORS}/ranking.py": (
            f"{BOARD_TESTS}/test_rank_ranges.py {BOARD_TESTS}/test_comparison.py "
            f"{BOARD_TESTS}/test_equal_answers.py {BOARD_TESTS}/test_page.py {EDITIONS}"
        ),
        f"{SELECTORS}/boards.py": (
            f"{BOARD_TESTS}/test_rank_ranges.py {EDITIONS} {BOARD_TESTS}/test_page.py "
            f"{BOARD_TESTS}/test_older_texts.py"
        ),
        f"{SELECTORS}/entries.py": f"{BOARD_TESTS}/test_older_texts.py",
        f"{SELECTORS}/eras.py": f"{BOARD_TESTS}/test_page.py {EDITIONS}",
        f"{SELECTORS}/part.py": f"{EDITIONS} {BOARD_TESTS}/test_paging.py",
        f"{SELECTORS}/readings.py": (
            f"{BOARD_TESTS}/test_measures.py {BOARD_TESTS}/test_cells.py "
            f"{BOARD_TESTS}/test_rank_ranges.py {BOARD_TESTS}/test_comparison.py {EDITIONS}"
        ),
        f"{SELECTORS}/stored.py": EDITIONS,
    },
    "pages": {
        **{
            f"leaderboard/pages/{name}.py": f"{PAGE_TESTS}/test_{name}.py"
            for name in ("account", "cost", "entry_questions", "home", "my_entries", "status")
        },
        "leaderboard/pages/entry.py": (
            f"{PAGE_TESTS}/test_entry.py {PAGE_TESTS}/test_exclusions.py "
            f"{BOARD_TESTS}/test_standing.py {BOARD_TESTS}/test_older_texts.py "
            f"{BOARD_TESTS}/test_equal_answers.py {BOARD_TESTS}/test_comparison.py {EDITIONS}"
        ),
        "leaderboard/pages/judge.py": f"{PAGE_TESTS}/test_judge_record.py",
        "leaderboard/pages/judge_record.py": f"{PAGE_TESTS}/test_judge_record.py",
        "leaderboard/pages/retry_offer.py": f"{PAGE_TESTS}/test_retry.py",
        "leaderboard/pages/submission.py": f"{PAGE_TESTS}/test_submission.py",
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


def seconds_of(warm: WarmTests, tests: str) -> float:
    start = time.monotonic()
    if not warm.passes(tests, 3_600):
        raise SystemExit(f"{tests} fails with nothing changed")
    return time.monotonic() - start


def tried(chosen: list[Mutant], minutes: float) -> Iterator[tuple[Mutant, bool]]:
    """Each mutant with whether a test saw it, until the time is over."""
    warm = WarmTests()
    usual: dict[str, float] = {}
    end = time.monotonic() + 60 * minutes
    for mutant in chosen:
        if time.monotonic() > end:
            break
        if mutant.tests not in usual:
            usual[mutant.tests] = seconds_of(warm, mutant.tests)
        yield mutant, is_seen(warm, mutant, SLOWEST * usual[mutant.tests] + SETTLING)
    warm.close()


def is_seen(warm: WarmTests, mutant: Mutant, seconds: float) -> bool:
    path = Path(mutant.file)
    if path.with_suffix("").as_posix().replace("/", ".") in sys.modules:
        raise SystemExit(f"{path} is imported before it is changed")
    content = path.read_bytes()
    forget_compiled(path)
    path.write_bytes(content[: mutant.start] + mutant.bad.encode() + content[mutant.end :])
    seen = not warm.passes(mutant.tests, seconds)
    path.write_bytes(content)
    forget_compiled(path)
    return seen


def forget_compiled(path: Path) -> None:
    """Python compares the seconds of a file only, and its size: two changes may have both in
    common, and so may a change and the file as it was."""
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
        compiled.unlink()


def share_seen(room: str, sample: int, seed: int, minutes: float) -> float:
    everything = [
        mutant for file, tests in ROOMS[room].items() for mutant in mutants_of(Path(), file, tests)
    ]
    chosen = random.Random(seed).sample(everything, min(sample, len(everything)))
    seen = []
    for mutant, is_seen in tried(chosen, minutes):
        seen.append(is_seen)
        if not is_seen:
            print(f"  nobody saw {mutant}", flush=True)
    share = sum(seen) / len(seen) if seen else 0.0
    print(f"{room}: {sum(seen)} of {len(seen)} seen, {share:.0%} ({len(everything):,} possible)")
    return share


def options() -> Namespace:
    parser = ArgumentParser(description="Changes that tests should see; `make mutants`")
    parser.add_argument("rooms", nargs="*", choices=[*ROOMS, []], default=[])
    parser.add_argument("--sample", type=int, default=40, help="changes tried in each room")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--minutes",
        type=float,
        default=10,
        help="at most, for each room; forty changes take two to five of a core that is free",
    )
    parser.add_argument("--here", action="store_true", help="change the working directory's files")
    return parser.parse_args()


def main() -> int:
    chosen = options()
    if not chosen.here:
        with tempfile.TemporaryDirectory(prefix="assay-mutants-") as name:
            copy_project(Path(name))
            command = [sys.executable, "-m", "tests.mutants", "--here", *sys.argv[1:]]
            return subprocess.run(command, cwd=name).returncode
    shares = [
        share_seen(room, chosen.sample, chosen.seed, chosen.minutes)
        for room in chosen.rooms or ROOMS
    ]
    return int(min(shares) < GOAL)


if __name__ == "__main__":
    sys.exit(main())
