"""Accounts, their addresses and second factors in the admin. Nobody is deleted here: who leaves
deletes the account on the site, and whoever must not come in is switched off.
"""

from collections.abc import Sequence
from typing import Any

from allauth.account import admin as of_addresses  # noqa: F401 - registers what is replaced here
from allauth.account.models import EmailAddress
from allauth.account.utils import has_verified_email
from allauth.mfa import admin as of_factors  # noqa: F401 - the same
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from benchmarks.admin import ReadOnlyAdmin
from benchmarks.common.groups import STAFF_GROUPS
from benchmarks.common.staff_log import LoggedAdmin, account_name
from benchmarks.submissions.models import AccessToken, Submission
from benchmarks.submissions.staff_steps import Step, StepRefusedError, StepsAdmin, counted
from leaderboard.people.accounts.holders import drop_claims, hand_over
from leaderboard.people.accounts.second_factor import FACTORS

UNCONFIRMED = (
    "The e-mail address of this account is not confirmed, so it may be a stranger's. Give it "
    "rights once its owner has confirmed it."
)
LAST_ADMIN = "It is the only account that may do everything. Give another one that right first."


def is_last_admin(user: User) -> bool:
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
    return user.is_superuser and user.is_active and not others.exists()


# --- accounts -------------------------------------------------------------------------------------


def after_switching_off(chosen: Sequence[User]) -> list[str]:
    keys = [user.pk for user in chosen]
    devices = UserSession.objects.filter(user__in=keys).count()
    tokens = AccessToken.objects.valid(timezone.now()).filter(owner__in=keys).count()
    entries = Submission.objects.not_withdrawn().filter(owner__in=keys)
    public = entries.filter(visibility="public").count()
    private = entries.filter(visibility="private").count()
    return [
        f"They are signed out on {counted(devices, 'device')} and cannot sign in.",
        f"{counted(tokens, 'token of theirs is', 'tokens of theirs are')} refused.",
        f"{counted(public, 'public entry', 'public entries')} and {private:,} private ones stay as"
        " they are; so does what they wrote.",
    ]


def switch_off(user: User, reason: str, by: User) -> bool:
    if user.pk == by.pk:
        raise StepRefusedError("Nobody switches off their own account.")
    if is_last_admin(user):
        raise StepRefusedError(LAST_ADMIN)
    return bool(User.objects.filter(pk=user.pk, is_active=True).update(is_active=False))


SWITCH_OFF = Step(
    slug="switch_off",
    title="Switch off",
    done="Switched off",
    permission="auth.change_user",
    explained="No one can use an account that is switched off: not by password, not through "
    "another site, not by token.",
    way_back="Switch on.",
    fits=lambda found: found.filter(is_active=True),
    follows=after_switching_off,
    state=lambda user: {"is_active": user.is_active},
    change=switch_off,
)
SWITCH_ON = Step(
    slug="switch_on",
    title="Switch on",
    done="Switched on",
    permission="auth.change_user",
    explained="They can sign in again, with the same password and second factor.",
    way_back="Switch off.",
    fits=lambda found: found.filter(is_active=False),
    follows=lambda chosen: [
        f"{counted(len(chosen), 'account')} may do again what its groups may do."
    ],
    state=lambda user: {"is_active": user.is_active},
    change=lambda user, reason, by: bool(
        User.objects.filter(pk=user.pk, is_active=False).update(is_active=True)
    ),
)


class AccountForm(UserChangeForm):  # type: ignore[type-arg]  # generic only in the stubs
    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if self.grants(data) and not has_verified_email(self.instance):
            raise ValidationError(UNCONFIRMED)
        return data

    def grants(self, data: dict[str, Any]) -> bool:
        """Whether the account may do more than before."""
        user = self.instance
        had = {name: getattr(user, name).all() for name in ("groups", "user_permissions")}
        return (data.get("is_superuser") and not self.initial["is_superuser"]) or any(
            set(data.get(name, ())) - set(rows) for name, rows in had.items()
        )

    def clean_is_superuser(self) -> bool:
        stays = bool(self.cleaned_data["is_superuser"])
        if not stays and is_last_admin(self.instance):
            self.add_error("is_superuser", LAST_ADMIN)
        return stays


