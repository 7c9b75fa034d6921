"""The history of a board tells every change with its cause, and names nobody who left."""

import re
from uuid import UUID

import pytest

from benchmarks.models import Benchmark
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import withdraw_submission
from leaderboard.results.selectors import eras_of
from leaderboard.web.pages.boards import history as board_history
from leaderboard.web.pages.boards.history import scores_over_time

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
    benchmark = Benchmark.objects.get()
    scores = scores_over_time(benchmark, eras_of(benchmark)[0])
    assert scores is not None
    assert [(line.model, line.values) for line in scores.lines] == [
        ("High", ("–", "100.00")),
        ("Low", ("5.00", "5.00")),
    ]
    markup = client.get(PAGE).text
    drawings = dict(re.findall(r'<svg class="over-time (\w+)" viewBox="0 0 (\d+) 200"', markup))
    assert drawings == {"wide": "640", "narrow": "328"}
    for kind, right in (("wide", 626), ("narrow", 314)):
        drawn = markup.partition(f'class="over-time {kind}"')[2].partition("</svg>")[0]
        assert f'd="M14.0 186.0H{right}.0V186.0"' in drawn
        assert f'd="M{right}.0 14.0"' in drawn


def test_answers_that_were_handed_in_again_have_no_line_of_their_own(low, enter, keep):
    enter("Copy of High", 20)
    keep(2)
    benchmark = Benchmark.objects.get()
    scores = scores_over_time(benchmark, eras_of(benchmark)[0])
    assert scores is not None
    assert [line.model for line in scores.lines] == ["High", "Low"]


def test_pages_are_bounded_and_what_is_not_understood_is_the_first(low, client, monkeypatch):
    monkeypatch.setattr(board_history, "SNAPSHOTS", 1)
    odd = "?page=x", "?page=99999999999", "?release=nope&judge=%00", "?page="
    for query in ("", *odd):
        first = text(client, query)
        assert ("High : new entry" in first, "Low : new entry" in first) == (True, False), query
    assert "Low : new entry" in text(client, "?page=2")
    assert client.get(f"{PAGE}?page=3").status_code == 404


def test_a_page_of_many_changes_takes_as_many_queries(
    low, enter, keep, client, django_assert_max_num_queries
):
    for number in (2, 3):
        enter(f"Model {number}", 5 * number)
        keep(number)
    with django_assert_max_num_queries(8):
        client.get(PAGE)
