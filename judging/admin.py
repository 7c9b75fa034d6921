"""Judging in the admin: all can be looked at, and only descriptions are written. No verdict is changed by hand."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest

from benchmarks.admin import ReadOnlyAdmin
from benchmarks.models import Description
from benchmarks.wake import wake
from judging.description_admin import DescriptionAdmin
from judging.models import (
    JudgeCall,
    Judgement,
    JudgementForReview,
    JudgeRun,
    JudgeSpec,
    PromptSet,
    ReferenceRequest,
)
from judging.querysets import RunQuerySet
from judging.review_admin import ReviewAdmin
from judging.services import request_references, resume_run

admin.site.register(Description, DescriptionAdmin)
admin.site.register(JudgementForReview, ReviewAdmin)


@admin.register(PromptSet)
class PromptSetAdmin(ReadOnlyAdmin):
    list_display = ["protocol", "version", "content_hash", "created"]


@admin.register(JudgeSpec)
class JudgeSpecAdmin(ReadOnlyAdmin):
    list_display = ["slug", "protocol", "kind", "model", "repeats", "created"]
    list_filter = ["protocol", "kind"]


@admin.register(JudgeRun)
class JudgeRunAdmin(ReadOnlyAdmin):
    list_display = ["submission", "judge_spec", "created", "planned", "paused", "pause_kind", "pause_reason"]
    list_filter = ["pause_kind"]
    list_select_related = ["submission__model", "submission__release", "judge_spec"]
    actions = ["resume_chosen"]

    def has_resume_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("judging.change_judgerun")

    @admin.action(description="Resume", permissions=["resume"])
    def resume_chosen(self, request: HttpRequest, queryset: RunQuerySet) -> None:
        """Those that are paused; what paused them will do so again where it still holds."""
        chosen = queryset.standing().filter(paused__isnull=False)
        for run in (resumed := list(chosen)):
            resume_run(run=run)
            self.log_change(request, run, f"Resumed: it was paused because {run.pause_reason or 'nobody knows why'}.")
        wake()
        self.message_user(request, f"{len(resumed)} paused {'run goes' if len(resumed) == 1 else 'runs go'} on.")


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


class ReferenceRequestForm(forms.ModelForm):  # type: ignore[type-arg]  # generic only in the stubs
    endpoint = forms.ChoiceField(choices=lambda: [(alias, alias) for alias in sorted(settings.JUDGE_ENDPOINTS)])

    class Meta:
        model = ReferenceRequest
        fields = ["release", "endpoint", "model"]


@admin.register(ReferenceRequest)
class ReferenceRequestAdmin(ReadOnlyAdmin):
    """Asking a model for the references that are missing or stale. A worker does it; the outcome stands in the list."""

    list_display = ["release", "model", "endpoint", "requested_by", "created", "finished", "outcome"]
    form = ReferenceRequestForm

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("judging.add_referencerequest")

    def save_model(self, request: HttpRequest, obj: ReferenceRequest, form: Any, change: bool) -> None:
        assert request.user.is_authenticated
        made = request_references(
            release=obj.release, model=obj.model, endpoint=obj.endpoint, requested_by=request.user
        )
        obj.pk = made.pk
        wake()
