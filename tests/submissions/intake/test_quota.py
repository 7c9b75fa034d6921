"""Places of a person at a release: how many files a day, not judged yet, and kept."""

import uuid
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.utils import timezone

from benchmarks.registry import protocol
from benchmarks.submissions import services
from benchmarks.submissions.files import reading
from benchmarks.submissions.intake.quota import no_place
from benchmarks.submissions.models import Answer, Submission
from benchmarks.submissions.samples.floor import ensure_baselines
from benchmarks.submissions.services import SubmissionRefusedError, withdraw_submission
from judging.models import Judgement, JudgeRun
from judging.services import ensure_spec, request_run
from judging.services.runs import pause_run
from leaderboard.results.services import score_run
from tests.api_clients import API, check_documented, session_client, token_client
from tests.conftest import ANSWERS, import_words, judged, submit
from tests.judging.threads import at_once
from tests.overwriting import overwrite

HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def shipped(settings):
    settings.QUOTA_SUBMISSIONS_DAY, settings.QUOTA_UNFINISHED, settings.QUOTA_FILES = 3, 1, 50


def hand_in(release, owner, content: bytes = ANSWERS, **more) -> Submission:
    return submit(release, owner, content, from_outside=True, **more)


def age(submission: Submission, time: timedelta, *, is_finished: bool = True) -> None:
    finished = timezone.now() if is_finished else None
    created = timezone.now() - time
    Submission.objects.filter(pk=submission.pk).update(created=created, finished=finished)


def handed_in(release, owner, *hours: float) -> None:
    """Judged submissions of so many hours ago."""
    for ago in hours:
        age(submit(release, owner), ago * HOUR)
    Submission.objects.update(is_spent=True)


def sentence(release, owner) -> str:
    refusal = no_place(owner, release.pk)
    return refusal.sentence if refusal else ""


# --- a day ----------------------------------------------------------------------------------------


def test_the_fourth_file_of_a_day_is_refused_with_the_instant_of_the_next_place(
    spelling, owner, stranger
):
    """Whoever sends it; the places of others and at other releases are not touched."""
    owner.user_permissions.add(Permission.objects.get(codename="change_submission"))
    handed_in(spelling, owner, 23, 5, 1)
    oldest = Submission.objects.earliest("created")
    with pytest.raises(SubmissionRefusedError) as caught:
        hand_in(spelling, owner)
    (problem,) = caught.value.problems
    assert problem.code == "quota"
    assert "3 files of yours within 24 hours" in problem.message
    assert caught.value.next_place == oldest.created + 24 * HOUR
    assert abs(caught.value.wait_seconds - 3600) < 60
    assert Submission.objects.count() == 3
    other = import_words([1, 2, 3, 4])
    judged(hand_in(other, owner))
    hand_in(spelling, stranger)
    assert sentence(spelling, owner)
    age(oldest, 24.01 * HOUR)
    assert hand_in(spelling, owner).is_spent


def test_what_is_refused_or_cancelled_takes_no_place_and_nothing_of_it_is_kept(
    spelling, owner, django_capture_on_commit_callbacks
):
    for _ in range(4):
        with pytest.raises(SubmissionRefusedError):
            hand_in(spelling, owner, b"1=two\n")
        submission = hand_in(spelling, owner, confirm=False)
        stored = str(submission.file.name)
        with django_capture_on_commit_callbacks(execute=True):
            withdraw_submission(submission=submission)
        submission.refresh_from_db()
        assert not submission.file
        assert not submission.file.storage.exists(stored)
    assert (Submission.objects.count(), Answer.objects.count()) == (4, 0)


def test_what_was_confirmed_keeps_its_place_of_the_day_though_withdrawn(spelling, owner, settings):
    """And makes room for the next unfinished one; without limits nothing is counted."""
    for _ in range(3):
        withdraw_submission(submission=hand_in(spelling, owner))
    assert "within 24 hours" in sentence(spelling, owner)
    settings.QUOTA_SUBMISSIONS_DAY = settings.QUOTA_UNFINISHED = settings.QUOTA_FILES = 0
    for _ in range(2):
        hand_in(spelling, owner)
    assert not sentence(spelling, owner)


@pytest.mark.slow
def test_what_the_site_failed_to_judge_takes_no_place(spelling, owner):
    for _ in range(4):
        run = judged(hand_in(spelling, owner))
        Submission.objects.update(finished=None)
        overwrite(run.judgements, state=Judgement.State.FAILED, verdict="", reason="gone")
        score_run(run=run)
    assert set(Submission.objects.values_list("is_spent", flat=True)) == {False}
    assert not sentence(spelling, owner)


# --- unfinished -----------------------------------------------------------------------------------


def test_a_second_file_waits_for_the_first_and_judging_again_takes_no_place(spelling, owner):
    token = uuid.uuid4()
    first = hand_in(spelling, owner, client_token=token)
    assert hand_in(spelling, owner, client_token=token) == first
    with pytest.raises(SubmissionRefusedError) as caught:
        hand_in(spelling, owner)
    assert "one file of yours at a time" in caught.value.problems[0].message
    assert caught.value.next_place is None
    run = judged(first)
    first.refresh_from_db()
    finished = first.finished
    score_run(run=run)
    first.refresh_from_db()
    assert first.finished == finished
    assert hand_in(spelling, owner).finished is None


