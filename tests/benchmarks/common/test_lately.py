"""A date of the future, of a clock that was set forward and back, shuts nobody out."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from benchmarks.models import Claim, Figure
from benchmarks.registry import protocol
from benchmarks.services.claims import claim, claims_of
from benchmarks.submissions.intake.quota import no_place, places_left_by_release
from benchmarks.submissions.models import Submission
from judging.models import JudgeRun
from judging.services import ensure_spec
from judging.services.dry_runs import dry_run_places
from leaderboard.models import SharedCacheRow
from leaderboard.models.invitations import PersonInvitation
from leaderboard.people.staff import invitations
from leaderboard.people.staff.invitations import invite_person
from leaderboard.results.services import forget_expired

YEAR = timedelta(days=365)


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def of_a_year_to_come(submission, settings, now):
    settings.QUOTA_SUBMISSIONS_DAY, settings.QUOTA_UNFINISHED = 1, 0
    Submission.objects.update(created=now + YEAR, is_spent=True)
    return submission


def test_a_file_of_the_future_takes_no_place_of_today(of_a_year_to_come, owner, now):
    release = of_a_year_to_come.release_id
    assert no_place(owner, release, now=now) is None
    assert places_left_by_release(owner, [release], 1, now=now) == {}
    Submission.objects.update(created=now + timedelta(seconds=2))  # another host's clock
    refused = no_place(owner, release, now=now)
    assert refused
    assert refused.wait_seconds(now) <= timedelta(days=1, seconds=5).total_seconds()


def test_a_dry_run_of_the_future_takes_no_place_of_today(submission, owner, settings, now):
    settings.QUOTA_DRY_RUNS_DAY = 1
    spec = ensure_spec(of=protocol("spelling"), kind="rules")
    JudgeRun.objects.create(
        submission=submission, judge_spec=spec, dry_run=now + YEAR, unscored=None
    )
    assert dry_run_places(owner, now=now).is_free
    JudgeRun.objects.update(dry_run=now)
    assert not dry_run_places(owner, now=now).is_free


def test_a_claim_that_ends_later_than_any_can_is_over(load, owner):
    load(b"0|word|word|figure.png\n", slug="spelling-1")
    figure = Figure.objects.get()
    claim(figure_id=figure.pk, language="en", user=owner)
    assert claims_of(figure_id=figure.pk, language="en").exists()
    Claim.objects.update(until=timezone.now() + YEAR)
    assert not claims_of(figure_id=figure.pk, language="en").exists()


def test_a_limit_of_sign_in_that_ends_in_a_year_is_tidied_away(db):
    cache.set("wrong-passwords", [1], 3600)
    assert forget_expired() == 0
    SharedCacheRow.objects.update(expires=timezone.now() + YEAR)
    assert forget_expired() == 1


def test_invitations_of_the_future_are_none_of_today(db, owner, monkeypatch, now):
    monkeypatch.setattr(invitations, "MOST_A_DAY", 1)
    for number in range(2):
        invite_person(email=f"a{number}@example.org", groups=[], by=owner, now=now)
        PersonInvitation.objects.update(created=now + YEAR)
