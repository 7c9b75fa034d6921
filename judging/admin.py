"""Judging in the admin: all can be looked at, and only descriptions are written. No verdict is
changed by hand."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse

from benchmarks.admin import ReadOnlyAdmin
from benchmarks.models import Description, LabelDoubt
from benchmarks.submissions.staff_steps import Step, StepRefusedError, StepsAdmin, counted
from judging.coordination import limits
from judging.coordination.clock import database_now
from judging.desk.descriptions.admin import DescriptionAdmin
from judging.desk.labels.doubt_admin import LabelDoubtAdmin
from judging.desk.queue.admin import opens_on_queue
from judging.desk.references.admin import ReferenceProposalAdmin, ReferenceRequestAdmin
from judging.desk.review_admin import ReviewAdmin
from judging.desk.stale.admin import StaleAdmin
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
    StaleJudgement,
)
from judging.services import pause_run_by_person, resume_run

opens_on_queue(admin.site)
admin.site.register(Description, DescriptionAdmin)
admin.site.register(LabelDoubt, LabelDoubtAdmin)
admin.site.register(JudgementForReview, ReviewAdmin)
admin.site.register(StaleJudgement, StaleAdmin)
admin.site.register(ReferenceProposal, ReferenceProposalAdmin)
admin.site.register(ReferenceRequest, ReferenceRequestAdmin)


@admin.register(PromptSet)
class PromptSetAdmin(ReadOnlyAdmin):
    list_display = ["protocol", "version", "content_hash", "created"]


@admin.register(JudgeSpec)
class JudgeSpecAdmin(ReadOnlyAdmin):
    list_display = ["slug", "protocol", "kind", "model", "repeats", "created"]
    list_filter = ["protocol", "kind"]


def state_of_run(run: JudgeRun) -> dict[str, Any]:
    return {"paused": str(run.paused or ""), "kind": run.pause_kind, "why": run.pause_reason}


def waiting_of(chosen: Sequence[JudgeRun]) -> int:
    """By their index: no judgement of another run is read."""
    return Judgement.objects.unfinished().filter(run__in=[run.pk for run in chosen]).count()


def pause_run(run: JudgeRun, reason: str, by: User) -> bool:
    if not JudgeRun.objects.filter(pk=run.pk).not_withdrawn().to_be_judged().exists():
        raise StepRefusedError("It was judged to its end in the meantime.")
    pause_run_by_person(run=run, reason=reason)
    return True


def resume(run: JudgeRun, reason: str, by: User) -> bool:
    resume_run(run=run)
    return True


PAUSE_RUN = Step(
    slug="pause",
    title="Pause",
    done="Paused",
    permission="judging.change_judgerun",
    explained="Calls under way finish and are paid for; no others are sent until someone resumes "
    "the run. The submitter sees the reason.",
    way_back="Resume.",
    fits=lambda found: found.not_withdrawn().to_be_judged(),
    follows=lambda chosen: [
        f"Judgements that wait until then: {waiting_of(chosen):,}, of"
        f" {counted(len(chosen), 'run')}."
        " Their entries get no new score until then."
    ],
    state=state_of_run,
    change=pause_run,
    asks_reason="The owner of the submission and other operators can read it",
)
RESUME_RUN = Step(
    slug="resume",
    title="Resume",
    done="Resumed",
    permission="judging.change_judgerun",
    explained="If the cause of the pause remains, they pause again.",
    way_back="Pause.",
    fits=lambda found: found.not_withdrawn().filter(paused__isnull=False),
    follows=lambda chosen: [
        f"Judgements requested again and paid for: {waiting_of(chosen):,}, of"
        f" {counted(len(chosen), 'run')}."
    ],
    state=state_of_run,
    change=resume,
)


@admin.register(JudgeRun)
class JudgeRunAdmin(StepsAdmin, ReadOnlyAdmin):
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
    steps = [PAUSE_RUN, RESUME_RUN]


def state_of_endpoint(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "halted": str(endpoint.halted or ""),
        "why": endpoint.halt_reason,
        "held_until": str(endpoint.held_until or ""),
    }


def runs_at(chosen: Sequence[Endpoint]) -> int:
    aliases = [endpoint.alias for endpoint in chosen]
    unscored = JudgeRun.objects.unscored().not_withdrawn()
    return unscored.filter(judge_spec__endpoint__in=aliases).count()


def pause_endpoint(endpoint: Endpoint, reason: str, by: User) -> bool:
    limits.pause_by_person(endpoint.alias, reason=reason)
    return True


def reopen_endpoint(endpoint: Endpoint, reason: str, by: User) -> bool:
    limits.reopen(endpoint.alias)
    return True


PAUSE_ENDPOINT = Step(
    slug="pause",
    title="Pause",
    done="Paused",
    permission="judging.change_endpoint",
    explained="Until someone reopens it, nothing is sent there. Calls under way finish and are "
    "paid for.",
    way_back="Reopen.",
    fits=lambda found: found.filter(is_paused_by_person=False),
    follows=lambda chosen: [
        f"Runs not judged to the end, which wait: {runs_at(chosen):,}. So do new submissions for "
        f"these judges."
    ],
    state=state_of_endpoint,
    change=pause_endpoint,
    asks_reason="Owners of waiting submissions and other operators can read it",
)
REOPEN = Step(
    slug="reopen",
    title="Reopen",
    done="Reopened",
    permission="judging.change_endpoint",
    explained="Neither paused, halted nor held: it is used at once, whatever it replied last. "
    "First check whether the cause of the halt is gone.",
    way_back="Pause.",
    fits=lambda found: found.filter(Q(halted__isnull=False) | Q(held_until__gt=Now())),
    follows=lambda chosen: [
        f"Unfinished runs, which continue and are paid for: {runs_at(chosen):,}."
    ],
    state=state_of_endpoint,
    change=reopen_endpoint,
)


@admin.register(Endpoint)
class EndpointAdmin(StepsAdmin, ReadOnlyAdmin):
    """Endpoints of the settings, and how each stands. Addresses and keys are settings, and not
    shown."""

    list_display = ["alias", "state", "reason", "since", "failures", "strikes", "answered"]
    fields = ["alias", "state", "reason", "since", "failures", "strikes", "answered", "at_once"]
    steps = [PAUSE_ENDPOINT, REOPEN]

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


def is_held(endpoint: Endpoint) -> bool:
    return endpoint.held_until is not None and endpoint.held_until > database_now()


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
