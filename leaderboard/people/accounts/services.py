"""Accounts that are made at the terminal: those of a demo site, and the first admin, who cannot
wait for mail. And what is left of one that its owner deletes."""

import secrets

from allauth.utils import generate_unique_username
from django.contrib.auth.models import Group, User
from django.db import transaction

from benchmarks.common.groups import ANNOTATORS, REVIEWERS, STAFF_GROUPS
from benchmarks.submissions.models import (
    AccessToken,
    IncomingFile,
    PublicName,
    RefusedFile,
    Submission,
)
from benchmarks.submissions.naming.addresses import owner_of
from benchmarks.submissions.naming.public_names import FORMER_MEMBER
from benchmarks.submissions.selectors import teams_of
from benchmarks.submissions.services import hold_team, withdraw_submission
from benchmarks.submissions.teams.services import leave_all
from leaderboard.models.notices import Notice, NoticeChoice
from leaderboard.people.accounts.holders import confirm_address, end_ways_in, unconfirmed_account

DEMO_ACCOUNTS = {
    "admin": "",
    "researcher": "",
    "annotator": ANNOTATORS,
    "reviewer": REVIEWERS,
}
"""By name, the group of each. The admin may do everything."""


def demo_email(name: str) -> str:
    return f"{name}@assay.example"


@transaction.atomic
def ensure_demo_accounts(*, reset: bool = False, later: bool = False) -> dict[str, str]:
    """The demo accounts exist with confirmed addresses; the passwords of those that had none, or
    are reset here, by address. `later`: new ones get theirs the next time, when somebody sees
    them."""
    passwords = {}
    for name, group in DEMO_ACCOUNTS.items():
        email = demo_email(name)
        user = owner_of(email)
        is_new = user is None
        if user is None:  # found by the address: whoever is ada@ or admin@ elsewhere has the name
            user = unconfirmed_account(email) or User(username=generate_unique_username([name]))
            user.email, user.is_superuser = email, name == "admin"
            user.is_staff = user.is_superuser or group in STAFF_GROUPS
        if is_new:
            user.set_unusable_password()
            user.save()
            user.groups.add(*Group.objects.filter(name=group))
        if reset or not (later or user.has_usable_password()):
            passwords[email] = secrets.token_urlsafe(12)
            user.set_password(passwords[email])
            user.save()
        if is_new:
            confirm_address(user=user, email=email)
    return passwords


@transaction.atomic
def ensure_admin(*, email: str, reset: bool = False) -> str:
    """The account of this address may do everything, and enters without a mail. Its new password;
    empty: it has one.

    Whoever signed up with an address that was never confirmed may be somebody else: the account is
    handed over (holders.py), with a new password.
    """
    user = owner_of(email)
    is_confirmed = user is not None
    if user is None:
        user = unconfirmed_account(email)
    if user is None:
        user = User(username=generate_unique_username([email]), email=email)
    user.is_staff = user.is_superuser = user.is_active = True
    password = ""
    if not is_confirmed or reset or not user.has_usable_password():
        password = secrets.token_urlsafe(12)
        user.set_password(password)
    user.save()
    if not is_confirmed:
        confirm_address(user=user, email=email)
    return password


class LastAdminError(Exception):
    def __init__(self) -> None:
        super().__init__(
            "Yours is the only account with full rights on this site. First give another one "
            "full rights in the admin."
        )


@transaction.atomic
def delete_account(*, user: User) -> None:
    """Nothing is left that names the person or lets anybody in; what they published stays, under a
    former member.

    Numbers on boards are traced to their answers, so the row that owns these stays too. What was
    private, or never confirmed, is withdrawn and judged no further; what was handed in for a team
    stays the team's. Raises LastAdminError.
    """
    for team in teams_of(user).order_by("pk"):  # before the person, as everybody holds them
        hold_team(team)
    user = User.objects.select_for_update().get(pk=user.pk)
    admins = User.objects.select_for_update().filter(is_superuser=True, is_active=True)
    if user.is_superuser and len(admins) == 1:
        raise LastAdminError
    own = Submission.objects.not_withdrawn().filter(owner=user, team=None)
    for submission in own.filter(visibility="private"):
        withdraw_submission(submission=submission)
    leave_all(user=user)
    end_ways_in(user)
    for kept in (AccessToken, PublicName, RefusedFile, IncomingFile, Notice, NoticeChoice):
        kept._default_manager.filter(owner=user).delete()
    user.groups.clear()
    user.user_permissions.clear()
    user.username = f"{FORMER_MEMBER}-{secrets.token_hex(6)}"
    user.email = user.first_name = user.last_name = ""
    user.is_active = user.is_staff = user.is_superuser = False
    user.last_login = None
    user.set_unusable_password()  # and with it every session ends
    user.save()
