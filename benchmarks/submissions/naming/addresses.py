"""E-mail addresses of people, which are stored in lower case and compared exactly.

Never without regard to case: PostgreSQL takes "ı" (U+0131) for an "i" then, "ſ" for an "s" and the
Kelvin sign for a "k", and the account of one person for that of another. So no address with such
letters is taken, either.
"""

from typing import Any

from allauth.account.models import EmailAddress
from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

NOT_ASCII = (
    "An address may have the letters a to z only. If its domain has others, write it as mail "
    "programs send it: it begins with xn--."
)


def person_address(text: str) -> str:
    """The address as it is stored. Raises ValidationError."""
    if not text.isascii():
        raise ValidationError(NOT_ASCII, code="not_ascii")
    validate_email(text)
    return text.lower()


class AddressField(forms.EmailField):
    default_validators = [person_address]  # type: ignore[list-item]  # whose answer Django ignores

    def clean(self, value: Any) -> str:
        email: str = super().clean(value)
        return email.lower()


def owner_of(email: str) -> User | None:
    """The account that has confirmed this address."""
    found = EmailAddress.objects.filter(email=email.lower(), verified=True).select_related("user")
    confirmed = found.first()
    return confirmed.user if confirmed else None
