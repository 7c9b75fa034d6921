"""A new version of an entry: handed in beside the old one, and in its place once it is judged and
public.

Until then the old one stands. What took its place withdrew it, and both name each other.
"""

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from benchmarks.protocols.base import Problem
from benchmarks.submissions.models import Submission

REASON = "A newer version took its place."


def why_not_replace(new: Submission, *, lock: bool) -> Problem | None:
    """Why `new`, which is not stored yet, cannot take the place of what it `replaces`; None where
    it can. lock: until the transaction ends nobody withdraws that, or replaces it too."""
    owner = {"team": new.team_id} if new.team_id else {"owner": new.owner_id, "team": None}
    assert new.replaces_id is not None
    rows = Submission.objects.select_for_update() if lock else Submission.objects.all()
    old = rows.filter(pk=new.replaces_id, **owner).first()
    if old is None:
        return problem("There is no such submission of yours.")
    if old.withdrawn or not old.confirmed:
        state = "withdrawn" if old.withdrawn else "not confirmed yet"
        return problem(f"The submission it would replace is {state}. Submit it as a new one.")
    if (old.model_id, old.release_id) != (new.model_id, new.release_id):
        return problem("It is of another model or release than the submission it would replace.")
    if Submission.objects.not_withdrawn().filter(replaces=old.pk).exists():
        return problem("Another new version of it is under way. Cancel or withdraw that one first.")
    return None


def problem(message: str) -> Problem:
    return Problem("replaces", message, column="replaces")


MOST_VERSIONS = 100
"""A chain that is longer is read no further: somebody who hands in that often is told enough."""


def version_number(submission_id: UUID) -> int | None:
    """1 for an entry that took nobody's place, one more for each that was replaced before; None
    beyond MOST_VERSIONS."""
    before = Submission.objects.filter(replaced_by=submission_id)
    for number in range(1, MOST_VERSIONS + 1):
        earlier = before.values_list("pk", flat=True).first()
        if earlier is None:
            return number
        before = Submission.objects.filter(replaced_by=earlier)
    return None


@transaction.atomic
def take_place(*, submission_id: UUID) -> bool:
    """The submission stands where the one it replaces stood, which is withdrawn. False where it is
    not due, and where that was withdrawn before: then both stay as they are."""
    due = Submission.objects.due_to_replace().filter(pk=submission_id)
    new = due.select_for_update().first()
    if new is None or new.replaces_id is None:
        return False
    now = timezone.now()
    old = Submission.objects.filter(pk=new.replaces_id)
    was_there = old.mark_withdrawn(at=now, withdrawal_reason=REASON, replaced_by=new.pk)
    Submission.objects.filter(pk=new.pk).update(replacement_settled=now)
    return bool(was_there)
