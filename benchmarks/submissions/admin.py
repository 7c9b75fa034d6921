"""Submissions in the admin: staff may look, and withdraw; nobody edits an answer."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from benchmarks.admin import ReadOnlyAdmin
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import withdraw_submission


@admin.register(EvaluatedModel)
class EvaluatedModelAdmin(ReadOnlyAdmin):
    list_display = ["name", "organisation", "owner", "is_open_weights"]
    search_fields = ["name", "organisation"]


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = ["model", "release", "owner", "origin", "visibility", "created", "withdrawn"]
    list_filter = ["release", "origin", "visibility"]
    search_fields = ["model__name", "sha256", "file_name"]
    exclude = ["file"]
    actions = ["withdraw"]

    @admin.action(description="Withdraw (leaves a tombstone)", permissions=["withdraw"])
    def withdraw(self, request: HttpRequest, queryset: "QuerySet[Submission]") -> None:
        for submission in queryset:
            withdraw_submission(submission=submission)

    def has_withdraw_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("submissions.change_submission")
