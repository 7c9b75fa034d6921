"""The form of a description in a real browser: the picture beside it, who else writes, what is
hidden in what is pasted, and how it stands on a telephone."""

import io
import re
from collections.abc import Iterator

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from playwright.sync_api import BrowserContext, Locator, Page, expect

from benchmarks.models import Figure
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from tests.benchmarks.pictures import picture
from tests.browser.looks import NARROW, axe_in_both_themes, too_wide_or_small

pytestmark = pytest.mark.browser
PASSWORD = "a long enough password"


@pytest.fixture
def form(committed, live_server, tmp_path, settings) -> str:
    """The address of a figure's form, which two people may write. Made before the browser starts,
    which keeps its thread from the database."""
    settings.MEDIA_ROOT = tmp_path / "figures"
    (tmp_path / "one.png").write_bytes(picture(size=(2400, 1600)))
    stream = io.BytesIO(b"1|two|two|one.png\n2|sea|sea\n")
    import_release(protocol=protocol("spelling"), stream=stream, slug="written", images=tmp_path)
    for name in ("anna", "ben"):
        email = f"{name}@example.org"
        user = User.objects.create_superuser(name, email, PASSWORD)
        EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    return f"{live_server.url}/admin/benchmarks/description/figure/{Figure.objects.get().pk}/en/"


def visit(page: Page, form: str, name: str = "anna") -> Page:
    page.goto(form)
    page.get_by_label("Email").fill(f"{name}@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("form button[type=submit]").last.click()
    page.wait_for_url("**/description/figure/**")
    return page


@pytest.fixture
def other(form, page) -> Iterator[BrowserContext]:
    browser = page.context.browser
    assert browser is not None
    context = browser.new_context()
    yield context
    context.close()


def scale_of(frame: Locator) -> float:
    found = re.search(r"scale\(([\d.]+)\)", frame.locator("img").get_attribute("style") or "")
    return float(found[1]) if found else 1.0


def test_the_picture_is_made_larger_and_moved_in_its_place(form, page):
    visit(page, form)
    frame = page.locator(".zoom-frame")
    page.get_by_role("button", name="Larger").click()
    assert scale_of(frame) == pytest.approx(1.25)
    frame.focus()
    page.keyboard.press("+")
    assert scale_of(frame) == pytest.approx(1.5625)
    page.keyboard.press("ArrowRight")
    before = frame.locator("img").get_attribute("style")
    frame.hover()
    page.mouse.down()
    page.mouse.move(0, 0)
    page.mouse.up()
    assert frame.locator("img").get_attribute("style") != before
    page.mouse.move(*middle_of(frame))
    page.mouse.wheel(0, -100)
    page.wait_for_timeout(100)
    assert scale_of(frame) > 1.6
    page.keyboard.press("0")
    assert scale_of(frame) == 1


def middle_of(frame: Locator) -> tuple[float, float]:
    box = frame.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_wheel_scrolls_the_page_until_the_picture_was_asked_for(form, page):
    visit(page, form)
    frame = page.locator(".zoom-frame")
    page.mouse.move(*middle_of(frame))
    page.mouse.wheel(0, -100)
    page.wait_for_timeout(100)
    assert scale_of(frame) == 1


def test_the_original_is_loaded_once_it_is_needed(form, page):
    visit(page, form)
    image = page.locator(".zoom-frame img")
    small, original = image.get_attribute("src"), page.locator(".zoom-frame").get_attribute("href")
    assert small != original
    for _ in range(12):
        page.get_by_role("button", name="Larger").click()
    expect(image).to_have_attribute("src", re.compile(re.escape(str(original))))


def test_without_javascript_the_picture_is_a_link_to_the_original(form, page):
    browser = page.context.browser
    assert browser is not None
    plain = browser.new_context(java_script_enabled=False)
    shown = visit(plain.new_page(), form)
    with plain.expect_page() as opened:
        shown.locator(".zoom-frame").click()
    assert opened.value.url.endswith(str(shown.locator(".zoom-frame").get_attribute("href")))
    plain.close()


def test_both_who_write_are_told_of_each_other(form, page, other):
    visit(page, form)
    theirs = visit(other.new_page(), form, "ben")
    expect(theirs.get_by_text("anna has it open, since ")).to_be_visible()
    page.clock.install()
    page.reload()
    page.clock.fast_forward(21_000)
    expect(page.get_by_text("ben has it open, since ")).to_be_visible()


def test_hidden_characters_are_told_while_one_types_and_put_right_at_a_word(form, page):
    visit(page, form)
    text = page.get_by_label("Description (en)")
    text.focus()
    page.keyboard.insert_text("A red\u00a0car.")
    told = page.locator("#hidden-characters")
    expect(told).to_contain_text("Line 1, character 6, no-break space (U+00A0): “A redU+00A0car.”")
    told.get_by_role("button", name="Show no-break space (U+00A0) in line 1").click()
    assert text.evaluate("(one) => [one.selectionStart, one.selectionEnd]") == [5, 6]
    page.get_by_role("button", name="Save draft").click()
    expect(page.get_by_text("The text has a character that nobody sees")).to_be_visible()
    page.get_by_role("button", name="Fix them").click()
    expect(text).to_have_value("A red car.")
    expect(told).to_be_hidden()


def test_what_is_left_is_told_while_one_types(form, page):
    visit(page, form)
    page.get_by_label("Description (en)").press_sequentially("A cat.")
    expect(page.get_by_text("2 words, 19,994 characters left")).to_be_visible()


def test_the_picture_keeps_its_place_beside_the_text_and_folds_on_a_telephone(form, page):
    visit(page, form)
    panes = [page.locator(f".description-{one}").bounding_box() for one in ("figure", "words")]
    assert all(panes)
    assert panes[0]["height"] == pytest.approx(panes[1]["height"], abs=1)
    page.set_viewport_size(NARROW)
    figure, text = page.locator(".zoom-frame"), page.get_by_label("Description (en)")
    assert middle_of(figure)[1] < middle_of(text)[1]
    page.get_by_text("The picture", exact=True).click()
    expect(figure).to_be_hidden()
    page.get_by_text("The picture", exact=True).click()
    expect(figure).to_be_visible()


@pytest.mark.slow
def test_the_form_in_full_use_can_be_read_and_hit(form, page):
    visit(page, form)
    page.get_by_label("Description (en)").fill("A red\u00a0car.")
    with page.expect_navigation():  # once the site has answered
        page.get_by_role("button", name="Show changes").click()
    assert axe_in_both_themes(page) + too_wide_or_small(page) == []
