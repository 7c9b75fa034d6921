"""What the documents say of the repository is there: links, decisions, and a map one can read."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DECISIONS = ROOT / "docs" / "decisions"
MAP_LINES = 150
"""A map longer than a few screens is read by nobody; what grows is the decisions, one file each."""

_DOCUMENTS = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "deploy").glob("*.md"),
]
_LINK = re.compile(r"\]\(([^()\s#]+)(?:#[^()\s]*)?\)")
_OPENING = re.compile(
    r"# (\d{4}) (\S[^\n]*[^\n.])\n\nDecided (\d{4}-\d\d-\d\d)\.( [^\n]+)?\n\n(?=\S)"
)


def _decisions() -> list[Path]:
    return sorted(path for path in DECISIONS.glob("*.md") if path.name != "README.md")


def test_map_can_be_read_at_one_sitting():
    assert len((ROOT / "ARCHITECTURE.md").read_text().splitlines()) <= MAP_LINES


@pytest.mark.parametrize("path", _DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_of_a_document_lead_somewhere(path):
    targets = [link for link in _LINK.findall(path.read_text()) if "://" not in link]

    missing = [link for link in targets if not (path.parent / link).exists()]

    assert missing == []


@pytest.mark.parametrize("path", _decisions(), ids=lambda path: path.stem)
def test_decision_opens_with_its_number_title_and_day(path):
    opening = _OPENING.match(path.read_text())

    assert opening is not None, "opens with '# NNNN Title', an empty line, 'Decided YYYY-MM-DD.'"
    assert re.fullmatch(rf"{opening[1]}-[a-z0-9]+(-[a-z0-9]+)*\.md", path.name)


def test_no_two_decisions_share_a_number():
    numbers = [path.name[:4] for path in _decisions()]

    assert sorted(set(numbers)) == sorted(numbers)


def test_index_names_every_decision_once_by_its_title():
    titles = {
        path.name: path.read_text().splitlines()[0][len("# 0000 ") :] for path in _decisions()
    }

    lines = re.findall(
        r"^- \[(\d{4})\]\((\S+)\) (.+)$", (DECISIONS / "README.md").read_text(), re.M
    )

    assert sorted(lines) == sorted((name[:4], name, title) for name, title in titles.items())
