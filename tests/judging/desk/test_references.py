"""References with four eyes: what one person proposes another approves, on a page that shows what
it is about."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from benchmarks.models import Question, Reference, UnsavedText
from benchmarks.services.importing import freeze_release
from judging.desk.staleness import rejudge_stale
from judging.models import ReferenceProposal, ReferenceRequest
from tests.conftest import judged, submit
from tests.judging.room import page_of

PROPOSALS = "/admin/judging/referenceproposal/"
REQUESTS = "/admin/judging/referencerequest/"
TEXT = "two, as a word"


@pytest.fixture
def question(release) -> Question:
    return Question.objects.get(public_id="1")


def place(question: Question) -> str:
    return f"{PROPOSALS}question/{question.pk}/"


def propose(client, question: Question, text: str = TEXT, base: int = 1):
    sent = {"text": text, "base_version": base, "propose": "x"}
    return client.post(place(question), sent, follow=True)


def approve(client, proposal: ReferenceProposal, **more):
    return client.post(f"{PROPOSALS}{proposal.pk}/approve/", more, follow=True)


@pytest.fixture
def proposal(visit, question) -> ReferenceProposal:
    propose(visit("annotator"), question)
    return ReferenceProposal.objects.get()


# --- proposing ------------------------------------------------------------------------------------


def test_the_page_shows_figure_question_and_the_live_text(visit, question):
    page = page_of(visit("annotator").get(place(question)))
    assert 'class="pictures"' in page
    assert "/figures/" in page
    assert question.text in page
    assert "Version 1, dataset" in page
    assert ">two</textarea>" in page.replace("\n", "")


def test_two_proposals_of_one_person_have_names_of_their_own(visit, question, proposal, people):
    """Each is a landmark of the page, by which people jump."""
    of_one_minute = {"text": "2", "origin": "human", "replaces": 1, "author": people["annotator"]}
    ReferenceProposal.objects.create(question=question, **of_one_minute)
    page = page_of(visit("reviewer").get(place(question)))
    names = re.findall(r'<h2 id="proposal-[0-9]+">([^<]+)</h2>', page)
    assert len(set(names)) == 2, names
    assert names[0].startswith("Proposal 1 of 2, by annotator")


def test_a_proposal_changes_nothing_live(visit, question):
    page = page_of(propose(visit("annotator"), question))
    assert "waits for somebody else&#x27;s approval. Until then version 1 stays live." in page
    assert Reference.objects.get(question=question).text == "two"


def test_a_proposal_for_another_version_than_the_live_one_keeps_its_text(visit, question, proposal):
    approve(visit("reviewer"), proposal)
    response = propose(visit("annotator"), question, "another text", base=1)
    assert response.status_code == 409
    assert "Version 2 went live since this was written" in page_of(response)
    assert "another text</textarea>" in page_of(response)
    assert 'name="base_version" value="2"' in page_of(response)


@pytest.mark.parametrize(
    ("text", "sentence"), [(" ", "Write the reference"), ("x" * 25_000, "this one has 25,000")]
)
def test_a_text_that_cannot_be_proposed_is_told_why(visit, question, text, sentence):
    response = propose(visit("annotator"), question, text)
    assert response.status_code == 422
    assert sentence in page_of(response)


def test_the_live_text_is_no_proposal(visit, question):
    assert "which is live already" in page_of(propose(visit("annotator"), question, "two\r\n"))
    assert not ReferenceProposal.objects.exists()


def test_a_closed_question_says_so_before_anybody_writes(visit, release, question):
    freeze_release(release=release)
    page = page_of(visit("annotator").get(place(question)))
    assert "Every release with this question is closed." in page
    assert "<textarea" not in page


# --- approving ------------------------------------------------------------------------------------


def test_an_approved_proposal_is_live_under_the_version_that_is_told(visit, question, proposal):
    page = page_of(approve(visit("reviewer"), proposal))
    assert "Version 2 of the reference of question 1 is live" in page
    newest = question.references.latest("version")
    assert (newest.version, newest.text, newest.origin, newest.maker) == (
        2,
        TEXT,
        "human",
        "annotator",
    )
    assert LogEntry.objects.filter(object_id=str(proposal.pk), action_flag=2).exists()


def test_only_an_approval_makes_judgements_stale(visit, release, people, question):
    judged(submit(release, people["submitter"]))
    propose(visit("annotator"), question)
    assert rejudge_stale(release=release).decided == 0
    page = page_of(visit("reviewer").get(place(question)))
    assert "makes out of date <strong>1</strong> judgement in <strong>1</strong> entry" in page
    approve(visit("reviewer"), ReferenceProposal.objects.get())
    found = rejudge_stale(release=release)
    assert found.waiting + found.decided == 1


def test_nobody_approves_a_reference_of_their_own(visit, question):
    client = visit("reviewer")
    propose(client, question)
    proposal = ReferenceProposal.objects.get()
    assert "This is yours." in page_of(client.get(place(question)))
    assert "Nobody approves a reference of their own." in page_of(approve(client, proposal))
    assert question.references.count() == 1


@pytest.mark.parametrize("changed", [str, str.upper, lambda text: text.replace(" ", "  ") + "!"])
def test_nor_their_own_words_that_somebody_else_proposed_again(visit, question, changed):
    """As one was before a text that waits was refused, or with another blank."""
    propose(visit("reviewer"), question)
    copied = ReferenceProposal.objects.get()
    copied.pk, copied.author = None, User.objects.get(username="annotator")
    copied.text = changed(copied.text)
    copied.save()
    assert "Nobody approves" in page_of(approve(visit("reviewer"), copied))


def test_a_reference_with_what_nobody_sees_is_refused_and_stays_in_the_form(visit, question):
    response = propose(visit("annotator"), question, "two\u200b boats")
    assert response.status_code == 422
    assert "U+200B" in page_of(response)
    assert not ReferenceProposal.objects.exists()


def test_a_text_that_waits_or_was_sent_back_is_not_proposed_again(visit, question, proposal):
    page = page_of(propose(visit("other_reviewer"), question))
    assert "This text waits for its review already, proposed by annotator." in page
    sent = {"comment": "Too long."}
    visit("reviewer").post(f"{PROPOSALS}{proposal.pk}/send-back/", sent)
    page = page_of(propose(visit("annotator"), question))
    assert "This text was sent back by reviewer: “Too long.”. Change it first." in page
    assert f"{TEXT}</textarea>" in page
    assert ReferenceProposal.objects.count() == 1


def test_a_reviewer_is_led_from_one_reference_to_the_next(visit, release, question, proposal):
    other = Question.objects.get(public_id="2")
    propose(visit("annotator"), other, "the other")
    here, there = (f'<a href="{place(one)}" rel="next">' for one in (question, other))
    assert there in page_of(visit("reviewer").get(place(question)))
    assert here in page_of(visit("reviewer").get(place(other)))
    assert 'rel="next"' not in page_of(visit("annotator").get(place(question)))


def test_the_database_refuses_an_author_who_approves(proposal):
    made = Reference.objects.create(question=proposal.question, version=9, text="x", origin="human")
    with pytest.raises(IntegrityError), transaction.atomic():
        ReferenceProposal.objects.update(
            state="approved", reviewed_by=proposal.author, reference=made
        )


def test_the_second_of_two_proposals_is_not_put_over_the_first(visit, question, proposal):
    propose(visit("reviewer"), question, "something else")
    approve(visit("other_reviewer"), proposal)
    late = ReferenceProposal.objects.get(state="in review")
    page = page_of(approve(visit("other_reviewer"), late))
    assert "Version 2 went live since this was written, when version 1 was." in page
    assert question.references.latest("version").text == TEXT


def test_an_annotator_approves_nothing(visit, proposal):
    assert approve(visit("annotator"), proposal).status_code == 403
    assert visit("annotator").post(f"{PROPOSALS}{proposal.pk}/send-back/").status_code == 403


def test_approving_with_a_changed_text_asks_and_keeps_it(visit, question, proposal):
    client = visit("reviewer")
    response = approve(client, proposal, text="my own text", base_version=1)
    assert response.status_code == 409
    assert "You changed the text: nothing is approved yet" in page_of(response)
    assert "my own text</textarea>" in page_of(response)
    assert question.references.count() == 1


def test_a_comment_that_came_too_late_is_kept(visit, question, proposal):
    client = visit("reviewer")
    page = page_of(client.get(place(question)))
    ticket = page.split('name="ticket" value="')[1].split('"')[0]
    approve(visit("other_reviewer"), proposal)
    sent = {"comment": "Which two?", "ticket": ticket}
    page = page_of(client.post(f"{PROPOSALS}{proposal.pk}/send-back/", sent, follow=True))
    assert "approved already, by other_reviewer" in page
    assert "Which two?</textarea>" in page


def test_a_proposal_sent_back_shows_the_comment(visit, question, proposal):
    client = visit("reviewer")
    assert "with a comment" in page_of(
        client.post(f"{PROPOSALS}{proposal.pk}/send-back/", {"comment": " "}, follow=True)
    )
    client.post(f"{PROPOSALS}{proposal.pk}/send-back/", {"comment": "Which two?"})
    assert "sent back by reviewer" in page_of(visit("annotator").get(place(question)))
    assert "Which two?" in page_of(visit("annotator").get(place(question)))


def test_a_text_sent_after_the_sign_in_ended_is_in_the_form_again(visit, question, people):
    client = visit("annotator")
    page = page_of(client.get(place(question)))
    ticket = page.split('name="ticket" value="')[1].split('"')[0]
    client.session.flush()
    client.post(place(question), {"text": TEXT, "base_version": 1, "ticket": ticket})
    client.force_login(people["annotator"])
    assert f"{TEXT}</textarea>" in page_of(client.get(place(question)))
    propose(client, question)
    assert not UnsavedText.objects.exists()


# --- a request as a whole -------------------------------------------------------------------------


@pytest.fixture
def request_made(release, people) -> ReferenceRequest:
    """Three proposals of a model; the first was written when its question had no reference yet."""
    made = ReferenceRequest.objects.create(
        release=release, model="m", endpoint="e", requested_by=people["reviewer"], calls=3
    )
    for question in Question.objects.order_by("public_id")[:3]:
        live = question.references.count()
        ReferenceProposal.objects.create(
            question=question,
            text=f"Proposed for {question}",
            origin="generated",
            replaces=0 if question.public_id == "1" else live,
            request=made,
            author=people["reviewer"],
        )
    return made


def approve_together(client, made: ReferenceRequest, which: str):
    return client.post(f"{REQUESTS}{made.pk}/approve/", {which: "x"}, follow=True)


def test_who_asked_for_them_does_not_approve_them_together(visit, request_made):
    page = page_of(approve_together(visit("reviewer"), request_made, "all"))
    assert "Nobody approves references they asked for." in page
    assert not Reference.objects.filter(origin="generated").exists()


def test_the_page_of_a_request_counts_what_it_replaces(visit, request_made):
    page = page_of(visit("other_reviewer").get(f"{REQUESTS}{request_made.pk}/change/"))
    assert "1 of 3 are the first reference of their question." in page
    assert "from the dataset" in page
    assert "Approve all, replacing live ones (3)" in page


def test_all_of_a_request_go_live_but_what_somebody_was_faster_with(visit, request_made):
    page = page_of(approve_together(visit("other_reviewer"), request_made, "all"))
    assert "2 references are live from now on. 1 are left for you to look at." in page
    assert Reference.objects.filter(origin="generated", version=2).count() == 2


def test_the_first_references_of_a_release_go_live_together(visit, request_made, people):
    fresh = ReferenceProposal.objects.get(replaces=0)
    bare = Question.objects.create(
        benchmark=fresh.question.benchmark,
        public_id="bare",
        content_hash="bare",
        subtask=fresh.question.subtask,
        group="bare",
        text="?",
    )
    draft = request_made.release.benchmark.releases.create(
        slug="bare", title="bare", question_count=1, state="draft"
    )
    draft.members.create(question=bare, position=0)
    ReferenceProposal.objects.filter(pk=fresh.pk).update(question=bare)
    page = page_of(approve_together(visit("other_reviewer"), request_made, "only_first"))
    assert "1 references are live from now on." in page
    assert bare.references.get().version == 1
    assert ReferenceProposal.objects.filter(state="in review").count() == 2


def test_the_pages_ask_a_bounded_number_of_times(
    visit, request_made, question, django_assert_max_num_queries
):
    client = visit("other_reviewer")
    for where in (place(question), f"{REQUESTS}{request_made.pk}/change/", PROPOSALS, REQUESTS):
        with django_assert_max_num_queries(30):
            assert client.get(where).status_code == 200
