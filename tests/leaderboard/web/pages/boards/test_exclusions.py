"""What people left out is told apart from what failed, wherever judgements are counted."""

import io

import pytest
from django.core.management import call_command
from django.urls import reverse

from judging.engine.engine import judge_run
from judging.models import Judgement
from judging.selectors import run_counts
from judging.services import exclude_judgement
from leaderboard.models import Scoresheet
from leaderboard.results.selectors import read_board
from leaderboard.results.services import score_run
from leaderboard.web.exports import board_document
from leaderboard.web.pages.site.status import status_page
from tests.api_clients import token_client
from tests.deleting import delete_linked
from tests.judging.scripted import ScriptedJudge
from tests.judging.services.test_review import planned
from tests.leaderboard.web.pages.shown_text import page_at, told
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


def test_run_sheet_pages_board_and_api_count_them_apart(run, client, owner):
    counts, sheet = run_counts(run), Scoresheet.objects.get()
    assert (counts.judged, counts.failed, counts.excluded, counts.open) == (2, 1, 1, 0)
    assert (sheet.judged, sheet.failed, sheet.excluded, sheet.coverage) == (2, 1, 1, 0.5)
    client.force_login(owner)
    own, entry = reverse("submission", args=[run.submission_id]), f"/entries/{run.submission_id}/"
    for address in (own, f"{own}progress/"):
        shown = told(page_at(client, address))
        assert (shown["failed"], shown["excluded"]) == ("1", "1")
    shown = told(page_at(client, entry))
    assert (shown["Failed"], shown["Excluded"]) == ("1", "1")
    api = token_client(owner, "read")
    (row,) = board_document(read_board(run.submission.release.benchmark))["entries"]
    (watched,) = api.get(f"/api/v1/submissions/{run.submission_id}/").json()["runs"]
    document = api.get(f"/api/v1{entry}").json()
    assert {(one["failed"], one["excluded"]) for one in (row, watched, document)} == {(1, 1)}
    Scoresheet.objects.update(excluded=0)
    assert "Excluded" not in told(page_at(client, entry))


def test_the_status_page_names_them_by_their_own_word(run):
    overwrite(
        Judgement.objects.filter(settled=None),
        settled=Judgement.objects.get(state=State.EXCLUDED).settled,
    )
    assert dict(status_page()["settled"])["excluded"] == 1


def test_the_judge_command_counts_them_apart(run):
    delete_linked(Scoresheet.objects.all())
    out = io.StringIO()
    call_command("judge", str(run.submission_id), judge=run.judge_spec.slug, stdout=out)
    assert "2 judged, 0 unreadable, 1 failed, 1 excluded" in out.getvalue()
