import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from benchmarks.models import Release
from benchmarks.protocols.base import Problem
from benchmarks.submissions.api.views import refused_file
from benchmarks.submissions.models import EvaluatedModel, LooseFile, Submission
from benchmarks.submissions.services import SubmissionRefusedError
from benchmarks.submissions.team_models import Membership
from benchmarks.submissions.teams.services import found_team
from judging.models import JudgeRun
from tests.api_clients import API, check_documented, session_client, token_client
from tests.conftest import ANSWERS, judged, submit
from tests.each_case import each_case

SUBMISSIONS = f"{API}/submissions/"


@pytest.fixture
def submitter(owner) -> Client:
    return token_client(owner, "submit")


def send(client: Client, content: bytes = ANSWERS, key: object = None, **fields: Any):
    form: dict[str, Any] = {
        "release": "spelling-1",
        "model": "Speller",
        "file": SimpleUploadedFile("a.txt", content),
    }
    return client.post(
        SUBMISSIONS, form | fields, headers={"Idempotency-Key": str(key)} if key else {}
    )


def change(client: Client, submission: Submission, what: str):
    return client.post(f"{SUBMISSIONS}{submission.pk}/{what}/")


# --- handing in -----------------------------------------------------------------------------------


def test_an_accepted_file_is_confirmed_at_once(spelling, submitter):
    response = send(submitter, organisation="Lab", open_weights="true")
    check_documented(response, "/submissions/", "post")
    submission = Submission.objects.get()
    assert response.status_code == 201
    assert response.json()["id"] == str(submission.pk)
    assert submission.confirmed
    assert submission.visibility == "private"
    assert (submission.model.organisation, submission.model.is_open_weights) == ("Lab", True)


def test_a_token_cannot_hand_in_what_is_public_at_once(spelling, submitter):
    response = send(submitter, visibility="public")
    check_documented(response, "/submissions/", "post")
    assert response.status_code == 403
    assert "this needs the scope publish" in response.json()["detail"]
    assert not Submission.objects.exists()


def test_a_signed_in_person_hands_in_what_is_public_at_once(spelling, owner):
    assert send(session_client(owner), visibility="public").status_code == 201
    assert Submission.objects.get().visibility == "public"


def test_an_accepted_file_says_where_to_watch_it(spelling, submitter):
    response = send(submitter)
    assert response["Location"] == response.json()["links"]["self"]
    assert submitter.get(response["Location"]).json()["state"] == "waiting"


def test_an_accepted_file_wakes_the_workers_once(
    spelling, submitter, settings, django_capture_on_commit_callbacks
):
    settings.BROKER_URL = "memory://"
    key = uuid.uuid4()
    with django_capture_on_commit_callbacks() as first:
        send(submitter, key=key)
    with django_capture_on_commit_callbacks() as second:
        send(submitter, key=key)
    assert (len(first), len(second)) == (1, 0)


def test_a_submission_is_private_unless_told_otherwise(spelling, submitter):
    assert send(submitter).json()["visibility"] == "private"


def test_the_same_key_names_one_submission(spelling, submitter):
    key = uuid.uuid4()
    first, second = send(submitter, key=key), send(submitter, key=key)
    check_documented(second, "/submissions/", "post")
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    assert Submission.objects.count() == 1


@pytest.mark.slow
def test_the_same_key_with_another_file_is_refused(spelling, submitter):
    key = uuid.uuid4()
    send(submitter, key=key)
    response = send(submitter, ANSWERS + b"\n", key=key)
    assert response.status_code == 422
    assert "Idempotency-Key" in response.json()["detail"]


def test_the_same_key_with_another_model_is_refused(spelling, submitter):
    key = uuid.uuid4()
    send(submitter, key=key)
    response = send(submitter, key=key, model="Another")
    check_documented(response, "/submissions/", "post")
    assert response.status_code == 422
    assert "Idempotency-Key" in response.json()["detail"]


@pytest.mark.slow
def test_the_same_key_of_two_people_names_two_submissions(spelling, submitter, stranger):
    key = uuid.uuid4()
    assert (
        send(submitter, key=key).json()["id"]
        != send(token_client(stranger, "submit"), key=key).json()["id"]
    )


def test_a_key_that_is_no_uuid_is_refused(spelling, submitter):
    response = send(submitter, key="again")
    check_documented(response, "/submissions/", "post")
    assert response.status_code == 400
    assert list(response.json()["errors"]) == ["Idempotency-Key"]


