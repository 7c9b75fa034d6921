"""What annotating.md and reviewing.md in docs/annotator tell people to do, done in a real browser,
with the pictures that stand there."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group, User
from django.core import mail
from playwright.sync_api import Page, expect

from benchmarks.models import Description, Figure
from benchmarks.registry import protocol
from benchmarks.services.descriptions import DESCRIPTION_REVIEW, save_draft, submit_for_review
from benchmarks.submissions.samples.bundled import ensure_release
from tests.browser.looks import too_wide_or_small
from tests.browser.pictures import take_picture
from tests.conftest import make_groups, submit

pytestmark = pytest.mark.browser
PASSWORD = "a long enough password 7"
ADDED = "Nothing else is written in the picture."


def person(name: str, *groups: str, **more: bool) -> User:
    email = f"{name}@example.org"
    user = User.objects.create_user(name, email, PASSWORD, is_staff=True, **more)
    user.groups.set(Group.objects.get(name=group) for group in groups)
    EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    return user


@pytest.fixture
def work(committed, live_server) -> str:
    """Its address. Annotator nora has a version sent back and a draft; vera reviews; a version of
    another annotator waits. Made before the browser starts, which keeps its thread from the
    database."""
    make_groups()
    family = protocol("touchstone")
    ensure_release(family, family.bundled[0])
    people = {
        "root": person("root", is_superuser=True),
        "nora": person("nora", "annotators"),
        "omar": person("omar", "annotators"),
        "vera": person("vera", "reviewers"),
    }
    figures = Figure.objects.filter(questions__releases__isnull=False).distinct().order_by("pk")
    for figure, author in zip(figures[:3], ("nora", "nora", "omar"), strict=True):
        known = Description.objects.filter(figure=figure, language="en").order_by("-version")
        newest = known.first()
        save_draft(
            figure=figure,
            language="en",
            text=f"{newest.text if newest else ''} {ADDED}",
            author=people[author],
            base_version=newest.version if newest else 0,
        )
    drafts = Description.objects.filter(text__endswith=ADDED).order_by("pk")
    for draft in (drafts[0], drafts[2]):
        submit_for_review(description=draft)
    drafts[0].refresh_from_db()
    DESCRIPTION_REVIEW.send_back(
        proposal=drafts[0],
        reviewer=people["vera"],
        comment="Say as well what stands left and right of it.",
    )
    return str(live_server.url)


def sign_in(page: Page, site: str, name: str) -> None:
    page.goto(f"{site}/admin/")
    page.get_by_label("Email").fill(f"{name}@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("form button[type=submit]").last.click()
    page.wait_for_url("**/admin/")


def test_an_annotator_is_added_by_a_link_and_finds_what_is_next(work, page):
    sign_in(page, work, "root")
    page.goto(f"{work}/admin/leaderboard/personinvitation/add/")
    page.get_by_label("E-mail address").fill("nell@example.org")
    page.get_by_role("checkbox", name=re.compile("annotators")).check()
    take_picture(page, "add-a-person", height=620)
    page.get_by_role("button", name="Add the person").click()
    page.wait_for_url("**/personinvitation/")
    link = re.search(r"http://\S+/accounts/invitation/\S+/", str(mail.outbox[-1].body))
    assert link
    page.context.clear_cookies()
    page.goto(link[0])
    expect(page.get_by_text("nell@example.org")).to_be_visible()
    page.get_by_label("Name").fill("Nell")
    assert too_wide_or_small(page) == []
    take_picture(page, "invitation", height=760)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("The same password again").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    page.wait_for_url("**/admin/")
    expect(page.get_by_role("heading", name="Next for you")).to_be_visible()


def test_an_annotator_sees_what_is_next_and_what_was_sent_back(work, page):
    sign_in(page, work, "nora")
    expect(page.get_by_role("heading", name="Next for you")).to_be_visible()
    take_picture(page, "next-for-you", height=900)
    page.get_by_role("button", name="Describe the next").click()
    expect(page.get_by_label("Description (en)")).to_be_visible()
    take_picture(page, "description-form", height=1000)


def test_a_reviewer_decides_on_one_screen(work, page):
    sign_in(page, work, "vera")
    page.get_by_role("button", name="Review the next").click()
    page.wait_for_url("**/review/")
    take_picture(page, "review", height=1000)


@pytest.fixture
def entry(work, spelling) -> str:
    """The address of a public entry in the admin."""
    submission = submit(spelling, User.objects.get(username="nora"), name="Speller")
    return f"{work}/admin/submissions/submission/{submission.pk}"


def test_staff_are_asked_and_told_what_follows(entry, work, page):
    sign_in(page, work, "root")
    page.goto(f"{entry}/change/")
    page.get_by_role("link", name="Withdraw…").click()
    expect(page.get_by_text("1 entry: 1 public, 0 private or withdrawn.")).to_be_visible()
    page.get_by_label("Reason").fill("The file was that of another model.")
    assert not [found for found in too_wide_or_small(page) if "wide" in found]
    take_picture(page, "withdraw-asks", height=760)
    page.get_by_role("button", name="Withdraw").click()
    page.goto(f"{work}/admin/benchmarks/staffaction/")
    page.get_by_role("link", name=re.compile(r"20\d\d")).first.click()
    expect(page.get_by_text("The file was that of another model.").first).to_be_visible()
    take_picture(page, "staff-log", height=700)
    page.get_by_role("link", name="Undo…").click()
    page.get_by_label("Reason").fill("It was the right file.")
    page.get_by_role("button", name="Undo").click()
    page.goto(f"{entry}/change/")
    expect(page.get_by_role("link", name="Withdraw…")).to_be_visible()