# --- kept, and none -------------------------------------------------------------------------------


def test_files_are_kept_up_to_a_number_and_withdrawing_one_makes_room(spelling, owner, settings):
    settings.QUOTA_FILES = 2
    handed_in(spelling, owner, 100, 50)
    assert "keeps at most 2 files of yours" in sentence(spelling, owner)
    withdraw_submission(submission=Submission.objects.latest("created"))
    assert not sentence(spelling, owner)


# --- who is counted -------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_operator_at_the_terminal_is_not_limited_and_takes_nobodys_place(
    spelling, owner, tmp_path
):
    file = tmp_path / "answers.txt"
    file.write_bytes(ANSWERS)
    for _ in range(4):
        call_command("submit", "spelling-1", str(file), model="Speller", owner="rosa")
    ensure_baselines(release=spelling)
    hand_in(spelling, owner)


# --- races ----------------------------------------------------------------------------------------


def test_of_two_who_race_for_the_last_place_one_gets_it(committed, spelling, owner):
    refused = []

    def race(content: bytes) -> None:
        try:
            hand_in(spelling, owner, content, confirm=False)
        except SubmissionRefusedError as error:
            refused.append(error.problems[0].code)

    at_once(lambda: race(ANSWERS), lambda: race(ANSWERS.replace(b"night", b"nite")))
    assert refused == ["quota"]
    assert Submission.objects.count() == 1


def test_one_form_sent_twice_at_once_is_one_submission(committed, spelling, owner, monkeypatch):
    monkeypatch.setattr(reading, "WAIT_SECONDS", 60.0)  # however busy this machine is
    token = uuid.uuid4()
    found = []

    def send() -> None:
        found.append(hand_in(spelling, owner, client_token=token).pk)

    at_once(send, send)
    assert len(found) == 2
    assert len(set(found)) == Submission.objects.count() == 1


def test_the_form_that_comes_while_its_first_is_stored_is_no_second_file(
    spelling, owner, monkeypatch
):
    """The first has the only place when the second is counted."""
    token = uuid.uuid4()
    count = services.require_place
    first: list[Submission] = []

    def store_meanwhile(*of) -> None:
        monkeypatch.setattr(services, "require_place", count)
        first.append(hand_in(spelling, owner, client_token=token))
        count(*of)

    monkeypatch.setattr(services, "require_place", store_meanwhile)
    assert [hand_in(spelling, owner, client_token=token)] == first
    assert Submission.objects.count() == 1


# --- seen in the browser and over the API ---------------------------------------------------------


def form(release) -> dict[str, object]:
    return {
        "release": release.slug,
        "model_name": "Speller",
        "file": SimpleUploadedFile("a.txt", ANSWERS),
        "client_token": str(uuid.uuid4()),
    }


def test_the_submit_page_tells_the_next_place_before_a_file_is_chosen(spelling, owner):
    handed_in(spelling, owner, 3, 2, 1)
    client = session_client(owner)
    instant = no_place(owner, spelling.pk).next_place.strftime("%Y-%m-%d %H:%M:%S UTC")
    assert instant in client.get("/submit/").content.decode()
    refused = client.post("/submit/", form(spelling))
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) > 20 * 3600
    page = refused.content.decode()
    assert instant in page
    assert "problem found" not in page


@pytest.mark.slow
def test_the_submit_page_needs_the_same_queries_for_any_history(
    spelling, owner, django_assert_max_num_queries
):
    handed_in(spelling, owner, *range(30, 50))
    client = session_client(owner)
    client.get("/submit/")
    with django_assert_max_num_queries(21):  # one of them asks which releases are hidden tests
        client.get("/submit/")


def test_the_api_tells_the_next_place(spelling, owner):
    handed_in(spelling, owner, 3, 2, 1)
    fields = {"release": "spelling-1", "model": "Speller"}
    file = SimpleUploadedFile("a.txt", ANSWERS)
    response = token_client(owner, "submit").post(f"{API}/submissions/", fields | {"file": file})
    check_documented(response, "/submissions/", "post")
    document = response.json()
    assert response.status_code == document["status"] == 429
    expected = no_place(owner, spelling.pk)
    assert datetime.fromisoformat(document["next_place"]) == expected.next_place
    assert abs(int(response["Retry-After"]) - expected.wait_seconds(timezone.now())) <= 5
    assert document["problems"][0]["code"] == "quota"
    assert not JudgeRun.objects.exists()


@pytest.mark.slow
def test_a_run_that_the_site_cannot_plan_keeps_nobody_waiting(spelling, owner):
    submission = hand_in(spelling, owner)
    spec = ensure_spec(of=protocol("spelling"), kind="rules")
    run = request_run(submission=submission, spec=spec)
    pause_run(run=run, kind=JudgeRun.Pause.FAULT, reason="planning it failed")
    hand_in(spelling, owner)
    assert set(Submission.objects.values_list("is_spent", flat=True)) == {True}
