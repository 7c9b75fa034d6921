"""What docs/wording.md says is not said stands in no template and in no message of the code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "docs" / "wording.md").read_text()
PHRASES = re.findall(r"^- (.+)$", GUIDE.partition("## Do not use")[2], re.MULTILINE)
APPS = ("benchmarks", "judging", "leaderboard")
NOT_SEEN = re.compile(
    r"\{% comment.*?endcomment %\}|\{#.*?#\}|\{\{.*?\}\}|\{%.*?%\}|<[^>]*>", re.DOTALL
)
MAY_SAY: dict[str, tuple[str, ...]] = {
    "templates/boards/board.html": ("whoever runs",),
    "leaderboard/web/board/cells.py": ("told apart",),
    "leaderboard/web/board/comparison.py": ("told apart", "tell them apart"),
    "leaderboard/web/board/tables.py": ("told apart",),
    "leaderboard/web/exports.py": ("handed in",),  # a column that scripts of others read
}
"""By a file below the root, what it may say all the same."""


def messages_of(source: str) -> Iterator[str]:
    """Every text of a module but docstrings; in place of a value that is filled in "…"."""
    tree = ast.parse(source)
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
            parts = (p.value if isinstance(p, ast.Constant) else "…" for p in node.values)
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and id(node) not in skipped:
            yield str(node.value)


def texts_of(path: Path) -> Iterator[str]:
    source = path.read_text()
    found = messages_of(source) if path.suffix == ".py" else [NOT_SEEN.sub(" ", source)]
    return (" ".join(text.split()) for text in found)


def said_in(text: str) -> set[str]:
    return {phrase for phrase in PHRASES if re.search(rf"\b{re.escape(phrase)}\b", text, re.I)}


def files() -> list[Path]:
    templates = [path for path in (ROOT / "templates").rglob("*") if path.is_file()]
    modules = [path for app in APPS for path in (ROOT / app).rglob("*.py")]
    return templates + [path for path in modules if "migrations" not in path.parts]


def test_nothing_says_what_the_guide_says_is_not_said():
    found = {
        name: sorted(said)
        for path in files()
        if (
            said := {phrase for text in texts_of(path) for phrase in said_in(text)}
            - set(MAY_SAY.get(name := path.relative_to(ROOT).as_posix(), ()))
        )
    }
    assert found == {}


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ('"""Not told apart."""\nx = "Told " "apart."', {"told apart"}),
        ('def f(n):\n    return f"{n} goes on by itself"', {"goes on by itself"}),
        ('"""Nothing is here."""', set()),
    ],
)
def test_messages_are_read_and_docstrings_are_not(source, said):
    assert {phrase for text in messages_of(source) for phrase in said_in(text)} == said


def test_the_guide_is_short_and_names_phrases():
    assert len(PHRASES) > 10
    assert len(GUIDE.splitlines()) <= 60
