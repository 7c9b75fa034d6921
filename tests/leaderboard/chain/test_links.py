"""The append-only chain: nothing that was shown changes unseen, and nobody writes it by hand."""

import hashlib
import json

import pytest
from django.db import DatabaseError, connection, transaction

from benchmarks.submissions.marks.flags import decide_ranking
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from leaderboard.chain import links
from leaderboard.chain.links import (
    EMPTY,
    Link,
    content_of,
    head,
    link_waiting,
    public_links,
    sheet_content,
    verify_links,
)
from leaderboard.models import ChainHead, ChainLink, Scoresheet
from leaderboard.services import score_run
from tests.conftest import judged, submit


@pytest.fixture
def entry(submission):
    judged(submission)
    link_waiting()
    return submission


def kinds() -> list[str]:
    return list(ChainLink.objects.order_by("number").values_list("kind", flat=True))


def test_each_scoresheet_and_each_event_is_a_link_in_order(entry, owner):
    score_run(run=entry.runs.get())
    decide_ranking(submission=entry, is_ranked=False, reason="Copied.", by=owner)
    decide_ranking(submission=entry, is_ranked=True, reason="Not copied.", by=owner)
    set_visibility(submission=entry, visibility="private")
    set_visibility(submission=entry, visibility="public")
    withdraw_submission(submission=entry)
    assert link_waiting() == 6
    assert kinds() == [
        "publication",
        "scoresheet",
        "scoresheet",
        "kept_out",
        "ranked",
        "made_private",
        "publication",
        "withdrawal",
    ]


def test_what_changes_nothing_that_is_shown_is_no_link(entry):
    set_visibility(submission=entry, visibility="public")
    Submission.objects.filter(pk=entry.pk).update(file_name="other.txt")
    assert link_waiting() == 0


def test_a_submission_cancelled_before_it_was_confirmed_is_no_link(spelling, owner):
    cancelled = submit(spelling, owner, confirm=False)
    withdraw_submission(submission=cancelled)
    assert not ChainLink.objects.filter(submission=cancelled.pk).exists()


def test_a_digest_is_that_of_the_one_before_and_of_the_content(entry):
    previous = EMPTY
    for row in ChainLink.objects.order_by("number"):
        content = hashlib.sha256(row.content.encode()).hexdigest()
        assert row.previous == previous
        assert row.digest == hashlib.sha256(f"{previous}\n{content}".encode()).hexdigest()
        previous = row.digest
    newest = head()
    assert newest is not None
    assert (newest.number, newest.digest) == (ChainLink.objects.count(), previous)


def test_the_content_holds_every_figure_of_the_scoresheet(entry):
    sheet = Scoresheet.objects.select_related("judge_spec", "submission__release").get()
    content = ChainLink.objects.get(kind="scoresheet").content
    assert content == sheet_content(sheet)
    told = json.loads(content)
    assert content == content_of(told)  # canonical
    assert told["figures"] == sheet.figures
    assert told["draws"] == hashlib.sha256(bytes(sheet.draws)).hexdigest()


def test_an_event_names_its_submission_and_its_moment_in_canonical_text(entry):
    told = ChainLink.objects.get(kind="publication").content
    values = json.loads(told)
    assert (values["kind"], values["submission"]) == ("publication", str(entry.pk))
    assert values["at"].endswith("Z")
    assert content_of(values) == told


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE leaderboard_chainlink SET content = '{}'",
        "UPDATE leaderboard_chainlink SET digest = ''",
        "UPDATE leaderboard_chainlink SET number = NULL",
        "DELETE FROM leaderboard_chainlink",
        "UPDATE leaderboard_chainhead SET number = 0",
        "UPDATE leaderboard_chainhead SET digest = ''",
        "DELETE FROM leaderboard_chainhead",
    ],
)
def test_no_statement_changes_a_link_or_takes_one_away(entry, statement):
    before = list(public_links())
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert list(public_links()) == before


