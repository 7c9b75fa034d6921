"""A board as it stood once: true, unchanged by whatever happens later, silent about who left."""

import json
import re
from itertools import product
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from benchmarks.submissions.marks.flags import decide_ranking
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from judging.models import Judgement
from leaderboard.models import BoardSnapshot, Scoresheet, ShownFigures, ShownRow
from leaderboard.results.services import score_run
from leaderboard.results.snapshots import columns
from tests.overwriting import overwrite

PAGE = "/boards/spelling/"


@pytest.fixture(scope="module")
def made(enter_early, keep) -> UUID:
    """An entry that is right nine times of twenty, on a board that was kept on the first day."""
    entry: Submission = enter_early("Early", 9)
    keep(0)
    return entry.pk


@pytest.fixture
def early(made, db) -> Submission:
    return Submission.objects.get(pk=made)


def rows(page: str) -> list[tuple[str, str]]:
    """Rank range and name of each row of the table."""
    found = re.findall(
        r'<td class="rank"[^>]*>(.*?)</td>\s*<th class="model" scope="row">(.*?)</th>', page, re.S
    )
    return [(bare(rank), bare(name).partition(" by ")[0]) for rank, name in found]


def bare(markup: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", markup).split())


def figures_of(client, query: str) -> bytes:
    """The board's document from its first metric on: every figure and rank of it."""
    document = client.get(f"/api/v1{PAGE}?{query}").json()
    told = {
        name: document[name] for name in ("entries", "claims", "smallest_difference", "metrics")
    }
    return json.dumps(told, sort_keys=True).encode()


def names(client, query: str) -> list[str]:
    document = client.get(f"/api/v1{PAGE}?{query}").json()
    return [entry["model"] for entry in document["entries"]]


def judge_as_wrong(submission: Submission) -> None:
    """Every answer of it, which is scored again."""
    overwrite(Judgement.objects.filter(run__submission=submission), verdict="wrong")
    score_run(run=submission.runs.get())


# --- as of a day ----------------------------------------------------------------------------------


def test_a_day_shows_who_stood_where_at_its_end(early, enter, keep, client):
    """With the ranks and figures of then."""
    then = figures_of(client, "as_of=2020-03-01")
    judge_as_wrong(early)
    enter("Late", 15)
    keep(2)
    assert figures_of(client, "as_of=2020-03-01") == then
    assert figures_of(client, "") != then
    for asked, found in {
        "2020-03-01": ["Early"],
        "2020-03-02": ["Early"],
        "2020-03-03": ["Late", "Early"],
        "2020-03-03T11:59:59Z": ["Early"],
        "2020-03-03T12:00:00": ["Late", "Early"],
        f"{timezone.now():%Y-%m-%d}": ["Late", "Early"],
    }.items():
        assert names(client, f"as_of={asked}") == found, asked
    page = client.get(f"{PAGE}?as_of=2020-03-01").text
    assert ("As of <time" in page, "Today’s board" in page, "Late" in page) == (
        True,
        True,
        False,
    )
    export = client.get(f"{PAGE}export.csv?as_of=2020-03-01").getvalue().decode()
    assert ("Early" in export, "Late" in export) == (True, False)
    assert "2020-03-01T12:00:00+00:00" in export


def test_what_is_no_moment_of_the_past_is_todays_board_with_a_note(early, client):
    for asked in (
        "nonsense",
        "2020-13-01",
        "2020-02-30",
        "9999-12-31",
        "9999-12-31T23:59:59-23:59",
        "0001-01-01T00:00:00%2B23:00",
        "1" * 5_000,
        "2020-03-01&as_of=never",
    ):
        page = client.get(f"{PAGE}?as_of={asked}")
        assert page.status_code == 200
        assert "This is the board of now." in page.text
        assert 'id="as-of"' not in page.text
        assert client.get(f"/api/v1{PAGE}?as_of={asked}").status_code in (400, 404)
        assert client.get(f"{PAGE}export.csv?as_of={asked}").status_code in (400, 404)
    # before the first snapshot it says since when there are any
    page = client.get(f"{PAGE}?as_of=2019-01-01").text
    assert "Nothing was kept of this board before 2020-03-01 12:00 UTC." in page
    assert "Early" in page
    assert client.get(f"/api/v1{PAGE}?as_of=2019-01-01").status_code == 404
    assert client.get(f"{PAGE}export.json?as_of=2019-01-01").status_code == 404


# --- a permalink ----------------------------------------------------------------------------------


def cited(client, query: str = "") -> str:
    """The permalink on the page of the board of now, without its host."""
    page = client.get(f"{PAGE}?{query}").text
    found = re.search(r'<div id="cite">.*?href="([^"]+)"', page, re.S)
    assert found is not None
    parts = urlsplit(found[1].replace("&amp;", "&"))
    return parts.query


def test_a_cited_link_never_moves_whatever_is_judged_later(early, enter, keep, client, stranger):
    other = enter("Other", 12)
    keep(1)
    link = cited(client)
    before = figures_of(client, link)
    told = rows(client.get(f"{PAGE}?{link}").text)
    assert [name for _, name in told] == ["Other", "Early"]

    judge_as_wrong(early)
    keep(2)
    enter("Published later", 19)
    keep(3)
    decide_ranking(submission=other, is_ranked=False, reason="Bought.", by=stranger)
    keep(4)
    EvaluatedModel.objects.filter(name="Early").update(name="Renamed")
    keep(5)
    assert figures_of(client, link) == before
    assert rows(client.get(f"{PAGE}?{link}").text) == told
    assert names(client, link) == ["Other", "Early"]


def test_after_a_withdrawal_every_other_row_stays_as_it_was(early, enter, keep, client):
    leading = enter("Leading", 15)
    keep(1)
    link = cited(client)
    before = json.loads(figures_of(client, link))["entries"]
    withdraw_submission(submission=leading)
    keep(2)
    gone, kept = json.loads(figures_of(client, link))["entries"]
    # how far it was behind would tell the score of who left
    assert kept == before[1] | {"to_leader": None}
    assert (gone["gone"], gone["id"], gone["figures"]) == (True, None, {})
    assert gone["rank"] == before[0]["rank"]
    page = client.get(f"{PAGE}?{link}").text
    assert "withdrawn or made private since" in page
    (row,) = (
        row for row in page.split("<tr") if 'class="model"' in row and "An entry withdrawn" in row
    )
    assert ("leads" in row, "0 unreadable" in row, 'type="checkbox"' in row) == (False,) * 3
    assert ">by <" not in row
    for told in ("Leading", str(leading.pk)):
        assert told not in page
        assert told not in client.get(f"{PAGE}export.json?{link}").getvalue().decode()
    assert str(early.pk) in page


def test_the_equals_of_an_entry_that_is_gone_do_not_tell_its_score(early, enter, keep, client):
    one, other = enter("Twin one", 15), enter("Twin two", 15)
    keep(1)
    link = cited(client)
    assert "1 more with the same answers" in client.get(f"{PAGE}?{link}").text
    first = Submission.objects.filter(pk__in=(one.pk, other.pk)).earliest("confirmed")
    set_visibility(submission=first, visibility="private")
    page = client.get(f"{PAGE}?{link}").text
    assert ("withdrawn or made private since" in page, "with the same answers" in page) == (
        True,
        False,
    )
    told = client.get(f"/api/v1{PAGE}?{link}").json()["entries"]
    assert [entry["same_answers_as"] for entry in told if not entry.get("gone")] == [None, None]


def test_an_entry_made_private_is_not_found_by_name_value_or_id(early, enter, keep, client):
    secret = enter("Secret", 15)
    keep(1)
    link = cited(client)
    set_visibility(submission=secret, visibility="private")
    assert names(client, f"{link}&q=secret") == []
    page = client.get(f"{PAGE}?{link}&m={secret.pk}").text
    assert ("Secret" in page, "not on this board" in page) == (False, True)
    by_value = names(client, link)
    assert by_value[0].startswith("An entry withdrawn")
    sorted_page = client.get(f"{PAGE}?{link}&sort=accuracy&order=desc").text
    assert [name for _, name in rows(sorted_page)][-1].startswith("An entry withdrawn")


def test_a_cited_link_holds_every_choice(early, client):
    query = "ranges=together&published=off&q=early&sort=accuracy&order=asc"
    link = cited(client, query)
    for part in (*query.split("&"), "snapshot="):
        assert part in link
    page = client.get(f"{PAGE}?{link}").text
    newest = BoardSnapshot.objects.get()
    assert "texts edition 1" in page
    assert f"2020-03-01 12:00 UTC, texts edition 1, SHA-256 {newest.digest}" in page  # in BibTeX
    assert f"@misc{{spelling-{newest.name}," in page


def test_a_snapshot_is_asked_for_by_its_name_or_its_whole_digest(early, client):
    """One that there is not shows no other board."""
    kept = BoardSnapshot.objects.get()
    for name in (kept.name, kept.digest, kept.digest[:20], kept.digest.upper()):
        assert names(client, f"snapshot={name}") == ["Early"]
    wrong = f"{kept.digest[:-1]}{'0' if kept.digest[-1] != '0' else '1'}"
    for asked in (wrong, kept.name[:8], "0" * 16, "zzz", "'", "a" * 5_000):
        assert client.get(f"{PAGE}?snapshot={asked}").status_code == 404
        assert client.get(f"{PAGE}export.csv?snapshot={asked}").status_code == 404
        assert client.get(f"/api/v1{PAGE}?snapshot={asked}").status_code in (400, 404)


def test_a_board_that_nobody_stands_on_any_more_keeps_its_past(early, keep, client):
    then = BoardSnapshot.objects.get()
    withdraw_submission(submission=early)
    empty = keep(1)
    assert empty.entries == 0
    assert [c["cause"] for c in empty.changes["causes"]] == ["withdrawn"]
    page = client.get(f"{PAGE}?snapshot={then.name}")
    assert (page.status_code, "Early" in page.text) == (200, False)
    assert client.get(f"{PAGE}?as_of=2020-03-01").status_code == 200
    assert names(client, "as_of=2020-03-05") == []


# --- when, and what is kept -----------------------------------------------------------------------


def test_an_unchanged_board_is_kept_once(early, keep):
    first = BoardSnapshot.objects.get()
    Scoresheet.objects.update(computed=timezone.now())  # the same figures, computed again
    assert keep(1) == first
    score_run(run=early.runs.get())
    assert keep(2) == first
    EvaluatedModel.objects.update(organisation="Elsewhere")
    assert keep(3) != first


def test_figures_are_kept_once_however_often_a_board_changes_and_are_never_changed(
    early, enter, keep
):
    for number in range(3):
        enter(f"Model {number}", 12 + number)
        keep(1 + number)
    counts = BoardSnapshot.objects.count(), ShownRow.objects.count(), ShownFigures.objects.count()
    assert counts == (4, 4, 4)
    statements = "UPDATE {} SET digest = ''", "DELETE FROM {}"
    for table, statement in product(("boardsnapshot", "shownrow", "shownfigures"), statements):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement.format(f"leaderboard_{table}"))


