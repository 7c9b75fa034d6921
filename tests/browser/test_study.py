"""A study in a real browser: drawn by the wizard, its links given out, rated by keys on a phone and
by what other browsers send, closed, and its figures read on the public page."""

import random
from collections.abc import Iterator

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, Page, ViewportSize, expect

from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from benchmarks.submissions.samples.bundled import load_bundled
from judging.panel.bundled import load_sample_ratings
from judging.panel.models import RatingFile, Study
from judging.panel.studies.raters import Invitee, invite_people
from leaderboard.results.services import score_finished_runs
from leaderboard.results.studies.stored import refresh_reports
from tests.browser.looks import axe_in_both_themes, too_wide_or_small
from tests.browser.pictures import take_picture
from tests.browser.steps import elsewhere
from tests.conftest import judged, submit
from tests.judging.panel.study_world import study_of, words
from tests.leaderboard.results.studies import plain
from tests.leaderboard.results.studies.simulated import (
    ERRORS,
    answers_to,
    columns_of,
    is_right,
    rate_everything,
)

pytestmark = pytest.mark.browser
PASSWORD = "a long enough password"
PHONE: ViewportSize = {"width": 360, "height": 740}
BY_KEYS = 6


def account(name: str, *, is_staff: bool) -> User:
    email = f"{name}@example.org"
    user = User.objects.create_user(name, email, PASSWORD, is_staff=is_staff, is_superuser=is_staff)
    EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    return user


@pytest.fixture
def wizard(committed, live_server) -> str:
    """Its address, for a release of sixty words. Made before the browser starts, which keeps its
    thread from the database."""
    account("ada", is_staff=True)
    release = words(60)
    judged(submit(release, account("rosa", is_staff=False), answers_to(60), "Speller"))
    return f"{live_server.url}{reverse('admin:panel_study_add')}?release={release.slug}"


@pytest.fixture
def phone(page: Page) -> Iterator[Page]:
    browser: Browser | None = page.context.browser
    assert browser is not None
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    yield context.new_page()
    context.close()


def draw(page: Page, wizard: str) -> tuple[str, list[str]]:
    """The study's page and the links of three raters."""
    page.goto(wizard)
    page.get_by_label("Email").fill("ada@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("form button[type=submit]").last.click()
    page.get_by_label("Title").fill("Does the judge spell?")
    page.get_by_role("checkbox", name="Speller").check()
    page.locator("[name=size]").fill("60")
    page.locator("[name=check_every]").fill("0")  # a check looks like an answer that is counted
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#plan")).to_contain_text("60 answers, each rated by 3: 180 votes")
    page.get_by_role("button", name="Draw the study").click()
    page.get_by_label("People").fill("Bo\nCy\nDi")
    page.get_by_role("button", name="Invite").click()
    links = page.locator(".links code").all_inner_texts()
    page.goto(wizard.replace("add/", "").partition("?")[0])
    page.get_by_role("link", name="Does the judge spell?").click()
    study = page.url
    page.get_by_role("link", name="Open", exact=True).click()
    page.locator("form input[type=submit], form button[type=submit]").last.click()
    page.wait_for_url(study)
    return study, links


def rate_by_keys(phone: Page, link: str) -> dict[str, int]:
    """What a rater said of the first few, without an error."""
    said = {}
    phone.goto(link)
    phone.get_by_role("button", name="Begin").click()
    keys = phone.locator("#vote button").all_inner_texts()
    for number in range(1, BY_KEYS + 1):
        expect(phone.locator("#place")).to_contain_text(f"{number} of")
        question = phone.locator("#question").inner_text()
        answer, truth = (phone.locator(one).inner_text() for one in (".answer", "#truth"))
        said[question] = int(answer == truth)
        word = "Correct" if answer == truth else "Incorrect"
        place = [key.lower() for key in keys].index(word.lower()) + 1
        phone.wait_for_function("() => !document.querySelector('#vote[data-wait]')")
        phone.keyboard.press(str(place))
    expect(phone.locator("#place")).to_contain_text(f"{BY_KEYS + 1} of")
    assert axe_in_both_themes(phone) + too_wide_or_small(phone) == []
    phone.wait_for_function("() => !localStorage.length")
    return said


def test_sixty_answers_rated_by_three_become_the_printed_figures(wizard, phone, page):
    address, links = draw(page, wizard)
    by_keys = rate_by_keys(phone, links[0])
    said: list[dict[str, int]] = []

    def rate_the_rest() -> None:
        rng = random.Random(14)
        study = Study.objects.get()
        for link, error in zip(links, ERRORS, strict=True):
            browser = Client()
            browser.get(link)
            agreed = {"consent": study.consent_version}
            browser.post(reverse("rate-study", args=[study.pk]), agreed)
            said.append(rate_everything(browser, study, error, rng))

    elsewhere(rate_the_rest)
    said[0].update(by_keys)
    phone.reload()
    expect(phone.locator(".end")).to_contain_text("You have rated everything")
    page.goto(address)
    expect(page.get_by_text("180 of 180 votes")).to_be_visible()
    page.get_by_role("link", name="Close", exact=True).click()
    page.locator("form input[type=submit], form button[type=submit]").last.click()
    page.wait_for_url(address)

    documents = []

    def report() -> None:
        score_finished_runs()
        refresh_reports()
        file = RatingFile.objects.get()
        path = reverse("study-file", args=[file.pk, "json"])
        documents.append((str(file.study_id), Client().get(path).json()))

    elsewhere(report)
    ((key, document),) = documents
    (part,) = document["parts"]
    questions = sorted(said[0])
    assert len(questions) == 60
    items: plain.Votes = [[of_rater[text] for of_rater in said] for text in questions]
    judge: list[int | None] = [is_right(text) for text in questions]
    columns = columns_of(part, items)
    plain.assert_figures(part, [[row[c] for c in columns] for row in items], judge)
    page.goto(address.partition("/admin/")[0] + "/studies/")
    page.locator(f"a[href*='{key}']").first.click()
    plain.assert_printed(page.content(), items, judge)
    page.set_viewport_size(PHONE)
    assert axe_in_both_themes(page) + too_wide_or_small(page) == []


@pytest.fixture
def touchstone(committed, live_server) -> tuple[str, str]:
    """The link of a rater who compares, and the report of the study that ships."""
    load_bundled(protocol=protocol("touchstone"), owner=None)
    entries = list(Submission.objects.filter(origin="sample", release__slug="touchstone-mini"))
    for entry in entries:
        judged(entry)
    load_sample_ratings(protocol("touchstone"))
    refresh_reports()
    study = study_of(entries[:2], raters=0, questionnaire="comparison", size=8)
    (link,) = invite_people(study=study, people=[Invitee("Bo")], by=account("ada", is_staff=True))
    report = reverse("study", args=[RatingFile.objects.get().pk])
    return (
        live_server.url + reverse("rate-join", args=[link.key]),
        live_server.url + report,
    )


def test_pictures_of_the_guide(touchstone, phone, page):
    link, report = touchstone
    phone.goto(link)
    phone.get_by_role("button", name="Begin").click()
    expect(phone.locator("#place")).to_contain_text("1 of")
    phone.wait_for_load_state("networkidle")
    take_picture(phone, "rating-on-a-phone", height=740)
    page.goto(report)
    figure = page.locator("figure.agreement").first
    expect(figure).to_be_visible()
    take_picture(page, "agreement-of-a-study", of=figure)
