"""A whole site as `make demo` starts it, in a folder of its own, and a browser to visit it."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

PROJECT = Path(__file__).resolve().parents[2]
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
).split()
START_SECONDS = 90


@dataclass(frozen=True)
class Site:
    url: str
    email: str
    password: str


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    log = folder / "log.txt"
    env = {k: v for k, v in os.environ.items() if k not in ("DJANGO_SETTINGS_MODULE", "BROKER_URL", "DATABASE_URL")}
    env |= {"VAR_DIR": str(folder / "var"), "SECRET_KEY": "browser-tests-only-key-that-protects-nothing"}
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "demo"], cwd=PROJECT, env=env, stdout=out, stderr=out, start_new_session=True
        )
        try:
            yield wait_for_site(process, log)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=20)


def wait_for_site(process: "subprocess.Popen[bytes]", log: Path) -> Site:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        text = log.read_text()
        url = re.search(r"http://127\.0\.0\.1:\d+/", text)
        account = re.search(r"account (researcher@\S+)\s+password (\S+)", text)
        if url and account and answers(url[0]):
            return Site(url[0], account[1], account[2])
        time.sleep(0.3)
    raise AssertionError(f"the demo did not start:\n{log.read_text()}")


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


@pytest.fixture
def page() -> Iterator[Page]:
    if not CHROMIUM.exists():
        pytest.skip("no /usr/bin/chromium; `deploy/install_debian.sh browser` installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        shown = browser.new_page(viewport={"width": 1280, "height": 900})
        complaints: list[str] = []
        shown.on("pageerror", lambda error: complaints.append(str(error)))
        shown.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        yield shown
        browser.close()
        assert complaints == []