def test_columns_come_back_as_they_were_packed():
    rows: list[dict[str, Any]] = [
        {"keys": 2**40, "rank": 1, "best": 1, "worst": 3, "best_together": 1, "worst_together": 4}
        | {"lead": None, "flags": 1, "ahead": None, "low": None, "high": None}
        | {"low_together": None, "high_together": None},
        {"keys": 7, "rank": None, "best": None, "worst": None, "best_together": None}
        | {"worst_together": None, "lead": 0, "flags": 0, "ahead": -0.1, "low": 1e-300}
        | {"high": 0.3, "low_together": -1e300, "high_together": 1 / 3},
    ]
    for count in (0, 1, 2):
        told = columns.columns_of(rows[:count], [["accuracy"], []][:count])
        found = columns.unpacked(columns.packed(told))
        assert found.size == count
        for place, row in enumerate(rows[:count]):
            for name in columns.NUMBERS:
                assert found.number(name, place) == row[name]
            for name in columns.FLOATS:
                assert found.real(name, place) == row[name]
        assert {name: list(marks) for name, marks in found.firsts.items()} == (
            {"accuracy": [True, False][:count]} if count else {}
        )


# --- causes ---------------------------------------------------------------------------------------


def causes(kept: BoardSnapshot) -> list[tuple[str, object, object]]:
    return [(told["cause"], told["from"], told["to"]) for told in kept.changes["causes"]]


def moved(kept: BoardSnapshot) -> list[tuple[object, object]]:
    return [(told["from"], told["to"]) for told in kept.changes["moved"]]


def test_every_change_has_its_cause(early, enter, keep, stranger):
    assert causes(BoardSnapshot.objects.get()) == [("new", None, [1, 1])]
    high = enter("High", 20)
    kept = keep(1)
    assert causes(kept) == [("new", None, [1, 1])]
    assert moved(kept) == [([1, 1], [2, 2])]
    decide_ranking(submission=high, is_ranked=False, reason="Bought.", by=stranger)
    kept = keep(2)
    assert causes(kept) == [("kept_out", [1, 1], None)]
    assert moved(kept) == [([2, 2], [1, 1])]
    decide_ranking(submission=high, is_ranked=True, reason="Not bought.", by=stranger)
    assert causes(keep(3)) == [("ranked", None, [1, 1])]
    judge_as_wrong(early)
    assert [cause for cause, *_ in causes(keep(4))] == ["judged"]
    withdraw_submission(submission=high)
    assert causes(keep(5))[0][0] == "withdrawn"
    set_visibility(submission=early, visibility="private")
    assert causes(keep(6))[0][0] == "private"
