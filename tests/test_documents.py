"""What the documents say of the repository is there: links, decisions, and a map one can read."""

import re
import tomllib
from pathlib import Path

import grimp
import pytest
import yaml

ROOT = Path(__file__).parents[1]
DECISIONS = ROOT / "docs" / "decisions"
MAP_LINES = 120
"""A map longer than a few screens is read by nobody."""
README_LINES = 90
MOST_DECISIONS = 30
"""More are read by nobody either: what is smaller is a comment beside its line."""

_DOCUMENTS = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
]
_FAMILIES = ROOT / "benchmarks" / "protocols"
_UNNAMED = {"migrations", "management", "commands", "templatetags", "bundled", "prompts"}
"""Folders that Django names, or that every benchmark has alike: no map needs them."""

_BY_SUBJECT = [ROOT / "leaderboard/web/pages", ROOT / "judging/desk"]
"""Their folders are named after subjects, as the map says."""

_APPS_AND_TESTS = [ROOT / name for name in ("benchmarks", "judging", "leaderboard", "tests")]

_LINK = re.compile(r"\]\(([^()\s#]+)(?:#[^()\s]*)?\)")
_OPENING = re.compile(
    r"# (\d{4}) (\S[^\n]*[^\n.])\n\nDecided (\d{4}-\d\d-\d\d)\.( [^\n]+)?\n\n(?=\S)"
)


def _decisions() -> list[Path]:
    return sorted(path for path in DECISIONS.glob("*.md") if path.name != "README.md")


def test_map_and_readme_can_be_read_at_one_sitting():
    assert len((ROOT / "ARCHITECTURE.md").read_text().splitlines()) <= MAP_LINES
    assert len((ROOT / "README.md").read_text().splitlines()) <= README_LINES


def _named_in_the_map() -> list[str]:
    return re.findall(r"`([\w/]+/|\w+\.(?:py|html|toml))`", (ROOT / "ARCHITECTURE.md").read_text())


def test_map_names_no_room_that_is_not_there():
    rooms = [name for name in _named_in_the_map() if name.endswith("/")]

    assert len(rooms) > 20
    assert [room for room in rooms if not (ROOT / room).is_dir()] == []


def test_map_names_every_room():
    packages = {
        path.parent
        for app in ("benchmarks", "judging", "leaderboard")
        for path in (ROOT / app).rglob("__init__.py")
        if not _UNNAMED & set(path.relative_to(ROOT).parts) and path.parents[1] not in _BY_SUBJECT
    }
    families = {path.parent for path in _FAMILIES.glob("*/scoring.py")}
    text = (ROOT / "ARCHITECTURE.md").read_text()

    rooms = [f"{path.relative_to(ROOT).as_posix()}/" for path in packages - families]

    assert sorted(room for room in rooms if room not in text) == []


def test_every_room_of_the_drawing_imports_only_rooms_below_it():
    drawn = re.findall(r"^(\w+/\w+)/  ", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE)
    rooms = [name.replace("/", ".") for name in drawn]
    graph = grimp.build_graph(
        "benchmarks", "judging", "leaderboard", exclude_type_checking_imports=True, cache_dir=None
    )
    upward = [
        f"{lower} imports {upper}"
        for place, lower in enumerate(rooms)
        for upper in rooms[:place]
        if graph.find_shortest_chains(lower, upper, as_packages=True)
    ]

    assert len(rooms) > 12
    assert upward == []


def test_files_of_the_map_stand_in_the_rooms_it_names_before_them():
    room, missing = ROOT, []
    for name in _named_in_the_map():
        if name.endswith("/"):
            room = ROOT / name
        elif not any((folder / name).exists() for folder in (room, *_APPS_AND_TESTS)):
            missing.append(name)

    assert missing == []


def test_tests_that_the_fault_matrix_names_are_there():
    text = (ROOT / "docs/developer/fault_matrix.md").read_text()
    file, missing = "", []
    for named, test in re.findall(r"([a-z_/]+\.py)?::(test_\w+)", text):
        file = named or file
        path = ROOT / "tests" / file
        if not path.exists() or f"def {test}(" not in path.read_text():
            missing.append(f"{file}::{test}")

    assert missing == []


@pytest.mark.parametrize("path", _DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_of_a_document_lead_somewhere(path):
    targets = [link for link in _LINK.findall(path.read_text()) if "://" not in link]

    missing = [link for link in targets if not (path.parent / link).exists()]

    assert missing == []


@pytest.mark.parametrize("path", _decisions(), ids=lambda path: path.stem)
def test_decision_opens_with_its_number_title_and_day(path):
    opening = _OPENING.match(path.read_text())

    assert opening is not None, "opens with '# NNNN Title', an empty line, 'Decided YYYY-MM-DD.'"
    headings = re.findall(r"^#+ .+$", path.read_text(), re.MULTILINE)[1:]
    assert headings == ["## Context", "## Decision", "## Consequences"]
    assert re.fullmatch(rf"{opening[1]}-[a-z0-9]+(-[a-z0-9]+)*\.md", path.name)


def test_decisions_are_few_and_no_two_share_a_number():
    numbers = [path.name[:4] for path in _decisions()]

    assert sorted(set(numbers)) == sorted(numbers)
    assert len(numbers) <= MOST_DECISIONS


def test_index_names_every_decision_once_by_its_title():
    titles = {
        path.name: path.read_text().splitlines()[0][len("# 0000 ") :] for path in _decisions()
    }

    lines = re.findall(
        r"^- \[(\d{4})\]\((\S+)\) (.+)$", (DECISIONS / "README.md").read_text(), re.M
    )

    assert sorted(lines) == sorted((name[:4], name, title) for name, title in titles.items())


def test_make_help_lists_every_command():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = set(re.findall(r"^([a-z-]+):", text, re.MULTILINE))
    told = set(re.findall(r"^([a-z-]+):.* ## \S", text, re.MULTILINE))
    assert {"lint", "types", "imports", "test"} <= commands
    assert commands - told == set()


# --- what the repository promises elsewhere -------------------------------------------------------


def test_every_page_is_in_the_contents_of_its_guide():
    for folder in ("visitor", "annotator", "operator", "developer"):
        guide = ROOT / "docs" / folder
        named = set(_LINK.findall((guide / "index.md").read_text()))
        assert {path.name for path in guide.glob("*.md")} - named == {"index.md"}


def test_the_workflow_runs_ci_on_every_python_that_is_promised():
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    job = yaml.safe_load(text)["jobs"]["check"]
    pythons = job["strategy"]["matrix"]["python"]
    makefile = (ROOT / "Makefile").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert re.findall(r"^PYTHONS := (.+)$", makefile, re.MULTILINE) == [" ".join(pythons)]
    assert project["requires-python"] == f">={pythons[0]}"
    assert job["steps"][-1]["run"] == ".ci/run"