class AccountAdmin(StepsAdmin, UserAdmin):  # type: ignore[type-arg]  # generic only in the stubs
    """Groups and rights. Who is in a group that works in the admin is staff by that."""

    form = AccountForm
    steps = [SWITCH_OFF, SWITCH_ON]
    fieldsets = (
        (None, {"fields": ("username", "email", "password", "is_active", "is_staff")}),
        ("What they may do", {"fields": ("groups", "is_superuser", "user_permissions")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    # Addresses are confirmed by their owners; by the others nobody signs in.
    readonly_fields = (
        "username",
        "email",
        "is_active",
        "is_staff",
        "last_login",
        "date_joined",
    )
    list_display = ("username", "email", "is_staff", "is_superuser", "is_active")

    def log_name(self, obj: Any) -> str:
        return account_name(obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def add_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """People sign in by an address, which Django's form does not ask for."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        return redirect("admin:leaderboard_personinvitation_add")

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        follow_groups(form.instance)


def follow_groups(user: User) -> None:
    """Who works in the admin by a group, or may do everything, is staff; who has left the last such
    group is not, but for those who were given rights of their own."""
    is_staff = (
        user.is_superuser
        or user.groups.filter(name__in=STAFF_GROUPS).exists()
        or (user.is_staff and user.user_permissions.exists())
    )
    if is_staff != user.is_staff:
        user.is_staff = is_staff
        user.save(update_fields=["is_staff"])


# --- their second factors -------------------------------------------------------------------------


def remove_factor(factor: Authenticator, reason: str, by: User) -> bool:
    """With the last one its recovery codes go, which stand in for it."""
    of_user = Authenticator.objects.filter(user=factor.user)
    gone, _ = of_user.filter(pk=factor.pk).delete()
    if not of_user.filter(type__in=FACTORS).exists():
        of_user.delete()
    return bool(gone)


def after_removing(chosen: Sequence[Authenticator]) -> list[str]:
    users = {factor.user_id: factor.user for factor in chosen}
    staff = sum(user.is_staff for user in users.values())
    return [
        f"{counted(len(users), 'account')} can be entered by the password alone, until its owner"
        " sets up another factor.",
        f"Staff among them, who are asked to set one up before they see anything: {staff:,}.",
    ]


REMOVE_FACTOR = Step(
    slug="remove",
    title="Remove the factor",
    done="Removed",
    permission="mfa.delete_authenticator",
    explained="For a person who lost their phone and recovery codes. Make sure that it really is "
    "that person who asks: by voice, or in another way you trust.",
    way_back="Not possible: its owner sets up another one.",
    fits=lambda found: found.all(),
    follows=after_removing,
    state=lambda factor: {"type": factor.type, "of": account_name(factor.user)},
    change=remove_factor,
)


class AuthenticatorAdmin(StepsAdmin, ReadOnlyAdmin):
    """Who has which factor; secrets are shown to nobody."""

    list_display = ["user", "type", "created_at", "last_used_at"]
    list_filter = ["type"]
    list_select_related = ["user"]
    search_fields = ["user__username", "user__email"]
    exclude = ["data"]
    steps = [REMOVE_FACTOR]

    def log_name(self, obj: Any) -> str:
        return f"{obj.type} of {account_name(obj.user)}"


# --- their addresses ------------------------------------------------------------------------------


def confirm_for_owner(address: EmailAddress, reason: str, by: User) -> bool:
    """Who made the account is not known, only who is told of it: see holders.py."""
    if not address.can_set_verified():
        raise StepRefusedError("Another account confirmed this address.")
    hand_over(user=address.user, email=address.email)
    address.set_verified()
    drop_claims(address.email)
    return True


def after_confirming(chosen: Sequence[EmailAddress]) -> list[str]:
    users = {address.user_id for address in chosen}
    confirmed = EmailAddress.objects.filter(verified=True, user__in=users)
    added_to = set(confirmed.values_list("user", flat=True))
    first = users - added_to
    sentences = [
        f"{counted(len(chosen), 'address', 'addresses')} can be signed in with, and resets the"
        " password of the account."
    ]
    if first:
        sentences.append(
            f"{counted(len(first), 'account')} had no confirmed address, and a stranger may have"
            " made it: its password, connected sites, second factors and tokens end. Then set a"
            " password on the account's page, and tell it to the owner."
        )
    if added_to:
        sentences.append(
            f"{counted(len(added_to), 'account has', 'accounts have')} another confirmed address."
            " Make sure both addresses belong to the same person: anyone can add one."
        )
    return sentences


CONFIRM_ADDRESS = Step(
    slug="confirm",
    title="Confirm for its owner",
    done="Confirmed",
    permission="account.change_emailaddress",
    explained="As if its owner had opened the link in the email. Use it if email does not arrive "
    "and you know whose address it is.",
    way_back="None.",
    fits=lambda found: found.filter(verified=False),
    follows=after_confirming,
    state=lambda address: {"verified": address.verified, "of": account_name(address.user)},
    change=confirm_for_owner,
)


class AddressAdmin(StepsAdmin, ReadOnlyAdmin):
    list_display = ["email", "user", "primary", "verified"]
    list_filter = ["primary", "verified"]
    list_select_related = ["user"]
    search_fields = ["email", "user__username"]
    steps = [CONFIRM_ADDRESS]

    def log_name(self, obj: Any) -> str:
        return f"address of {account_name(obj.user)}"

    def get_queryset(self, request: HttpRequest) -> "QuerySet[EmailAddress]":
        found: QuerySet[EmailAddress] = super().get_queryset(request)
        return found.select_related("user")


PAGES: dict[Any, type[LoggedAdmin]] = {
    User: AccountAdmin,
    Authenticator: AuthenticatorAdmin,
    EmailAddress: AddressAdmin,
}
for model, page in PAGES.items():
    admin.site.unregister(model)
    admin.site.register(model, page)
