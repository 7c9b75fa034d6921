"""Content in the admin: to look at. Releases change by import only; descriptions are written in judging's admin."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from benchmarks.models import Benchmark, Figure, FigureImage, Question, Reference, Release
from benchmarks.references import add_reference, may_change


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic only in the stubs
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


@admin.register(Release)
class ReleaseAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic only in the stubs
    """State and title may change; the database refuses the rest."""

    list_display = ["title", "slug", "state", "question_count", "opened"]
    list_filter = ["benchmark", "state"]
    fields = [
        "benchmark",
        "slug",
        "title",
        "state",
        "references_are_public",
        "checksum",
        "question_count",
        "anomalies",
        "opened",
    ]
    readonly_fields = ["benchmark", "slug", "checksum", "question_count", "anomalies", "opened"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


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


@admin.register(Question)
class QuestionAdmin(ReadOnlyAdmin):
    list_display = ["public_id", "subtask", "text"]
    list_filter = ["subtask__ability", "releases"]
    search_fields = ["public_id", "text"]


class ReferenceForm(forms.ModelForm):  # type: ignore[type-arg]  # generic only in the stubs
    class Meta:
        model = Reference
        fields = ["question", "text"]

    def clean_question(self) -> Question:
        question: Question = self.cleaned_data["question"]
        if not may_change(question):
            raise forms.ValidationError("Every release with this question is closed; its reference stays as it is.")
        return question


@admin.register(Reference)
class ReferenceAdmin(ReadOnlyAdmin):
    """A reference is written as a new version and never edited."""

    list_display = ["question", "version", "origin", "maker", "is_stale", "text"]
    list_filter = ["origin", "question__benchmark"]
    list_select_related = ["question", "description"]
    search_fields = ["question__public_id", "text"]
    form = ReferenceForm
    autocomplete_fields = ["question"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("benchmarks.add_reference")

    def save_model(self, request: HttpRequest, obj: Reference, form: Any, change: bool) -> None:
        made = add_reference(
            question=obj.question, text=obj.text, origin=Reference.Origin.HUMAN, maker=str(request.user)
        )
        obj.pk = made.pk

    @admin.display(boolean=True, description="stale")
    def is_stale(self, obj: Reference) -> bool:
        """Made from a description that is no longer the approved one."""
        return obj.description is not None and obj.description.is_superseded
