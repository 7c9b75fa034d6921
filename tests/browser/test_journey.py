"""A reader's way through the site: who leads, by what, on which question, and whether the numbers
hold without us. By mouse, by keys alone, and without scripts."""

import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import (
    PLACED_SECONDS,
    Keys,
    Mouse,
    answer_file,
    open_board_with,
    publish_and_wait,
    upload,
)
from tests.site import Site

pytestmark = pytest.mark.browser
SETTLED_SECONDS = 60
PRINTED_WIDTH = 1046
"""CSS pixels of a line on A4 across, where the margins are those of Chromium: 297 mm, 96 pixels to
25.4 mm, less 0.4 inch to each side."""
SHRUNK_WIDTH = 1077
"""CSS pixels of a line on A4 upright: 718, and half as many again, for Chromium prints a page that
is wider than the sheet so much smaller."""
FIGURES = """() => [...document.querySelectorAll('table.board tbody tr')].map(
    (row) => row.innerText.replace(/\\s+/g, ' ').trim())"""
CUT_OFF = """(width) => [...document.querySelectorAll(':is(th, td)')]
    .filter((cell) => cell.checkVisibility({contentVisibilityAuto: true}))
    .filter((cell) => {
        const clip = cell.closest('.scroll');
        if (clip && getComputedStyle(clip).overflowX !== 'visible') return true;
        const box = cell.getBoundingClientRect();
        return box.width && (box.right > width + 1 || box.left < -1
            || cell.scrollWidth > cell.clientWidth + 1
                && getComputedStyle(cell).overflowX !== 'visible');
    })
    .map((cell) => cell.outerHTML.slice(0, 120))"""
HIDDEN = """() => [...document.querySelectorAll('table.board :is(th, td):not(.choose)')]
    .filter((cell) => cell.textContent.trim() && !cell.getBoundingClientRect().width)
    .map((cell) => cell.outerHTML.slice(0, 120))"""
Hand = Mouse | Keys


def read_on(page: Page, site: Site, hand: Hand, question: int) -> None:
    """From the home page to a question, of which a problem is reported, and back to its board.

    question: its place in the list of those won; nobody reports the same one twice.
    """
    page.goto(site.url)
    hand.follow(page.locator("#boards th").get_by_role("link", name="HallusionBench", exact=True))
    page.wait_for_url("**/boards/hallusionbench/")
    everybody = page.locator("input[name=m]").count()
    hand.tick(page.locator("form.search [name=open]"))
    hand.follow(page.get_by_role("button", name="Find"))
    page.wait_for_url("**open=1**")
    ticks = page.locator("input[name=m]")
    assert 2 <= ticks.count() < everybody
    ranked = page.locator("table.board tbody").first.locator("th a")
    names = [ranked.nth(place).inner_text() for place in (0, 1)]
    hand.tick(ticks.nth(0))
    hand.tick(ticks.nth(1))
    hand.follow(page.get_by_role("button", name="Compare selected"))
    page.wait_for_url("**/compare/**")
    expect(page.get_by_role("heading", name=" and ".join(names), exact=True)).to_be_visible()
    assert page.locator("ul.compared .name a").all_inner_texts() == names
    hand.follow(page.locator("summary", has_text="Questions won and lost"))
    asked = page.locator("#questions ul.questions a").nth(question)
    words = asked.inner_text()
    hand.follow(asked)
    page.wait_for_url("**/questions/**")
    assert page.locator("h1").inner_text().startswith(words.removesuffix("…"))
    hand.follow(page.get_by_role("link", name="Report a problem with this question"))
    page.wait_for_url("**/accounts/login/**")
    hand.write(page.get_by_label("Email"), site.email)
    hand.write(page.get_by_label("Password", exact=True), site.password)
    hand.follow(page.locator("main form button[type=submit]").last)
    page.wait_for_url("**/report/")
    hand.choose_second(page.locator("[name=category]"))
    expect(page.locator("[name=category]").nth(1)).to_be_checked()
    hand.write(page.locator("[name=text]"), "Two of the answers could be meant.")
    hand.follow(page.get_by_role("button", name="Send the report"))
    expect(page.get_by_text("Staff will check your report")).to_be_visible()
    hand.follow(page.locator("main .eyebrow a"))
    page.wait_for_url("**/boards/hallusionbench/**")


