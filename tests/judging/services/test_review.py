"""Judgements without a verdict: asked again or excluded, and no way to write a verdict by hand."""

import inspect

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client, RequestFactory
from django.utils import timezone

from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import withdraw_submission
from judging import services
from judging.engine.engine import judge_run
from judging.models import (
    JudgeCall,
    Judgement,
    JudgementForReview,
    JudgeRun,
    JudgeSpec,
    ReviewNote,
)
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
from leaderboard.results.services import score_finished_runs, score_run
from tests.conftest import submit
from tests.judging.scripted import ScriptedJudge
from tests.overwriting import overwrite

State = Judgement.State


def planned(submission) -> JudgeRun:
    spec = ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="none", model="m", repeats=1
    )
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    return run


@pytest.fixture(scope="module")
def module_run(module_submission: Submission) -> JudgeRun:
    run = planned(module_submission)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    overwrite(
        run.judgements.filter(answer__question__public_id="4"),
        state=State.REFUSED,
        verdict="",
        reason="the judge refused to answer",
        raw_reply="No.",
        attempts=3,
        content_key="old",
    )
    return run


@pytest.fixture
def run(module_run, db) -> JudgeRun:
    """Three judgements with a verdict and one that was refused."""
    return JudgeRun.objects.select_related("submission", "judge_spec").get(pk=module_run.pk)


def left(run: JudgeRun) -> Judgement:
    return run.judgements.exclude(state=State.JUDGED).get()


# --- asking again ---------------------------------------------------------------------------------


def test_what_has_no_verdict_waits_again_with_all_its_attempts_and_a_note_of_what_it_was(
    run, owner
):
    for state in IN_REVIEW:
        run.judgements.exclude(state=State.JUDGED).update(
            state=state, reason="the judge refused to answer", raw_reply="No.", attempts=3
        )
        assert retry_judgements(keys=[left(run).pk], by=owner) == 1
        row = left(run)
        found = row.state, row.attempts, row.reason, row.raw_reply, row.settled
        assert found == (State.WAITING, 0, "", "", None)
        note = ReviewNote.objects.latest("pk")
        assert (note.judgement, note.by, note.action) == (row, owner, "retry")
        assert note.found.endswith(": the judge refused to answer")


def test_only_what_failed_is_asked_and_paid_again(run):
    paid = JudgeCall.objects.count()
    assert retry_failed(run=run, by=None) == 1
    judge = ScriptedJudge(["wrong"])
    judge_run(run_id=run.pk, judge=judge)
    assert len(judge.asked) == JudgeCall.objects.count() - paid == 1
    verdicts = sorted(run.judgements.values_list("verdict", flat=True))
    assert verdicts == ["right", "right", "right", "wrong"]


def in_state(rows, state: str) -> None:
    verdict = "right" if state == State.JUDGED else ""
    overwrite(rows, state=state, verdict=verdict, lease_until=timezone.now())


def test_a_row_that_has_a_verdict_waits_or_is_withdrawn_is_not_touched(run):
    for state in sorted(set(State.values) - set(IN_REVIEW)):
        in_state(Judgement.objects, state)
        before = list(Judgement.objects.order_by("pk").values())
        assert retry_judgements(keys=[row["id"] for row in before], by=None) == 0
        assert retry_failed(run=run, by=None) == 0
        assert list(Judgement.objects.order_by("pk").values()) == before
    in_state(Judgement.objects, State.FAILED)
    withdraw_submission(submission=run.submission)
    assert retry_failed(run=run, by=None) == 0
    assert not ReviewNote.objects.exists()


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


def test_an_excluded_judgement_is_asked_but_never_judged_and_makes_a_new_scoresheet(run, owner):
    score_run(run=run)
    assert score_finished_runs() == 0
    exclude_judgement(judgement=left(run), by=owner, reason=" The judge\nrefuses this. ")
    row = left(run)
    assert (row.state, row.reason, row.verdict) == (State.EXCLUDED, "The judge refuses this.", "")
    counts = run_counts(run)
    assert (counts.asked, counts.judged, counts.open) == (4, 3, 0)
    assert score_finished_runs() == 1
    sheet = Scoresheet.objects.get()
    assert (sheet.judged, sheet.coverage) == (3, 0.75)
    assert retry_failed(run=run, by=owner) == 0
    assert left(run).state == State.EXCLUDED


def test_a_judgement_paused_for_a_person_withholds_no_score_and_its_end_makes_another(run, owner):
    run.judgements.filter(pk=left(run).pk).update(state=State.PAUSED)
    assert score_finished_runs() == 1
    exclude_judgement(judgement=left(run), by=owner, reason="It kills every worker.")
    assert score_finished_runs() == 1


def test_nothing_is_excluded_without_a_reason_or_that_has_a_verdict_or_waits(run, owner):
    row = left(run)
    for reason in ("", "  ", "\n\0"):
        with pytest.raises(ReviewError, match="Say why"):
            exclude_judgement(judgement=row, by=owner, reason=reason)
    with pytest.raises(IntegrityError), transaction.atomic():
        ReviewNote.objects.create(judgement=row, action="exclude", found="refused")
    assert left(run).state == State.REFUSED
    for state in sorted(set(State.values) - set(FOR_REVIEW)):
        in_state(Judgement.objects.filter(pk=row.pk), state)
        with pytest.raises(ReviewError, match="Only a judgement"):
            exclude_judgement(judgement=row, by=owner, reason="I do not like it.")


# --- no verdict by hand ---------------------------------------------------------------------------


def test_no_service_takes_a_verdict():
    functions = [
        found for name in services.__all__ if inspect.isfunction(found := getattr(services, name))
    ]
    assert len(functions) > 10
    assert not [found for found in functions if "verdict" in inspect.signature(found).parameters]


def test_the_highest_rights_change_no_verdict(run):
    root = User.objects.create_superuser("root", "root@example.org")
    client = Client()
    client.force_login(root)
    request = RequestFactory().get("/admin/")
    request.user = root
    rows = (Judgement, JudgementForReview, JudgeRun, JudgeCall, ReviewNote, JudgeSpec)
    shown = [admin.site._registry[model] for model in rows if model in admin.site._registry]
    for page in shown:
        assert not page.has_add_permission(request)
        assert not page.has_change_permission(request)
        assert not page.has_delete_permission(request)
    row = run.judgements.filter(state=State.JUDGED).first()
    sent = {"verdict": "wrong", "state": "judged", "post": "y", "reason": "Why not."}
    for place in ("judgement", "judgementforreview"):
        for step in ("change", "delete", "retry", "exclude"):
            client.post(f"/admin/judging/{place}/{row.pk}/{step}/", sent)
    assert run.judgements.get(pk=row.pk).verdict == "right"
