"""Small changes of the code, one by one in a copy of the project: tests should fail of each.

    python -m tests.mutants [ROOM…] [--sample 15] [--seed 7] [--seconds 30] [--json FILE]
    python -m tests.mutants [ROOM…] --guards ownership escape …

A room is a package of the product, and cosmic-ray makes the changes: `<` becomes `<=`, `and`
becomes `or`, 5 becomes 6. Of a room's changes a seeded sample is tried, each on the test files
nearest to its module, then on the other quick ones that `make test-changed` would run, for some
seconds of processor time. Prints what nobody saw and each room's share of changes that some test
saw; exits with 1 where one is below 85 %. With --guards, each place is tried where such a guard
is taken away (tests/mutant_operators.py), and what nobody saw is to be empty.

Cosmic-ray's own runner starts pytest anew for each change, which takes five seconds before the
first test: here tests run in forks of a process that has imported all libraries (tests/warm.py).
"""

import json
import random
import subprocess
import sys
import tempfile
import tomllib
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import cache_from_source
from itertools import islice
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.operators.provider import OperatorProvider

from tests.changed import PACKAGES, dotted, naming, tests_of, tests_of_addresses, users_of
from tests.mutant_operators import GUARDS, IN_TEMPLATES, Node
from tests.planted_faults import EVERYTHING, OWN_TEST, copy_project, tests_of_room
from tests.site import PROJECT
from tests.warm import WarmTests

