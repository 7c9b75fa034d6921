"""Counts have separators wherever a page prints them."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from benchmarks.protocols.base import Problem
from leaderboard.templatetags.numbers import problems_found, thousands, time_ago
from leaderboard.web.pages.site import home
from tests.conftest import judged, submit

COUNTS = (
    "count|counts|total|entries|judgements|answers|calls|asked|judged|failed|pages|runs|replies"
)
BARE = re.compile(rf"\{{\{{ ([\w.]*\b(?:\w+_)?(?:{COUNTS})) \}}\}}")
PAGES = Path(settings.BASE_DIR, "templates")


def test_a_count_is_printed_as_boards_print_it():
    texts = {0: "0", 999: "999", 10_000: "10,000", "many": "many", 1_234_567: "1,234,567"}
    assert {count: str(thousands(count)) for count in texts} == texts
    assert str(thousands(True)) == "True"


def test_a_moment_of_the_last_minute_is_just_now(monkeypatch):
    now = datetime(2026, 3, 1, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: now)
    told = [time_ago(now - timedelta(seconds=seconds)) for seconds in (0, 59, 60)]
    assert told == ["just now", "just now", "1\xa0minute ago"]


def test_no_page_prints_a_bare_count():
    found = {
        f"{path.relative_to(PAGES)} {name}"
        for path in PAGES.rglob("*.html")
        if "admin" not in path.relative_to(PAGES).parts
        for name in BARE.findall(path.read_text())
    }
    assert found == set()


def test_the_home_page_counts_ten_thousand_entries_as_the_board_does(
    spelling, owner, client, monkeypatch
):
    judged(submit(spelling, owner, visibility="public"))
    card_of = home.card_of

    def ten_thousand(*found):
        card = card_of(*found)
        return {**card, "counts": replace(card["counts"], ranked=10_000)}

    monkeypatch.setattr(home, "card_of", ten_thousand)
    assert '<td class="number">10,000</td>' in client.get("/").content.decode()


def test_the_end_of_a_long_list_of_problems_is_not_counted_as_one():
    problems = [Problem("x", "Wrong.")] * 3
    assert problems_found(problems[:1]) == "1 problem found"
    assert problems_found(problems) == "3 problems found"
    assert problems_found([*problems, Problem("more", "And 9 more.")]) == (
        "more than 3 problems found"
    )
