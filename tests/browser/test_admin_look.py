"""The admin's pages in the site's look: nothing for axe to find in either theme, nothing wider than
a telephone, nothing too small to hit."""

import io

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from playwright.sync_api import Page, ViewportSize

from benchmarks.models import Figure, Release
from benchmarks.registry import protocol
from benchmarks.services.descriptions import save_draft, submit_for_review
from benchmarks.services.importing import import_release
from tests.browser.looks import OVERFLOW, axe_in_both_themes, too_wide_or_small
from tests.conftest import judged, submit

pytestmark = pytest.mark.browser
EMAIL, PASSWORD = "anna@example.org", "a long enough password"
TABLET: ViewportSize = {
    "width": 768,
    "height": 900,
}  # the narrowest with a list of rooms beside the page
PAGES = {
    "first page": "",
    "list of descriptions": "benchmarks/description/",
    "form": "benchmarks/description/figure/{figure}/en/",
    "review": "benchmarks/description/{version}/review/",
    "list with filters": "benchmarks/question/",
    "review queue": "judging/judgementforreview/",
    "ratings to hand in": "panel/ratingfile/add/",
}


@pytest.fixture
def admin(committed, live_server) -> dict[str, str]:
    """The address of each kind of page. Made before the browser starts, which keeps its thread from
    the database."""
    stream = io.BytesIO(b"1|two|two|one.png\n2|sea|sea\n")
    import_release(protocol=protocol("spelling"), stream=stream, slug="written")
    anna = User.objects.create_superuser("anna", EMAIL, PASSWORD)
    ben = User.objects.create_user("ben", "ben@example.org", PASSWORD)
    EmailAddress.objects.create(user=anna, email=EMAIL, verified=True, primary=True)
    figure = Figure.objects.get()
    for base, text in enumerate(("A red car.", "A red car beside a fountain.")):
        newest = save_draft(figure=figure, language="en", text=text, author=ben, base_version=base)
    submit_for_review(description=newest, by=ben)
    home = f"{live_server.url}/admin/"
    return {
        name: home + path.format(figure=figure.pk, version=newest.pk)
        for name, path in PAGES.items()
    }


def enter(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("form button[type=submit]").last.click()
    page.wait_for_url("**/admin/")


@pytest.mark.slow
def test_pages_of_the_admin_can_be_read_and_hit(admin, page):
    context = page.context.browser.new_context(viewport={"width": 1280, "height": 900})
    shown = context.new_page()  # Django's own scripts set styles, which our policy refuses aloud
    enter(shown, admin["first page"])
    found = []
    for name, address in admin.items():
        shown.goto(address)
        found += [f"{name}: {text}" for text in axe_in_both_themes(shown)]
        found += [f"{name}: {text}" for text in too_wide_or_small(shown)]
        shown.set_viewport_size(TABLET)
        if (over := shown.evaluate(OVERFLOW)) > 0:
            found.append(f"{name}: {over} px too wide beside the list of rooms")
    context.close()
    assert found == []


LISTS = (
    "submissions/submission/",
    "judging/judgerun/",
    "benchmarks/description/",
    "benchmarks/question/",
    "benchmarks/release/",
)
DESKTOP: ViewportSize = {"width": 1280, "height": 900}
CUT_OFF = """() => {
    const end = document.querySelector('#content').getBoundingClientRect().right;
    return [...document.querySelectorAll('#result_list th, #result_list td')]
        .filter((cell) => cell.getBoundingClientRect().right > end + 1
            || cell.scrollWidth > cell.clientWidth + 1)
        .map((cell) => cell.outerHTML.slice(0, 120));
}"""


@pytest.fixture
def judged_entry(admin) -> None:
    """Of a release and a model with long names."""
    release = Release.objects.get()
    title = "A release of questions with a title as long as that of a mini release, written for it"
    Release.objects.update(title=title)
    name = "A synthetic model of a hundred and ten billion parameters"
    judged(submit(release, User.objects.get(username="ben"), b"1=two\n2=sea\n", name))


@pytest.mark.slow
def test_lists_of_the_admin_keep_their_columns_on_a_desktop(admin, judged_entry, page):
    context = page.context.browser.new_context(viewport=DESKTOP)
    shown = context.new_page()  # Django's own scripts set styles, which our policy refuses aloud
    enter(shown, admin["first page"])
    for address in LISTS:
        shown.goto(admin["first page"] + address)
        assert shown.locator("#result_list tbody tr").count(), address
        assert shown.evaluate(OVERFLOW) <= 0, address
        assert shown.evaluate(CUT_OFF) == [], address
        filters = shown.locator("#changelist-filter details")
        assert filters.count() == 0 or filters.first.get_attribute("open") is None
    shown.goto(f"{admin['first page']}submissions/submission/?visibility__exact=private")
    chosen = shown.locator("#changelist-filter details[open] .selected")
    assert [text.strip() for text in chosen.all_inner_texts()] == ["Private"]
    context.close()
