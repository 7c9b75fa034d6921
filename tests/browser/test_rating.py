"""A rater's afternoon in a real browser: on a phone, by keys, without network, in two tabs, and
without a script."""

import io
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.services import set_floor_version
from judging.clock import database_now
from judging.panel.models import Assignment, Study, StudyRater, Vote
from judging.panel.studies.handing_out import give_out
from judging.panel.studies.plans import questionnaires
from judging.panel.studies.raters import Invitee, invite_people
from tests.benchmarks.pictures import picture
from tests.browser import looks
from tests.browser.steps import elsewhere
from tests.judging.panel.study_world import (
    bundled_entries,
    compared,
    spelled,
    study_of,
    words,
)

pytestmark = pytest.mark.browser
PHONE: ViewportSize = {"width": 360, "height": 740}


@pytest.fixture
def people(committed) -> dict[str, User]:
    return {
        "owner": User.objects.create_user("rosa", "rosa@example.org", "a long enough password"),
        "staff": User.objects.create_superuser("ada", "ada@example.org", "a long enough password"),
    }


@pytest.fixture
def phone(page: Page) -> Iterator[BrowserContext]:
    """A context of its own: without network a browser complains, as it should."""
    browser: Browser | None = page.context.browser
    assert browser is not None
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    yield context
    context.close()


def link_to(study: Study, staff: User, site: str) -> str:
    (link,) = invite_people(study=study, people=[Invitee("Bo")], by=staff)
    return site + reverse("rate-join", args=[link.key])


@pytest.fixture
def spelling_link(people, live_server) -> str:
    """Twelve words, each to be called right or wrong."""
    entry = spelled(words(12), people["owner"])
    return link_to(study_of([entry], raters=0), people["staff"], live_server.url)


@pytest.fixture
def lone_link(people, live_server) -> str:
    """Sixty words, each for one rater alone."""
    entry = spelled(words(60), people["owner"])
    study = study_of([entry], raters=0, raters_per_item=1)
    return link_to(study, people["staff"], live_server.url)


def let_another_begin() -> None:
    """The items of the only study, whose leases end, go to one rater more."""
    study = Study.objects.get()
    now = database_now()
    Assignment.objects.update(lease_until=now - timedelta(minutes=1))
    give_out(StudyRater.objects.create(study=study, number=2), now)


def five_votes_are_stored() -> None:
    assert Vote.objects.filter(rater__number=1).count() == 5


@pytest.fixture
def second_link(spelling_link, people, live_server) -> str:
    """Of another rater of the same study."""
    return link_to(Study.objects.get(), people["staff"], live_server.url)


@pytest.fixture
def comparison_link(people, live_server) -> str:
    entries = compared(people["owner"])
    study = study_of(entries, raters=0, questionnaire="comparison", size=8)
    return link_to(study, people["staff"], live_server.url)


@pytest.fixture
def plans_link(people, live_server, tmp_path) -> str:
    """Short words with a picture: two lines each, the first a scale."""
    (tmp_path / "one.png").write_bytes(picture())
    lines = "".join(f"{n}|wor{n}|wor{n}|one.png\n" for n in range(1, 5))
    release = import_release(
        protocol=protocol("spelling"),
        stream=io.BytesIO(lines.encode()),
        images=tmp_path,
        slug="short",
    ).release
    set_floor_version(release)
    study = study_of(
        [spelled(release, people["owner"])], raters=0, questionnaire="neatness+correct"
    )
    return link_to(study, people["staff"], live_server.url)


@pytest.fixture
def made_up_link(people, live_server) -> str:
    """Six descriptions, how much of each is made up, from 0 to 10."""
    entries = bundled_entries("touchstone_hallucination", people["owner"], samples_of="touchstone")
    study = study_of(entries, raters=0, questionnaire="hallucination", size=3)
    return link_to(study, people["staff"], live_server.url)


@pytest.fixture
def embodied_link(people, live_server) -> str:
    """Four plans, five lines each."""
    entries = bundled_entries("tiny_lvlm_ehub", people["owner"])
    asked = next(one for one in questionnaires(entries[0].release) if len(one.dimensions) == 5)
    study = study_of(entries, raters=0, questionnaire=asked.key, size=2)
    return link_to(study, people["staff"], live_server.url)


def said() -> list[list[int]]:
    """The numbers of each standing vote, by the order of the votes and of the lines."""
    found: dict[int, list[int]] = {}

    def read() -> None:
        votes = Vote.objects.filter(taken_back=None).order_by("pk")
        for item, value in votes.values_list("item", "value"):
            found.setdefault(item, []).append(value)

    elsewhere(read)
    return list(found.values())


def all_sent(page: Page) -> None:
    page.wait_for_function("() => !localStorage.length")


