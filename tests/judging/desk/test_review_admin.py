"""The review queue as its visitors see it."""

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from benchmarks.submissions.models import Submission
from judging.engine.engine import judge_run
from judging.judges.base import Reply
from judging.models import Judgement, JudgeRun, ReviewNote
from judging.services import retry_failed
from tests.conftest import submit
from tests.judging.room import hides, says
from tests.judging.scripted import ScriptedJudge
from tests.judging.services.test_review import planned
from tests.overwriting import overwrite

State = Judgement.State
QUEUE = "/admin/judging/judgementforreview/"
SURE = {"confirmed": "yes", "reason": "The endpoint is mended."}


@pytest.fixture(scope="module")
def module_run(module_submission: Submission) -> JudgeRun:
    """Each judgement was refused by the filter of the endpoint."""
    run = planned(module_submission)
    judge_run(
        run_id=run.pk,
        judge=ScriptedJudge([Reply("<b>maybe</b>", finish_reason="content_filter", model="m-1")]),
    )
    return run


@pytest.fixture
def run(module_run, db) -> JudgeRun:
    found = JudgeRun.objects.select_related("submission__release", "judge_spec")
    return found.get(pk=module_run.pk)


@pytest.fixture
def owner(run) -> User:
    return User.objects.get(pk=run.submission.owner_id)


@pytest.fixture
def reviewer(db) -> User:
    user = User.objects.create_user("vera", "vera@example.org", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="review_judgement"))
    return user


@pytest.fixture
def desk(reviewer) -> Client:
    client = Client()
    client.force_login(reviewer)
    return client


def page_of(response) -> str:
    return str(response.content, "utf-8")


def place(row: Judgement, step: str = "change") -> str:
    return f"{QUEUE}{row.pk}/{step}/"


# --- who may --------------------------------------------------------------------------------------


def test_being_staff_is_not_enough(run, owner, client, desk):
    row = run.judgements.first()
    steps = [("get", "change"), ("post", "step/retry"), ("post", "step/exclude")]
    for is_staff, status in ((True, 403), (False, 302)):
        User.objects.filter(pk=owner.pk).update(is_staff=is_staff)
        client.force_login(User.objects.get(pk=owner.pk))
        for method, step in steps:
            response = getattr(client, method)(place(row, step), {"reason": "x"})
            assert response.status_code == status, step
        assert client.get(QUEUE).status_code == status
    assert not ReviewNote.objects.exists()
    assert desk.get(QUEUE).status_code == 200
    assert "Judgements for review" in page_of(desk.get("/admin/"))


def test_a_step_is_taken_by_our_own_form_and_never_by_looking_or_by_one_press(run, reviewer, desk):
    row = run.judgements.first()
    for step in ("retry", "exclude"):
        for asked in (desk.get, desk.post):
            page = page_of(asked(place(row, f"step/{step}")))
            says(page, "Consequences", "1, of 1 entry")
    client = Client(enforce_csrf_checks=True)
    client.force_login(reviewer)
    assert client.post(place(row, "step/retry"), SURE).status_code == 403
    assert run.judgements.get(pk=row.pk).state == State.REFUSED
    assert not ReviewNote.objects.exists()


# --- the list -------------------------------------------------------------------------------------


def test_the_list_has_what_ended_without_a_verdict_and_not_whose_it_is(run, desk):
    shown = page_of(desk.get(QUEUE))
    assert shown.count("the judge refused to answer") == 4
    hides(shown, "Speller", "rosa")


def test_the_list_has_what_its_filters_say_and_nothing_judged_waiting_or_excluded(run, desk):
    def count(**filters) -> int:
        return page_of(desk.get(QUEUE, filters)).count("spelled.1")

    first, second, third, _ = run.judgements.order_by("pk")
    Judgement.objects.filter(pk=first.pk).update(state=State.FAILED)
    benchmark = run.submission.release.benchmark_id
    by_benchmark = {"answer__submission__release__benchmark__id__exact": benchmark}
    by_judge = {"judge_spec__id__exact": run.judge_spec_id}
    assert (count(), count(state="failed", **by_benchmark, **by_judge)) == (4, 1)
    Judgement.objects.filter(pk=first.pk).update(state=State.JUDGED, verdict="right")
    Judgement.objects.filter(pk=second.pk).update(state=State.WAITING)
    Judgement.objects.filter(pk=third.pk).update(state=State.EXCLUDED)
    assert (count(), count(state="excluded")) == (1, 1)


