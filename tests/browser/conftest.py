"""A running site and a browser to visit it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.site import Site, running_site
from tests.smtp_server import MailServer, running_mail_server

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
EXPECTED = ("422 (Unprocessable", "410 (Gone)")
"""What a browser says of a refused file and of a tombstone; both pages are as they should be."""


@pytest.fixture(scope="session")
def mails() -> Iterator[MailServer]:
    with running_mail_server() as server:
        yield server


@pytest.fixture(scope="session")
def site(tmp_path_factory, mails) -> Iterator[Site]:
    """`mails` has what it sends. All who look here have one address, and more pages than a visitor
    has processor time for."""
    folder = tmp_path_factory.mktemp("site")
    with running_site(folder, EMAIL_URL=mails.url, VISITOR_SHARE="0") as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """For tests that open pages of their own."""
    if not CHROMIUM.exists():
        pytest.skip("no /usr/bin/chromium; `deploy/install_debian.sh browser` installs it")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)


@pytest.fixture
def page() -> Iterator[Page]:
    """A page that must end without a complaint of the browser, nor of what our policy forbids."""
    if not CHROMIUM.exists():
        pytest.skip("no /usr/bin/chromium; `deploy/install_debian.sh browser` installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        shown = browser.new_page(viewport={"width": 1280, "height": 900})
        complaints: list[str] = []
        shown.on("pageerror", lambda error: complaints.append(str(error)))
        shown.on(
            "console",
            lambda message: (
                complaints.append(f"{shown.url}: {message.text}")
                if message.type == "error"
                else None
            ),
        )
        yield shown
        browser.close()
        assert [text for text in complaints if not any(words in text for words in EXPECTED)] == []
