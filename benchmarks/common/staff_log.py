"""The log of what staff did: written in the transaction that does it, whatever page it is done on.

Django's own history stays beside it, by object; that one is rows like any other, which a person
with a database shell may change, and says nothing of how things were before.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db import models, transaction
from django.forms import BaseForm
from django.http import HttpRequest

from benchmarks.common.admin_links import LinkingAdmin
from benchmarks.staff_models import NAME_LENGTH, REASON_LENGTH, StaffAction

ADDED, CHANGED, DELETED = "add", "change", "delete"
LONGEST_VALUE = 200  # of a field before and after: enough to see what it was
MOST_VALUES = 100  # of a list, as permissions of a group
PERSONAL = frozenset(("email", "first_name", "last_name", "password", "username"))
NOT_KEPT = "(not kept here)"
CHANGES = "_staff_changes"  # on a request: what its form changes, until it is written down


@transaction.atomic
def record_action(
    *,
    by: User | None,
    on: models.Model,
    name: str,
    what: str,
    sentence: str = "",
    told: str = "",
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    reason: str = "",
    undoes: StaffAction | None = None,
) -> StaffAction:
    """To be called in the transaction of what it tells of. Raises IntegrityError where `undoes` was
    undone before."""
    return StaffAction.objects.create(
        by=by,
        about=on._meta.label_lower,
        object_id=str(on.pk),
        name=name[:NAME_LENGTH],
        what=what,
        sentence=sentence,
        told=told,
        before=dict(before or {}),
        after=dict(after or {}),
        reason=reason[:REASON_LENGTH],
        undoes=undoes,
    )


class LoggedAdmin(LinkingAdmin):
    """Whatever Django writes into the history of an object stands in the log as well. Nothing is
    deleted from a list, where no page would say what that means."""

    def log_name(self, obj: Any) -> str:
        """What the log calls it: no names of people, which go when they leave."""
        return str(obj)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        found: dict[str, Any] = super().get_actions(request)
        found.pop("delete_selected", None)
        return found

    def construct_change_message(
        self, request: HttpRequest, form: Any, formsets: Any, add: bool = False
    ) -> Any:
        setattr(request, CHANGES, changes_of(form))
        return super().construct_change_message(request, form, formsets, add)

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> LogEntry:
        entry = super().log_addition(request, obj, message)
        self.write_action(request, obj, ADDED, entry.get_change_message())
        return entry

    def log_change(
        self, request: HttpRequest, obj: Any, message: Any, *, reason: str = ""
    ) -> LogEntry:
        entry = super().log_change(request, obj, message)
        self.write_action(request, obj, CHANGED, entry.get_change_message(), reason)
        return entry

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        for obj in queryset:
            self.write_action(request, obj, DELETED, "Deleted.")
        return super().log_deletions(request, queryset)

    def write_action(
        self, request: HttpRequest, obj: Any, what: str, sentence: str, reason: str = ""
    ) -> None:
        assert isinstance(request.user, User)
        before, after = getattr(request, CHANGES, ({}, {}))
        record_action(
            by=request.user,
            on=obj,
            name=self.log_name(obj),
            what=what,
            sentence=sentence,
            before=before,
            after=after,
            reason=reason,
        )


def changes_of(form: BaseForm) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of the fields that a form changes, what was and what is, as the log keeps it."""
    before, after = {}, {}
    for field in form.changed_data:
        if field in PERSONAL or field.startswith("password"):
            before[field] = after[field] = NOT_KEPT
            continue
        before[field] = kept_value(form.get_initial_for_field(form.fields[field], field))
        after[field] = kept_value(form.cleaned_data.get(field))
    return before, after


def kept_value(value: Any) -> Any:
    """The value as JSON, no longer than a reader wants it."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, User):
        return account_name(value)
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return sorted(str(kept_value(one)) for one in value)[:MOST_VALUES]
    return str(value)[:LONGEST_VALUE]


def account_name(user: User) -> str:
    """Of an account in the log: user names are made of e-mail addresses, and go with their
    owners."""
    return f"account {user.pk}"
