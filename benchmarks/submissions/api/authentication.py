"""Personal tokens for the API: `Authorization: Bearer assay_…`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from benchmarks.common.hashing import key_digest
from benchmarks.submissions.api.token_use import note_use
from benchmarks.submissions.models import AccessToken

if TYPE_CHECKING:
    from rest_framework.views import (
        APIView,
    )  # which imports this module, by its name in the settings

KEYWORD = b"bearer"
PROXYS = b"basic"
"""What a browser sends on to a site that stands behind a password of its web server."""


class TokenAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[User, AccessToken] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() == PROXYS:
            return None
        if words[0].lower() != KEYWORD or len(words) != 2:
            raise AuthenticationFailed("Write: Authorization: Bearer YOUR_TOKEN")
        now = timezone.now()
        digest = key_digest(words[1].decode("ascii", "replace"))
        token = AccessToken.objects.valid(now).filter(digest=digest).select_related("owner").first()
        if token is None:
            raise AuthenticationFailed("This token is unknown, expired or revoked.")
        note_use(token, now)
        return token.owner, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class HasScope(BasePermission):
    """Reading needs any token. What a view writes needs the scope that the view names as
    `write_scope`, `submit` unless it names one. A browser session may do all of it."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        token = request.auth
        if request.method in SAFE_METHODS or not isinstance(token, AccessToken):
            return True
        needed = getattr(view, "write_scope", AccessToken.Scope.SUBMIT)
        self.message = scope_missing(token, needed)
        return token.may(needed)


def scope_missing(token: AccessToken, needed: str) -> str:
    return (
        f"This token has the scope {token.scope}; this needs the scope {needed}. Make such a token "
        "on the page Tokens."
    )
