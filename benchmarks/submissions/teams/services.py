"""Founding, joining, leaving and closing teams, and what staff decide about them.

Who changes who is in a team holds its row for so long (`hold_team`): a team never loses its last
owner, and nobody hands in for a team they have just left.
"""

from datetime import datetime

from allauth.account.models import EmailAddress
from allauth.account.utils import has_verified_email
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from benchmarks.common.invitations import InvitationRefusedError, make_invitation
from benchmarks.submissions.models import PublicName, Submission
from benchmarks.submissions.naming.addresses import owner_of
from benchmarks.submissions.naming.public_names import set_team_name
from benchmarks.submissions.services import hold_team, withdraw_submission
from benchmarks.submissions.team_models import (
    Invitation,
    Membership,
    Team,
    TeamVerification,
)

MOST_MEMBERS = 50  # a laboratory; more people are several teams
MOST_TEAMS = 10  # of a person: as many as one looks after
MOST_OPEN_INVITATIONS = 20  # of a team; more is a list of addresses, not people who expect a mail
MOST_INVITATIONS_A_DAY = 20  # of a person: each sends a mail with words of theirs to a stranger


NOT_VALID = "This invitation is no longer valid, or is not yours."


class TeamRefusedError(Exception):
    """The text is a sentence for whoever asked."""


@transaction.atomic
def found_team(*, name: str, by: User) -> Team:
    """A team of this clean name with one owner. Raises NameTakenError, TeamRefusedError."""
    require_confirmed(by)
    User.objects.select_for_update(no_key=True).only("pk").get(pk=by.pk)
    require_room_for_teams(by)
    team = Team.objects.create()
    set_team_name(team=team, name=name)
    Membership.objects.create(team=team, user=by, role=Membership.Role.OWNER)
    return team


def require_confirmed(user: User) -> None:
    if not has_verified_email(user):
        raise TeamRefusedError(
            "The account has no confirmed e-mail address. Confirm one first: team owners and "
            "members need a confirmed address."
        )


def require_room_for_teams(user: User) -> None:
    if Membership.objects.filter(user=user).count() >= MOST_TEAMS:
        raise TeamRefusedError(f"A person may be in at most {MOST_TEAMS} teams.")


@transaction.atomic
def invite(*, team: Team, email: str, by: User, now: datetime | None = None) -> Invitation:
    """Who confirmed this address may join by the link; an earlier invitation of the address ends.
    Raises InvitationRefusedError.

    Nothing of what is answered tells whether anybody has an account with the address.
    """
    now = now or timezone.now()
    hold_team(team)
    open_ones = Invitation.objects.open(now).filter(team=team)
    if open_ones.exclude(email=email.lower()).count() >= MOST_OPEN_INVITATIONS:
        raise InvitationRefusedError(
            f"{MOST_OPEN_INVITATIONS} invitations are open. Wait for an answer, or revoke one."
        )
    require_room_in(team)
    return make_invitation(
        Invitation(team=team, email=email, invited_by=by),
        replaces=open_ones,
        most_a_day=MOST_INVITATIONS_A_DAY,
        now=now,
    )


def require_room_in(team: Team) -> None:
    if Membership.objects.filter(team=team).count() >= MOST_MEMBERS:
        raise InvitationRefusedError(f"A team has at most {MOST_MEMBERS} members.")


def invitation_of(key: str) -> Invitation | None:
    """The open invitation whose link this key is of."""
    found = Invitation.objects.of_key(key).filter(team__closed__isnull=True)
    return found.select_related("team__public_name", "invited_by__public_name").first()


def is_invited(user: User, invitation: Invitation) -> bool:
    """Whether the person showed that the invited address is theirs. A link alone, which may be
    forwarded or read by others, lets nobody in."""
    return owner_of(invitation.email) == user


