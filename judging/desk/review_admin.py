"""The review queue: judgements without a verdict that wait for a person, to be asked again or
excluded with a reason.

Nobody who works here sees whose answer it is, and nothing here writes a verdict.
"""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path
from django.views.decorators.http import require_POST

from benchmarks.admin import ReadOnlyAdmin
from benchmarks.forms.typed_text import TypedTextField
from benchmarks.wake import wake
from judging.desk.review_page import review_page
from judging.models import Judgement, JudgementForReview
from judging.querysets import FOR_REVIEW, IN_REVIEW
from judging.services import ReviewError, exclude_judgement, retry_judgements
from judging.services.review import LONGEST_REASON

PERMISSION = "judging.review_judgement"
LIST = "admin:judging_judgementforreview_changelist"
DETAIL = "admin:judging_judgementforreview_change"


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


class ExclusionForm(forms.Form):
    reason = TypedTextField(
        limit=LONGEST_REASON,
        what="A reason",
        label="Why it is excluded",
        help_text="The owner of the answer and every reader of the entry see this reason.",
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": "Say why this judgement is excluded."},
    )


class ReviewAdmin(ReadOnlyAdmin):
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
    actions = ["retry_chosen"]

    # --- who may ----------------------------------------------------------------------------------

    def has_module_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(PERMISSION)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(PERMISSION)

    def has_review_permission(self, request: HttpRequest) -> bool:
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

    @admin.action(description="Ask again for a verdict", permissions=["review"])
    def retry_chosen(self, request: HttpRequest, queryset: "QuerySet[JudgementForReview]") -> None:
        self.retry(request, list(queryset.order_by("pk").values_list("pk", flat=True)))

    # --- one judgement ----------------------------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        def step(route: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
            guarded = self.admin_site.admin_view(require_POST(view))
            return path(route, guarded, name=f"judging_judgementforreview_{name}")

        return [
            step("<int:pk>/retry/", self.retry_view, "retry"),
            step("<int:pk>/exclude/", self.exclude_view, "exclude"),
            *super().get_urls(),
        ]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        self.require(request)
        return self.show(request, self.judgement_or_404(object_id), ExclusionForm())

    def retry_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.require(request)
        self.retry(request, [self.judgement_or_404(str(pk)).pk])
        return redirect(LIST)

    def exclude_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        self.require(request)
        judgement = self.judgement_or_404(str(pk))
        form = ExclusionForm(request.POST)
        if not form.is_valid():
            return self.show(request, judgement, form, status=422)
        try:
            exclude_judgement(
                judgement=judgement, by=user_of(request), reason=form.cleaned_data["reason"]
            )
        except ReviewError as error:
            form.add_error(None, str(error))
            return self.show(request, judgement, form, status=409)
        wake()
        messages.success(request, f"{judgement} is excluded.")
        return redirect(DETAIL, judgement.pk)

    # --- what they share --------------------------------------------------------------------------

    def retry(self, request: HttpRequest, keys: list[int]) -> None:
        done = retry_judgements(keys=keys, by=user_of(request))
        wake()
        if done:
            messages.success(
                request, f"{done} judgement{'' if done == 1 else 's'} will be asked again."
            )
        else:
            messages.warning(
                request,
                "Nothing is asked again: what was chosen has a verdict, waits, or is withdrawn.",
            )

    def show(
        self, request: HttpRequest, judgement: Judgement, form: ExclusionForm, *, status: int = 200
    ) -> HttpResponse:
        page = review_page(judgement)
        return self.render(
            request, "judgement", str(judgement), status=status, page=page, form=form
        )

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

    def require(self, request: HttpRequest) -> None:
        if not request.user.has_perm(PERMISSION):
            raise PermissionDenied


def user_of(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
