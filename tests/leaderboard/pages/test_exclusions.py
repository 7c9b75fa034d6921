"""What people left out is told apart from what failed, wherever judgements are counted."""

import io

import pytest
from django.core.management import call_command
from django.urls import reverse

from judging.engine.engine import judge_run
from judging.judges.scripted import ScriptedJudge
from judging.models import Judgement
from judging.selectors import run_counts
from judging.services import exclude_judgement
from leaderboard.exports import board_document
from leaderboard.models import Scoresheet
from leaderboard.pages.entry import entry_page
from leaderboard.pages.entry_questions import QuestionFilter
from leaderboard.pages.status import status_page
from leaderboard.selectors import read_board
from leaderboard.services import score_run
from tests.api_clients import token_client
from tests.deleting import delete_linked
from tests.judging.services.test_review import planned
from tests.overwriting import overwrite

State = Judgement.State


@pytest.fixture
def run(submission, owner):
    """Two verdicts, a failure, and a failure that staff left out; scored."""
    run = planned(submission)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    first, second, _, _ = run.judgements.order_by("pk")
    overwrite(
        Judgement.objects.filter(pk__in=[first.pk, second.pk]),
        state=State.FAILED,
        verdict="",
        reason="no reply",
    )
    exclude_judgement(judgement=first, by=owner, reason="It kills every worker.")
    score_run(run=run)
    return run


def test_a_run_counts_them_apart(run):
    counts = run_counts(run)
    assert (counts.judged, counts.failed, counts.excluded, counts.open) == (2, 1, 1, 0)


def test_the_scoresheet_counts_them_apart_and_scores_as_before(run):
    sheet = Scoresheet.objects.get()
    assert (sheet.judged, sheet.failed, sheet.excluded, sheet.coverage) == (2, 1, 1, 0.5)


def test_the_submission_page_counts_them_apart(run, client, owner):
    client.force_login(owner)
    for name in ("submission", "submission-progress"):
        page = client.get(reverse(name, args=[run.submission_id])).content.decode()
        assert "<dt>failed</dt><dd>1</dd>" in page
        assert "<dt>excluded</dt><dd>1</dd>" in page


def test_the_entry_page_counts_them_apart(run, owner):
    strip = entry_page(Scoresheet.objects.get(), QuestionFilter(), is_owner=False).strip
    assert [(figure.title, figure.value) for figure in strip[-2:]] == [
        ("Failed", "1"),
        ("Excluded", "1"),
    ]


def test_an_entry_of_which_nothing_was_left_out_does_not_speak_of_it(run, owner):
    Scoresheet.objects.update(excluded=0)
    strip = entry_page(Scoresheet.objects.get(), QuestionFilter(), is_owner=False).strip
    assert "Excluded" not in {figure.title for figure in strip}


def test_board_and_api_count_them_apart(run, owner):
    client = token_client(owner, "read")
    (entry,) = board_document(read_board(run.submission.release.benchmark))["entries"]
    (watched,) = client.get(f"/api/v1/submissions/{run.submission_id}/").json()["runs"]
    shown = client.get(f"/api/v1/entries/{run.submission_id}/").json()
    assert [(found["failed"], found["excluded"]) for found in (entry, watched, shown)] == [
        (1, 1)
    ] * 3


def test_the_status_page_names_them_by_their_own_word(run):
    overwrite(
        Judgement.objects.filter(settled=None),
        settled=Judgement.objects.get(state=State.EXCLUDED).settled,
    )
    assert dict(status_page().settled)["excluded"] == 1


def test_the_judge_command_counts_them_apart(run):
    delete_linked(Scoresheet.objects.all())
    out = io.StringIO()
    call_command("judge", str(run.submission_id), judge=run.judge_spec.slug, stdout=out)
    assert "2 judged, 0 unreadable, 1 failed, 1 excluded" in out.getvalue()
