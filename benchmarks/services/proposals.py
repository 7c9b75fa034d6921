"""The steps that descriptions, references and labels have in common: one person proposes a text,
and another approves it, which makes it the one that is judged by, or sends it back with a comment.

Whoever takes a step holds what the proposal would replace, so that each is taken once.
"""

from typing import Any, Generic, TypeVar

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from benchmarks.forms.typed_text import plain_text
from benchmarks.models import Proposal

State = Proposal.State
P = TypeVar("P", bound=Proposal)


class ProposalError(Exception):
    """Nothing was changed; the message is a sentence for whoever tried."""


class Review(Generic[P]):
    """Steps of one kind of proposals. Each kind says what is locked, who may not decide, and what
    follows from an approval."""

    model: type[P]
    permission = "benchmarks.approve_description"

    # --- what a kind says -------------------------------------------------------------------------

    def lock(self, proposal: P) -> None:
        """Until the transaction ends, nobody else takes a step of what it would replace."""
        raise NotImplementedError

    def name(self, proposal: P) -> str:
        """As a sentence begins with it."""
        raise NotImplementedError

    def why_own(self, user: User, proposal: P) -> str:
        """Why this person may not approve it, in sentences; empty where they may."""
        raise NotImplementedError

    def check_step(self, proposal: P) -> None:
        """Raises ProposalError where no step of it is taken any more, whatever its state."""

    def before_approval(self, proposal: P) -> None:
        """What else is locked or marked, before the proposal itself."""

    def make(self, proposal: P) -> dict[str, Any]:
        """What its approval makes, by field of the proposal. Raises ProposalError where it is out
        of date."""
        return {}

    def follow(self, proposal: P) -> str:
        """What follows from its approval is done, and said in sentences."""
        raise NotImplementedError

    # --- steps ------------------------------------------------------------------------------------

    @transaction.atomic
    def approve(self, *, proposal: P, reviewer: User, comment: str = "") -> str:
        """It is the one judged by from now on; what follows, in sentences. Raises ProposalError for
        whoever wrote it, after another step, and where it is out of date."""
        self.before_approval(proposal)
        self.begin(proposal, State.IN_REVIEW)
        if why := self.why_own(reviewer, proposal):
            raise ProposalError(why)
        made = self.make(proposal)
        self.decide(proposal, State.APPROVED, reviewer, comment, **made)
        return self.follow(proposal)

    @transaction.atomic
    def send_back(self, *, proposal: P, reviewer: User, comment: str) -> None:
        if not comment.strip():
            raise ProposalError("Say what should change: it is sent back with a comment.")
        self.begin(proposal, State.IN_REVIEW)
        self.decide(proposal, State.SENT_BACK, reviewer, comment)

    @transaction.atomic
    def move(self, proposal: P, origin: str, **changes: Any) -> None:
        """It has left the state `origin`. Raises ProposalError where another step came first."""
        self.begin(proposal, origin)
        self.write(proposal, **changes)

    def begin(self, proposal: P, origin: str) -> None:
        self.lock(proposal)
        proposal.refresh_from_db()
        self.check_step(proposal)
        if proposal.state != origin:
            who = f" {proposal.reviewed_by} decided about it." if proposal.reviewed_by else ""
            raise ProposalError(f"{self.name(proposal)} is {proposal.state}, not {origin}.{who}")

    def decide(self, proposal: P, state: str, reviewer: User, comment: str, **changes: Any) -> None:
        self.write(
            proposal,
            state=state,
            reviewed_by=reviewer,
            reviewed_at=timezone.now(),
            review_comment=plain_text(comment),
            **changes,
        )

    def write(self, proposal: P, **changes: Any) -> None:
        self.model._default_manager.filter(pk=proposal.pk).update(**changes)
        proposal.refresh_from_db()
