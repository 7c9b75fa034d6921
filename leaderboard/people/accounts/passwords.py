"""What Django asks of a new password, and tells of one, through the list of validators."""

import unicodedata

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from benchmarks.submissions.naming.names import is_unseen
from benchmarks.submissions.tokens import revoke_tokens
from leaderboard.people.accounts.holders import hand_over

DIFFERENT = 4
"""Visible characters that a password must have: fewer are blanks, one key held down, or two in
turns."""
SEEN = "LNPS"  # Unicode's letters, numbers, punctuation and symbols


def is_seen(character: str) -> bool:
    return unicodedata.category(character)[0] in SEEN and not is_unseen(character)


class VisiblePasswordValidator:
    """No password of blanks, of what nobody sees, or of what nobody can type."""

    def validate(self, password: str, user: User | None = None) -> None:
        if any(unicodedata.category(c) == "Cc" for c in password):
            raise ValidationError(
                "This password holds a line end or another control character; leave it out.",
                code="password_control",
            )
        if len({c for c in password if is_seen(c)}) < DIFFERENT:
            raise ValidationError(
                f"This password needs at least {DIFFERENT} different characters besides blanks.",
                code="password_invisible",
            )

    def get_help_text(self) -> str:
        return f"Your password needs at least {DIFFERENT} different characters besides blanks."


class OthersLeaveWithThePassword:
    """Whoever changes a password wants everybody else out, scripts too; out of an account whose
    address nobody confirmed, whoever made it. Django calls this for every way to change one (form,
    reset, invitation, admin, terminal), and not where it only stores the same password with a newer
    hash."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Nothing is asked of the password."""

    def password_changed(self, password: str, user: User | None = None) -> None:
        if user is not None and user.pk:
            hand_over(user=user, keeps_password=True)
            revoke_tokens(owner=user)

    def get_help_text(self) -> str:
        return "Changing the password revokes all tokens of the account."
