"""What the list of figures can be narrowed by, under the names that its addresses always had."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from benchmarks.models import Description
from judging.desk.queue.figures import MISSING, figures_of

State = Description.State


class ColumnFilter(admin.SimpleListFilter):
    """A value of one column. What is no choice is left out, and all are shown."""

    column = ""

    def value(self) -> str | None:
        found = super().value()
        return found if any(str(key) == found for key, _ in self.lookup_choices) else None

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> "QuerySet[Any]":
        return queryset if self.value() is None else queryset.filter(**{self.column: self.value()})


class BenchmarkFilter(ColumnFilter):
    title = "benchmark"
    parameter_name = "benchmark"
    column = "release__benchmark__slug"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[Any]:
        found = figures_of(request).benchmarks.values()
        return [(one.slug, one.title) for one in found]


class AbilityFilter(ColumnFilter):
    title = "ability"
    parameter_name = "ability"
    column = "question__subtask__ability"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[Any]:
        found = figures_of(request).subtasks
        return list({one.ability: one.ability_title for one in found}.items())


class SubtaskFilter(ColumnFilter):
    """Of the ability that is chosen."""

    title = "subtask"
    parameter_name = "subtask"
    column = "question__subtask"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[Any]:
        found, ability = figures_of(request).subtasks, request.GET.get("ability")
        return [(one.pk, one.title) for one in found if ability in (None, str(one.ability))]


class StateFilter(ColumnFilter):
    """Without a choice, what is not approved; an empty one is any state."""

    title = "state"
    parameter_name = "state"
    column = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[Any]:
        others = (State.DRAFT, State.IN_REVIEW, State.SENT_BACK, State.APPROVED)
        return [(MISSING, "no text yet"), *((one, str(one)) for one in others), ("", "any")]

    def choices(self, changelist: Any) -> Any:
        first, *others = super().choices(changelist)
        yield {**first, "display": "not approved"}
        yield from others

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> "QuerySet[Any]":
        if self.value() is None:
            return queryset.exclude(state=State.APPROVED)
        return super().queryset(request, queryset) if self.value() else queryset


class AuthorFilter(ColumnFilter):
    """Of the newest version."""

    title = "author"
    parameter_name = "author"
    column = "author"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[Any]:
        return people(request)


class AssignedFilter(ColumnFilter):
    title = "assigned to"
    parameter_name = "assigned"
    column = "asked"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[Any]:
        return [(0, "nobody"), *people(request)]

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> "QuerySet[Any]":
        if self.value() == "0":
            return queryset.filter(asked=None)
        return super().queryset(request, queryset)


def people(request: HttpRequest) -> list[Any]:
    names: dict[Any, str] = dict(figures_of(request).people)
    names[request.user.pk] = "me"
    return list(names.items())
