"""What everybody may see of replies, references, faults and made answers."""

import hashlib
from typing import Any

import pytest

from benchmarks.models import Release
from benchmarks.protocols.base import QuestionView
from benchmarks.registry import protocols
from judging.models import Judgement
from leaderboard.disclosure import (
    UNTOLD_FAULT,
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


def test_a_hidden_reply_is_its_verdict_state_and_hash():
    shown = shown_reply(reply_of(state="judged", verdict="right"), is_public=False)
    assert (shown.state, shown.verdict, shown.text, shown.has_text) == ("judged", "right", "", True)
    assert shown.sha256 == hashlib.sha256(REPLY.encode()).hexdigest()


def test_a_public_reply_is_shown_whole():
    assert shown_reply(reply_of(), is_public=True).text == REPLY


def test_a_reply_that_never_came_has_no_hash():
    assert shown_reply(reply_of(raw_reply="", latency_ms=None), is_public=True).sha256 == ""


@pytest.mark.parametrize("is_public", [True, False])
def test_replies_and_references_follow_the_release(submission, is_public):
    run = judged(submission)
    Release.objects.update(disclosure="open" if is_public else "hidden_references")
    run.refresh_from_db()
    (answer, *_) = submission.answers.order_by("pk")
    (first, *_) = shown_replies(run, [answer.pk])[answer.pk]
    assert bool(first.text) is is_public
    release = Release.objects.get()
    assert bool(shown_references(release, [answer.question_id])) is is_public


def test_a_hidden_fault_is_told_without_what_it_is():
    assert shown_anomalies(Release(anomalies=FAULTS, disclosure="hidden_references")) == {
        "1": (UNTOLD_FAULT,),
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


def test_an_entry_page_says_that_the_reply_is_hidden(submission, client):
    run = judged(submission)
    row = run.judgements.first()
    page = client.get(f"/entries/{submission.pk}/").content.decode()
    assert hashlib.sha256(row.raw_reply.encode()).hexdigest() in page
    assert "reply is not public" in page
    assert f"<pre>{row.raw_reply}</pre>" not in page


def test_a_call_is_told_in_the_words_of_its_benchmark():
    titles = {"spelled": "Is the word spelled right?"}
    assert slot_title("spelled.1", titles, 1) == "Is the word spelled right?"
    assert slot_title("spelled.2", titles, 3) == (
        "Is the word spelled right? (asked 3 times, this is 2)"
    )
    assert slot_title("forgotten.1", titles, 1) == "forgotten.1"


@pytest.mark.parametrize("slug", sorted(protocols()))
def test_every_call_of_every_benchmark_has_a_title(slug):
    judging = protocols()[slug].judging
    question = QuestionView("1_1_0", "a", "a/b", "", "g", "Is it?", {}, {})
    asked = {slot.name for slot in judging.slots(question, 2)}
    assert asked <= set(judging.SLOT_TITLES)
    assert all(title and title[0].isupper() for title in judging.SLOT_TITLES.values())