def test_a_refused_file_names_every_problem_and_stores_nothing(spelling, submitter):
    response = send(submitter, b"1=two\n")
    check_documented(response, "/submissions/", "post")
    document = response.json()
    assert response.status_code == document["status"] == 422
    assert response["Content-Type"] == "application/problem+json"
    assert [problem["message"] for problem in document["problems"]] == [
        f"{i} has no answer" for i in "234"
    ]
    assert not Submission.objects.exists()


@each_case("code, status", [("type", 415), ("size", 413), ("missing", 422)])
def test_the_first_problem_decides_the_status(code, status):
    error = SubmissionRefusedError([Problem(code, "?"), Problem("other", "?")])
    assert refused_file(error).status_code == status


def test_a_file_over_the_limit_is_too_large(spelling, submitter, settings):
    settings.UPLOAD_LIMIT_BYTES = 10
    response = send(submitter)
    check_documented(response, "/submissions/", "post")
    assert response.status_code == 413
    assert response.json()["problems"][0]["expected"] == "at most 10 bytes"


def test_a_body_announced_over_the_limit_is_not_read(spelling, submitter, settings):
    settings.UPLOAD_LIMIT_BYTES = 10
    response = submitter.post(
        SUBMISSIONS, b"x", "multipart/form-data; boundary=b", CONTENT_LENGTH="100000"
    )
    check_documented(response, "/submissions/", "post")
    assert response.status_code == 413


def test_a_release_that_is_closed_takes_no_submission(spelling, submitter):
    Release.objects.filter(pk=spelling.pk).update(state="frozen")
    response = send(submitter)
    assert response.status_code == 422
    assert response.json()["problems"][0]["code"] == "release"


@pytest.mark.parametrize(
    ("fields", "blamed"),
    [
        ({"release": "nowhere"}, "release"),
        ({"release": "spelling\x00"}, "release"),
        ({"model": ""}, "model"),
        ({"model": "x" * 101}, "model"),
        ({"model": "a\x00b"}, "model"),
        ({"link": "javascript:alert(1)"}, "link"),
        ({"link": f"https://example.org/{'x' * 200}"}, "link"),
        ({"parameters_billions": "1e400"}, "parameters_billions"),
        ({"visibility": "everyone"}, "visibility"),
        ({"file": "not a file"}, "file"),
    ],
)
def test_a_malformed_field_is_named(spelling, submitter, fields, blamed):
    response = send(submitter, **fields)
    check_documented(response, "/submissions/", "post")
    assert response.status_code == 422
    assert list(response.json()["errors"]) == [blamed]


def test_two_files_are_refused(spelling, submitter):
    files = [SimpleUploadedFile(name, ANSWERS) for name in ("a.txt", "b.txt")]
    response = send(submitter, file=files)
    assert response.status_code == 422
    assert response.json()["errors"] == {"file": ["Send it once."]}


@pytest.mark.parametrize(
    ("content_type", "body", "status"),
    [
        ("application/json", b"{}", 415),
        ("text/html", b"<p>", 415),
        ("multipart/form-data", b"no boundary", 400),
        ("multipart/form-data; boundary=b", b"--b\r\nhalf of", 422),
        ("multipart/form-data; boundary=b", b"", 422),
    ],
)
def test_an_odd_body_is_refused_in_so_many_words(spelling, submitter, content_type, body, status):
    response = submitter.generic("POST", SUBMISSIONS, body, content_type)
    check_documented(response, "/submissions/", "post")
    assert response.status_code == status


def test_too_many_fields_are_refused_as_a_problem(spelling, submitter):
    many: dict[str, Any] = {f"field{i}": "x" for i in range(1001)}
    response = send(submitter, **many)
    check_documented(response, "/submissions/", "post")
    assert response.status_code == 400


def test_fields_of_ours_cannot_be_set(spelling, submitter, stranger):
    response = send(submitter, owner=stranger.pk, origin="baseline", withdrawn="2020-01-01")
    assert set(response.json()["errors"]) == {"owner", "origin", "withdrawn"}
    assert not Submission.objects.exists()


# --- who may --------------------------------------------------------------------------------------


def test_handing_in_needs_an_account(spelling, client):
    response = send(client)
    check_documented(response, "/submissions/", "post")
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"


def test_a_read_token_does_not_hand_in(spelling, owner):
    response = send(token_client(owner, "read"))
    check_documented(response, "/submissions/", "post")
    assert response.status_code == 403
    assert not EvaluatedModel.objects.exists()


