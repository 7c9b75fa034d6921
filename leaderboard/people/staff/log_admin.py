"""The log of what staff did, to be read: who, when, what, how it was before and after, and why."""

from datetime import timedelta
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from benchmarks.admin import ReadOnlyAdmin
from benchmarks.staff_models import StaffAction
from benchmarks.submissions.staff_steps import StepsAdmin
from leaderboard.people.staff.undoing import UNDO, is_withdrawal, refusals, why_not

A_PAGE = 50
MOST_PEOPLE = 200
"""Staff that the filter names; a site with more asks by the search."""
PERIODS = {"1": "The last 24 hours", "7": "The last 7 days", "30": "The last 30 days"}


class WhoFilter(admin.SimpleListFilter):
    """Of the accounts that are staff, not of the log, which only grows."""

    title = "who"
    parameter_name = "who"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        staff = User.objects.filter(is_staff=True).order_by("username")[:MOST_PEOPLE]
        return [(str(user.pk), user.get_username()) for user in staff]

    def queryset(
        self, request: HttpRequest, queryset: "QuerySet[StaffAction]"
    ) -> "QuerySet[StaffAction]":
        known = {key for key, _ in self.lookup_choices}
        chosen = str(self.value())
        return queryset.filter(by=int(chosen)) if chosen in known else queryset


class AboutFilter(admin.SimpleListFilter):
    title = "kind of object"
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        models = admin.site._registry
        return sorted((m._meta.label_lower, str(m._meta.verbose_name)) for m in models)

    def queryset(
        self, request: HttpRequest, queryset: "QuerySet[StaffAction]"
    ) -> "QuerySet[StaffAction]":
        known = {key for key, _ in self.lookup_choices}
        return queryset.filter(about=self.value()) if self.value() in known else queryset


class WhenFilter(admin.SimpleListFilter):
    title = "when"
    parameter_name = "days"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(PERIODS.items())

    def queryset(
        self, request: HttpRequest, queryset: "QuerySet[StaffAction]"
    ) -> "QuerySet[StaffAction]":
        if self.value() not in PERIODS:
            return queryset
        days = timedelta(days=int(str(self.value())))
        return queryset.filter(at__gte=timezone.now() - days)


class StaffActionAdmin(StepsAdmin, ReadOnlyAdmin):
    list_display = ["at", "who", "what", "name", "about", "reason", "sentence", "undoing"]
    list_display_links = ["at"]
    list_filter = [WhenFilter, WhoFilter, AboutFilter]
    list_select_related = ["by", "undone_by"]
    list_per_page = A_PAGE
    search_fields = ["name", "=object_id", "reason"]
    show_full_result_count = False
    fields = ["at", "who", "what", "object", "reason", "sentence", "told", "changes", "undone"]
    readonly_fields = [
        "at",
        "who",
        "what",
        "object",
        "reason",
        "sentence",
        "told",
        "changes",
        "undone",
    ]
    steps = [UNDO]

    def log_more(self, row: Any) -> dict[str, Any]:
        return {"undoes": row}

    def get_sortable_by(self, request: HttpRequest) -> tuple[()]:
        """In the order in which it happened alone: no other has an index."""
        return ()

    @admin.display(description="Who")
    def who(self, action: StaffAction) -> str:
        return action.by.get_username() if action.by else "at the terminal"

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """What keeps withdrawals from being undone is looked up for all of the page at once."""
        found = super().get_changelist_instance(request)
        rows = [row for row in found.result_list if is_withdrawal(row)]
        refused = refusals(rows) if rows else {}
        for row in rows:
            refusal = refused.get(row.pk)
            row.undoing = refusal.word if refusal else "possible"
        return found

    @admin.display(description="Undo")
    def undoing(self, action: Any) -> str:
        """Done, possible, or what keeps it; nothing where the step names its own way back."""
        return str(getattr(action, "undoing", ""))

    def get_object(self, request: HttpRequest, object_id: str, from_field: Any = None) -> Any:
        """With it goes whether who reads of it may open what it is about."""
        found: Any = super().get_object(request, object_id, from_field)
        if found is not None:
            found.may_open = self.may_open(request, found)
        return found

    def may_open(self, request: HttpRequest, action: StaffAction) -> bool:
        try:
            page = self.admin_site._registry[apps.get_model(action.about)]
        except (LookupError, ValueError):  # what this site does not have any more
            return False
        return page.has_view_permission(request)

    @admin.display(description="Object")
    def object(self, action: Any) -> str:
        try:
            name = apps.get_model(action.about)._meta.verbose_name
            place = action.about.replace(".", "_")
            url = reverse(f"admin:{place}_change", args=[action.object_id])
        except (LookupError, NoReverseMatch):
            return f"{action.name} ({action.about} {action.object_id})"
        if not getattr(action, "may_open", False):
            return f"{action.name} ({name})"
        return format_html('<a href="{}">{}</a> ({})', url, action.name, name)

    @admin.display(description="What changed")
    def changes(self, action: StaffAction) -> str:
        lines = [
            (field, shown(action.before.get(field)), shown(action.after.get(field)))
            for field in sorted({*action.before, *action.after})
        ]
        return table_of(lines) if lines else "Nothing that has fields."

    @admin.display(description="Undone by")
    def undone(self, action: StaffAction) -> str:
        later = getattr(action, "undone_by", None)
        if later is None:
            why = why_not(action) if is_withdrawal(action) else ""
            return f"Nobody undid it. {why}".strip()
        url = reverse("admin:benchmarks_staffaction_change", args=[later.pk])
        return format_html('<a href="{}">{} UTC</a>', url, f"{later.at:%Y-%m-%d %H:%M}")


def table_of(lines: list[tuple[str, str, str]]) -> SafeString:
    return format_html(
        '<table><thead><tr><th scope="col">Field</th><th scope="col">Before</th>'
        '<th scope="col">After</th></tr></thead><tbody>{}</tbody></table>',
        format_html_join(
            mark_safe(""), '<tr><th scope="row">{}</th><td>{}</td><td>{}</td></tr>', lines
        ),
    )


def shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "–"
    return "–" if value in (None, "") else str(value)


admin.site.register(StaffAction, StaffActionAdmin)
