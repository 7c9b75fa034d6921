"""References with four eyes: what one person proposes another approves, on a page that shows what
it is about."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.db import IntegrityError, transaction

from benchmarks.models import Question, Reference, UnsavedText
from judging.desk.stale.staleness import rejudge_stale
from judging.models import ReferenceProposal, ReferenceRequest
from tests.conftest import freeze_release, judged, submit
from tests.judging.room import page_of, says

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


def send_back(client, proposal: ReferenceProposal, comment: str, **more):
    sent = {"comment": comment, **more}
    return client.post(f"{PROPOSALS}{proposal.pk}/send-back/", sent, follow=True)


@pytest.fixture
def proposal(visit, question) -> ReferenceProposal:
    propose(visit("annotator"), question)
    return ReferenceProposal.objects.get()


def page_on(client, question: Question) -> str:
    return page_of(client.get(place(question)))


def ticket_on(client, question: Question) -> str:
    return page_on(client, question).split('name="ticket" value="')[1].split('"')[0]


# --- proposing ------------------------------------------------------------------------------------


def test_a_proposal_is_written_beside_the_live_text_and_changes_nothing_of_it(visit, question):
    client = visit("annotator")
    page = page_on(client, question)
    says(page, 'class="pictures"', "/figures/", question.text, "Version 1, dataset")
    assert ">two</textarea>" in page.replace("\n", "")
    page = page_of(propose(client, question))
    assert "is waiting for someone else&#x27;s approval. Until then version 1 stays live." in page
    assert Reference.objects.get(question=question).text == "two"


def test_two_proposals_of_one_person_have_names_of_their_own(visit, question, proposal, people):
    """Each is a landmark of the page, by which people jump."""
    of_one_minute = {"text": "2", "origin": "human", "replaces": 1, "author": people["annotator"]}
    ReferenceProposal.objects.create(question=question, **of_one_minute)
    page = page_on(visit("reviewer"), question)
    names = re.findall(r'<h2 id="proposal-[0-9]+">([^<]+)</h2>', page)
    assert len(set(names)) == 2, names
    assert names[0].startswith("Proposal 1 of 2, by annotator")


def test_a_text_that_cannot_be_proposed_is_told_why_and_stays_in_the_form(visit, release, question):
    client = visit("annotator")
    refused = {
        " ": (422, "Write the reference"),
        "x" * 25_000: (422, "this one has 25,000"),
        "two\u200b boats": (422, "U+200B"),
        "two\r\n": (409, "which is live already"),
    }
    for text, told in refused.items():
        response = propose(client, question, text)
        assert (response.status_code, told[1] in page_of(response)) == (told[0], True)
    freeze_release(release=release)
    page = page_on(client, question)
    assert "Every release with this question is closed." in page
    assert "<textarea" not in page
    assert not ReferenceProposal.objects.exists()


def test_a_text_that_waits_or_was_sent_back_is_not_proposed_again(visit, question, proposal):
    page = page_of(propose(visit("other_reviewer"), question))
    assert "This text waits for its review already, proposed by annotator." in page
    reviewer = visit("reviewer")
    assert "with a comment" in page_of(send_back(reviewer, proposal, " "))
    assert "U+200B" in page_of(send_back(reviewer, proposal, "\u200b"))
    send_back(reviewer, proposal, "Too long.")
    page = page_on(visit("annotator"), question)
    says(page, "sent back by reviewer", "Too long.")
    page = page_of(propose(visit("annotator"), question))
    says(
        page,
        "This text was sent back by reviewer: “Too long.”. Change it first.",
        f"{TEXT}</textarea>",
    )
    assert ReferenceProposal.objects.count() == 1


def test_a_text_sent_after_the_sign_in_ended_is_in_the_form_again(visit, question, people):
    client = visit("annotator")
    ticket = ticket_on(client, question)
    client.session.flush()
    client.post(place(question), {"text": TEXT, "base_version": 1, "ticket": ticket})
    client.force_login(people["annotator"])
    assert f"{TEXT}</textarea>" in page_on(client, question)
    propose(client, question)
    assert not UnsavedText.objects.exists()


# --- approving ------------------------------------------------------------------------------------


def test_an_approved_proposal_is_live_and_nothing_older_is_put_over_it(visit, question, proposal):
    reviewer = visit("reviewer")
    propose(reviewer, question, "something else")
    late = ReferenceProposal.objects.get(text="something else")
    ticket = ticket_on(reviewer, question)
    other = visit("other_reviewer")
    page = page_of(approve(other, proposal))
    assert "Version 2 of the reference of question 1 is live" in page
    newest = question.references.latest("version")
    assert (newest.version, newest.text) == (2, TEXT)
    assert (newest.origin, newest.maker) == ("human", "annotator")
    assert LogEntry.objects.filter(object_id=str(proposal.pk), action_flag=2).exists()
    page = page_of(approve(other, late))
    assert (
        "Version 2 of the reference went live since this was written, when version 1 was." in page
    )
    response = propose(visit("annotator"), question, "another text", base=1)
    assert response.status_code == 409
    assert "Version 2 of the reference went live since this was written" in page_of(response)
    assert "another text</textarea>" in page_of(response)
    assert 'name="base_version" value="2"' in page_of(response)
    page = page_of(send_back(reviewer, proposal, "Which two?", ticket=ticket))
    assert "is approved, not in review. other_reviewer decided about it." in page
    assert "Which two?</textarea>" in page  # no comment is lost
    assert question.references.latest("version").text == TEXT


def test_only_an_approval_makes_judgements_stale(visit, release, people, question):
    judged(submit(release, people["submitter"]))
    propose(visit("annotator"), question)
    assert rejudge_stale(release=release).decided == 0
    page = page_on(visit("reviewer"), question)
    assert "<strong>1</strong> judgement in <strong>1</strong> entry becomes out of date" in page
    approve(visit("reviewer"), ReferenceProposal.objects.get())
    found = rejudge_stale(release=release)
    assert found.waiting + found.decided == 1


def test_nobody_approves_words_of_their_own_whoever_proposed_them_again(visit, people, question):
    client = visit("reviewer")
    propose(client, question)
    own = ReferenceProposal.objects.get()
    assert "This is your proposal." in page_on(client, question)
    assert "Nobody approves a reference of their own." in page_of(approve(client, own))
    # as one was before a text that waits was refused, or with another blank
    for text in (TEXT, TEXT.upper(), TEXT.replace(" ", "  ") + "!"):
        row = {"text": text, "origin": own.origin, "replaces": own.replaces}
        copied = ReferenceProposal.objects.create(
            question=question, author=people["annotator"], **row
        )
        assert "Nobody approves" in page_of(approve(client, copied)), text
    assert question.references.count() == 1
    made = Reference.objects.create(question=question, version=9, text="x", origin="human")
    with pytest.raises(IntegrityError), transaction.atomic():
        ReferenceProposal.objects.filter(pk=own.pk).update(
            state="approved", reviewed_by=own.author, reference=made
        )


def test_a_reviewer_is_led_from_one_reference_to_the_next(visit, release, question, proposal):
    other = Question.objects.get(public_id="2")
    propose(visit("annotator"), other, "the other")
    here, there = (f'<a href="{place(one)}" rel="next">' for one in (question, other))
    assert there in page_on(visit("reviewer"), question)
    assert here in page_on(visit("reviewer"), other)
    assert 'rel="next"' not in page_on(visit("annotator"), question)


def test_an_annotator_approves_nothing(visit, proposal):
    assert approve(visit("annotator"), proposal).status_code == 403
    assert send_back(visit("annotator"), proposal, "x").status_code == 403


def test_approving_with_a_changed_text_asks_and_keeps_it(visit, question, proposal):
    response = approve(visit("reviewer"), proposal, text="my own text", base_version=1)
    assert response.status_code == 409
    assert "You changed the text: nothing is approved yet" in page_of(response)
    assert "my own text</textarea>" in page_of(response)
    assert question.references.count() == 1


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


def test_all_of_a_request_go_live_by_another_but_what_somebody_was_faster_with(visit, request_made):
    page = page_of(approve_together(visit("reviewer"), request_made, "all"))
    assert "Nobody approves references they asked for." in page
    assert not Reference.objects.filter(origin="generated").exists()
    page = page_of(visit("other_reviewer").get(f"{REQUESTS}{request_made.pk}/change/"))
    says(
        page,
        "1 of 3 are the first reference of their question.",
        "from the dataset",
        "Approve all, replacing live ones (3)",
    )
    page = page_of(approve_together(visit("other_reviewer"), request_made, "all"))
    assert "2 references are live from now on. 1 are left for you to check." in page
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
