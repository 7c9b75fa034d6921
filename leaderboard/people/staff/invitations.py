"""Adding people by e-mail: a link that is good once and for a week makes an account, or lets one
that is there join groups.

Whoever has the link has the mailbox, so the address counts as confirmed. An account that exists is
never opened by the link: its owner signs in as ever, and agrees.
"""

from collections.abc import Sequence
from datetime import datetime

from allauth.utils import generate_unique_username
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.utils import timezone

from benchmarks.common.groups import STAFF_GROUPS
from benchmarks.common.invitations import InvitationRefusedError, make_invitation
from benchmarks.common.staff_log import account_name, record_action
from benchmarks.submissions.naming.addresses import owner_of
from benchmarks.submissions.naming.public_names import set_public_name
from leaderboard.models.invitations import PersonInvitation
from leaderboard.people.accounts.holders import confirm_address, unconfirmed_account

MOST_A_DAY = 100  # of a person: a course of annotators; each is a mail to somebody
NOT_VALID = (
    "This invitation was already used, was revoked, or is older than a week. Ask for a new one."
)
SWITCHED_OFF = "The account of this address is switched off. Ask who invited you."


@transaction.atomic
def invite_person(
    *, email: str, groups: Sequence[str], by: User, now: datetime | None = None
) -> PersonInvitation:
    """An earlier invitation of the address ends. Raises InvitationRefusedError."""
    made = make_invitation(
        PersonInvitation(email=email, groups=sorted(groups), invited_by=by),
        replaces=PersonInvitation.objects.all(),
        most_a_day=MOST_A_DAY,
        now=now or timezone.now(),
    )
    record_action(
        by=by,
        on=made,
        name=str(made),
        what="invite",
        sentence=f"Invited to {', '.join(made.groups)}.",
        after={"groups": made.groups},
    )
    return made


@transaction.atomic
def join_groups(*, invitation: PersonInvitation, user: User) -> None:
    """The person is in the groups. Raises InvitationRefusedError where the account is another one,
    or the invitation has ended."""
    its_row = PersonInvitation.objects.filter(pk=invitation.pk)
    if owner_of(invitation.email) != user or not its_row.end(accepted_by=user):
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
    its_row = PersonInvitation.objects.filter(pk=invitation.pk)
    if owner_of(email) is not None or not its_row.end():
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
    its_row.update(accepted_by=user)
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
