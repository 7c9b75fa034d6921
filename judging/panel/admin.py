"""What people said, in the admin: files of ratings are handed in and withdrawn; no rating is
edited."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from benchmarks.admin import ReadOnlyAdmin
from benchmarks.forms.typed_text import TypedTextField
from benchmarks.forms.uploaded_file import TakesFile
from benchmarks.protocols.base import Problem
from benchmarks.submissions.intake.problem_groups import grouped
from benchmarks.submissions.pages import RefusedPage
from benchmarks.wake import wake
from judging.panel.models import MAX_REASON_CHARACTERS, Rating, RatingFile, Study
from judging.panel.selectors import rating_counts
from judging.panel.services import RatingsRefusedError, import_ratings, withdraw_ratings
from judging.panel.study_admin import StudyAdmin

admin.site.register(Study, StudyAdmin)


class RatingFileForm(TakesFile, forms.Form):
    file = forms.FileField(
        allow_empty_file=True,
        max_length=10_000,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv"}),
        help_text=".csv or .tsv, UTF-8, at most 20 MiB",
    )


class WithdrawForm(forms.Form):
    reason = TypedTextField(
        limit=MAX_REASON_CHARACTERS,
        what="A reason",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Kept with the file",
    )


@admin.register(RatingFile)
class RatingFileAdmin(ReadOnlyAdmin):
    list_display = [
        "file_name",
        "rating_count",
        "entries",
        "uploaded_by",
        "created",
        "withdrawn",
        "reason",
    ]
    list_select_related = ["uploaded_by"]
    search_fields = ["file_name", "sha256"]
    fields = [
        "file_name",
        "sha256",
        "rating_count",
        "contents",
        "uploaded_by",
        "created",
        "withdrawn",
        "reason",
    ]
    readonly_fields = ["contents"]

    def get_urls(self) -> list[URLPattern]:
        withdraw = path(
            "<path:object_id>/withdraw/",
            self.admin_site.admin_view(self.withdraw_view),
            name="panel_ratingfile_withdraw",
        )
        return [withdraw, *super().get_urls()]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("panel.add_ratingfile")

    def get_queryset(self, request: HttpRequest) -> "QuerySet[RatingFile]":
        return RatingFile.objects.annotate(entries=Count("submissions"))

    @admin.display(ordering="entries")
    def entries(self, file: RatingFile) -> int:
        return file.entries  # type: ignore[attr-defined,no-any-return]  # annotated

    @admin.display(description="ratings of each entry")
    def contents(self, file: RatingFile) -> SafeString:
        lines = (
            (line.model, line.submission, line.dimension, f"{line.count:,}")
            for line in rating_counts(file)
        )
        return format_html_join("", "<div>{} ({}), {}: {}</div>", lines)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The file is imported whole, or every problem in it is shown and nothing is stored."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        if request.method != "POST":
            return self.show_add(request, RatingFileForm())
        form = RatingFileForm(request.POST, request.FILES)
        if not form.is_valid():
            return self.show_add(request, form, status=422)
        try:
            # nobody gets here who is not signed in
            imported = import_ratings(upload=form.upload(), by=request.user)  # type: ignore[arg-type]
        except RatingsRefusedError as error:
            return self.show_add(request, form, error.problems, status=422)
        if imported.is_new:
            self.log_addition(request, imported.file, f"Imported {imported.count:,} ratings.")
            messages.success(
                request,
                f"{imported.count:,} ratings are imported; the scores that use them follow.",
            )
            wake()
        else:
            messages.info(request, "This file has already been imported. Nothing changed.")
        return self.response_post_save_add(request, imported.file)

    def show_add(
        self,
        request: HttpRequest,
        form: RatingFileForm,
        problems: tuple[Problem, ...] = (),
        status: int = 200,
    ) -> HttpResponse:
        refused = RefusedPage(problems, grouped(problems)) if problems else None
        return self.render(
            request, "add", "Import ratings", status=status, form=form, refused=refused
        )

    def withdraw_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The ratings stay where they are and count no longer."""
        if not self.has_withdraw_permission(request):
            raise PermissionDenied
        file: RatingFile | None = self.get_object(request, object_id)
        if file is None:
            raise Http404("There is no such file of ratings.")
        is_sent = request.method == "POST"
        form = WithdrawForm(request.POST if is_sent else None)
        if not form.is_valid():
            status = 422 if is_sent else 200
            return self.render(
                request, "withdraw", f"Withdraw {file}", status=status, form=form, file=file
            )
        reason = form.cleaned_data["reason"]
        if withdraw_ratings(file=file, reason=reason):
            self.log_change(request, file, f"Withdrawn: {reason}")
            messages.success(
                request, f"The file {file} is withdrawn; the scores that used its ratings follow."
            )
            wake()
        else:
            messages.info(request, f"The file {file} was withdrawn before. Nothing changed.")
        return self.response_post_save_change(request, file)

    def has_withdraw_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("panel.change_ratingfile")


@admin.register(Rating)
class RatingAdmin(ReadOnlyAdmin):
    list_display = ["item", "entry", "rater", "dimension", "score", "file", "is_withdrawn"]
    list_filter = ["is_withdrawn", "dimension"]
    list_select_related = ["answer__question", "answer__submission__model", "file"]
    search_fields = ["rater", "answer__question__public_id"]
    show_full_result_count = False

    @admin.display(description="item")
    def item(self, rating: Rating) -> str:
        return rating.answer.question.public_id

    @admin.display(description="entry")
    def entry(self, rating: Rating) -> str:
        return f"{rating.answer.submission.model} ({rating.answer.submission_id})"
