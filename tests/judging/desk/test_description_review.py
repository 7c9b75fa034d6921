"""Reviews of versions: who decides, what they are shown, and that no comment is lost."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client

from benchmarks.models import Description, Figure, UnsavedText
from benchmarks.registry import protocol
from benchmarks.services.importing import freeze_release
from benchmarks.staff_models import StaffAction
from judging.engine.engine import judge_run
from judging.judges.scripted import ScriptedJudge
from judging.models import Judgement
from judging.services import ensure_spec, plan_run, request_run
from tests.conftest import submit
from tests.judging.room import WORKLIST, page_of, place, review_of, save

State = Description.State
TYPED = "A cat that I described with care."


def comment_on(response) -> str:
    found = re.search(r'<textarea id="comment"[^>]*>\s*(.*?)</textarea>', page_of(response), re.S)
    return found[1] if found else ""


def approve(client: Client, description: Description, **sent):
    return client.post(f"{WORKLIST}{description.pk}/approve/", sent, follow=True)


def send_back(client: Client, description: Description, comment: str = "Which cat?", **sent):
    where = f"{WORKLIST}{description.pk}/send-back/"
    return client.post(where, {"comment": comment, **sent}, follow=True)


# --- who decides ----------------------------------------------------------------------------------


# --- reviewing ------------------------------------------------------------------------------------


def test_an_author_is_told_that_somebody_else_approves(visit, figure):
    client = visit("reviewer")
    save(client, figure, button="submit")
    description = Description.objects.get()
    assert "These words are yours: somebody else" in page_of(client.get(place(figure)))
    page = page_of(client.get(review_of(description)))
    assert "These words are yours." in page
    assert "Approve version" not in page
    answer = client.post(f"{WORKLIST}{description.pk}/approve/", follow=True)
    assert "Nobody approves their own description." in page_of(answer)
    description.refresh_from_db()
    assert description.state == State.IN_REVIEW


def test_whoever_changed_a_version_on_the_way_is_told_that_the_words_are_theirs(visit, figure):
    save(visit("reviewer"), figure, "A cat by the reviewer.")
    save(visit("annotator"), figure, "A cat by the reviewer!", base=1, button="submit")
    last = Description.objects.get(version=2)
    page = page_of(visit("reviewer").get(review_of(last)))
    assert "These words are yours." in page
    assert "Approve version" not in page
    assert "Approve version 2" in page_of(visit("other_reviewer").get(review_of(last)))


def test_its_writer_takes_it_out_of_review_and_nobody_else(visit, figure, in_review):
    button = "Take it out of review"
    assert button not in page_of(visit("reviewer").get(place(figure)))
    client = visit("annotator")
    assert button in page_of(client.get(place(figure)))
    where = f"{WORKLIST}{in_review.pk}/withdraw/"
    assert "Only its author" in page_of(visit("reviewer").post(where, follow=True))
    assert "is out of review, and a draft again" in page_of(client.post(where, follow=True))
    in_review.refresh_from_db()
    assert in_review.state == State.DRAFT


def test_an_unchanged_text_is_refused_where_it_is_saved(visit, figure, in_review):
    approve(visit("other_reviewer"), in_review)
    response = save(visit("annotator"), figure, "A cat.", base=1, button="submit")
    assert response.status_code == 409
    assert "Nothing is changed: version 1 has the same text and is approved." in page_of(response)
    assert Description.objects.count() == 1


def test_the_form_leads_those_who_may_decide_to_the_review(visit, figure, in_review):
    assert review_of(in_review) not in page_of(visit("annotator").get(place(figure)))
    assert review_of(in_review) in page_of(visit("reviewer").get(place(figure)))


def test_an_approval_is_told_logged_and_compared_with_afterwards(visit, figure, in_review):
    page = page_of(visit("reviewer").post(f"{WORKLIST}{in_review.pk}/approve/", follow=True))
    assert re.search(r"Version 1 of [^.]+ is approved", page)
    assert LogEntry.objects.filter(
        user__username="reviewer", change_message__contains="approved"
    ).exists()
    page = page_of(save(visit("annotator"), figure, "A red cat.", base=1))
    assert "Since version 1, approved" in page
    assert "A <ins>red </ins>cat." in page


def test_a_text_sent_back_shows_the_comment(visit, figure, in_review):
    visit("reviewer").post(f"{WORKLIST}{in_review.pk}/send-back/", {"comment": "Which cat?"})
    client = visit("annotator")
    assert "Which cat?" in page_of(client.get(place(figure)))
    assert place(figure) in page_of(client.get(WORKLIST + "?state=sent+back"))


def test_sending_back_without_a_comment_asks_for_one(visit, in_review):
    page = page_of(
        visit("reviewer").post(
            f"{WORKLIST}{in_review.pk}/send-back/", {"comment": " "}, follow=True
        )
    )
    assert "a description is sent back with a comment" in page


def test_a_late_approval_is_told_what_happened_before(visit, in_review):
    visit("other_reviewer").post(f"{WORKLIST}{in_review.pk}/send-back/", {"comment": "Why?"})
    page = page_of(visit("reviewer").post(f"{WORKLIST}{in_review.pk}/approve/", follow=True))
    assert "Version 1 is sent back, not in review." in page


@pytest.mark.slow
def test_the_reviewer_reads_what_becomes_stale_and_staff_judge_it_again(
    visit, release, figure, in_review, people
):
    spec = ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="here", model="scripted", repeats=1
    )
    run = request_run(submission=submit(release, people["submitter"]), spec=spec)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk, judge=ScriptedJudge(["right"]))
    words = " ".join(page_of(visit("reviewer").get(review_of(in_review))).split())
    assert (
        "It is the text of <strong>1</strong> figure, about which <strong>2</strong> questions"
        in words
    )
    assert "<strong>2</strong> judgements in <strong>1</strong> entry become out of date" in words
    assert "asks a judge with a price at most <strong>2</strong> times" in words
    visit("reviewer").post(f"{WORKLIST}{in_review.pk}/approve/")
    staff = visit("moderator")
    assert "Re-judge what became stale (2)" in page_of(staff.get(f"{place(figure)}?stale=1"))
    assert "Re-judge" not in page_of(staff.get(place(figure)))
    refused = page_of(staff.post(f"{place(figure)}judge-again/", follow=True))
    assert "say why it should be" in refused
    assert not run.judgements.filter(state=Judgement.State.WAITING).exists()
    said = {"reason": "The cat was forgotten."}
    page = page_of(staff.post(f"{place(figure)}judge-again/", said, follow=True))
    assert StaffAction.objects.latest("pk").reason == "The cat was forgotten."
    assert "2 judgements wait for the judge again; 0 needed no call." in page
    assert "Re-judge what became stale" not in page
    assert run.judgements.filter(state=Judgement.State.WAITING).count() == 2


# --- no comment and no text is lost ---------------------------------------------------------------


def test_approving_beside_an_unsaved_text_asks_first_and_loses_nothing(visit, in_review, figure):
    client = visit("reviewer")
    client.post(f"{place(figure)}typed/", {"text": TYPED, "base_version": 1})
    response = approve(client, in_review, comment="A good one.")
    assert response.status_code == 409
    assert "You typed another text and did not save it" in page_of(response)
    assert comment_on(response) == "A good one."
    in_review.refresh_from_db()
    assert in_review.state == State.IN_REVIEW
    assert 'name="unchanged"' in page_of(response)
    approve(client, in_review, unchanged="x")
    in_review.refresh_from_db()
    assert in_review.state == State.APPROVED
    assert TYPED in page_of(client.get(place(figure)))


def test_a_comment_is_there_again_when_its_writer_comes_back(visit, in_review):
    client = visit("reviewer")
    where = f"{review_of(in_review)}typed/"
    assert client.post(where, {"comment": "Which cat?"}).status_code == 204
    assert comment_on(client.get(review_of(in_review))) == "Which cat?"
    assert comment_on(visit("other_reviewer").get(review_of(in_review))) == ""
    client.post(f"{review_of(in_review)}discard/")
    assert comment_on(client.get(review_of(in_review))) == ""


def test_a_comment_sent_after_the_sign_in_ended_waits_behind_the_next(visit, in_review, people):
    client = visit("reviewer")
    page = page_of(client.get(review_of(in_review)))
    ticket = re.search(r'name="ticket" value="([^"]+)"', page)
    assert ticket
    client.session.flush()
    sent = {"comment": "Which cat?", "ticket": ticket[1]}
    response = client.post(f"{WORKLIST}{in_review.pk}/send-back/", sent)
    assert review_of(in_review) in response["Location"]
    client.force_login(people["reviewer"])
    assert comment_on(client.get(review_of(in_review))) == "Which cat?"


def test_a_comment_that_is_too_long_is_not_cut(visit, in_review):
    response = send_back(visit("reviewer"), in_review, "y" * 20_001)
    assert "A comment has at most 20,000 characters; this one has 20,001." in page_of(response)
    assert comment_on(response) == "y" * 20_001
    in_review.refresh_from_db()
    assert in_review.state == State.IN_REVIEW


def test_a_comment_that_came_too_late_is_shown_again_with_what_happened(visit, in_review):
    approve(visit("other_reviewer"), in_review)
    response = send_back(visit("reviewer"), in_review)
    assert "Version 1 is approved, not in review." in page_of(response)
    assert comment_on(response) == "Which cat?"


def test_a_comment_that_was_sent_is_kept_no_longer(visit, in_review):
    client = visit("reviewer")
    client.post(f"{review_of(in_review)}typed/", {"comment": "Which"})
    send_back(client, in_review)
    assert not UnsavedText.objects.exists()


def test_a_comment_beside_an_approval_reaches_the_author(visit, in_review, figure):
    approve(visit("reviewer"), in_review, comment="A good one.")
    in_review.refresh_from_db()
    assert in_review.review_comment == "A good one."
    assert "A good one." in page_of(visit("annotator").get(place(figure)))


def test_the_author_reads_in_the_queue_what_was_decided(visit, in_review):
    send_back(visit("reviewer"), in_review)
    page = page_of(visit("annotator").get(WORKLIST))
    assert "Decided about yours this week" in page
    assert "sent back by reviewer: Which cat?" in page
    assert "Decided about yours" not in page_of(visit("other_reviewer").get(WORKLIST))


# --- what comes next ------------------------------------------------------------------------------


@pytest.fixture
def other(visit, release) -> Description:
    """A version of another figure that waits."""
    dark = Figure.objects.get(key="dark.png")
    save(visit("annotator"), dark, "The night.", button="submit")
    return Description.objects.get(figure=dark)


@pytest.mark.parametrize("decide", [approve, send_back])
def test_after_a_decision_the_next_version_to_review_is_open(visit, in_review, other, decide):
    response = decide(visit("reviewer"), in_review)
    assert response.redirect_chain[-1][0] == review_of(other)
    assert "This is the next one." in page_of(response)


def test_a_version_of_ones_own_does_not_come_next(visit, in_review, other):
    other.author = User.objects.get(username="reviewer")
    other.save()
    page = page_of(approve(visit("reviewer"), in_review))
    assert "No other version waits for you." in page


def test_a_version_can_be_left_for_the_next_one(visit, in_review, other):
    client = visit("reviewer")
    page = page_of(client.get(review_of(in_review)))
    assert 'name="after" value="' + f"{in_review.figure_id}:en" in page
    sent = {"kind": "review", "after": f"{in_review.figure_id}:en", "benchmark": "spelling"}
    response = client.post(f"{WORKLIST}next/", sent)
    assert response["Location"] == review_of(other)


# --- what is shown --------------------------------------------------------------------------------


def test_older_versions_that_an_approval_closes_are_named_before_and_closed_after(
    visit, figure, in_review
):
    save(visit("annotator"), figure, "A red cat.", base=1, button="submit")
    second = Description.objects.get(version=2)
    client = visit("reviewer")
    page = page_of(client.get(review_of(second)))
    assert "Version 1 by annotator, in review, is closed, and its author is told." in page
    approve(client, second)
    page = page_of(client.get(review_of(in_review)))
    assert "Approving version 2 closed it." in page


def test_the_legend_of_the_keys_is_on_the_page_of_who_decides(visit, in_review):
    assert 'id="review-keys"' in page_of(visit("reviewer").get(review_of(in_review)))


def test_the_text_stands_beside_what_was_approved_and_what_was_sent_back(visit, in_review, figure):
    approve(visit("reviewer"), in_review)
    save(visit("annotator"), figure, "A big cat.", base=1, button="submit")
    send_back(visit("reviewer"), Description.objects.get(version=2))
    save(visit("annotator"), figure, "A big red cat.", base=2, button="submit")
    third = Description.objects.get(version=3)
    page = page_of(visit("reviewer").get(review_of(third)))
    assert "Changes since version 1, approved" in page
    assert "A <ins>big red </ins>cat." in page
    assert "Changes since version 2, sent back" in page
    assert "A big <ins>red </ins>cat." in page
    assert "Which cat?" in page
    assert "Spell two." in page


def test_a_closed_figure_says_so_and_offers_no_decision(visit, release, in_review):
    freeze_release(release=release)
    page = page_of(visit("reviewer").get(review_of(in_review)))
    assert "Every release with this figure is frozen or retired" in page
    assert "Approve version" not in page
