"""What a visitor reads when something fails on our side."""

import json

import psycopg
import pytest
from django.core.handlers.exception import response_for_exception
from django.db import InterfaceError, OperationalError, ProgrammingError
from django.test import RequestFactory


def lacking(kind: type[psycopg.Error]) -> ProgrammingError:
    error = ProgrammingError("what the database said")
    error.__cause__ = kind("what the database said")
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
    assert ("Retry-After" in response.headers) == (status == 503)
    assert str(error) not in response.content.decode()


def test_a_program_is_told_in_a_problem_document(caplog):
    request = RequestFactory().get("/api/v1/boards/")
    try:
        raise OperationalError("the server closed the connection")
    except OperationalError as caught:
        response = response_for_exception(request, caught)
    assert (response.status_code, response["Content-Type"]) == (503, "application/problem+json")
    assert json.loads(response.content)["status"] == 503
