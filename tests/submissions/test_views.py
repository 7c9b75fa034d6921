"""Uploading in the browser, seen by its owner, another account and a stranger."""

import io
import re
import uuid

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from benchmarks.models import Release
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import create_token
from leaderboard.selectors import eras_of
from tests.conftest import ANSWERS, judged, submit


def form(release, content: bytes = ANSWERS, name: str = "answers.txt", **more):
    return {
        "release": release.slug,
        "model_name": "Speller",
        "file": SimpleUploadedFile(name, content),
        "client_token": str(uuid.uuid4()),
        **more,
    }


@pytest.fixture
def signed_in(client, owner):
    client.force_login(owner)
    return client


def test_an_upload_waits_for_its_owners_word(signed_in, spelling):
    reply = signed_in.post("/submit/", form(spelling))
    submission = Submission.objects.get()
    assert reply.url == f"/submissions/{submission.pk}/"
    assert submission.confirmed is None
    assert "Confirm" in signed_in.get(reply.url).content.decode()


def test_what_keeps_a_place_is_linked_from_the_form_until_it_is_done(signed_in, spelling, stranger):
    theirs = submit(spelling, stranger, confirm=False)
    place = signed_in.post("/submit/", form(spelling)).url
    page = signed_in.get("/submit/").content.decode()
    assert f'href="{place}"' in page
    assert "waits for you to confirm or withdraw it" in page
    assert str(theirs.pk) not in page
    signed_in.post(f"{place}confirm/", {})
    assert "not judged yet" in signed_in.get("/submit/").content.decode()
    Submission.objects.update(finished=timezone.now())
    assert place not in signed_in.get("/submit/").content.decode()


def test_a_withdrawn_draft_is_not_linked_from_the_form(signed_in, spelling):
    place = signed_in.post("/submit/", form(spelling)).url
    signed_in.post(f"{place}withdraw/", {})
    assert place not in signed_in.get("/submit/").content.decode()


def test_confirming_publishes_as_chosen(signed_in, spelling, owner):
    submission = submit(spelling, owner, confirm=False)
    signed_in.post(f"/submissions/{submission.pk}/confirm/", {"visibility": "public"})
    submission.refresh_from_db()
    assert submission.confirmed
    assert submission.visibility == "public"


@pytest.mark.slow
def test_a_refused_file_shows_every_problem_and_leaves_nothing(signed_in, spelling):
    reply = signed_in.post("/submit/", form(spelling, b"1=two\n"))
    assert reply.status_code == 422
    assert all(f"{key} has no answer" in reply.content.decode() for key in (2, 3, 4))
    assert (Submission.objects.count(), EvaluatedModel.objects.count()) == (0, 0)


def test_the_same_form_sent_twice_is_one_submission(signed_in, spelling):
    token = str(uuid.uuid4())
    first, second = (
        signed_in.post("/submit/", form(spelling, client_token=token)) for _ in range(2)
    )
    assert first.url == second.url
    assert Submission.objects.count() == 1


@pytest.mark.parametrize("field", ["model_name", "file", "client_token"])
def test_a_form_without_a_field_is_refused(signed_in, spelling, field):
    data = form(spelling)
    del data[field]
    assert signed_in.post("/submit/", data).status_code == 422


def test_markup_in_names_is_shown_as_text(signed_in, spelling):
    name = "<img src=x onerror=alert(1)>.csv"
    reply = signed_in.post("/submit/", form(spelling, name=name, model_name="<b>bold</b>"))
    page = signed_in.get(reply.url).content.decode()
    assert "<b>bold</b>" not in page
    assert "<img src=x" not in page


def test_the_downloaded_file_is_byte_for_byte_the_uploaded(signed_in, submission):
    reply = signed_in.get(f"/submissions/{submission.pk}/file/")
    assert b"".join(reply.streaming_content) == ANSWERS
    assert reply["Content-Disposition"].startswith("attachment")


PRIVATE = ["", "progress/", "file/"]
CHANGES = ["confirm/", "visibility/", "withdraw/"]


@pytest.mark.parametrize("path", PRIVATE + CHANGES)
def test_a_visitor_is_sent_to_sign_in(client, submission, path):
    method = client.get if path in PRIVATE else client.post
    assert method(f"/submissions/{submission.pk}/{path}").url.startswith("/accounts/login/")


def test_a_confirmation_needs_a_post(signed_in, submission):
    assert signed_in.get(f"/submissions/{submission.pk}/confirm/").status_code == 405