@pytest.mark.parametrize("sent", ["Token assay_unknown", "assay_unknown", "Bearer", "Bearer a b"])
def test_a_token_sent_in_another_way_is_told_of_it_even_in_a_browser(owner, sent):
    browser = Client(headers={"Authorization": sent})
    browser.force_login(owner)
    response = browser.get(SUBMISSIONS)
    assert response.status_code == 401
    assert response.json()["detail"] == "Write: Authorization: Bearer YOUR_TOKEN"


def test_the_password_of_a_web_server_before_the_site_is_none_of_ours(owner):
    browser = Client(headers={"Authorization": "Basic eDp5"})
    browser.force_login(owner)
    assert browser.get(SUBMISSIONS).status_code == 200


def test_an_unknown_token_is_told_so(db):
    response = Client(headers={"Authorization": "Bearer assay_unknown"}).get(SUBMISSIONS)
    assert response.status_code == 401
    assert "unknown, expired or revoked" in response.json()["detail"]


def test_a_browser_session_hands_in_with_its_csrf_token(spelling, owner):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert send(client).status_code == 403
    client.cookies["csrftoken"] = "t" * 32
    client.defaults["HTTP_X_CSRFTOKEN"] = "t" * 32
    assert send(client).status_code == 201


def test_everyone_lists_their_own_submissions(spelling, owner, stranger):
    mine = submit(spelling, owner)
    for client in (
        session_client(owner),
        token_client(owner, "read"),
        token_client(owner, "submit"),
    ):
        response = client.get(SUBMISSIONS)
        check_documented(response, "/submissions/")
        assert [line["id"] for line in response.json()["results"]] == [str(mine.pk)]
    assert session_client(stranger).get(SUBMISSIONS).json()["results"] == []
    assert Client().get(SUBMISSIONS).status_code == 401


def test_the_list_needs_the_same_queries_for_any_length(
    spelling, owner, django_assert_max_num_queries
):
    for i in range(5):
        submit(spelling, owner, name=f"Model {i}")
    client = session_client(owner)
    with django_assert_max_num_queries(5):
        client.get(SUBMISSIONS)


# --- publishing and withdrawing -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "visibility"),
    [("publish", "public"), ("make-private", "private"), ("withdraw", "private")],
)
def test_an_owner_changes_what_stands(spelling, owner, what, visibility):
    submission = submit(spelling, owner, visibility="private" if what == "publish" else "public")
    response = change(session_client(owner), submission, what)
    check_documented(response, f"/submissions/{{submission_id}}/{what}/", "post")
    assert response.json()["visibility"] == visibility
    assert bool(response.json()["withdrawn"]) == (what == "withdraw")


@pytest.mark.parametrize("what", ["publish", "make-private", "withdraw"])
def test_nobody_else_changes_what_stands(submission, stranger, what):
    response = change(session_client(stranger), submission, what)
    check_documented(response, f"/submissions/{{submission_id}}/{what}/", "post")
    assert response.status_code == 404
    assert change(Client(), submission, what).status_code == 401


@pytest.mark.parametrize("scope", ["read", "submit"])
@pytest.mark.parametrize("what", ["publish", "make-private", "withdraw"])
def test_a_token_that_was_not_made_for_it_changes_nothing(submission, owner, what, scope):
    response = change(token_client(owner, scope), submission, what)
    check_documented(response, f"/submissions/{{submission_id}}/{what}/", "post")
    assert response.status_code == 403
    assert (
        f"This token has the scope {scope}; this needs the scope publish"
        in (response.json()["detail"])
    )
    submission.refresh_from_db()
    assert (submission.visibility, submission.withdrawn) == ("public", None)


@pytest.mark.parametrize(
    ("what", "visibility", "state"),
    [
        ("publish", "public", "waiting"),
        ("make-private", "private", "waiting"),
        ("withdraw", "private", "withdrawn"),
    ],
)
def test_a_token_to_publish_changes_what_stands(spelling, owner, what, visibility, state):
    submission = submit(spelling, owner, visibility="private" if what == "publish" else "public")
    response = change(token_client(owner, "publish"), submission, what)
    check_documented(response, f"/submissions/{{submission_id}}/{what}/", "post")
    assert (response.json()["visibility"], response.json()["state"]) == (visibility, state)
    submission.refresh_from_db()
    assert (submission.visibility, bool(submission.withdrawn)) == (visibility, what == "withdraw")


