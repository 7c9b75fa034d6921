"""Teams: who is in one, by what, and what becomes of what is the team's."""

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from django.utils import timezone

from benchmarks.common.invitations import InvitationRefusedError
from benchmarks.submissions.models import EvaluatedModel, PublicName, Submission
from benchmarks.submissions.naming.public_names import (
    NameTakenError,
    handed_in_by,
    set_public_name,
    set_team_name,
)
from benchmarks.submissions.services import SubmissionRefusedError
from benchmarks.submissions.team_models import Invitation, Membership, Team
from benchmarks.submissions.teams import services
from benchmarks.submissions.teams.services import (
    TeamRefusedError,
    decide_team_verification,
    found_team,
    invite,
    join,
    leave_all,
    remove_member,
    set_role,
)
from leaderboard.people.accounts.services import delete_account
from tests.conftest import confirmed, submit
from tests.judging.threads import at_once


@pytest.fixture
def team(owner) -> Team:
    return found_team(name="The Spellers", by=owner)


@pytest.fixture
def member(team, stranger: User) -> User:
    Membership.objects.create(team=team, user=stranger)
    return stranger


def roles(team: Team) -> dict[str, str]:
    return dict(Membership.objects.filter(team=team).values_list("user__username", "role"))


# --- names ----------------------------------------------------------------------------------------


def test_names_of_teams_and_accounts_are_told_apart_and_a_renamed_team_frees_its_own(
    owner, stranger
):
    set_public_name(owner=stranger, name="OpenAI")
    for name in ("0pen-AI", "team 7", "Former team", "staff"):
        with pytest.raises(NameTakenError):
            found_team(name=name, by=owner)
    assert not Team.objects.exists()
    team = found_team(name="DeepMind", by=owner)
    with pytest.raises(NameTakenError):
        set_public_name(owner=stranger, name="Deep Mind")
    assert PublicName.objects.count() == 2
    set_team_name(team=team, name="Word Weighers")
    assert PublicName.objects.get(team=team).name == "Word Weighers"
    found_team(name="DeepMind", by=owner)


def test_a_person_is_in_a_few_teams_at_most(owner):
    for i in range(services.MOST_TEAMS):
        found_team(name=f"Spellers of year 19{i}{i}", by=owner)
    with pytest.raises(TeamRefusedError):
        found_team(name="One more", by=owner)


# --- joining --------------------------------------------------------------------------------------


def test_a_team_that_is_full_takes_nobody_in(team, owner, stranger, monkeypatch):
    key = invite(team=team, email=stranger.email, by=owner).key
    monkeypatch.setattr(services, "MOST_MEMBERS", 1)
    with pytest.raises(InvitationRefusedError, match="at most 1 members"):
        join(key=key, user=stranger)
    monkeypatch.setattr(services, "MOST_MEMBERS", 2)
    assert join(key=key, user=stranger) == team


def test_who_confirmed_the_invited_address_joins_once(team, owner, stranger):
    """Nobody else by a forwarded link, and nobody by one that is over."""

    def is_refused(key: str) -> bool:
        with pytest.raises(InvitationRefusedError):
            join(key=key, user=stranger)
        return True

    EmailAddress.objects.create(user=stranger, email="ann@example.org", verified=False)
    assert is_refused(invite(team=team, email="ann@example.org", by=owner).key)
    replaced = invite(team=team, email="Sam@Example.org", by=owner)
    made = invite(team=team, email="Sam@Example.org", by=owner)
    assert made.key not in str(list(Invitation.objects.values()))
    assert is_refused(replaced.key)
    services.end_invitation(team=team, invitation_id=made.pk)
    assert is_refused(made.key)
    made = invite(team=team, email="sam@example.org", by=owner)
    expires = made.expires
    Invitation.objects.filter(pk=made.pk).update(expires=timezone.now())
    assert is_refused(made.key)
    Invitation.objects.filter(pk=made.pk).update(expires=expires)
    assert roles(team) == {"rosa": "owner"}
    assert join(key=made.key, user=stranger) == team
    assert roles(team) == {"rosa": "owner", "sam": "member"}
    assert is_refused(made.key)
    remove_member(team=team, user_id=stranger.pk)
    made = invite(team=team, email="sam@example.org", by=owner)
    services.close_team(team=team)
    assert is_refused(made.key)


def test_nobody_sends_mails_to_more_strangers_than_a_few_a_day(team, owner):
    for i in range(services.MOST_INVITATIONS_A_DAY):
        made = invite(team=team, email=f"{i}@example.org", by=owner)
        services.end_invitation(team=team, invitation_id=made.pk)
    with pytest.raises(InvitationRefusedError, match="tomorrow"):
        invite(team=team, email="one-more@example.org", by=owner)
    tomorrow = timezone.now() + timedelta(hours=25)
    invite(team=team, email="one-more@example.org", by=owner, now=tomorrow)


