"""A board as it stood once: true, unchanged by whatever happens later, silent about who left."""

import json
import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from benchmarks.submissions.marks.flags import decide_ranking
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from judging.models import Judgement
from leaderboard.models import BoardSnapshot, Scoresheet, ShownFigures, ShownRow
from leaderboard.services import score_run
from leaderboard.snapshots import columns
from tests.overwriting import overwrite

PAGE = "/boards/spelling/"


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


def test_a_day_shows_who_stood_where_at_its_end(enter, keep, client):
    enter("Early", 9)
    keep(0)
    enter("Late", 15)
    keep(2)
    assert names(client, "as_of=2020-03-01") == ["Early"]
    assert names(client, "as_of=2020-03-02") == ["Early"]
    assert names(client, "as_of=2020-03-03") == ["Late", "Early"]
    assert names(client, "as_of=2020-03-03T11:59:59Z") == ["Early"]
    assert names(client, "as_of=2020-03-03T12:00:00") == ["Late", "Early"]
    page = client.get(f"{PAGE}?as_of=2020-03-01").content.decode()
    assert "As it stood on" in page
    assert "Today’s board" in page
    assert "Late" not in page
    export = b"".join(client.get(f"{PAGE}export.csv?as_of=2020-03-01")).decode()
    assert "Early" in export
    assert "Late" not in export
    assert "2020-03-01T12:00:00+00:00" in export


def test_ranks_and_figures_are_those_of_then(enter, keep, client):
    early = enter("Early", 9)
    keep(0)
    then = figures_of(client, "as_of=2020-03-01")
    judge_as_wrong(early)
    enter("Late", 15)
    keep(1)
    assert figures_of(client, "as_of=2020-03-01") == then
    assert figures_of(client, "") != then


@pytest.mark.parametrize(
    "asked",
    [
        "nonsense",
        "2020-13-01",
        "2020-02-30",
        "9999-12-31",
        "9999-12-31T23:59:59-23:59",
        "0001-01-01T00:00:00%2B23:00",
        "1" * 5_000,
        "2020-03-01&as_of=never",
    ],
)
def test_what_is_no_moment_of_the_past_is_todays_board_with_a_note(enter, keep, client, asked):
    enter("Early", 9)
    keep(0)
    page = client.get(f"{PAGE}?as_of={asked}")
    assert page.status_code == 200
    assert "This is the board of now." in page.content.decode()
    assert 'id="as-of"' not in page.content.decode()
    assert client.get(f"/api/v1{PAGE}?as_of={asked}").status_code in (400, 404)
    assert client.get(f"{PAGE}export.csv?as_of={asked}").status_code in (400, 404)


def test_before_the_first_snapshot_the_board_of_now_says_since_when_there_are_any(
    enter, keep, client
):
    enter("Early", 9)
    keep(0)
    page = client.get(f"{PAGE}?as_of=2019-01-01").content.decode()
    assert "Nothing was kept of this board before 2020-03-01 12:00 UTC." in page
    assert "Early" in page
    assert client.get(f"/api/v1{PAGE}?as_of=2019-01-01").status_code == 404
    assert client.get(f"{PAGE}export.json?as_of=2019-01-01").status_code == 404


def test_today_is_a_day_that_can_be_asked_for(enter, keep, client):
    enter("Early", 9)
    keep(0)
    assert names(client, f"as_of={timezone.now():%Y-%m-%d}") == ["Early"]


# --- a permalink ----------------------------------------------------------------------------------


def cited(client, query: str = "") -> str:
    """The permalink on the page of the board of now, without its host."""
    page = client.get(f"{PAGE}?{query}").content.decode()
    found = re.search(r'<details id="cite">.*?href="([^"]+)"', page, re.S)
    assert found is not None
    parts = urlsplit(found[1].replace("&amp;", "&"))
    return parts.query


def test_a_cited_link_never_moves_whatever_is_judged_later(enter, keep, client, stranger):
    early, other = enter("Early", 9), enter("Other", 12)
    keep(0)
    link = cited(client)
    before = figures_of(client, link)
    told = rows(client.get(f"{PAGE}?{link}").content.decode())
    assert [name for _, name in told] == ["Other", "Early"]

    judge_as_wrong(early)
    keep(1)
    enter("Published later", 19)
    keep(2)
    decide_ranking(submission=other, is_ranked=False, reason="Bought.", by=stranger)
    keep(3)
    EvaluatedModel.objects.filter(name="Early").update(name="Renamed")
    keep(4)
    assert figures_of(client, link) == before
    assert rows(client.get(f"{PAGE}?{link}").content.decode()) == told
    assert names(client, link) == ["Other", "Early"]


def test_after_a_withdrawal_every_other_row_stays_as_it_was(enter, keep, client):
    early, leading = enter("Early", 9), enter("Leading", 15)
    keep(0)
    link = cited(client)
    before = json.loads(figures_of(client, link))["entries"]
    withdraw_submission(submission=leading)
    keep(1)
    gone, kept = json.loads(figures_of(client, link))["entries"]
    # how far it was behind would tell the score of who left
    assert kept == before[1] | {"to_leader": None}
    assert (gone["gone"], gone["id"], gone["figures"]) == (True, None, {})
    assert gone["rank"] == before[0]["rank"]
    page = client.get(f"{PAGE}?{link}").content.decode()
    assert "withdrawn or made private since" in page
    for told in ("Leading", str(leading.pk)):
        assert told not in page
        assert told not in b"".join(client.get(f"{PAGE}export.json?{link}")).decode()
    assert str(early.pk) in page