def cite(page: Page, hand: Hand) -> str:
    """The address that is to be cited, opened from the board, which offers none while it is being
    stored."""
    end = time.monotonic() + PLACED_SECONDS
    while not page.locator("#cite").count() and time.monotonic() < end:
        page.wait_for_timeout(1000)
        page.reload()
    hand.follow(page.locator("#cite a"))
    page.wait_for_url("**snapshot=**")
    expect(page.locator("#as-of")).to_contain_text("As of")
    return page.url


def test_a_reader_comes_from_the_home_page_to_figures_that_stay(page, site, tmp_path):
    read_on(page, site, Mouse(page), question=0)
    cited = cite(page, Mouse(page))
    figures = page.evaluate(FIGURES)
    assert len(figures) > 10
    upload(page, site, "Cited After 1B", answer_file(tmp_path, no_to=9))
    publish_and_wait(page)
    open_board_with(page, site, "Cited After 1B")
    page.goto(cited)
    assert page.evaluate(FIGURES) == figures


def test_a_reader_comes_there_by_keys_alone_and_sees_where_they_are(page, site):
    keys = Keys(page)
    read_on(page, site, keys, question=1)
    about = page.locator("table.board thead [popovertarget]").first
    hint = page.locator(f"[id='{about.get_attribute('popovertarget')}']")
    keys.follow(about)
    expect(hint).to_be_visible()
    page.keyboard.press("Escape")
    expect(hint).to_be_hidden()
    page.reload()
    cite(page, keys)
    assert "\n".join(sorted(keys.unseen)) == ""


def test_a_reader_comes_there_without_scripts(page, site):
    context = page.context.browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    read_on(plain, site, Mouse(plain), question=2)
    cite(plain, Mouse(plain))
    context.close()


def download_evidence(page: Page, site: Site, file: Path) -> None:
    """As the board offers it. Workers put it together every hour, of a board that is settled: here
    that is done at once, which another test's upload may delay."""
    end = time.monotonic() + SETTLED_SECONDS
    while True:
        try:
            site.manage("export_evidence", "hallusionbench", "--download")
        except subprocess.CalledProcessError:
            assert time.monotonic() < end, "the board does not settle"
        page.goto(f"{site.url}boards/hallusionbench/")
        offered = page.locator("#evidence a[download]").get_attribute("href")
        reply = page.request.get(urljoin(page.url, offered))
        if reply.ok:
            file.write_bytes(reply.body())
            return
        assert time.monotonic() < end, reply.text()[:500]
        time.sleep(1)


def test_a_reader_computes_every_figure_without_the_site(page, site, tmp_path):
    archive, folder = tmp_path / "evidence.zip", tmp_path / "evidence"
    download_evidence(page, site, archive)
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)
    (program,) = folder.rglob("verify.py")
    checked = subprocess.run(
        [sys.executable, program.name],
        cwd=program.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert re.search(r"\d[\d,]* figures, 0 differing", checked.stdout)


@pytest.mark.parametrize("board", ["hallusionbench", "touchstone", "tiny_lvlm_ehub"])
def test_each_table_of_a_board_is_whole_on_paper(page, site, board):
    """That of subtasks by model, one of its charts, too: it has 27 columns, or 42."""
    page.set_viewport_size({"width": PRINTED_WIDTH, "height": 700})
    page.goto(f"{site.url}boards/{board}/")
    tables = [link.get_attribute("href") for link in page.locator(".tabs a").all()]
    found = []
    for table in tables or [""]:
        page.goto(f"{site.url}boards/{board}/{table}")
        heads = page.locator("table.board thead th:visible").count()
        rows = page.locator("table.board tbody tr").count()  # also those that are folded
        page.emulate_media(media="print")
        assert page.locator("table.board tbody tr:visible").count() == rows
        assert page.locator("table.board thead th:visible").count() >= heads - 1  # ticks are gone
        found += [f"{table}, cut off: {html}" for html in page.evaluate(CUT_OFF, PRINTED_WIDTH)]
        found += [f"{table}, hidden: {html}" for html in page.evaluate(HIDDEN)]
        page.emulate_media(media="screen")
    assert "\n".join(found) == ""


@pytest.mark.parametrize("address", ["judges/", "releases/"])
def test_tables_of_other_pages_are_printed_smaller_and_not_cut(page, site, address):
    page.set_viewport_size({"width": 718, "height": 1000})
    page.goto(f"{site.url}{address}")
    page.emulate_media(media="print")
    assert page.locator("table").count()
    assert "\n".join(page.evaluate(CUT_OFF, SHRUNK_WIDTH)) == ""
