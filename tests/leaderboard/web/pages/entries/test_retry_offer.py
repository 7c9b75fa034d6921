"""Asking again for what ended without a verdict: the owner's button, and the command."""

import io

import pytest
from django.core.management import call_command
from django.test import Client

from benchmarks.submissions.services import withdraw_submission
from judging.engine.engine import judge_run
from judging.judges.base import Reply
from judging.models import JudgeCall, Judgement, JudgeRun, ReviewNote
from judging.services import exclude_judgement
from leaderboard.results.services import score_run
from tests.api_clients import session_client
from tests.conftest import import_spelling, make_owner, submit
from tests.judging.endpoint import completion, serve
from tests.judging.scripted import ScriptedJudge
from tests.judging.services.test_review import planned
from tests.leaderboard.web.pages.shown_text import page_at, shown
from tests.overwriting import overwrite

State = Judgement.State
BUTTON = "Retry failed judgements"
TOLD = (
    "2 judgements ended without a verdict: 1 refused, 1 unreadable.",
    "Only these are judged again and paid for; existing verdicts stay",
)


@pytest.fixture(scope="module")
def made(module_rows) -> int:
    """Two verdicts, a refusal, and a reply in which none could be read; scored."""
    run = planned(submit(import_spelling(), make_owner()))
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    rows = run.judgements.order_by("pk")
    for row, state in zip(rows, (State.REFUSED, State.UNREADABLE), strict=False):
        ended = {"state": state, "verdict": "", "reason": "none", "content_key": state}
        overwrite(Judgement.objects.filter(pk=row.pk), **ended)
    score_run(run=run)
    return int(run.pk)


@pytest.fixture
def run(made, db) -> JudgeRun:
    return JudgeRun.objects.get(pk=made)


@pytest.fixture
def pages(run) -> tuple[str, str]:
    return f"/entries/{run.submission_id}/", f"/submissions/{run.submission_id}/"


def ask(client: Client, run, **data):
    sent = {"judge": run.judge_spec.slug, **data}
    return client.post(f"/submissions/{run.submission_id}/retry/", sent)


def buttons(client: Client, page: str) -> int:
    return len(page_at(client, page).xpath(f"//button[contains(., '{BUTTON}')]"))


def test_the_owner_sees_what_is_asked_again_and_nobody_else_does(
    run, pages, client, owner, stranger, admin_user
):
    entry, submission = pages
    for page in pages:
        assert buttons(session_client(owner), page) == 1
        assert all(said in shown(session_client(owner), page) for said in TOLD)
    assert TOLD[0] in shown(session_client(owner), f"{submission}retry/")
    for user in (client, session_client(stranger), session_client(admin_user)):
        assert buttons(user, entry) == 0
    assert buttons(session_client(admin_user), submission) == 0
    assert not run.judgements.filter(state=State.WAITING).exists()


def test_nobody_else_can_ask_nor_another_site_nor_of_another_judge(
    run, client, owner, stranger, admin_user
):
    elsewhere = Client(enforce_csrf_checks=True)
    elsewhere.force_login(owner)
    assert ask(client, run).status_code == 302
    assert ask(elsewhere, run).status_code == 403
    assert ask(session_client(owner), run, judge="nobody").status_code == 404
    for user in (stranger, admin_user):
        assert ask(session_client(user), run).status_code == 404
    assert not run.judgements.filter(state=State.WAITING).exists()


def test_there_is_no_button_where_every_judgement_has_a_verdict_or_is_excluded(run, pages, owner):
    for row in run.judgements.exclude(state=State.JUDGED):
        exclude_judgement(judgement=row, by=owner, reason="Why not.")
    assert [buttons(session_client(owner), page) for page in pages] == [0, 0]


def test_the_button_asks_again_for_exactly_these_once(run, pages, owner):
    client = session_client(owner)
    assert [ask(client, run).url for _ in range(2)] == [pages[1]] * 2
    assert run.judgements.filter(state=State.WAITING).count() == 2
    assert run.judgements.filter(state=State.JUDGED, verdict="right").count() == 2
    assert sorted(ReviewNote.objects.values_list("by", "found")) == [
        (owner.pk, "refused: none"),
        (owner.pk, "unreadable: none"),
    ]
    assert owner.submissions.count() == 1
    assert "100.00" in shown(client, pages[0])  # until the new verdicts are there


def test_a_withdrawn_submission_is_asked_about_no_more(run, pages, owner):
    withdraw_submission(submission=run.submission)
    assert ask(session_client(owner), run).status_code == 404
    assert buttons(session_client(owner), pages[1]) == 0


# --- the command ----------------------------------------------------------------------------------


def command(*arguments: str, **options) -> str:
    out = io.StringIO()
    call_command("judge", *arguments, stdout=out, only_failed=True, **options)
    return out.getvalue()


@pytest.mark.parametrize("which", ["one", "all"])
def test_the_command_pays_only_for_what_has_no_verdict(run, owner, settings, which):
    never_judged = submit(run.submission.release, owner, name="Never judged")
    paid = JudgeCall.objects.count()
    with serve([completion("wrong")]) as endpoint:
        settings.JUDGE_ENDPOINTS = {"none": {"url": endpoint.url, "key": ""}}
        arguments = [] if which == "all" else [str(run.submission_id)]
        told = command(*arguments, judge=run.judge_spec.slug, all=which == "all")
    assert "2 judgements without a verdict are asked again" in told
    assert "4 judged, 0 unreadable, 0 failed" in told
    assert len(endpoint.asked) == JudgeCall.objects.count() - paid == 2
    assert not never_judged.runs.exists()


def test_the_command_without_anything_to_ask_says_so(run):
    overwrite(run.judgements, state=State.JUDGED, verdict="right")
    paid = JudgeCall.objects.count()
    assert "nothing to ask again" in command(str(run.submission_id), judge=run.judge_spec.slug)
    assert JudgeCall.objects.count() == paid


def test_what_a_twin_was_told_meanwhile_is_scored_at_once(run, owner):
    overwrite(Judgement.objects.filter(state=State.JUDGED, run=run), content_key="other")
    twin = planned(submit(run.submission.release, owner, name="Twin"))
    judge_run(run_id=twin.pk, judge=ScriptedJudge([Reply("wrong")]))
    assert "4 judged" in command(str(run.submission_id), judge=run.judge_spec.slug)
    assert run.judgements.filter(verdict="wrong", reused_from__isnull=False).count() == 2
