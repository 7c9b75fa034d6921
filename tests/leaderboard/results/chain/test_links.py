"""The append-only chain: nothing that was shown changes unseen, and nobody writes it by hand."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction

from benchmarks.submissions.marks.flags import decide_ranking
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from leaderboard.models import ChainHead, ChainLink, Scoresheet
from leaderboard.results.chain import links
from leaderboard.results.chain.links import (
    EMPTY,
    content_of,
    head,
    link_waiting,
    public_links,
    sheet_content,
)
from leaderboard.results.services import score_run
from tests.conftest import import_spelling, judged, submit


@pytest.fixture(scope="module")
def made(module_rows) -> UUID:
    submission = submit(import_spelling(), User.objects.create_user("rosa", "rosa@example.org"))
    judged(submission)
    link_waiting()
    return submission.pk


@pytest.fixture
def entry(made, db) -> Submission:
    return Submission.objects.select_related("release", "owner").get(pk=made)


@pytest.fixture
def owner(entry) -> User:
    owner: User = entry.owner
    return owner


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


def test_what_changes_nothing_that_is_shown_is_no_link_and_may_go(entry, owner):
    set_visibility(submission=entry, visibility="public")
    Submission.objects.filter(pk=entry.pk).update(file_name="other.txt")
    cancelled = submit(entry.release, owner, confirm=False)
    withdraw_submission(submission=cancelled)
    private = submit(entry.release, owner, visibility="private")
    assert Submission.objects.filter(pk=private.pk).delete()[0]
    assert link_waiting() == 0


def check_links(rows: Iterable[Any]) -> None:
    """Each is numbered next, names the digest before it, and has that of its own content."""
    previous = EMPTY
    for number, row in enumerate(rows, start=1):
        assert (row.number, row.previous) == (number, previous)
        if row.content is not None:
            assert row.content_digest == hashlib.sha256(row.content.encode()).hexdigest()
        told = f"{previous}\n{row.content_digest}"
        assert row.digest == hashlib.sha256(told.encode()).hexdigest()
        previous = row.digest


def test_a_digest_is_that_of_the_one_before_and_of_the_content(entry):
    rows = list(public_links())
    check_links(rows)
    newest = head()
    assert newest is not None
    assert (newest.number, newest.digest) == (ChainLink.objects.count(), rows[-1].digest)


def test_the_content_is_canonical_text_of_every_figure_or_of_the_event(entry):
    sheet = Scoresheet.objects.select_related("judge_spec", "submission__release").get()
    content = ChainLink.objects.get(kind="scoresheet").content
    assert content == sheet_content(sheet)
    told = json.loads(content)
    assert content == content_of(told)
    assert told["figures"] == sheet.figures
    assert told["draws"] == hashlib.sha256(bytes(sheet.draws)).hexdigest()
    event = ChainLink.objects.get(kind="publication").content
    values = json.loads(event)
    assert (values["kind"], values["submission"]) == ("publication", str(entry.pk))
    assert values["at"].endswith("Z")
    assert content_of(values) == event


def test_no_statement_changes_a_link_or_takes_away_one_or_what_it_is_about(entry, owner):
    before = list(public_links())
    decide_ranking(submission=entry, is_ranked=False, reason="Copied.", by=owner)
    for statement in (
        "UPDATE leaderboard_chainlink SET content = '{}' WHERE number IS NOT NULL",
        "UPDATE leaderboard_chainlink SET content = '{}' WHERE number IS NULL",
        "UPDATE leaderboard_chainlink SET digest = '' WHERE number IS NOT NULL",
        "UPDATE leaderboard_chainlink SET number = NULL WHERE number IS NOT NULL",
        "DELETE FROM leaderboard_chainlink",
        "UPDATE leaderboard_chainhead SET number = 0",
        "UPDATE leaderboard_chainhead SET digest = ''",
        "DELETE FROM leaderboard_chainhead",
    ):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    for table in (
        "submissions_submission",
        "leaderboard_scoresheet",
        "submissions_rankingdecision",
    ):
        refused = pytest.raises(DatabaseError, match="never deleted")
        with refused, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table}")  # a constant
    assert list(public_links()) == before
    assert Scoresheet.objects.count() == Submission.objects.count() == 1


def test_links_are_numbered_some_at_a_time_without_gaps(entry, owner, monkeypatch):
    monkeypatch.setattr(links, "LINKED_AT_ONCE", 2)
    monkeypatch.setattr(links, "MOST_ROUNDS", 2)
    for number in range(3):
        judged(submit(entry.release, owner, name=f"Model {number}"))
    assert [link_waiting() for _ in range(3)] == [4, 2, 0]
    assert [row.number for row in public_links()] == list(range(1, 9))
    check_links(public_links())


def test_of_what_is_not_public_digests_alone_are_told(entry, owner):
    private = b"1=a\n2=b\n3=c\n4=d\n"
    judged(submit(entry.release, owner, private, name="Secret", visibility="private"))
    withdraw_submission(submission=entry)
    link_waiting()
    told = list(public_links())
    assert {row[1:5] for row in told} == {(None,) * 4}
    check_links(told)


def test_scoresheets_from_before_the_chain_get_their_links_once(entry, owner, client, monkeypatch):
    monkeypatch.setattr(links, "LINKED_AT_ONCE", 2)
    for number in range(2):
        judged(submit(entry.release, owner, name=f"Model {number}"))
    forget_chain()
    assert head() is None
    assert 'id="chain"' not in client.get("/boards/spelling/").text
    ChainHead.objects.create(pk=1, older_upto=Scoresheet.objects.latest("pk").pk)
    score_run(run=entry.runs.get())  # has a link by itself
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
    page = client.get("/boards/spelling/").text
    assert f"<dd>link {newest.number}, {newest.short}" in page
    assert f"<code>{newest.digest}</code>" in page
    document = client.get("/api/v1/boards/spelling/").json()["chain"]
    assert (document["number"], document["digest"]) == (newest.number, newest.digest)
