"""Every kind of page of a running site: nothing for axe to find in either theme, nothing that is
wider than the screen, nothing too small to hit, no complaint of the browser."""

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.crawl import kinds_of_pages
from tests.browser.looks import AXE, LEAST_TARGET, OVERFLOW, SMALL, VIOLATIONS
from tests.site import Site

pytestmark = pytest.mark.browser

WIDTHS = (360, 768, 1280, 1920)


@pytest.fixture(scope="module")
def pages(site: Site, browser: Browser) -> dict[str, str]:
    return kinds_of_pages(site.url.rstrip("/"), browser.new_context().request)


def opened(browser: Browser, address: str, **settings: object) -> tuple[Page, list[str]]:
    page = browser.new_page(**settings)  # type: ignore[arg-type]
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
    page.goto(address, wait_until="load")
    return page, [text for text in complaints if "404" not in text]


def test_the_kinds_of_pages_are_found(pages):
    kinds = set(pages)
    assert {"home", "board touchstone", "board hallusionbench", "entry", "judge", "method"} <= kinds
    assert {"status", "account_login", "account_signup", "api-docs"} <= kinds


def test_axe_finds_nothing_in_either_theme(pages, browser):
    if not AXE.exists():
        pytest.skip("no axe-core; `make test-browser` installs it")
    found = []
    for kind, address in pages.items():
        for theme in ("light", "dark"):
            page, complaints = opened(
                browser, address, color_scheme=theme, viewport={"width": 1280, "height": 900}
            )
            page.evaluate(AXE.read_text())
            found += [f"{kind}, {theme}: {text}" for text in page.evaluate(VIOLATIONS)]
            found += [f"{kind}, {theme}: {text}" for text in complaints]
            page.close()
    assert "\n".join(found) == ""


def test_no_page_is_wider_than_its_screen(pages, browser):
    found = []
    for kind, address in pages.items():
        page, _ = opened(browser, address, viewport={"width": WIDTHS[0], "height": 900})
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            if (over := page.evaluate(OVERFLOW)) > 0:
                found.append(f"{kind} at {width}: {over} px")
        page.close()
    assert "\n".join(found) == ""


def test_what_is_to_be_hit_is_large_enough(pages, browser):
    found = []
    for kind, address in pages.items():
        page, _ = opened(browser, address, viewport={"width": 360, "height": 900})
        found += [f"{kind}: {html}" for html in page.evaluate(SMALL, LEAST_TARGET)]
        page.close()
    assert "\n".join(found) == ""


def test_every_page_is_whole_without_scripts(pages, browser):
    """Nothing waits for a script to be filled, and no button but one of a popover, which opens
    without one, is there for a script."""
    found = []
    context = browser.new_context(java_script_enabled=False)
    for kind, address in pages.items():
        page = context.new_page()
        page.goto(address)
        if page.locator("main h1").count() != 1:
            found.append(f"{kind}: no single heading")
        for button in page.locator("main button[type=button]:not([popovertarget]):visible").all():
            found.append(f"{kind}: {button.inner_text()} does nothing")
        page.close()
    context.close()
    assert "\n".join(found) == ""
