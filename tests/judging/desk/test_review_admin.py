"""The review queue as its visitors see it."""

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from judging.engine.engine import judge_run
from judging.judges.base import Reply
from judging.judges.scripted import ScriptedJudge
from judging.models import Judgement, ReviewNote
from judging.services import retry_failed
from tests.conftest import submit
from tests.judging.services.test_review import planned
from tests.overwriting import overwrite

State = Judgement.State
QUEUE = "/admin/judging/judgementforreview/"
SURE = {"confirmed": "yes", "reason": "The endpoint is mended."}


@pytest.fixture
def run(submission):
    """Each judgement was refused by the filter of the endpoint."""
    run = planned(submission)
    judge_run(
        run_id=run.pk,
        judge=ScriptedJudge([Reply("<b>maybe</b>", finish_reason="content_filter", model="m-1")]),
    )
    return run


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


@pytest.mark.parametrize(
    ("method", "step"), [("get", "change"), ("post", "step/retry"), ("post", "step/exclude")]
)
@pytest.mark.parametrize(("is_staff", "status"), [(True, 403), (False, 302)])
def test_being_staff_is_not_enough(run, owner, client, method, step, is_staff, status):
    User.objects.filter(pk=owner.pk).update(is_staff=is_staff)
    client.force_login(User.objects.get(pk=owner.pk))
    response = getattr(client, method)(place(run.judgements.first(), step), {"reason": "x"})
    assert response.status_code == status
    assert not ReviewNote.objects.exists()


def test_the_list_is_for_reviewers(run, owner, client, desk):
    owner.is_staff = True
    owner.save()
    client.force_login(owner)
    assert client.get(QUEUE).status_code == 403
    assert desk.get(QUEUE).status_code == 200
    assert "Judgements for review" in page_of(desk.get("/admin/"))


@pytest.mark.parametrize("step", ["retry", "exclude"])
def test_a_step_is_never_taken_by_looking_or_by_one_press(run, desk, step):
    row = run.judgements.first()
    for asked in (desk.get, desk.post):
        page = page_of(asked(place(row, f"step/{step}")))
        assert "What follows" in page
        assert "1, of 1 entry" in page
    assert run.judgements.get(pk=row.pk).state == State.REFUSED
    assert not ReviewNote.objects.exists()


def test_a_step_needs_the_token_of_our_own_form(run, reviewer):
    client = Client(enforce_csrf_checks=True)
    client.force_login(reviewer)
    assert client.post(place(run.judgements.first(), "step/retry")).status_code == 403


# --- the list -------------------------------------------------------------------------------------


def test_the_list_has_what_ended_without_a_verdict_and_not_whose_it_is(run, desk):
    shown = page_of(desk.get(QUEUE))
    assert shown.count("the judge refused to answer") == 4
    assert "Speller" not in shown
    assert "rosa" not in shown


def test_judged_waiting_and_excluded_rows_are_not_in_it(run, desk):
    first, second, third, _ = run.judgements.order_by("pk")
    Judgement.objects.filter(pk=first.pk).update(state=State.JUDGED, verdict="right")
    Judgement.objects.filter(pk=second.pk).update(state=State.WAITING)
    Judgement.objects.filter(pk=third.pk).update(state=State.EXCLUDED)
    assert page_of(desk.get(QUEUE)).count("spelled.1") == 1
    assert page_of(desk.get(QUEUE, {"state": "excluded"})).count("spelled.1") == 1


def test_the_list_is_filtered_by_state_benchmark_and_judge(run, desk):
    Judgement.objects.filter(pk=run.judgements.first().pk).update(state=State.FAILED)
    release = run.submission.release
    by_benchmark = {"answer__submission__release__benchmark__id__exact": release.benchmark_id}
    by_judge = {"judge_spec__id__exact": run.judge_spec_id}
    assert (
        page_of(desk.get(QUEUE, {"state": "failed", **by_benchmark, **by_judge})).count("spelled.1")
        == 1
    )


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
    assert "Rebuilt from prompt set" in shown
    assert "answered" in shown
    assert "are not what they were" not in shown
    for secret in ("Speller", "rosa", str(run.submission_id)):
        assert secret not in shown


def test_the_page_says_where_the_case_is_not_the_one_that_was_sent(run, desk):
    overwrite(run.judgements, content_key="other")
    assert "are not what they were" in page_of(desk.get(place(run.judgements.first())))


def test_a_retry_by_the_owner_does_not_give_the_name_away(run, owner, desk):
    retry_failed(run=run, by=owner)
    Judgement.objects.update(state=State.FAILED)
    shown = page_of(desk.get(place(run.judgements.first())))
    assert "retry by its owner" in shown
    assert "rosa" not in shown


def test_the_button_asks_again(run, reviewer, desk):
    row = run.judgements.first()
    response = desk.post(place(row, "step/retry"), SURE, follow=True)
    assert "Asked again: 1 judgement for review." in page_of(response)
    assert run.judgements.get(pk=row.pk).state == State.WAITING
    assert ReviewNote.objects.get().by == reviewer


def test_a_retry_of_what_was_judged_meanwhile_says_so(run, desk):
    row = run.judgements.first()
    Judgement.objects.filter(pk=row.pk).update(state=State.JUDGED, verdict="right")
    assert "Nothing to ask again was chosen" in page_of(
        desk.post(place(row, "step/retry"), SURE, follow=True)
    )
    assert run.judgements.get(pk=row.pk).verdict == "right"


def test_an_exclusion_needs_a_reason(run, desk):
    response = desk.post(place(run.judgements.first(), "step/exclude"), {**SURE, "reason": " "})
    assert response.status_code == 422
    assert "Say why." in page_of(response)
    assert not run.judgements.filter(state=State.EXCLUDED).exists()


def test_an_exclusion_is_shown_with_its_reason_and_can_be_taken_back(run, reviewer, desk):
    row = run.judgements.first()
    sure = {**SURE, "reason": "No judge answers this."}
    desk.post(place(row, "step/exclude"), sure)
    shown = page_of(desk.get(place(row)))
    assert "No judge answers this." in shown
    assert "exclude by vera" in shown
    desk.post(place(row, "step/retry"), SURE)
    assert run.judgements.get(pk=row.pk).state == State.WAITING


def test_what_was_judged_meanwhile_is_not_excluded(run, desk):
    row = run.judgements.first()
    Judgement.objects.filter(pk=row.pk).update(state=State.JUDGED, verdict="right")
    response = desk.post(place(row, "step/exclude"), SURE, follow=True)
    assert "Nothing to exclude was chosen" in page_of(response)
    assert run.judgements.get(pk=row.pk).verdict == "right"


@pytest.mark.parametrize("key", ["0", "99999", "x", "9" * 30])
def test_what_does_not_exist_is_not_found(desk, key):
    assert desk.get(f"{QUEUE}{key}/change/").status_code == 404
