"""Judging in the admin: all can be looked at, and only descriptions are written. No verdict is
changed by hand."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from benchmarks.admin import ReadOnlyAdmin
from benchmarks.models import Description
from benchmarks.wake import wake
from judging import limits
from judging.clock import database_now
from judging.desk.description_admin import DescriptionAdmin
from judging.desk.reference_admin import ReferenceProposalAdmin, ReferenceRequestAdmin
from judging.desk.review_admin import ReviewAdmin
from judging.models import (
    Endpoint,
    JudgeCall,
    Judgement,
    JudgementForReview,
    JudgeRun,
    JudgeSpec,
    PromptSet,
    ReferenceProposal,
    ReferenceRequest,
)
from judging.querysets import RunQuerySet
from judging.services import pause_run_by_person, resume_run

admin.site.register(Description, DescriptionAdmin)
admin.site.register(JudgementForReview, ReviewAdmin)
admin.site.register(ReferenceProposal, ReferenceProposalAdmin)
admin.site.register(ReferenceRequest, ReferenceRequestAdmin)


@admin.register(PromptSet)
class PromptSetAdmin(ReadOnlyAdmin):
    list_display = ["protocol", "version", "content_hash", "created"]


@admin.register(JudgeSpec)
class JudgeSpecAdmin(ReadOnlyAdmin):
    list_display = ["slug", "protocol", "kind", "model", "repeats", "created"]
    list_filter = ["protocol", "kind"]


LONGEST_REASON = 200  # so that what is written beside it fits the column


class ReasonForm(ActionForm):
    """Beside the choice of what to do with the rows."""

    reason = forms.CharField(
        required=False, max_length=LONGEST_REASON, label="Reason (to pause):", strip=True
    )


class PausingAdmin(ReadOnlyAdmin):
    """Rows that a person with the right to change them may pause, with a reason that others read,
    and resume."""

    action_form = ReasonForm

    def has_pause_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(f"judging.change_{self.opts.model_name}")

    def reason_given(self, request: HttpRequest) -> str:
        """One line; "" after the person was told that one is needed."""
        text = request.POST.get("reason", "").replace("\0", "")
        reason = " ".join(text.split())[:LONGEST_REASON]
        if not reason:
            self.message_user(request, "Nothing is paused: say why, beside it.", messages.ERROR)
        return reason


@admin.register(JudgeRun)
class JudgeRunAdmin(PausingAdmin):
    list_display = [
        "submission",
        "judge_spec",
        "created",
        "planned",
        "paused",
        "pause_kind",
        "pause_reason",
    ]
    list_filter = ["pause_kind"]
    list_select_related = ["submission__model", "submission__release", "judge_spec"]
    actions = ["pause_chosen", "resume_chosen"]

    @admin.action(description="Pause", permissions=["pause"])
    def pause_chosen(self, request: HttpRequest, queryset: RunQuerySet) -> None:
        """Calls that are under way come to their end; no other leaves until a person resumes the
        run. A finished run has nothing to pause."""
        if not (reason := self.reason_given(request)):
            return
        for run in (paused := list(queryset.not_withdrawn().to_be_judged())):
            pause_run_by_person(run=run, reason=reason)
            self.log_change(request, run, f"Paused: {reason}")
        count = len(paused)
        self.message_user(
            request, f"{count} {'run is' if count == 1 else 'runs are'} paused until resumed."
        )

    @admin.action(description="Resume", permissions=["pause"])
    def resume_chosen(self, request: HttpRequest, queryset: RunQuerySet) -> None:
        """Those that are paused; what paused them will do so again where it still holds."""
        chosen = queryset.not_withdrawn().filter(paused__isnull=False)
        for run in (resumed := list(chosen)):
            resume_run(run=run)
            self.log_change(
                request,
                run,
                f"Resumed: it was paused because {run.pause_reason or 'nobody knows why'}.",
            )
        wake()
        self.message_user(
            request, f"{len(resumed)} paused {'run goes' if len(resumed) == 1 else 'runs go'} on."
        )


@admin.register(Endpoint)
class EndpointAdmin(PausingAdmin):
    """Endpoints of the settings, and how each stands. Addresses and keys are settings, and not
    shown."""

    list_display = ["alias", "state", "reason", "since", "failures", "strikes", "answered"]
    fields = ["alias", "state", "reason", "since", "failures", "strikes", "answered", "at_once"]
    actions = ["pause_chosen", "reopen_chosen"]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if self.has_view_permission(request):
            limits.ensure_rows()
        return super().changelist_view(request, extra_context)

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Endpoint]":
        found: QuerySet[Endpoint] = super().get_queryset(request)
        return found.filter(alias__in=settings.JUDGE_ENDPOINTS)

    @admin.display(description="State")
    def state(self, endpoint: Endpoint) -> str:
        if endpoint.halted:
            return "paused by a person" if endpoint.is_paused_by_person else "halted"
        return "held" if is_held(endpoint) else "open"

    @admin.display(description="Reason")
    def reason(self, endpoint: Endpoint) -> str:
        if endpoint.halted:
            return endpoint.halt_reason
        return endpoint.hold_reason if is_held(endpoint) else ""

    @admin.display(description="Since or until")
    def since(self, endpoint: Endpoint) -> Any:
        return endpoint.halted or (endpoint.held_until if is_held(endpoint) else None)

    @admin.action(description="Pause", permissions=["pause"])
    def pause_chosen(self, request: HttpRequest, queryset: "QuerySet[Endpoint]") -> None:
        if not (reason := self.reason_given(request)):
            return
        for endpoint in (chosen := list(queryset)):
            limits.pause_by_person(endpoint.alias, reason=reason)
            self.log_change(request, endpoint, f"Paused: {reason}")
        self.message_user(request, f"Until reopened, nobody asks {names_of(chosen)}.")

    @admin.action(description="Reopen", permissions=["pause"])
    def reopen_chosen(self, request: HttpRequest, queryset: "QuerySet[Endpoint]") -> None:
        """Neither paused, halted nor held; runs that waited for the endpoint or their judge there
        go on."""
        resumed = 0
        for endpoint in (chosen := list(queryset)):
            resumed += limits.reopen(endpoint.alias)
            self.log_change(
                request, endpoint, f"Reopened: {endpoint.halt_reason or 'it was not halted'}."
            )
        wake()
        goes = "run goes" if resumed == 1 else "runs go"
        self.message_user(request, f"Open: {names_of(chosen)}; {resumed} paused {goes} on.")


def is_held(endpoint: Endpoint) -> bool:
    return endpoint.held_until is not None and endpoint.held_until > database_now()


def names_of(endpoints: list[Endpoint]) -> str:
    return ", ".join(endpoint.alias for endpoint in endpoints)


@admin.register(Judgement)
class JudgementAdmin(ReadOnlyAdmin):
    list_display = ["answer_id", "slot", "state", "verdict", "reason", "attempts"]
    list_filter = ["state", "judge_spec"]
    show_full_result_count = False


@admin.register(JudgeCall)
class JudgeCallAdmin(ReadOnlyAdmin):
    list_display = ["judgement_id", "started", "closed", "outcome", "error"]
    list_filter = ["outcome"]
    show_full_result_count = False