@pytest.mark.parametrize("what", ["publish", "make-private", "withdraw"])
def test_a_token_of_staff_changes_only_what_they_handed_in(submission, what):
    staff = User.objects.create_superuser("boss", "boss@example.org", "a long enough password")
    response = change(token_client(staff, "publish"), submission, what)
    check_documented(response, f"/submissions/{{submission_id}}/{what}/", "post")
    assert response.status_code == 404
    assert str(submission.pk) in response.json()["detail"]
    assert change(session_client(staff), submission, what).status_code == 200


def test_a_token_to_publish_hands_in_what_is_public_at_once(spelling, owner):
    assert send(token_client(owner, "publish"), visibility="public").status_code == 201
    assert Submission.objects.get().visibility == "public"


@pytest.mark.parametrize("scope", ["read", "submit", "publish"])
def test_every_token_reads(submission, owner, scope):
    client = token_client(owner, scope)
    assert client.get(f"{SUBMISSIONS}{submission.pk}/").status_code == 200


def test_a_withdrawn_submission_cannot_be_published(submission, owner):
    client = session_client(owner)
    change(client, submission, "withdraw")
    response = change(client, submission, "publish")
    check_documented(response, "/submissions/{submission_id}/publish/", "post")
    assert response.status_code == 409


def test_withdrawing_twice_changes_nothing(submission, owner):
    client = session_client(owner)
    first, second = change(client, submission, "withdraw"), change(client, submission, "withdraw")
    assert first.json() == second.json()


# --- checking ------------------------------------------------------------------------------------


def test_a_checked_file_is_stored_nowhere(spelling, submitter):
    response = send(submitter, validate_only="true", organisation="Lab")
    check_documented(response, "/submissions/", "post")
    found = response.json()
    assert response.status_code == 200
    assert (found["state"], found["answers"], found["release"]) == ("valid", 4, "spelling-1")
    assert found["no_place"] is None
    assert not Submission.objects.exists()
    assert not EvaluatedModel.objects.exists()
    assert not LooseFile.objects.exists()


def test_a_checked_file_is_refused_as_one_handed_in(spelling, submitter):
    checked, sent = (
        send(submitter, b"1=two\n9=x\n", validate_only=only) for only in ("true", "false")
    )
    check_documented(checked, "/submissions/", "post")
    assert (checked.status_code, checked.json()) == (422, sent.json())


def test_a_checked_file_has_the_notes_of_one_handed_in(spelling, owner, submitter):
    content = b"1=\n2=color\n3=night\n4=sea\n"
    submit(spelling, owner, name="Speller")
    checked, sent = (
        send(submitter, content, validate_only=only, organisation="Elsewhere").json()
        for only in ("true", "false")
    )
    assert "model-kept" in [note["code"] for note in checked["notes"]]
    assert checked["notes"] == sent["notes"]
    assert (checked["sha256"], checked["file_name"]) == (sent["sha256"], sent["file_name"])


def test_checking_needs_no_place_and_says_whether_there_is_one(spelling, submitter, settings):
    settings.QUOTA_SUBMISSIONS_DAY = 1
    assert send(submitter).status_code == 201
    assert send(submitter).status_code == 429
    response = send(submitter, validate_only="true")
    check_documented(response, "/submissions/", "post")
    assert "The next place is free at" in response.json()["no_place"]["sentence"]
    assert response.json()["no_place"]["next_place"]


def test_checking_tells_what_judging_will_take(spelling, submitter, owner, stranger, settings):
    settings.JUDGE_ENDPOINTS = {
        "paid": {"url": "http://127.0.0.1:1", "key": "", "prices": {"scribe": (2.5, 10.0)}}
    }
    settings.DEFAULT_JUDGE = "openai:scribe@paid"
    checked = send(submitter, validate_only="true").json()
    stored = submit(spelling, owner, confirm=False)
    watched = submitter.get(f"{SUBMISSIONS}{stored.pk}/").json()
    assert checked["estimate"] == watched["estimate"]
    assert (checked["estimate"]["calls"], checked["estimate"]["reused"]) == (8, 0)
    assert checked["runs_ahead"] == 0
    run = judged(submit(spelling, stranger))
    JudgeRun.objects.filter(pk=run.pk).update(unscored=1)
    assert send(submitter, validate_only="true").json()["runs_ahead"] == 1


def test_checking_needs_the_scope_of_handing_in(spelling, owner):
    assert send(token_client(owner, "read"), validate_only="true").status_code == 403
    assert send(Client(), validate_only="true").status_code == 401


# --- nothing is dropped without a word ------------------------------------------------------------


