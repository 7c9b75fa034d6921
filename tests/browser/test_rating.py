"""A rater's afternoon in a real browser: on a phone, by keys, without network, in two tabs, and
without a script."""

import io
import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page, Route, ViewportSize, expect

from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.samples.floor import set_floor_version
from judging.coordination.clock import database_now
from judging.panel.models import Assignment, Study, StudyRater, Vote
from judging.panel.studies.handing_out import give_out
from judging.panel.studies.lifecycle import LATE_TIME, close_study
from judging.panel.studies.plans import questionnaires
from judging.panel.studies.raters import (
    Invitee,
    invite_people,
    revoke_link,
    withdraw_votes,
)
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


def seen(page: Page) -> None:
    """The item before the rater was in view for as long as a vote takes, and so was the line where
    one is shown at a time."""
    page.wait_for_function("() => !document.querySelector('#vote[data-wait]')")
    if page.locator("#vote.stepped").count():
        page.wait_for_timeout(550)


def press(page: Page, key: str) -> None:
    seen(page)
    page.keyboard.press(key)


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
    seen(page)
    page.get_by_role("button", name="The first is better").tap()
    place(page, "2 of 16")
    assert page.evaluate("window.scrollY") == 0


SCREENS = [(320, 560), (360, 640), (1280, 900)]
LINES = """() => {
    const bar = document.querySelector('footer.bar').getBoundingClientRect().top;
    const top = document.querySelector('body > header').getBoundingClientRect().bottom;
    const texts = [document.getElementById('question'), ...document.querySelectorAll('.answer')];
    return texts.map((text) => {
        const range = document.createRange();
        range.selectNodeContents(text);
        const lines = new Map([...range.getClientRects()].map((box) => [Math.round(box.top), box]));
        const inView = [...lines.values()].filter((box) => box.top >= top && box.bottom <= bar);
        return [inView.length, lines.size];
    });
}"""
"""Of the question and each answer: its lines between header and votes, and all its lines."""


def assert_readable(page: Page, least: int) -> None:
    """On each screen, without scrolling: the whole question, and of the first answer so many lines
    or all; on a desktop everything."""
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        page.reload()
        expect(page.locator("#place")).to_contain_text("1 of")
        (asked, asked_lines), *answers = page.evaluate(LINES)
        assert asked == asked_lines > 0, (width, height)
        shown, all_lines = answers[0]
        assert shown >= min(least, all_lines) > 0, (width, height, answers)
        if width > 1000:
            assert all(shown == all_lines for shown, all_lines in answers)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        bar = page.locator("footer.bar").bounding_box()
        assert bar is not None
        assert round(bar["y"] + bar["height"]) == height


def test_a_pair_is_read_above_the_votes_on_every_screen(comparison_link, phone):
    assert_readable(begin(phone, comparison_link), 5)


def test_a_plan_is_read_above_five_marks_on_every_screen(embodied_link, phone):
    page = begin(phone, embodied_link)
    assert_readable(page, 5)
    page.set_viewport_size({"width": 320, "height": 560})
    for number in range(1, 6):
        expect(page.locator("fieldset:visible .step")).to_have_text(f"{number} of 5")
        seen(page)
        page.locator("fieldset:visible label", has_text=str(number)).tap()
    expect(page.locator(".step-to")).to_have_text(list("12345"))
    page.locator(".step-to").nth(1).tap()
    seen(page)
    page.locator("fieldset:visible label", has_text="5").tap()
    seen(page)
    page.get_by_role("button", name="Send").tap()
    place(page, "2 of 4")
    all_sent(page)
    assert said() == [[1, 5, 3, 4, 5]]


