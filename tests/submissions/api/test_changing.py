"""Replacing, withdrawing and asking again by API: what the pages of a submission do."""

import uuid
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import withdraw_submission
from benchmarks.submissions.teams.services import found_team
from judging.models import Judgement
from leaderboard.models import Scoresheet
from leaderboard.results.services import replace_entries
from tests.api_clients import API, check_documented, session_client, token_client
from tests.conftest import judged, submit
from tests.overwriting import overwrite

SUBMISSIONS = f"{API}/submissions/"
NEWER = b"1=two\n2=colour\n3=night\n4=sea\n"


@pytest.fixture
def publisher(owner) -> Client:
    return token_client(owner, "publish")


def send(client: Client, old: Submission, content: bytes = NEWER, key: object = None, **more: Any):
    form: dict[str, Any] = {
        "model": old.model.name,
        "replaces": str(old.pk),
        "file": SimpleUploadedFile("a.txt", content),
        **more,
    }
    headers = {"Idempotency-Key": str(key)} if key else {}
    response = client.post(SUBMISSIONS, form, headers=headers)
    check_documented(response, "/submissions/", "post")
    return response


def change(client: Client, submission: Submission, what: str, **fields: Any):
    address = f"{SUBMISSIONS}{submission.pk}/{what}/"
    response = client.post(address, fields, content_type="application/json")
    check_documented(response, "/submissions/{submission_id}/" + f"{what}/", "post")
    return response


# --- replacing ------------------------------------------------------------------------------------


def test_a_new_version_takes_the_place_of_the_old_one(submission, publisher, client):
    judged(submission)
    answer = send(publisher, submission, visibility="public").json()
    assert (answer["replaces"], answer["replaced_by"]) == (str(submission.pk), None)
    new = Submission.objects.get(pk=answer["id"])
    judged(new)
    assert replace_entries() == 1
    old = publisher.get(f"{SUBMISSIONS}{submission.pk}/").json()
    assert (old["replaced_by"], old["state"]) == (str(new.pk), "withdrawn")
    assert old["withdrawal_reason"] == "A newer version took its place."
    assert client.get(f"/entries/{submission.pk}/").status_code == 410


def test_the_same_key_names_one_new_version_and_no_other(submission, publisher):
    key = uuid.uuid4()
    first, again = (send(publisher, submission, key=key) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["id"] == again.json()["id"]
    other = submit(submission.release, submission.owner, name="Another")
    assert send(publisher, other, key=key).status_code == 422


def test_what_cannot_be_replaced_is_refused_with_the_reason(submission, publisher, owner, stranger):
    """Whether it is only checked or handed in."""
    foreign = submit(submission.release, stranger)
    checks: list[dict[str, Any]] = [{"validate_only": "true"}, {}]
    for checked in checks:
        nobody = send(publisher, submission, replaces=str(uuid.uuid4()), **checked)
        for response in (nobody, send(publisher, foreign, **checked)):
            assert response.status_code == 422
            assert "no submission of yours" in response.json()["errors"]["replaces"][0]
        assert send(publisher, submission, model="Another", **checked).status_code == 422
        assert send(publisher, submission, replaces="nonsense", **checked).status_code == 422
    assert send(publisher, submission, validate_only="true").json()["state"] == "valid"
    assert not Submission.objects.filter(replaces__isnull=False).exists()
    assert send(publisher, submission).status_code == 201
    refused = send(publisher, submission, NEWER.replace(b"two", b"to"))
    assert "Another new version of it is under way" in refused.json()["problems"][0]["message"]
    withdraw_submission(submission=submission)
    refused = send(publisher, submission)
    assert "is withdrawn" in refused.json()["problems"][0]["message"]


def test_a_new_version_of_a_team_is_the_teams(spelling, owner, publisher):
    team = found_team(by=owner, name="The Spellers")
    old = submit(spelling, owner, team=team)
    new = Submission.objects.get(pk=send(publisher, old).json()["id"])
    assert (new.team, new.model, new.replaces) == (team, old.model, old)


# --- withdrawing ----------------------------------------------------------------------------------


def test_the_reason_stands_on_the_stone_where_it_can_be_shown(submission, publisher, client):
    judged(submission)
    for fields in (
        {"reason": "x" * 301},
        {"reason": "a\u202eb"},
        {"reason": None},
        {"why": "a slip"},
    ):
        response = change(publisher, submission, "withdraw", **fields)
        assert (response.status_code, [*response.json()["errors"]]) == (422, [*fields])
    submission.refresh_from_db()
    assert submission.withdrawn is None
    answer = change(publisher, submission, "withdraw", reason=" wrong \n weights ")
    assert answer.json()["withdrawal_reason"] == "wrong weights"
    assert "wrong weights" in client.get(f"/entries/{submission.pk}/").text
    other = submit(submission.release, submission.owner)
    response = publisher.post(f"{SUBMISSIONS}{other.pk}/withdraw/")
    assert (response.status_code, response.json()["withdrawal_reason"]) == (200, "")


# --- asking again ---------------------------------------------------------------------------------


def test_what_failed_is_asked_again_for_its_owner_alone_and_scored(
    submission, owner, publisher, stranger, admin_user
):
    run = judged(submission)
    row = run.judgements.order_by("pk").first()
    overwrite(Judgement.objects.filter(pk=row.pk), state="unreadable", verdict="", reason="none")
    for other in (session_client(stranger), session_client(admin_user)):
        assert change(other, submission, "retry").status_code == 404
    assert change(token_client(owner, "read"), submission, "retry").status_code == 403
    for judge in ("nobody", "a\0b"):
        assert change(publisher, submission, "retry", judge=judge).status_code in {409, 422}
    assert submission.runs.get().judgements.filter(state="unreadable").exists()
    answer = change(token_client(owner, "submit"), submission, "retry", judge="")
    assert answer.json()["state"] in {"judging", "scoring"}
    judged(submission)
    assert Scoresheet.objects.get().unreadable == 0
    assert change(token_client(owner, "submit"), submission, "retry").status_code == 409
    overwrite(Judgement.objects.filter(pk=row.pk), state="unreadable", verdict="", reason="none")
    withdraw_submission(submission=submission)
    assert change(publisher, submission, "retry").status_code == 409
