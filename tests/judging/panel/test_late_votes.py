"""Ratings of a closed study follow its votes: late ones are added, withdrawn ones leave."""

from datetime import timedelta

import pytest
from django.utils import timezone

from benchmarks.submissions.models import Submission
from judging.panel.models import Rating, RatingFile, Study
from judging.panel.services import withdraw_ratings
from judging.panel.studies.handing_out import give_out
from judging.panel.studies.lifecycle import (
    LATE_VOTES_WAIT,
    close_study,
    settle_late_votes,
    withdraw_study,
)
from judging.panel.studies.raters import withdraw_votes
from judging.panel.studies.reports import late_votes_of
from judging.panel.studies.voting import take_back
from tests.judging.panel.study_world import raters_of, study_of, vote

NOW = timezone.now()
LATER = NOW + timedelta(hours=2)
SETTLED = LATER + LATE_VOTES_WAIT + timedelta(minutes=1)


@pytest.fixture(scope="module")
def module_study(module_entry: Submission) -> Study:
    """Closed; each of two raters voted on two of six items and has the others."""
    made = study_of([module_entry], raters=2, raters_per_item=2)
    for rater in raters_of(made):
        for given in give_out(rater, NOW)[:2]:
            vote(rater, given.item, now=NOW)
    close_study(study=made, now=NOW + timedelta(hours=1))
    return made


@pytest.fixture
def study(module_study, db) -> Study:
    return Study.objects.get(pk=module_study.pk)


def late_vote(study: Study, number: int = 1, value: int = 0):
    rater = raters_of(study)[number - 1]
    item = rater.assignments.filter(voted=None).order_by("turn").first().item
    vote(rater, item, value, now=LATER)
    return item


def standing() -> set[tuple[str, int, int]]:
    rows = Rating.objects.not_withdrawn().values_list("rater", "answer", "score")
    return {(rater[-1], answer, score) for rater, answer, score in rows}


def test_a_late_vote_becomes_a_rating_once_some_minutes_passed(study):
    before = standing()
    item = late_vote(study)
    assert settle_late_votes(LATER + timedelta(minutes=1)) == 0
    assert standing() == before
    assert settle_late_votes(SETTLED) == 1
    assert standing() - before == {("1", item.answer_id, 0)}
    assert settle_late_votes(SETTLED) == 0
    first, second = RatingFile.objects.order_by("created")
    assert (first.withdrawn, second.rating_count, second.study) == (None, 1, study)
    assert late_votes_of(study) == 1


def test_a_vote_of_before_that_is_taken_back_late_leaves_the_ratings(study):
    rater = raters_of(study)[0]
    assert take_back(rater=rater, now=LATER)
    assert settle_late_votes(SETTLED) == 1
    assert sorted(rater for rater, *_ in standing()) == ["1", "2", "2"]
    assert RatingFile.objects.not_withdrawn().count() == 1


def test_what_a_rater_withdraws_leaves_the_ratings_at_once_and_others_stay(study):
    late_vote(study, 2)
    withdraw_votes(rater=raters_of(study)[0], now=LATER)
    assert [rater for rater, *_ in standing()] == ["2", "2", "2"]
    assert settle_late_votes(SETTLED) == 0
    withdraw_votes(rater=raters_of(study)[1], now=LATER)
    assert standing() == set()


def test_a_vote_behind_those_that_counted_takes_the_place_of_a_withdrawn_one(other):
    """One rater was wanted, two voted: the first vote counts, and the second once it is gone."""
    study = study_of([other], raters=2, raters_per_item=1)
    first, second = raters_of(study)
    item = give_out(first, NOW)[0].item
    after = NOW + timedelta(hours=7)
    give_out(second, after)
    vote(second, item, 0, now=after)
    vote(first, item, 1, now=after + timedelta(minutes=1))
    close_study(study=study, now=after + timedelta(hours=1))
    assert ("2", item.answer_id, 0) in standing()
    withdraw_votes(rater=second)
    assert ("2", item.answer_id, 0) not in standing()
    assert ("1", item.answer_id, 1) in standing()


def test_late_votes_of_a_study_whose_ratings_staff_withdrew_bring_nothing_back(study):
    withdraw_ratings(file=RatingFile.objects.get(), reason="Wrong study.")
    late_vote(study)
    settle_late_votes(SETTLED)
    assert standing() == set()
    withdraw_study(study=study, reason="Wrong instructions.")
    assert settle_late_votes(SETTLED) == 0
    assert standing() == set()


def test_what_a_rater_withdraws_leaves_also_where_staff_withdrew_one_of_the_files(study):
    late_vote(study)
    settle_late_votes(SETTLED)
    withdraw_ratings(file=RatingFile.objects.latest("created"), reason="Not these.")
    withdraw_votes(rater=raters_of(study)[0], now=SETTLED)
    assert "1" not in {rater for rater, *_ in standing()}


def test_one_study_that_cannot_be_settled_keeps_no_other_waiting(study, other, caplog):
    late_vote(study)
    another = study_of([other], raters=1, raters_per_item=1)
    (rater,) = raters_of(another)
    first, second, *_ = (given.item for given in give_out(rater, NOW))
    vote(rater, first, now=NOW)
    close_study(study=another, now=NOW)
    vote(rater, second, now=LATER)
    taken_by_a_file(study)
    assert settle_late_votes(SETTLED) == 1
    assert "stored already" in caplog.text
    assert Rating.objects.not_withdrawn().filter(file__study=another).count() == 2
    assert settle_late_votes(SETTLED + timedelta(minutes=1)) == 0


def taken_by_a_file(study: Study) -> None:
    """All that is not rated yet has a rating under the name of rater 1 by some file."""
    file = RatingFile.objects.get(study=study)
    known = Rating.objects.filter(file=file, rater__endswith="rater 1").values("answer")
    other = RatingFile.objects.create(
        file_name="other.csv", sha256="0" * 64, rating_count=6, created=NOW
    )
    for item in study.items.exclude(answer__in=known):
        Rating.objects.create(
            file=other,
            answer=item.answer,
            rater=f"study {study.code}, rater 1",
            dimension="correct",
            score=1,
        )
