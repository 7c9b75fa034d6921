"""Of a withdrawn entry boards of the past tell its place, and nothing else."""

import csv
import html
import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from uuid import UUID

import pytest
from django.test import Client

from benchmarks.models import Benchmark
from benchmarks.submissions.marks.flags import decide_ranking
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from leaderboard.models import BoardSnapshot
from leaderboard.results.selectors import SIZES, read_board
from leaderboard.web.exports import EXPORTS

PAGE = "/boards/spelling/"
CAME = datetime(2019, 7, 23, 4, 5, 6, 789_012, tzinfo=UTC)
CANARIES = ("Canary", "Nest of birds", "2019-07-23", "04:05", "987.654")
"""Its name, its organisation, when it came, and the size of its model."""
SCORE = re.compile(r"\b85\.0|\b0\.85|\b25\.00 points|\b65\.00 points|-0\.25\b|-0\.65\b")
"""It has 17 of 20 right, others 12 and 4: its score, and how far they are from it."""
QUERIES = (
    *("", "&ranges=together", "&sort=accuracy&order=asc", "&q=canary", "&q=birds", "&q=since"),
    *("&open=1", "&verified=1", "&published=off", *(f"&size={size}" for size in SIZES)),
)


@pytest.fixture(scope="module")
def made(enter_early, keep) -> UUID:
    """It led, with a name, a day and a score of its own."""
    found: Submission = enter_early("Canary", 17)
    enter_early("Second", 12)
    enter_early("Third", 4)
    EvaluatedModel.objects.filter(pk=found.model_id).update(
        organisation="Nest of birds", parameters_billions="987.654", is_open_weights=True
    )
    Submission.objects.filter(pk=found.pk).update(created=CAME)
    keep(0)
    return found.pk


@pytest.fixture
def canary(made, db) -> Submission:
    return Submission.objects.get(pk=made)


def kept_out(canary: Submission) -> None:
    """Staff kept it out, and then it was withdrawn."""
    assert canary.owner is not None
    decide_ranking(submission=canary, is_ranked=False, reason="Canary sang.", by=canary.owner)
    withdraw_submission(submission=canary)


WAYS: dict[str, Callable[[Submission], object]] = {
    "withdrawn": lambda canary: withdraw_submission(submission=canary),
    "made private": lambda canary: set_visibility(submission=canary, visibility="private"),
    "kept out and withdrawn": kept_out,
}


def addresses(asked: str, canary: Submission, queries: Sequence[str] = ("",)) -> list[str]:
    """Every address that shows a board of the past, and what is told of how it changed."""
    pages = [f"{PAGE}?{asked}{more}" for more in (*queries, f"&m={canary.pk}")]
    files = [f"{PAGE}export.{kind}?{asked}{more}" for kind in EXPORTS for more in queries]
    return [
        *pages,
        *files,
        f"/api/v1{PAGE}?{asked}",
        f"/api/v1{PAGE}?{asked}&ranges=together",
        f"/embed/boards/spelling/?{asked}",
        f"{PAGE}charts/lead.svg?{asked}",
        f"{PAGE}history/",
        f"{PAGE}feed.atom",
    ]


def body(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    content = b"".join(response) if response.streaming else response.content
    return html.unescape(content.decode())


def told_of(canary: Submission, text: str) -> list[str]:
    """Canaries in it, but for what the address itself asked for."""
    text = re.sub(rf"m={canary.pk}|(value|name)=\"{canary.pk}\"", "", text)
    names = (*CANARIES, str(canary.pk), "sang")
    return [name for name in names if name in text] + SCORE.findall(text)


@pytest.mark.parametrize("queries", [("",), pytest.param(QUERIES, marks=pytest.mark.slow)])
@pytest.mark.parametrize("leave", WAYS.values(), ids=WAYS)
def test_no_page_and_no_file_of_a_past_board_tells_more_than_its_place(
    canary, keep, client, leave, queries
):
    public = addresses("as_of=2020-03-01", canary)[:4]  # two pages and two files
    found = {told for address in public for told in told_of(canary, body(client, address))}
    assert {"Canary", "Nest of birds", "2019-07-23", str(canary.pk), "85.0"} <= found
    assert {"25.00 points", "65.00 points"} <= found
    first = BoardSnapshot.objects.get()
    leave(canary)
    keep(1)
    asked = ("as_of=2020-03-01", f"snapshot={first.name}")
    for address in (address for one in asked for address in addresses(one, canary, queries)):
        assert told_of(canary, body(client, address)) == [], address


def test_its_row_says_what_it_is_and_others_why_no_difference_stands_beside_them(canary, client):
    withdraw_submission(submission=canary)
    document = client.get(f"/api/v1{PAGE}?as_of=2020-03-01").json()
    gone, *others = document["entries"]
    assert (gone["rank"], gone["gone"], gone["origin"], gone["submitted"]) == (1, True, None, None)
    assert [(entry["rank"], entry["to_leader"]) for entry in others] == [(2, None), (3, None)]
    assert "The entry that led is not public any more." in document["claims"][0]
    unknown = [name for name, value in gone.items() if value is False or value == 0]
    assert (unknown, gone["may_be_first"], gone["coverage"]) == ([], None, None)
    assert (others[0]["judged"], others[0]["may_be_first"]) == (20, False)
    lines = list(csv.DictReader(body(client, f"{PAGE}export.csv?as_of=2020-03-01").splitlines()))
    assert (lines[0]["kind"], lines[0]["rank"]) == ("gone", "1")
    empty = ("coverage", "may be first", "scored anew since ranked", "open weights")
    assert [lines[0][name] for name in empty] == [""] * 4
    assert [lines[1][name] for name in empty] == ["1.0", "no", "no", "no"]
    page = body(client, f"{PAGE}?as_of=2020-03-01")
    assert document["claims"][0] in page
    assert "/entries/00000000" not in page
    # no search and no filter finds it
    for asked in ("q=since", "size=unsaid", "open=1", "org=Nest+of+birds"):
        found = json.loads(body(client, f"{PAGE}export.json?as_of=2020-03-01&{asked}"))["entries"]
        assert not [entry for entry in found if entry["gone"]], asked


def test_differences_stay_where_the_leader_does(canary, client):
    withdraw_submission(submission=Submission.objects.get(model__name="Second"))
    leading, gone, third = client.get(f"/api/v1{PAGE}?as_of=2020-03-01").json()["entries"]
    assert leading["to_leader"] is gone["to_leader"] is None
    assert third["to_leader"]["ahead"] == pytest.approx(-0.65)


def test_the_scale_of_a_column_ends_where_what_is_shown_does(canary):
    benchmark = Benchmark.objects.get()
    before = read_board(benchmark, moment=CAME.replace(year=2020)).span("accuracy")
    assert before is not None
    assert before.high is not None
    withdraw_submission(submission=canary)
    after = read_board(benchmark, moment=CAME.replace(year=2020)).span("accuracy")
    assert after == (None, None, before.n)


def test_who_shared_its_place_names_it_no_more(canary, enter, keep, client):
    equal = enter("Equal", 17)
    keep(1)
    withdraw_submission(submission=canary)
    found = client.get(f"/api/v1{PAGE}?as_of=2020-03-02").json()["entries"]
    assert [(entry["id"], entry["same_answers_as"]) for entry in found[:2]] == [
        (None, None),
        (str(equal.pk), None),
    ]
    assert "00000000-0000" not in body(client, f"{PAGE}export.csv?as_of=2020-03-02")
