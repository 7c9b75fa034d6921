"""Models and tokens in the admin. Submissions stand in leaderboard/people/staff, where what a step
does to boards is known."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest

from benchmarks.admin import ReadOnlyAdmin
from benchmarks.submissions.models import AccessToken, EvaluatedModel
from benchmarks.submissions.staff_steps import Step, StepsAdmin, counted
from benchmarks.submissions.teams import admin as team_admin
from benchmarks.submissions.tokens import revoke_token

__all__ = ["team_admin"]  # Django looks for this module alone


class LookalikeFilter(admin.SimpleListFilter):
    title = "names"
    parameter_name = "names"

    def lookups(
        self, request: HttpRequest, model_admin: "admin.ModelAdmin[Any]"
    ) -> list[tuple[str, str]]:
        return [("alike", "The same as another account's, or easily taken for it")]

    def queryset(
        self, request: HttpRequest, queryset: "QuerySet[EvaluatedModel]"
    ) -> "QuerySet[EvaluatedModel]":
        if self.value() != "alike":
            return queryset
        return queryset.filter(pk__in=EvaluatedModel.objects.named_as_others())


@admin.register(EvaluatedModel)
class EvaluatedModelAdmin(ReadOnlyAdmin):
    list_display = ["name", "organisation", "owner", "is_open_weights"]
    list_filter = [LookalikeFilter]
    list_select_related = ["owner"]
    ordering = ["skeleton", "name"]  # names that are easily taken for one another stand together
    search_fields = ["name", "organisation"]
    formfield_overrides = {
        models.URLField: {"assume_scheme": "https"}
    }  # Django 6's, without warning


def revoke(token: AccessToken, reason: str, by: User) -> bool:
    revoke_token(owner=token.owner, token_id=token.pk)
    return True


def programs_that_end(tokens: Sequence[AccessToken]) -> list[str]:
    owners = len({token.owner_id for token in tokens})
    used = sum(token.last_used is not None for token in tokens)
    return [
        f"Programs that send one of these are refused from now on: {counted(len(tokens), 'token')}"
        f" of {counted(owners, 'account')}, {used:,} used before."
    ]


REVOKE = Step(
    slug="revoke",
    title="Revoke",
    done="Revoked",
    permission="submissions.change_accesstoken",
    explained="A revoked token is refused. Nothing submitted with it changes.",
    way_back="Not possible: its owner makes another token.",
    fits=lambda found: found.filter(revoked__isnull=True),
    follows=programs_that_end,
    state=lambda token: {"revoked": str(token.revoked or "")},
    change=revoke,
)


@admin.register(AccessToken)
class AccessTokenAdmin(StepsAdmin, ReadOnlyAdmin):
    """Which keys there are and when they were used; the digest, by which one is found, is shown to
    nobody."""

    list_display = [
        "prefix",
        "owner",
        "scope",
        "name",
        "created",
        "last_used",
        "expires",
        "revoked",
    ]
    list_filter = ["scope", ("revoked", admin.EmptyFieldListFilter)]
    list_select_related = ["owner"]
    search_fields = ["prefix", "name", "owner__username", "owner__email"]
    exclude = ["digest"]
    steps = [REVOKE]

    def log_name(self, obj: Any) -> str:
        return f"token {obj.prefix}"
