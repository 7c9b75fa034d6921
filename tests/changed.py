"""The quick tests of what changed since `main`, in place of all of them: `make test-changed`.

    python -m tests.changed [--since REF] [--list]

Of a module: the tests of its room, those of the rooms that import it, those that import it
themselves, those that ask for its pages, the way of each person through the site, and what each may
at every address where the module speaks of that. Of a template: those of the rooms that name it or
one that includes it, of their pages, and the way of each person. Of a document: what every document
must be. Of any other file: the tests that name it. What leads to no test at all (requirements,
settings of pytest), what all run under (settings) and what no import leads to (migrations) asks for
every one. Exits as pytest does, and with 2 where git does not know what to compare with.
"""

import argparse
import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import grimp

PROJECT = Path(__file__).resolve().parents[1]
PACKAGES = ("benchmarks", "judging", "leaderboard")
MOVED = ("submissions", "protocols", "scoring", "statistics", "bundled")
"""Rooms of benchmarks whose tests stand at the top of `tests/`."""
CALLED = re.compile(r"\.(commands|pages|views)(\.|$)")
"""Of a module in there, tests say the name as that of a command or a page."""
PAGES, FAMILIES = "leaderboard.web.pages.", "benchmarks.protocols."
ADMIN = re.compile(r"^\s*@?admin\.(?:site\.)?register\((\w+)", re.MULTILINE)
VIEW = re.compile(r'path\(\s*"([^"]*)",\s*(\w+)\.(\w+),\s*name="([^"]+)"')
JOURNEYS, PERMISSIONS = "tests/test_journeys.py", "tests/test_permissions.py"
WHO_MAY = re.compile(r"owner|teams|visib|\.public\(|permission|is_staff|request\.user")
DOCUMENTS = "tests/test_documents.py"
ALLAUTH = re.compile(r"templates/(account|mfa|socialaccount|usersessions)/")
"""What allauth names, not we."""
SEEN_BY_ALL = re.compile(r"(^|/)settings\w*\.py$|/migrations/")
SETTINGS = "leaderboard/settings.py"
EVERYTHING = ["tests"]
FILES = "test_*.py"
WORKERS = "2"  # each imports everything first: more cost more than a few hundred tests take
QUICK = "not slow and not services and not browser"


def git(*arguments: str) -> list[str]:
    said = subprocess.run(
        ["git", "-c", "core.quotepath=off", *arguments],
        cwd=PROJECT,
        check=True,
        capture_output=True,
        text=True,
    )
    return said.stdout.split("\n")[:-1]


def changed_files(since: str) -> list[str]:
    (base,) = git("merge-base", since, "HEAD")
    return sorted(
        {
            *git("diff", "--name-only", "--no-renames", base),
            *git("ls-files", "-o", "--exclude-standard"),
        }
    )


@cache
def texts(pattern: str) -> dict[str, str]:
    """By path, of those that are still there."""
    paths = ((name, PROJECT / name) for name in git("ls-files", "-co", pattern))
    return {name: path.read_text() for name, path in paths if path.exists()}


def naming(name: str, pattern: str) -> list[str]:
    """The files of this pattern that name it, as a whole word."""
    word = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
    found = [path for path, text in texts(pattern).items() if name in text]
    return [path for path in found if word.search(texts(pattern)[path])]


# --- product --------------------------------------------------------------------------------------


@cache
def imports() -> grimp.ImportGraph:
    return grimp.build_graph(*PACKAGES, cache_dir=None)


def dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def room_of(module: str) -> str:
    """The package that it stands in, or is."""
    is_package = (PROJECT / module.replace(".", "/")).is_dir()
    return module if is_package else module.rpartition(".")[0]


def tests_of_room(room: str, files: str) -> Iterator[str]:
    top, _, rest = room.partition(".")
    is_moved = top == "benchmarks" and rest.partition(".")[0] in MOVED
    folder = Path("tests", *(rest if is_moved else room).split("."))
    yield from (str(path.relative_to(PROJECT)) for path in (PROJECT / folder).glob(files))


