"""The pages of an account, of what the site holds of a person, as a file too, and the one on which
people delete it."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.fields import PasswordField
from allauth.account.models import EmailAddress
from allauth.mfa.utils import is_mfa_enabled
from allauth.usersessions.internal.flows.sessions import end_sessions
from allauth.usersessions.models import UserSession
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmarks.submissions.models import AccessToken, Submission
from benchmarks.submissions.naming.public_names import public_name, team_name
from benchmarks.submissions.selectors import teams_of
from benchmarks.submissions.team_models import Team
from benchmarks.submissions.teams.services import heir_of
from leaderboard.models import DataExport
from leaderboard.operations.files.data_exports import ask_for_export
from leaderboard.people.accounts import services as accounts
from leaderboard.people.accounts.other_sites import connected


@login_required
@never_cache
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    assert request.user.is_authenticated
    return render(request, "people/account.html", {"page": account_page(request.user)})


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def data_export(request: HttpRequest) -> HttpResponse:
    assert request.user.is_authenticated
    if request.method == "POST":
        ask_for_export(owner=request.user)
        return redirect("data-export")
    export = DataExport.objects.filter(owner=request.user).first()
    return render(request, "people/data_export.html", {"export": export})


@login_required
@never_cache
@require_safe
def data_export_file(request: HttpRequest) -> FileResponse:
    """Of whoever asks, and nobody else's: no address names a person."""
    export = DataExport.objects.filter(owner=request.user.pk, made__isnull=False).first()
    if export is None:
        raise Http404("First request a copy of your data on the page Your data.")
    try:
        file = export.file.open("rb")
    except FileNotFoundError:
        raise Http404(
            "The copy has expired; it was kept for a week. Request another one."
        ) from None
    return FileResponse(
        file, as_attachment=True, filename="your-data.zip", content_type="application/zip"
    )


@login_required
@never_cache
@require_POST
def end_device(request: HttpRequest, device_id: int) -> HttpResponse:
    """Signs one of one's own browsers out; where that is this one, whoever asked too."""
    device = get_object_or_404(UserSession, user=request.user.pk, pk=device_id)
    end_sessions(request, [device])
    messages.success(request, "Signed out there.")
    return redirect("usersessions_list")


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def delete_account(request: HttpRequest) -> HttpResponse:
    assert request.user.is_authenticated
    form = DeletionForm(request.POST or None, user=request.user)
    if form.is_valid():
        try:
            accounts.delete_account(user=request.user)
        except accounts.LastAdminError as error:
            form.add_error(None, str(error))
        else:
            logout(request)
            messages.success(request, "Your account is deleted.")
            return redirect("home")
    page = deletion_page(request.user)
    status = 422 if form.errors else 200
    return render(
        request, "people/account_delete.html", {"page": page, "form": form}, status=status
    )


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