def test_the_list_asks_the_database_as_often_for_more_rows(
    run, spelling, owner, desk, django_assert_max_num_queries
):
    with django_assert_max_num_queries(20):
        desk.get(QUEUE)
    other = planned(submit(spelling, owner, b"1=a\n2=b\n3=c\n4=d\n", name="Other"))
    judge_run(run_id=other.pk, judge=ScriptedJudge([Reply("", finish_reason="length")]))
    with django_assert_max_num_queries(20):
        assert page_of(desk.get(QUEUE)).count("spelled.1") == 8


def test_chosen_judgements_are_asked_again_together(run, desk):
    keys = [row.pk for row in run.judgements.order_by("pk")[:3]]
    chosen = {"action": "retry", "_selected_action": keys}
    assert "wait for a verdict from now on: 3, of 1 entry." in page_of(desk.post(QUEUE, chosen))
    assert not Judgement.objects.filter(state=State.WAITING).exists()
    response = desk.post(QUEUE, {**chosen, **SURE}, follow=True)
    assert "Asked again: 3 judgements for review." in page_of(response)
    assert set(Judgement.objects.filter(state=State.WAITING).values_list("pk", flat=True)) == set(
        keys
    )


# --- one judgement --------------------------------------------------------------------------------


def test_the_page_shows_prompt_reply_reason_and_ledger_but_not_whose_it_is(run, desk):
    shown = page_of(desk.get(place(run.judgements.first())))
    for text in (
        "right or wrong?",
        "&lt;b&gt;maybe&lt;/b&gt;",
        "the judge refused to answer",
        "content_filter",
        "m-1",
    ):
        assert text in shown
    says(shown, "Rebuilt from prompt set", "answered")
    assert "has changed since the judge was asked" not in shown
    for secret in ("Speller", "rosa", str(run.submission_id)):
        assert secret not in shown
    overwrite(run.judgements, content_key="other")
    assert "has changed since the judge was asked" in page_of(
        desk.get(place(run.judgements.first()))
    )
    for key in ("0", "99999", "x", "9" * 30):
        assert desk.get(f"{QUEUE}{key}/change/").status_code == 404


def test_a_retry_by_the_owner_does_not_give_the_name_away(run, owner, desk):
    retry_failed(run=run, by=owner)
    Judgement.objects.update(state=State.FAILED)
    shown = page_of(desk.get(place(run.judgements.first())))
    assert "retry by its owner" in shown
    assert "rosa" not in shown


def test_the_button_asks_again_or_excludes_with_a_reason(run, reviewer, desk):
    row = run.judgements.first()
    response = desk.post(place(row, "step/exclude"), {**SURE, "reason": " "})
    assert response.status_code == 422
    assert "Say why." in page_of(response)
    assert not run.judgements.filter(state=State.EXCLUDED).exists()
    desk.post(place(row, "step/exclude"), {**SURE, "reason": "No judge answers this."})
    shown = page_of(desk.get(place(row)))
    says(shown, "No judge answers this.", "exclude by vera")
    response = desk.post(place(row, "step/retry"), SURE, follow=True)
    assert "Asked again: 1 judgement for review." in page_of(response)
    assert run.judgements.get(pk=row.pk).state == State.WAITING
    notes = ReviewNote.objects.order_by("pk").values_list("action", "by")
    assert list(notes) == [("exclude", reviewer.pk), ("retry", reviewer.pk)]


def test_what_was_judged_meanwhile_is_neither_asked_again_nor_excluded(run, desk):
    row = run.judgements.first()
    Judgement.objects.filter(pk=row.pk).update(state=State.JUDGED, verdict="right")
    for step, said in (
        ("retry", "Nothing to ask again was"),
        ("exclude", "Nothing to exclude was"),
    ):
        response = desk.post(place(row, f"step/{step}"), SURE, follow=True)
        assert f"{said} chosen" in page_of(response)
    assert run.judgements.get(pk=row.pk).verdict == "right"
