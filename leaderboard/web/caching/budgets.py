"""How much of a processor the pages of one visitor, or of one account, may take."""

import hashlib
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from allauth.core.internal.ratelimit import get_ip
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.core.cache import caches
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.http import HttpRequest
from django.utils import timezone

from benchmarks.common.hashing import key_digest
from benchmarks.submissions.models import AccessToken

SECONDS = 5.0
"""Of processor time that may be used at once: a hundred pages made anew, which nobody reads within
a minute."""
HOUR = 3_600
LOOPBACK = ("127.0.0.1", "::")  # of IPv6 as allauth shortens it


class Budget:
    """A bucket of processor seconds that fills by `settings.VISITOR_SHARE` of a second each second,
    in each web process on its own."""

    def __init__(self, request: HttpRequest) -> None:
        self.token = credential_of(request)
        account = self.token and caches["budgets"].get(self.token)
        # A credential that was never seen to be somebody's counts as the address it comes from:
        # else each invented one would have a bucket of its own.
        self.key = account or f"address/{address_of(request)}"
        # Who shares an address with somebody who used it up, and was not seen by this process yet,
        # is looked up before being refused.
        if self.token and not account and self.wait_seconds() and (user := user_of(request)):
            self.key = f"account/{user}"
            caches["budgets"].set(self.token, self.key, HOUR)

    def wait_seconds(self) -> float:
        """How long until there is something in it; 0 while there is."""
        if not settings.VISITOR_SHARE:
            return 0.0
        return max(0.0, -self.level()) / settings.VISITOR_SHARE

    def level(self) -> float:
        left, then = caches["budgets"].get(self.key) or (SECONDS, 0.0)
        filled = (time.monotonic() - then) * settings.VISITOR_SHARE
        return float(min(SECONDS, left + filled))

    @contextmanager
    def charged(self) -> Iterator[None]:
        """What this thread does inside is taken out; it may be more than there is."""
        start = time.thread_time()
        try:
            yield
        finally:
            used = time.thread_time() - start
            caches["budgets"].set(self.key, (self.level() - used, time.monotonic()), HOUR)

    def remember(self, request: HttpRequest) -> None:
        """From now on the credential of the request counts as the account that it turned out to
        be."""
        # What Django found of a session, or Django REST framework of a token; asking for `user`
        # would look for one in the database where no view did.
        user = getattr(request, "_cached_user", None) or request.__dict__.get("user")
        if self.token and type(user) is User:  # `isinstance` would look as well
            caches["budgets"].set(self.token, f"account/{user.pk}", HOUR)

    def charged_pieces(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        found = iter(pieces)
        while True:
            with self.charged():
                piece = next(found, None)
            if piece is None:
                return
            yield piece


def credential_of(request: HttpRequest) -> str:
    """Hashed, for a cache is no place for credentials; empty where none was sent."""
    session = request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
    token = request.headers.get("Authorization", "")
    if not (session or token):
        return ""
    return hashlib.sha256(f"{session}\n{token}".encode()).hexdigest()


def user_of(request: HttpRequest) -> str:
    """Primary key of the account that the session or the token is of; empty where there is none.
    One query for each."""
    words = request.headers.get("Authorization", "").split()
    if len(words) == 2 and words[0].lower() == "bearer":
        valid = AccessToken.objects.valid(timezone.now()).filter(digest=key_digest(words[1]))
        return str(valid.values_list("owner", flat=True).first() or "")
    session = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    return str(SessionStore(session).get(SESSION_KEY, "")) if session else ""


def is_own_probe(request: HttpRequest) -> bool:
    """Whether this machine asks how the site is."""
    return request.path_info.startswith("/health/") and address_of(request) in LOOPBACK


def address_of(request: HttpRequest) -> str:
    """The address that limits count: behind TRUSTED_PROXIES, and of IPv6 the first 64 bits. Empty
    where a proxy tells none."""
    try:
        address = get_ip(request)
    except (PermissionDenied, ImproperlyConfigured):  # fewer proxies wrote into it than there are
        return ""
    return str(address)