# --- leaving --------------------------------------------------------------------------------------


def test_a_team_keeps_an_owner(team, owner, member):
    for refused in (
        lambda: remove_member(team=team, user_id=owner.pk),
        lambda: set_role(team=team, user_id=owner.pk, role="member"),
    ):
        with pytest.raises(TeamRefusedError):
            refused()
    set_role(team=team, user_id=member.pk, role="owner")
    remove_member(team=team, user_id=owner.pk)
    assert roles(team) == {"sam": "owner"}


def test_of_two_owners_who_leave_at_once_one_stays(committed, owner, stranger):
    team = found_team(name="The Spellers", by=owner)
    Membership.objects.create(team=team, user=stranger, role="owner")
    refused = []

    def leave(user: User) -> None:
        try:
            remove_member(team=team, user_id=user.pk)
        except TeamRefusedError:
            refused.append(user)

    at_once(lambda: leave(owner), lambda: leave(stranger))
    assert len(refused) == 1
    assert list(roles(team).values()) == ["owner"]


def test_who_left_sees_nothing_of_what_they_handed_in_for_the_team(spelling, team, owner, member):
    entry = submit(spelling, member, team=team, visibility="private")
    assert set(Submission.objects.held_by(member)) == {entry}
    remove_member(team=team, user_id=member.pk)
    assert not Submission.objects.held_by(member).exists()
    assert not Submission.objects.visible_to(member).exists()
    assert not EvaluatedModel.objects.held_by(member).exists()
    assert set(Submission.objects.held_by(owner)) == {entry}
    with pytest.raises(SubmissionRefusedError):
        submit(spelling, member, team=team)


def test_a_closed_team_keeps_what_it_published_and_nothing_else(spelling, team, owner):
    public = submit(spelling, owner, team=team)
    private = submit(spelling, owner, team=team, visibility="private")
    services.close_team(team=team)
    assert not Submission.objects.get(pk=public.pk).withdrawn
    assert Submission.objects.get(pk=private.pk).withdrawn
    assert handed_in_by(Submission.objects.get(pk=public.pk)) == "a former team"
    assert not Membership.objects.exists()
    found_team(name="The Spellers", by=owner)
    with pytest.raises(SubmissionRefusedError):
        submit(spelling, owner, team=team)


# --- accounts that are deleted --------------------------------------------------------------------


def test_a_deleted_owner_leaves_the_team_to_its_oldest_member_and_the_last_one_closes_it(
    spelling, team, owner, member
):
    entry = submit(spelling, owner, team=team, visibility="private")
    delete_account(user=owner)
    assert roles(team) == {"sam": "owner"}
    assert Submission.objects.get(pk=entry.pk).withdrawn is None
    delete_account(user=member)
    assert Team.objects.get().closed
    assert Submission.objects.get(pk=entry.pk).withdrawn


def test_with_another_owner_nobody_is_promoted(team, owner, member):
    third = confirmed(User.objects.create_user("tom", "tom@example.org"))
    Membership.objects.create(team=team, user=third, role="owner")
    leave_all(user=owner)
    assert roles(team) == {"sam": "member", "tom": "owner"}


# --- what is the team's ---------------------------------------------------------------------------


def test_members_hand_in_versions_of_one_model_in_the_name_of_the_team(
    spelling, team, owner, member
):
    """What a member hands in for themselves is not the team's."""
    mine, theirs = submit(spelling, owner, team=team), submit(spelling, member, team=team)
    assert mine.model == theirs.model
    for submission in (mine, theirs):
        assert handed_in_by(submission) == "The Spellers"
        assert "name-alike" not in {note["code"] for note in submission.reading_notes}
    own = submit(spelling, owner, visibility="private")
    assert own.model != mine.model
    assert own.model.name == mine.model.name
    assert own not in Submission.objects.held_by(member)
    assert own in Submission.objects.held_by(owner)


def test_a_member_is_told_of_equal_answers_of_the_team_and_of_no_other(
    spelling, team, owner, member
):
    submit(spelling, owner, name="Secret of mine", visibility="private")
    of_member = submit(spelling, member, name="Of another", team=team, visibility="private")
    assert "Secret of mine" not in str(of_member.reading_notes)
    again = submit(spelling, owner, name="Again", team=team, visibility="private")
    assert "Of another" in str(again.reading_notes)


# --- staff ----------------------------------------------------------------------------------------


def test_the_newest_decision_is_the_badge_and_none_is_ever_changed(team, admin_user):
    for is_verified in (True, False):
        decide_team_verification(
            team=team, is_verified=is_verified, reason="Called them.", by=admin_user
        )
    team.refresh_from_db()
    assert team.verification is not None
    assert not team.verification.is_verified
    assert team.verifications.count() == 2
    for change in (
        lambda: team.verifications.update(reason="Nobody called."),
        lambda: team.verifications.all().delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
