"""What the link of an invitation opens. The key leaves the address at once, for the session: what
follows is in no log and sent to no other site."""

from collections.abc import Mapping
from typing import Any

from allauth.account.utils import perform_login
from allauth.core.internal import ratelimit
from django import forms
from django.contrib import messages
from django.contrib.auth import password_validation
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from benchmarks.common.groups import STAFF_GROUPS
from benchmarks.common.invitations import InvitationRefusedError
from benchmarks.submissions.forms import NameField
from benchmarks.submissions.naming.addresses import owner_of
from benchmarks.submissions.naming.public_names import PUBLIC_NAME_LENGTH, NameTakenError
from leaderboard.models.invitations import PersonInvitation
from leaderboard.people.staff.invitations import NOT_VALID, join_groups, make_account

KEY = "person_invitation"
LIMIT = {"answer": "30/m/ip"}
"""A person opens a link and mistypes a password; keys of 256 bits are guessed by nobody."""


class NewAccountForm(forms.Form):
    name = NameField(
        max_length=PUBLIC_NAME_LENGTH,
        required=False,
        label="Name",
        help_text="The name others see. If empty, you are shown as a member with a number.",
    )
    password = forms.CharField(
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        strip=False,
        help_text="At least eight characters, and not a common password.",
    )
    again = forms.CharField(
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        strip=False,
        label="The same password again",
    )

    def __init__(self, *args: Any, email: str, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.email = email

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        password, again = data.get("password"), data.get("again")
        if password and again and password != again:
            self.add_error("again", "The two passwords differ.")
        elif password:
            try:
                password_validation.validate_password(password, User(email=self.email))
            except ValidationError as error:
                self.add_error("password", error)
        return data


@require_safe
@never_cache
def open_link(request: HttpRequest, key: str) -> HttpResponse:
    # or whoever asks for anything fills the table of sessions
    if PersonInvitation.objects.of_key(key).exists():
        request.session[KEY] = key
    return redirect("person-invitation")


@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def invitation(request: HttpRequest) -> HttpResponse:
    """Whoever is signed in agrees; whoever has an account signs in first; others make one."""
    found = PersonInvitation.objects.of_key(str(request.session.get(KEY, ""))).first()
    if found is None:
        return show(request, None, {"refusal": NOT_VALID}, status=404)
    if not ratelimit.consume(request, app=KEY, action="answer", config=LIMIT):
        too_many: HttpResponse = ratelimit.respond_429(request)
        return too_many
    owner = owner_of(found.email)
    if request.user.is_authenticated:
        return agree(request, found, is_theirs=request.user == owner)
    if owner is not None:
        return show(request, found, {"has_account": True})
    return new_account(request, found)


def agree(request: HttpRequest, found: PersonInvitation, *, is_theirs: bool) -> HttpResponse:
    assert isinstance(request.user, User)
    if not is_theirs:
        return show(request, found, {"is_others": True})
    if request.method != "POST":
        return show(request, found, {"agrees": True})
    try:
        join_groups(invitation=found, user=request.user)
    except InvitationRefusedError as error:
        return show(request, None, {"refusal": str(error)}, status=404)
    request.session.pop(KEY, None)
    messages.success(request, f"You are in: {', '.join(found.groups)}.")
    return redirect(next_page(found))


def new_account(request: HttpRequest, found: PersonInvitation) -> HttpResponse:
    """Signed in as allauth does it; staff are then asked for a second factor where the site wants
    one."""
    is_sent = request.method == "POST"
    form = NewAccountForm(request.POST if is_sent else None, email=found.email)
    if not form.is_valid():
        return show(request, found, {"form": form}, status=422 if is_sent else 200)
    name, password = form.cleaned_data["name"], form.cleaned_data["password"]
    try:
        user = make_account(invitation=found, name=name, password=password)
    except NameTakenError as error:
        form.add_error("name", str(error))
        return show(request, found, {"form": form}, status=422)
    except InvitationRefusedError as error:
        return show(request, None, {"refusal": str(error)}, status=404)
    request.session.pop(KEY, None)
    response: HttpResponse = perform_login(request, user, redirect_url=next_page(found))
    return response


def next_page(found: PersonInvitation) -> str:
    return reverse("admin:index" if STAFF_GROUPS & set(found.groups) else "home")


def show(
    request: HttpRequest,
    found: PersonInvitation | None,
    what: Mapping[str, Any],
    *,
    status: int = 200,
) -> HttpResponse:
    shown = {"invitation": found, **what}
    return render(request, "people/invitation.html", shown, status=status)