def test_a_desktop_shows_picture_question_answer_and_send_without_scrolling(plans_link, phone):
    page = phone.new_page()
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(plans_link)
    expect(page.locator("#instructions")).to_be_visible()
    page.get_by_role("button", name="Begin").click()
    for part in ("#pictures img", "#question", ".answer", "#vote .send"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 900, part
    assert page.evaluate("document.documentElement.scrollHeight") == 900
    assert page.locator("#instructions").count() == 0
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Instructions").click()
    read = opened.value
    expect(read.locator("main")).to_contain_text("Rate by yourself")
    found = [*looks.axe_in_both_themes(read), *looks.too_wide_or_small(read)]
    assert not found, found
    read.get_by_role("link", name="Back to the items").click()
    expect(read.locator("#vote")).to_be_visible()


def test_a_line_that_says_nothing_is_shown_instead_of_sending(embodied_link, phone):
    page = begin(phone, embodied_link)
    press(page, "4")
    page.locator(".step-to").nth(4).tap()
    press(page, "3")
    page.get_by_role("button", name="Send").tap()
    expect(page.locator("fieldset:visible .step")).to_have_text("2 of 5")
    expect(page.locator("#state")).to_contain_text("Say something on every line")
    place(page, "1 of 4")


def test_a_double_tap_is_one_vote_and_nothing_unseen_is_voted_on(spelling_link, phone):
    page = begin(phone, spelling_link)
    seen(page)
    button = page.get_by_role("button", name="Correct", exact=True)
    button.dblclick()
    place(page, "2 of 12")
    page.keyboard.press("1")  # sooner than anybody sees and answers
    place(page, "2 of 12")
    seen(page)
    button.dblclick(delay=20)
    place(page, "3 of 12")
    all_sent(page)
    assert said() == [[1], [1]]


def test_an_item_takes_no_vote_before_its_picture_is_there(plans_link, phone):
    held: list[Route] = []

    def hold_pictures(route: Route) -> None:
        if route.request.resource_type == "image" and "seal" not in route.request.url:
            held.append(route)
        else:
            route.continue_()

    page = phone.new_page()
    page.route("**/*", hold_pictures)
    page.goto(plans_link)
    page.get_by_role("button", name="Begin").click(no_wait_after=True)
    page.wait_for_selector("#vote[data-wait]")
    page.wait_for_timeout(1500)
    expect(page.locator("#vote")).to_have_attribute("data-wait", "")
    assert held
    for route in held:
        route.continue_()
    page.wait_for_selector("#vote:not([data-wait])")


def close_it(late: timedelta = timedelta(0)) -> None:
    """The only study is closed; the time for late votes ends so much later."""
    study = Study.objects.get()
    close_study(study=study)
    if not late:
        Study.objects.update(late_until=database_now())


def test_votes_given_offline_are_taken_after_the_close_and_the_rater_is_told(spelling_link, phone):
    page = begin(phone, spelling_link)
    press(page, "1")
    all_sent(page)
    phone.set_offline(True)
    press(page, "2")
    press(page, "1")
    expect(page.locator("#state")).to_contain_text("2 votes wait")
    elsewhere(lambda: close_it(LATE_TIME))
    phone.set_offline(False)
    all_sent(page)
    expect(page.locator("#late")).to_contain_text("This study ended on")
    expect(page.locator("#late")).to_contain_text("There are no new items")
    assert said() == [[1], [0], [1]]
    press(page, "1")
    all_sent(page)
    assert len(said()) == 4


def test_what_comes_after_the_late_time_is_offered_as_a_file(spelling_link, phone):
    page = begin(phone, spelling_link)
    press(page, "1")
    all_sent(page)
    phone.set_offline(True)
    press(page, "2")
    press(page, "1")
    elsewhere(close_it)
    phone.set_offline(False)
    expect(page.locator(".end")).to_contain_text("This study ended on", timeout=30_000)
    expect(page.get_by_role("button", name="Save 2 unsent votes as a file")).to_be_visible()
    page.goto(spelling_link)
    assert_saved(page, 2)
    found = [*looks.axe_in_both_themes(page), *looks.too_wide_or_small(page)]
    assert not found, found


def assert_saved(page: Page, count: int) -> None:
    button = page.get_by_role("button", name=f"Save {count} unsent vote")
    with page.expect_download() as download:
        button.click()
    content = json.loads(download.value.path().read_text())
    ((name, votes),) = content["kept"].items()
    assert name == f"rating-{study_id_of(page)}-rater-1"
    assert [vote["values"] for vote in votes] == [{"correct": 0}, {"correct": 1}][:count]
    assert all(vote["item"] and vote["key"] for vote in votes)
    assert page.evaluate("localStorage.length") == 1  # a download that failed loses nothing


def study_id_of(page: Page) -> str:
    return page.url.rstrip("/").rpartition("/")[2]


def test_a_revoked_link_offers_what_was_not_sent_as_a_file(spelling_link, phone):
    page = begin(phone, spelling_link)
    phone.set_offline(True)
    press(page, "2")
    expect(page.locator("#state")).to_contain_text("1 vote waits")
    address = page.url
    elsewhere(lambda: revoke_link(rater=StudyRater.objects.get()))
    phone.set_offline(False)
    page.goto(address)
    expect(page.locator(".end")).to_contain_text("This link does not work")
    assert_saved(page, 1)
    page.goto(spelling_link)
    expect(page.get_by_role("button", name="Save 1 unsent vote as a file")).to_be_visible()


def test_an_open_page_of_who_withdrew_elsewhere_says_so_and_keeps_nothing(spelling_link, phone):
    page = begin(phone, spelling_link)
    phone.set_offline(True)
    press(page, "2")
    expect(page.locator("#state")).to_contain_text("1 vote waits")
    elsewhere(lambda: withdraw_votes(rater=StudyRater.objects.get()))
    phone.set_offline(False)
    expect(page.locator(".end")).to_contain_text("You withdrew your votes", timeout=30_000)
    all_sent(page)
    assert said() == []


def test_a_double_tap_on_undo_takes_one_vote_back(spelling_link, phone):
    page = begin(phone, spelling_link)
    press(page, "1")
    press(page, "2")
    place(page, "3 of 12")
    all_sent(page)
    page.get_by_role("button", name="Undo").dblclick(delay=20)
    place(page, "2 of 12")
    all_sent(page)
    assert said() == [[1]]


def test_keys_vote_and_take_back_and_a_closed_tab_goes_on_where_it_was(spelling_link, phone):
    page = begin(phone, spelling_link)
    first = page.locator("#question").inner_text()
    for number, key in enumerate("132", 2):
        press(page, key)
        place(page, f"{number} of 12")
    press(page, "7")  # stands for nothing here
    place(page, "4 of 12")
    for number in (3, 2, 1):
        press(page, "u")
        place(page, f"{number} of 12")
    expect(page.locator("#question")).to_have_text(first)
    press(page, "1")
    place(page, "2 of 12")
    page.wait_for_function("() => !localStorage.length")
    address = page.url
    page.close()
    again = phone.new_page()
    again.goto(address)
    place(again, "2 of 12")
    # a vote of an earlier visit is taken back by the site
    press(again, "u")
    place(again, "1 of 12")
    expect(again.locator("#question")).to_have_text(first)


def test_votes_without_network_outlive_the_tab_and_are_sent_later(spelling_link, phone):
    page = begin(phone, spelling_link)
    address = page.url
    phone.set_offline(True)
    for _ in range(4):
        press(page, "1")
    press(page, "u")
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
    press(page, "1")
    page.wait_for_function("() => !localStorage.length")
    phone.set_offline(True)
    for _ in range(4):
        press(page, "1")
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
    again.get_by_role("button", name="Continue").click()
    place(again, "6 of 60")


def test_votes_are_sent_by_themselves_when_the_network_is_back(spelling_link, phone):
    page = begin(phone, spelling_link)
    phone.set_offline(True)
    for _ in range(12):
        press(page, "2")
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
    press(page, "1")
    place(page, "2 of 12")
    page.wait_for_function("() => !localStorage.length")
    press(other, "2")
    expect(other.locator("#state")).to_contain_text("Your first vote stays")
    place(other, "2 of 12")


def test_votes_of_one_rater_are_not_sent_as_anothers(spelling_link, second_link, phone):
    page = begin(phone, spelling_link)
    other = begin(phone, second_link)
    press(page, "1")
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
    press(page, "1")  # a vote while the picture is looked at would be an accident
    page.get_by_role("button", name="Close").click()
    place(page, "1 of 4")
    press(page, "4")
    press(page, "1")
    expect(page.locator("input:checked")).to_have_count(2)
    seen(page)
    page.get_by_role("button", name="Send").click()
    place(page, "2 of 4")


def test_a_scale_to_ten_is_one_key_a_vote(made_up_link, phone):
    page = begin(phone, made_up_link)
    found = [*looks.axe_in_both_themes(page), *looks.too_wide_or_small(page)]
    assert not found, found
    expect(page.locator("#vote button")).to_have_text([str(number) for number in range(11)])
    for number, key in enumerate("x07", 2):
        press(page, key)
        place(page, f"{number} of 6")
    press(page, "u")
    place(page, "3 of 6")
    press(page, "X")  # with Shift, or Caps Lock
    place(page, "4 of 6")
    all_sent(page)
    assert said() == [[10], [0], [10]]
    page.reload()
    place(page, "4 of 6")
    phone.set_offline(True)
    press(page, "3")
    place(page, "5 of 6")
    seen(page)
    page.get_by_role("button", name="10", exact=True).tap()
    place(page, "6 of 6")
    expect(page.locator("#state")).to_contain_text("2 votes wait")
    press(page, "u")
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
        press(page, key)
        expect(page.locator("input:checked")).to_have_count(number)
        expect(lines.nth(min(number, 4))).to_have_attribute("data-now", "")
    press(page, "6")  # no answer on any line
    press(page, "x")
    expect(page.locator("input:checked")).to_have_count(5)
    place(page, "1 of 4")
    press(page, "Enter")
    place(page, "2 of 4")
    expect(page.locator("input:checked")).to_have_count(0)
    expect(lines.first).to_have_attribute("data-now", "")
    press(page, "3")
    press(page, "Enter")  # four lines say nothing yet
    place(page, "2 of 4")
    all_sent(page)
    assert said() == [[5, 4, 3, 2, 1]]
    press(page, "u")
    place(page, "1 of 4")
    assert page.locator("#answers").inner_text() == first
    all_sent(page)
    assert said() == []


def test_five_lines_are_kept_without_network_and_go_on_after_a_reload(embodied_link, phone):
    page = begin(phone, embodied_link)
    phone.set_offline(True)
    for answers in ("12345", "55555"):
        for key in answers:
            press(page, key)
        expect(page.locator("input:checked")).to_have_count(5)
        seen(page)
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
    press(again, "u")
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
