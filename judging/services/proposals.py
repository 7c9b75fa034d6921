"""References with four eyes: one person proposes, or has a model propose; another makes it the
one that is judged against."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from benchmarks.forms.diff import same_words
from benchmarks.forms.typed_text import plain_text
from benchmarks.models import Question, Reference, Release
from benchmarks.services.proposals import ProposalError
from benchmarks.services.references import add_reference, may_change
from benchmarks.submissions.models import Submission
from judging.coordination.clock import database_now
from judging.models import JudgeRun, ReferenceProposal, ReferenceRequest

State = ReferenceProposal.State


@dataclass(frozen=True, slots=True)
class Approved:
    """How many proposals of a request are live now, and how many were left for somebody to look
    at."""

    count: int
    left: int


def live_reference(question: Question) -> Reference | None:
    """The version that is judged against."""
    return question.references.order_by("-version").first()


@transaction.atomic
def propose_reference(
    *, question: Question, text: str, author: User, base: int
) -> ReferenceProposal:
    """The text waits for another person. `base` is the live version its author read, 0 where there
    was none.

    Raises ProposalError where the question is closed, another version is live by now, or the text
    is the live one.
    """
    if not may_change(question):
        raise ProposalError(
            "Every release with this question is closed; its reference stays as it is."
        )
    question = Question.objects.select_for_update().get(pk=question.pk)
    live = live_reference(question)
    check_base(live, base)
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


@transaction.atomic
def approve_proposal(*, proposal: ReferenceProposal, reviewer: User) -> Reference:
    """The text is the next version of the question's reference, and judged against from now on.

    Raises ProposalError for whoever proposed it, for words the reviewer proposed before, after
    another step, and where another version went live since it was written.
    """
    # Runs before the question, as everybody locks them: what people said under the reference that
    # is replaced counts no more (judging/panel/truths.py).
    rated = Submission.objects.filter(
        release__state=Release.State.OPEN,
        answers__question=proposal.question_id,
        answers__ratings__is_withdrawn=False,
    )
    JudgeRun.objects.filter(submission__in=rated.order_by().values("pk")).raise_revision()
    question = Question.objects.select_for_update().get(pk=proposal.question_id)
    proposal.refresh_from_db()
    check_waits(proposal)
    if proposed_by(proposal, reviewer):
        raise ProposalError("Nobody approves a reference of their own. Ask another reviewer.")
    check_base(live_reference(question), proposal.replaces)
    made = add_reference(
        question=question,
        text=proposal.text,
        origin=proposal.origin,
        maker=proposal.maker,
        description=proposal.description,
    )
    proposal.state, proposal.reference = State.APPROVED, made
    proposal.reviewed_by, proposal.reviewed_at = reviewer, database_now()
    proposal.save(update_fields=["state", "reference", "reviewed_by", "reviewed_at"])
    return made


@transaction.atomic
def send_back_proposal(*, proposal: ReferenceProposal, reviewer: User, comment: str) -> None:
    if not comment.strip():
        raise ProposalError("Say what should change: a reference is sent back with a comment.")
    moved = ReferenceProposal.objects.filter(pk=proposal.pk, state=State.IN_REVIEW).update(
        state=State.SENT_BACK,
        review_comment=plain_text(comment),
        reviewed_by=reviewer,
        reviewed_at=database_now(),
    )
    proposal.refresh_from_db()
    if not moved:
        check_waits(proposal)


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
            approve_proposal(proposal=proposal, reviewer=reviewer)
        except ProposalError:
            left += 1
        else:
            count += 1
    return Approved(count, left)


def proposed_by(proposal: ReferenceProposal, user: User) -> bool:
    """Whether the words are this person's, also where somebody else proposed them once more, with
    another blank, sign or capital."""
    if proposal.author_id == user.pk:
        return True
    mine = ReferenceProposal.objects.filter(question=proposal.question_id, author=user)
    return any(same_words(text, proposal.text) for text in mine.values_list("text", flat=True))


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


def check_waits(proposal: ReferenceProposal) -> None:
    if proposal.state != State.IN_REVIEW:
        raise ProposalError(
            f"This reference is {proposal.state} already, by {proposal.reviewed_by}. Nothing "
            "changed."
        )


def check_base(live: Reference | None, base: int) -> None:
    version = live.version if live else 0
    if version != base:
        written = f"version {base}" if base else "none"
        raise ProposalError(
            f"Version {version} went live since this was written, when {written} was."
            " Compare the two and propose your text again."
        )