GOAL = 0.85
NEAREST = 6  # test files: four of five changes are seen there, within a few seconds
COMPARED = ("Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is")
COUNTED = ("Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "FloorDiv_Div", "Pow_Mul", "Mod_Mul")
OTHERS = (
    *("ReplaceBinaryOperator_BitAnd_BitOr", "ReplaceBinaryOperator_BitOr_BitAnd"),
    *("ReplaceUnaryOperator_Delete_Not", "ReplaceUnaryOperator_Delete_USub", "AddNot"),
    *("ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr", "ReplaceOrWithAnd"),
    *("ReplaceBreakWithContinue", "ReplaceContinueWithBreak", "ExceptionReplacer"),
    *("NumberReplacer", "ZeroIterationForLoop"),
)
SMALL = {
    name: OperatorProvider()[name]()
    for name in (
        *(f"ReplaceComparisonOperator_{pair}" for pair in COMPARED),
        *(f"ReplaceBinaryOperator_{pair}" for pair in COUNTED),
        *OTHERS,
    )
}
"""Of each operator's replacements the one nearest to it: what raises TypeError is always seen."""
OPERATORS: Mapping[str, Operator] = {**SMALL, **GUARDS}
EQUAL = tomllib.loads((PROJECT / "tests" / "equal_mutants.toml").read_text())["equal"]


@dataclass(frozen=True, slots=True)
class Mutant:
    """The `occurrence`th place of a file where this operator changes something."""

    file: str
    operator: str
    occurrence: int
    line: int

    def changed(self, text: str) -> str:
        if self.operator in IN_TEMPLATES:
            pattern, shown = IN_TEMPLATES[self.operator]
            found = next(islice(pattern.finditer(text), self.occurrence, None))
            return text[: found.start()] + found.expand(shown) + text[found.end() :]
        return str(mutate_code(text, OPERATORS[self.operator], self.occurrence))

    def change(self, text: str) -> str:
        """The first lines that differ."""
        pairs = zip(text.splitlines(), self.changed(text).splitlines(), strict=False)
        was, now = next((pair for pair in pairs if pair[0] != pair[1]), ("the end", ""))
        return f"{was.strip()} becomes {now.strip()}"


def is_code(node: Node) -> bool:
    """Neither a type, a decorator, an assertion, nor a parameter that is a bare `*`."""
    while node.type != "file_input":
        above = node.parent
        if node.type in ("tfpdef", "decorator", "assert_stmt"):
            return False
        if node.type == "operator" and above.type == "parameters":
            return False
        if above.type == "annassign" and node is above.children[1]:
            return False
        if above.type == "funcdef" and node is above.annotation:
            return False
        node = above
    return True


def mutants_of(file: str, text: str, names: Iterable[str] = SMALL) -> Iterator[Mutant]:
    if not file.endswith(".py"):
        for name in (name for name in IN_TEMPLATES if name in names):
            for occurrence, found in enumerate(IN_TEMPLATES[name][0].finditer(text)):
                yield Mutant(file, name, occurrence, text.count("\n", 0, found.start()) + 1)
        return
    nodes = list(ast_nodes(get_ast(text)))
    for name in (name for name in OPERATORS if name in names):
        places = (node for node in nodes for _ in OPERATORS[name].mutation_positions(node))
        for occurrence, node in enumerate(places):
            is_less = name == "NumberReplacer" and occurrence % 2  # 0 and -1 are mostly the same
            if name in GUARDS or (is_code(node) and not is_less):
                yield Mutant(file, name, occurrence, node.start_pos[0])


def rooms() -> dict[str, list[str]]:
    """The modules of each package of the product, but migrations; and its templates."""
    found: dict[str, list[str]] = {}
    for top in PACKAGES:
        for path in sorted((PROJECT / top).rglob("*.py")):
            if "migrations" not in path.parts:
                room = str(path.parent.relative_to(PROJECT))
                found.setdefault(room, []).append(str(path.relative_to(PROJECT)))
    html = (str(path.relative_to(PROJECT)) for path in (PROJECT / "templates").rglob("*.html"))
    return {**found, "templates": sorted(html)}


def tests_by_nearness(file: str) -> list[str]:
    """Of what `make test-changed` runs: first those named after the module, then those that name
    it, those that name a module which imports it, and those of its room."""
    module, room = dotted(file), tests_of_room(file, PROJECT)
    package, _, name = module.rpartition(".")
    importing = {*naming(package, "tests/*.py")} & {*naming(name, "tests/*.py")}
    importing.update(naming(module, "tests/*.py"), tests_of_addresses(module))
    of_users = {test for user in users_of(module) for test in naming(user, "tests/*.py")}

    def distance(test: str) -> tuple[bool, ...]:
        return (
            test in EVERYTHING,
            f"test_{name}" not in test,
            test not in importing,
            test not in of_users,
            test not in room,
        )

    return sorted({*tests_of([file]), *room} - {OWN_TEST}, key=lambda test: (distance(test), test))


@contextmanager
def changed_file(path: Path, text: str) -> Iterator[None]:
    was = path.read_text()
    write(path, text)
    try:
        yield
    finally:
        write(path, was)


def write(path: Path, text: str) -> None:
    """Python compares the seconds of a file only, and its size: two texts may have both."""
    Path(cache_from_source(str(path))).unlink(missing_ok=True)
    path.write_text(text)


def first_failing(warm: WarmTests, mutant: Mutant, seconds: float) -> str:
    """The test that saw it; empty where none did."""
    path, tests = PROJECT / mutant.file, tests_by_nearness(mutant.file)
    with changed_file(path, mutant.changed(path.read_text())):
        stages = (tests[:NEAREST], tests[NEAREST:])
        return next(filter(None, (warm.first_failing(s, seconds) for s in stages if s)), "")


def can_be_seen(mutant: Mutant) -> bool:
    """It is code at all, and none of tests/equal_mutants.toml."""
    text = (PROJECT / mutant.file).read_text()
    if (mutant.file, mutant.change(text)) in {(each["file"], each["change"]) for each in EQUAL}:
        return False
    try:
        compile(mutant.changed(text) if mutant.file.endswith(".py") else "", mutant.file, "exec")
    except SyntaxError:
        return False
    return True


def share_seen(warm: WarmTests, room: str, files: list[str], chosen: Namespace) -> float:
    names = chosen.guards or SMALL
    texts = {file: (PROJECT / file).read_text() for file in files}
    everything = [m for file in files for m in mutants_of(file, texts[file], names)]
    random.Random(chosen.seed).shuffle(everything)
    seen = []
    for mutant in islice(filter(can_be_seen, everything), chosen.sample):
        seen.append(first_failing(warm, mutant, chosen.seconds))
        told = f"{mutant.file}:{mutant.line}: {mutant.change(texts[mutant.file])}"
        if not seen[-1]:
            print(f"  nobody saw {told}", flush=True)
        if chosen.json:
            line = json.dumps({"room": room, **asdict(mutant), "told": told, "seen_by": seen[-1]})
            with chosen.json.open("a") as lines:
                lines.write(line + "\n")
    named = {test for test in seen if "::" in test}
    if failing := named and warm.first_failing(sorted(named)):
        print(f"{failing} fails with nothing changed: the next line says nothing")
    count, share = sum(map(bool, seen)), sum(map(bool, seen)) / len(seen) if seen else 1.0
    if not everything and chosen.rooms:
        print(f"{room}: nothing of that kind to change", flush=True)
    if everything:
        of = f"{count} of {len(seen)} seen, {share:.0%}"
        print(f"{room}: {of} ({len(everything):,} possible)", flush=True)
    return 0.0 if failing else share


def options() -> Namespace:
    parser = ArgumentParser(description="Changes that tests should see; `make mutants`")
    parser.add_argument("rooms", nargs="*", help="packages or modules, as leaderboard/web/pages")
    parser.add_argument("--guards", nargs="+", choices=[*GUARDS, *IN_TEMPLATES])
    parser.add_argument("--sample", type=int, default=15, help="changes tried in each room")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--seconds",
        type=float,
        default=30,
        help="of processor time, for the near test files of a change and again for the others",
    )
    parser.add_argument("--json", type=lambda name: Path(name).absolute(), help="a line per change")
    parser.add_argument("--here", action="store_true", help="change the working directory's files")
    return parser.parse_args()


def main() -> int:
    chosen = options()
    chosen.rooms = [room.rstrip("/") for room in chosen.rooms]
    known = {*rooms(), *(file for files in rooms().values() for file in files)}
    if unknown := sorted({*chosen.rooms} - known):
        print(f"There is no room or module {unknown[0]}.", file=sys.stderr)
        return 2
    if not chosen.here:
        with tempfile.TemporaryDirectory(prefix="assay-mutants-") as name:
            copy_project(Path(name)).chmod(0o755)  # some tests run as another user
            command = [sys.executable, "-m", "tests.mutants", *sys.argv[1:], "--here"]
            command += ["--json", str(chosen.json)] if chosen.json else []
            return subprocess.run(command, cwd=name).returncode
    warm = WarmTests()
    try:
        shares = [
            share_seen(warm, room, of_room, chosen)
            for room, files in rooms().items()
            if (of_room := [f for f in files if not chosen.rooms or {room, f} & set(chosen.rooms)])
        ]
    finally:
        warm.close()
    return int(min(shares, default=0) < GOAL)


if __name__ == "__main__":
    sys.exit(main())