def test_withdrawing_leaves_a_tombstone_for_the_owner(signed_in, submission):
    signed_in.post(f"/submissions/{submission.pk}/withdraw/")
    assert "Withdrawn" in signed_in.get(f"/submissions/{submission.pk}/").content.decode()


@pytest.mark.parametrize(
    ("asked", "visibility"),
    [("private", "private"), ("public", "public"), ("everybody", "public"), ("", "public")],
)
def test_the_owner_decides_who_sees_a_submission(signed_in, submission, asked, visibility):
    signed_in.post(f"/submissions/{submission.pk}/visibility/", {"visibility": asked})
    submission.refresh_from_db()
    assert submission.visibility == visibility


def test_a_confirmation_without_a_choice_stays_private(signed_in, spelling, owner):
    submission = submit(spelling, owner, confirm=False)
    signed_in.post(f"/submissions/{submission.pk}/confirm/", {"visibility": "everybody"})
    submission.refresh_from_db()
    assert submission.visibility == "private"


def test_a_file_over_the_limit_is_refused(signed_in, spelling, settings):
    settings.UPLOAD_LIMIT_BYTES = len(ANSWERS) - 1
    reply = signed_in.post("/submit/", form(spelling))
    assert reply.status_code in (413, 422)
    assert "bytes" in reply.content.decode()
    assert Submission.objects.count() == 0


def test_a_moderator_may_withdraw_what_others_submitted(client, submission, stranger):
    stranger.user_permissions.add(Permission.objects.get(codename="change_submission"))
    client.force_login(stranger)
    client.post(f"/submissions/{submission.pk}/withdraw/")
    submission.refresh_from_db()
    assert submission.withdrawn


def test_a_revoked_token_is_gone_from_use(signed_in, owner):
    token = create_token(owner=owner, name="laptop", scope="read").token
    signed_in.post(f"/tokens/{token.pk}/revoke/")
    token.refresh_from_db()
    assert token.revoked


@pytest.mark.parametrize("path", ["/submit/", "/tokens/", "/submissions/"])
def test_a_visitor_signs_in_before_the_pages_of_an_account(client, db, path):
    assert client.get(path).url.startswith("/accounts/login/")


def test_a_token_is_shown_once_and_stored_as_a_digest(signed_in, owner):
    page = signed_in.post("/tokens/", {"name": "laptop", "scope": "read"}).content.decode()
    token = owner.access_tokens.get()
    assert f"{token.prefix}" in page
    assert "assay_" in page
    assert token.digest not in page
    later = signed_in.get("/tokens/").content.decode()
    assert page.count(token.prefix) > later.count(token.prefix)


def test_being_staff_is_not_enough_to_see_a_submission(client, submission, stranger):
    stranger.is_staff = True
    stranger.save()
    client.force_login(stranger)
    assert client.get(f"/submissions/{submission.pk}/").status_code == 404


# --- which release is offered first ---------------------------------------------------------------


def opened(words: int, slug: str, language: str = "en") -> Release:
    lines = "".join(f"{i}|{slug}{i}|{slug}{i}\n" for i in range(words)).encode()
    spelling = protocol("spelling")
    return import_release(
        protocol=spelling, stream=io.BytesIO(lines), slug=slug, language=language
    ).release


def offered(client: Client) -> list[str]:
    return re.findall(
        r'<option value="([^"]+)"',
        client.get("/submit/").content.decode().partition("<main")[2].partition("<datalist")[0],
    )


def test_the_whole_is_offered_before_a_part_that_was_imported_later(signed_in, spelling):
    opened(2, "part")
    assert offered(signed_in) == ["spelling-1", "part"]


def test_a_corrected_release_of_as_many_questions_is_offered_first(signed_in, spelling):
    opened(4, "corrected")
    assert offered(signed_in) == ["corrected", "spelling-1"]


def test_english_is_offered_before_another_language(signed_in, spelling):
    opened(9, "foreign", language="zh")
    assert offered(signed_in) == ["spelling-1", "foreign"]


def test_every_release_that_is_offered_leads_to_its_page(signed_in, spelling):
    opened(2, "part")
    page = signed_in.get("/submit/").content.decode()
    assert all(f'href="/releases/{slug}/#hand-in"' in page for slug in ("spelling-1", "part"))


def test_the_board_shows_the_release_that_is_offered_first(signed_in, spelling, owner):
    part = opened(2, "part")
    for release, content in ((spelling, ANSWERS), (part, b"0=part0\n1=x\n"), (part, b"0=x\n1=x\n")):
        judged(submit(release, owner, content, name=str(len(content))))
    eras = eras_of(spelling.benchmark)
    assert [era.release.slug for era in eras] == offered(signed_in) == ["spelling-1", "part"]
