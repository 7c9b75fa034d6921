"""How allauth signs people in here: whose failures count against whom, and what a sign-up takes.

Wrong passwords are counted three ways (ACCOUNT_RATE_LIMITS):

- by address over all accounts, and by address and account together: a stranger's mistakes lock the
  stranger out;
- by account over all addresses, with a much higher limit: guessing from many addresses at once ends
  too;
- by browser, instead of all these, where the account signed in with it before. So its owner gets in
  while somebody else is guessing, from the next desk or from a thousand addresses.

A reset of the password by mail clears what is counted against account and address.

An address is confirmed as the account's where whoever opens the link gave the account's password
(or came from another site) in the same browser. Elsewhere the link only shows that somebody reads
the mail: the account's former ways in end first (holders.py), and that person chooses a password.
"""

import secrets
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlencode

from allauth.account import forms
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.account.utils import has_verified_email, user_pk_to_url_str
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal import ratelimit
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import (
    get_default_password_validators,
    password_validators_help_text_html,
)
from django.core import signing
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.crypto import salted_hmac

from benchmarks.submissions.naming.addresses import person_address
from leaderboard.people.accounts.holders import drop_claims, hand_over
from leaderboard.people.accounts.passwords import OthersLeaveWithThePassword

COOKIE = f"{settings.COOKIE_PREFIX}known-browser"
COOKIE_SALT = "leaderboard.sign_in.known_browser"  # stays: browsers hold cookies by it
COOKIE_DAYS = (
    180  # as long as people are likely to stay with a browser; a password change ends it earlier
)
NONCE_BYTES = 12  # 96 random bits: no two browsers share a name, and nobody guesses one
APP = "allauth.account"
EVERYWHERE = "login_failed_everywhere"
KNOWN_BROWSER = "login_failed_known_browser"
WAITS = "waits_for_confirmation"
"""In a session: the account whose password it gave, or that it made, before it is signed in;
worth nothing once the password is another one."""


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Counts a try as failed until the password turns out to be right, or guesses at once would
        outrun the limit."""
        account = self._login_attempts_account(**credentials)
        if browser := known_browser(request, account):
            self._login_failed_rl_usage = consume(request, KNOWN_BROWSER, f"{account} {browser}")
            if not self._login_failed_rl_usage:
                raise self.validation_error("too_many_login_attempts")
            return
        super().pre_authenticate(request, **credentials)
        everywhere = consume(request, EVERYWHERE, account)
        if not everywhere:
            self._rollback_login_failed_rl_usage()
            raise self.validation_error("too_many_login_attempts")
        self._login_failed_rl_usage.usage += everywhere.usage

    def get_client_ip(self, request: HttpRequest) -> str:
        """An IPv4 address as such where a server or a proxy that listens for both tells it as one
        of IPv6: cut to 64 bits, ::ffff:192.0.2.1 would be every other one, and this machine."""
        reported: str = super().get_client_ip(request)
        try:
            return str(getattr(ip_address(reported), "ipv4_mapped", None) or reported)
        except ValueError:
            return reported

    def _login_attempts_account(self, **credentials: Any) -> str:
        return str(credentials.get("email", "")).lower()

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Of address and account together."""
        account = self._login_attempts_account(**credentials)
        return f"{account} {ratelimit.get_ip(request)}"

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        super()._delete_login_attempts_cached_email(request, **credentials)
        account = self._login_attempts_account(**credentials)
        ratelimit.clear(request, app=APP, action=EVERYWHERE, key=account)

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().post_login(request, user, **kwargs)
        response.set_cookie(
            COOKIE,
            browser_mark(user),
            max_age=COOKIE_DAYS * 86_400,
            secure=settings.HTTPS,
            httponly=True,
            samesite="Lax",
        )
        return response

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Where nobody asked for another page: whose work is at the desk is led there. Admins have
        every right, and work of every kind."""
        user = request.user
        if not user.is_staff or user.is_superuser:
            return str(super().get_login_redirect_url(request))
        writes = user.has_perm("benchmarks.change_description")
        if writes and user.has_perm("benchmarks.approve_description"):
            return f"{reverse('admin:benchmarks_description_changelist')}?state=in+review"
        return reverse("admin:index")

    def clean_email(self, email: str) -> str:
        return person_address(email)

    def pre_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse | None:
        request.session[WAITS] = [user.pk, password_fragment(user)]
        response: HttpResponse | None = super().pre_login(request, user, **kwargs)
        return response

    def login(self, request: HttpRequest, user: User) -> None:
        """Not where another password was chosen since the first step: a code of a second factor
        alone opens nothing."""
        if request.session.pop(WAITS, None) != [user.pk, password_fragment(user)]:
            raise begin_again(request)
        super().login(request, user)

    @transaction.atomic
    def set_password(self, user: User, password: str) -> None:
        """Not over one that was chosen since this request saw the former one, or a link that has
        ended."""
        now = User.objects.select_for_update().get(pk=user.pk)
        if now.password != user.password:
            raise begin_again(self.request)
        user.set_password(password)
        user.save(update_fields=["password"])

    @transaction.atomic
    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        user = email_address.user
        if email_address.can_set_verified() and not is_of_account(request, user):
            if has_verified_email(user):
                # Its owner added an address, maybe of somebody else, who opens the link.
                messages.error(request, "Sign in first: this address was added to an account.")
                return False
            hand_over(user=user, email=email_address.email)
            messages.info(request, "Choose a password for your account.")
        is_confirmed: bool = super().confirm_email(request, email_address)
        if is_confirmed:
            drop_claims(email_address.email)
        return is_confirmed

    def get_email_verification_redirect_url(self, email_address: EmailAddress) -> str:
        user = email_address.user
        if not email_address.verified:
            return f"{reverse('account_login')}?{urlencode({'next': self.request.path})}"
        if not (user.has_usable_password() or SocialAccount.objects.filter(user=user).exists()):
            key = forms.default_token_generator.make_token(user)
            return reverse(
                "account_reset_password_from_key",
                kwargs={"uidb36": user_pk_to_url_str(user), "key": key},
            )
        return str(super().get_email_verification_redirect_url(email_address))


def begin_again(request: HttpRequest) -> ImmediateHttpResponse:
    messages.error(
        request, "The password of this account has been changed in the meantime. Sign in again."
    )
    return ImmediateHttpResponse(redirect("account_login"))


def consume(request: HttpRequest, action: str, key: str) -> Any:
    return ratelimit.consume(request, app=APP, action=action, key=key)


def browser_mark(user: User) -> str:
    """Says that this user signed in here with the present password; names the browser by a random
    text."""
    nonce = secrets.token_urlsafe(NONCE_BYTES)
    return signing.dumps([user.pk, nonce, password_fragment(user)], salt=COOKIE_SALT)


def known_browser(request: HttpRequest, account: str) -> str:
    """The name of a browser with which this account signed in; empty for every other."""
    try:
        pk, nonce, fragment = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=COOKIE_SALT, max_age=COOKIE_DAYS * 86_400
        )
    except (signing.BadSignature, ValueError, TypeError):
        return ""
    user = User.objects.filter(pk=pk, emailaddress__email=account).first()
    return str(nonce) if user and fragment == password_fragment(user) else ""


def password_fragment(user: User) -> str:
    return salted_hmac(COOKIE_SALT, user.password).hexdigest()[:16]


def is_of_account(request: HttpRequest, user: User) -> bool:
    """Whether this browser gave the password of the account, made it, or is signed in to it."""
    if request.user.is_authenticated:
        return bool(request.user.pk == user.pk)
    return bool(request.session.get(WAITS) == [user.pk, password_fragment(user)])


class UnclaimedAddress:
    """Of a form that makes an account: an address that others only claim is free. Their claims end
    once it is confirmed: a form that anybody may send takes nothing from them."""

    @transaction.atomic
    def save(self, request: HttpRequest) -> User:
        """At once: an account that was handed over half made would get the rest after that."""
        user: User = super().save(request)  # type: ignore[misc]  # of the form
        return user

    def validate_unique_email(self, value: str) -> str:
        with transaction.atomic():
            drop_claims(value)
            email: str = super().validate_unique_email(value)  # type: ignore[misc]  # of the form
            transaction.set_rollback(True)
        return email


class SignupForm(UnclaimedAddress, forms.SignupForm):  # type: ignore[misc]  # allauth has no types
    def __init__(self, *args: Any, **kwargs: Any):
        """Without what changing a password does: there is none yet."""
        super().__init__(*args, **kwargs)
        asking = [
            validator
            for validator in get_default_password_validators()
            if not isinstance(validator, OthersLeaveWithThePassword)
        ]
        self.fields["password1"].help_text = password_validators_help_text_html(asking)

    def try_save(self, request: HttpRequest) -> Any:
        """A known address takes as long as a new one: its page and mail are alike, and hashing is
        most of the time."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)


class ResetPasswordForm(forms.ResetPasswordForm):  # type: ignore[misc]  # allauth has no types
    users: list[User]

    def clean_email(self) -> str:
        """An address that was added to somebody's account, and never confirmed, resets no password
        of it: its owner would enter, and use as their own, the account of whoever added it."""
        email: str = super().clean_email()
        self.users = [
            user
            for user in self.users
            if has_verified_email(user, email) or not has_verified_email(user)
        ]
        return email
