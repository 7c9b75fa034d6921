"""What an owner does with an entry: told what follows first, then done."""

import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import withdraw_submission
from judging.models import Judgement
from leaderboard.results.services import replace_entries
from tests.conftest import judged, submit
from tests.leaderboard.web.pages.shown_text import links, page_at, shown
from tests.overwriting import overwrite
from tests.person import words

NEWER = b"1=two\n2=colour\n3=night\n4=sea\n"


@pytest.fixture
def signed_in(client, owner):
    client.force_login(owner)
    return client


def url(submission: Submission, step: str) -> str:
    return f"/submissions/{submission.pk}/{step}"


def test_what_follows_is_told_and_nothing_is_done(signed_in, submission, owner):
    for step, said in {
        "visibility/?visibility=private": "It disappears from the board, its page and every list",
        "visibility/?visibility=public": "It appears on the board as soon as it is judged",
        "withdraw/": "Removes it from all boards permanently",
        "replace/": "Until it is judged and public, this version stays as it is, on the board",
    }.items():
        assert said in shown(signed_in, url(submission, step))
    draft = submit(submission.release, owner, NEWER, confirm=False)
    assert "The file is deleted." in shown(signed_in, url(draft, "withdraw/"))
    assert not Submission.objects.exclude(withdrawn=None).exists()
    assert Submission.objects.get(pk=submission.pk).visibility == "public"


def test_a_withdrawn_one_keeps_its_first_reason_in_one_line_and_leads_to_no_page_that_is_gone(
    signed_in, submission
):
    judged(submission)
    own, there = url(submission, ""), f"/entries/{submission.pk}/"
    assert there in " ".join(links(page_at(signed_in, own)).values())
    for reason in ("x" * 301, "a\u202eb", "zero\u200bwidth"):
        sent = signed_in.post(url(submission, "withdraw/"), {"reason": reason})
        assert sent.status_code == 422, reason[:9]
    for reason in (" wrong\r\n <b>weights </b>", "second"):
        signed_in.post(url(submission, "withdraw/"), {"reason": reason})
    submission.refresh_from_db()
    assert (submission.withdrawal_reason, submission.was_public) == ("wrong <b>weights </b>", True)
    page = page_at(signed_in, own)
    assert there not in " ".join(links(page).values())
    assert "Withdrawn because: wrong <b>weights </b>" in words(page)
    for send_it in (signed_in.get, signed_in.post):
        asked = send_it(url(submission, "visibility/"), {"visibility": "public"}, follow=True)
        assert "Nothing changed" in asked.text
    submission.refresh_from_db()
    assert submission.visibility == "private"


# --- a new version --------------------------------------------------------------------------------


def send(client, old: Submission, content: bytes = NEWER, **more):
    file = SimpleUploadedFile("newer.txt", content)
    return client.post(
        url(old, "replace/"), {"file": file, "client_token": str(uuid.uuid4()), **more}
    )


def test_from_the_form_to_the_place_of_the_old_one(signed_in, submission):
    judged(submission)
    reply = send(signed_in, submission)
    new = Submission.objects.get(replaces=submission)
    assert reply.url == url(new, "")
    assert (new.confirmed, new.model, new.release) == (None, submission.model, submission.release)
    assert reply.url in links(page_at(signed_in, url(submission, ""))).values()
    noted = [{"code": "bom", "message": "A mark was removed."}]
    Submission.objects.filter(pk=new.pk).update(reading_notes=noted)
    page = shown(signed_in, reply.url)
    parts = (
        "This is a new version of",
        "It replaces it once it is judged and public",
        "A mark was removed.",
        "Confirm and judge",
    )
    places = [page.index(part) for part in parts]
    assert places[0] < places[2] < places[3]
    signed_in.post(url(new, "confirm/"), {"visibility": "public"})
    judged(new)
    replace_entries()
    assert signed_in.get(f"/entries/{submission.pk}/").status_code == 410
    assert signed_in.get(f"/entries/{new.pk}/").status_code == 200
    assert "which it replaced" in shown(signed_in, url(new, ""))
    assert "has replaced this one" in shown(signed_in, url(submission, ""))


def test_a_script_that_sent_a_new_version_is_told_where_it_is(signed_in, submission):
    signed_in.defaults["HTTP_HX_REQUEST"] = "true"
    reply = send(signed_in, submission)
    new = Submission.objects.get(replaces=submission)
    assert (reply.status_code, reply["HX-Redirect"]) == (200, url(new, ""))


def test_the_same_form_sent_twice_is_one_new_version(signed_in, submission):
    token = str(uuid.uuid4())
    replies = [send(signed_in, submission, client_token=token) for _ in range(2)]
    assert replies[0].url == replies[1].url
    assert Submission.objects.filter(replaces=submission).count() == 1


def test_a_draft_of_the_same_file_is_not_taken_for_a_new_version(signed_in, submission, owner):
    draft = submit(submission.release, owner, NEWER, confirm=False)
    send(signed_in, submission)
    draft.refresh_from_db()
    assert draft.replaces is None
    assert Submission.objects.filter(replaces=submission).count() == 1


def test_a_faulty_file_shows_its_problems_and_replaces_nothing(signed_in, submission):
    reply = send(signed_in, submission, b"1=two\n")
    assert reply.status_code == 422
    assert "2 has no answer" in reply.text
    assert Submission.objects.count() == 1


def test_a_second_new_version_is_refused_with_the_reason(signed_in, submission):
    send(signed_in, submission)
    reply = send(signed_in, submission, NEWER.replace(b"two", b"to"))
    assert reply.status_code == 422
    assert "Another new version of it is under way" in reply.text


def test_another_file_in_a_form_that_was_brought_back_is_not_passed_over(
    signed_in, submission, settings
):
    settings.QUOTA_UNFINISHED = 0
    token = str(uuid.uuid4())
    first = send(signed_in, submission, client_token=token)
    assert send(signed_in, submission, client_token=token).url == first.url
    reply = send(signed_in, submission, NEWER + b"\n", client_token=token)
    assert "Another new version of it is under way" in reply.text


def test_a_new_version_takes_a_place_of_the_day(signed_in, submission, settings):
    settings.QUOTA_SUBMISSIONS_DAY = 1
    Submission.objects.update(is_spent=True)
    assert "within 24 hours" in shown(signed_in, url(submission, "replace/"))
    reply = send(signed_in, submission)
    assert (reply.status_code, Submission.objects.count()) == (429, 1)


def test_a_file_over_the_limit_is_refused(signed_in, submission, settings):
    settings.UPLOAD_LIMIT_BYTES = len(NEWER) - 1
    assert send(signed_in, submission).status_code == 413


def test_a_withdrawn_one_is_not_replaced(signed_in, submission):
    withdraw_submission(submission=submission)
    assert send(signed_in, submission).url == url(submission, "")
    assert Submission.objects.count() == 1


# --- asking again ---------------------------------------------------------------------------------


def test_a_retry_is_told_before_it_is_done(signed_in, submission):
    run = judged(submission)
    row = run.judgements.order_by("pk").first()
    overwrite(Judgement.objects.filter(pk=row.pk), state="unreadable", verdict="", reason="none")
    asked = shown(signed_in, url(submission, "retry/"))
    assert "One judgement ended without a verdict: 1 unreadable." in asked
    assert "It is free: rules decide." in asked
    row.refresh_from_db()
    assert row.state == "unreadable"


def test_where_nothing_failed_there_is_nothing_to_ask(signed_in, submission):
    judged(submission)
    asked = signed_in.get(url(submission, "retry/"), follow=True)
    assert "None of its judgements ended without a verdict." in asked.text
