"""Counts have separators wherever a page prints them."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings

from leaderboard.pages import home
from leaderboard.templatetags.numbers import thousands

COUNTS = (
    "count|counts|total|entries|judgements|answers|calls|asked|judged|failed|pages|runs|replies"
)
BARE = re.compile(rf"\{{\{{ ([\w.]*\b(?:\w+_)?(?:{COUNTS})) \}}\}}")
PAGES = Path(settings.BASE_DIR, "templates")


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (999, "999"), (10_000, "10,000"), ("many", "many"), (True, "True")],
)
def test_a_count_is_printed_as_boards_print_it(count, text):
    assert str(thousands(count)) == text


def test_no_page_prints_a_bare_count():
    found = {
        f"{path.relative_to(PAGES)} {name}"
        for path in PAGES.rglob("*.html")
        if "admin" not in path.relative_to(PAGES).parts
        for name in BARE.findall(path.read_text())
    }
    assert found == set()


def test_the_home_page_counts_ten_thousand_entries_as_the_board_does(spelling, client, monkeypatch):
    card_of = home.card_of
    monkeypatch.setattr(home, "card_of", lambda found: replace(card_of(found), entry_count=10_000))
    assert "The whole board, 10,000 entries" in client.get("/").content.decode()
