"""Adding people by e-mail: a link that is good once and for a week makes an account, or lets one
that is there join groups.

Whoever has the link has the mailbox, so the address counts as confirmed. An account that exists is
never opened by the link: its owner signs in as ever, and agrees.
"""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from allauth.utils import generate_unique_username
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.utils import timezone

from benchmarks.common.groups import STAFF_GROUPS
from benchmarks.common.lately import lately
from benchmarks.common.staff_log import account_name, record_action
from benchmarks.submissions.naming.addresses import owner_of
from benchmarks.submissions.naming.public_names import set_public_name
from leaderboard.models.invitations import PersonInvitation
from leaderboard.people.accounts.holders import confirm_address, unconfirmed_account

DAYS = 7  # as of invitations to teams: a week has a holiday, and an old mailbox must open nothing
MOST_A_DAY = 100  # of a person: a course of annotators; each is a mail to somebody
DAY = timedelta(hours=24)
NOT_VALID = "This invitation was used, taken back, or is older than a week. Ask for another one."
SWITCHED_OFF = "The account of this address is switched off. Ask who invited you."


class InvitationRefusedError(Exception):
    """Nothing was changed; the text is a sentence for whoever asked."""


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """`key` is part of the link, is not stored and cannot be shown again."""

    invitation: PersonInvitation
    key: str


def key_digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


@transaction.atomic
def invite_person(
    *, email: str, groups: Sequence[str], by: User, now: datetime | None = None
) -> NewInvitation:
    """An earlier invitation of the address ends. Raises InvitationRefusedError."""
    now = now or timezone.now()
    User.objects.select_for_update(no_key=True).only("pk").get(pk=by.pk)
    today = PersonInvitation.objects.filter(lately("created", now, DAY), invited_by=by)
    if today.count() >= MOST_A_DAY:
        raise InvitationRefusedError(
            f"You invited {MOST_A_DAY} people within 24 hours. Invite more tomorrow."
        )
    for earlier in PersonInvitation.objects.filter(email=email.lower(), ended__isnull=True):
        end_invitation(invitation=earlier, now=now)
    key = secrets.token_urlsafe(32)
    made = PersonInvitation.objects.create(
        email=email.lower(),
        groups=sorted(groups),
        digest=key_digest(key),
        invited_by=by,
        created=now,
        expires=now + timedelta(days=DAYS),
    )
    record_action(
        by=by,
        on=made,
        name=str(made),
        what="invite",
        sentence=f"Invited to {', '.join(made.groups)}.",
        after={"groups": made.groups},
    )
    return NewInvitation(made, key)


def end_invitation(
    *, invitation: PersonInvitation, now: datetime | None = None, by: User | None = None
) -> bool:
    """Its link opens nothing any more, and its address is forgotten. False where it had ended."""
    found = PersonInvitation.objects.filter(pk=invitation.pk, ended__isnull=True)
    return bool(found.update(ended=now or timezone.now(), email="", accepted_by=by))


def invitation_of(key: str, *, now: datetime | None = None) -> PersonInvitation | None:
    """The open invitation whose link this key is of."""
    return PersonInvitation.objects.filter(
        digest=key_digest(key), ended__isnull=True, expires__gt=now or timezone.now()
    ).first()


@transaction.atomic
def join_groups(*, invitation: PersonInvitation, user: User) -> None:
    """The person is in the groups. Raises InvitationRefusedError where the account is another one,
    or the invitation has ended."""
    if owner_of(invitation.email) != user or not end_invitation(invitation=invitation, by=user):
        raise InvitationRefusedError(NOT_VALID)
    let_in(user, invitation)


@transaction.atomic
def make_account(*, invitation: PersonInvitation, name: str, password: str) -> User:
    """A new account with the address confirmed, in the groups. Raises InvitationRefusedError, and
    NameTakenError of a public name.

    An account that signed up with the address and never confirmed it may be anybody's: it is handed
    over to the invited person (holders.py), with a password that only they know.
    """
    email = invitation.email
    if owner_of(email) is not None or not end_invitation(invitation=invitation):
        raise InvitationRefusedError(NOT_VALID)
    user = unconfirmed_account(email)
    if user is None:
        user = User(username=generate_unique_username([email]), email=email)
    elif not user.is_active:
        raise InvitationRefusedError(SWITCHED_OFF)
    user.set_password(password)
    user.save()
    confirm_address(user=user, email=email)
    if name:
        set_public_name(owner=user, name=name)
    PersonInvitation.objects.filter(pk=invitation.pk).update(accepted_by=user)
    let_in(user, invitation)
    return user


def let_in(user: User, invitation: PersonInvitation) -> None:
    groups = list(Group.objects.filter(name__in=invitation.groups))
    before = sorted(user.groups.values_list("name", flat=True))
    user.groups.add(*groups)
    if not user.is_staff and STAFF_GROUPS & {group.name for group in groups}:
        user.is_staff = True
        user.save(update_fields=["is_staff"])
    record_action(
        by=user,
        on=invitation,
        name=str(invitation),
        what="accept",
        sentence=f"Accepted by {account_name(user)}.",
        before={"groups": before},
        after={"groups": sorted(user.groups.values_list("name", flat=True))},
    )
