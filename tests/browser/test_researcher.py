"""A researcher who has never seen the site: from a sign-up to a withdrawn entry, by what the pages
and mails say. Nothing of the way reloads a page by hand but where another site would be asked."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from urllib.parse import urljoin

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from playwright.sync_api import Page, expect

from tests.browser import looks
from tests.browser.steps import (
    JUDGED_MILLISECONDS,
    PLACED_SECONDS,
    QUESTIONS,
    Keys,
)
from tests.site import Site
from tests.smtp_server import MailServer

pytestmark = pytest.mark.browser

EMAIL, PASSWORD = "rosalind@lab.example", "seven grey herons at low tide"
MODEL = "Heron 3B"
REASON = "The prompt named the answer."
MAIL_SECONDS = 20
TELL = "from leaderboard.people.notices.each_minute import tell_and_mail; tell_and_mail()"
CODE_SECONDS = 30


@dataclass
class Way:
    """The browser of a researcher, the mails they get, and what must not be on any page they
    meet."""

    page: Page
    site: Site
    mails: MailServer
    found: list[str] = field(default_factory=list)

    def look(self, name: str) -> None:
        """At a page as it stands: it has one heading, and nothing for axe in either theme."""
        marked = [*looks.axe_in_both_themes(self.page), *looks.too_wide_or_small(self.page)]
        self.found += [f"{name}: {text}" for text in marked]
        expect(self.page.locator("main h1")).to_have_count(1)

    def mail(self, subject: str) -> str:
        """The text of the mail that has these words in its subject, as soon as it is there."""
        end = time.monotonic() + MAIL_SECONDS
        while time.monotonic() < end:
            for message in self.mails.to(EMAIL):
                if subject in " ".join(str(message["Subject"]).split()):
                    return text_of(message)
            self.page.wait_for_timeout(200)
        subjects = [str(message["Subject"]) for message in self.mails.to(EMAIL)]
        raise AssertionError(f"no mail about {subject!r}, only {subjects}")

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def follow(self, name: str) -> None:
        self.page.get_by_role("link", name=name, exact=True).first.click()


def text_of(message: Message) -> str:
    content = message.get_payload(decode=True)
    assert isinstance(content, bytes)
    return content.decode()


def link_of(text: str, part: str) -> str:
    found = re.search(rf"http://\S*{part}\S*", text)
    assert found, text
    return found[0]


def code_of(secret: str, *, later: int = 0) -> str:
    """What an authenticator app shows, or will `later` codes from now."""
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // CODE_SECONDS + later)))


# --- the files ------------------------------------------------------------------------------------


def rows_of_model(*, no_to: int = 0) -> list[dict[str, str]]:
    keys = ("category", "subcategory", "set_id", "figure_id", "question_id")
    questions = json.loads(QUESTIONS.read_text())
    return [
        {
            "id": "/".join(question[key] for key in keys),
            "prediction": "No, it is not." if place < no_to else "Yes, it is.",
        }
        for place, question in enumerate(questions)
    ]


def save(folder: Path, name: str, rows: list[dict[str, str]]) -> str:
    path = folder / name
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


def broken(folder: Path) -> tuple[str, list[str]]:
    """One id mistyped, one answer twice, one left out; and the ids of the questions without one."""
    rows = rows_of_model(no_to=15)
    mistyped, left_out = rows[2]["id"], rows[-1]["id"]
    rows[2]["id"] = f"{mistyped}x"
    rows[-1] = rows[6]
    return save(folder, "heron.jsonl", rows), [mistyped, left_out]


# --- the way --------------------------------------------------------------------------------------


def sign_up(way: Way) -> None:
    page = way.page
    page.goto(way.site.url)
    way.look("home")
    way.follow("Sign up")
    way.look("sign-up")
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    page.locator("main form button[type=submit]").click()
    expect(page.get_by_role("heading", name="Confirm your address")).to_be_visible()
    way.look("confirm your address")
    page.goto(link_of(way.mail("address"), "confirm-email"))
    way.look("the link in the email")
    page.locator("main form button[type=submit]").click()
    way.look("sign-in")


def sign_in(way: Way, code: Callable[[], str] | None = None) -> None:
    page = way.page
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("main form button[type=submit]").last.click()
    if code:
        page.wait_for_url("**/2fa/authenticate/**")
        way.look("code at the sign-in")
        page.get_by_label("Code").fill(code())
        page.locator("main form button[type=submit]").first.click()
    page.wait_for_url("**/submissions/")


def set_up_second_factor(way: Way) -> str:
    """The secret of the app."""
    page = way.page
    way.follow("Account")
    way.look("account")
    way.follow("Set it up")
    way.look("second factor")
    way.follow("Set it up")
    way.look("the password once more")
    page.get_by_label("Password").fill(PASSWORD)
    page.locator("main form button[type=submit]").first.click()
    way.look("authenticator app")
    secret = page.locator("dd code").inner_text().strip()
    page.get_by_label("Authenticator code").fill(code_of(secret))
    way.press("Turn it on")
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    way.look("recovery codes")
    return secret


def sign_out(way: Way) -> None:
    way.page.locator("header summary", has_text="Account").click()
    way.follow("Sign out")
    way.look("sign out")
    way.page.locator("main form button[type=submit]").click()
    way.follow("Sign in")


def hand_in_broken(way: Way, folder: Path) -> None:
    page = way.page
    file, missing = broken(folder)
    way.follow("Submit a model")
    way.look("submit")
    page.locator("input[name=file]").set_input_files(file)
    page.locator("main").get_by_label("Model name").fill(MODEL)
    page.locator("main summary", has_text="More about the model").click()
    page.locator("main").get_by_label("Organisation").fill("Heron Lab")
    way.press("Check the file")
    refused = page.get_by_role("alert")
    expect(refused).to_contain_text("The file was not accepted")
    expect(refused).to_be_focused()
    told = page.get_by_role("group", name="Problems in the file").inner_text()
    for words in (
        f"2 of 80 answers are missing: {', '.join(missing)}",
        f'Did you mean "{missing[0]}"?',
        "is already on line 7",
    ):
        assert words in " ".join(told.split())
    way.look("problems")
    address = page.get_by_role("link", name="ids without an answer").get_attribute("href")
    assert address
    listed = page.request.get(urljoin(page.url, address)).text().split()
    assert [line.strip(",") for line in listed] == ["id,prediction", *missing]


def hand_in_mended(way: Way, folder: Path) -> None:
    page = way.page
    file = save(folder, "heron.jsonl", rows_of_model(no_to=15))
    page.locator("input[name=file]").set_input_files(file)
    way.press("Check the file")
    page.wait_for_url("**/submissions/*/")
    main = page.locator("main")
    expect(main).to_contain_text("80 answers, 160 judgements")
    # the samples of a site that has just started may stand before it
    expect(main).to_contain_text(re.compile(r"In the queue: (none|\d+) before yours\."))
    expect(main.locator("dt", has_text="Price")).to_be_visible()
    expect(main.locator("dd", has_text="Free")).to_be_visible()
    expect(main).to_contain_text("Detected:")
    way.look("to confirm")


def try_first(way: Way) -> None:
    page = way.page
    page.get_by_role("button", name="Try 10 questions").click()
    cards = page.locator("#dry-run article.question")
    expect(cards).to_have_count(10, timeout=JUDGED_MILLISECONDS)
    assert all("Does the answer agree" in card for card in cards.all_inner_texts())
    way.look("dry run")


def confirm_and_watch(way: Way) -> str:
    """The score as the page tells it, such as "Overall 34.67". The page comes to it by
    itself."""
    page = way.page
    way.press("Confirm and judge")
    # the samples of a site that has just started may stand before it
    begun = page.locator("#progress progress, #progress .good").first
    expect(begun).to_be_visible(timeout=JUDGED_MILLISECONDS)
    way.look("progress")
    expect(page.get_by_text("Judged and scored.")).to_be_visible(timeout=JUDGED_MILLISECONDS)
    way.look("finished")
    return score_of(page)


def score_of(page: Page) -> str:
    told = page.locator("#progress strong").inner_text()
    return told.partition(" (")[0]


def follow_mail(way: Way, score: str) -> None:
    """To what the mail names, in the browser that is signed in. Workers tell people once a minute:
    here one does it at once."""
    way.site.manage("shell", "-c", TELL)
    page = way.page
    text = way.mail(f"{MODEL} on HallusionBench")
    assert f"Judged: {score}." in text
    page.goto(link_of(text, "(?:submissions|entries)/"))
    expect(page.locator("main h1")).to_contain_text(MODEL)
    way.look("what the mail leads to")


def publish(way: Way) -> None:
    """By keys alone."""
    keys = Keys(way.page)
    keys.follow(way.page.get_by_role("link", name="Publish", exact=True))
    way.page.wait_for_url("**/visibility/**")
    way.look("publish?")
    keys.follow(way.page.get_by_role("button", name="Publish", exact=True))
    way.page.wait_for_url("**/submissions/*/")
    way.look("published")
    way.found += sorted(keys.unseen)


def entry_on_board(way: Way, score: str) -> str:
    """The address of the model's entry, as soon as the board has it once, with this score."""
    page = way.page
    page.goto(f"{way.site.url}boards/hallusionbench/")
    row = page.locator("table.board tbody tr", has_text=MODEL)
    figure = score.removeprefix("Overall ")
    reload_until(page, lambda: row.count() == 1 and figure in row.inner_text())
    way.look("board")
    row.get_by_role("link", name=MODEL).click()
    page.wait_for_url("**/entries/**")
    expect(page.locator("main h1")).to_contain_text(MODEL)
    way.look("entry")
    return page.url


