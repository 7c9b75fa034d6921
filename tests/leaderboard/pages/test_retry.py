"""Asking again for what ended without a verdict: the owner's button, and the command."""

import io

import pytest
from django.core.management import call_command
from django.test import Client

from benchmarks.submissions.services import withdraw_submission
from judging.engine.engine import judge_run
from judging.judges.base import Reply
from judging.judges.scripted import ScriptedJudge
from judging.models import JudgeCall, Judgement, ReviewNote
from judging.services import exclude_judgement
from leaderboard.services import score_run
from tests.conftest import submit
from tests.judging.endpoint import completion, serve
from tests.judging.services.test_review import planned
from tests.overwriting import overwrite

State = Judgement.State
BUTTON = "Retry failed judgements"
SENTENCE = "2 judgements ended without a verdict: 1 refused, 1 unreadable."


@pytest.fixture
def run(submission):
    """Two verdicts, a refusal, and a reply in which none could be read; scored."""
    run = planned(submission)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    first, second, _, _ = run.judgements.order_by("pk")
    for row, state in ((first, State.REFUSED), (second, State.UNREADABLE)):
        overwrite(
            Judgement.objects.filter(pk=row.pk),
            state=state,
            verdict="",
            reason="none",
            content_key=state,
        )
    score_run(run=run)
    return run


@pytest.fixture
def signed_in(client, owner):
    client.force_login(owner)
    return client


def pages(run) -> tuple[str, str]:
    return f"/entries/{run.submission_id}/", f"/submissions/{run.submission_id}/"


def ask(client: Client, run, **data):
    return client.post(
        f"/submissions/{run.submission_id}/retry/", {"judge": run.judge_spec.slug, **data}
    )


@pytest.mark.parametrize("page", [0, 1], ids=["entry", "submission"])
def test_the_owner_sees_how_many_are_asked_again_and_that_only_these_are(run, signed_in, page):
    shown = signed_in.get(pages(run)[page]).content.decode()
    assert SENTENCE in shown
    assert "Only these are asked again and paid for; every verdict there is stays as it is" in shown
    assert shown.count(BUTTON) == 1


def test_nobody_else_sees_the_button(run, client, stranger):
    assert BUTTON not in client.get(pages(run)[0]).content.decode()
    client.force_login(stranger)
    assert BUTTON not in client.get(pages(run)[0]).content.decode()


def test_staff_who_look_at_a_submission_are_not_its_owner(run, client, admin_user):
    client.force_login(admin_user)
    assert BUTTON not in client.get(pages(run)[1]).content.decode()
    assert ask(client, run).status_code == 404


def test_there_is_no_button_where_every_judgement_has_a_verdict_or_is_excluded(
    run, signed_in, owner
):
    for row in run.judgements.exclude(state=State.JUDGED):
        exclude_judgement(judgement=row, by=owner, reason="Why not.")
    for page in pages(run):
        assert BUTTON not in signed_in.get(page).content.decode()


def test_the_button_asks_again_for_exactly_these(run, signed_in, owner):
    reply = ask(signed_in, run)
    assert reply.url == pages(run)[1]
    assert run.judgements.filter(state=State.WAITING).count() == 2
    assert run.judgements.filter(state=State.JUDGED, verdict="right").count() == 2
    assert set(ReviewNote.objects.values_list("by", "found")) == {
        (owner.pk, "refused: none"),
        (owner.pk, "unreadable: none"),
    }


def test_asking_again_is_no_submission(run, signed_in, owner):
    ask(signed_in, run)
    assert owner.submissions.count() == 1


def test_a_second_press_changes_nothing(run, signed_in):
    ask(signed_in, run)
    ask(signed_in, run)
    assert ReviewNote.objects.count() == 2


def test_the_entry_keeps_its_score_until_the_new_verdicts_are_there(run, signed_in):
    ask(signed_in, run)
    assert signed_in.get(pages(run)[0]).status_code == 200


@pytest.mark.parametrize("who", ["nobody", "stranger"])
def test_nobody_else_can_ask(run, client, stranger, who):
    if who == "stranger":
        client.force_login(stranger)
    assert ask(client, run).status_code == (404 if who == "stranger" else 302)
    assert not run.judgements.filter(state=State.WAITING).exists()


def test_looking_asks_nothing(run, signed_in):
    page = signed_in.get(f"/submissions/{run.submission_id}/retry/").content.decode()
    assert "2 judgements ended without a verdict" in page
    assert not run.judgements.filter(state=State.WAITING).exists()


def test_another_site_cannot_press_the_button(run, owner):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert ask(client, run).status_code == 403


def test_a_judge_that_never_judged_it_is_not_found(run, signed_in):
    assert ask(signed_in, run, judge="nobody").status_code == 404


def test_a_withdrawn_submission_is_asked_about_no_more(run, signed_in):
    withdraw_submission(submission=run.submission)
    assert ask(signed_in, run).status_code == 404
    assert BUTTON not in signed_in.get(pages(run)[1]).content.decode()


# --- the command ----------------------------------------------------------------------------------


def command(*arguments: str, **options) -> str:
    out = io.StringIO()
    call_command("judge", *arguments, stdout=out, only_failed=True, **options)
    return out.getvalue()


@pytest.mark.parametrize("which", ["one", "all"])
def test_the_command_pays_only_for_what_has_no_verdict(run, spelling, owner, settings, which):
    never_judged = submit(spelling, owner, name="Never judged")
    paid = JudgeCall.objects.count()
    with serve([completion("wrong")]) as endpoint:
        settings.JUDGE_ENDPOINTS = {"none": {"url": endpoint.url, "key": ""}}
        chosen = {"all": True} if which == "all" else {}
        arguments = [] if which == "all" else [str(run.submission_id)]
        told = command(*arguments, judge=run.judge_spec.slug, **chosen)
    assert "2 judgements without a verdict are asked again" in told
    assert "4 judged, 0 unreadable, 0 failed" in told
    assert len(endpoint.asked) == JudgeCall.objects.count() - paid == 2
    assert not never_judged.runs.exists()


def test_the_command_without_anything_to_ask_says_so(run, settings):
    overwrite(run.judgements, state=State.JUDGED, verdict="right")
    paid = JudgeCall.objects.count()
    assert "nothing to ask again" in command(str(run.submission_id), judge=run.judge_spec.slug)
    assert JudgeCall.objects.count() == paid


def test_what_a_twin_was_told_meanwhile_is_scored_at_once(run, spelling, owner):
    overwrite(Judgement.objects.filter(state=State.JUDGED, run=run), content_key="other")
    twin = planned(submit(spelling, owner, name="Twin"))
    judge_run(run_id=twin.pk, judge=ScriptedJudge([Reply("wrong")]))
    told = command(str(run.submission_id), judge=run.judge_spec.slug)
    assert "4 judged" in told
    assert run.judgements.filter(verdict="wrong", reused_from__isnull=False).count() == 2
