"""What is only seen with two connections: closing and voting, and two raters who want one item."""

import uuid
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from judging.panel.models import Rating, Study, Vote
from judging.panel.studies.asking import more_items
from judging.panel.studies.errors import StudyRefusedError
from judging.panel.studies.lifecycle import LATE_VOTES_WAIT, close_study, settle_late_votes
from judging.panel.studies.raters import withdraw_votes
from judging.panel.studies.voting import cast_vote
from tests.judging.panel.study_world import raters_of, spelled, study_of, vote, words
from tests.judging.threads import waiting_for_commit

pytestmark = pytest.mark.slow
NOW = timezone.now()


@pytest.fixture
def owner(committed) -> User:
    return User.objects.create_user("rosa", "rosa@example.org", "a long enough password")


@pytest.fixture
def study(owner) -> Study:
    return study_of([spelled(words(6), owner)], raters=2, raters_per_item=1)


def test_a_vote_that_comes_while_a_study_is_closed_is_late_and_reaches_the_ratings(study):
    first, _ = raters_of(study)
    (one, other, *_) = more_items(first, NOW)
    vote(first, one.pk)
    came: list[bool] = []

    def late() -> None:
        cast = cast_vote(rater=first, item=other.pk, values={"correct": 1}, key=uuid.uuid4())
        came.append(cast.is_new)

    with waiting_for_commit(late):
        close_study(study=study)
    assert came == [True]
    assert (Vote.objects.count(), Rating.objects.count()) == (2, 1)
    settle_late_votes(timezone.now() + LATE_VOTES_WAIT + timedelta(minutes=1))
    assert (Vote.objects.count(), Rating.objects.count()) == (2, 2)


def test_two_devices_at_once_after_the_close_lose_no_vote_while_ratings_are_settled(study):
    first, _ = raters_of(study)
    one, other, third, *_ = more_items(first, NOW)
    vote(first, one.pk)
    close_study(study=study)
    vote(first, other.pk)
    later = timezone.now() + LATE_VOTES_WAIT + timedelta(minutes=1)
    with waiting_for_commit(lambda: vote(first, third.pk)):
        settle_late_votes(later)
    assert (Vote.objects.count(), Rating.objects.count()) == (3, 2)
    settle_late_votes(later + LATE_VOTES_WAIT)
    assert Rating.objects.count() == 3


def test_a_vote_that_comes_while_its_rater_withdraws_all_is_refused(study):
    first, _ = raters_of(study)
    one, other, *_ = more_items(first, NOW)
    vote(first, one.pk)
    told: list[str] = []

    def from_another_device() -> None:
        try:
            vote(first, other.pk)
        except StudyRefusedError as error:
            told.append(str(error))

    with waiting_for_commit(from_another_device):
        withdraw_votes(rater=first)
    assert "no rater of this study any more" in told[0]
    assert not Vote.objects.filter(taken_back=None).exists()


def test_two_raters_at_once_never_get_an_item_that_wants_one(study):
    first, second = raters_of(study)
    found: list[int] = []
    with waiting_for_commit(lambda: found.append(len(more_items(second, NOW)))):
        given = more_items(first, NOW)
    assert (len(given), found) == (6, [0])
    assert set(study.items.values_list("taken", flat=True)) == {1}


def test_one_vote_is_kept_of_two_tabs_at_once(study):
    rater, _ = raters_of(study)
    (item, *_) = more_items(rater, NOW)
    late: list[bool] = []

    def other_tab() -> None:
        late.append(vote(rater, item.pk, 0).is_late)

    with waiting_for_commit(other_tab):
        vote(rater, item.pk, 1)
    assert late == [True]
    assert Vote.objects.get().value == 1
