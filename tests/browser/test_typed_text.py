"""A description written in a real browser: leaving asks, and what was typed is there again."""

import io
from collections.abc import Iterator

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, expect
from playwright.sync_api import Error as BrowserError

from benchmarks.models import Figure
from benchmarks.registry import protocol
from benchmarks.services.descriptions import save_draft, submit_for_review
from benchmarks.services.importing import import_release

pytestmark = pytest.mark.browser
TYPED = "A red car is parked beside a fountain."
PASTED = "x" * 25_000
EMAIL, OTHER, PASSWORD = "anna@example.org", "ben@example.org", "a long enough password"
STORED = "() => JSON.stringify(Object.entries(localStorage))"
OURS = "Object.keys(localStorage).some((name) => name.startsWith('assay-typed:'))"


@pytest.fixture
def form(committed, live_server) -> str:
    """The address of a figure's form; there is a person who may write it. Made before the browser
    starts, which keeps its thread from the database."""
    stream = io.BytesIO(b"1|two|two|one.png\n2|sea|sea\n")
    import_release(protocol=protocol("spelling"), stream=stream, slug="written")
    for name, email in (("anna", EMAIL), ("ben", OTHER)):
        user = User.objects.create_superuser(name, email, PASSWORD)
        EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    return f"{live_server.url}/admin/benchmarks/description/figure/{Figure.objects.get().pk}/en/"


@pytest.fixture
def in_review(form: str) -> str:
    """The address on which a version of somebody else's is reviewed; made before the browser."""
    cora = User.objects.create_user("cora", "cora@example.org", PASSWORD)
    figure = Figure.objects.get()
    draft = save_draft(figure=figure, language="en", text="A car.", author=cora, base_version=0)
    submit_for_review(description=draft, by=cora)
    return form.partition("figure/")[0] + f"{draft.pk}/review/"


@pytest.fixture
def machine(form, page) -> Iterator[BrowserContext]:
    """A browser of its own, which may complain: of a network that is away, or a form refused."""
    browser: Browser | None = page.context.browser
    assert browser is not None
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(15_000)
    yield context
    context.close()


def sign_in(page: Page, email: str = EMAIL) -> None:
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("form button[type=submit]").last.click()
    page.wait_for_url("**/description/figure/**")


def text_of(page: Page):
    return page.get_by_label("Description (en)")


def visit(page: Page, form: str, email: str = EMAIL) -> None:
    page.goto(form)
    sign_in(page, email)


def opened(machine: BrowserContext, form: str, email: str = EMAIL) -> Page:
    """The form in a new tab of a browser in which nobody is signed in yet."""
    page = machine.new_page()
    visit(page, form, email)
    return page


def typed_unsent(page: Page, text: str) -> None:
    """The text stands in the form and in the browser; the site has not been told yet."""
    text_of(page).press_sequentially(text)
    page.wait_for_function(OURS)


def save(page: Page) -> None:
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_text("is saved as a draft.")).to_be_visible()


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
    page.get_by_role("button", name="Discard").click()
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


# --- the site does not have it


def test_what_was_typed_without_a_network_comes_back_in_the_next_tab(form, machine):
    page = opened(machine, form)
    machine.set_offline(True)
    text_of(page).press_sequentially(TYPED)
    expect(page.get_by_text("The site does not answer. Kept in this browser")).to_be_visible()
    page.close()
    machine.set_offline(False)
    again = machine.new_page()
    again.goto(form)
    expect(text_of(again)).to_have_value(TYPED)
    expect(again.get_by_text("Unsent text in this browser")).to_be_visible()
    save(again)
    again.goto(form)
    expect(again.get_by_text("Unsent text in this browser")).to_be_hidden()


def test_a_save_without_a_network_stays_on_the_page_and_says_so(form, machine):
    page = opened(machine, form)
    expect(text_of(page)).to_be_focused()
    machine.set_offline(True)
    typed_unsent(page, TYPED)
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_text("Not sent: the site does not answer.")).to_be_visible()
    page.keyboard.press("F5")
    expect(page.get_by_text("Do not reload")).to_be_visible()
    page.get_by_role("button", name="Skip").click()
    expect(page.get_by_text("Not sent: the site does not answer.")).to_be_visible()
    expect(text_of(page)).to_have_value(TYPED)
    machine.set_offline(False)
    save(page)


def test_a_network_that_is_back_is_used_without_a_key_being_pressed(form, machine):
    page = opened(machine, form)
    machine.set_offline(True)
    text_of(page).press_sequentially(TYPED)
    expect(page.get_by_text("The site does not answer.")).to_be_visible()
    machine.set_offline(False)
    expect(page.get_by_text("Kept, not saved yet.")).to_be_visible()
    page.wait_for_function(f"!{OURS}")


def test_a_tab_that_crashes_loses_nothing(form, machine):
    page = opened(machine, form)
    typed_unsent(page, TYPED)
    with pytest.raises(BrowserError):
        page.goto("chrome://crash")
    again = machine.new_page()
    again.goto(form)
    expect(text_of(again)).to_have_value(TYPED)


def test_nobody_else_at_the_machine_reads_it_and_its_writer_does(form, machine):
    page = opened(machine, form)
    machine.set_offline(True)
    typed_unsent(page, TYPED)
    assert "fountain" not in page.evaluate(STORED)
    page.close()
    machine.set_offline(False)
    machine.clear_cookies()
    other = opened(machine, form, OTHER)
    expect(text_of(other)).to_have_value("")
    other.close()
    machine.clear_cookies()
    expect(text_of(opened(machine, form))).to_have_value(TYPED)


