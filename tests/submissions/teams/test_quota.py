"""Members share their team's places, and nobody has more by founding teams; staff raise limits for
a while."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from django.utils import timezone

from benchmarks.submissions.models import Submission
from benchmarks.submissions.quota import Limits, limits_of, no_place
from benchmarks.submissions.services import SubmissionRefusedError
from benchmarks.submissions.team_models import LimitRaise, Membership, Team
from benchmarks.submissions.teams.services import found_team
from tests.conftest import submit
from tests.judging.threads import at_once


@pytest.fixture(autouse=True)
def shipped(settings):
    settings.QUOTA_SUBMISSIONS_DAY, settings.QUOTA_UNFINISHED, settings.QUOTA_FILES = 2, 0, 50


@pytest.fixture
def team(owner, stranger) -> Team:
    team = found_team(name="The Spellers", by=owner)
    Membership.objects.create(team=team, user=stranger)
    return team


def hand_in(release, user, **more) -> Submission:
    return submit(release, user, from_outside=True, **more)


def spend(release, user, times: int = 1, **more) -> None:
    for _ in range(times):
        submit(release, user, **more)
    Submission.objects.update(is_spent=True)


def raise_limits(by, *, days: float = 1, **more) -> LimitRaise:
    until = timezone.now() + timedelta(days=days)
    return LimitRaise.objects.create(until=until, reason="A workshop.", decided_by=by, **more)


def test_what_one_member_hands_in_takes_the_places_of_all(spelling, team, owner, stranger):
    spend(spelling, owner, 2, team=team)
    refusal = no_place(stranger, spelling.pk, team=team)
    assert refusal is not None
    assert "2 files of your team's within 24 hours" in refusal.sentence
    assert no_place(stranger, spelling.pk) is None


def test_a_new_team_gives_nobody_another_place(spelling, team, owner):
    spend(spelling, owner, 2)
    refusal = no_place(owner, spelling.pk, team=team)
    assert refusal is not None
    assert "of yours" in refusal.sentence
    with pytest.raises(SubmissionRefusedError):
        hand_in(spelling, owner, team=team)


def test_what_was_handed_in_for_a_team_counts_for_its_sender_too(spelling, team, owner):
    spend(spelling, owner, 2, team=team)
    assert no_place(owner, spelling.pk) is not None


def test_files_kept_count_for_their_owner_alone(spelling, team, owner, settings):
    settings.QUOTA_SUBMISSIONS_DAY, settings.QUOTA_FILES = 0, 1
    spend(spelling, owner, team=team)
    assert no_place(owner, spelling.pk) is None
    assert no_place(owner, spelling.pk, team=team) is not None


def test_of_two_members_who_race_for_the_last_place_one_gets_it(committed, spelling, owner):
    stranger = User.objects.create_user("sam")
    team = found_team(name="The Spellers", by=owner)
    Membership.objects.create(team=team, user=stranger)
    third = User.objects.create_user("tom")
    Membership.objects.create(team=team, user=third)
    spend(spelling, third, team=team)
    refused = []

    def race(user: User) -> None:
        try:
            hand_in(spelling, user, team=team)
        except SubmissionRefusedError as error:
            refused.append(error.problems[0].code)

    at_once(lambda: race(owner), lambda: race(stranger))
    assert refused == ["quota"]
    assert Submission.objects.filter(team=team).count() == 2


# --- limits that staff raised ---------------------------------------------------------------------


def test_a_teams_raised_limit_is_its_members_too_until_it_ends(spelling, team, owner, admin_user):
    spend(spelling, owner, 2, team=team)
    raised = raise_limits(admin_user, days=0.1, team=team, submissions_day=4)
    assert no_place(owner, spelling.pk, team=team) is None
    assert no_place(owner, spelling.pk) is not None
    assert no_place(owner, spelling.pk, team=team, now=raised.until) is not None


def test_a_persons_raised_limit_is_no_teams(spelling, team, owner, stranger, admin_user):
    spend(spelling, owner, 2)
    raise_limits(admin_user, owner=owner, submissions_day=4)
    assert no_place(owner, spelling.pk) is None
    assert limits_of(team=team).submissions_day == 2
    assert limits_of(owner=stranger).submissions_day == 2


def test_no_limit_is_higher_than_any_and_a_lower_number_takes_nothing_away(owner, admin_user):
    raise_limits(admin_user, owner=owner, submissions_day=0, unfinished=5, files=1)
    assert limits_of(owner=owner) == Limits(0, 0, 50)


def test_the_newest_counts_and_ends_an_earlier_one(owner, admin_user):
    raise_limits(admin_user, owner=owner, submissions_day=100)
    raise_limits(admin_user, owner=owner, submissions_day=1)
    assert limits_of(owner=owner).submissions_day == 2


def test_what_was_granted_is_never_changed(owner, admin_user):
    raise_limits(admin_user, owner=owner, submissions_day=100)
    for change in (
        lambda: LimitRaise.objects.update(submissions_day=1_000),
        lambda: LimitRaise.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
