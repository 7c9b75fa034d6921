"""The menus of the header: by keys, without scripts, and in one row with all else."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from benchmarks.models import Release
from leaderboard.web.pages.site.board_menu import read_boards
from tests.browser import looks
from tests.conftest import import_spelling

pytestmark = pytest.mark.browser
ONE_ROW = "document.querySelector('.site-header > div').getBoundingClientRect().height"
HIGHEST = 60
OVERLAPS = """() => {
    const bar = document.querySelector('.site-header > div');
    const width = (one) => one.getBoundingClientRect().width;
    return [...bar.querySelectorAll('a, summary, .brand svg')]
        .filter((one) => !one.closest('details > div'))
        .filter((one) => one.scrollWidth > Math.ceil(width(one))
            || (one.matches('svg') && width(one) < 20))
        .map((one) => one.outerHTML);
}"""
"""What of the header is narrower than its words, or its seal."""


@pytest.fixture
def release(committed, settings) -> Release:
    settings.BOARD_MENU_SECONDS = 60
    read_boards.cache_clear()
    return import_spelling()


@pytest.fixture
def session(committed, client) -> str:
    """Cookie of somebody of the staff."""
    client.force_login(User.objects.create_superuser("ada", "ada@example.org"))
    return str(client.cookies["sessionid"].value)


def test_the_menu_of_boards_opens_by_keys_and_closes_with_escape(release, live_server, page: Page):
    page.goto(f"{live_server.url}/models/")
    boards = page.locator("header summary", has_text="Boards")
    board = page.locator("header").get_by_role("link", name="Spelling")
    boards.focus()
    page.keyboard.press("Enter")
    expect(board).to_be_visible()
    found = [*looks.axe_in_both_themes(page), *looks.too_wide_or_small(page)]
    assert not found, found
    page.keyboard.press("Tab")
    expect(board).to_be_focused()
    page.keyboard.press("Escape")
    expect(board).to_be_hidden()
    expect(boards).to_be_focused()
    boards.click()
    page.locator("h1").click()
    expect(board).to_be_hidden()
    boards.click()
    board.click()
    page.wait_for_url("**/boards/spelling/")


def test_menus_work_without_scripts(release, live_server, page: Page):
    assert page.context.browser is not None
    plain = page.context.browser.new_page(java_script_enabled=False)
    plain.goto(f"{live_server.url}/models/")
    plain.locator("header summary", has_text="Boards").click()
    plain.locator("header").get_by_role("link", name="Spelling").click()
    plain.wait_for_url("**/boards/spelling/")
    plain.close()


def assert_one_row(page: Page) -> None:
    for width in (641, 768, 1024, 1101, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(ONE_ROW) <= HIGHEST, width
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(OVERLAPS) == [], width
        button = page.locator("header .submit")
        box = button.bounding_box()
        assert box is not None
        text = button.evaluate(
            "one => { const range = document.createRange(); range.selectNodeContents(one);"
            " const box = range.getBoundingClientRect(); return box.top + box.height / 2 }"
        )
        assert abs(text - (box["y"] + box["height"] / 2)) < 1, width


def test_on_a_phone_the_header_is_two_rows_whatever_is_unread(
    release, session, live_server, page: Page
):
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    for width in (320, 360, 640):
        page.set_viewport_size({"width": width, "height": 700})
        page.goto(f"{live_server.url}/models/")
        page.locator("header .account summary").evaluate(
            "one => one.insertAdjacentHTML('beforeend', ' <span class=count>128</span>')"
        )
        tops = page.evaluate(
            "['.brand', '.to-search', '.account', '.submit', 'nav'].map((name) => {"
            " const box = document.querySelector(`.site-header ${name}`).getBoundingClientRect();"
            " return Math.round(box.top + box.height / 2) })"
        )
        assert max(tops[:4]) - min(tops[:4]) <= 2, (width, tops)
        assert tops[4] > tops[0], (width, tops)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        parts = [page.locator(f".site-header {name}") for name in (".brand", ".to-search")]
        brand, search = (part.first.bounding_box() for part in parts)
        assert brand is not None
        assert search is not None
        assert brand["x"] + brand["width"] <= search["x"], width


def test_the_header_is_one_row_for_visitors_and_staff(release, session, live_server, page: Page):
    page.goto(f"{live_server.url}/models/")
    assert_one_row(page)
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page.reload()
    expect(page.locator("header summary", has_text="Account")).to_be_visible()
    assert_one_row(page)
