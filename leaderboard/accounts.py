"""Accounts of a demo site, with random passwords."""

import secrets

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.db import transaction

DEMO_ACCOUNTS = (("admin", True), ("researcher", False))


def demo_email(name: str) -> str:
    return f"{name}@assay.example"


@transaction.atomic
def ensure_demo_accounts(*, reset: bool = False) -> dict[str, str]:
    """The demo accounts exist with confirmed addresses; the passwords of those made or reset here, by address."""
    passwords = {}
    for name, is_staff in DEMO_ACCOUNTS:
        user, is_new = User.objects.get_or_create(
            username=name, defaults={"email": demo_email(name), "is_staff": is_staff, "is_superuser": is_staff}
        )
        EmailAddress.objects.get_or_create(user=user, email=user.email, defaults={"verified": True, "primary": True})
        if is_new or reset:
            passwords[user.email] = secrets.token_urlsafe(12)
            user.set_password(passwords[user.email])
            user.save(update_fields=["password"])
    return passwords
