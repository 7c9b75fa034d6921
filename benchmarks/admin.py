"""Content in the admin: to look at. Releases change by import only, and their state in
leaderboard/people/staff; descriptions are written in judging's admin."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.cache import patch_cache_control
from django.utils.html import format_html_join
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_POST

from benchmarks.common.groups import PROJECT_GROUPS
from benchmarks.common.staff_log import LoggedAdmin
from benchmarks.figures.files import picture_response
from benchmarks.forms.unsaved import discard_text, keeps_text, ticket_for, unsaved_text
from benchmarks.models import (
    Benchmark,
    Description,
    Figure,
    FigureImage,
    Question,
    QuestionReport,
    Reference,
)
from benchmarks.services.question_reports import MOST_CHARACTERS, answer_report, others_open


def user_of(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user


class PageAdmin(LoggedAdmin):
    """Pages of its own in the admin's frame."""

    def render(
        self, request: HttpRequest, template: str, title: str, *, status: int = 200, **context: Any
    ) -> TemplateResponse:
        """`template` stands in the model's folder below templates/admin/."""
        frame = {**self.admin_site.each_context(request), "title": title, "opts": self.opts}
        name = f"admin/{self.opts.app_label}/{self.opts.model_name}/{template}.html"
        return TemplateResponse(request, name, {**frame, **context}, status=status)

    def page(
        self, route: str, view: Callable[..., HttpResponseBase], name: str, *, lands: str = ""
    ) -> URLPattern:
        """An address of its own. A text that is sent to it after the sign-in ended waits behind the
        next one. `lands`: the name of the address to which that sign-in leads where there is no
        such text, its own where there is none."""
        guarded = keeps_text(
            self.admin_site.admin_view(view), self.admin_site.has_permission, lands=lands
        )
        full = f"{self.opts.app_label}_{self.opts.model_name}_{name}"
        return path(route, guarded, name=full)

    def require(self, allowed: bool) -> None:
        if not allowed:
            raise PermissionDenied

    def step(self, route: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
        """An address that only changes something, and shows nothing to whoever is led to it."""
        return self.page(route, require_POST(view), name, lands="admin:index")


class ReadOnlyAdmin(PageAdmin):
    """Rows that nobody edits by hand."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Benchmark)
class BenchmarkAdmin(ReadOnlyAdmin):
    list_display = ["title", "slug"]


class FigureImageInline(admin.TabularInline):  # type: ignore[type-arg]  # generic only in the stubs
    model = FigureImage
    extra = 0
    can_delete = False
    readonly_fields = ["position", "name", "sha256", "width", "height"]
    exclude = ["file"]


@admin.register(Figure)
class FigureAdmin(ReadOnlyAdmin):
    list_display = ["key", "benchmark"]
    search_fields = ["key"]
    inlines = [FigureImageInline]

    def get_urls(self) -> list[URLPattern]:
        picture = self.admin_site.admin_view(self.picture_view)
        return [
            path("picture/<int:image_id>/", picture, name="benchmarks_figure_picture"),
            *super().get_urls(),
        ]

    def picture_view(self, request: HttpRequest, image_id: int) -> HttpResponseBase:
        """A picture for those who write about it, also of a draft, which no public address
        shows."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        image = get_object_or_404(FigureImage.objects.exclude(sha256=""), pk=image_id)
        response = picture_response(image.file, image.sha256)
        patch_cache_control(response, private=True)
        return response


@admin.register(Question)
class QuestionAdmin(ReadOnlyAdmin):
    list_display = ["public_id", "subtask", "text"]
    list_filter = ["subtask__ability", "releases"]
    search_fields = ["public_id", "text"]


@admin.register(Reference)
class ReferenceAdmin(ReadOnlyAdmin):
    """Every version, none edited. New ones are proposed and approved in judging's admin."""

    list_display = ["question", "version", "origin", "maker", "is_stale", "text"]
    list_filter = ["origin", "question__benchmark"]
    list_select_related = ["question", "description"]
    search_fields = ["question__public_id", "text"]

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Reference]":
        newer = Description.objects.filter(
            figure=OuterRef("description__figure"),
            language=OuterRef("description__language"),
            version__gt=OuterRef("description__version"),
            state=Description.State.APPROVED,
        )
        found: QuerySet[Reference] = super().get_queryset(request)
        return found.annotate(is_stale=Exists(newer))

    @admin.display(boolean=True, description="stale")
    def is_stale(self, obj: Any) -> bool:
        """Made from a description that is no longer the approved one."""
        return bool(obj.is_stale)


