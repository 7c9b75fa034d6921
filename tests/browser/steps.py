"""What people do in more than one journey: sign in, hand in a file, and move by mouse or by keys
alone."""

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

from django.db import connection
from playwright.sync_api import Locator, Page, expect

from tests.site import PROJECT, Site

QUESTIONS = PROJECT / "benchmarks/bundled/hallusionbench/questions.json"
JUDGED_MILLISECONDS = 60_000
PLACED_SECONDS = 60
MOST_TABS = 400
"""Stops of the longest page of the demo, and as many again."""
FOCUSED = """(target) => {
    const one = document.activeElement;
    const style = getComputedStyle(one);
    const box = one.getBoundingClientRect();
    return {
        isThere: one === target,
        isSeen: one === document.body || one === document.documentElement
            || (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2
                && box.width > 0 && box.height > 0),
        html: one.outerHTML.slice(0, 160),
    };
}"""


def sign_in(page: Page, site: Site) -> None:
    page.goto(f"{site.url}accounts/login/")
    page.get_by_label("Email").fill(site.email)
    page.get_by_label("Password", exact=True).fill(site.password)
    page.locator("form button[type=submit]").last.click()
    page.wait_for_url("**/submissions/")


def answer_file(folder: Path, answers: int | None = None, *, no_to: int = 0) -> Path:
    """ "No" to the first `no_to` questions, "yes" to the rest. The board folds entries of equal
    answers under one row, so whoever looks for a row of its own takes another number."""
    rows = json.loads(QUESTIONS.read_text())[:answers]
    path = folder / "answers.jsonl"
    keys = ("category", "subcategory", "set_id", "figure_id", "question_id")
    lines = [
        {"id": "/".join(row[k] for k in keys), "prediction": "No." if place < no_to else "Yes."}
        for place, row in enumerate(rows)
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def upload(page: Page, site: Site, model: str, file: Path) -> None:
    page.goto(f"{site.url}submit/")
    page.locator("[name=release]").select_option("hallusionbench-mini")
    page.locator("[name=model_name]").fill(model)
    page.locator("input[name=file]").set_input_files(str(file))
    page.locator("form:has([name=file]) button[type=submit]").click()


def publish_and_wait(page: Page) -> None:
    """What was uploaded is confirmed as public, and judged."""
    confirm = page.locator("form[action$='/confirm/']")
    confirm.locator("[name=visibility][value=public]").check()
    confirm.locator("button[type=submit]").click()
    expect(page.get_by_text("Judged and scored.")).to_be_visible(timeout=JUDGED_MILLISECONDS)


def open_board_with(page: Page, site: Site, model: str) -> None:
    """HallusionBench's board, as soon as the next sweep has placed that model's entry."""
    entry = page.locator("table.board").get_by_role("link", name=model)
    end = time.monotonic() + PLACED_SECONDS
    page.goto(f"{site.url}boards/hallusionbench/")
    while not entry.count() and time.monotonic() < end:
        page.wait_for_timeout(1000)
        page.reload()
    expect(entry.first).to_be_visible()


def elsewhere(work: Callable[[], object]) -> None:
    """In a thread that may use the database."""
    failed: list[Exception] = []

    def run() -> None:
        try:
            work()
        except Exception as error:  # raised again where the test sees it
            failed.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


class Mouse:
    """Acts by clicks, which need no script."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def follow(self, target: Locator) -> None:
        target.click()

    def tick(self, target: Locator) -> None:
        target.check()

    def write(self, target: Locator, text: str) -> None:
        target.fill(text)

    def choose_second(self, radios: Locator) -> None:
        radios.nth(1).check()


class Keys:
    """Acts by Tab, Enter, the space bar, arrows and letters, and looks at each stop whether one
    sees where one is."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.unseen: set[str] = set()

    def reach(self, target: Locator) -> None:
        """Raises AssertionError where no number of tabs leads there."""
        wanted = target.element_handle()
        for _ in range(MOST_TABS):
            focused = self.page.evaluate(FOCUSED, wanted)
            if not focused["isSeen"]:
                self.unseen.add(f"{self.page.url}: {focused['html']}")
            if focused["isThere"]:
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{MOST_TABS} tabs do not lead to {target}")

    def follow(self, target: Locator) -> None:
        self.reach(target)
        self.page.keyboard.press("Enter")

    def tick(self, target: Locator) -> None:
        self.reach(target)
        self.page.keyboard.press("Space")

    def write(self, target: Locator, text: str) -> None:
        self.reach(target)
        self.page.keyboard.type(text)

    def choose_second(self, radios: Locator) -> None:
        self.reach(radios.first)
        self.page.keyboard.press("ArrowDown")
