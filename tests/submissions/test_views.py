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
from leaderboard.results.selectors import eras_of
from tests.conftest import ANSWERS, judged, submit
from tests.leaderboard.web.pages.shown_text import links, page_at, part


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


def test_an_upload_waits_for_its_owners_word_and_is_linked_from_the_form_until_it_is_done(
    signed_in, spelling, stranger, settings
):
    settings.QUOTA_UNFINISHED = 1
    theirs, token = submit(spelling, stranger, confirm=False), str(uuid.uuid4())
    place = signed_in.post("/submit/", form(spelling, client_token=token)).url
    submission = Submission.objects.exclude(pk=theirs.pk).get()
    assert place == f"/submissions/{submission.pk}/"
    assert submission.confirmed is None
    assert signed_in.post("/submit/", form(spelling, client_token=token)).url == place
    assert "Confirm" in signed_in.get(place).content.decode()
    page = signed_in.get("/submit/").content.decode()
    assert f'href="{place}"' in page
    assert "waiting for you to confirm or withdraw it" in page
    assert str(theirs.pk) not in page
    signed_in.post(f"{place}confirm/", {})
    assert "not judged yet" in signed_in.get("/submit/").content.decode()
    Submission.objects.update(finished=timezone.now())
    assert place not in signed_in.get("/submit/").content.decode()
    draft = signed_in.post("/submit/", form(spelling)).url
    signed_in.post(f"{draft}withdraw/", {})
    assert draft not in signed_in.get("/submit/").content.decode()


def test_what_is_said_of_a_new_model_is_kept_as_it_was_typed(signed_in, spelling):
    facts = {
        "organisation": "Lab <b>",
        "link": "https://example.org/weights",
        "parameters_billions": "7.50",
        "licence": "Apache-2.0",
        "training_data": "Words 1-9.",
        "notes": "Two lines,\nand é.",
    }
    signed_in.post("/submit/", form(spelling) | facts | {"is_open_weights": "on"})
    model = EvaluatedModel.objects.get()
    kept = {name: str(getattr(model, name)).replace("\r", "") for name in facts}
    assert (kept, model.name, model.is_open_weights) == (facts, "Speller", True)


def test_the_newest_that_are_not_finished_are_linked_beside_the_form(signed_in, spelling, owner):
    made = [submit(spelling, owner, name=f"Draft {n}", confirm=False) for n in range(11)]
    listed = part(page_at(signed_in, "/submit/"), "unfinished")
    newest = {draft.model.name: f"/submissions/{draft.pk}/" for draft in made[:0:-1]}
    assert list(links(listed).items()) == list(newest.items())


def test_the_owner_decides_who_sees_a_submission_and_without_a_choice_nobody_does(
    signed_in, spelling, owner
):
    for asked, visibility in (("public", "public"), ("everybody", "private")):
        submission = submit(spelling, owner, confirm=False)
        signed_in.post(f"/submissions/{submission.pk}/confirm/", {"visibility": asked})
        submission.refresh_from_db()
        assert submission.confirmed
        assert submission.visibility == visibility
    for asked, visibility in (
        ("public", "public"),
        ("everybody", "public"),
        ("", "public"),
        ("private", "private"),
    ):
        signed_in.post(f"/submissions/{submission.pk}/visibility/", {"visibility": asked})
        submission.refresh_from_db()
        assert submission.visibility == visibility, asked


def test_a_refused_form_shows_every_problem_and_leaves_nothing(signed_in, spelling, settings):
    reply = signed_in.post("/submit/", form(spelling, b"1=two\n"))
    assert reply.status_code == 422
    assert all(f"{key} has no answer" in reply.content.decode() for key in (2, 3, 4))
    for field in ("model_name", "file", "client_token"):
        data = {name: value for name, value in form(spelling).items() if name != field}
        assert signed_in.post("/submit/", data).status_code == 422, field
    settings.UPLOAD_LIMIT_BYTES = len(ANSWERS) - 1
    reply = signed_in.post("/submit/", form(spelling))
    assert reply.status_code in (413, 422)
    assert "bytes" in reply.content.decode()
    assert (Submission.objects.count(), EvaluatedModel.objects.count()) == (0, 0)


