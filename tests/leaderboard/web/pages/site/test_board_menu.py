"""The menu of boards in the header: which boards it has, and what it costs."""

from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from benchmarks.models import Benchmark, Release
from leaderboard.web.pages.site import board_menu
from leaderboard.web.pages.site.board_menu import read_boards
from tests.conftest import import_spelling
from tests.leaderboard.web.pages.shown_text import links, page_at

PERIOD = 60
OTHERS = ("Models", "Compare", "Judges", "How it works")


@pytest.fixture
def clock(settings, monkeypatch, db):
    """The menu is read, and `clock.now` is when."""
    settings.BOARD_MENU_SECONDS = PERIOD
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(board_menu, "time", SimpleNamespace(monotonic=lambda: clock.now))
    read_boards.cache_clear()
    yield clock
    read_boards.cache_clear()


def opened(slug, title, state="open"):
    benchmark = Benchmark.objects.create(slug=slug, title=title)
    Release.objects.create(
        benchmark=benchmark, slug=slug, title=title, state=state, question_count=1
    )


def menu(client, address="/models/"):
    (nav,) = page_at(client, address).xpath("//header//nav[@aria-label='Site']")
    return nav


def test_every_board_that_is_no_draft_stands_in_the_menu_in_the_order_of_the_home_page(
    clock, client
):
    import_spelling()
    opened("tiny_lvlm_ehub_ability", "Ability", state="retired")
    opened("tiny_lvlm_ehub", "EHub")
    opened("touchstone", "TouchStone", state="draft")
    nav = menu(client, "/boards/spelling/")
    assert list(links(nav)) == ["EHub", "Spelling", "Ability", *OTHERS]
    (box,) = nav.xpath(".//details[summary='Boards']/div")
    assert list(links(box).values()) == [
        "/boards/tiny_lvlm_ehub/",
        "/boards/spelling/",
        "/boards/tiny_lvlm_ehub_ability/",
    ]
    assert box.xpath("./a[@aria-current]/@href") == ["/boards/spelling/"]
    assert menu(client).xpath(".//details//a[@aria-current]") == []


def test_the_menu_is_read_once_a_minute_by_each_process(clock, client):
    import_spelling()
    with CaptureQueriesContext(connection) as first:
        menu(client)
    with CaptureQueriesContext(connection) as second:
        menu(client)
    assert len(first) - len(second) == 1
    opened("touchstone", "TouchStone")
    clock.now = PERIOD - 1
    assert "TouchStone" not in links(menu(client))
    clock.now = PERIOD
    assert "TouchStone" in links(menu(client))


def test_without_a_board_or_a_database_the_header_leads_to_the_home_page(
    clock, client, monkeypatch
):
    assert links(menu(client))["Boards"] == "/#boards"

    def fails(period):
        raise DatabaseError

    monkeypatch.setattr(board_menu, "read_boards", fails)
    clock.now = PERIOD
    assert links(menu(client))["Boards"] == "/#boards"


def test_what_is_ones_own_and_what_is_staffs_stand_in_the_account_menu(client, db):
    client.force_login(User.objects.create_superuser("ada", "ada@example.org"))
    (box,) = page_at(client, "/models/").xpath("//details[summary='Account']/div")
    assert list(links(box)) == ["My entries", "Notices", "Settings", "Admin", "Design", "Sign out"]
    client.force_login(User.objects.create_user("rosa", "rosa@example.org"))
    (box,) = page_at(client, "/models/").xpath("//details[summary='Account']/div")
    assert {"Admin", "Design"}.isdisjoint(links(box))
