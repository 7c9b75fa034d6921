"""Style sheets as a browser gets them: few, whole, and without what only sources need."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles.finders import FileSystemFinder
from django.core.files.storage import FileSystemStorage

from leaderboard.project.style_sheets import CompressedSheetsStorage, WholeSheetsStorage
from tests.site import PROJECT

SHEETS = sorted(path.name for path in (PROJECT / "static/css").glob("*.css"))
LINK = re.compile(r"""static ['"]css/([\w-]+\.css)['"]""")


@pytest.fixture
def sent(tmp_path: Path) -> dict[str, str]:
    """Each sheet as its page gets it, by the name that templates say."""
    storage = WholeSheetsStorage(location=str(tmp_path), base_url="/static/")
    source = FileSystemStorage(location=PROJECT / "static")
    names = [name for name, _ in FileSystemFinder().list(None) if name.startswith(("css", "fonts"))]
    list(storage.post_process({name: (source, name) for name in names}))
    return {name: (tmp_path / storage.stored_name(f"css/{name}")).read_text() for name in SHEETS}


def test_what_a_sheet_imports_is_part_of_it(sent: dict[str, str]) -> None:
    assert not [name for name, text in sent.items() if "@import" in text]
    for name, part in (
        ("site.css", "--paper:"),
        ("admin.css", "@font-face"),
        ("board.css", ".radar"),
    ):
        assert part in sent[name]


def test_a_font_is_found_from_where_it_is_named(sent: dict[str, str]) -> None:
    fonts = re.findall(r'url\("(.+?)"\)', sent["site.css"])
    assert fonts
    assert all(re.fullmatch(r"\.\./fonts/[\w-]+\.[0-9a-f]{12}\.woff2", font) for font in fonts)


def test_a_name_from_right_to_left_turns_nothing(sent: dict[str, str]) -> None:
    rules = re.findall(r"([^{}/]+){\s*unicode-bidi: plaintext;?\s*}", sent["site.css"])
    assert {"h1", "a", "b", "small"} == {one.strip() for one in rules[0].split(",")}


def test_a_link_large_enough_to_be_touched_is_so_on_every_page(sent: dict[str, str]) -> None:
    """Half of the sheets lacked the rule, and their pages use it."""
    assert re.search(r"\.target\s*{[^}]*min-height: 24px", sent["site.css"])
    assert not [name for name, text in sent.items() if name != "site.css" and "\n.target" in text]


def test_hosts_compress_whole_sheets_too() -> None:
    assert issubclass(CompressedSheetsStorage, WholeSheetsStorage)


def test_there_are_at_most_twenty_sheets_and_a_page_asks_for_at_most_two() -> None:
    assert len(SHEETS) <= 20
    for template in (PROJECT / "templates").rglob("*.html"):
        text = template.read_text()
        asked = LINK.findall(text)
        assert set(asked) <= set(SHEETS), template
        assert len(asked) <= (2 if "<!doctype" in text else 1), template
