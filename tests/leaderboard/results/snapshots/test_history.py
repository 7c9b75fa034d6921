"""The history of a board tells every change with its cause, and names nobody who left."""

import re
from datetime import UTC, datetime
from urllib.parse import urlencode
from uuid import UUID

import pytest
from django.utils import timezone

from benchmarks.models import Release
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from leaderboard.web.pages.boards import history as board_history
from tests.leaderboard.web.pages.shown_text import cells, links, page_at, part
from tests.person import words

PAGE = "/boards/spelling/history/"


def text(client, query: str = "") -> str:
    page = client.get(f"{PAGE}{query}")
    assert page.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", page.text).split())


@pytest.fixture(scope="module")
def made(enter_early, keep) -> tuple[UUID, UUID]:
    """Low stands alone on the first day, below High from the second."""
    low = enter_early("Low", 1)
    keep(0)
    high = enter_early("High", 20)
    keep(1)
    return low.pk, high.pk


@pytest.fixture
def low(made, db) -> Submission:
    return Submission.objects.get(pk=made[0])


@pytest.fixture
def high(made, db) -> Submission:
    return Submission.objects.get(pk=made[1])


def test_each_change_stands_with_who_moved_and_why_and_who_left_has_no_name(
    high, enter, keep, client
):
    enter("Middle", 10)
    keep(2)
    told = text(client)
    assert "Middle : new entry, now 2" in told
    assert "1 moved as a result Low : moved because others changed, from 2 to 3" in told
    assert told.index("2020-03-03 12:00 UTC") < told.index("2020-03-01 12:00 UTC")
    assert "; the first one" in told
    withdraw_submission(submission=high)
    keep(3)
    told = text(client)
    assert "a withdrawn entry (was 1)" in told
    assert "High" not in told
    assert str(high.pk) not in client.get(PAGE).text


def test_scores_over_time_are_those_that_were_kept_on_a_narrow_page_as_well(low, client):
    """Low stands at the bottom from the first day on, High at the top on the second."""
    assert cells(part(page_at(client, PAGE), "scores")) == [
        ["High", "–", "100.00"],
        ["Low", "5.00", "5.00"],
    ]
    markup = client.get(PAGE).text
    drawings = dict(re.findall(r'<svg class="over-time (\w+)" viewBox="0 0 (\d+) 220"', markup))
    assert drawings == {"wide": "640", "narrow": "328"}
    for kind, right in (("wide", 626), ("narrow", 314)):
        drawn = markup.partition(f'class="over-time {kind}"')[2].partition("</svg>")[0]
        assert f'd="M14.0 186.0H{right}.0V186.0"' in drawn
        assert f'd="M{right}.0 14.0"' in drawn


def test_answers_that_were_handed_in_again_have_no_line_of_their_own(low, enter, keep, client):
    enter("Copy of High", 20)
    keep(2)
    rows = cells(part(page_at(client, PAGE), "scores"))
    assert [row[0] for row in rows] == ["High", "Low"]


def test_the_drawing_has_days_on_its_axis_and_a_sign_of_its_own_for_each_entry(low, client):
    (wide, narrow) = page_at(client, PAGE).xpath("//svg[contains(@class, 'over-time')]")
    for drawing in (wide, narrow):
        days = [text.text for text in drawing.xpath("./text") if text.text.startswith("03-")]
        assert (days[0], days[-1]) == ("03-01 12:00", "03-02 12:00")
        high, low_line = (
            {sign.split("m", 1)[1] for sign in re.findall(r"M[^M]+", marks.get("d"))}
            for marks in drawing.xpath(".//path[@class='marks']")
        )
        assert len(high) == len(low_line) == 1
        assert high != low_line


def opens_with(client) -> str:
    return words(page_at(client, PAGE).xpath("//p[@class='answer']")[0])


def test_it_opens_with_who_leads_since_when_and_how_many_joined_of_late(high, enter, keep, client):
    lately = "in the last 30 days"
    assert opens_with(client) == f"High has led since 2020-03-02; 2 entries joined {lately}."
    Submission.objects.update(created=datetime(2020, 3, 1, tzinfo=UTC))
    assert opens_with(client) == f"High has led since 2020-03-02; nothing has changed {lately}."
    enter("Middle", 10)
    keep(2)
    assert opens_with(client) == f"High has led since 2020-03-02; 1 entry joined {lately}."
    set_visibility(submission=high, visibility="private")
    assert opens_with(client) == f"1 entry joined {lately}."
    keep(3)
    assert opens_with(client) == f"Middle has led since 2020-03-04; 1 entry joined {lately}."


def test_a_hidden_test_is_not_said_to_have_a_leader(low, client):
    Release.objects.update(disclosure="hidden_test")
    assert opens_with(client) == "2 entries joined in the last 30 days."
    page = words(page_at(client, PAGE))
    assert "A hidden test shows no ranks." in page
    assert "A rank range" not in page


def test_the_board_of_a_day_can_be_asked_for_from_the_first_day_to_this_one(low, client):
    page = page_at(client, PAGE)
    (day,) = page.xpath("//input[@type='date']")
    assert day.get("min") == "2020-03-01"
    assert day.get("max") == f"{timezone.now():%Y-%m-%d}"
    (form,) = page.xpath("//form[.//input[@type='date']]")
    asked = {one.get("name"): one.get("value", "2020-03-01") for one in form.xpath(".//input")}
    board = page_at(client, f"{form.get('action')}?{urlencode(asked)}")
    assert "As of 2020-03-01 12:00 UTC" in words(board)
    assert {"Low", "High"} & links(board).keys() == {"Low"}


def test_pages_are_bounded_and_what_is_not_understood_is_the_first(low, client, monkeypatch):
    monkeypatch.setattr(board_history, "SNAPSHOTS", 1)
    odd = "?page=x", "?page=99999999999", "?release=nope&judge=%00", "?page="
    for query in ("", *odd):
        first = text(client, query)
        assert ("High : new entry" in first, "Low : new entry" in first) == (True, False), query
    assert "Low : new entry" in text(client, "?page=2")
    assert "this is its last, page 2." in text(client, "?page=3")


def test_a_page_of_many_changes_takes_as_many_queries(
    low, enter, keep, client, django_assert_max_num_queries
):
    for number in (2, 3):
        enter(f"Model {number}", 5 * number)
        keep(number)
    with django_assert_max_num_queries(8):
        client.get(PAGE)
