"""Personal tokens for the API: made, shown once, and revoked."""

import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from benchmarks.common.hashing import key_digest
from benchmarks.submissions.models import AccessToken

TOKEN_DAYS = 365
TOKENS_PER_PERSON = 20
"""Valid ones: a token for every place is a dozen, and a list of sixty is one that nobody looks
through."""


@dataclass(frozen=True, slots=True)
class NewToken:
    token: AccessToken
    key: str


class TooManyTokensError(Exception):
    def __init__(self) -> None:
        super().__init__(
            f"You have {TOKENS_PER_PERSON} tokens, the maximum. Revoke one that you no longer use."
        )


@transaction.atomic
def create_token(*, owner: User, name: str, scope: str) -> NewToken:
    """A new token and its key. The key is not stored and cannot be shown again. Raises
    TooManyTokensError."""
    User.objects.select_for_update().get(pk=owner.pk)  # or two at once would both be the twentieth
    valid = AccessToken.objects.valid(timezone.now()).filter(owner=owner)
    if valid.count() >= TOKENS_PER_PERSON:
        raise TooManyTokensError
    key = f"assay_{secrets.token_urlsafe(32)}"
    token = AccessToken.objects.create(
        owner=owner,
        name=name,
        scope=scope,
        prefix=key[:12],
        digest=key_digest(key),
        expires=timezone.now() + timedelta(days=TOKEN_DAYS),
    )
    return NewToken(token, key)


def revoke_token(*, owner: User, token_id: int) -> None:
    AccessToken.objects.filter(owner=owner, pk=token_id, revoked__isnull=True).update(
        revoked=timezone.now()
    )


def revoke_tokens(*, owner: User) -> None:
    """None of the owner's tokens opens anything any more."""
    AccessToken.objects.filter(owner=owner, revoked__isnull=True).update(revoked=timezone.now())