class QuestionReportForm(forms.ModelForm):  # type: ignore[type-arg]  # generic only in the stubs
    why = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 2}),
        required=False,
        max_length=MOST_CHARACTERS,
        help_text="Why it is changed; needed where an answered report is opened again. Staff alone "
        "read it, below.",
    )

    class Meta:
        model = QuestionReport
        fields = ["state", "answer"]

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if data.get("state") == QuestionReport.State.OPEN:
            if others_open(self.instance):
                self.add_error("state", "Its writer has another open report of this question.")
            if self.instance.answered and not data.get("why"):
                self.add_error("why", "A report that is opened again says why.")
        elif "state" in data and not data.get("answer"):
            self.add_error("answer", "A report ends with an answer.")
        return data


@admin.register(QuestionReport)
class QuestionReportAdmin(PageAdmin):
    """What people say is wrong with questions. Who may change reports answers them; the words of
    the report stay."""

    form = QuestionReportForm

    list_display = ["question", "category", "state", "created", "reporter"]
    list_filter = ["state", "category", "question__benchmark"]
    list_select_related = ["question", "reporter"]
    search_fields = ["question__public_id", "text"]
    fields = [
        "question",
        "reporter",
        "category",
        "text",
        "created",
        "state",
        "answer",
        "why",
        "answered",
        "answered_by",
        "history",
    ]
    readonly_fields = [
        "question",
        "reporter",
        "category",
        "text",
        "created",
        "answered",
        "answered_by",
        "history",
    ]

    def get_urls(self) -> list[URLPattern]:
        change = self.page("<path:object_id>/change/", self.change_view, "change")
        return [change, *super().get_urls()]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        user, where = user_of(request), request.path
        typed = {
            "ticket": ticket_for(user=user, path=where, title="Answer to a report"),
            "kept": unsaved_text(user=user, path=where),
        }
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **typed})

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> QuestionReport | None:
        """For the form with what was typed into it and not sent."""
        found: QuestionReport | None = super().get_object(request, object_id, from_field)
        kept = unsaved_text(user=user_of(request), path=request.path)
        if found and kept and request.method == "GET" and self.has_change_permission(request):
            found.answer = kept.fields.get("answer", found.answer)
        return found

    @admin.display(description="Changes")
    def history(self, obj: QuestionReport) -> str:
        """Every change of its state, the newest first."""
        rows = obj.changes.select_related("by").order_by("-at", "-pk")
        lines = [
            (
                f"{change.at:%Y-%m-%d %H:%M}",
                change.by.get_username() if change.by else "somebody whose account is gone",
                change.get_state_display(),
                f": {change.answer}" if change.answer else "",
                f" (why: {change.why})" if change.why else "",
            )
            for change in rows
        ]
        if not lines:
            return "Nobody has answered it yet."
        return format_html_join(
            mark_safe("<br>"),
            "{} UTC, {}: <b>{}</b>{}{}",
            lines,
        )

    def view_on_site(self, obj: QuestionReport) -> str:
        return reverse("question", args=[obj.question_id])

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(
        self, request: HttpRequest, obj: QuestionReport, form: Any, change: bool
    ) -> None:
        assert request.user.is_authenticated
        answer_report(
            report=obj,
            state=obj.state,
            answer=obj.answer,
            by=request.user,
            why=form.cleaned_data.get("why", ""),
        )
        discard_text(user=request.user, path=request.path)


class ProjectGroupAdmin(LoggedAdmin, GroupAdmin):
    """The groups that the project itself made keep their names and stay; what else a site wants is
    its own affair."""

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        """Asked for each of several groups as well, by the action that deletes what was chosen."""
        if obj is not None and obj.name in PROJECT_GROUPS:
            return False
        return super().has_delete_permission(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Group | None = None) -> list[str]:
        kept = ["name"] if obj is not None and obj.name in PROJECT_GROUPS else []
        return [*super().get_readonly_fields(request, obj), *kept]


admin.site.unregister(Group)
admin.site.register(Group, ProjectGroupAdmin)