def test_an_entry_made_private_is_not_found_by_name_value_or_id(enter, keep, client):
    enter("Early", 9)
    secret = enter("Secret", 15)
    keep(0)
    link = cited(client)
    set_visibility(submission=secret, visibility="private")
    assert names(client, f"{link}&q=secret") == []
    page = client.get(f"{PAGE}?{link}&m={secret.pk}").content.decode()
    assert "Secret" not in page
    assert "not on this board" in page
    by_value = names(client, link)
    assert by_value[0].startswith("An entry withdrawn")
    sorted_page = client.get(f"{PAGE}?{link}&sort=accuracy&order=desc").content.decode()
    assert [name for _, name in rows(sorted_page)][-1].startswith("An entry withdrawn")


def test_a_cited_link_holds_every_choice(enter, keep, client):
    enter("Early", 9)
    keep(0)
    query = "ranges=together&published=off&q=early&sort=accuracy&order=asc"
    link = cited(client, query)
    for part in query.split("&"):
        assert part in link
    assert "snapshot=" in link
    page = client.get(f"{PAGE}?{link}").content.decode()
    newest = BoardSnapshot.objects.get()
    assert newest.digest in page
    assert "texts edition 1" in page
    assert f"2020-03-01 12:00 UTC, texts edition 1, SHA-256 {newest.digest}" in page  # in BibTeX
    assert f"@misc{{spelling-{newest.name}," in page


@pytest.mark.parametrize("asked", ["0" * 16, "zzz", "'", "a" * 5_000])
def test_a_snapshot_that_there_is_not_shows_no_other_board(enter, keep, client, asked):
    enter("Early", 9)
    keep(0)
    assert client.get(f"{PAGE}?snapshot={asked}").status_code == 404
    assert client.get(f"{PAGE}export.csv?snapshot={asked}").status_code == 404
    assert client.get(f"/api/v1{PAGE}?snapshot={asked}").status_code in (400, 404)


def test_a_snapshot_is_asked_for_by_its_name_or_its_whole_digest(enter, keep, client):
    enter("Early", 9)
    kept = keep(0)
    for name in (kept.name, kept.digest, kept.digest[:20], kept.digest.upper()):
        assert names(client, f"snapshot={name}") == ["Early"]
    wrong = f"{kept.digest[:-1]}{'0' if kept.digest[-1] != '0' else '1'}"
    assert client.get(f"/api/v1{PAGE}?snapshot={wrong}").status_code == 404
    assert client.get(f"/api/v1{PAGE}?snapshot={kept.name[:8]}").status_code == 404


def test_a_board_that_nobody_stands_on_any_more_keeps_its_past(enter, keep, client):
    alone = enter("Alone", 9)
    then = keep(0)
    withdraw_submission(submission=alone)
    empty = keep(1)
    assert empty.entries == 0
    assert [c["cause"] for c in empty.changes["causes"]] == ["withdrawn"]
    page = client.get(f"{PAGE}?snapshot={then.name}")
    assert page.status_code == 200
    assert "Alone" not in page.content.decode()
    assert client.get(f"{PAGE}?as_of=2020-03-01").status_code == 200
    assert names(client, "as_of=2020-03-05") == []


# --- when, and what is kept -----------------------------------------------------------------------


def test_an_unchanged_board_is_kept_once(enter, keep):
    early = enter("Early", 9)
    kept = keep(0)
    Scoresheet.objects.update(computed=timezone.now())  # the same figures, computed again
    assert keep(1) == kept
    score_run(run=early.runs.get())
    assert keep(2) == kept
    EvaluatedModel.objects.update(organisation="Elsewhere")
    assert keep(3) != kept


def test_figures_are_kept_once_however_often_a_board_changes(enter, keep):
    enter("Early", 9)
    keep(0)
    for number in range(3):
        enter(f"Model {number}", 12 + number)
        keep(1 + number)
    assert BoardSnapshot.objects.count() == 4
    assert ShownRow.objects.count() == 4
    assert ShownFigures.objects.count() == 4


@pytest.mark.parametrize("table", ["boardsnapshot", "shownrow", "shownfigures"])
@pytest.mark.parametrize("what", ["UPDATE {} SET digest = ''", "DELETE FROM {}"])
def test_nothing_that_was_kept_is_changed(enter, keep, table, what):
    enter("Early", 9)
    keep(0)
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(what.format(f"leaderboard_{table}"))


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


def test_every_change_has_its_cause(enter, keep, stranger):
    low, high = enter("Low", 1), enter("High", 20)
    assert [cause for cause, *_ in causes(keep(0))] == ["new", "new"]
    enter("Middle", 10)
    kept = keep(1)
    assert causes(kept) == [("new", None, [2, 2])]
    assert moved(kept) == [([2, 2], [3, 3])]
    decide_ranking(submission=high, is_ranked=False, reason="Bought.", by=stranger)
    kept = keep(2)
    assert causes(kept) == [("kept_out", [1, 1], None)]
    assert moved(kept) == [([2, 2], [1, 1]), ([3, 3], [2, 2])]
    decide_ranking(submission=high, is_ranked=True, reason="Not bought.", by=stranger)
    assert causes(keep(3)) == [("ranked", None, [1, 1])]
    judge_as_wrong(low)
    assert [cause for cause, *_ in causes(keep(4))] == ["judged"]
    withdraw_submission(submission=high)
    assert causes(keep(5))[0][0] == "withdrawn"
    set_visibility(submission=low, visibility="private")
    assert causes(keep(6))[0][0] == "private"
