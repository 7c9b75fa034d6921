"""A study from its draw to its file: what is drawn, who looks at what, and which votes count."""

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from benchmarks.submissions.services import restore_submission, withdraw_submission
from judging.panel.models import Rating, RatingFile, Study, StudyItem, StudyRater, Vote
from judging.panel.selectors import ratings_of
from judging.panel.studies.asking import items_given, more_items, progress_of
from judging.panel.studies.draw import drawn, largest_remainders
from judging.panel.studies.errors import StudyRefusedError
from judging.panel.studies.handing_out import AT_ONCE, LEASE, give_out
from judging.panel.studies.lifecycle import LATE_TIME, close_study, open_study, withdraw_study
from judging.panel.studies.plans import (
    checks_among,
    create_study,
    plan_study,
    questionnaires,
)
from judging.panel.studies.raters import reinstate_rater, remove_rater
from judging.panel.studies.voting import cast_vote, take_back
from tests.judging.panel.study_world import (
    next_item,
    raters_of,
    study_of,
    vote,
    vote_on_all,
)

NOW = timezone.now()
LATER = NOW + timedelta(minutes=9)


def given_to(rater: StudyRater, now=NOW) -> list[int]:
    return [assignment.item_id for assignment in give_out(rater, now)]


def refused(reason: str):
    return pytest.raises(StudyRefusedError, match=reason)


def counting() -> list[tuple[str, int]]:
    """Number of the rater and score of every rating, in the order of the file."""
    said = Rating.objects.not_withdrawn().order_by("pk").values_list("rater", "score")
    return [(rater[-1], score) for rater, score in said]


# --- the draw -------------------------------------------------------------------------------------


def test_what_is_left_of_a_share_goes_to_the_largest_remainders():
    assert largest_remainders({"a": 6, "b": 3, "c": 1}, 5) == {"a": 3, "b": 2, "c": 0}
    assert largest_remainders({"a": 1, "b": 1, "c": 1}, 2) == {"a": 1, "b": 1, "c": 0}
    assert largest_remainders({"a": 500, "b": 300, "c": 108}, 200) == {"a": 110, "b": 66, "c": 24}
    assert largest_remainders({"a": 2, "b": 1}, 9) == {"a": 2, "b": 1}


def test_a_draw_follows_its_seed_alone_and_is_the_one_that_is_written_down():
    """Whoever repeats a study elsewhere needs this very order: SHA-256 of "seed:id"."""
    assert drawn({"a": ["q1", "q2", "q3", "q4"]}, 2, 42) == {"a": ["q1", "q4"]}
    strata = {"seeing": [f"s{n}" for n in range(60)], "telling": [f"t{n}" for n in range(40)]}
    first = drawn(strata, 10, 1)
    assert {name: len(ids) for name, ids in first.items()} == {"seeing": 6, "telling": 4}
    assert drawn({name: ids[::-1] for name, ids in strata.items()}, 10, 1) == first
    assert drawn(strata, 10, 2) != first


def test_a_release_tells_what_can_be_asked_of_it(spelling):
    assert [(one.key, one.questions) for one in questionnaires(spelling)] == [
        ("correct", 2),
        ("neatness+correct", 2),
    ]


def test_a_draft_has_every_answer_once_and_its_checks_behind_them(entry, other):
    study = study_of([entry, other], size=4, check_every=3, is_open=False)
    items = list(study.items.all())
    assert [item.is_check for item in items] == [False] * 8 + [True] * checks_among(8, 3)
    assert len({item.answer_id for item in items[:8]}) == 8
    assert len({item.answer.question_id for item in items[:8]}) == 4
    assert all(item.passing == {1} for item in items[8:])
    again = study_of([other, entry], size=4, check_every=3, is_open=False)
    assert [item.answer_id for item in again.items.all()] == [item.answer_id for item in items]


def test_what_a_study_cannot_be_is_refused_and_drawn_by_nobody(entry, other, long_entry):
    huge = {"entries": 20_000, "size": 6, "seed": 1, "raters_per_item": 3, "check_every": 0}
    with refused("at most 20,000"):
        plan_study(release=entry.release, questionnaire="correct", **huge)
    withdraw_submission(submission=other)
    other.refresh_from_db()
    for stranger in (long_entry, other):
        with refused("no entry of this release"):
            study_of([entry, stranger])
    with refused("at least one"):
        create_study(
            release=entry.release,
            title="None",
            questionnaire="correct",
            submissions=[],
            size=1,
            seed=1,
        )
    assert not Study.objects.exists()


# --- who looks at what ----------------------------------------------------------------------------


