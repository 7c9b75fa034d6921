"""The page of an account, and the one on which people delete it."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.fields import PasswordField
from allauth.account.models import EmailAddress
from allauth.mfa.utils import is_mfa_enabled
from allauth.usersessions.models import UserSession
from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from benchmarks.submissions.models import AccessToken, Submission
from benchmarks.submissions.naming.public_names import public_name, team_name
from benchmarks.submissions.selectors import teams_of
from benchmarks.submissions.team_models import Team
from benchmarks.submissions.teams.services import heir_of
from leaderboard.models import DataExport
from leaderboard.people.accounts.other_sites import connected


def account_page(user: User) -> dict[str, Any]:
    """Counts, each by an index of the account's own rows. `waits_for`: an address that is to
    replace the present one once it is confirmed; `other_sites`: how many are connected, None where
    the site offers none."""
    addresses = EmailAddress.objects.filter(user=user)
    waiting = addresses.filter(verified=False).first()
    return {
        "email": user.email or user.username,
        "waits_for": waiting.email if waiting else "",
        "has_password": user.has_usable_password(),
        "other_sites": connected(user).count() if settings.SOCIALACCOUNT_PROVIDERS else None,
        "has_second_factor": is_mfa_enabled(user),
        "devices": UserSession.objects.filter(user=user).count(),
        "public_name": public_name(user),
        "teams": teams_of(user).count(),
        "tokens": AccessToken.objects.valid(timezone.now()).filter(owner=user).count(),
        "export": DataExport.objects.filter(owner=user).first(),
    }


def deletion_page(user: User) -> dict[str, Any]:
    kept = Submission.objects.not_withdrawn().filter(owner=user, team=None)
    published = kept.filter(visibility=Submission.Visibility.PUBLIC).count()
    return {
        "published": published,
        "private": kept.count() - published,
        "teams": [left_team(team, user) for team in teams_of(user)],
    }


def left_team(team: Team, user: User) -> dict[str, Any]:
    """What becomes of a team when the account is deleted: it has an `heir`, or is closed, or goes
    on with its other owners."""
    heir, is_closed = heir_of(team, user)
    return {
        "name": team_name(team),
        "heir": public_name(heir.user) if heir else "",
        "is_closed": is_closed,
    }


class DeletionForm(forms.Form):
    password = PasswordField(
        label="Your password",
        autocomplete="current-password",
        help_text="In case someone finds your browser open.",
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_password(self) -> str:
        """Wrong ones count as they do at sign-in."""
        password: str = self.cleaned_data["password"]
        if not get_adapter().reauthenticate(self.user, password):
            raise forms.ValidationError("This is not your password.", code="password")
        return password
