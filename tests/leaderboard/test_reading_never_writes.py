"""Whoever reads pages or the API is not kept waiting by who writes, and never fails by it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.utils import ConnectionHandler
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks.registry import protocol
from benchmarks.submissions.api.token_use import NOTED_EVERY, without_waiting
from benchmarks.submissions.models import AccessToken
from judging.services import ensure_spec
from leaderboard.models import Scoresheet
from leaderboard.operations.sweeps import sweep_here
from leaderboard.results.versions.code import board_code
from leaderboard.web.pages.submissions import cost
from tests.api_clients import API, session_client, token_client
from tests.conftest import judged, submit

NOW = timedelta(0)
WAIT_SECONDS = 60
AT_ONCE = 30  # reads within one transaction of the writer
PAGES = (
    "/",
    "/boards/spelling/",
    "/boards/spelling/export.csv",
    "/entries/{entry}/",
    "/method/spelling/",
    "/judges/{judge}/",
    "/status/",
    "/accounts/login/",
)
OWN_PAGES = ("/submissions/", "/submissions/{entry}/", "/submissions/{waiting}/")
ADDRESSES = (
    f"{API}/boards/spelling/",
    f"{API}/releases/",
    f"{API}/submissions/",
    f"{API}/submissions/{{entry}}/",
)

sqlite_alone = pytest.mark.skipif(
    connection.vendor != "sqlite", reason="elsewhere readers and writers do not meet"
)


@contextmanager
def somebody_writing() -> Iterator[None]:
    """Another connection judges a new entry meanwhile, in a transaction that is open to the end."""
    begun, end = threading.Event(), threading.Event()

    def write() -> None:
        try:
            with transaction.atomic():
                sweep_here(grace=NOW)
                begun.set()
                assert end.wait(WAIT_SECONDS)
        finally:
            connection.close()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        assert begun.wait(WAIT_SECONDS)
        yield
    finally:
        end.set()
        thread.join(WAIT_SECONDS)


def hand_in(release, owner, number: int):
    answers = f"1=a{number}\n2=b\n3=c\n4=d\n".encode()
    return submit(release, owner, answers, name=f"Entry {number}")


def readers(owner) -> list[tuple[Client, tuple[str, ...]]]:
    return [
        (Client(), PAGES),
        (session_client(owner), (*PAGES, *OWN_PAGES)),
        (Client(), ADDRESSES[:2]),
        (token_client(owner, "read"), ADDRESSES),
        (token_client(owner, "submit"), ADDRESSES),
    ]


@sqlite_alone
@pytest.mark.slow
@pytest.mark.parametrize("reads", [AT_ONCE, 1_000])
def test_mixed_reads_beside_a_judging_worker_fail_nowhere(committed, spelling, owner, reads):
    run = judged(submit(spelling, owner))
    waiting = submit(spelling, owner, name="Waiting", confirm=False)
    names = {"entry": run.submission_id, "judge": run.judge_spec.slug, "waiting": waiting.pk}
    AccessToken.objects.update(last_used=None)
    everybody = readers(owner)
    statuses: list[int] = []
    rounds = reads // AT_ONCE
    for number in range(rounds):
        hand_in(spelling, owner, number)
        with somebody_writing():
            while len(statuses) < AT_ONCE * (number + 1):
                statuses += [
                    client.get(address.format(**names)).status_code
                    for client, addresses in everybody
                    for address in addresses
                ]
    assert set(statuses) <= {200, 302}  # who is signed in is led away from where one signs in
    assert len(statuses) >= AT_ONCE * rounds
    assert Scoresheet.objects.count() == 1 + rounds
    assert set(AccessToken.objects.values_list("last_used", flat=True)) == {None}


@sqlite_alone
def test_a_use_that_could_not_be_noted_is_noted_by_the_next_request(committed, spelling, owner):
    client = token_client(owner, "read")
    hand_in(spelling, owner, 0)
    with somebody_writing():
        assert client.get(f"{API}/releases/").status_code == 200
        assert AccessToken.objects.get().last_used is None
    assert client.get(f"{API}/releases/").status_code == 200
    assert AccessToken.objects.get().last_used is not None


@sqlite_alone
def test_what_writes_after_the_note_waits_as_long_as_ever(committed):
    def patience() -> int:
        with connection.cursor() as cursor:
            return int(cursor.execute("PRAGMA busy_timeout").fetchone()[0])

    before = patience()
    assert before >= 1000
    with pytest.raises(DatabaseError), without_waiting():
        raise DatabaseError
    assert patience() == before


def test_a_token_is_noted_once_a_minute(owner, django_assert_num_queries):
    client = token_client(owner, "read")
    client.get(f"{API}/releases/")
    first = AccessToken.objects.get().last_used
    client.get(f"{API}/releases/")
    assert AccessToken.objects.get().last_used == first
    AccessToken.objects.update(last_used=timezone.now() - NOTED_EVERY)
    client.get(f"{API}/releases/")
    assert AccessToken.objects.get().last_used > first - NOTED_EVERY


def test_an_estimate_is_remembered_and_the_database_not_written_to(spelling, owner, monkeypatch):
    monkeypatch.setattr(cost, "LONG_SECONDS", -1.0)
    waiting = submit(spelling, owner, name="Waiting", confirm=False)
    spec = ensure_spec(of=protocol("spelling"), kind="rules")
    client = session_client(owner)
    with CaptureQueriesContext(connection) as captured:
        pages = [client.get(f"/submissions/{waiting.pk}/") for _ in range(2)]
    assert [page.status_code for page in pages] == [200, 200]
    asked = [query["sql"].lstrip("(") for query in captured.captured_queries]  # a union begins so
    assert [sql for sql in asked if not sql.startswith("SELECT")] == []
    assert cost.recall(f"estimate/{waiting.pk}/{spec.pk}/{board_code()}") is not None


@sqlite_alone
def test_whether_sqlite_knows_json_is_not_asked_of_a_database_that_may_be_locked() -> None:
    connections = ConnectionHandler({"default": settings.DATABASES["default"]})
    features = connections["default"].features

    assert features.has_json_object_function
    assert connections["default"].connection is None
