"""What staff did and can take back as if it had not been: withdrawing an entry, until anything
about it was published.

Published is what somebody outside may hold: a numbered link of the chain, or a snapshot of a board.
From then on an undone withdrawal would be a hole in what was told; Restore is the way back.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.db.models import F, OuterRef, QuerySet, Subquery

from benchmarks.models import Release
from benchmarks.staff_models import StaffAction
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import restore_submission, set_visibility
from benchmarks.submissions.staff_steps import Step, StepRefusedError, counted
from judging.models import JudgeSpec
from leaderboard.models import BoardSnapshot, ChainLink

ENTRY = "submissions.submission"
PUBLIC = Submission.Visibility.PUBLIC


def entry_of(action: StaffAction) -> Submission:
    return Submission.objects.select_related("release").get(pk=action.object_id)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a withdrawal is not undone, in a word and as a sentence."""

    word: str
    sentence: str


UNDONE = Refusal("done", "It was undone before.")
GONE = Refusal("gone", "The entry is no longer there.")
MOVED_ON = Refusal("restored", "The entry was restored, or withdrawn again, in the meantime.")
KEPT = Refusal(
    "published",
    "A board without the entry has since been stored permanently. Restore the entry instead: it is"
    " private until its owner publishes it.",
)


def refusals(actions: Iterable[StaffAction]) -> dict[int, Refusal]:
    """Of withdrawals, by primary key; who is not in it can be undone. Three queries, however many
    they are, and `undone_by` of each unless it was read with it."""
    chosen = list(actions)
    entries = Submission.objects.in_bulk([UUID(action.object_id) for action in chosen])
    found: dict[int, Refusal] = {}
    public: dict[int, tuple[StaffAction, Submission]] = {}
    for action in chosen:
        entry = entries.get(UUID(action.object_id))
        if hasattr(action, "undone_by"):
            found[action.pk] = UNDONE
        elif entry is None:
            found[action.pk] = GONE
        elif str(entry.withdrawn or "") != action.after.get("withdrawn"):
            found[action.pk] = MOVED_ON
        elif action.before.get("visibility") == PUBLIC:
            public[action.pk] = (action, entry)
    links = newest_links(entry.pk for _, entry in public.values())
    boards = newest_boards(entry.release_id for _, entry in public.values())
    for pk, (action, entry) in public.items():
        if number := links.get(entry.pk):
            found[pk] = published_refusal(number)
        elif entry.release_id in boards and boards[entry.release_id] > action.at:
            found[pk] = KEPT
    return found


def newest_links(entries: Iterable[UUID]) -> Mapping[UUID, int | None]:
    """The number of the last withdrawal that the chain tells of, None while it waits for one."""
    links = ChainLink.objects.filter(submission__in=set(entries), kind=ChainLink.Kind.WITHDRAWAL)
    return dict(links.order_by("id").values_list("submission", "number"))


def newest_boards(releases: Iterable[int]) -> Mapping[int, datetime]:
    """When the newest board of each release was kept, by any judge: one look into the index of
    snapshots per judge, however many were kept of them."""
    of_era = BoardSnapshot.objects.filter(
        release=OuterRef(OuterRef("pk")), judge_spec=OuterRef("pk")
    ).order_by("-taken")
    by_judge = JudgeSpec.objects.annotate(kept=Subquery(of_era.values("taken")[:1]))
    newest = by_judge.order_by(F("kept").desc(nulls_last=True)).values("kept")
    of_release = Release.objects.filter(pk__in=set(releases)).annotate(kept=Subquery(newest[:1]))
    return {pk: kept for pk, kept in of_release.order_by().values_list("pk", "kept") if kept}


def published_refusal(number: int) -> Refusal:
    return Refusal(
        "published",
        f"Link {number:,} of the public chain tells of the withdrawal. Restore the entry"
        " instead: it is private until its owner publishes it.",
    )


def why_not(action: StaffAction) -> str:
    """A sentence; empty where the withdrawal can be undone."""
    refusal = refusals([action]).get(action.pk)
    return refusal.sentence if refusal else ""


def sentences(chosen: Sequence[StaffAction]) -> dict[int, str]:
    return {pk: refusal.sentence for pk, refusal in refusals(chosen).items()}


def after_undoing(chosen: Sequence[StaffAction]) -> list[str]:
    public = sum(action.before.get("visibility") == PUBLIC for action in chosen)
    return [
        f"{counted(len(chosen), 'entry', 'entries')} as before: {len(chosen) - public:,}"
        f" private, {public:,} public and on boards; what was left to judge is judged.",
    ]


def undo(action: StaffAction, reason: str, by: User) -> bool:
    if why := why_not(action):
        raise StepRefusedError(why)
    entry = entry_of(action)
    if not restore_submission(submission=entry):
        raise StepRefusedError("Another entry has taken its place in the meantime.")
    if action.before.get("visibility") == PUBLIC:
        set_visibility(submission=entry, visibility=PUBLIC)
    LogEntry.objects.log_actions(
        by.pk, [entry], CHANGE, change_message=f"Withdrawal undone: {reason}", single_object=True
    )
    return True


def is_withdrawal(action: StaffAction) -> bool:
    return (action.about, action.what) == (ENTRY, "withdraw")


def withdrawals(found: "QuerySet[StaffAction]") -> "QuerySet[StaffAction]":
    waiting = found.filter(about=ENTRY, what="withdraw", undone_by__isnull=True)
    return waiting.select_related("undone_by")


UNDO = Step(
    slug="undo",
    title="Undo",
    done="Undone",
    permission="submissions.change_submission",
    explained="As if it had not been done. Only a withdrawal is undone here, and only until"
    " anything about it was published; for all else the step itself names its way back.",
    way_back="Only by withdrawing again.",
    fits=withdrawals,
    refused=sentences,
    follows=after_undoing,
    state=lambda action: {"withdrawn": str(entry_of(action).withdrawn or "")},
    change=undo,
)