def test_every_item_is_looked_at_by_as_many_as_it_wants_and_by_nobody_twice(entry):
    study = study_of([entry], raters=5)
    raters = raters_of(study)
    orders = [tuple(given_to(rater)) for rater in raters[:3]]
    assert {frozenset(order) for order in orders} == {frozenset(orders[0])}
    assert len(set(orders)) == 3  # the order of a batch is each rater's own
    assert [vote_on_all(rater, now=NOW) for rater in raters] == [6, 6, 6, 0, 0]
    votes = Vote.objects.values_list("item_id", "rater_id")
    assert len(votes) == len(set(votes)) == 18
    assert set(study.items.values_list("taken", "wanted")) == {(3, 3)}


def test_a_rater_who_comes_back_finds_the_same_items_and_others_once_half_of_them_are_done(
    long_entry,
):
    (rater, *_) = raters_of(study_of([long_entry]))
    given = given_to(rater)
    assert len(given) == AT_ONCE
    done = AT_ONCE // 2 - 1
    for item in given[:done]:
        vote(rater, item, now=NOW)
    assert given_to(rater, NOW + timedelta(hours=1)) == given[done:]
    vote(rater, given[done], now=NOW)
    assert given_to(rater)[: AT_ONCE - done - 1] == given[done + 1 :]
    assert len(given_to(rater)) == AT_ONCE


def test_what_a_rater_leaves_lying_goes_to_others_and_a_vote_made_without_network_is_kept(entry):
    study = study_of([entry], raters=2, raters_per_item=1)
    first, second = raters_of(study)
    item = give_out(first, NOW)[0].item
    assert (len(given_to(first)), given_to(second)) == (6, [])
    late = NOW + LEASE + timedelta(minutes=1)
    assert len(given_to(second, late)) == 6
    assert set(study.items.values_list("taken", flat=True)) == {1}
    vote(second, item, 0, now=late)
    assert vote(first, item, 1, now=late + timedelta(minutes=1)).is_new
    vote_on_all(second, 0, now=late)
    close_study(study=study)
    # one rater was wanted: who voted first counts, the other vote stays in the study
    assert (counting(), Vote.objects.count()) == ([("2", 0)] * 6, 7)


def test_answers_of_a_withdrawn_entry_are_shown_to_nobody_until_it_is_restored(entry, other):
    study = study_of([entry, other], raters=2, check_every=3)
    first, second = raters_of(study)
    give_out(first, NOW)
    withdraw_submission(submission=other)
    checks = study.items.filter(is_check=True, answer__submission=entry).count()
    for rater in (first, second):
        give_out(rater, NOW)
        shown = items_given(rater)
        items = study.items.filter(pk__in=[item.pk for item in shown])
        assert set(items.values_list("answer__submission", flat=True)) == {entry.pk}
    assert items.filter(is_check=False).count() == 6
    assert len(shown) == 6 + min(3, checks)  # as many as go with six
    assert progress_of(second) == (0, 6 + min(3, checks))
    vote_on_all(second, now=NOW)
    restore_submission(submission=other)
    give_out(second, NOW)
    real = study.items.filter(pk__in=[item.pk for item in items_given(second)], is_check=False)
    assert set(real.values_list("answer__submission", flat=True)) == {other.pk}
    assert real.count() == 6


@pytest.mark.parametrize("first", ["closed", "withdrawn"])
def test_votes_on_a_withdrawn_entry_are_there_when_it_is_restored(entry, other, first):
    """Whichever came first: a closed study takes no votes in any more."""
    study = study_of([entry, other], raters=1)
    vote_on_all(raters_of(study)[0], now=NOW)
    if first == "withdrawn":
        withdraw_submission(submission=other)
    (file,) = close_study(study=study)
    withdraw_submission(submission=other)
    restore_submission(submission=other)
    assert file.rating_count == 12
    ids = [str(number) for number in range(1, 7)]
    assert ratings_of(other, ids) == ratings_of(entry, ids) == {"correct": [(1,)] * 6}


# --- checks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("every", "turn_count", "fewest", "most"), [(20, 21, 1, 1), (3, 30, 8, 12)]
)
def test_checks_come_among_the_items_that_they_go_with(long_entry, every, turn_count, fewest, most):
    """One in so many items, in every batch as many, and none left to the end."""
    study = study_of([long_entry], raters=1, raters_per_item=1, check_every=every)
    (rater,) = raters_of(study)
    while give_out(rater, NOW):
        rater.assignments.update(voted=NOW)
    turns = list(rater.assignments.order_by("turn").values_list("item__is_check", flat=True))
    checks = checks_among(60, every)
    assert (len(turns), sum(turns)) == (60 + checks, checks)
    for start in range(0, len(turns), turn_count):
        assert fewest <= sum(turns[start : start + turn_count]) <= most
    assert not all(turns[-5:])
    rater.refresh_from_db()
    assert rater.total == len(turns)


# --- votes ----------------------------------------------------------------------------------------


