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


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (OperationalError("the server closed the connection"), 503, "does not answer right now"),
        (InterfaceError("connection already closed"), 503, "does not answer right now"),
        (lacking(psycopg.errors.UndefinedColumn), 503, "or is being updated"),
        (lacking(psycopg.errors.UndefinedTable), 503, "or is being updated"),
        (lacking(psycopg.errors.SyntaxError), 500, "failed on our side"),
        (ZeroDivisionError("divided by nought"), 500, "failed on our side"),
        (OSError(errno.ENOSPC, "No space left on device"), 507, "no space left to keep"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), 507, "no space left to keep"),
        (OperationalError("database or disk is full"), 507, "no space left to keep"),
        (full_postgres(), 507, "no space left to keep"),
    ],
)
def test_a_failure_has_its_status_and_asks_the_database_nothing(error, status, sentence, caplog):
    request = RequestFactory().get("/boards/x/")
    try:
        raise error
    except Exception as caught:
        response = response_for_exception(request, caught)
    assert response.status_code == status
    assert sentence in response.content.decode()
    assert response.headers.get("Retry-After") == {503: "30", 507: "600"}.get(status)
    assert str(error) not in response.content.decode()


def test_a_program_is_told_in_a_problem_document(caplog):
    request = RequestFactory().get("/api/v1/boards/")
    try:
        raise OperationalError("the server closed the connection")
    except OperationalError as caught:
        response = response_for_exception(request, caught)
    assert (response.status_code, response["Content-Type"]) == (503, "application/problem+json")
    assert json.loads(response.content)["status"] == 503


@pytest.fixture
def full_disk(settings) -> None:
    full = {
        **settings.STORAGES["uploads"],
        "BACKEND": "tests.leaderboard.operations.test_health.FullStorage",
    }
    settings.STORAGES = {**settings.STORAGES, "uploads": full}


def test_an_upload_by_form_is_refused_on_a_full_disk(spelling, owner, full_disk, caplog):
    client = session_client(owner)
    client.raise_request_exception = False
    file = SimpleUploadedFile("answers.txt", ANSWERS)
    form = {
        "release": spelling.slug,
        "model_name": "Speller",
        "client_token": uuid.uuid4(),
        "file": file,
    }
    response = client.post("/submit/", form)
    assert (response.status_code, response["Retry-After"]) == (507, "600")
    assert "no space left to keep what you sent" in response.content.decode()
    assert not Submission.objects.exists()


def test_an_upload_by_a_program_is_refused_on_a_full_disk(spelling, owner, full_disk, caplog):
    client = token_client(owner, "submit")
    client.raise_request_exception = False
    file = SimpleUploadedFile("answers.txt", ANSWERS)
    form = {"release": spelling.slug, "model": "Speller", "file": file}
    response = client.post(f"{API}/submissions/", form)
    assert (response.status_code, response["Retry-After"]) == (507, "600")
    assert json.loads(response.content)["title"] == "Insufficient Storage"
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