def begin(context: BrowserContext, link: str) -> Page:
    page = context.new_page()
    page.goto(link)
    assert "join" not in page.url
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("#place")).to_contain_text("1 of")
    page.wait_for_load_state()  # keys are read by a script, which runs after the item is drawn
    return page


def place(page: Page, text: str) -> None:
    expect(page.locator("#place")).to_have_text(text)


def test_a_pair_is_judged_on_a_phone_without_scrolling_to_the_buttons(comparison_link, phone):
    page = begin(phone, comparison_link)
    found = [*looks.axe_in_both_themes(page), *looks.too_wide_or_small(page)]
    assert not found, found
    for word in ("The first is better", "Equally good", "The second is better"):
        box = page.get_by_role("button", name=word).bounding_box()
        assert box is not None
        assert box["height"] >= 48
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
        assert box["y"] + box["height"] <= PHONE["height"]
    page.get_by_role("button", name="The first is better").tap()
    place(page, "2 of 16")
    assert page.evaluate("window.scrollY") == 0


def test_keys_vote_and_take_back_and_a_closed_tab_goes_on_where_it_was(spelling_link, phone):
    page = begin(phone, spelling_link)
    first = page.locator("#question").inner_text()
    for number, key in enumerate("132", 2):
        page.keyboard.press(key)
        place(page, f"{number} of 12")
    page.keyboard.press("7")  # stands for nothing here
    place(page, "4 of 12")
    for number in (3, 2, 1):
        page.keyboard.press("u")
        place(page, f"{number} of 12")
    expect(page.locator("#question")).to_have_text(first)
    page.keyboard.press("1")
    place(page, "2 of 12")
    page.wait_for_function("() => !localStorage.length")
    address = page.url
    page.close()
    again = phone.new_page()
    again.goto(address)
    place(again, "2 of 12")
    # a vote of an earlier visit is taken back by the site
    again.keyboard.press("u")
    place(again, "1 of 12")
    expect(again.locator("#question")).to_have_text(first)


def test_votes_without_network_outlive_the_tab_and_are_sent_later(spelling_link, phone):
    page = begin(phone, spelling_link)
    address = page.url
    phone.set_offline(True)
    for _ in range(4):
        page.keyboard.press("1")
    page.keyboard.press("u")
    place(page, "4 of 12")
    expect(page.locator("#state")).to_contain_text("for the network")
    page.close()
    phone.set_offline(False)
    again = phone.new_page()
    again.goto(address)
    again.wait_for_function("() => !localStorage.length")
    again.reload()
    place(again, "4 of 12")


def test_votes_without_network_are_sent_though_others_were_given_the_items(lone_link, phone):
    page = begin(phone, lone_link)
    page.keyboard.press("1")
    page.wait_for_function("() => !localStorage.length")
    phone.set_offline(True)
    for _ in range(4):
        page.keyboard.press("1")
    expect(page.locator("#state")).to_contain_text("4 votes wait")
    address = page.url
    page.close()
    elsewhere(let_another_begin)
    phone.set_offline(False)
    again = phone.new_page()
    again.goto(address)
    expect(again.locator(".end")).to_have_text("You have rated 5 of 60 items.")
    elsewhere(five_votes_are_stored)
    assert not again.evaluate("localStorage.length")
    again.get_by_role("button", name="Go on").click()
    place(again, "6 of 44")


def test_votes_are_sent_by_themselves_when_the_network_is_back(spelling_link, phone):
    page = begin(phone, spelling_link)
    phone.set_offline(True)
    for _ in range(12):
        page.keyboard.press("2")
    expect(page.locator("#state")).to_contain_text("12 votes wait")
    expect(page.locator("#state")).to_contain_text("More items come")
    # nothing is left that looks as if it took a vote
    for gone in ("#item", "#vote"):
        expect(page.locator(gone)).to_be_hidden()
    phone.set_offline(False)
    expect(page.locator(".end")).to_contain_text("12 items", timeout=30_000)


def test_a_second_tab_is_told_that_the_first_vote_stays(spelling_link, phone):
    page = begin(phone, spelling_link)
    other = phone.new_page()
    other.goto(page.url)
    page.keyboard.press("1")
    place(page, "2 of 12")
    page.wait_for_function("() => !localStorage.length")
    other.keyboard.press("2")
    expect(other.locator("#state")).to_contain_text("Your first vote stays")
    place(other, "2 of 12")


def test_votes_of_one_rater_are_not_sent_as_anothers(spelling_link, second_link, phone):
    page = begin(phone, spelling_link)
    other = begin(phone, second_link)
    page.keyboard.press("1")
    expect(page.locator("#state")).to_contain_text("another rater's")
    other.reload()
    place(other, "1 of 12")
    page.goto(spelling_link)
    page.wait_for_function("() => !localStorage.length")
    page.reload()
    place(page, "2 of 12")


