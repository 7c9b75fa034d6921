"""How allauth signs people in here: whose failures count against whom, and what a sign-up takes.

Wrong passwords are counted three ways (ACCOUNT_RATE_LIMITS):

- by address over all accounts, and by address and account together: a stranger's mistakes lock the
  stranger out;
- by account over all addresses, with a much higher limit: guessing from many addresses at once ends
  too;
- by browser, instead of all these, where the account signed in with it before. So its owner gets in
  while somebody else is guessing, from the next desk or from a thousand addresses.

A reset of the password by mail clears what is counted against account and address.
"""

import secrets
from typing import Any

from allauth.account import forms
from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

COOKIE = f"{settings.COOKIE_PREFIX}known-browser"
COOKIE_SALT = "leaderboard.sign_in.known_browser"  # stays: browsers hold cookies by it
COOKIE_DAYS = (
    180  # as long as people are likely to stay with a browser; a password change ends it earlier
)
NONCE_BYTES = 12  # 96 random bits: no two browsers share a name, and nobody guesses one
APP = "allauth.account"
EVERYWHERE = "login_failed_everywhere"
KNOWN_BROWSER = "login_failed_known_browser"


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
    user = User.objects.filter(pk=pk, emailaddress__email__iexact=account).first()
    return str(nonce) if user and fragment == password_fragment(user) else ""


def password_fragment(user: User) -> str:
    return salted_hmac(COOKIE_SALT, user.password).hexdigest()[:16]


class SignupForm(forms.SignupForm):  # type: ignore[misc]  # allauth has no types
    def try_save(self, request: HttpRequest) -> Any:
        """A known address takes as long as a new one: its page and mail are alike, and hashing is
        most of the time."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)
