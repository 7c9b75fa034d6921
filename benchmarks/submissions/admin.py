"""Submissions in the admin: staff may look, withdraw and restore; nobody edits an answer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db import models
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse

from benchmarks.admin import ReadOnlyAdmin
from benchmarks.submissions.forms import ReasonField
from benchmarks.submissions.marks.flagging import RULES
from benchmarks.submissions.marks.flags import decide_ranking, decide_verification
from benchmarks.submissions.models import AccessToken, EvaluatedModel, NearEqual, Submission
from benchmarks.submissions.services import restore_submission, revoke_token, withdraw_submission
from benchmarks.submissions.teams import admin as team_admin
from benchmarks.wake import wake

__all__ = ["team_admin"]  # Django looks for this module alone

AT_ONCE = 100
"""Submissions of one step: as many as a person still reads on the page that asks whether it is
meant."""
NEAR_SHOWN = 2


class LookalikeFilter(admin.SimpleListFilter):
    title = "names"
    parameter_name = "names"

    def lookups(
        self, request: HttpRequest, model_admin: "admin.ModelAdmin[Any]"
    ) -> list[tuple[str, str]]:
        return [("alike", "The same as another account's, or easily taken for it")]

    def queryset(
        self, request: HttpRequest, queryset: "QuerySet[EvaluatedModel]"
    ) -> "QuerySet[EvaluatedModel]":
        if self.value() != "alike":
            return queryset
        return queryset.filter(pk__in=EvaluatedModel.objects.named_as_others())


@admin.register(EvaluatedModel)
class EvaluatedModelAdmin(ReadOnlyAdmin):
    list_display = ["name", "organisation", "owner", "is_open_weights"]
    list_filter = [LookalikeFilter]
    list_select_related = ["owner"]
    ordering = ["skeleton", "name"]  # names that are easily taken for one another stand together
    search_fields = ["name", "organisation"]
    formfield_overrides = {
        models.URLField: {"assume_scheme": "https"}
    }  # Django 6's, without warning


class ReasonForm(forms.Form):
    reason = ReasonField(help_text="Stands in the history of each, for whoever asks later")


@dataclass(frozen=True, slots=True)
class Step:
    """What is done to the submissions chosen. `explained` tells what follows, before anybody
    confirms it."""

    action: str
    title: str
    done: str
    explained: str
    change: Callable[[Submission, str, User], bool]


WITHDRAW = Step(
    "withdraw",
    "Withdraw",
    "Withdrawn",
    "They leave every board and page at once and are judged no further; what was judged and paid"
    " for stays. Restoring makes them private again: only their owner can publish them. Where an"
    " entry was public, its address tells the day and the reason: say nothing about people.",
    lambda submission, reason, by: withdraw_submission(submission=submission, reason=reason),
)
RESTORE = Step(
    "restore",
    "Restore",
    "Restored",
    "They stand again, and what was left to judge is judged. Each is private until its owner"
    " publishes it; baselines, which nobody owns, are public at once. One that its owner withdrew"
    " has no line of staff in its history: ask the owner first.",
    lambda submission, reason, by: restore_submission(submission=submission),
)
KEEP_OUT = Step(
    "keep_out",
    "Keep out of the ranks of",
    "Kept out",
    "They stand on boards that only rules judge without a rank, with the day and the reason beside"
    " them. The reason is public: say what anybody may check, and nothing about people.",
    lambda submission, reason, by: bool(
        decide_ranking(submission=submission, is_ranked=False, reason=reason, by=by)
    ),
)
RANK = Step(
    "rank",
    "Rank",
    "Ranked",
    "They are ranked on boards that only rules judge whatever marks they carry; marks, day and"
    " reason stand beside them. The reason is public: say what was looked at.",
    lambda submission, reason, by: bool(
        decide_ranking(submission=submission, is_ranked=True, reason=reason, by=by)
    ),
)


VERIFY = Step(
    "verify",
    "Verify",
    "Verified",
    "The badge “verified” stands beside them on boards, pages, in exports and API, with the day, "
    "the reason and your public name. Say what was looked at: who handed it in, the code, the "
    "answers.",
    lambda submission, reason, by: bool(
        decide_verification(submission=submission, is_verified=True, reason=reason, by=by)
    ),
)
REVOKE_BADGE = Step(
    "revoke_badge",
    "Take the badge back from",
    "No longer verified",
    "The badge goes at once. That it was granted and taken back stays on their pages, each with "
    "day, reason and public name.",
    lambda submission, reason, by: bool(
        decide_verification(submission=submission, is_verified=False, reason=reason, by=by)
    ),
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


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
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
    actions = ["withdraw", "restore", "keep_out", "rank", "verify", "revoke_badge"]

    def has_withdraw_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("submissions.change_submission")

    @admin.action(description="Withdraw (leaves a tombstone)", permissions=["withdraw"])
    def withdraw(
        self, request: HttpRequest, queryset: "QuerySet[Submission]"
    ) -> HttpResponse | None:
        return self.take(request, queryset.filter(withdrawn__isnull=True), WITHDRAW)

    @admin.action(description="Restore what was withdrawn", permissions=["withdraw"])
    def restore(
        self, request: HttpRequest, queryset: "QuerySet[Submission]"
    ) -> HttpResponse | None:
        chosen = queryset.filter(withdrawn__isnull=False, confirmed__isnull=False)
        return self.take(request, chosen, RESTORE)

    def has_decide_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("submissions.add_rankingdecision")

    @admin.action(description="Keep out of the ranks (rules boards)", permissions=["decide"])
    def keep_out(
        self, request: HttpRequest, queryset: "QuerySet[Submission]"
    ) -> HttpResponse | None:
        return self.take(request, queryset.filter(withdrawn__isnull=True), KEEP_OUT)

    @admin.action(description="Rank in spite of marks (rules boards)", permissions=["decide"])
    def rank(self, request: HttpRequest, queryset: "QuerySet[Submission]") -> HttpResponse | None:
        return self.take(request, queryset.filter(withdrawn__isnull=True), RANK)

    def has_verify_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("submissions.add_verificationdecision")

    @admin.action(description="Verify (a public badge)", permissions=["verify"])
    def verify(self, request: HttpRequest, queryset: "QuerySet[Submission]") -> HttpResponse | None:
        return self.take(request, queryset.filter(withdrawn__isnull=True), VERIFY)

    @admin.action(description="Take the badge “verified” back", permissions=["verify"])
    def revoke_badge(
        self, request: HttpRequest, queryset: "QuerySet[Submission]"
    ) -> HttpResponse | None:
        return self.take(request, queryset.filter(verification__is_verified=True), REVOKE_BADGE)

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
            .prefetch_related("near_equals__other__model", "near_equals__other__owner")
        )

    def take(
        self, request: HttpRequest, chosen: "QuerySet[Submission]", step: Step
    ) -> HttpResponse | None:
        """Asks first, with the names; the second press, with a reason, does it and writes it into
        their history."""
        found = list(chosen.select_related("model", "release", "owner")[: AT_ONCE + 1])
        if not found:
            self.message_user(
                request, f"Nothing to {step.action} was chosen. Nothing changed.", messages.WARNING
            )
            return None
        if len(found) > AT_ONCE:
            sentence = f"Choose at most {AT_ONCE} submissions at once. Nothing changed."
            self.message_user(request, sentence, messages.ERROR)
            return None
        form = ReasonForm(request.POST if "confirmed" in request.POST else None)
        if not form.is_valid():
            return self.ask(request, found, form, step)
        count = 0
        for submission in found:
            reason = form.cleaned_data["reason"]
            if step.change(submission, reason, cast(User, request.user)):
                self.log_change(request, submission, f"{step.done}: {reason}")
                count += 1
        wake()
        self.message_user(
            request,
            f"{step.done}: {count} submission{'' if count == 1 else 's'}.",
            messages.SUCCESS,
        )
        return None

    def ask(
        self, request: HttpRequest, chosen: list[Submission], form: ReasonForm, step: Step
    ) -> HttpResponse:
        title = f"{step.title} {len(chosen)} submission{'' if len(chosen) == 1 else 's'}"
        status = 422 if form.is_bound else 200
        shown = {"chosen": chosen, "form": form, "step": step}
        return self.render(request, "confirm", title, status=status, **shown)


@admin.register(AccessToken)
class AccessTokenAdmin(ReadOnlyAdmin):
    """Which keys there are and when they were used; the digest, by which one is found, is shown to
    nobody."""

    list_display = [
        "prefix",
        "owner",
        "scope",
        "name",
        "created",
        "last_used",
        "expires",
        "revoked",
    ]
    list_filter = ["scope", ("revoked", admin.EmptyFieldListFilter)]
    list_select_related = ["owner"]
    search_fields = ["prefix", "name", "owner__username", "owner__email"]
    exclude = ["digest"]
    actions = ["revoke"]

    @admin.action(description="Revoke", permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: "QuerySet[AccessToken]") -> None:
        for token in queryset.select_related("owner"):
            revoke_token(owner=token.owner, token_id=token.pk)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("submissions.change_accesstoken")
