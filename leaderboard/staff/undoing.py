"""What staff did and can take back as if it had not been: withdrawing an entry, until anything
about it was published.

Published is what somebody outside may hold: a numbered link of the chain, or a snapshot of a board.
From then on an undone withdrawal would be a hole in what was told; Restore is the way back.
"""

from collections.abc import Sequence

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.db.models import QuerySet

from benchmarks.staff_models import StaffAction
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import restore_submission, set_visibility
from benchmarks.submissions.steps import Step, StepRefusedError, counted
from leaderboard.models import BoardSnapshot, ChainLink

ENTRY = "submissions.submission"
PUBLIC = Submission.Visibility.PUBLIC


def entry_of(action: StaffAction) -> Submission:
    return Submission.objects.select_related("release").get(pk=action.object_id)


def why_not(action: StaffAction) -> str:
    """A sentence; empty where the withdrawal can be undone."""
    entry = entry_of(action)
    if hasattr(action, "undone_by"):
        return "It was undone before."
    if str(entry.withdrawn or "") != action.after.get("withdrawn"):
        return "The entry was restored, or withdrawn anew, meanwhile."
    if action.before.get("visibility") != PUBLIC:
        return ""
    link = ChainLink.objects.filter(submission=entry.pk, kind=ChainLink.Kind.WITHDRAWAL)
    newest = link.order_by("-id").first()
    if newest is not None and newest.number is not None:
        return (
            f"Link {newest.number:,} of the public chain tells of the withdrawal. Restore the entry"
            " instead: it is private until its owner publishes it."
        )
    snapshots = BoardSnapshot.objects.filter(release=entry.release_id, taken__gt=action.at)
    if snapshots.exists():
        return (
            "A board without the entry was kept for good since. Restore the entry instead: it is"
            " private until its owner publishes it."
        )
    return ""


def after_undoing(chosen: Sequence[StaffAction]) -> list[str]:
    reasons = [(action, why_not(action)) for action in chosen]
    possible = [action for action, why in reasons if not why]
    public = sum(action.before.get("visibility") == PUBLIC for action in possible)
    return [
        f"{counted(len(possible), 'entry', 'entries')} as before: {len(possible) - public:,}"
        f" private, {public:,} public and on boards; what was left to judge is judged.",
        *(f"{action.name}: not possible. {why}" for action, why in reasons if why),
    ]


def undo(action: StaffAction, reason: str, by: User) -> bool:
    if why := why_not(action):
        raise StepRefusedError(why)
    entry = entry_of(action)
    if not restore_submission(submission=entry):
        raise StepRefusedError("Another entry took its place meanwhile.")
    if action.before.get("visibility") == PUBLIC:
        set_visibility(submission=entry, visibility=PUBLIC)
    LogEntry.objects.log_actions(
        by.pk, [entry], CHANGE, change_message=f"Withdrawal undone: {reason}", single_object=True
    )
    return True


def that_may_be_undone(found: "QuerySet[StaffAction]") -> "QuerySet[StaffAction]":
    return found.filter(about=ENTRY, what="withdraw", undone_by__isnull=True)


UNDO = Step(
    slug="undo",
    title="Undo",
    done="Undone",
    permission="submissions.change_submission",
    explained="As if it had not been done. Only a withdrawal is undone here, and only until"
    " anything about it was published; for all else the step itself names its way back.",
    way_back="None but to withdraw again.",
    fits=that_may_be_undone,
    follows=after_undoing,
    state=lambda action: {"withdrawn": str(entry_of(action).withdrawn or "")},
    change=undo,
)
