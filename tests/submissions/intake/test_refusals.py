"""A refused file: its problems by kind on the page and by API, all of them as files for a day."""

import csv
import io
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import Http404
from django.utils import timezone

from benchmarks.protocols.base import Problem
from benchmarks.registry import protocol, protocols
from benchmarks.submissions.intake.refusals import (
    KEPT,
    KEPT_FOR,
    delete_old_refusals,
    keep_refusal,
    own_refusal,
    problem_rows,
)
from benchmarks.submissions.models import RefusedFile, Submission
from leaderboard.operations.sweeps import tidy
from leaderboard.people.accounts.services import delete_account
from tests.api_clients import API, check_documented, token_client
from tests.conftest import import_words

ROWS = 1_129
pytestmark = pytest.mark.django_db


@pytest.fixture
def words(settings):
    settings.PROTOCOLS = [*settings.PROTOCOLS, "tests.plain_protocol"]
    protocols.cache_clear()
    yield import_words(range(1, ROWS + 1), slug="many", of=protocol("plain"))
    protocols.cache_clear()


def file_of(lines) -> SimpleUploadedFile:
    return SimpleUploadedFile("a.csv", "\n".join(["id,prediction", *lines]).encode())


def faulty() -> SimpleUploadedFile:
    """Every row of the release, each with a control character in its answer."""
    return file_of(f"{n},x\b" for n in range(1, ROWS + 1))


def short() -> SimpleUploadedFile:
    """Every second id, from the second."""
    return file_of(f"{n},x" for n in range(2, ROWS + 1, 2))


def hand_in(client, file):
    token = "6f0f2a1c-9a43-4a4f-9a8f-0a8cf9e3b3a1"
    data = {"release": "many", "model_name": "Speller", "file": file, "client_token": token}
    return client.post("/submit/", data)


def by_api(owner, file):
    data = {"release": "many", "model": "Speller", "file": file}
    refused = token_client(owner, "submit").post(f"{API}/submissions/", data)
    check_documented(refused, "/submissions/", "post")
    return refused


def rows_of(response) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(response.content.decode(), newline="")))


def kept(owner, problems=(), missing=("1",)):
    found = keep_refusal(owner=owner, file_name="a.csv", problems=problems, missing=missing)
    assert found
    return found


# --- the page -------------------------------------------------------------------------------------


def test_a_fault_of_every_row_is_one_line_of_the_page_and_all_are_a_file(client, owner, words):
    client.force_login(owner)
    page = hand_in(client, faulty())
    text = page.content.decode()
    assert page.status_code == 422
    assert "The file was not accepted: 1,129 problems found" in text
    assert text.count("which no text may hold") == 3
    assert "and 1,126 more of this kind" in text
    key = RefusedFile.objects.get().pk
    rows = rows_of(client.get(f"/submissions/refused/{key}/problems.csv"))
    assert [int(row["line"]) for row in rows] == list(range(2, ROWS + 2))
    assert {row["code"] for row in rows} == {"control"}
    assert "missing.csv" not in text
    refused = by_api(owner, faulty())
    document = refused.json()
    assert document["problem_count"] == ROWS
    assert document["detail"].startswith("The submission is refused for 1,129 problems")
    (group,) = document["groups"]
    assert (group["code"], group["count"], len(group["examples"])) == ("control", ROWS, 3)
    assert len(document["problems"]) == 100
    report = token_client(owner, "read").get(document["report"])
    check_documented(report, "/refused-files/{refused_id}/")
    assert len(report.json()["problems"]) == ROWS
    assert report.json()["groups"][0]["count"] == ROWS
    assert not Submission.objects.exists()


def test_missing_ids_are_counted_and_all_are_a_file_that_can_be_filled(client, owner, words):
    client.force_login(owner)
    assert hand_in(client, SimpleUploadedFile("a.csv", b"name\n")).status_code == 422
    assert not RefusedFile.objects.exists(), "what stands whole on the page is not kept"
    text = hand_in(client, short()).content.decode()
    assert "565 of 1,129 answers are missing" in text
    assert "ids without an answer</a> (565)" in text
    key = RefusedFile.objects.get().pk
    response = client.get(f"/submissions/refused/{key}/missing.csv")
    ids = [str(number) for number in range(1, ROWS + 1, 2)]
    assert [row["id"] for row in rows_of(response)] == ids
    assert response["Content-Disposition"] == 'attachment; filename="missing.csv"'
    document = by_api(owner, short()).json()
    assert document["missing_count"] == 565
    assert token_client(owner, "read").get(document["report"]).json()["missing"] == ids
    both = short().read().decode() + "\n" + "".join(f"{row['id']},x\n" for row in rows_of(response))
    assert hand_in(client, SimpleUploadedFile("a.csv", both.encode())).status_code == 302


# --- what is kept ---------------------------------------------------------------------------------


def test_the_last_three_reports_of_a_person_are_kept_for_a_day_for_their_sender_alone(
    client, owner, stranger
):
    theirs = kept(stranger)
    mine = [kept(owner) for _ in range(KEPT + 2)]
    left = set(RefusedFile.objects.filter(owner=owner).values_list("pk", flat=True))
    assert left == {one.id for one in mine[-KEPT:]}
    assert own_refusal(stranger, theirs.id) == theirs
    with pytest.raises(Http404):
        own_refusal(owner, theirs.id)
    old, new = mine[-2:]
    RefusedFile.objects.filter(pk=old.id).update(created=timezone.now() - KEPT_FOR * 1.01)
    RefusedFile.objects.filter(pk=new.id).update(created=timezone.now() - timedelta(hours=23))
    tidy()
    left = set(RefusedFile.objects.values_list("pk", flat=True))
    assert left == {theirs.id, mine[-3].id, new.id}
    assert delete_old_refusals() == 0
    delete_account(user=owner)
    assert RefusedFile.objects.get().pk == theirs.id


def test_a_cell_of_the_list_is_no_formula():
    row = problem_rows([Problem("unknown", "?", 2, "id", "1", '=HYPERLINK("x")')])[1]
    assert row == (2, "", "id", "unknown", "?", "1", '\'=HYPERLINK("x")')
