"""Teams: who is in one, by what, and what becomes of what is the team's."""

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from django.utils import timezone

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
from leaderboard.accounts.services import delete_account
from tests.conftest import confirmed, judged, submit
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


def test_no_team_takes_what_reads_as_the_name_of_an_account_nor_the_other_way(owner, stranger):
    set_public_name(owner=stranger, name="OpenAI")
    with pytest.raises(NameTakenError):
        found_team(name="0pen-AI", by=owner)
    found_team(name="DeepMind", by=owner)
    with pytest.raises(NameTakenError):
        set_public_name(owner=stranger, name="Deep Mind")
    assert PublicName.objects.count() == 2


@pytest.mark.parametrize("name", ["team 7", "Former team", "staff"])
def test_no_team_is_called_as_the_site_calls_things(owner, name):
    with pytest.raises(NameTakenError):
        found_team(name=name, by=owner)
    assert not Team.objects.exists()


def test_a_person_is_in_a_few_teams_at_most(owner):
    for i in range(services.MOST_TEAMS):
        found_team(name=f"Spellers of year 19{i}{i}", by=owner)
    with pytest.raises(TeamRefusedError):
        found_team(name="One more", by=owner)


# --- joining --------------------------------------------------------------------------------------


def test_who_confirmed_the_invited_address_joins_once(team, owner, stranger):
    made = invite(team=team, email="Sam@Example.org", by=owner)
    assert join(key=made.key, user=stranger) == team
    assert roles(team) == {"rosa": "owner", "sam": "member"}
    with pytest.raises(TeamRefusedError):
        join(key=made.key, user=stranger)


def test_a_forwarded_link_lets_nobody_else_in(team, owner, stranger):
    made = invite(team=team, email="ann@example.org", by=owner)
    EmailAddress.objects.create(user=stranger, email="ann@example.org", verified=False)
    with pytest.raises(TeamRefusedError):
        join(key=made.key, user=stranger)
    assert roles(team) == {"rosa": "owner"}


@pytest.mark.parametrize("how", ["expired", "ended", "closed", "again"])
def test_a_link_that_is_over_opens_nothing(team, owner, stranger, how):
    made = invite(team=team, email="sam@example.org", by=owner)
    if how == "expired":
        Invitation.objects.update(expires=timezone.now())
    if how == "ended":
        services.end_invitation(team=team, invitation_id=made.invitation.pk)
    if how == "closed":
        services.close_team(team=team)
    if how == "again":
        invite(team=team, email="sam@example.org", by=owner)
    with pytest.raises(TeamRefusedError):
        join(key=made.key, user=stranger)
    assert "sam" not in roles(team)


def test_the_key_is_kept_nowhere(team, owner):
    made = invite(team=team, email="sam@example.org", by=owner)
    assert made.key not in str(list(Invitation.objects.values()))


def test_nobody_sends_mails_to_more_strangers_than_a_few_a_day(team, owner):
    for i in range(services.MOST_INVITATIONS_A_DAY):
        made = invite(team=team, email=f"{i}@example.org", by=owner)
        services.end_invitation(team=team, invitation_id=made.invitation.pk)
    with pytest.raises(TeamRefusedError, match="tomorrow"):
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


def test_a_deleted_owner_leaves_the_team_to_its_oldest_member(spelling, team, owner, member):
    entry = submit(spelling, owner, team=team, visibility="private")
    delete_account(user=owner)
    assert roles(team) == {"sam": "owner"}
    assert Submission.objects.get(pk=entry.pk).withdrawn is None


def test_a_team_of_nobody_but_a_deleted_account_is_closed(spelling, team, owner):
    entry = submit(spelling, owner, team=team, visibility="private")
    delete_account(user=owner)
    assert Team.objects.get().closed
    assert Submission.objects.get(pk=entry.pk).withdrawn


def test_with_another_owner_nobody_is_promoted(team, owner, member):
    third = confirmed(User.objects.create_user("tom", "tom@example.org"))
    Membership.objects.create(team=team, user=third, role="owner")
    leave_all(user=owner)
    assert roles(team) == {"sam": "member", "tom": "owner"}


# --- what is the team's ---------------------------------------------------------------------------


def test_members_hand_in_versions_of_one_model(spelling, team, owner, member):
    mine, theirs = submit(spelling, owner, team=team), submit(spelling, member, team=team)
    own = submit(spelling, owner)
    assert mine.model == theirs.model
    assert own.model != mine.model
    assert own.model.name == mine.model.name


def test_boards_name_the_team_and_mark_no_name_of_its_members(spelling, team, owner, member):
    for user in (owner, member):
        judged(submit(spelling, user, team=team, name="Speller 1"))
    for submission in Submission.objects.all():
        assert handed_in_by(submission) == "The Spellers"
        assert not [note for note in submission.reading_notes if note["code"] == "name-alike"]


def test_a_member_is_told_of_equal_answers_of_the_team_and_of_no_other(
    spelling, team, owner, member
):
    submit(spelling, owner, name="Secret of mine", visibility="private")
    of_member = submit(spelling, member, name="Of another", team=team, visibility="private")
    assert "Secret of mine" not in str(of_member.reading_notes)
    again = submit(spelling, owner, name="Again", team=team, visibility="private")
    assert "Of another" in str(again.reading_notes)


def test_a_strangers_private_entry_stays_private_for_a_team_of_its_owner(
    spelling, team, owner, member
):
    """What a member hands in for themselves is not the team's."""
    own = submit(spelling, owner, visibility="private")
    assert own not in Submission.objects.held_by(member)
    assert own in Submission.objects.held_by(owner)


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


def test_a_renamed_team_frees_its_name(team, owner):
    set_team_name(team=team, name="Word Weighers")
    assert PublicName.objects.get(team=team).name == "Word Weighers"
    found_team(name="The Spellers", by=owner)