def test_a_sign_in_that_ended_while_typing_costs_nothing_even_where_the_tab_is_closed(
    form, machine
):
    page = opened(machine, form)
    machine.clear_cookies(name="sessionid")
    text_of(page).press_sequentially(TYPED)
    expect(page.get_by_text("You are signed out.")).to_be_visible()
    page.close()
    expect(text_of(opened(machine, form))).to_have_value(TYPED)


def test_a_form_without_its_token_costs_no_text(form, machine):
    page = opened(machine, form)
    text_of(page).fill(TYPED)
    machine.clear_cookies(name="csrftoken")
    page.get_by_role("button", name="Save draft").click()
    page.get_by_role("link", name="Open the form again").click()
    expect(text_of(page)).to_have_value(TYPED)


def test_what_was_saved_at_once_is_not_brought_back_over_a_later_version(form, machine, page):
    mine = opened(machine, form)
    typed_unsent(mine, TYPED)
    save(mine)
    visit(page, form, OTHER)
    text_of(page).fill("Better words.")
    save(page)
    mine.goto(form)
    expect(text_of(mine)).to_have_value("Better words.")
    mine.wait_for_function(f"!{OURS}")
    expect(mine.get_by_text("Unsent text in this browser")).to_be_hidden()


def test_of_two_machines_the_newer_text_stands_and_the_older_one_is_offered(form, machine, page):
    first = opened(machine, form)
    machine.set_offline(True)
    typed_unsent(first, "Older words.")
    first.close()
    page.wait_for_timeout(1100)  # ages are told in whole seconds
    visit(page, form)
    text_of(page).press_sequentially("Newer words.")
    expect(page.get_by_text("Kept, not saved yet.")).to_be_visible()
    machine.set_offline(False)
    again = machine.new_page()
    again.goto(form)
    expect(text_of(again)).to_have_value("Newer words.")
    again.get_by_role("button", name="Show the other text").click()
    expect(text_of(again)).to_have_value("Older words.")
    again.get_by_role("button", name="Show the other text").click()
    expect(text_of(again)).to_have_value("Newer words.")


def test_what_two_tabs_typed_without_a_network_is_both_there(form, machine):
    first = opened(machine, form)
    second = machine.new_page()
    second.goto(form)
    machine.set_offline(True)
    typed_unsent(first, "Words of the first.")
    text_of(second).press_sequentially("Words of the second.")
    expect(first.locator("#typed-state")).to_contain_text("in another tab too")
    for tab in (first, second):
        tab.close()
    machine.set_offline(False)
    again = machine.new_page()
    again.goto(form)
    expect(text_of(again)).to_have_value("Words of the second.")
    again.get_by_role("button", name="Show the other text").click()
    expect(text_of(again)).to_have_value("Words of the first.")


def test_both_texts_are_shown_where_somebody_saved_before_a_text_came_back(form, machine, page):
    mine = opened(machine, form)
    machine.set_offline(True)
    typed_unsent(mine, TYPED)
    mine.close()
    visit(page, form, OTHER)
    text_of(page).fill("Other words.")
    save(page)
    machine.set_offline(False)
    again = machine.new_page()
    again.goto(form)
    expect(text_of(again)).to_have_value(TYPED)
    again.get_by_role("button", name="Save draft").click()
    expect(again.get_by_text("Someone else saved first")).to_be_visible()
    expect(text_of(again)).to_have_value(TYPED)


# --- a review


def test_approving_beside_a_changed_text_says_so_and_keeps_the_text(in_review, form, page):
    visit(page, form)
    page.on("dialog", lambda dialog: dialog.accept())
    text_of(page).fill(TYPED)
    expect(page.get_by_text("Kept, not saved yet.")).to_be_visible()
    page.get_by_role("link", name="Review version 1").click()
    expect(page.get_by_text("You typed another text and did not save it")).to_be_visible()
    page.get_by_role("button", name="Approve version 1 without my text").click()
    expect(page.get_by_text("is approved: from now on")).to_be_visible()
    page.goto(form)
    expect(text_of(page)).to_have_value(TYPED)


def test_a_comment_that_loses_the_race_is_on_the_page_again(in_review, form, machine, page):
    visit(page, form)
    page.goto(in_review)
    page.get_by_role("textbox", name="Comment").fill("Which car?")
    theirs = opened(machine, form, OTHER)
    theirs.goto(in_review)
    theirs.get_by_role("button", name="Approve version 1").click()
    expect(theirs.get_by_text("is approved: from now on")).to_be_visible()
    page.get_by_role("button", name="Send back with comment").click()
    expect(page.get_by_text("is approved, not in review.")).to_be_visible()
    assert page.locator("textarea[name=comment]").input_value() == "Which car?"


def test_a_comment_typed_without_a_network_comes_back_in_the_next_tab(in_review, form, machine):
    page = opened(machine, form)
    page.goto(in_review)
    machine.set_offline(True)
    page.get_by_role("textbox", name="Comment").press_sequentially("Which car?")
    page.wait_for_function(OURS)
    page.close()
    machine.set_offline(False)
    again = machine.new_page()
    again.goto(in_review)
    expect(again.get_by_role("textbox", name="Comment")).to_have_value("Which car?")
