"""Reviews of versions: who decides, what they are shown, and that no comment is lost."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client

from benchmarks.models import Description, UnsavedText
from benchmarks.registry import protocol
from benchmarks.staff_models import StaffAction
from judging.engine.engine import judge_run
from judging.models import Judgement
from judging.services import ensure_spec, plan_run, request_run
from tests.benchmarks.same_pictures import shown_elsewhere
from tests.conftest import freeze_release, submit
from tests.judging.room import WORKLIST, page_of, place, review_of, save, says
from tests.judging.scripted import ScriptedJudge

State = Description.State
TYPED = "A cat that I described with care."


def comment_on(response) -> str:
    found = re.search(
        r'<textarea [^>]*id="comment"[^>]*>\s*(.*?)</textarea>', page_of(response), re.S
    )
    return found[1] if found else ""


def approve(client: Client, description: Description, **sent):
    return client.post(f"{WORKLIST}{description.pk}/approve/", sent, follow=True)


def send_back(client: Client, description: Description, comment: str = "Which cat?", **sent):
    where = f"{WORKLIST}{description.pk}/send-back/"
    return client.post(where, {"comment": comment, **sent}, follow=True)


# --- who decides ----------------------------------------------------------------------------------


def test_nobody_approves_their_own_words_and_whoever_changed_them_on_the_way_is_told(visit, figure):
    client = visit("reviewer")
    save(client, figure, "A cat by the reviewer.", button="submit")
    first = Description.objects.get()
    assert "You wrote this version: someone else" in page_of(client.get(place(figure)))
    save(visit("annotator"), figure, "A cat by the reviewer!", base=1, button="submit")
    last = Description.objects.get(version=2)
    for version in (first, last):
        page = page_of(client.get(review_of(version)))
        assert "You wrote part of this version." in page
        assert "Approve version" not in page
        assert "You cannot approve your own description" in page_of(approve(client, version))
    assert set(Description.objects.values_list("state", flat=True)) == {State.IN_REVIEW}
    page = page_of(visit("other_reviewer").get(review_of(last)))
    says(
        page,
        "Approve version 2",
        "Version 1 by reviewer, in review, is closed, and its author is notified.",
    )
    approve(visit("other_reviewer"), last)
    assert "Approving version 2 closed it." in page_of(client.get(review_of(first)))


def test_its_writer_takes_it_out_of_review_and_nobody_else(visit, figure, in_review):
    button = "Take it out of review"
    assert button not in page_of(visit("reviewer").get(place(figure)))
    client = visit("annotator")
    page = page_of(client.get(place(figure)))
    assert (button in page, review_of(in_review) in page) == (True, False)
    where = f"{WORKLIST}{in_review.pk}/withdraw/"
    assert "Only its author" in page_of(visit("reviewer").post(where, follow=True))
    assert "is out of review, and a draft again" in page_of(client.post(where, follow=True))
    in_review.refresh_from_db()
    assert in_review.state == State.DRAFT


def test_a_decision_is_told_logged_compared_with_and_read_by_its_author(visit, figure, in_review):
    reviewer, author = visit("reviewer"), visit("annotator")
    assert review_of(in_review) in page_of(reviewer.get(place(figure)))
    assert 'id="review-keys"' in page_of(reviewer.get(review_of(in_review)))
    page = page_of(approve(reviewer, in_review, comment="A good one."))
    assert re.search(r"Version 1 of [^.]+ is approved", page)
    logged = LogEntry.objects.filter(user__username="reviewer")
    assert logged.filter(change_message__contains="approved").exists()
    assert "A good one." in page_of(author.get(place(figure)))
    same = save(author, figure, "A cat.", base=1, button="submit")
    assert same.status_code == 409
    assert "Nothing is changed: version 1 has the same text and is approved." in page_of(same)
    page = page_of(save(author, figure, "A big cat.", base=1, button="submit"))
    says(page, "Since version 1, approved", "A <ins>big </ins>cat.")
    send_back(reviewer, Description.objects.get(version=2))
    assert "Which cat?" in page_of(author.get(place(figure)))
    assert place(figure) in page_of(author.get(WORKLIST + "?state=sent+back"))
    page = page_of(author.get(WORKLIST))
    says(page, "Decisions on your texts this week", "sent back by reviewer: Which cat?")
    assert "Decisions on your texts" not in page_of(visit("other_reviewer").get(WORKLIST))
    save(author, figure, "A big red cat.", base=2, button="submit")
    page = page_of(reviewer.get(review_of(Description.objects.get(version=3))))
    says(
        page,
        "Changes since version 1, approved",
        "A <ins>big red </ins>cat.",
        "Changes since version 2, sent back",
        "A big <ins>red </ins>cat.",
        "Which cat?",
        "Spell two.",
    )


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
    says(
        words,
        "It is the text of <strong>1</strong> figure, about which <strong>2</strong> questions",
        "<strong>2</strong> judgements in <strong>1</strong> entry become out of date",
        "asks a paid judge at most <strong>2</strong> times",
    )
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


def test_a_comment_is_its_writers_until_it_is_sent_or_thrown_away(visit, in_review):
    client = visit("reviewer")
    where = review_of(in_review)
    assert client.post(f"{where}typed/", {"comment": "Which cat?"}).status_code == 204
    assert comment_on(client.get(where)) == "Which cat?"
    assert comment_on(visit("other_reviewer").get(where)) == ""
    client.post(f"{where}discard/")
    assert comment_on(client.get(where)) == ""
    client.post(f"{where}typed/", {"comment": "Which"})
    send_back(client, in_review)
    assert not UnsavedText.objects.exists()


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


def test_a_comment_that_decides_nothing_is_shown_again_with_the_reason(visit, in_review):
    client = visit("reviewer")
    refused = {" ": "it is sent back with a comment"}
    refused["y" * 20_001] = "A comment has at most 20,000 characters; this one has 20,001."
    for comment, said in refused.items():
        response = send_back(client, in_review, comment)
        assert said in page_of(response)
        assert comment_on(response).strip() == comment.strip()
    in_review.refresh_from_db()
    assert in_review.state == State.IN_REVIEW
    send_back(visit("other_reviewer"), in_review, "Why?")
    for response in (send_back(client, in_review), approve(client, in_review)):
        assert "Version 1 of Short 1 is sent back, not in review." in page_of(response)
    assert comment_on(send_back(client, in_review)) == "Which cat?"


# --- what comes next ------------------------------------------------------------------------------


@pytest.fixture
def other(visit, dark) -> Description:
    """A version of another figure that waits."""
    save(visit("annotator"), dark, "The night.", button="submit")
    return Description.objects.get(figure=dark)


@pytest.mark.parametrize("decide", [approve, send_back])
def test_after_a_decision_the_next_version_to_review_is_open(visit, in_review, other, decide):
    response = decide(visit("reviewer"), in_review)
    assert response.redirect_chain[-1][0] == review_of(other)
    assert "This is the next one." in page_of(response)


def test_a_version_can_be_left_for_the_next_one_which_is_nobodys_own(visit, in_review, other):
    client = visit("reviewer")
    page = page_of(client.get(review_of(in_review)))
    assert 'name="after" value="' + f"{in_review.figure_id}:en" in page
    sent = {"kind": "review", "after": f"{in_review.figure_id}:en"}
    asked = f"{WORKLIST}next/?benchmark=spelling"
    assert f'action="{asked}"' in page
    assert client.post(asked, sent)["Location"] == review_of(other)
    twin = shown_elsewhere(other.figure, "touchstone")
    elsewhere = f"{WORKLIST}next/?benchmark=touchstone"
    assert client.post(elsewhere, sent)["Location"] == f"{WORKLIST}?benchmark=touchstone"
    assert not twin.descriptions.exists()
    other.author = User.objects.get(username="reviewer")
    other.save()
    assert "No other version is waiting for you." in page_of(approve(client, in_review))


def test_a_closed_figure_says_so_and_offers_no_decision(visit, release, in_review):
    freeze_release(release=release)
    page = page_of(visit("reviewer").get(review_of(in_review)))
    assert "Every release with this figure is frozen or retired" in page
    assert "Approve version" not in page
