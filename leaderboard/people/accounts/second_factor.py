"""Staff use the site only signed in with a second factor: a password alone can be guessed, or leak.

What staff may do is not done in the admin alone: pages and API show and publish what is not theirs.
So a session of staff without a factor is served the account pages and nothing else. allauth asks
whoever has a factor for it at every sign-in. This leads staff without one to the page that sets it
up, and a session that is older than its factor, which only knows the password, to the page that
asks for a code: anybody's before it sees or changes the factor or its recovery codes, that of staff
before anything.
"""

from typing import Any
from urllib.parse import urlencode

from allauth.account.internal.flows.login import (
    get_authentication_records,
    record_authentication,
)
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from benchmarks.api.problem_details import asks_for_documents, problem
from leaderboard.project.middleware.private_pages import Next

ACCOUNT_PAGES = "accounts/"
FACTOR_PAGES = "accounts/2fa/"
WAYS_IN = frozenset(
    ("mfa_authenticate", "mfa_reauthenticate", "account_login", "account_logout", "logout")
)
"""Names of addresses where a code is given, or the session ends."""
FOR_EVERYBODY = frozenset(
    (
        "favicon",
        "figure-image",
        "figure-rendition",
        "health-live",
        "health-ready",
        "jsi18n",
        "plotly-bundle",
    )
)
"""Names of addresses that never ask who somebody is: asking would keep caches from keeping what
they send."""
FACTORS = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]
"""Recovery codes stand in for one of these and are none by themselves."""


class MfaAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    def build_totp_svg(self, url: str) -> str:
        """SVG as part of a page, without the line that opens an XML file: our pages load no
        `data:`."""
        # A drawing library, for the one page that shows a code.
        import qrcode  # noqa: PLC0415
        from qrcode.image.svg import SvgPathImage  # noqa: PLC0415

        image: str = qrcode.make(url, image_factory=SvgPathImage).to_string(encoding="unicode")
        return image


class SecondFactorMiddleware:
    def __init__(self, get_response: Next):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        was_without = is_activation(request) and not is_mfa_enabled(request.user, FACTORS)
        response = self.get_response(request)
        if was_without and is_mfa_enabled(request.user, FACTORS):
            # Setting it up took a code of it, which allauth does not write down as one given.
            record_authentication(request, request.user, method="mfa", type=FACTORS[0])
        return response

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        match = request.resolver_match
        # of what is shown, and not what the address says of it
        name, route = (match.url_name, match.route) if match else (None, "")
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or name in FOR_EVERYBODY | WAYS_IN:
            return None
        user, is_of_factors = request.user, route.startswith(FACTOR_PAGES)
        needs_factor = settings.STAFF_SECOND_FACTOR and user.is_active and user.is_staff
        if not (needs_factor or (is_of_factors and user.is_authenticated)):
            return None
        if is_mfa_enabled(user, FACTORS):
            if signed_in_with_factor(request):
                return None
            return ask_for_code(request)
        if needs_factor and not route.startswith(ACCOUNT_PAGES):
            return lead_to_set_up(request)
        return None


def is_activation(request: HttpRequest) -> bool:
    return (
        request.method == "POST"
        and request.path_info == reverse("mfa_activate_totp")
        and request.user.is_authenticated
    )


def ask_for_code(request: HttpRequest) -> HttpResponseBase:
    if asks_for_documents(request):
        return problem(403, "Give a code of your second factor first.")
    here = request.get_full_path() if request.method == "GET" else reverse("home")
    return redirect(f"{reverse('mfa_reauthenticate')}?{urlencode({'next': here})}")


def lead_to_set_up(request: HttpRequest) -> HttpResponseBase:
    if asks_for_documents(request):
        return problem(403, "Staff need a second factor. Set one up on the site.")
    messages.warning(request, "Staff need a second factor. Set one up here.")
    return redirect("mfa_activate_totp")


def signed_in_with_factor(request: HttpRequest) -> bool:
    records = get_authentication_records(request, request.user)
    return any(record["method"] == "mfa" for record in records)
