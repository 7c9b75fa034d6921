"""Through the queue by keys alone, with the hands on the text: submit and next, leave it, back."""

import io

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from benchmarks.models import Description, Figure
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from tests.browser.steps import elsewhere

pytestmark = pytest.mark.browser
PASSWORD = "a long enough password"
FIRST = "A red car is parked beside a fountain."


@pytest.fixture
def forms(committed, live_server) -> list[str]:
    """The addresses of the forms of three figures without a text, in the order of the queue. Made
    before the browser starts, which keeps its thread from the database."""
    stream = io.BytesIO(b"1|two|two|one.png\n2|sea|sea|two.png\n3|sky|sky|three.png\n")
    import_release(protocol=protocol("spelling"), stream=stream, slug="three")
    user = User.objects.create_superuser("anna", "anna@example.org", PASSWORD)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    room = f"{live_server.url}/admin/benchmarks/description/figure"
    keys = ("one.png", "two.png", "three.png")
    return [f"{room}/{Figure.objects.get(key=key).pk}/en/" for key in keys]


def on_form(page: Page, form: str) -> None:
    """The form is open, and its script hears keys."""
    page.wait_for_url(f"{form}**", wait_until="load")


def write(page: Page, text: str) -> None:
    field = page.get_by_label("Description (en)")
    field.click()
    field.press_sequentially(text)


def test_a_text_is_submitted_and_the_next_figure_opened_left_and_found_again(forms, page):
    page.goto(forms[0])
    page.get_by_label("Email").fill("anna@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("form button[type=submit]").last.click()
    on_form(page, forms[0])

    write(page, FIRST)
    page.keyboard.press("Control+Enter")
    on_form(page, forms[1])
    expect(page.get_by_text("Version 1 waits for review.")).to_be_visible()

    page.get_by_label("Description (en)").click()
    page.keyboard.press("Alt+n")
    on_form(page, forms[2])

    page.get_by_label("Description (en)").click()
    page.keyboard.press("Alt+p")
    on_form(page, forms[1])
    page.keyboard.press("Alt+p")
    on_form(page, forms[0])

    def check() -> None:
        (version,) = Description.objects.all()
        assert (version.text, version.state) == (FIRST, Description.State.IN_REVIEW)

    elsewhere(check)


def test_a_new_line_in_the_text_is_no_key_of_the_queue(forms, page):
    page.goto(forms[0])
    page.get_by_label("Email").fill("anna@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("form button[type=submit]").last.click()
    on_form(page, forms[0])
    write(page, "A car.")
    page.keyboard.press("Enter")
    page.keyboard.type("np")
    expect(page.get_by_label("Description (en)")).to_have_value("A car.\nnp")
    assert page.url.startswith(forms[0])
