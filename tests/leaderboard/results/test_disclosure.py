"""What everybody may see of replies, references, faults and made answers."""

import hashlib
from typing import Any

import pytest

from benchmarks.models import Release
from benchmarks.protocols.base import QuestionView
from benchmarks.registry import protocols
from judging.models import Judgement
from leaderboard.results.disclosure import (
    HIDDEN_FAULT,
    public_texts,
    shown_anomalies,
    shown_answer,
    shown_references,
    shown_replies,
    shown_reply,
    slot_title,
)
from tests.conftest import judged, submit

REPLY = "The reference says two."
FAULTS: list[dict[str, Any]] = [
    {"question": "1", "code": "a", "message": "The reference is two.", "is_public": False},
    {"question": "1", "code": "b", "message": "Stored before messages were told apart."},
    {"question": "2", "code": "c", "message": "Asked twice.", "is_public": True},
]


def reply_of(**fields) -> Judgement:
    return Judgement(slot="spelled.1", **{"raw_reply": REPLY, "latency_ms": 1, **fields})


def test_a_hidden_reply_is_its_verdict_state_and_hash_and_a_public_one_is_whole():
    reply = reply_of(state="judged", verdict="right")
    shown = shown_reply(reply, is_public=False)
    assert (shown.state, shown.verdict, shown.text, shown.has_text) == ("judged", "right", "", True)
    assert shown.sha256 == hashlib.sha256(REPLY.encode()).hexdigest()
    assert shown_reply(reply, is_public=True).text == REPLY
    never_came = reply_of(raw_reply="", latency_ms=None)
    assert shown_reply(never_came, is_public=True).sha256 == ""


def test_replies_and_references_follow_the_release_and_the_page_says_so(submission, client):
    run = judged(submission)
    (answer, *_) = submission.answers.order_by("pk")
    row = run.judgements.first()
    for disclosure, is_public in (("open", True), ("hidden_references", False)):
        Release.objects.update(disclosure=disclosure)
        run.refresh_from_db()
        (first, *_) = shown_replies(run, [answer.pk])[answer.pk]
        references = shown_references(Release.objects.get(), [answer.question_id])
        found = bool(first.text), bool(references)
        assert found == (is_public, is_public)
    page = client.get(f"/entries/{submission.pk}/").text
    assert hashlib.sha256(row.raw_reply.encode()).hexdigest() in page
    assert "reply is not public" in page
    assert f"<pre>{row.raw_reply}</pre>" not in page


def test_a_hidden_fault_is_told_without_what_it_is():
    assert shown_anomalies(Release(anomalies=FAULTS, disclosure="hidden_references")) == {
        "1": (HIDDEN_FAULT,),
        "2": ("Asked twice.",),
    }
    assert shown_anomalies(Release(anomalies=FAULTS)) == {"2": ("Asked twice.",)}
    told = shown_anomalies(Release(anomalies=FAULTS, disclosure="open"))
    assert told["1"] == tuple(fault["message"] for fault in FAULTS[:2])


@pytest.mark.parametrize(
    ("repeats", "is_public", "is_shown"),
    [(False, False, True), (True, False, False), (True, True, True)],
)
def test_answers_made_of_descriptions_are_hidden_with_the_references(
    spelling, owner, repeats, is_public, is_shown
):
    submission = submit(spelling, owner, origin="baseline", repeats_hidden_text=repeats)
    submission.release.disclosure = "open" if is_public else "hidden_references"
    answer = submission.answers.get(question__public_id="1")
    (public,) = public_texts(submission.release, [answer]).values()
    assert shown_answer(answer, submission, public) == (answer.text if is_shown else None)


def test_a_call_is_told_in_the_words_of_its_benchmark_and_every_call_has_some():
    titles = {"spelled": "Is the word spelled right?"}
    assert slot_title("spelled.1", titles, 1) == "Is the word spelled right?"
    assert slot_title("forgotten.1", titles, 1) == "forgotten.1"
    thrice = "Is the word spelled right? (asked 3 times, this is 2)"
    assert slot_title("spelled.2", titles, 3) == thrice
    question = QuestionView("1_1_0", "a", "a/b", "", "g", "Is it?", {}, {})
    for slug, family in protocols().items():
        known = family.judging.SLOT_TITLES
        assert {slot.name for slot in family.judging.slots(question, 2)} <= set(known), slug
        assert all(title and title[0].isupper() for title in known.values()), slug
