"""References with four eyes: one person proposes, or has a model propose; another makes it the
one that is judged against."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from benchmarks.forms.diff import same_words
from benchmarks.forms.typed_text import plain_text
from benchmarks.models import Question, Reference, Release
from benchmarks.services.proposals import ProposalError, Review
from benchmarks.services.references import add_reference, check_base, check_open, live_reference
from benchmarks.submissions.models import Submission
from judging.models import JudgeRun, ReferenceProposal, ReferenceRequest

State = ReferenceProposal.State


@dataclass(frozen=True, slots=True)
class Approved:
    """How many proposals of a request are live now, and how many were left for somebody to look
    at."""

    count: int
    left: int


@transaction.atomic
def propose_reference(
    *, question: Question, text: str, author: User, base: int
) -> ReferenceProposal:
    """The text waits for another person. `base` is the live version its author read, 0 where there
    was none.

    Raises ProposalError where the question is closed, another version is live by now, or the text
    is the live one.
    """
    check_open(question)
    question = Question.objects.select_for_update().get(pk=question.pk)
    check_base(question, base)
    live = live_reference(question)
    if live is not None and plain_text(text) == plain_text(live.text):
        raise ProposalError(f"This is the text of version {live.version}, which is live already.")
    check_unlike_others(question, plain_text(text))
    return ReferenceProposal.objects.create(
        question=question,
        text=plain_text(text),
        origin=Reference.Origin.HUMAN,
        maker=str(author)[:200],
        replaces=base,
        author=author,
    )


class ReferenceReview(Review[ReferenceProposal]):
    """What is approved is the next version of the question's reference."""

    model = ReferenceProposal

    def lock(self, proposal: ReferenceProposal) -> None:
        Question.objects.select_for_update().get(pk=proposal.question_id)

    def name(self, proposal: ReferenceProposal) -> str:
        return f"The reference proposed for {proposal.question}"

    def why_own(self, user: User, proposal: ReferenceProposal) -> str:
        """The words are also theirs where somebody else proposed them once more, with another
        blank, sign or capital."""
        mine = ReferenceProposal.objects.filter(question=proposal.question_id, author=user)
        texts = mine.values_list("text", flat=True)
        if proposal.author_id == user.pk or any(same_words(one, proposal.text) for one in texts):
            return "Nobody approves a reference of their own. Ask another reviewer."
        return ""

    def before_approval(self, proposal: ReferenceProposal) -> None:
        """Runs before the question, as everybody locks them: what people said under the reference
        that is replaced counts no more (judging/panel/truths.py)."""
        rated = Submission.objects.filter(
            release__state=Release.State.OPEN,
            answers__question=proposal.question_id,
            answers__ratings__is_withdrawn=False,
        )
        JudgeRun.objects.filter(submission__in=rated.order_by().values("pk")).raise_revision()

    def make(self, proposal: ReferenceProposal) -> dict[str, Any]:
        """Refused is what was written beside another version than the live one."""
        check_base(proposal.question, proposal.replaces)
        made = add_reference(
            question=proposal.question,
            text=proposal.text,
            origin=proposal.origin,
            maker=proposal.maker,
            description=proposal.description,
        )
        return {"reference": made}

    def follow(self, proposal: ReferenceProposal) -> str:
        assert proposal.reference
        return (
            f"Version {proposal.reference.version} of the reference of question {proposal.question}"
            " is live: from now on it is the one judged against."
        )


REFERENCE_REVIEW = ReferenceReview()


def approve_request(*, request: ReferenceRequest, reviewer: User, only_first: bool) -> Approved:
    """Proposals of the request that still wait are live, those that replace nothing or all of them;
    one whose question got another version meanwhile is left. Raises ProposalError for whoever asked
    for them."""
    if request.requested_by_id == reviewer.pk:
        raise ProposalError("Nobody approves references they asked for. Ask another reviewer.")
    waiting = request.proposals.filter(state=State.IN_REVIEW).order_by("pk")
    chosen = waiting.filter(replaces=0) if only_first else waiting
    count = left = 0
    for proposal in chosen:
        try:
            REFERENCE_REVIEW.approve(proposal=proposal, reviewer=reviewer)
        except ProposalError:
            left += 1
        else:
            count += 1
    return Approved(count, left)


def check_unlike_others(question: Question, text: str) -> None:
    """Raises ProposalError where the very text waits, or was sent back the last time: it says
    nothing that a reviewer has not read."""
    others = question.reference_proposals.exclude(state=State.APPROVED).filter(text=text)
    other = others.order_by("-created", "-pk").first()
    if other is None:
        return
    if other.state == State.IN_REVIEW:
        raise ProposalError(f"This text waits for its review already, proposed by {other.author}.")
    raise ProposalError(
        f"This text was sent back by {other.reviewed_by}: “{other.review_comment[:200]}”."
        " Change it first."
    )
