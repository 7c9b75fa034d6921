"""Handing in, checking, listing and changing by API. Every answer is as the schema documents it;
who may not is in tests/permissions.toml."""

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


def documented(response, path: str = "", method: str = "post"):
    check_documented(response, f"/submissions/{path}", method)
    return response


def send(client: Client, content: bytes = ANSWERS, key: object = None, **fields: Any):
    form: dict[str, Any] = {
        "release": "spelling-1",
        "model": "Speller",
        "file": SimpleUploadedFile("a.txt", content),
    }
    headers = {"Idempotency-Key": str(key)} if key else {}
    return documented(client.post(SUBMISSIONS, form | fields, headers=headers))


def change(client: Client, submission: Submission, what: str):
    response = client.post(f"{SUBMISSIONS}{submission.pk}/{what}/")
    return documented(response, f"{{submission_id}}/{what}/")


def listed(client: Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = documented(client.get(SUBMISSIONS), method="get").json()[
        "results"
    ]
    return found


# --- handing in -----------------------------------------------------------------------------------


def test_an_accepted_file_is_confirmed_at_once_and_says_where_to_watch_it(spelling, submitter):
    response = send(submitter, organisation="Lab", open_weights="true", licence="MIT")
    receipt, submission = response.json(), Submission.objects.get()
    assert response.status_code == 201
    assert (receipt["id"], receipt["state"]) == (str(submission.pk), "waiting")
    assert receipt["visibility"] == submission.visibility == "private"
    assert submission.confirmed
    model = submission.model
    assert (model.organisation, model.is_open_weights, model.licence) == ("Lab", True, "MIT")
    assert response["Location"] == receipt["links"]["self"]
    assert submitter.get(response["Location"]).json()["state"] == "waiting"
    judged(submission)
    assert [(one["id"], one["state"]) for one in listed(submitter)] == [(receipt["id"], "judged")]


def test_public_at_once_is_what_a_person_or_a_token_to_publish_hands_in(spelling, owner, submitter):
    refused = send(submitter, visibility="public")
    assert refused.status_code == 403
    assert "this needs the scope publish" in refused.json()["detail"]
    assert not Submission.objects.exists()
    for client in (session_client(owner), token_client(owner, "publish")):
        assert send(client, visibility="public").json()["visibility"] == "public"
    assert set(Submission.objects.values_list("visibility", flat=True)) == {"public"}


def test_a_key_names_one_submission_of_a_person_and_wakes_the_workers_once(
    spelling, owner, stranger, settings, django_capture_on_commit_callbacks
):
    settings.BROKER_URL = "memory://"
    submitter, key = token_client(owner, "submit"), uuid.uuid4()
    with django_capture_on_commit_callbacks() as first_calls:
        first = send(submitter, key=key)
    with django_capture_on_commit_callbacks() as second_calls:
        second = send(submitter, key=key)
    assert (len(first_calls), len(second_calls)) == (1, 0)
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    for other in (
        send(submitter, ANSWERS + b"\n", key=key),
        send(submitter, key=key, model="Another"),
    ):
        assert other.status_code == 422
        assert "Idempotency-Key" in other.json()["detail"]
    malformed = send(submitter, key="again")
    assert (malformed.status_code, list(malformed.json()["errors"])) == (400, ["Idempotency-Key"])
    assert Submission.objects.count() == 1
    assert send(token_client(stranger, "submit"), key=key).status_code == 201


def test_a_refused_file_names_every_problem_and_stores_nothing(spelling, submitter):
    response = send(submitter, b"1=two\n")
    document = response.json()
    assert response.status_code == document["status"] == 422
    assert response["Content-Type"] == "application/problem+json"
    told = [problem["message"] for problem in document["problems"]]
    assert told == [f"{number} has no answer" for number in "234"]
    assert not Submission.objects.exists()


@each_case("code, status", [("type", 415), ("size", 413), ("missing", 422)])
def test_the_first_problem_decides_the_status(code, status):
    error = SubmissionRefusedError([Problem(code, "?"), Problem("other", "?")])
    assert refused_file(error).status_code == status


def test_files_over_the_limit_and_for_closed_releases_are_refused(spelling, submitter, settings):
    settings.UPLOAD_LIMIT_BYTES = 10
    response = send(submitter)
    assert response.status_code == 413
    assert response.json()["problems"][0]["expected"] == "at most 10 bytes"
    kind = "multipart/form-data; boundary=b"
    announced = submitter.post(SUBMISSIONS, b"x", kind, CONTENT_LENGTH="100000")
    assert documented(announced).status_code == 413
    Release.objects.filter(pk=spelling.pk).update(state="frozen")
    settings.UPLOAD_LIMIT_BYTES = 1_000
    response = send(submitter)
    assert response.status_code == 422
    assert response.json()["problems"][0]["code"] == "release"


MALFORMED: list[dict[str, Any]] = [
    {"release": "spelling\x00"},
    {"model": ""},
    {"model": "x" * 101},
    {"model": "a\x00b"},
    {"link": "javascript:alert(1)"},
    {"link": f"https://example.org/{'x' * 200}"},
    {"parameters_billions": "1e400"},
    {"visibility": "everyone"},
    {"file": "not a file"},
    {"owner": "1", "origin": "baseline", "withdrawn": "2020-01-01"},
]


def test_malformed_and_unknown_fields_are_named_and_nothing_is_stored(spelling, submitter):
    for fields in MALFORMED:
        response = send(submitter, **fields)
        assert (response.status_code, set(response.json()["errors"])) == (422, {*fields}), fields
    files = [SimpleUploadedFile(name, ANSWERS) for name in ("a.txt", "b.txt")]
    assert send(submitter, file=files).json()["errors"] == {"file": ["Send it once."]}
    unknown: dict[str, Any] = {"visiblity": "public", "x" * 500: "1"}
    (first, hint), (second, _) = send(submitter, **unknown).json()["errors"].items()
    assert first == "visiblity"
    assert "visibility" in hint[0]
    assert len(second) <= 60
    for slug in ("nope", "no\0pe", "n" * 5000):
        (sentence,) = send(submitter, release=slug).json()["errors"]["release"]
        assert sentence.startswith(f"There is no open release “{slug[:2]}")
        assert sentence.endswith("; /api/v1/releases/ lists those there are.")
        assert len(sentence) < 150
    many: dict[str, Any] = {f"field{number}": "x" for number in range(1001)}
    assert send(submitter, **many).status_code == 400
    assert not Submission.objects.exists()


ODD_BODIES = [
    ("application/json", b"{}", 415),
    ("text/html", b"<p>", 415),
    ("multipart/form-data", b"no boundary", 400),
    ("multipart/form-data; boundary=b", b"--b\r\nhalf of", 422),
    ("multipart/form-data; boundary=b", b"", 422),
]


def test_an_odd_body_is_refused_in_so_many_words(spelling, submitter):
    for content_type, body, status in ODD_BODIES:
        response = submitter.generic("POST", SUBMISSIONS, body, content_type)
        assert documented(response).status_code == status, (content_type, body)


def test_other_facts_of_a_model_one_has_are_not_dropped_without_a_word(spelling, submitter):
    send(submitter, organisation="Lab", link="https://example.org/")
    same = send(submitter, organisation="Lab").json()["notes"]
    other = send(submitter, organisation="Elsewhere", link="https://example.org/2").json()["notes"]
    assert [note for note in same if note["code"] == "model-kept"] == []
    (note,) = [note for note in other if note["code"] == "model-kept"]
    assert "facts of this submission were not used: organisation, link." in note["message"]
    assert EvaluatedModel.objects.get().organisation == "Lab"


# --- who may --------------------------------------------------------------------------------------


def test_who_is_not_known_is_told_how_to_send_a_token(spelling, owner):
    nobody = send(Client())
    assert (nobody.status_code, nobody["WWW-Authenticate"]) == (401, "Bearer")
    for sent in ("Token assay_unknown", "assay_unknown", "Bearer", "Bearer a b"):
        browser = Client(headers={"Authorization": sent})
        browser.force_login(owner)
        response = browser.get(SUBMISSIONS)
        assert response.status_code == 401
        assert response.json()["detail"] == "Write: Authorization: Bearer YOUR_TOKEN"
    unknown = Client(headers={"Authorization": "Bearer assay_unknown"}).get(SUBMISSIONS)
    assert unknown.status_code == 401
    assert "unknown, expired or revoked" in unknown.json()["detail"]
    # The password of a web server before the site is none of ours.
    browser = Client(headers={"Authorization": "Basic eDp5"})
    browser.force_login(owner)
    assert browser.get(SUBMISSIONS).status_code == 200


def test_a_browser_session_hands_in_with_its_csrf_token(spelling, owner):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert send(client).status_code == 403
    client.cookies["csrftoken"] = "t" * 32
    client.defaults["HTTP_X_CSRFTOKEN"] = "t" * 32
    assert send(client).status_code == 201


def test_everyone_lists_their_own_submissions_by_the_same_queries_for_any_length(
    spelling, owner, stranger, django_assert_max_num_queries
):
    mine = {str(submit(spelling, owner, name=f"Model {number}").pk) for number in range(5)}
    for client in (session_client(owner), token_client(owner, "read")):
        assert {line["id"] for line in listed(client)} == mine
    assert listed(session_client(stranger)) == []
    client = session_client(owner)
    with django_assert_max_num_queries(5):
        client.get(SUBMISSIONS)


# --- publishing and withdrawing -------------------------------------------------------------------

CHANGES = {
    "publish": ("public", "waiting"),
    "make-private": ("private", "waiting"),
    "withdraw": ("private", "withdrawn"),
}


def test_an_owner_and_a_token_to_publish_change_what_stands(spelling, owner):
    for client in (session_client(owner), token_client(owner, "publish")):
        submission = submit(spelling, owner, visibility="private")
        for what, (visibility, state) in CHANGES.items():
            response = change(client, submission, what).json()
            assert (response["visibility"], response["state"]) == (visibility, state)
            submission.refresh_from_db()
            assert submission.visibility == visibility
            assert bool(submission.withdrawn) == bool(response["withdrawn"]) == (what == "withdraw")
        assert change(client, submission, "withdraw").json() == response
        assert change(client, submission, "publish").status_code == 409


def test_a_token_that_was_not_made_for_it_changes_nothing(submission, owner):
    for scope in ("read", "submit"):
        client = token_client(owner, scope)
        assert client.get(f"{SUBMISSIONS}{submission.pk}/").status_code == 200
        for what in CHANGES:
            response = change(client, submission, what)
            told = f"This token has the scope {scope}; this needs the scope publish"
            assert response.status_code == 403
            assert told in response.json()["detail"]
    submission.refresh_from_db()
    assert (submission.visibility, submission.withdrawn) == ("public", None)


def test_a_token_of_staff_changes_only_what_they_handed_in(submission):
    staff = User.objects.create_superuser("boss", "boss@example.org", "a long enough password")
    for what in CHANGES:
        response = change(token_client(staff, "publish"), submission, what)
        assert response.status_code == 404
        assert str(submission.pk) in response.json()["detail"]
        assert change(session_client(staff), submission, what).status_code == 200


# --- checking ------------------------------------------------------------------------------------


def test_a_checked_file_is_stored_nowhere(spelling, submitter):
    response = send(submitter, validate_only="true", organisation="Lab")
    found = response.json()
    assert response.status_code == 200
    assert (found["state"], found["answers"], found["release"]) == ("valid", 4, "spelling-1")
    assert found["no_place"] is None
    for model in (Submission, EvaluatedModel, LooseFile):
        assert not model.objects.exists()


def test_a_checked_file_is_told_what_one_handed_in_is_told(spelling, owner, submitter):
    def both(content: bytes, **fields: Any):
        return [
            send(submitter, content, validate_only=only, **fields) for only in ("true", "false")
        ]

    checked, sent = both(b"1=two\n9=x\n")
    assert (checked.status_code, checked.json()) == (422, sent.json())
    submit(spelling, owner, name="Speller")
    checked, sent = both(b"1=\n2=color\n3=night\n4=sea\n", organisation="Elsewhere")
    assert "model-kept" in [note["code"] for note in checked.json()["notes"]]
    for name in ("notes", "sha256", "file_name"):
        assert checked.json()[name] == sent.json()[name]


def test_checking_needs_no_place_and_says_whether_there_is_one(spelling, submitter, settings):
    settings.QUOTA_SUBMISSIONS_DAY = 1
    assert send(submitter).status_code == 201
    assert send(submitter).status_code == 429
    no_place = send(submitter, validate_only="true").json()["no_place"]
    assert "You can submit the next one at" in no_place["sentence"]
    assert no_place["next_place"]


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
    for client, status in ((token_client(owner, "read"), 403), (Client(), 401)):
        assert send(client, validate_only="true").status_code == send(client).status_code == status
    assert not EvaluatedModel.objects.exists()


# --- for a team -----------------------------------------------------------------------------------


@pytest.fixture
def spellers(owner):
    return found_team(name="The Spellers", by=owner)


def test_a_file_is_handed_in_for_a_team_of_the_sender(spelling, owner, spellers):
    api, key = token_client(owner, "submit"), uuid.uuid4()
    for named in ("The Spellers", "the spellers", str(spellers.pk)):
        document = send(api, team=named).json()
        submission = Submission.objects.get(pk=document["id"])
        assert document["team"] == "The Spellers"
        assert (submission.team, submission.model.team) == (spellers, spellers)
    assert send(api).json()["team"] is None
    assert send(api, key=key, team="The Spellers").status_code == 201
    assert send(api, key=key, team="The Spellers").status_code == 200
    assert send(api, key=key).status_code == 422


def test_a_team_that_is_not_ones_own_is_refused_with_those_that_are(
    spelling, owner, stranger, spellers, settings
):
    """Its places are told to its members alone, and who left it hands in for it no more."""
    settings.QUOTA_SUBMISSIONS_DAY = 1
    found_team(name="Readers", by=stranger)
    api = token_client(stranger, "submit")
    for check in ("true", "false"):
        for named in ("The Spellers", "No Such"):
            reply = send(api, team=named, validate_only=check)
            told = f"You are in no team “{named}”. You are in “Readers”."
            assert (reply.status_code, reply.json()["errors"]["team"]) == (422, [told])
    assert not Submission.objects.exists()
    Membership.objects.create(team=spellers, user=stranger)
    assert send(api, team="The Spellers").status_code == 201
    mine = token_client(owner, "submit")
    for_team = send(mine, team="The Spellers", validate_only="true").json()
    assert for_team["team"] == "The Spellers"
    assert for_team["no_place"] is not None
    assert send(mine, validate_only="true").json()["no_place"] is None
    Membership.objects.filter(user=stranger).delete()
    told = send(api, team="The Spellers").json()["errors"]["team"]
    assert told == ["You are in no team “The Spellers”. You are in none."]
