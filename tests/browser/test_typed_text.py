"""A description written in a real browser: leaving asks, and what was typed is there again."""

import io

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Dialog, Page, expect

from benchmarks.models import Figure
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release

pytestmark = pytest.mark.browser
TYPED = "A red car is parked beside a fountain."
PASTED = "x" * 25_000
EMAIL, PASSWORD = "anna@example.org", "a long enough password"


@pytest.fixture
def form(committed, live_server) -> str:
    """The address of a figure's form; there is a person who may write it. Made before the browser
    starts, which keeps its thread from the database."""
    stream = io.BytesIO(b"1|two|two|one.png\n2|sea|sea\n")
    import_release(protocol=protocol("spelling"), stream=stream, slug="written")
    anna = User.objects.create_superuser("anna", EMAIL, PASSWORD)
    EmailAddress.objects.create(user=anna, email=EMAIL, verified=True, primary=True)
    return f"{live_server.url}/admin/benchmarks/description/figure/{Figure.objects.get().pk}/en/"


def sign_in(page: Page) -> None:
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("form button[type=submit]").last.click()
    page.wait_for_url("**/description/figure/**")


def text_of(page: Page):
    return page.get_by_label("Description (en)")


def visit(page: Page, form: str) -> None:
    page.goto(form)
    sign_in(page)


def test_leaving_asks_and_the_text_is_there_again(form, page):
    visit(page, form)
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    text_of(page).press_sequentially(TYPED)
    expect(page.get_by_text("Kept, not saved yet.")).to_be_visible()
    page.get_by_role("link", name="Home", exact=True).click()
    page.wait_for_url("**/admin/")
    assert asked == ["beforeunload"]
    page.goto(form)
    assert text_of(page).input_value() == TYPED
    page.get_by_role("button", name="Throw it away").click()
    expect(text_of(page)).to_have_value("")


def test_a_sign_in_that_ended_costs_no_text(form, page):
    visit(page, form)
    text_of(page).fill(TYPED)
    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Save draft").click()
    page.wait_for_url("**/accounts/login/**")
    sign_in(page)
    assert text_of(page).input_value() == TYPED
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_text("Version 1 is saved as a draft.")).to_be_visible()


def test_without_javascript_the_text_waits_behind_the_sign_in_as_well(form, page):
    browser: Browser | None = page.context.browser
    assert browser is not None
    plain = browser.new_context(java_script_enabled=False)
    other = plain.new_page()
    visit(other, form)
    text_of(other).fill(TYPED)
    plain.clear_cookies(name="sessionid")
    other.get_by_role("button", name="Save draft").click()
    other.wait_for_url("**/accounts/login/**")
    sign_in(other)
    assert text_of(other).input_value() == TYPED
    plain.close()


def test_what_is_pasted_is_counted_and_not_cut(form, page):
    visit(page, form)
    text_of(page).focus()
    page.keyboard.insert_text(PASTED)
    expect(page.get_by_text("25,000 characters: 5,000 too many")).to_be_visible()
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_text("this one has 25,000")).to_be_visible()
    assert len(text_of(page).input_value()) == len(PASTED)