def test_the_list_and_the_receipt_say_how_far_a_submission_is(spelling, submitter):
    receipt = send(submitter)
    check_documented(receipt, "/submissions/", "post")
    judged(Submission.objects.get())
    listed = submitter.get(SUBMISSIONS)
    check_documented(listed, "/submissions/")
    assert receipt.json()["state"] == "waiting"
    assert [one["state"] for one in listed.json()["results"]] == ["judged"]


def test_a_field_that_there_is_not_is_named_and_nothing_is_stored(spelling, submitter):
    fields: dict[str, Any] = {"visiblity": "public", "x" * 500: "1"}
    response = send(submitter, **fields)
    check_documented(response, "/submissions/", "post")
    assert response.status_code == 422
    first, second = response.json()["errors"].items()
    assert first[0] == "visiblity"
    assert "visibility" in first[1][0]
    assert len(second[0]) <= 60
    assert not Submission.objects.exists()


@pytest.mark.parametrize("slug", ["nope", "no\0pe", "n" * 5000])
def test_a_release_that_there_is_not_is_said_in_words(spelling, submitter, slug):
    (sentence,) = send(submitter, release=slug).json()["errors"]["release"]
    assert sentence.startswith(f"There is no open release “{slug[:2]}")
    assert sentence.endswith("; /api/v1/releases/ lists those there are.")
    assert len(sentence) < 150


def test_other_facts_of_a_model_one_has_are_not_dropped_without_a_word(spelling, submitter):
    send(submitter, organisation="Lab", link="https://example.org/")
    same = send(submitter, organisation="Lab").json()["notes"]
    other = send(submitter, organisation="Elsewhere", link="https://example.org/2").json()["notes"]
    assert [note for note in same if note["code"] == "model-kept"] == []
    (note,) = [note for note in other if note["code"] == "model-kept"]
    assert "not taken over from this submission: organisation, link." in note["message"]
    assert EvaluatedModel.objects.get().organisation == "Lab"


# --- for a team -----------------------------------------------------------------------------------


@pytest.fixture
def spellers(owner):
    return found_team(name="The Spellers", by=owner)


@pytest.mark.parametrize("named", ["The Spellers", "the spellers", None])
def test_a_file_is_handed_in_for_a_team_of_the_sender(spelling, owner, spellers, named):
    api = token_client(owner, "submit")
    document = send(api, team=named or str(spellers.pk)).json()
    submission = Submission.objects.get(pk=document["id"])
    assert (document["team"], submission.team, submission.model.team) == (
        "The Spellers",
        spellers,
        spellers,
    )
    assert send(api).json()["team"] is None


def test_checking_for_a_team_tells_its_places(spelling, owner, stranger, spellers, settings):
    settings.QUOTA_SUBMISSIONS_DAY = 1
    Membership.objects.create(team=spellers, user=stranger)
    send(token_client(stranger, "submit"), team="The Spellers")
    api = token_client(owner, "submit")
    for_team = send(api, team="The Spellers", validate_only="true").json()
    assert for_team["team"] == "The Spellers"
    assert for_team["no_place"] is not None
    assert send(api, validate_only="true").json()["no_place"] is None


@pytest.mark.parametrize("check", ["true", "false"])
def test_a_team_that_is_not_ones_own_is_refused_with_those_that_are(
    spelling, owner, stranger, spellers, check
):
    found_team(name="Readers", by=stranger)
    theirs = send(token_client(stranger, "submit"), team="The Spellers", validate_only=check)
    nobodys = send(token_client(stranger, "submit"), team="No Such", validate_only=check)
    for reply, named in ((theirs, "The Spellers"), (nobodys, "No Such")):
        told = f"You are in no team “{named}”. You are in “Readers”."
        assert (reply.status_code, reply.json()["errors"]["team"]) == (422, [told])
    assert not Submission.objects.exists()


def test_who_left_a_team_hands_in_for_it_no_more(spelling, owner, stranger, spellers):
    Membership.objects.create(team=spellers, user=stranger)
    api = token_client(stranger, "submit")
    assert send(api, team="The Spellers").status_code == 201
    Membership.objects.filter(user=stranger).delete()
    reply = send(api, team="The Spellers")
    assert "You are in none." in reply.json()["errors"]["team"][0]


def test_a_key_is_of_one_team(spelling, owner, spellers):
    api, key = token_client(owner, "submit"), uuid.uuid4()
    assert send(api, key=key, team="The Spellers").status_code == 201
    assert send(api, key=key, team="The Spellers").status_code == 200
    assert send(api, key=key).status_code == 422
