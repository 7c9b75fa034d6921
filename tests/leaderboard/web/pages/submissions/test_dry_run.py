"""What the owner of a file reads of its dry run, and who may start one."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from benchmarks.models import Release
from benchmarks.submissions.models import Submission
from judging.models import JudgeRun
from judging.services import start_dry_run
from leaderboard.operations.sweeps import sweep_here
from tests.api_clients import session_client
from tests.conftest import import_words
from tests.judging.drafts import COUNT, draft

NOW = timedelta(0)


@pytest.fixture
def words(db) -> Release:
    return import_words(range(1, COUNT + 1))


def read(client: Client, submission: Submission, part: str = "") -> str:
    return " ".join(client.get(f"/submissions/{submission.pk}/{part}").content.decode().split())


def begin(client: Client, submission: Submission):
    return client.post(f"/submissions/{submission.pk}/dry-run/", follow=True)


def test_the_page_offers_to_try_before_it_asks_to_confirm(words, owner, settings):
    settings.QUOTA_DRY_RUNS_DAY = 5
    page = read(session_client(owner), draft(words, owner))
    assert "Try 10 questions" in page
    assert "5 of 5 left today" in page
    assert page.index("Try it first") < page.index("Confirm and judge")
    assert "hx-get" not in page


def test_its_verdicts_stand_on_the_page_and_nowhere_else(words, owner, stranger):
    submission, client = draft(words, owner), session_client(owner)
    begin(client, submission)
    moving = read(client, submission)
    assert "0 % of 10 judgements on 10 questions" in moving
    assert f'hx-get="/submissions/{submission.pk}/dry-run/"' in moving
    assert '<article class="question' not in moving
    sweep_here(grace=NOW)
    page = read(client, submission)
    assert page.count('<article class="question right') == 10
    assert "hx-get" not in page
    assert "Confirm and judge" in page
    assert "10 ended before" in page
    for visitor in (Client(), session_client(stranger), client):
        assert visitor.get(f"/entries/{submission.pk}/").status_code == 404
    for visitor in (session_client(stranger), Client()):
        answer = visitor.get(f"/submissions/{submission.pk}/dry-run/")
        assert answer.status_code in {302, 404}
    assert "Speller" not in client.get("/boards/spelling/").content.decode()


def test_the_moving_part_reloads_the_page_once_nothing_moves(words, owner):
    submission, client = draft(words, owner), session_client(owner)
    address = f"/submissions/{submission.pk}/dry-run/"
    begin(client, submission)
    assert "HX-Refresh" not in client.get(address)
    sweep_here(grace=NOW)
    assert client.get(address)["HX-Refresh"] == "true"


def test_who_tried_too_many_is_told_when_the_next_one_may_be(words, owner, settings):
    settings.QUOTA_DRY_RUNS_DAY = 1
    begin(session_client(owner), draft(words, owner, name="First"))
    second = draft(words, owner, name="Second")
    answer = begin(session_client(owner), second)
    assert "The next one can be tried at" in answer.content.decode()
    assert "Try 10 questions" not in answer.content.decode()
    assert JudgeRun.objects.count() == 1


def test_whoever_looks_after_submissions_sees_it_and_starts_none(words, owner, stranger):
    for name in ("view_submission", "change_submission"):
        stranger.user_permissions.add(Permission.objects.get(codename=name))
    submission = draft(words, owner)
    moderator = session_client(stranger)
    assert "Try it first" in read(moderator, submission)
    assert "Try 10 questions" not in read(moderator, submission)
    assert begin(moderator, submission).status_code == 404
    assert not JudgeRun.objects.exists()


def test_where_the_references_are_hidden_the_page_shows_none(words, owner):
    Release.objects.filter(pk=words.pk).update(disclosure="hidden_references")
    submission = draft(words, owner)
    start_dry_run(submission=submission)
    sweep_here(grace=NOW)
    submission.answers.update(text="something else")
    page = read(session_client(owner), submission)
    assert page.count("not public in this release") >= 10
    assert "word7<" not in page


def test_a_look_at_it_costs_the_same_few_queries(words, owner, django_assert_max_num_queries):
    submission, client = draft(words, owner), session_client(owner)
    begin(client, submission)
    sweep_here(grace=NOW)
    with django_assert_max_num_queries(30):
        client.get(f"/submissions/{submission.pk}/dry-run/")
