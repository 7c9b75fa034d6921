"""Where three raters say three things of an answer, a fourth is asked."""

from datetime import timedelta

import pytest
from django.utils import timezone

from benchmarks.submissions.models import Submission
from judging.panel.models import Rating, StudyItem, StudyRater
from judging.panel.studies.handing_out import give_out
from judging.panel.studies.lifecycle import close_study
from judging.panel.studies.raters import reinstate_rater, remove_rater
from judging.panel.studies.voting import take_back
from tests.judging.panel.study_world import next_item, raters_of, study_of, vote, vote_on_all

NOW = timezone.now()
LATER = NOW + timedelta(minutes=9)


def given_to(rater: StudyRater) -> list[int]:
    return [assignment.item_id for assignment in give_out(rater, LATER)]


def counting() -> list[tuple[str, int]]:
    """Number of the rater and score of every rating, in the order of the file."""
    said = Rating.objects.order_by("pk").values_list("rater", "score")
    return [(rater[-1], score) for rater, score in said]


@pytest.fixture(scope="module")
def module_split(module_entry: Submission) -> StudyItem:
    """Of a study of five raters: the item of which three said three things, which a fourth is to
    look at."""
    raters = raters_of(study_of([module_entry], raters=5))
    item = next_item(raters[0], NOW)
    for minute, value in enumerate((0, 1, 2)):
        at = NOW + timedelta(minutes=minute)
        give_out(raters[minute], at)
        vote(raters[minute], item, value, now=at)
    return item


@pytest.fixture
def split(module_split, db) -> StudyItem:
    return StudyItem.objects.select_related("study").get(pk=module_split.pk)


def wanted(item: StudyItem) -> tuple[int, int]:
    item.refresh_from_db()
    return item.taken, item.wanted


def test_a_fourth_rater_is_asked_only_where_three_disagree_three_ways(split):
    *three, fourth, fifth = raters_of(split.study)
    for rater in three:
        vote_on_all(rater, now=LATER)
    assert (given_to(fourth), given_to(fifth)) == ([split.pk], [])
    vote(fourth, split, 1, now=LATER)
    close_study(study=split.study)
    assert Rating.objects.count() == 19


@pytest.mark.parametrize("leaves", ["removed", "says something else"])
def test_a_fourth_counts_only_where_those_three_disagree_that_are_left(split, leaves):
    first, _, _, fourth, fifth = raters_of(split.study)
    give_out(fourth, LATER)
    vote(fourth, split, 1, now=LATER)
    if leaves == "removed":
        remove_rater(rater=first, reason="Did not look.")
        assert split.pk not in given_to(fifth)
    else:
        take_back(rater=first, now=LATER)
        vote(first, split, 1, now=LATER + timedelta(minutes=1))
    close_study(study=split.study)
    assert counting() == [("2", 1), ("3", 2), ("4", 1)]


def test_the_fourth_counts_once_one_who_disagreed_is_removed_and_heard_again(split):
    _, _, third, fourth, fifth = raters_of(split.study)
    remove_rater(rater=third, reason="Did not look.")
    give_out(fourth, LATER)
    vote(fourth, split, 1, now=LATER)
    reinstate_rater(rater=third)
    assert wanted(split) == (4, 4)
    assert split.pk not in given_to(fifth)
    close_study(study=split.study)
    assert counting() == [("1", 0), ("2", 1), ("3", 2), ("4", 1)]


@pytest.mark.parametrize("is_heard_again", [False, True])
def test_where_one_who_disagreed_is_removed_or_heard_again_one_is_asked_and_not_two(
    split, is_heard_again
):
    _, _, third, fourth, fifth = raters_of(split.study)
    remove_rater(rater=third, reason="Did not look.")
    if is_heard_again:
        reinstate_rater(rater=third)
    assert [split.pk in given_to(rater) for rater in (fourth, fifth)] == [True, False]


def test_a_disagreement_that_is_taken_back_asks_nobody_more(split):
    _, _, third, fourth, _ = raters_of(split.study)
    assert wanted(split) == (3, 4)
    take_back(rater=third, now=LATER)
    assert wanted(split) == (3, 3)
    vote(third, split, 1, now=LATER)
    assert split.pk not in given_to(fourth)
