"""What a visitor of the demo meets first on each kind of page, in Chromium on a slow processor.

    python -m bench.pages.screens

Files are compressed as a site sends them. Goals: 120 kB for the home page and a board, a layout
shift of at most 0.01.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from leaderboard.operations.processes.supervisor import free_port
from tests.browser.conftest import CHROMIUM, FLAGS
from tests.browser.crawl import kinds_of_pages
from tests.site import PROJECT, START_SECONDS, STOP_SECONDS, Site, answers, running_site

SLOWER = 4  # a telephone of the middle class beside this machine, as Lighthouse takes it
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 360, "height": 740}
SETTLED_MS = 500  # what shifts or paints after the last file of a page does so by then
OBSERVE = """
    window.seen = {shift: 0, paint: 0};
    const observe = (type, then) => new PerformanceObserver(
        (list) => list.getEntries().forEach(then)).observe({type, buffered: true});
    observe('layout-shift', (entry) => { seen.shift += entry.value; });
    observe('largest-contentful-paint', (entry) => { seen.paint = entry.startTime; });
"""
FIRST_SCREEN = """() => {
    const isSeen = (box) => box.width > 1 && box.height > 1 && box.top < innerHeight
        && box.bottom > 0 && box.left < innerWidth && box.right > 0;
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let words = 0;
    const sizes = new Set(), range = document.createRange();
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        range.selectNodeContents(text);
        const parent = text.parentElement;
        const isShown = parent.checkVisibility({visibilityProperty: true});
        if (!text.data.trim() || !isShown || !isSeen(range.getBoundingClientRect())) continue;
        words += text.data.trim().split(/\\s+/).length;
        if (!parent.closest('svg')) sizes.add(getComputedStyle(parent).fontSize);
    }
    const links = [...document.querySelectorAll('a')]
        .filter((a) => a.checkVisibility() && isSeen(a.getBoundingClientRect())).length;
    return {words, links, sizes: sizes.size};
}"""
HEIGHT = "document.documentElement.scrollHeight"


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """kb: sent for the page and all it loads, without a cache; shift: cumulative layout shift;
    paint: ms to the largest paint; height, narrow: of the whole page, px at 1280 and 360; words,
    links and sizes of type: within the first 1280 by 900 px, charts' own sizes left out."""

    name: str
    kb: float
    requests: int
    shift: float
    paint: float
    height: int
    narrow: int
    words: int
    links: int
    sizes: int


@contextmanager
def slow_page(browser: Browser) -> Iterator[tuple[Page, list[float]]]:
    """A page without a cache, and the bytes of each file that it was sent."""
    context = browser.new_context(viewport=WIDE)  # type: ignore[arg-type]
    page = context.new_page()
    tools, sent = context.new_cdp_session(page), []
    tools.send("Network.enable")
    tools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    tools.on("Network.loadingFinished", lambda event: sent.append(event["encodedDataLength"]))
    page.add_init_script(OBSERVE)
    yield page, sent
    context.close()


def first_screen(browser: Browser, name: str, address: str) -> FirstScreen:
    with slow_page(browser) as (page, sent):
        page.goto(address, wait_until="networkidle")
        page.wait_for_timeout(SETTLED_MS)
        seen, there = page.evaluate("seen"), page.evaluate(FIRST_SCREEN)
        kb, requests, height = sum(sent) / 1000, len(sent), page.evaluate(HEIGHT)
        page.set_viewport_size(NARROW)  # type: ignore[arg-type]
        narrow = page.evaluate(HEIGHT)
    return FirstScreen(name, kb, requests, **seen, height=height, narrow=narrow, **there)


@contextmanager
def served_compressed(site: Site, port: int) -> Iterator[str]:
    """The address of the same site from a web server that compressed its files, as the demo does
    not. Raises TimeoutError where it does not answer."""
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    serving = subprocess.Popen(
        command, cwd=PROJECT, env=dict(site.environment), stdout=subprocess.DEVNULL
    )
    address, end = f"http://127.0.0.1:{port}", time.monotonic() + START_SECONDS
    try:
        while not answers(address):
            if serving.poll() is not None or time.monotonic() > end:
                raise TimeoutError(f"{address} does not answer")
            time.sleep(0.3)
        yield address
    finally:
        serving.terminate()
        serving.wait(STOP_SECONDS)


def table(found: Sequence[FirstScreen]) -> str:
    lines = [
        f"{'page':28} {'kB':>6} {'files':>5} {'shift':>6} {'paint ms':>8} {'px 1280':>8} "
        f"{'px 360':>7} {'words':>5} {'links':>5} {'sizes':>5}"
    ]
    lines += [
        f"{one.name:28} {one.kb:6.1f} {one.requests:5} {one.shift:6.3f} {one.paint:8.0f} "
        f"{one.height:8,} {one.narrow:7,} {one.words:5} {one.links:5} {one.sizes:5}"
        for one in found
    ]
    return "\n".join(lines)


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="assay-screens-") as folder,
        running_site(Path(folder), is_small=True, VISITOR_SHARE="0") as site,
        served_compressed(site, free_port()) as home,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        pages = kinds_of_pages(home, browser.new_context().request)
        before = os.getloadavg()[0]
        found = [first_screen(browser, name, address) for name, address in pages.items()]
        print(f"load {before:.1f} before, {os.getloadavg()[0]:.1f} after")
        print(table(found))


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    django.setup()  # kinds of pages are told by the patterns of addresses
    main()