def users_of(module: str) -> set[str]:
    """The modules that import it; none of one that is gone."""
    graph = imports()
    return graph.find_modules_that_directly_import(module) if module in graph.modules else set()


def tests_of_module(module: str) -> Iterator[str]:
    importing = users_of(module)
    for room in {room_of(each) for each in (module, *importing)}:
        yield from tests_of_room(room, FILES)
    if "." in (room := room_of(module)):  # within an app: watched by the rooms in it as well
        yield from tests_of_room(room, f"**/{FILES}")
    if module.startswith(FAMILIES):
        yield from naming("protocols()", "tests/*.py")  # those that go through all of them
    if naming(module, SETTINGS):  # every room of that kind runs under it
        kind = room_of(module).rpartition(".")[2]
        paths = (PROJECT / "tests").glob(f"**/{kind}/{FILES}")
        yield from (str(path.relative_to(PROJECT)) for path in paths)
    yield from naming(module, "tests/*.py")
    package, _, name = module.rpartition(".")
    line = f"from {package} import "
    if package in importing and not any(tests_of_room(package, FILES)):  # it hands the names on
        yield from (path for path, text in texts("tests/*.py").items() if line in text)
    said = (line, f'("{name}"') if CALLED.search(package) else (line,)
    for path in naming(name, "tests/*.py"):
        if any(words in texts("tests/*.py")[path] for words in said):
            yield path
    yield from tests_of_addresses(module)


def tests_of_addresses(module: str) -> list[str]:
    asked = list(addresses_of(module))
    return [
        path for path, text in texts("tests/*.py").items() if any(a.search(text) for a in asked)
    ]


def addresses_of(module: str) -> Iterator[re.Pattern[str]]:
    """As tests say those where a view of the module answers, one named after a page that the module
    is a part of, or the admin of a model."""
    source = PROJECT / f"{module.replace('.', '/')}.py"
    for model in ADMIN.findall(source.read_text() if source.exists() else ""):
        yield re.compile(rf"admin[:/]\w+[_/]{model.lower()}[_/]")
    pages, left = set[str](), [module]
    while left:
        page = left.pop()
        if page.startswith(PAGES) and page not in pages:
            pages.add(page)
            left += users_of(page)
    for path, text in texts("*urls.py").items():
        named = come_from(dotted(path))
        for route, view, function, name in VIEW.findall(text):
            views = named.get(view, set())
            if views & {module, *pages} or any(function in users_in(each, pages) for each in views):
                said = re.sub(r"<.*?>", r"[^/\"]+", route.replace(".", r"\."))
                yield re.compile(rf'"/{said or name}["?#]|reverse\("{name}"')


@cache
def parsed(module: str) -> ast.Module:
    """Empty where it is gone, or is a package."""
    source = PROJECT / f"{module.replace('.', '/')}.py"
    return ast.parse(source.read_text() if source.exists() else "")


