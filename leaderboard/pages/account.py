"""The page on which people delete their account."""

from dataclasses import dataclass
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.fields import PasswordField
from django import forms
from django.contrib.auth.models import User

from benchmarks.submissions.models import Submission


@dataclass(frozen=True, slots=True)
class DeletionPage:
    published: int
    private: int


def deletion_page(user: User) -> DeletionPage:
    standing = Submission.objects.not_withdrawn().filter(owner=user)
    published = standing.filter(visibility=Submission.Visibility.PUBLIC).count()
    return DeletionPage(published, standing.count() - published)


class DeletionForm(forms.Form):
    password = PasswordField(
        label="Your password",
        autocomplete="current-password",
        help_text="So that nobody does this who merely found your browser open.",
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_password(self) -> str:
        """Wrong ones count as they do at sign-in."""
        password: str = self.cleaned_data["password"]
        if not get_adapter().reauthenticate(self.user, password):
            raise forms.ValidationError("This is not your password.", code="password")
        return password
