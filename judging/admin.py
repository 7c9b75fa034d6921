"""Judging in the admin: all can be looked at, and only descriptions are written. No verdict is changed by hand."""

from django.contrib import admin

from benchmarks.admin import ReadOnlyAdmin
from benchmarks.models import Description
from judging.description_admin import DescriptionAdmin
from judging.models import JudgeCall, Judgement, JudgeRun, JudgeSpec, PromptSet

admin.site.register(Description, DescriptionAdmin)


@admin.register(PromptSet)
class PromptSetAdmin(ReadOnlyAdmin):
    list_display = ["protocol", "version", "content_hash", "created"]


@admin.register(JudgeSpec)
class JudgeSpecAdmin(ReadOnlyAdmin):
    list_display = ["slug", "protocol", "kind", "model", "repeats", "created"]
    list_filter = ["protocol", "kind"]


@admin.register(JudgeRun)
class JudgeRunAdmin(ReadOnlyAdmin):
    list_display = ["submission", "judge_spec", "created", "planned"]
    list_select_related = ["submission__model", "submission__release", "judge_spec"]


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
