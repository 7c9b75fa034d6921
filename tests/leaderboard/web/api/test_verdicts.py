"""Every verdict of an entry as lines: those of the file that the page offers, and no more of hidden
texts."""

import csv
import io
import json

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchmarks.models import Release
from leaderboard.web.sharing import answer_rows
from tests.api_clients import API, body_of, check_documented
from tests.conftest import import_words, judged, submit

DOCUMENTED = "/entries/{submission_id}/verdicts/"


@pytest.fixture
def entry(spelling, owner):
    return judged(submit(spelling, owner)).submission


def address(submission) -> str:
    return f"{API}/entries/{submission.pk}/verdicts/"


def lines_of(client: Client, submission, **query: str) -> list[dict[str, str | bool | None]]:
    response = client.get(address(submission), query)
    assert response.status_code == 200
    return [json.loads(line) for line in body_of(response).splitlines()]


def test_lines_are_those_of_the_csv_whatever_of_ours_is_accepted(entry, client):
    check_documented(client.get(address(entry)), DOCUMENTED)
    text = body_of(client.get(f"/entries/{entry.pk}/answers.csv")).decode()
    printed = [
        {name: answer_rows.csv_cell(value) for name, value in line.items()}
        for line in lines_of(client, entry)
    ]
    assert printed == list(csv.DictReader(io.StringIO(text)))
    assert [line["question"] for line in printed] == ["1", "2", "3", "4"]
    for accepted in ("application/x-ndjson", "*/*", "application/json"):
        response = client.get(address(entry), headers={"Accept": accepted})
        assert response["Content-Type"] == "application/x-ndjson; charset=utf-8"
        assert len(body_of(response).splitlines()) == 4
    assert client.get(address(entry), {"judge": "nobody"}).status_code == 404


def test_references_are_told_where_they_are_public_and_nowhere_else(entry, client):
    assert {line["reference"] for line in lines_of(client, entry)} == {None}
    Release.objects.update(disclosure="open")
    told = [line["reference"] for line in lines_of(client, entry)]
    assert told == ["two", "colour", "night", "sea"]


@pytest.mark.slow
def test_rows_are_read_some_at_a_time_without_gap(owner, client, monkeypatch):
    content = "".join(f"{n}=word{n}\n" for n in range(23)).encode()
    entry = judged(submit(import_words(range(23)), owner, content)).submission
    whole = lines_of(client, entry)
    monkeypatch.setattr(answer_rows, "AT_ONCE", 5)
    with CaptureQueriesContext(connection) as queries:
        assert lines_of(client, entry) == whole
    assert [line["question"] for line in whole] == [str(n) for n in range(23)]
    read = [q["sql"] for q in queries if '"submissions_answer"."text"' in q["sql"]]
    assert len(read) == 1 + 2 * 5, "the whole once, then each of five blocks and its replies"
