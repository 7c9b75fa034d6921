"""The history of a board tells every change with its cause, and names nobody who left."""

import re

import pytest

from benchmarks.models import Benchmark
from benchmarks.submissions.services import withdraw_submission
from leaderboard.pages import board_history
from leaderboard.pages.board_history import history_of_model, scores_over_time
from leaderboard.selectors import eras_of

PAGE = "/boards/spelling/history/"


def text(client, query: str = "") -> str:
    page = client.get(f"{PAGE}{query}")
    assert page.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", page.content.decode()).split())


def test_each_change_stands_with_who_moved_and_why(enter, keep, client):
    enter("Low", 1)
    enter("High", 20)
    keep(0)
    enter("Middle", 10)
    keep(1)
    told = text(client)
    assert "Middle : new entry, at 2" in told
    assert "1 moved by these Low : moved by others, from 2 to 3" in told
    assert told.index("2020-03-02 12:00 UTC") < told.index("2020-03-01 12:00 UTC")
    assert "the first that was kept" in told


def test_who_left_has_no_name(enter, keep, client):
    enter("Low", 1)
    high = enter("High", 20)
    keep(0)
    withdraw_submission(submission=high)
    keep(1)
    told = text(client)
    assert "an entry that is not public any more: withdrawn, was at 1" in told
    assert "High" not in told
    assert str(high.pk) not in client.get(PAGE).content.decode()


def test_scores_over_time_are_those_that_were_kept(enter, keep, client):
    enter("Low", 1)
    keep(0)
    enter("High", 20)
    keep(1)
    benchmark = Benchmark.objects.get()
    scores = scores_over_time(benchmark, eras_of(benchmark)[0])
    assert scores is not None
    assert [(line.model, line.values) for line in scores.lines] == [
        ("High", ("–", "100.00")),
        ("Low", ("5.00", "5.00")),
    ]
    # Low stands at the bottom from the first day on, High at the top on the second.
    assert 'd="M14.0 186.0H626.0V186.0"' in scores.wide
    assert 'd="M626.0 14.0"' in scores.wide


def test_a_narrow_page_has_a_drawing_of_its_own_width(enter, keep, client):
    enter("Low", 1)
    keep(0)
    enter("High", 20)
    keep(1)
    markup = client.get(PAGE).content.decode()
    drawings = dict(re.findall(r'<svg class="over-time (\w+)" viewBox="0 0 (\d+) 200"', markup))
    assert drawings == {"wide": "640", "narrow": "328"}
    narrow = markup.partition('class="over-time narrow"')[2].partition("</svg>")[0]
    assert 'd="M14.0 186.0H314.0V186.0"' in narrow
    assert 'd="M314.0 14.0"' in narrow


def test_pages_are_bounded(enter, keep, client, monkeypatch):
    monkeypatch.setattr(board_history, "SNAPSHOTS", 1)
    enter("Low", 1)
    keep(0)
    enter("High", 20)
    keep(1)
    assert "High : new entry" in text(client)
    assert "Low : new entry" not in text(client)
    assert "Low : new entry" in text(client, "?page=2")
    assert client.get(f"{PAGE}?page=3").status_code == 404


@pytest.mark.parametrize(
    "query", ["?page=x", "?page=99999999999", "?release=nope&judge=%00", "?page="]
)
def test_what_is_not_understood_is_the_first_page(enter, keep, client, query):
    enter("Low", 1)
    keep(0)
    assert "Low : new entry" in text(client, query)


def test_a_board_without_snapshots_says_when_there_will_be_one(words, client):
    assert "Nothing was kept of this board yet." in text(client)


def test_a_page_of_many_changes_takes_as_many_queries(
    enter, keep, client, django_assert_max_num_queries
):
    for number in range(4):
        enter(f"Model {number}", 5 * number)
        keep(number)
    with django_assert_max_num_queries(8):
        client.get(PAGE)


def test_a_model_stood_where_its_public_entries_did(enter, keep):
    low = enter("Low", 1)
    keep(0)
    enter("High", 20)
    keep(1)
    enter("Lowest", 0)
    keep(2)
    stood = history_of_model(low.model_id)
    assert [(s.taken.day, s.place) for s in stood] == [
        (3, (2, 3)),
        (2, (2, 2)),
        (1, (1, 1)),
    ]
    withdraw_submission(submission=low)
    assert history_of_model(low.model_id) == ()