def test_markup_in_names_is_shown_as_text(signed_in, spelling):
    name = "<img src=x onerror=alert(1)>.csv"
    reply = signed_in.post("/submit/", form(spelling, name=name, model_name="<b>bold</b>"))
    page = signed_in.get(reply.url).content.decode()
    assert "<b>bold</b>" not in page
    assert "<img src=x" not in page


def test_a_file_comes_back_byte_for_byte_and_withdrawing_leaves_a_tombstone(signed_in, submission):
    place = f"/submissions/{submission.pk}/"
    reply = signed_in.get(f"{place}file/")
    assert b"".join(reply.streaming_content) == ANSWERS
    assert reply["Content-Disposition"].startswith("attachment")
    signed_in.post(f"{place}withdraw/")
    assert "Withdrawn" in signed_in.get(place).content.decode()


def test_a_moderator_may_withdraw_what_others_submitted(client, submission, stranger):
    stranger.user_permissions.add(Permission.objects.get(codename="change_submission"))
    client.force_login(stranger)
    client.post(f"/submissions/{submission.pk}/withdraw/")
    submission.refresh_from_db()
    assert submission.withdrawn


def test_a_token_is_shown_once_stored_as_a_digest_and_revoked_by_its_owner(signed_in, owner):
    page = signed_in.post("/tokens/", {"name": "laptop", "scope": "read"}).content.decode()
    token = owner.access_tokens.get()
    assert token.prefix in page
    assert "assay_" in page
    assert token.digest not in page
    later = signed_in.get("/tokens/").content.decode()
    assert page.count(token.prefix) > later.count(token.prefix)
    signed_in.post(f"/tokens/{token.pk}/revoke/")
    token.refresh_from_db()
    assert token.revoked


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


def test_the_whole_corrected_english_release_is_offered_first_and_shown_by_the_board(
    signed_in, spelling, owner
):
    part = opened(2, "part")
    for release, content in ((spelling, ANSWERS), (part, b"0=part0\n1=x\n"), (part, b"0=x\n1=x\n")):
        judged(submit(release, owner, content, name=str(len(content))))
    shown = [era.release.slug for era in eras_of(spelling.benchmark)]
    assert shown == offered(signed_in) == ["spelling-1", "part"]
    opened(4, "corrected")
    opened(9, "foreign", language="zh")
    assert offered(signed_in) == ["corrected", "spelling-1", "part", "foreign"]
    page = signed_in.get("/submit/").content.decode()
    assert all(f'href="/releases/{slug}/#hand-in"' in page for slug in offered(signed_in))


def test_a_visitor_reads_what_is_needed_and_nothing_of_anybody(client, spelling, owner, settings):
    settings.QUOTA_SUBMISSIONS_DAY = 2
    draft = submit(spelling, owner, confirm=False, name="Unseen Draft 9B")
    reply = client.get("/submit/")
    assert reply.status_code == 200
    page = reply.content.decode()
    assert "/releases/spelling-1/template" in page
    assert "2 files per release within 24 hours" in page
    assert "at most 20 MiB" in page
    assert "checking a file is free" in page
    assert 'href="/accounts/login/?next=/submit/"' in page
    for hidden in (str(draft.pk), "Unseen Draft", "2 left", 'type="file"', 'id="unfinished"'):
        assert hidden not in page.partition("<main")[2].partition("</main>")[0], hidden
    sent = client.post("/submit/", form(spelling))
    assert sent.status_code == 302
    assert sent.url == "/accounts/login/?next=/submit/"
    assert Submission.objects.count() == 1


def test_the_example_file_stands_above_the_form_and_facts_are_folded(signed_in, spelling):
    page = signed_in.get("/submit/").content.decode()
    example, field = page.index("/releases/spelling-1/template"), page.index('type="file"')
    assert example < field
    (fold,) = page_at(signed_in, "/submit/").xpath("//details[.//*[@name='organisation']]")
    assert "open" not in fold.attrib
    refused = signed_in.post("/submit/", form(spelling, b"1=two\n", organisation="Heron Lab"))
    assert "<details open>" in refused.content.decode()
