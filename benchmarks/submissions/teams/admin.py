"""Teams in the admin: staff look, grant the badge "verified team", and raise limits for a while.

Both are written once and never changed: who decided, when and why stays.
"""

from typing import Any, cast

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils import timezone

from benchmarks.admin import ReadOnlyAdmin
from benchmarks.submissions.forms import ReasonField
from benchmarks.submissions.naming.public_names import team_name
from benchmarks.submissions.team_models import LimitRaise, Membership, Team, TeamVerification
from benchmarks.submissions.teams.services import decide_team_verification


class MembershipInline(admin.TabularInline):  # type: ignore[type-arg]  # generic only in the stubs
    model = Membership
    fields = ("user", "role", "since")
    readonly_fields = fields
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Team)
class TeamAdmin(ReadOnlyAdmin):
    list_display = ["name", "created", "closed", "verification"]
    list_select_related = ["public_name", "verification"]
    search_fields = ["public_name__name"]
    inlines = [MembershipInline]

    @admin.display(description="Name")
    def name(self, team: Team) -> str:
        return team_name(team)


class VerificationForm(forms.ModelForm):  # type: ignore[type-arg]  # generic only in the stubs
    reason = ReasonField(
        help_text="Public, with the day and your public name: say what was checked"
    )

    class Meta:
        model = TeamVerification
        fields = ["team", "is_verified", "reason"]


class LimitForm(forms.ModelForm):  # type: ignore[type-arg]  # generic only in the stubs
    reason = ReasonField(help_text="Kept in the history")

    class Meta:
        model = LimitRaise
        fields = ["owner", "team", "submissions_day", "unfinished", "files", "until", "reason"]

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if bool(data.get("owner")) == bool(data.get("team")):
            raise forms.ValidationError("Choose a person or a team, one of the two.")
        until = data.get("until")
        if until and until <= timezone.now():
            self.add_error("until", "Choose an instant that is still to come.")
        return data


class DecisionAdmin(ReadOnlyAdmin):
    """What is added and never changed."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super(ReadOnlyAdmin, self).has_add_permission(request)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Who decided is not asked, but told."""
        asked = super().get_fields(request, obj)
        return asked if obj is None else [*asked, "decided_by"]


@admin.register(TeamVerification)
class TeamVerificationAdmin(DecisionAdmin):
    form = VerificationForm
    list_display = ["team", "is_verified", "reason", "decided", "decided_by"]
    list_select_related = ["team__public_name", "decided_by"]
    raw_id_fields = ["team"]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        made = decide_team_verification(
            team=obj.team,
            is_verified=obj.is_verified,
            reason=obj.reason,
            by=cast(User, request.user),
        )
        obj.pk, obj._state.adding = made.pk, False


@admin.register(LimitRaise)
class LimitRaiseAdmin(DecisionAdmin):
    form = LimitForm
    list_display = [
        "owner_name",
        "submissions_day",
        "unfinished",
        "files",
        "until",
        "reason",
        "created",
        "decided_by",
    ]
    list_select_related = ["owner", "team__public_name", "decided_by"]
    raw_id_fields = ["owner", "team"]

    @admin.display(description="Whose")
    def owner_name(self, raised: LimitRaise) -> str:
        return team_name(raised.team) if raised.team else str(raised.owner)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        obj.decided_by = cast(User, request.user)
        super().save_model(request, obj, form, change)
