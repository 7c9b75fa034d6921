"""Judgements without a verdict: asked again or excluded, and no way to write a verdict by hand."""

import inspect

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import IntegrityError
from django.test import RequestFactory
from django.utils import timezone

from benchmarks.registry import protocol
from benchmarks.submissions.services import withdraw_submission
from judging import models, services
from judging.engine.engine import judge_run
from judging.judges.scripted import ScriptedJudge
from judging.models import JudgeCall, Judgement, JudgeRun, ReviewNote
from judging.querysets import FOR_REVIEW, IN_REVIEW
from judging.selectors import run_counts
from judging.services import (
    ReviewError,
    ensure_spec,
    exclude_judgement,
    plan_run,
    request_run,
    retry_failed,
    retry_judgements,
)
from leaderboard.models import Scoresheet
from leaderboard.services import score_finished_runs, score_run
from tests.conftest import submit
from tests.overwriting import overwrite

State = Judgement.State


def planned(submission) -> JudgeRun:
    spec = ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="none", model="m", repeats=1
    )
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    return run


@pytest.fixture
def run(submission) -> JudgeRun:
    """Three judgements with a verdict and one that was refused."""
    run = planned(submission)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    end_without_verdict(run.judgements.get(answer__question__public_id="4"), State.REFUSED)
    return run


def end_without_verdict(row: Judgement, state: str) -> None:
    overwrite(
        Judgement.objects.filter(pk=row.pk),
        state=state,
        verdict="",
        reason="the judge refused to answer",
        raw_reply="No.",
        attempts=3,
        content_key="old",
    )


def left(run: JudgeRun) -> Judgement:
    return run.judgements.exclude(state=State.JUDGED).get()


# --- asking again ---------------------------------------------------------------------------------


@pytest.mark.parametrize("state", IN_REVIEW)
def test_what_has_no_verdict_waits_again_with_all_its_attempts(run, owner, state):
    run.judgements.exclude(state=State.JUDGED).update(state=state)
    assert retry_judgements(keys=[left(run).pk], by=owner) == 1
    row = left(run)
    assert (row.state, row.attempts, row.reason, row.raw_reply, row.settled) == (
        State.WAITING,
        0,
        "",
        "",
        None,
    )


def test_what_it_was_is_kept_in_a_note(run, owner):
    retry_judgements(keys=[left(run).pk], by=owner)
    note = ReviewNote.objects.get()
    assert (note.judgement, note.by, note.action) == (left(run), owner, "retry")
    assert note.found == "refused: the judge refused to answer"


def test_only_what_failed_is_asked_and_paid_again(run):
    paid = JudgeCall.objects.count()
    assert retry_failed(run=run, by=None) == 1
    judge = ScriptedJudge(["wrong"])
    judge_run(run_id=run.pk, judge=judge)
    assert len(judge.asked) == JudgeCall.objects.count() - paid == 1
    assert sorted(run.judgements.values_list("verdict", flat=True)) == [
        "right",
        "right",
        "right",
        "wrong",
    ]


@pytest.mark.parametrize("state", sorted(set(State.values) - set(IN_REVIEW)))
def test_a_row_that_has_a_verdict_or_waits_is_not_touched(run, state):
    overwrite(
        Judgement.objects,
        state=state,
        verdict="right" if state == State.JUDGED else "",
        lease_until=timezone.now(),
    )
    before = list(Judgement.objects.order_by("pk").values())
    assert (
        retry_judgements(keys=[row["id"] for row in before], by=None)
        == retry_failed(run=run, by=None)
        == 0
    )
    assert list(Judgement.objects.order_by("pk").values()) == before
    assert not ReviewNote.objects.exists()


def test_a_whole_run_leaves_excluded_judgements_excluded(run, owner):
    exclude_judgement(judgement=left(run), by=owner, reason="No judge answers this.")
    assert retry_failed(run=run, by=owner) == 0
    assert left(run).state == State.EXCLUDED


def test_a_withdrawn_submission_is_not_asked_about_again(run):
    withdraw_submission(submission=run.submission)
    assert retry_failed(run=run, by=None) == 0


def test_a_case_judged_meanwhile_takes_that_verdict_without_a_call(run, spelling, owner):
    twin = planned(submit(spelling, owner, name="Twin"))
    judge_run(run_id=twin.pk, judge=ScriptedJudge(["wrong"]))
    paid = JudgeCall.objects.count()
    retry_failed(run=run, by=owner)
    row = run.judgements.get(reused_from__isnull=False)
    assert (row.state, row.verdict, JudgeCall.objects.count()) == (State.JUDGED, "wrong", paid)


