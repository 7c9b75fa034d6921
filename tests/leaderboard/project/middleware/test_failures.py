"""What a visitor reads when something fails on our side."""

import errno
import json
import sqlite3
import uuid
from typing import Any

import psycopg
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.handlers.exception import response_for_exception
from django.db import InterfaceError, OperationalError, ProgrammingError, connection
from django.db.backends.sqlite3.base import SQLiteCursorWrapper
from django.test import Client, RequestFactory

from benchmarks.submissions.models import Submission
from leaderboard import settings as project
from tests.api_clients import API, session_client, token_client
from tests.conftest import ANSWERS


def lacking(kind: type[psycopg.Error]) -> ProgrammingError:
    error = ProgrammingError("what the database said")
    error.__cause__ = kind("what the database said")
    return error


def full_postgres() -> OperationalError:
    error = OperationalError("could not extend file: No space left on device")
    error.__cause__ = psycopg.errors.DiskFull("could not extend file")
    return error


AWAY = (503, "not answering right now")
UPDATED = (503, "or is being updated")
FAILED = (500, "went wrong on our side")
FULL = (507, "no space left for")


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        (OperationalError("the server closed the connection"), AWAY),
        (InterfaceError("connection already closed"), AWAY),
        (lacking(psycopg.errors.UndefinedColumn), UPDATED),
        (lacking(psycopg.errors.UndefinedTable), UPDATED),
        (lacking(psycopg.errors.SyntaxError), FAILED),
        (ZeroDivisionError("divided by nought"), FAILED),
        (OSError(errno.ENOSPC, "No space left on device"), FULL),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), FULL),
        (OperationalError("database or disk is full"), FULL),
        (full_postgres(), FULL),
    ],
)
def test_a_failure_has_its_status_and_asks_the_database_nothing(error, answer, caplog):
    """Programs are told in a problem document."""
    status, sentence = answer
    for path in ("/boards/x/", "/api/v1/boards/"):
        try:
            raise error
        except Exception as caught:
            response = response_for_exception(RequestFactory().get(path), caught)
        assert response.status_code == status
        assert response.headers.get("Retry-After") == {503: "30", 507: "600"}.get(status)
        assert str(error) not in response.text
        if path.startswith("/api/"):
            assert response["Content-Type"] == "application/problem+json"
            assert json.loads(response.content)["status"] == status
        else:
            assert sentence in response.text


@pytest.fixture
def full_disk(settings) -> None:
    full = {
        **settings.STORAGES["uploads"],
        "BACKEND": "tests.leaderboard.operations.test_health.FullStorage",
    }
    settings.STORAGES = {**settings.STORAGES, "uploads": full}


def test_an_upload_is_refused_on_a_full_disk(spelling, owner, full_disk, caplog):
    form = {"release": spelling.slug, "model_name": "Speller", "client_token": uuid.uuid4()}
    fields = {"release": spelling.slug, "model": "Speller"}
    for client, path, sent, said in (
        (session_client(owner), "/submit/", form, "no space left for what you sent"),
        (token_client(owner, "submit"), f"{API}/submissions/", fields, "Insufficient Storage"),
    ):
        client.raise_request_exception = False
        file = SimpleUploadedFile("answers.txt", ANSWERS)
        response = client.post(path, {**sent, "file": file})
        assert (response.status_code, response["Retry-After"]) == (507, "600")
        assert said in response.text
    assert not Submission.objects.exists()


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite's words")
@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("database or disk is full", (507, "600")),
        ("attempt to write a readonly database", (503, "30")),
    ],
)
def test_the_right_password_is_not_refused_for_a_database_that_takes_nothing(
    owner, settings, monkeypatch, caplog, words, answer
):
    settings.ACCOUNT_RATE_LIMITS = project.ACCOUNT_RATE_LIMITS
    form = {"login": owner.email, "password": "a long enough password"}
    client = Client(raise_request_exception=False)
    execute = SQLiteCursorWrapper.execute

    def full(cursor: Any, sql: str, params: Any = None) -> Any:
        if sql.startswith(("INSERT", "UPDATE")):
            raise sqlite3.OperationalError(words)
        return execute(cursor, sql, params)

    with monkeypatch.context() as patched:
        patched.setattr(SQLiteCursorWrapper, "execute", full)
        response = client.post("/accounts/login/", form)
    assert (response.status_code, response["Retry-After"]) == answer
    assert "Too many" not in response.content.decode()
    assert client.post("/accounts/login/", form).status_code == 302
