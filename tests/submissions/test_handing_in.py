"""What the page says before a file is chosen, and a file that comes twice."""

import threading
import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile

from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.submissions import recognition, services
from benchmarks.submissions.files import reading
from benchmarks.submissions.intake.quota import places_left_by_release
from benchmarks.submissions.models import EvaluatedModel, LooseFile, Submission
from benchmarks.submissions.recognition import accept_from_outside
from benchmarks.submissions.services import (
    SubmissionRefusedError,
    confirm_submission,
    withdraw_submission,
)
from benchmarks.submissions.teams.services import found_team
from judging.services import ensure_spec, pause_run_by_person, request_run
from tests.api_clients import session_client
from tests.conftest import ANSWERS, import_words, submit
from tests.judging.threads import JOIN_SECONDS, at_once

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def three_a_day(settings):
    settings.QUOTA_SUBMISSIONS_DAY = 3


def handed_in(release, owner, *hours: float) -> None:
    """Submissions of so many hours before NOON."""
    for ago in hours:
        made = submit(release, owner)
        Submission.objects.filter(pk=made.pk).update(created=NOON - ago * HOUR, is_spent=True)


# --- places, before a file is chosen ----------------------------------------------------------


def test_what_is_left_and_when_one_more_is(spelling, owner, stranger):
    """Where more were handed in than are allowed now, the oldest one frees no place."""
    handed_in(spelling, owner, 25)
    handed_in(spelling, stranger, 1)
    assert places_left_by_release(owner, [spelling.pk], 3, now=NOON) == {}
    for hour, left, until_next in ((1, 2, 23), (20, 1, 4), (23, 0, 1), (22, 0, 2)):
        handed_in(spelling, owner, hour)
        found = places_left_by_release(owner, [spelling.pk], 3, now=NOON)[spelling.pk]
        assert (found.left, found.next_place) == (left, NOON + until_next * HOUR)


def test_the_page_tells_places_before_it_asks_for_a_file(spelling, owner, settings):
    client = session_client(owner)
    page = client.get("/submit/").content.decode()
    assert "submit 3 files per release within 24 hours" in page
    assert "3 left." in page
    submit(spelling, owner, from_outside=True)
    page = client.get("/submit/").content.decode()
    assert f"{spelling.title}: 2 of 3 left" in page
    assert page.index('id="places"') < page.index('type="file"') < page.index('name="release"')
    settings.QUOTA_SUBMISSIONS_DAY = 0
    assert 'id="places"' not in client.get("/submit/").content.decode()


# --- a file that comes twice ------------------------------------------------------------------


def send(
    client,
    release=None,
    name: str = "Speller",
    content: bytes = ANSWERS,
    token: uuid.UUID | None = None,
    **headers,
):
    data = {
        "model_name": name,
        "file": SimpleUploadedFile("answers.txt", content),
        "client_token": str(token or uuid.uuid4()),
    }
    return client.post("/submit/", data | ({"release": release.slug} if release else {}), **headers)


def test_the_same_file_by_another_form_is_the_draft_there_is(spelling, owner, settings):
    """A script is told where to go and takes no word away; another model or other answers are
    another submission."""
    client = session_client(owner)
    first, again = send(client, spelling), send(client, spelling)
    assert first.url == again.url
    assert Submission.objects.count() == 1
    assert "already submitted this file" in client.get(again.url).content.decode()
    script = send(client, spelling, HTTP_HX_REQUEST="true")
    assert (script.status_code, script["HX-Redirect"]) == (200, first.url)
    assert "already submitted this file" in client.get(first.url).content.decode()
    settings.QUOTA_UNFINISHED = 0
    others = {
        send(client, spelling, name="Another").url,
        send(client, spelling, content=MENDED).url,
    }
    assert len(others - {first.url}) == 2


MENDED = ANSWERS.replace(b"night", b"nite")


def test_a_form_that_a_browser_brought_back_hands_in_what_is_in_it_now(spelling, owner, settings):
    """For which it needs a place."""
    settings.QUOTA_UNFINISHED = 1
    client, token = session_client(owner), uuid.uuid4()
    urls = {send(client, spelling, token=token).url}
    reply = send(client, spelling, token=token, content=MENDED)
    assert reply.status_code == 429
    assert "waiting for you to confirm or withdraw it" in reply.content.decode()
    settings.QUOTA_UNFINISHED = 0
    for other in ({"content": MENDED}, {"name": "Another"}):
        second = send(client, spelling, token=token, **other)
        assert second.url not in urls
        assert "already submitted this file" not in client.get(second.url).content.decode()
        urls.add(second.url)


