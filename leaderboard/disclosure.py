"""What everybody may see of hidden texts: the one place that decides it, for pages, API and exports.

Where the references of a release are not public, neither is what may repeat them: a judge's reply
(some repeat their whole prompt), a fault of the dataset told with its reference, and the answers that
this project makes from descriptions as baselines. Of a reply remain its verdict, its state and its
hash, by which it can be told from any other, and checked once it is published. Whose entry it is makes
no difference: who could read more of an own entry than of others' would hand one in to read it. People
who may review judgements read replies in the admin.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.models import Release
from benchmarks.selectors import newest_references
from benchmarks.submissions.models import Answer, Submission
from judging.models import Judgement, JudgeRun

UNTOLD_FAULT = (
    "The dataset has a fault here. What it is would tell the reference, which is not public."
)


@dataclass(frozen=True, slots=True)
class ShownReply:
    """One slot of an answer: what was decided, or why nothing was. `sha256` is that of the reply,
    empty where none came; `text` is empty where it is hidden, and `has_text` then tells a hidden
    reply from an empty one."""

    slot: str
    state: str
    verdict: str
    reason: str
    sha256: str
    text: str
    has_text: bool


def shown_replies(run: JudgeRun, answer_ids: Iterable[int]) -> Mapping[int, Sequence[ShownReply]]:
    """By answer, in the order of their slots."""
    are_public = run.submission.release.references_are_public
    found: dict[int, list[ShownReply]] = {}
    for judgement in Judgement.objects.filter(run=run, answer__in=answer_ids).order_by("slot"):
        reply = shown_reply(judgement, is_public=are_public)
        found.setdefault(judgement.answer_id, []).append(reply)
    return found


def shown_reply(judgement: Judgement, *, is_public: bool) -> ShownReply:
    came = judgement.latency_ms is not None or judgement.reused_from_id is not None
    reply = judgement.raw_reply
    return ShownReply(
        slot=judgement.slot,
        state=judgement.state,
        verdict=judgement.verdict,
        reason=judgement.reason,
        sha256=hashlib.sha256(reply.encode()).hexdigest() if came else "",
        text=reply if is_public and reply.strip() else "",
        has_text=bool(reply.strip()),
    )


def shown_references(release: Release, question_ids: Iterable[int]) -> Mapping[int, str]:
    """The newest reference by question, for those that have one; none where they are hidden."""
    return newest_references(question_ids) if release.references_are_public else {}


def shown_anomalies(release: Release) -> Mapping[str, Sequence[str]]:
    """What is wrong with a question, by its public id; each sentence once."""
    found: dict[str, dict[str, None]] = {}
    for anomaly in release.anomalies:
        is_told = release.references_are_public or anomaly.get("is_public", False)
        told = found.setdefault(anomaly["question"], {})
        told[anomaly["message"] if is_told else UNTOLD_FAULT] = None
    return {question: tuple(sentences) for question, sentences in found.items()}


def shown_answer(answer: Answer, submission: Submission) -> str | None:
    """The answer as it was handed in; None where this project made it of descriptions that are hidden."""
    is_hidden = submission.repeats_hidden_text and not submission.release.references_are_public
    return None if is_hidden else answer.text
