"""Links of the admin to other rows, for those alone who may open them: Django makes one of every
row that has a page, and who follows it is refused."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest


class LinkingAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic only in the stubs
    """Names a row that its reader may not open, and does not link to it."""

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        found = super().get_readonly_fields(request, obj)
        closed = closed_relations(self, request)
        return [*found, *(name_alone(closed[name]) for name in found if name in closed)]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fieldsets = super().get_fieldsets(request, obj)
        closed = closed_relations(self, request)
        if not closed:
            return fieldsets
        may_change = self.has_change_permission(request, obj)
        fixed = self.get_readonly_fields(request, obj) if may_change else closed
        named: dict[Any, Any] = {name: name_alone(closed[name]) for name in closed if name in fixed}
        return [
            (title, {**options, "fields": fields_named(options["fields"], named)})
            for title, options in fieldsets
        ]


def fields_named(fields: Iterable[Any], named: Mapping[Any, Any]) -> list[Any]:
    return list(dict.fromkeys(named.get(field, field) for field in fields))


def closed_relations(page: LinkingAdmin, request: HttpRequest) -> dict[str, Any]:
    """By name, fields that name a row of a model whose pages this person may not look at."""
    pages = page.admin_site._registry
    return {
        field.name: field
        for field in page.opts.fields
        if isinstance(field, models.ForeignKey)
        and field.related_model in pages
        and not pages[field.related_model].has_view_permission(request)
    }


@cache  # Django finds a read-only field by its identity
def name_alone(field: "models.ForeignKey[Any, Any]") -> Callable[[Any], str]:
    def named(row: Any) -> str:
        of = getattr(row, field.name)
        return "" if of is None else str(of)

    named.__name__ = field.name
    return admin.display(description=field.verbose_name)(named)
