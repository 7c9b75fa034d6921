"""Signing in by way of another site (GitHub, Hugging Face, ORCID), where the settings name one.

allauth leads there and back. Here stands what it leaves to a site: which of them there are, how
little is kept of what they tell, and that nothing they answer breaks a page. An address that
belongs to an account here does not open it, however sure the other site is of it: whoever owns the
account signs in and connects the two.
"""

import logging
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import requests
from allauth.account.models import EmailAddress
from allauth.socialaccount import forms
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialApp
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render

from leaderboard.people.accounts.sign_in import UnclaimedAddress

log = logging.getLogger(__name__)
View = Callable[..., HttpResponse]

REQUESTS_TIMEOUT = 5  # seconds for a connection and for each part of an answer; a page waits for it
MOST_BYTES = 1_000_000  # an ORCID record of somebody who wrote thousands of papers has half of it
LONGEST_NAME = 100
PASSED_ON = frozenset(("process", "next"))
"""What a sign-in may say in its address. allauth would hand `scope` and `auth_params` to the other
site, and a link of a stranger could ask there for more than who somebody is."""
NOT_UNDERSTOOD = (
    requests.RequestException,
    ImproperlyConfigured,  # an id longer than the column
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
)
"""What reading an answer raises that is not what the other site documents."""


class BoundedSession(requests.Session):
    """Reads so much of an answer and no more, and follows it nowhere: what is sent holds a key."""

    def request(self, method: Any, url: Any, **options: Any) -> requests.Response:  # type: ignore[override]
        options = {"timeout": REQUESTS_TIMEOUT, **options, "stream": True, "allow_redirects": False}
        response = super().request(method, url, **options)
        body = bytearray()
        for piece in response.iter_content(65_536):
            body += piece
            if len(body) > MOST_BYTES:
                response.close()
                raise requests.RequestException(f"an answer of more than {MOST_BYTES} bytes")
        response._content = bytes(body)
        return response


class SocialAccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    error_messages = {
        **DefaultSocialAccountAdapter.error_messages,
        "no_password": (
            "This is your only way to sign in. Choose a password first; then you can disconnect it."
        ),
        "no_verified_email": (
            "This is your only way to sign in. Confirm an e-mail address first; then you can "
            "disconnect it."
        ),
        "email_taken": (
            "There is an account with this address. Sign in to it and connect %s on your account "
            "page."
        ),
    }

    def list_apps(
        self, request: Any, provider: str | None = None, client_id: str | None = None
    ) -> list[SocialApp]:
        """Those of the settings: allauth would also look for rows, which would let the database
        send people elsewhere."""
        apps = [
            SocialApp(provider=name, **fields)
            for name, setting in settings.SOCIALACCOUNT_PROVIDERS.items()
            for fields in setting["APPS"]
        ]
        return [
            app
            for app in apps
            if provider in (None, app.provider, app.provider_id)
            and client_id in (None, app.client_id)
        ]

    def get_app(self, request: HttpRequest, provider: str, client_id: str | None = None) -> Any:
        try:
            return super().get_app(request, provider, client_id)
        except SocialApp.DoesNotExist:
            raise Http404("Nobody signs in to this site that way.") from None

    def get_provider(self, *args: Any, **options: Any) -> Any:
        provider = super().get_provider(*args, **options)
        cleanup = provider.cleanup_email_addresses
        provider.cleanup_email_addresses = partial(cleanup_of_ascii, cleanup)
        return provider

    def populate_user(self, request: HttpRequest, sociallogin: Any, data: Any) -> Any:
        """Of all that the other site tells, what it calls the account, and the first address that
        it is sure of."""
        sure = [address for address in sociallogin.email_addresses if address.verified]
        sociallogin.email_addresses = sorted(sure, key=lambda address: not address.primary)[:1]
        name = "".join(filter(str.isprintable, str(data.get("username") or "")))
        sociallogin.account.extra_data = {"name": name[:LONGEST_NAME]}
        return super().populate_user(request, sociallogin, {"email": data.get("email")})

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """allauth saves the whole user where it connects one, though nothing of it changed: a
        password that was chosen meanwhile would be the former one again."""
        request.user.save = lambda: None  # type: ignore[method-assign]

    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> User:
        """Whoever types another address confirms it, whatever the other site is sure of."""
        typed = form.cleaned_data["email"].lower() if form else ""
        sociallogin.email_addresses = [
            address for address in sociallogin.email_addresses if address.email.lower() == typed
        ]
        user: User = super().save_user(request, sociallogin, form)
        return user

    def validate_disconnect(self, account: Any, accounts: Any) -> None:
        """allauth counts every connection as a way in, that to a site not offered any more too."""
        others = connected(account.user).exclude(pk=account.pk)
        if not account.user.has_usable_password() and not others.exists():
            raise self.validation_error("no_password")

    def get_requests_session(self) -> requests.Session:
        return BoundedSession()


def cleanup_of_ascii(
    cleanup: Callable[..., str | None], email: Any, addresses: list[EmailAddress], **options: Any
) -> str | None:
    """Of addresses as the other site writes them: allauth makes an ASCII letter of a Kelvin sign,
    and of somebody's address another person's."""
    addresses[:] = [address for address in addresses if str(address.email).isascii()]
    return cleanup(email if str(email).isascii() else None, addresses, **options)


class SignupForm(UnclaimedAddress, forms.SignupForm):  # type: ignore[misc]  # allauth has no types
    """allauth's."""


class DisconnectForm(forms.DisconnectForm):  # type: ignore[misc]  # allauth has no types
    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.accounts = self.fields["account"].queryset = connected(self.request.user)


def connected(user: User) -> "QuerySet[SocialAccount]":
    """The accounts elsewhere that open this one, as long as the settings name their sites."""
    apps = SocialAccountAdapter().list_apps(None)
    names = [app.provider_id or app.provider for app in apps]
    found: QuerySet[SocialAccount] = SocialAccount.objects.filter(user=user, provider__in=names)
    return found.order_by("pk")


def offered(view: View) -> View:
    """The view where the settings name another site; no such page where they do not."""

    @wraps(view)
    def only_if_offered(request: HttpRequest, **arguments: Any) -> HttpResponse:
        if not settings.SOCIALACCOUNT_PROVIDERS:
            raise Http404("Signing in through another site is not enabled here.")
        return view(request, **arguments)

    return only_if_offered


def asking(view: View, *methods: str) -> View:
    """A view of a provider: it is not there unless the provider is configured, and an answer that
    nobody understands becomes a page that says so."""

    @wraps(view)
    @offered
    def careful(request: HttpRequest, **arguments: Any) -> HttpResponse:
        if request.method not in methods:
            return HttpResponseNotAllowed(methods)
        if "POST" in methods:
            leave_out(request, PASSED_ON)
        try:
            return view(request, **arguments)
        except NOT_UNDERSTOOD as error:
            log.warning("Signing in by another site failed: %s", type(error).__name__)
            return render(request, "socialaccount/authentication_error.html", status=502)

    return careful


def leave_out(request: HttpRequest, but_for: frozenset[str]) -> None:
    """Of the parameters in the address."""
    kept = request.GET.copy()
    for name in set(kept) - but_for:
        del kept[name]
    request.GET = kept  # type: ignore[assignment]