def test_a_vote_sent_twice_is_one_and_a_second_one_is_told(entry):
    (rater, *_) = raters_of(study_of([entry]))
    item, key = next_item(rater, NOW), uuid.uuid4()
    casts = [vote(rater, item, 1, key=key), vote(rater, item, 1, key=key), vote(rater, item, 0)]
    assert [(cast.is_new, cast.is_late) for cast in casts] == [
        (True, False),
        (False, False),
        (False, True),
    ]
    assert list(Vote.objects.values_list("value", flat=True)) == [1]
    take_back(rater=rater)
    assert not vote(rater, item, 1, key=key).is_new
    assert not Vote.objects.filter(taken_back=None).exists()


def test_taking_back_keeps_the_vote_and_gives_the_item_again(entry):
    (rater, *_) = raters_of(study_of([entry]))
    first = next_item(rater, NOW)
    vote(rater, first, 1, now=NOW)
    second = next_item(rater, NOW)
    vote(rater, second, 0, now=NOW + timedelta(seconds=1))
    taken = [take_back(rater=rater, now=NOW) for _ in range(3)]
    assert taken == [second.pk, first.pk, None]
    assert next_item(rater, NOW) == first
    vote(rater, first, 0, now=NOW)
    assert Vote.objects.filter(item=first).count() == 2
    assert Vote.objects.get(item=first, taken_back=None).value == 0


def test_a_vote_on_an_item_that_was_never_given_or_with_other_numbers_is_refused(entry):
    rater, other_rater, _ = raters_of(study_of([entry]))
    item = next_item(rater, NOW)
    for target in (item, 10**9):
        with refused("never given"):
            vote(other_rater, target)
    with refused("no answer"):
        vote(rater, item, 3)
    with refused("every line"):
        cast_vote(rater=rater, item=item.pk, values={}, key=uuid.uuid4())
    assert not Vote.objects.exists()


@pytest.mark.parametrize("is_closed", [False, True])
def test_what_was_handed_out_before_the_end_is_taken_for_the_stated_time(entry, is_closed):
    study = study_of([entry])
    rater, early, other_rater = raters_of(study)
    vote(early, next_item(early, NOW), now=NOW)
    first, second, *_ = given_to(rater)
    assert study.expires
    end = NOW + timedelta(hours=1) if is_closed else study.expires
    if is_closed:
        close_study(study=study, now=end)
    assert (len(more_items(rater, end)), more_items(other_rater, end)) == (6, [])
    assert vote(rater, first, now=end + LATE_TIME - timedelta(minutes=1)).is_new
    with refused("never given"):
        vote(other_rater, study.items.get(position=1), now=end)
    with refused("no more votes"):
        vote(rater, second, now=end + LATE_TIME)


def test_what_was_voted_before_makes_no_step_dearer(long_entry, django_assert_max_num_queries):
    (rater, *_) = raters_of(study_of([long_entry]))
    vote_on_all(rater, most=20, now=NOW)
    item = next_item(rater, NOW)
    with django_assert_max_num_queries(10):
        vote(rater, item, now=NOW)
    with django_assert_max_num_queries(18):
        remove_rater(rater=rater, reason="Did not look.")
    with django_assert_max_num_queries(18):
        reinstate_rater(rater=rater)


# --- the end of a study ---------------------------------------------------------------------------


def test_closing_writes_the_votes_that_stand_as_ratings_and_nothing_counts_before(entry):
    study = study_of([entry], check_every=3)
    raters = raters_of(study)
    for rater in raters:
        vote_on_all(rater, now=NOW)
    key = take_back(rater=raters[0], now=NOW)
    assert key
    taken = StudyItem.objects.get(pk=key)
    StudyRater.objects.filter(pk=raters[2].pk).update(removed=NOW)
    assert not Rating.objects.exists()
    (file,) = close_study(study=study)
    expected = {
        (f"study {study.code}, rater {number}", answer, 1)
        for number in (1, 2)
        for answer in study.items.filter(is_check=False).values_list("answer", flat=True)
        if (number, answer) != (1, None if taken.is_check else taken.answer_id)
    }
    assert set(Rating.objects.values_list("rater", "answer", "score")) == expected
    assert (file.study, file.rating_count) == (study, len(expected))


def test_a_study_is_opened_closed_and_withdrawn_once_each(entry):
    study = study_of([entry])
    with refused("open already"):
        open_study(study=study)
    with refused("Nobody has voted"):
        close_study(study=study)
    (rater, *_) = raters_of(study)
    vote(rater, next_item(rater, NOW))
    close_study(study=study)
    with refused("this one is closed"):
        close_study(study=study)
    assert RatingFile.objects.count() == 1
    again = study_of([entry])
    vote(raters_of(again)[0], next_item(raters_of(again)[0], NOW))
    close_study(study=again)
    assert Rating.objects.not_withdrawn().count() == 2  # two studies of one answer both count
    with refused("Say why"):
        withdraw_study(study=study, reason=" ")
    withdraw_study(study=study, reason="The instructions were wrong.")
    assert Rating.objects.not_withdrawn().get().file.study == again
    assert Vote.objects.count() == 2
    with refused("withdrawn before"):
        withdraw_study(study=study, reason="again")