@pytest.mark.parametrize(
    "table", ["submissions_submission", "leaderboard_scoresheet", "submissions_rankingdecision"]
)
def test_nothing_that_a_link_is_about_is_deleted(entry, owner, table):
    decide_ranking(submission=entry, is_ranked=False, reason="Copied.", by=owner)
    refused = pytest.raises(DatabaseError, match="never deleted")
    with refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {table}")  # a constant
    assert Scoresheet.objects.count() == Submission.objects.count() == 1


def test_what_no_link_is_about_may_go(spelling, owner):
    private = submit(spelling, owner, visibility="private")
    assert Submission.objects.filter(pk=private.pk).delete()[0]


def test_one_that_waits_keeps_its_content(entry):
    withdraw_submission(submission=entry)
    with pytest.raises(DatabaseError), transaction.atomic():
        ChainLink.objects.filter(number=None).update(content="{}")


def test_links_are_numbered_some_at_a_time_without_gaps(spelling, owner, monkeypatch):
    monkeypatch.setattr(links, "LINKED_AT_ONCE", 2)
    monkeypatch.setattr(links, "MOST_ROUNDS", 2)
    for number in range(3):
        judged(submit(spelling, owner, name=f"Model {number}"))
    assert [link_waiting() for _ in range(3)] == [4, 2, 0]
    assert [row.number for row in public_links()] == [1, 2, 3, 4, 5, 6]
    assert verify_links(public_links()) == []


def test_of_what_is_not_public_digests_alone_are_told(entry, spelling, owner):
    judged(submit(spelling, owner, b"1=a\n2=b\n3=c\n4=d\n", name="Secret", visibility="private"))
    withdraw_submission(submission=entry)
    link_waiting()
    told = list(public_links())
    assert {row[1:5] for row in told} == {(None,) * 4}
    assert verify_links(told) == []


@pytest.mark.parametrize("field", ["content", "content_digest", "previous", "digest", "number"])
def test_whatever_is_changed_in_a_link_is_found(entry, field):
    rows = list(public_links())
    for place, row in enumerate(rows):
        other = row.number + 1 if field == "number" else f"{getattr(row, field)[:-1]}~"
        values = {**row._asdict(), field: other}
        changed = [*rows[:place], Link(**values), *rows[place + 1 :]]
        assert verify_links(changed), (place, field)
    assert verify_links(rows[1:])
    assert verify_links([rows[0], rows[0], *rows[1:]])


def test_scoresheets_from_before_the_chain_get_their_links_once(spelling, owner, monkeypatch):
    monkeypatch.setattr(links, "LINKED_AT_ONCE", 2)
    for number in range(3):
        judged(submit(spelling, owner, name=f"Model {number}"))
    forget_chain()
    ChainHead.objects.create(pk=1, older_upto=Scoresheet.objects.latest("pk").pk)
    score_run(run=Submission.objects.earliest("created").runs.get())  # has a link by itself
    assert sum(link_waiting() for _ in range(4)) == 3
    assert kinds() == ["scoresheet"] * 3
    assert ChainHead.objects.get().older_upto is None
    assert len(set(ChainLink.objects.values_list("submission"))) == 3


def forget_chain() -> None:
    with connection.cursor() as cursor:
        for table in ("leaderboard_chainlink", "leaderboard_chainhead"):
            name = f"{table}_delete_guard"
            on = "" if connection.vendor == "sqlite" else f" ON {table}"
            cursor.execute(f"DROP TRIGGER {name}{on}")
            cursor.execute(f"DELETE FROM {table}")  # a constant


def test_the_head_stands_on_the_board_and_in_its_document(entry, client):
    newest = head()
    assert newest is not None
    page = client.get("/boards/spelling/").content.decode()
    assert f"link {newest.number}, {newest.short}</summary>" in page
    assert f"<code>{newest.digest}</code>" in page
    document = client.get("/api/v1/boards/spelling/").json()["chain"]
    assert (document["number"], document["digest"]) == (newest.number, newest.digest)


def test_a_site_without_links_says_nothing_of_a_chain(spelling, client):
    assert head() is None
    assert 'id="chain"' not in client.get("/boards/spelling/").content.decode()