@transaction.atomic
def join(*, key: str, user: User) -> Team:
    """The person is a member, and the link opens nothing any more. Raises InvitationRefusedError,
    and TeamRefusedError of who is in too many teams."""
    invitation = invitation_of(key)
    if invitation is None or not is_invited(user, invitation):
        raise InvitationRefusedError(NOT_VALID)
    hold_team(invitation.team)
    User.objects.select_for_update(no_key=True).only("pk").get(pk=user.pk)
    if not Invitation.objects.filter(pk=invitation.pk).end():
        raise InvitationRefusedError(NOT_VALID)
    if not Membership.objects.filter(team=invitation.team, user=user).exists():
        require_room_for_teams(user)
        require_room_in(invitation.team)
        Membership.objects.create(team=invitation.team, user=user)
    return invitation.team


def end_invitation(*, team: Team, invitation_id: int) -> None:
    """Its link opens nothing any more."""
    Invitation.objects.filter(team=team, pk=invitation_id).end()


@transaction.atomic
def set_role(*, team: Team, user_id: int, role: str) -> None:
    """Raises TeamRefusedError where nobody would be an owner, or one without a confirmed
    address."""
    hold_team(team)
    if role != Membership.Role.OWNER:
        require_another_owner(team, user_id)
    else:
        require_confirmed(User(pk=user_id))
    Membership.objects.filter(team=team, user=user_id).update(role=role)


@transaction.atomic
def remove_member(*, team: Team, user_id: int) -> None:
    """Who is removed, or leaves, sees nothing of the team's any more; what they handed in for it
    stays the team's. Raises TeamRefusedError where nobody would be an owner."""
    hold_team(team)
    require_another_owner(team, user_id)
    Membership.objects.filter(team=team, user=user_id).delete()


def require_another_owner(team: Team, user_id: int) -> None:
    owners = Membership.objects.filter(team=team, role=Membership.Role.OWNER)
    if owners.filter(user=user_id).exists() and owners.count() == 1:
        raise TeamRefusedError(
            "A team needs an owner. Make another member an owner first, or close the team."
        )


@transaction.atomic
def close_team(*, team: Team, now: datetime | None = None) -> None:
    """Nobody is a member any more, and the name is free. What it published stays on boards, under a
    former team; what was private is withdrawn and judged no further."""
    now = now or timezone.now()
    hold_team(team)
    for submission in Submission.objects.not_withdrawn().filter(team=team, visibility="private"):
        withdraw_submission(submission=submission)
    Membership.objects.filter(team=team).delete()
    Invitation.objects.filter(team=team).delete()
    PublicName.objects.filter(team=team).delete()
    Team.objects.filter(pk=team.pk, closed__isnull=True).update(closed=now)


@transaction.atomic
def leave_all(*, user: User) -> None:
    """Of an account that is deleted. A team whose only owner it was gets its oldest other member as
    owner; one without any other member is closed."""
    for membership in Membership.objects.filter(user=user).select_related("team"):
        team = membership.team
        hold_team(team)
        heir, is_closed = heir_of(team, user)
        if is_closed:
            close_team(team=team)
            continue
        if heir is not None:
            Membership.objects.filter(pk=heir.pk).update(role=Membership.Role.OWNER)
        Membership.objects.filter(pk=membership.pk).delete()
    Invitation.objects.filter(invited_by=user).delete()


def heir_of(team: Team, user: User) -> tuple[Membership | None, bool]:
    """Who becomes an owner of the team when the user's account is deleted, None where it has
    another owner or nobody; and whether it is closed, because nobody is left. An account without a
    confirmed address counts as nobody: no one can sign in to it."""
    confirmed = EmailAddress.objects.filter(verified=True).values("user")
    others = Membership.objects.filter(team=team, user__in=confirmed).exclude(user=user)
    others = others.select_related("user")
    if others.filter(role=Membership.Role.OWNER).exists():
        return None, False
    heir = others.first()
    return heir, heir is None


@transaction.atomic
def decide_team_verification(
    *, team: Team, is_verified: bool, reason: str, by: User
) -> TeamVerification:
    """The badge stands, or is gone, from now on. Who decided, when and why is public; earlier
    decisions are kept."""
    decision = TeamVerification.objects.create(
        team=team, is_verified=is_verified, reason=reason, decided_by=by
    )
    Team.objects.filter(pk=team.pk).update(verification=decision)
    return decision
