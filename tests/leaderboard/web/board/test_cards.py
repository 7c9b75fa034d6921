"""Rows of a board as the cards of a phone, drawn by a browser."""

from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS
from tests.leaderboard.web.board.many import many
from tests.leaderboard.web.board.shown import page_of

pytestmark = pytest.mark.browser

STYLES = ("tokens", "site", "charts", "board")
TOUCHING = """() => [...document.querySelectorAll('label.more')].filter((label) => {
    const top = label.getBoundingClientRect().top;
    const cells = [...label.closest('tr').querySelectorAll('td')];
    return cells.some((cell) => cell.getBoundingClientRect().bottom > top);
}).length"""


@pytest.fixture
def cards():
    """Six entries in a table of figures and bars, 360 pixels wide; the last is a baseline."""
    if not CHROMIUM.exists():
        pytest.skip("no /usr/bin/chromium; `deploy/install_debian.sh browser` installs it")
    page = page_of(many("hallusionbench", 6), table="diagnosis")
    folder = Path(settings.BASE_DIR) / "static" / "css"
    styles = "".join((folder / f"{name}.css").read_text() for name in STYLES)
    rows = "".join(page.rows.values())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        shown = browser.new_page(viewport={"width": 360, "height": 900})
        shown.set_content(
            f"<style>{styles}</style><table class='ledger board'><tbody>{rows}</tbody></table>"
        )
        yield shown
        browser.close()


def test_the_box_for_all_figures_has_a_line_of_its_own(cards):
    assert cards.locator("label.more").count() == 5
    assert cards.evaluate(TOUCHING) == 0


def test_bars_stand_on_a_card_before_its_box_is_ticked(cards):
    row = cards.locator("tbody tr").first
    assert row.locator("td.bar").count()
    assert all(bar.is_visible() for bar in row.locator("td.bar").all())
    figures = row.locator("td:has(b)")
    assert not all(cell.is_visible() for cell in figures.all())
    row.locator("label.more").click()
    assert all(cell.is_visible() for cell in figures.all())