def test_several_lines_are_answered_by_keys_and_a_picture_opens_in_place(plans_link, phone):
    page = begin(phone, plans_link)
    blocked: list[str] = []
    page.on("console", lambda said: blocked.append(said.text))
    page.reload()
    assert not blocked, blocked
    found = [*looks.axe_in_both_themes(page), *looks.too_wide_or_small(page)]
    assert not found, found
    page.locator("#pictures img").click()
    expect(page.locator("#zoom")).to_be_visible()
    page.keyboard.press("1")  # a vote while the picture is looked at would be an accident
    page.get_by_role("button", name="Close").click()
    place(page, "1 of 4")
    page.keyboard.press("4")
    page.keyboard.press("1")
    expect(page.locator("input:checked")).to_have_count(2)
    page.get_by_role("button", name="Send").click()
    place(page, "2 of 4")


def test_a_scale_to_ten_is_one_key_a_vote(made_up_link, phone):
    page = begin(phone, made_up_link)
    found = [*looks.axe_in_both_themes(page), *looks.too_wide_or_small(page)]
    assert not found, found
    expect(page.locator("#vote button")).to_have_text([str(number) for number in range(11)])
    for number, key in enumerate("x07", 2):
        page.keyboard.press(key)
        place(page, f"{number} of 6")
    page.keyboard.press("u")
    place(page, "3 of 6")
    page.keyboard.press("X")  # with Shift, or Caps Lock
    place(page, "4 of 6")
    all_sent(page)
    assert said() == [[10], [0], [10]]
    page.reload()
    place(page, "4 of 6")
    phone.set_offline(True)
    page.keyboard.press("3")
    place(page, "5 of 6")
    page.get_by_role("button", name="10", exact=True).tap()
    place(page, "6 of 6")
    expect(page.locator("#state")).to_contain_text("2 votes wait")
    page.keyboard.press("u")
    place(page, "5 of 6")
    expect(page.locator("#state")).to_contain_text("1 vote waits")  # no request is under way
    phone.set_offline(False)
    all_sent(page)
    assert said() == [[10], [0], [10], [3]]


def test_five_lines_of_a_plan_are_answered_one_after_the_other(embodied_link, phone):
    page = begin(phone, embodied_link)
    found = [*looks.axe_in_both_themes(page), *looks.too_wide_or_small(page)]
    assert not found, found
    lines = page.locator("#vote fieldset")
    expect(lines).to_have_count(5)
    first = page.locator("#answers").inner_text()
    for number, key in enumerate("54321", 1):
        page.keyboard.press(key)
        expect(page.locator("input:checked")).to_have_count(number)
        expect(lines.nth(min(number, 4))).to_have_attribute("data-now", "")
    page.keyboard.press("6")  # no answer on any line
    page.keyboard.press("x")
    expect(page.locator("input:checked")).to_have_count(5)
    place(page, "1 of 4")
    page.keyboard.press("Enter")
    place(page, "2 of 4")
    expect(page.locator("input:checked")).to_have_count(0)
    expect(lines.first).to_have_attribute("data-now", "")
    page.keyboard.press("3")
    page.keyboard.press("Enter")  # four lines say nothing yet
    place(page, "2 of 4")
    all_sent(page)
    assert said() == [[5, 4, 3, 2, 1]]
    page.keyboard.press("u")
    place(page, "1 of 4")
    assert page.locator("#answers").inner_text() == first
    all_sent(page)
    assert said() == []


def test_five_lines_are_kept_without_network_and_go_on_after_a_reload(embodied_link, phone):
    page = begin(phone, embodied_link)
    phone.set_offline(True)
    for answers in ("12345", "55555"):
        for key in answers:
            page.keyboard.press(key)
        expect(page.locator("input:checked")).to_have_count(5)
        page.get_by_role("button", name="Send").tap()
    place(page, "3 of 4")
    expect(page.locator("#state")).to_contain_text("2 votes wait")
    address = page.url
    page.close()
    phone.set_offline(False)
    again = phone.new_page()
    again.goto(address)
    all_sent(again)
    assert said() == [[1, 2, 3, 4, 5], [5, 5, 5, 5, 5]]
    again.reload()
    place(again, "3 of 4")
    again.keyboard.press("u")
    place(again, "2 of 4")
    assert said() == [[1, 2, 3, 4, 5]]


def test_a_study_is_rated_without_a_script(spelling_link, page):
    browser: Browser | None = page.context.browser
    assert browser is not None
    plain = browser.new_context(java_script_enabled=False)
    other = begin(plain, spelling_link)
    other.get_by_role("button", name="Correct", exact=True).click()
    place(other, "2 of 12")
    other.get_by_role("button", name="Undo").click()
    place(other, "1 of 12")
    plain.close()
