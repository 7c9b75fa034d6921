"""Submissions in the admin: staff look, withdraw, restore, decide on ranks and badges; nobody
edits an answer."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest

from benchmarks.admin import ReadOnlyAdmin
from benchmarks.submissions.marks.flagging import RULES
from benchmarks.submissions.marks.flags import decide_ranking, decide_verification
from benchmarks.submissions.models import NearEqual, Submission
from benchmarks.submissions.services import restore_submission, withdraw_submission
from benchmarks.submissions.staff_steps import Step, StepsAdmin, counted
from judging.models import JudgeRun, JudgeSpec
from leaderboard.models import Scoresheet

NEAR_SHOWN = 2
IS_PUBLIC = "Public, and in the log: say nothing about people"
MOST_BOARDS = 5
"""Boards that a page names; of more it says how many."""
CHANGE = "submissions.change_submission"

Chosen = Sequence[Submission]
Found: TypeAlias = "QuerySet[Submission]"


# --- what follows, in counts ----------------------------------------------------------------------


def public_ones(chosen: Chosen) -> list[Submission]:
    return [one for one in chosen if one.visibility == "public" and one.withdrawn is None]


def boards_of(chosen: Chosen, **judged: Any) -> list[str]:
    """Of the boards on which they have scores: release and judge, as a person says them."""
    sheets = Scoresheet.objects.filter(submission__in=[one.pk for one in chosen], **judged)
    pairs = sheets.values_list("submission__release__title", "judge_spec__slug")
    return sorted(f"{release} by {judge}" for release, judge in pairs.order_by().distinct())


def boards_sentence(boards: Sequence[str], what: str) -> str:
    if not boards:
        return "No board changes: none of them has a public score."
    named = "; ".join(boards[:MOST_BOARDS])
    more = f"; and {len(boards) - MOST_BOARDS:,} more" if len(boards) > MOST_BOARDS else ""
    return f"Boards that {what}: {len(boards):,} ({named}{more})."


def count_sentence(chosen: Chosen) -> str:
    public = len(public_ones(chosen))
    private = len(chosen) - public
    found = counted(len(chosen), "entry", "entries")
    return f"{found}: {public:,} public, {private:,} private or withdrawn."


def verdicts_kept(chosen: Chosen) -> str:
    keys = [one.pk for one in chosen]
    judged = sum(Scoresheet.objects.filter(submission__in=keys).values_list("judged", flat=True))
    return f"Judgements with a verdict, which stay and are not paid back: {judged:,}."


def runs_sentence(chosen: Chosen, what: str) -> str:
    """Runs that are not done with, by their index."""
    runs = JudgeRun.objects.unscored().filter(submission__in=[one.pk for one in chosen]).count()
    return f"Runs of judges under way that {what}: {runs:,}."


def after_withdrawal(chosen: Chosen) -> list[str]:
    public = public_ones(chosen)
    return [
        count_sentence(chosen),
        boards_sentence(boards_of(public), "lose them"),
        f"{counted(len(public), 'public address shows', 'public addresses show')} the date and the"
        " reason to everyone from now on.",
        runs_sentence(chosen, "stop"),
        verdicts_kept(chosen),
    ]


def after_restoring(chosen: Chosen) -> list[str]:
    baselines = sum(one.origin == Submission.Origin.BASELINE for one in chosen)
    return [
        f"{len(chosen) - baselines:,} become private, {baselines:,} (baselines, which nobody owns)"
        " public at once.",
        runs_sentence(chosen, "go on, and are paid for"),
        verdicts_kept(chosen),
    ]


def of_rules(chosen: Chosen) -> list[str]:
    return boards_of(public_ones(chosen), judge_spec__kind=JudgeSpec.RULES)


def after_keeping_out(chosen: Chosen) -> list[str]:
    return [
        count_sentence(chosen),
        boards_sentence(of_rules(chosen), "show them without a rank; lower ranks move up"),
        "Day and reason are public beside them.",
    ]


def after_ranking(chosen: Chosen) -> list[str]:
    return [
        count_sentence(chosen),
        boards_sentence(of_rules(chosen), "rank them; lower ranks move down"),
        "Marks, day and reason are public beside them.",
    ]


def after_verifying(chosen: Chosen) -> list[str]:
    return [
        count_sentence(chosen),
        boards_sentence(boards_of(public_ones(chosen)), "show the badge"),
        "Day, reason and your public name are public beside them.",
    ]


def after_taking_back(chosen: Chosen) -> list[str]:
    return [
        count_sentence(chosen),
        boards_sentence(boards_of(public_ones(chosen)), "lose the badge"),
        "That it was granted and removed stays public, each with day, reason and public name.",
    ]


# --- the steps ------------------------------------------------------------------------------------


def state_of(submission: Submission) -> dict[str, Any]:
    decision, badge = submission.decision, submission.verification
    return {
        "visibility": submission.visibility,
        "withdrawn": str(submission.withdrawn or ""),
        "ranked": decision.is_ranked if decision else None,
        "verified": badge.is_verified if badge else None,
    }


def not_withdrawn(found: Found) -> Found:
    return found.filter(withdrawn__isnull=True)


def decide(is_ranked: bool) -> Callable[[Submission, str, User], bool]:
    def change(submission: Submission, reason: str, by: User) -> bool:
        return bool(
            decide_ranking(submission=submission, is_ranked=is_ranked, reason=reason, by=by)
        )

    return change


def badge(is_verified: bool) -> Callable[[Submission, str, User], bool]:
    def change(submission: Submission, reason: str, by: User) -> bool:
        made = decide_verification(
            submission=submission, is_verified=is_verified, reason=reason, by=by
        )
        return bool(made)

    return change


WITHDRAW = Step(
    slug="withdraw",
    title="Withdraw",
    done="Withdrawn",
    permission=CHANGE,
    explained="They leave every board and page at once and judging stops; what was judged and "
    "paid for stays. If an entry was public, its address shows the day and the reason: say "
    "nothing about people.",
    way_back="Until anything about it was published, the log of staff undoes it. Later Restore"
    " makes them private again: only their owner can publish them.",
    fits=not_withdrawn,
    follows=after_withdrawal,
    state=state_of,
    change=lambda one, reason, by: withdraw_submission(submission=one, reason=reason),
    asks_reason="In the log; public as well where the entry was: say nothing about people",
)
RESTORE = Step(
    slug="restore",
    title="Restore",
    done="Restored",
    permission=CHANGE,
    explained="They are restored, and judging continues. Each is private until its"
    " owner publishes it; baselines, which nobody owns, are public at once. If its"
    " owner withdrew it, its history has no entry by staff: ask the owner first.",
    way_back="Withdraw.",
    fits=lambda found: found.filter(withdrawn__isnull=False, confirmed__isnull=False),
    follows=after_restoring,
    state=state_of,
    change=lambda one, reason, by: restore_submission(submission=one),
)
KEEP_OUT = Step(
    slug="keep_out",
    title="Exclude from ranking",
    done="Kept out",
    permission="submissions.add_rankingdecision",
    explained="On boards judged only by rules they appear without a rank, with the day and the "
    "reason. The reason is public: say what anyone can check, and nothing about people.",
    way_back="Rank; both decisions stay.",
    fits=not_withdrawn,
    follows=after_keeping_out,
    state=state_of,
    change=decide(is_ranked=False),
    asks_reason=IS_PUBLIC,
)
RANK = Step(
    slug="rank",
    title="Rank despite marks",
    done="Ranked",
    permission="submissions.add_rankingdecision",
    explained="On boards judged only by rules they are ranked whatever their marks; marks, day "
    "and reason are shown. The reason is public: say what was checked.",
    way_back="Exclude from ranking; both decisions stay.",
    fits=not_withdrawn,
    follows=after_ranking,
    state=state_of,
    change=decide(is_ranked=True),
    asks_reason=IS_PUBLIC,
)
VERIFY = Step(
    slug="verify",
    title="Verify",
    done="Verified",
    permission="submissions.add_verificationdecision",
    explained="The badge “verified” is shown on boards, pages, exports and API, with the day, "
    "the reason and your public name. Say what was checked: the submitter, the code, the "
    "answers.",
    way_back="Remove the badge; both decisions stay.",
    fits=not_withdrawn,
    follows=after_verifying,
    state=state_of,
    change=badge(is_verified=True),
    asks_reason=IS_PUBLIC,
)
REVOKE_BADGE = Step(
    slug="revoke_badge",
    title="Remove the badge",
    done="No longer verified",
    permission="submissions.add_verificationdecision",
    explained="The badge disappears at once. Their pages still show that it was granted and "
    "removed, each with day, reason and public name.",
    way_back="Verify; both decisions stay.",
    fits=lambda found: found.filter(verification__is_verified=True),
    follows=after_taking_back,
    state=state_of,
    change=badge(is_verified=False),
    asks_reason=IS_PUBLIC,
)


class MarkedFilter(admin.SimpleListFilter):
    title = "marks"
    parameter_name = "marks"

    def lookups(
        self, request: HttpRequest, model_admin: "admin.ModelAdmin[Any]"
    ) -> list[tuple[str, str]]:
        return [
            ("open", "Marked, nothing decided"),
            ("decided", "Decided"),
            ("near", "Nearly the answers of another"),
        ]

    def queryset(
        self, request: HttpRequest, queryset: "QuerySet[Submission]"
    ) -> "QuerySet[Submission]":
        if self.value() == "open":
            return queryset.exclude(flags=[]).filter(decision__isnull=True)
        if self.value() == "near":
            return queryset.filter(Exists(NearEqual.objects.filter(submission=OuterRef("pk"))))
        return queryset.filter(decision__isnull=False) if self.value() == "decided" else queryset


class SubmissionAdmin(StepsAdmin, ReadOnlyAdmin):
    list_display = [
        "model",
        "release",
        "owner",
        "origin",
        "visibility",
        "created",
        "withdrawn",
        "marks",
        "near",
    ]
    list_filter = ["release", "origin", "visibility", MarkedFilter]
    # Named, because Django by itself follows no owner: a submission may have none.
    list_select_related = ["model", "release", "owner"]
    search_fields = ["model__name", "sha256", "file_name"]
    exclude = ["file"]
    steps = [WITHDRAW, RESTORE, KEEP_OUT, RANK, VERIFY, REVOKE_BADGE]

    @admin.display(description="Marks")
    def marks(self, submission: Submission) -> str:
        return ", ".join(RULES[flag["code"]].title for flag in submission.flags) or "-"

    @admin.display(description="Nearly the answers of")
    def near(self, submission: Submission) -> str:
        """The two most equal: whose they are, and how many."""
        found = list(submission.near_equals.all())  # read for the whole list at once
        lines = [
            f"{near.other.model} by {near.other.owner or near.other.origin}:"
            f" {near.equal:,} of {near.of:,}"
            for near in found[:NEAR_SHOWN]
        ]
        more = len(found) - NEAR_SHOWN
        return "; ".join([*lines, *([f"{more} more"] if more > 0 else [])]) or "-"

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Submission]":
        return (
            super()
            .get_queryset(request)
            .select_related("model", "release", "owner", "decision", "verification")
            .prefetch_related("near_equals__other__model", "near_equals__other__owner")
        )


admin.site.register(Submission, SubmissionAdmin)
