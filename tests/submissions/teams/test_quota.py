"""Members share their team's places, and nobody has more by founding teams; staff raise limits for
a while."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from django.utils import timezone

from benchmarks.submissions.intake.quota import Limits, days_of_teams, limits_of, no_place
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import SubmissionRefusedError
from benchmarks.submissions.team_models import LimitRaise, Membership, Team
from benchmarks.submissions.teams.services import found_team
from tests.api_clients import session_client
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


def test_what_one_member_hands_in_takes_the_places_of_all_and_of_its_sender(
    spelling, team, owner, stranger, admin_user
):
    """Until staff raise the team's limit, which ends."""
    spend(spelling, owner, 2, team=team)
    refusal = no_place(stranger, spelling.pk, team=team)
    assert refusal is not None
    assert "2 files of your team's within 24 hours" in refusal.sentence
    assert no_place(stranger, spelling.pk) is None
    raised = raise_limits(admin_user, days=0.1, team=team, submissions_day=4)
    assert no_place(owner, spelling.pk, team=team) is None
    assert no_place(owner, spelling.pk) is not None
    assert no_place(owner, spelling.pk, team=team, now=raised.until) is not None


def test_a_new_team_gives_nobody_another_place_and_a_persons_limit_is_no_teams(
    spelling, team, owner, stranger, admin_user
):
    spend(spelling, owner, 2)
    refusal = no_place(owner, spelling.pk, team=team)
    assert refusal is not None
    assert "of yours" in refusal.sentence
    with pytest.raises(SubmissionRefusedError):
        hand_in(spelling, owner, team=team)
    raise_limits(admin_user, owner=owner, submissions_day=4)
    assert no_place(owner, spelling.pk) is None
    assert limits_of(team=team).submissions_day == 2
    assert limits_of(owner=stranger).submissions_day == 2


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


def test_the_newest_raise_counts_takes_nothing_away_and_is_never_changed(owner, admin_user):
    raise_limits(admin_user, owner=owner, submissions_day=0, unfinished=5, files=1)
    assert limits_of(owner=owner) == Limits(0, 0, 50)
    for granted, limit in ((100, 100), (1, 2)):
        raise_limits(admin_user, owner=owner, submissions_day=granted)
        assert limits_of(owner=owner).submissions_day == limit
    for change in (
        lambda: LimitRaise.objects.update(submissions_day=1_000),
        lambda: LimitRaise.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


# --- told before a file is chosen -----------------------------------------------------------------

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def took(release, user, hours: float, team: Team | None = None) -> None:
    """A place, so many hours before NOON."""
    made = submit(release, user, team=team)
    Submission.objects.filter(pk=made.pk).update(created=NOON - hours * HOUR, is_spent=True)


def left(release, user, team: Team) -> tuple[int, int, float]:
    """What is left, of how many, and hours from NOON until one more is; -1 where all are."""
    days = days_of_teams(user, [team], [release.pk], now=NOON)[team.pk]
    found = days.left_by_release.get(release.pk)
    if found is None:
        return days.limit, days.limit, -1
    return found.left, days.limit, (found.next_place - NOON) / HOUR


def test_a_member_is_told_of_the_places_that_the_team_and_they_have_left(
    spelling, team, owner, stranger, admin_user
):
    """Until both have one more. Nobody is told of a place who is refused, or refused one they were
    told of."""

    def told(user, *, at: datetime = NOON) -> tuple[int, int, float]:
        found = left(spelling, user, team)
        assert (found[0] > 0) == (no_place(user, spelling.pk, team=team, now=at) is None)
        return found

    assert told(stranger) == (2, 2, -1)
    took(spelling, owner, 20, team)
    assert told(stranger) == (1, 2, 4)
    took(spelling, stranger, 5)
    assert told(stranger) == (1, 2, 19)
    took(spelling, stranger, 3)
    assert told(stranger) == (0, 2, 19)
    assert told(owner) == (1, 2, 4)
    took(spelling, owner, 1, team)
    assert told(owner) == (0, 2, 4)
    raise_limits(admin_user, team=team, submissions_day=5)
    assert left(spelling, stranger, team) == (3, 5, 19)
    raise_limits(admin_user, team=team, submissions_day=0)
    assert left(spelling, stranger, team) == (0, 0, -1)


def test_the_page_tells_places_of_each_team_beside_whose_they_are(spelling, team, owner, stranger):
    submit(spelling, owner, team=team)
    Submission.objects.update(is_spent=True)
    found_team(name="Others", by=stranger)
    page = session_client(stranger).get("/submit/").content.decode()
    assert "For The Spellers: 2 files within 24 hours, all members together" in page
    assert f"{spelling.title}: 1 of 2 left for you, one more at" in page
    assert page.count("left for you.") == 1
    assert page.index('name="team"') < page.index("For The Spellers") < page.index('type="file"')


@pytest.mark.parametrize(
    ("quota", "said"),
    [("QUOTA_UNFINISHED", "at a time"), ("QUOTA_FILES", "It keeps at most one file of your team")],
)
def test_a_release_that_takes_none_of_a_teams_now_says_why(
    spelling, team, owner, stranger, settings, quota, said
):
    settings.QUOTA_UNFINISHED, settings.QUOTA_FILES = 0, 0
    setattr(settings, quota, 1)
    assert "your team&#x27;s" not in session_client(stranger).get("/submit/").content.decode()
    spend(spelling, owner, team=team)
    page = session_client(stranger).get("/submit/").content.decode()
    assert said in page
    refusal = no_place(stranger, spelling.pk, team=team)
    assert refusal is not None
    days = days_of_teams(stranger, [team], [spelling.pk])
    assert days[team.pk].stopped == {spelling.pk: refusal.sentence}


@pytest.mark.slow
def test_the_page_needs_the_same_queries_for_any_number_of_teams(
    spelling, owner, django_assert_max_num_queries
):
    client = session_client(owner)
    for number in range(10):
        submit(spelling, owner, team=found_team(name=f"Team number {number}", by=owner))
    client.get("/submit/")
    with django_assert_max_num_queries(29):
        client.get("/submit/")