def come_from(module: str) -> dict[str, set[str]]:
    """By each name that it imports: the modules that may be meant."""
    return {
        alias.asname or alias.name: {node.module, f"{node.module}.{alias.name}"}
        for node in ast.walk(parsed(module))
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


@cache
def uses(module: str) -> dict[str, tuple[set[str], set[str]]]:
    """By each function of the module: the names it says, and the modules that they come from."""
    imported = come_from(module)
    said = {
        node.name: {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        for node in parsed(module).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    return {
        name: (names, set().union(*(imported.get(each, set()) for each in names)))
        for name, names in said.items()
    }


def users_in(module: str, pages: set[str]) -> set[str]:
    """The functions of a module that use one of these pages, by another one too."""
    found = {name for name, (_, modules) in uses(module).items() if modules & pages}
    while more := {name for name, (names, _) in uses(module).items() if names & found} - found:
        found |= more
    return found


def tests_of_template(template: str) -> Iterator[str]:
    """Views name templates, and the tests are those of their pages, or of the room that makes
    them."""
    graph = imports()
    for module in set(modules_with(template, set())):
        yield from tests_of_room(room_of(module), FILES)
        for page in {module, *graph.find_modules_directly_imported_by(module)}:
            if page.startswith(PAGES):
                yield from tests_of_page(page)
            elif "." in room_of(page):
                yield from tests_of_room(room_of(page), FILES)


def tests_of_page(module: str) -> Iterator[str]:
    package, _, name = module.rpartition(".")
    test = f"tests/{package.replace('.', '/')}/test_{name}.py"
    yield from (test, *naming(module, "tests/*.py"))


def modules_with(template: str, seen: set[str]) -> Iterator[str]:
    """That name it, or a template that extends or includes it."""
    if template in seen:
        return
    seen.add(template)
    yield from (dotted(path) for top in PACKAGES for path in naming(template, f"{top}/*.py"))
    for path in naming(template, "templates/*.html"):
        yield from modules_with(path.removeprefix("templates/"), seen)


# --- tests ----------------------------------------------------------------------------------------


def tests_of_test(path: str, seen: set[str]) -> Iterator[str]:
    """Itself, or the tests that import it and what it is imported by."""
    if path in seen:
        return
    seen.add(path)
    if Path(path).name == "conftest.py":
        yield from (name for name in texts("tests/*.py") if name.startswith(str(Path(path).parent)))
    elif Path(path).name.startswith("test_"):
        yield path
    else:
        package, _, stem = dotted(path).rpartition(".")
        line = re.compile(rf"from {package} import [^\n]*\b{stem}\b")
        importing = [name for name, text in texts("tests/*.py").items() if line.search(text)]
        for name in {*naming(dotted(path), "tests/*.py"), *importing}:
            yield from tests_of_test(name, seen)


def tests_of_file(path: str) -> Iterator[str]:
    if path.startswith("tests/") and path.endswith(".py"):
        yield from tests_of_test(path, set())
    elif path.endswith(".py") and path.partition("/")[0] in PACKAGES:
        yield from tests_of_module(dotted(path))
        yield JOURNEYS
        source = PROJECT / path
        if source.exists() and WHO_MAY.search(source.read_text()):
            yield PERMISSIONS
    elif path.startswith("examples/"):
        yield from naming(".".join(path.split("/")[:2]), "tests/*.py")
    elif path.startswith("templates/"):
        yield JOURNEYS
        yield from tests_of_template(path.removeprefix("templates/"))
        if ALLAUTH.match(path):
            yield from tests_of_room("leaderboard.people.accounts", FILES)
    elif path.endswith(".md") or path == "mkdocs.yml" or path.startswith(".github/"):
        yield DOCUMENTS
    elif path.startswith("static/"):
        yield JOURNEYS
        for template in naming(path.removeprefix("static/"), "templates/*.html"):
            yield from tests_of_template(template.removeprefix("templates/"))
    yield from naming(Path(path).name, "tests/*.py")


def tests_of(changed: Iterable[str]) -> list[str]:
    found: set[str] = set()
    for path in changed:
        named = () if SEEN_BY_ALL.search(path) else tests_of_file(path)
        asked = {test for test in named if Path(test).name.startswith("test_")}
        if not asked:
            print(f"{path} may be seen by any test: all are asked", flush=True)
            return EVERYTHING
        found |= {test for test in asked if (PROJECT / test).exists()}
    return sorted(found)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--since", default="main")
    parser.add_argument("--list", action="store_true", help="name the tests, and run none")
    asked = parser.parse_args()
    try:
        changed = changed_files(asked.since)
    except subprocess.CalledProcessError as error:
        print(f"{error.stderr}SINCE names no commit: {asked.since}", file=sys.stderr)
        return 2
    tests = tests_of(changed)
    count = "all" if tests == EVERYTHING else len(tests)
    print(f"{len(changed)} files changed since {asked.since}, {count} files of tests", flush=True)
    if asked.list or not tests:
        print(*tests, sep="\n")
        return 0
    command = [sys.executable, "-m", "pytest", "-q", "-n", WORKERS, "--dist", "loadfile"]
    command += ["-m", QUICK, *tests]
    return subprocess.run(command, cwd=PROJECT).returncode


if __name__ == "__main__":
    sys.exit(main())