def test_only_a_draft_of_ones_own_is_the_same(spelling, owner, stranger):
    theirs = send(session_client(stranger), spelling).url
    client = session_client(owner)
    first = send(client, spelling).url
    confirm_submission(submission=Submission.objects.get(owner=owner), visibility="private")
    second = send(client, spelling).url
    withdraw_submission(submission=Submission.objects.get(owner=owner, confirmed=None))
    assert len({theirs, first, second, send(client, spelling).url}) == 4


def test_a_file_that_fits_several_releases_is_asked_about_with_just_these(spelling, owner):
    import_words([1, 2, 3, 4], slug="other-words")
    import_words(range(50, 60), slug="far-words")
    reply = send(session_client(owner))
    page = reply.content.decode()
    assert reply.status_code == 422
    assert 'value="spelling-1"' in page
    assert 'value="other-words"' in page
    assert 'value="far-words"' not in page


@pytest.mark.parametrize("unfinished", [0, 1])
def test_two_tabs_that_send_one_file_at_once_have_one_draft(
    committed, spelling, owner, settings, monkeypatch, unfinished
):
    """With a place for one file, and for any number: both have read it before either is stored."""
    settings.QUOTA_UNFINISHED = unfinished
    both_read, read = threading.Barrier(2), reading.read_apart

    def read_apart(*args, **more):
        found = read(*args, **more | {"sender_id": None})
        both_read.wait(timeout=JOIN_SECONDS)
        return found

    monkeypatch.setattr(services, "read_apart", read_apart)
    before = stored()
    found = []

    def send_form() -> None:
        made = hand_in(spelling, owner, client_token=uuid.uuid4())
        found.append(made.pk)

    at_once(send_form, send_form)
    assert len(found) == 2
    assert set(found) == set(Submission.objects.values_list("pk", flat=True))
    assert len(set(found)) == 1
    assert len(stored() - before) == 1
    assert not LooseFile.objects.exists()


def stored() -> set[str]:
    storage = storages["uploads"]
    return set(storage.listdir("")[1]) if storage.exists("") else set()


def hand_in(release, owner, **more) -> Submission:
    return accept_from_outside(
        release=release,
        upload=Upload("answers.txt", ANSWERS),
        model=EvaluatedModel(name="Speller"),
        owner=owner,
        confirm=False,
        **more,
    )


@pytest.mark.parametrize("is_team", [False, True])
def test_who_has_no_place_but_a_draft_of_the_file_is_sent_to_it(
    spelling, owner, settings, monkeypatch, is_team
):
    """The draft was stored after this form had been looked at, and before its place was."""
    settings.QUOTA_UNFINISHED = 1
    team = found_team(name="The Spellers", by=owner) if is_team else None
    other = None if is_team else found_team(name="Others", by=owner)
    first = hand_in(spelling, owner, client_token=uuid.uuid4(), team=team)
    monkeypatch.setattr(recognition, "same_draft", lambda **_: None)
    assert hand_in(spelling, owner, client_token=uuid.uuid4(), team=team) == first
    with pytest.raises(SubmissionRefusedError):
        hand_in(spelling, owner, client_token=uuid.uuid4(), team=other)


# --- the queue --------------------------------------------------------------------------------


def test_the_owner_is_told_what_is_judged_before_and_that_rules_cost_nothing(
    spelling, owner, stranger
):
    draft = submit(spelling, owner, confirm=False)
    client, spec = session_client(owner), ensure_spec(of=protocol("spelling"), kind="rules")

    def told() -> str:
        return client.get(f"/submissions/{draft.pk}/").content.decode()

    page = told()
    assert "none before yours" in page
    assert "It is free." in page
    assert "part of the price below" not in page
    runs = [
        request_run(submission=submit(spelling, stranger, name=name), spec=spec)
        for name in ("First", "Second")
    ]
    assert "2 before yours" in told()
    pause_run_by_person(run=runs[0], reason="a look at it")
    assert "1 before yours" in told()