def reload_until(page: Page, is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PLACED_SECONDS
    while not is_so() and time.monotonic() < end:
        page.wait_for_timeout(500)
        page.reload()
    assert is_so()


def replace(way: Way, folder: Path) -> str:
    """The score of the new version."""
    page = way.page
    page.locator("header summary", has_text="Account").click()
    way.follow("My entries")
    way.look("my entries, one")
    way.follow(MODEL)
    way.follow("Replace with a new version")
    way.look("replace")
    file = save(folder, "heron-2.jsonl", rows_of_model(no_to=21))
    page.locator("input[name=file]").set_input_files(file)
    way.press("Check the file")
    page.wait_for_url(re.compile(r"/submissions/[0-9a-f-]+/$"))
    way.look("version 2 to confirm")
    page.get_by_label("Everyone").check()
    way.press("Confirm and judge")
    expect(page.get_by_text("Judged and scored.")).to_be_visible(timeout=JUDGED_MILLISECONDS)
    way.look("version 2 finished")
    return score_of(page)


def meet_first_version(way: Way, first: str, second: str) -> None:
    """At its address stands what became of it, and the way to what stands in its place."""
    page = way.page
    expect_status(way, first, 410)
    expect(page.locator("main h1")).to_have_text(f"{MODEL} was withdrawn")
    expect(page.locator("main")).to_contain_text("A newer version took its place.")
    way.look("version 1")
    way.follow("the newer version")
    assert page.url == second


def expect_status(way: Way, address: str, status: int) -> None:
    reply = way.page.goto(address)
    assert reply is not None
    assert reply.status == status


def withdraw(way: Way) -> None:
    page = way.page
    way.follow("Manage this entry")
    way.follow("Withdraw")
    way.look("withdraw?")
    page.get_by_label("Why").fill(REASON)
    way.press("Withdraw permanently")
    page.wait_for_url(re.compile(r"/submissions/[0-9a-f-]+/$"))
    expect(page.locator("main")).to_contain_text(REASON)
    way.look("withdrawn")


def meet_tombstone(way: Way, address: str) -> None:
    page = way.page
    expect_status(way, address, 410)
    main = page.locator("main")
    expect(main).to_contain_text(REASON)
    expect(main.locator("dd time")).to_have_text(re.compile(r"^\d{4}-\d\d-\d\d$"))
    way.look("tombstone")
    way.follow("Current board")
    row = page.locator("table.board").get_by_role("link", name=MODEL)
    reload_until(page, lambda: row.count() == 0)
    way.follow("History")
    reload_until(page, lambda: "a withdrawn entry (was" in page.locator("main").inner_text())
    expect(page.locator("main")).to_contain_text("replaced by a new version (was")
    way.look("history of the board")
    page.locator("header summary", has_text="Account").click()
    way.follow("My entries")
    expect(page.locator("main")).to_contain_text("withdrawn")
    way.look("my entries, withdrawn")


@pytest.mark.skipif(not looks.AXE.exists(), reason="no axe-core; `make test-browser` installs it")
def test_a_researcher_needs_no_documentation(page, site, mails, tmp_path):
    way = Way(page, site, mails)
    sign_up(way)
    sign_in(way)
    way.look("my entries, empty")
    secret = set_up_second_factor(way)
    sign_out(way)
    sign_in(way, lambda: code_of(secret, later=1))
    hand_in_broken(way, tmp_path)
    hand_in_mended(way, tmp_path)
    try_first(way)
    score = confirm_and_watch(way)
    follow_mail(way, score)
    publish(way)
    first = entry_on_board(way, score)
    second = entry_on_board(way, replace(way, tmp_path))
    meet_first_version(way, first, second)
    withdraw(way)
    meet_tombstone(way, second)
    assert "\n".join(way.found) == ""
