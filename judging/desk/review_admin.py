"""The review queue: judgements without a verdict that wait for a person, to be asked again or
excluded with a reason.

Nobody who works here sees whose answer it is, and nothing here writes a verdict.
"""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from benchmarks.admin import ReadOnlyAdmin
from benchmarks.submissions.staff_steps import Step, StepRefusedError, StepsAdmin, counted
from judging.desk.review_page import review_page
from judging.models import Judgement, JudgementForReview
from judging.querysets import FOR_REVIEW, IN_REVIEW
from judging.services import ReviewError, exclude_judgement, retry_judgements

PERMISSION = "judging.review_judgement"


class StateFilter(admin.SimpleListFilter):
    """Excluded judgements are dealt with, so they are shown only to who asks for them."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(state, state) for state in IN_REVIEW]

    def queryset(
        self, request: HttpRequest, queryset: "QuerySet[JudgementForReview]"
    ) -> "QuerySet[JudgementForReview]":
        return queryset.filter(state__in=[self.value()] if self.value() else FOR_REVIEW)


def waiting_in(found: "QuerySet[Any]", states: tuple[str, ...]) -> "QuerySet[Any]":
    return found.filter(state__in=states, run__submission__withdrawn__isnull=True)


def entries_of(chosen: Sequence[JudgementForReview]) -> int:
    return len({row.run_id for row in chosen})


def ask_again(row: JudgementForReview, reason: str, by: User) -> bool:
    return bool(retry_judgements(keys=[row.pk], by=by))


def exclude(row: JudgementForReview, reason: str, by: User) -> bool:
    try:
        exclude_judgement(judgement=row, by=by, reason=reason)
    except ReviewError as error:
        raise StepRefusedError(str(error)) from None
    return True


def state_of(row: JudgementForReview) -> dict[str, Any]:
    return {"state": row.state, "reason": row.reason}


RETRY = Step(
    slug="retry",
    title="Ask again",
    done="Asked again",
    permission=PERMISSION,
    explained="The judge is asked for a verdict again, with a fresh number of attempts. This "
    "undoes an exclusion.",
    way_back="Exclude, where no verdict comes.",
    fits=lambda found: waiting_in(found, IN_REVIEW),
    follows=lambda chosen: [
        f"Judgements that wait for a verdict from now on: {len(chosen):,}, of"
        f" {counted(entries_of(chosen), 'entry', 'entries')}. Each is at least one call, and paid"
        " for.",
        "Scores of these entries are recomputed when the last of them arrives.",
    ],
    state=state_of,
    change=ask_again,
)
EXCLUDE = Step(
    slug="exclude",
    title="Exclude",
    done="Excluded",
    permission=PERMISSION,
    explained="It is no longer judged. It never scores and never counts as judged; the coverage "
    "of its entry still counts it as asked.",
    way_back="Ask again.",
    fits=lambda found: waiting_in(found, FOR_REVIEW),
    follows=lambda chosen: [
        f"Judgements that never score: {len(chosen):,}, of"
        f" {counted(entries_of(chosen), 'entry', 'entries')}, whose pages say so and why.",
        f"Boards of {counted(len({row.judge_spec_id for row in chosen}), 'judge')} are made anew.",
    ],
    state=state_of,
    change=exclude,
    asks_reason="The owner and every reader of the entry can see this reason.",
)


class ReviewAdmin(StepsAdmin, ReadOnlyAdmin):
    list_display = [
        "pk",
        "state",
        "question",
        "slot",
        "reason",
        "settled",
        "benchmark",
        "judge_spec",
    ]
    list_filter = [
        StateFilter,
        ("answer__submission__release__benchmark", admin.RelatedOnlyFieldListFilter),
        ("judge_spec", admin.RelatedOnlyFieldListFilter),
    ]
    list_select_related = ["answer__question__benchmark", "judge_spec"]
    list_per_page = 50
    ordering = ["-settled", "pk"]
    show_full_result_count = False
    steps = [RETRY, EXCLUDE]

    # --- who may ----------------------------------------------------------------------------------

    def has_module_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(PERMISSION)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(PERMISSION)

    # --- the list ---------------------------------------------------------------------------------

    def get_queryset(self, request: HttpRequest) -> "QuerySet[JudgementForReview]":
        found: QuerySet[JudgementForReview] = super().get_queryset(request)
        return found.filter(state__in=IN_REVIEW)

    @admin.display(description="Benchmark")
    def benchmark(self, judgement: JudgementForReview) -> str:
        return str(judgement.answer.question.benchmark)

    @admin.display(description="Question")
    def question(self, judgement: JudgementForReview) -> str:
        return judgement.answer.question.public_id

    # --- one judgement ----------------------------------------------------------------------------

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        self.require(request.user.has_perm(PERMISSION))
        judgement = self.judgement_or_404(object_id)
        steps = self.steps_of(request, object_id)
        page = review_page(judgement)
        return self.render(request, "judgement", str(judgement), page=page, steps=steps)

    def judgement_or_404(self, key: str) -> Judgement:
        found = JudgementForReview.objects.select_related(
            "answer__question__subtask__ability",
            "answer__question__figure",
            "answer__submission__release__benchmark",
            "judge_spec__prompt_set",
            "run__submission",
        )
        return get_object_or_404(
            found, pk=int(key) if key.isascii() and key.isdigit() and len(key) < 19 else 0
        )