def test_many_are_asked_again_in_few_queries(run, django_assert_max_num_queries):
    overwrite(Judgement.objects, state=State.FAILED, verdict="")
    with django_assert_max_num_queries(14):
        assert retry_failed(run=run, by=None) == 4


# --- leaving out ----------------------------------------------------------------------------------


def test_an_excluded_judgement_is_asked_but_never_judged_and_never_scores(run, owner):
    exclude_judgement(judgement=left(run), by=owner, reason=" The judge\nrefuses this. ")
    assert (left(run).state, left(run).reason, left(run).verdict) == (
        State.EXCLUDED,
        "The judge refuses this.",
        "",
    )
    counts = run_counts(run)
    assert (counts.asked, counts.judged, counts.is_finished) == (4, 3, True)
    assert score_run(run=run).coverage == 0.75


def test_a_judgement_paused_for_a_person_withholds_no_score_and_its_end_makes_another(run, owner):
    run.judgements.filter(pk=left(run).pk).update(state=State.PAUSED)
    assert score_finished_runs() == 1
    exclude_judgement(judgement=left(run), by=owner, reason="It kills every worker.")
    assert score_finished_runs() == 1


def test_an_exclusion_makes_a_new_scoresheet(run, owner):
    score_run(run=run)
    assert score_finished_runs() == 0
    exclude_judgement(judgement=left(run), by=owner, reason="Why not.")
    assert score_finished_runs() == 1
    assert Scoresheet.objects.get().judged == 3


@pytest.mark.parametrize("reason", ["", "  ", "\n\0"])
def test_nothing_is_excluded_without_a_reason(run, owner, reason):
    with pytest.raises(ReviewError, match="Say why"):
        exclude_judgement(judgement=left(run), by=owner, reason=reason)
    assert left(run).state == State.REFUSED


def test_the_database_keeps_no_exclusion_without_a_reason(run):
    with pytest.raises(IntegrityError):
        ReviewNote.objects.create(judgement=left(run), action="exclude", found="refused")


@pytest.mark.parametrize("state", sorted(set(State.values) - set(FOR_REVIEW)))
def test_only_what_ended_without_a_verdict_can_be_excluded(run, owner, state):
    row = run.judgements.first()
    overwrite(
        Judgement.objects.filter(pk=row.pk),
        state=state,
        verdict="right" if state == State.JUDGED else "",
        lease_until=timezone.now(),
    )
    with pytest.raises(ReviewError, match="Only a judgement"):
        exclude_judgement(judgement=row, by=owner, reason="I do not like it.")


# --- no verdict by hand ---------------------------------------------------------------------------


def test_no_admin_form_has_a_field_for_what_was_decided(db):
    root = User.objects.create_superuser("root", "root@example.org", "a long enough password")
    request = RequestFactory().get("/admin/")
    request.user = root
    for model in (
        Judgement,
        models.JudgementForReview,
        JudgeRun,
        JudgeCall,
        ReviewNote,
        models.JudgeSpec,
    ):
        registered = admin.site._registry.get(model)
        if registered:
            assert not registered.has_add_permission(request)
            assert not registered.has_change_permission(request)
            assert not registered.has_delete_permission(request)


def test_no_service_takes_a_verdict():
    functions = [
        found for name in services.__all__ if inspect.isfunction(found := getattr(services, name))
    ]
    assert len(functions) > 10
    assert not [found for found in functions if "verdict" in inspect.signature(found).parameters]


def test_the_highest_rights_change_no_verdict(run, client):
    User.objects.create_superuser("root", "root@example.org", "a long enough password")
    client.login(username="root", password="a long enough password")
    row = run.judgements.filter(state=State.JUDGED).first()
    for model in ("judgement", "judgementforreview"):
        for step in ("change", "delete"):
            client.post(
                f"/admin/judging/{model}/{row.pk}/{step}/",
                {"verdict": "wrong", "state": "judged", "post": "y"},
            )
    for step in ("retry", "exclude"):
        client.post(
            f"/admin/judging/judgementforreview/{row.pk}/{step}/",
            {"reason": "Why not.", "verdict": "wrong"},
        )
    assert run.judgements.get(pk=row.pk).verdict == "right"
