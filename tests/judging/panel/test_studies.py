"""A study from its draw to its file: what is drawn, who looks at what, and which votes count."""

import uuid
from datetime import timedelta
from itertools import repeat

import pytest
from django.db import Error, transaction
from django.utils import timezone

from benchmarks.submissions.services import restore_submission, withdraw_submission
from judging.panel.models import Assignment, Rating, RatingFile, StudyRater, Vote
from judging.panel.selectors import ratings_of
from judging.panel.studies.asking import items_given, more_items, progress_of
from judging.panel.studies.draw import drawn, largest_remainders
from judging.panel.studies.errors import StudyRefusedError
from judging.panel.studies.handing_out import AT_ONCE, LEASE, give_out
from judging.panel.studies.lifecycle import LATE_TIME, close_study, open_study, withdraw_study
from judging.panel.studies.plans import checks_among, create_study, plan_study, questionnaires
from judging.panel.studies.raters import reinstate_rater, remove_rater
from judging.panel.studies.voting import cast_vote, take_back
from tests.judging.panel.study_world import (
    next_item,
    raters_of,
    spelled,
    study_of,
    vote,
    vote_on_all,
    words,
)

NOW = timezone.now()


@pytest.fixture
def entry(db, owner):
    return spelled(words(6), owner)


# --- the draw -------------------------------------------------------------------------------------


def test_what_is_left_of_a_share_goes_to_the_largest_remainders():
    assert largest_remainders({"a": 6, "b": 3, "c": 1}, 5) == {"a": 3, "b": 2, "c": 0}
    assert largest_remainders({"a": 1, "b": 1, "c": 1}, 2) == {"a": 1, "b": 1, "c": 0}
    assert largest_remainders({"a": 500, "b": 300, "c": 108}, 200) == {"a": 110, "b": 66, "c": 24}
    assert largest_remainders({"a": 2, "b": 1}, 9) == {"a": 2, "b": 1}


def test_the_same_seed_draws_the_same_questions_and_another_seed_others():
    strata = {"seeing": [f"s{n}" for n in range(60)], "telling": [f"t{n}" for n in range(40)]}
    first = drawn(strata, 10, 1)
    assert {name: len(ids) for name, ids in first.items()} == {"seeing": 6, "telling": 4}
    shuffled = {name: ids[::-1] for name, ids in strata.items()}
    assert drawn(shuffled, 10, 1) == first
    assert drawn(strata, 10, 2) != first


def test_a_draw_is_the_one_that_is_written_down():
    """Whoever repeats a study elsewhere needs this very order: SHA-256 of "seed:id"."""
    assert drawn({"a": ["q1", "q2", "q3", "q4"]}, 2, 42) == {"a": ["q1", "q4"]}


def test_a_release_tells_what_can_be_asked_of_it(spelling):
    assert [(one.key, one.questions) for one in questionnaires(spelling)] == [
        ("correct", 2),
        ("neatness+correct", 2),
    ]


def test_a_plan_tells_how_much_work_a_study_is(entry):
    plan = plan_study(
        release=entry.release,
        questionnaire="correct",
        entries=5,
        size=4,
        seed=1,
        raters_per_item=3,
        check_every=5,
    )
    assert (plan.items, plan.votes, plan.checks, plan.left_out) == (20, 60, 5, 0)
    assert plan.hours == pytest.approx(0.5)
    assert [(share.questions, share.drawn) for share in plan.shares] == [(6, 4)]


def test_a_study_larger_than_any_was_measured_is_refused(entry):
    with pytest.raises(StudyRefusedError, match="at most 20,000"):
        plan_study(
            release=entry.release,
            questionnaire="correct",
            entries=20_000,
            size=6,
            seed=1,
            raters_per_item=3,
            check_every=0,
        )


def test_a_draft_has_every_answer_once_and_its_checks_behind_them(entry, owner):
    other = spelled(entry.release, owner, "Another")
    study = study_of([entry, other], size=4, check_every=3, is_open=False)
    items = list(study.items.all())
    assert [item.is_check for item in items] == [False] * 8 + [True] * checks_among(8, 3)
    assert len({item.answer_id for item in items[:8]}) == 8
    assert len({item.answer.question_id for item in items[:8]}) == 4
    assert all(item.passing == {1} for item in items[8:])
    again = study_of([other, entry], size=4, check_every=3, is_open=False)
    assert [item.answer_id for item in again.items.all()] == [item.answer_id for item in items]


def test_an_entry_of_another_release_or_a_withdrawn_one_is_refused(entry, owner):
    stranger = spelled(words(3, slug="others"), owner, "Another")
    with pytest.raises(StudyRefusedError, match="no entry of this release"):
        study_of([entry, stranger])


# --- who looks at what ----------------------------------------------------------------------------


def test_every_item_is_looked_at_by_as_many_as_it_wants_and_by_nobody_twice(entry):
    study = study_of([entry], raters=5)
    raters = raters_of(study)
    while any(vote_on_all(rater, [1], NOW) for rater in raters):
        pass
    votes = Vote.objects.values_list("item_id", "rater_id")
    assert len(votes) == len(set(votes)) == 18
    assert set(study.items.values_list("taken", "wanted")) == {(3, 3)}


def test_the_order_of_a_batch_is_each_raters_own(entry):
    study = study_of([spelled(words(18, slug="more"), entry.owner, "More")])
    orders = [[a.item_id for a in give_out(rater, NOW)] for rater in raters_of(study)]
    assert {frozenset(order) for order in orders} == {frozenset(orders[0])}
    assert len({tuple(order) for order in orders}) == 3


def test_a_rater_who_comes_back_finds_the_same_items(entry):
    (first, *_) = raters_of(study_of([entry]))
    before = [assignment.item_id for assignment in give_out(first, NOW)]
    vote(first, before[0], now=NOW)
    assert [a.item_id for a in give_out(first, NOW + timedelta(hours=1))] == before[1:]


def test_what_a_rater_leaves_lying_goes_to_others_when_the_lease_ends(entry):
    study = study_of([entry], raters=2, raters_per_item=1)
    first, second = raters_of(study)
    assert len(give_out(first, NOW)) == 6
    assert give_out(second, NOW) == []
    assert len(give_out(second, NOW + LEASE + timedelta(minutes=1))) == 6
    assert set(study.items.values_list("taken", flat=True)) == {1}


def test_a_vote_made_without_network_is_kept_though_others_have_the_item(entry):
    study = study_of([entry], raters=2, raters_per_item=1)
    first, second = raters_of(study)
    item = next_item(first, NOW)
    late = NOW + LEASE + timedelta(minutes=1)
    give_out(second, late)
    vote(second, item, 0, now=late)
    assert vote(first, item, 1, now=late + timedelta(minutes=1)).is_new
    vote_on_all(second, repeat(0), late)
    close_study(study=study)
    # one rater was wanted: who voted first counts, the other vote stays in the study
    assert set(Rating.objects.values_list("rater", "score")) == {
        (f"study {study.code}, rater 2", 0)
    }
    assert Vote.objects.count() == 7


def test_answers_of_a_withdrawn_entry_are_shown_to_nobody(entry, owner):
    other = spelled(entry.release, owner, "Other")
    study = study_of([entry, other], raters=2, check_every=3)
    first, second = raters_of(study)
    give_out(first, NOW)
    withdraw_submission(submission=other)
    for rater in (first, second):
        give_out(rater, NOW)
        shown = items_given(rater)
        items = study.items.filter(pk__in=[item.pk for item in shown])
        assert set(items.values_list("answer__submission", flat=True)) == {entry.pk}
    assert items.filter(is_check=False).count() == 6
    checks = study.items.filter(is_check=True, answer__submission=entry).count()
    assert len(shown) == 6 + min(3, checks)  # as many as go with six
    assert progress_of(second) == (0, 6 + min(3, checks))


def test_a_restored_entry_is_asked_about_again_from_where_its_votes_stand(entry, owner):
    other = spelled(entry.release, owner, "Other")
    study = study_of([entry, other], raters=1, raters_per_item=1)
    (rater,) = raters_of(study)
    vote_on_all(rater, [1] * 5, NOW)
    withdraw_submission(submission=other)
    while vote_on_all(rater, [1], NOW):
        pass
    left = study.items.filter(assignments__voted=None).count()
    assert left
    restore_submission(submission=other)
    give_out(rater, NOW)
    assert len(items_given(rater)) == left


@pytest.mark.parametrize("first", ["closed", "withdrawn"])
def test_votes_on_a_withdrawn_entry_are_there_when_it_is_restored(entry, owner, first):
    """Whichever came first: a closed study takes no votes in any more."""
    other = spelled(entry.release, owner, "Other")
    study = study_of([entry, other], raters=1)
    vote_on_all(raters_of(study)[0], [1] * 12, NOW)
    if first == "withdrawn":
        withdraw_submission(submission=other)
    (file,) = close_study(study=study)
    withdraw_submission(submission=other)
    restore_submission(submission=other)
    assert file.rating_count == 12
    ids = [str(number) for number in range(1, 7)]
    assert ratings_of(other, ids) == ratings_of(entry, ids) == {"correct": [(1,)] * 6}


def test_a_fourth_rater_is_asked_only_where_three_disagree_three_ways(entry):
    study = study_of([entry], raters=4)
    *three, fourth = raters_of(study)
    for rater, value in zip(three, (0, 1, 2), strict=True):
        for number, item in enumerate(sorted(a.item_id for a in give_out(rater, NOW))):
            vote(rater, item, value if number == 0 else 1, now=NOW)
    given = give_out(fourth, NOW)
    first = study.items.order_by("pk")[0]
    assert [assignment.item_id for assignment in given] == [first.pk]
    vote(fourth, first, 1, now=NOW)
    close_study(study=study)
    assert Rating.objects.count() == 19


@pytest.mark.parametrize("leaves", ["removed", "says something else"])
def test_a_fourth_counts_only_where_those_three_disagree_that_are_left(entry, leaves):
    study = study_of([entry], raters=5)
    first, *others, fifth = raters_of(study)
    item = next_item(first, NOW)
    for minute, (rater, value) in enumerate(zip((first, *others), (0, 1, 2, 1), strict=True)):
        at = NOW + timedelta(minutes=minute)
        give_out(rater, at)
        vote(rater, item, value, now=at)
    later = NOW + timedelta(minutes=9)
    if leaves == "removed":
        remove_rater(rater=first, reason="Did not look.")
        given = [assignment.item_id for assignment in give_out(fifth, later)]
        assert item.pk not in given
    else:
        take_back(rater=first, now=later)
        vote(first, item, 1, now=later)
    close_study(study=study)
    said = Rating.objects.order_by("pk").values_list("rater", "score")
    assert [(rater[-1], score) for rater, score in said] == [("2", 1), ("3", 2), ("4", 1)]


def three_ways(study):
    """Three raters say three things of one item, which a fourth is to look at."""
    *three, fourth, fifth = raters_of(study)
    item = next_item(three[0], NOW)
    for minute, (rater, value) in enumerate(zip(three, (0, 1, 2), strict=True)):
        at = NOW + timedelta(minutes=minute)
        give_out(rater, at)
        vote(rater, item, value, now=at)
    return item, three[2], fourth, fifth


def test_the_fourth_counts_once_one_who_disagreed_is_removed_and_heard_again(entry):
    study = study_of([entry], raters=5)
    item, third, fourth, fifth = three_ways(study)
    later = NOW + timedelta(minutes=9)
    remove_rater(rater=third, reason="Did not look.")
    give_out(fourth, later)
    vote(fourth, item, 1, now=later)
    reinstate_rater(rater=third)
    item.refresh_from_db()
    assert (item.taken, item.wanted) == (4, 4)
    assert item.pk not in [assignment.item_id for assignment in give_out(fifth, later)]
    close_study(study=study)
    said = Rating.objects.order_by("pk").values_list("rater", "score")
    assert [(rater[-1], score) for rater, score in said] == [("1", 0), ("2", 1), ("3", 2), ("4", 1)]


def test_the_fourth_is_asked_again_once_one_who_disagreed_is_heard_again(entry):
    study = study_of([entry], raters=5)
    item, third, fourth, _ = three_ways(study)
    remove_rater(rater=third, reason="Did not look.")
    reinstate_rater(rater=third)
    given = give_out(fourth, NOW + timedelta(minutes=9))
    assert item.pk in [assignment.item_id for assignment in given]


def test_where_one_who_disagreed_is_removed_one_is_asked_and_not_two(entry):
    study = study_of([entry], raters=5)
    item, third, fourth, fifth = three_ways(study)
    remove_rater(rater=third, reason="Did not look.")
    later = NOW + timedelta(minutes=9)
    given = [[one.item_id for one in give_out(rater, later)] for rater in (fourth, fifth)]
    assert [item.pk in keys for keys in given] == [True, False]


def test_removing_costs_as_many_queries_whatever_was_voted(owner, django_assert_max_num_queries):
    entry = spelled(words(60, slug="sixty"), owner)
    first, *_ = raters_of(study_of([entry]))
    while vote_on_all(first, [1], NOW):
        pass
    with django_assert_max_num_queries(18):
        remove_rater(rater=first, reason="Did not look.")
    with django_assert_max_num_queries(18):
        reinstate_rater(rater=first)


def test_a_disagreement_that_is_taken_back_asks_nobody_more(entry):
    study = study_of([entry], raters=4)
    *three, fourth = raters_of(study)
    item = next_item(three[0], NOW)
    for rater, value in zip(three, (0, 1, 2), strict=True):
        give_out(rater, NOW)
        vote(rater, item, value, now=NOW)
    item.refresh_from_db()
    assert item.wanted == 4
    take_back(rater=three[2], now=NOW)
    item.refresh_from_db()
    assert item.wanted == 3
    vote(three[2], item, 1, now=NOW)
    assert item.pk not in [assignment.item_id for assignment in give_out(fourth, NOW)]


def test_a_check_comes_as_often_as_the_study_says(owner):
    entry = spelled(words(60, slug="sixty"), owner)
    study = study_of([entry], raters=1, raters_per_item=1, check_every=20)
    (rater,) = raters_of(study)
    while vote_on_all(rater, [1], NOW):
        pass
    turns = list(rater.assignments.order_by("turn").values_list("item__is_check", flat=True))
    assert (len(turns), sum(turns)) == (63, 3)
    for start in range(0, 63, 21):
        assert sum(turns[start : start + 21]) == 1
    rater.refresh_from_db()
    assert rater.total == 63


def test_many_checks_come_among_the_items_that_they_go_with(owner):
    """One item in three: half as many checks as items in every batch, and none left to the end."""
    study = study_of([spelled(words(60, slug="sixty"), owner)], raters_per_item=1, check_every=3)
    (rater, *_) = raters_of(study)
    while vote_on_all(rater, [1], NOW):
        pass
    turns = list(rater.assignments.order_by("turn").values_list("item__is_check", flat=True))
    assert (len(turns), sum(turns)) == (90, 30)
    for start in range(0, 90, 30):
        assert 8 <= sum(turns[start : start + 30]) <= 12
    assert not all(turns[-5:])


def test_a_batch_is_topped_up_when_half_of_it_is_done(owner):
    entry = spelled(words(60, slug="sixty"), owner)
    (rater, *_) = raters_of(study_of([entry]))
    given = give_out(rater, NOW)
    assert len(given) == AT_ONCE
    for assignment in given[: AT_ONCE // 2 - 1]:
        vote(rater, assignment.item_id, now=NOW)
    assert len(give_out(rater, NOW)) == AT_ONCE // 2 + 1
    vote(rater, given[AT_ONCE // 2].item_id, now=NOW)
    assert len(give_out(rater, NOW)) == AT_ONCE


# --- votes ----------------------------------------------------------------------------------------


def test_a_vote_sent_twice_is_one_and_a_second_one_is_told(entry):
    (rater, *_) = raters_of(study_of([entry]))
    item, key = next_item(rater, NOW), uuid.uuid4()
    assert vote(rater, item, 1, key=key).is_new
    again = vote(rater, item, 1, key=key)
    assert (again.is_new, again.is_late) == (False, False)
    other_tab = vote(rater, item, 0)
    assert (other_tab.is_new, other_tab.is_late) == (False, True)
    assert list(Vote.objects.values_list("value", flat=True)) == [1]


def test_taking_back_keeps_the_vote_and_gives_the_item_again(entry):
    (rater, *_) = raters_of(study_of([entry]))
    first = next_item(rater, NOW)
    vote(rater, first, 1, now=NOW)
    second = next_item(rater, NOW)
    vote(rater, second, 0, now=NOW + timedelta(seconds=1))
    assert take_back(rater=rater, now=NOW) == second.pk
    assert take_back(rater=rater, now=NOW) == first.pk
    assert take_back(rater=rater, now=NOW) is None
    assert next_item(rater, NOW) == first
    vote(rater, first, 0, now=NOW)
    assert Vote.objects.filter(item=first).count() == 2
    assert Vote.objects.get(item=first, taken_back=None).value == 0


def test_a_vote_taken_back_elsewhere_does_not_come_back_when_sent_again(entry):
    (rater, *_) = raters_of(study_of([entry]))
    item, key = next_item(rater, NOW), uuid.uuid4()
    vote(rater, item, 1, key=key)
    take_back(rater=rater)
    assert not vote(rater, item, 1, key=key).is_new
    assert not Vote.objects.filter(taken_back=None).exists()


def test_a_vote_on_an_item_that_was_never_given_or_with_other_numbers_is_refused(entry):
    study = study_of([entry])
    rater, other, _ = raters_of(study)
    item = next_item(rater, NOW)
    with pytest.raises(StudyRefusedError, match="never given"):
        vote(other, item)
    with pytest.raises(StudyRefusedError, match="no answer"):
        vote(rater, item, 3)
    with pytest.raises(StudyRefusedError, match="every line"):
        cast_vote(rater=rater, item=item.pk, values={}, key=uuid.uuid4())


@pytest.mark.parametrize("is_closed", [False, True])
def test_what_was_handed_out_before_the_end_is_taken_for_the_stated_time(entry, is_closed):
    study = study_of([entry])
    rater, other, _ = raters_of(study)
    vote(rater, next_item(rater, NOW), now=NOW)
    first, second, *_ = (given.item for given in give_out(other, NOW))
    end = NOW + timedelta(hours=1) if is_closed else study.expires
    if is_closed:
        close_study(study=study, now=end)
    assert vote(other, first, now=end + LATE_TIME - timedelta(minutes=1)).is_new
    with pytest.raises(StudyRefusedError, match="no more votes"):
        vote(other, second, now=end + LATE_TIME)


def test_nothing_is_handed_out_once_a_study_has_ended(entry):
    study = study_of([entry])
    rater, other, _ = raters_of(study)
    vote(rater, next_item(rater, NOW), now=NOW)
    assert study.expires
    assert more_items(other, study.expires) == []
    close_study(study=study, now=NOW)
    assert more_items(other, NOW) == []
    assert len(more_items(rater, NOW)) == 5
    with pytest.raises(StudyRefusedError, match="never given"):
        vote(other, study.items.get(position=1), now=NOW)


def test_a_vote_costs_as_many_queries_whatever_was_voted_before(
    owner, django_assert_max_num_queries
):
    entry = spelled(words(30, slug="thirty"), owner)
    (rater, *_) = raters_of(study_of([entry]))
    for _ in range(20):
        vote(rater, next_item(rater, NOW), now=NOW)
    item = next_item(rater, NOW)
    with django_assert_max_num_queries(10):
        vote(rater, item, now=NOW)


# --- the end of a study ---------------------------------------------------------------------------


def test_closing_writes_the_standing_votes_as_ratings_and_nothing_counts_before(entry):
    study = study_of([entry], check_every=3)
    raters = raters_of(study)
    for rater in raters:
        vote_on_all(rater, repeat(1), NOW)
    take_back(rater=raters[0], now=NOW)
    StudyRater.objects.filter(pk=raters[2].pk).update(removed=NOW)
    assert not Rating.objects.exists()
    (file,) = close_study(study=study)
    assert (file.study, file.rating_count) == (study, Rating.objects.count())
    names = {f"study {study.code}, rater {number}" for number in (1, 2)}
    assert {*Rating.objects.values_list("rater", flat=True)} == names
    checks = study.items.filter(is_check=True).count()
    assert checks
    assert file.rating_count in (11, 12)  # what was taken back may have been a check
    assert len(ratings_of(entry, ["1"])["correct"][0]) in (1, 2)


def test_a_study_without_a_vote_is_not_closed_and_one_is_closed_once(entry):
    study = study_of([entry])
    with pytest.raises(StudyRefusedError, match="Nobody has voted"):
        close_study(study=study)
    (rater, *_) = raters_of(study)
    vote(rater, next_item(rater, NOW))
    close_study(study=study)
    with pytest.raises(StudyRefusedError, match="this one is closed"):
        close_study(study=study)
    assert RatingFile.objects.count() == 1


def test_withdrawing_a_closed_study_withdraws_its_ratings(entry):
    study = study_of([entry])
    (rater, *_) = raters_of(study)
    vote(rater, next_item(rater, NOW))
    close_study(study=study)
    with pytest.raises(StudyRefusedError, match="Say why"):
        withdraw_study(study=study, reason=" ")
    withdraw_study(study=study, reason="The instructions were wrong.")
    assert not Rating.objects.not_withdrawn().exists()
    assert Vote.objects.count() == 1
    with pytest.raises(StudyRefusedError, match="withdrawn before"):
        withdraw_study(study=study, reason="again")


def test_two_studies_of_the_same_answers_both_become_ratings(entry):
    for _ in range(2):
        study = study_of([entry])
        (rater, *_) = raters_of(study)
        vote(rater, next_item(rater, NOW))
        close_study(study=study)
    assert Rating.objects.not_withdrawn().count() == 2


def test_an_empty_study_is_not_opened_and_none_twice(entry):
    study = study_of([entry], is_open=False)
    open_study(study=study)
    with pytest.raises(StudyRefusedError, match="open already"):
        open_study(study=study)


def test_a_study_needs_an_entry(entry):
    with pytest.raises(StudyRefusedError, match="at least one"):
        create_study(
            release=entry.release,
            title="None",
            questionnaire="correct",
            submissions=[],
            size=1,
            seed=1,
        )


# --- the database ---------------------------------------------------------------------------------


@pytest.fixture
def voted(entry):
    study = study_of([entry])
    (rater, *_) = raters_of(study)
    vote(rater, next_item(rater, NOW))
    return study


@pytest.mark.parametrize(
    ("rows", "change"),
    [
        ("vote", {"value": 0}),
        ("vote", {"dimension": "charm"}),
        ("vote", {"milliseconds": 5}),
        ("study", {"seed": 8}),
        ("study", {"raters_per_item": 2}),
        ("study", {"state": "draft"}),
        ("study", {"failing": "left out"}),
        ("study", {"least_passed": 50}),
        ("study", {"quota": 2}),
        ("study", {"consent": "other"}),
        ("item", {"shown_answer": "other"}),
        ("item", {"position": 99}),
    ],
    ids=str,
)
def test_what_an_open_study_asked_and_heard_cannot_be_changed(voted, rows, change):
    found = {
        "vote": Vote.objects.all(),
        "study": type(voted).objects.filter(pk=voted.pk),
        "item": voted.items.filter(position=1),
    }[rows]
    with pytest.raises(Error), transaction.atomic():
        found.update(**change)


def test_votes_items_and_studies_are_not_deleted(voted):
    for rows in (Vote.objects.all(), voted.items.all(), type(voted).objects.all()):
        with pytest.raises(Error), transaction.atomic():
            rows._raw_delete(rows.db)


def test_a_vote_is_taken_back_once_and_stays_so(voted):
    Vote.objects.update(taken_back=NOW)
    with pytest.raises(Error), transaction.atomic():
        Vote.objects.update(taken_back=None)


def test_the_database_takes_no_late_vote_on_what_was_never_given_or_after_the_late_time(voted):
    given = Assignment.objects.filter(voted=None, item__study=voted).first()
    other = raters_of(voted)[1]
    close_study(study=voted, now=NOW)
    row = {"item": given.item, "dimension": "correct", "value": 1}
    with pytest.raises(Error), transaction.atomic():
        Vote.objects.create(**row, rater=other, key=uuid.uuid4(), at=NOW)
    late = NOW + LATE_TIME + timedelta(seconds=1)
    with pytest.raises(Error), transaction.atomic():
        Vote.objects.create(**row, rater=given.rater, key=uuid.uuid4(), at=late)
    assert Vote.objects.create(**row, rater=given.rater, key=uuid.uuid4(), at=NOW + LATE_TIME).pk


def test_the_database_takes_no_vote_of_a_removed_rater_or_another_studys(voted, entry):
    assignment = Assignment.objects.filter(voted=None, item__study=voted).first()
    removed = assignment.rater
    other = raters_of(study_of([entry]))[0]
    row = {"item": assignment.item, "dimension": "correct", "value": 1, "at": NOW}
    with pytest.raises(Error), transaction.atomic():
        Vote.objects.create(**row, rater=other, key=uuid.uuid4())
    StudyRater.objects.filter(pk=removed.pk).update(removed=NOW)
    with pytest.raises(Error), transaction.atomic():
        Vote.objects.create(**row, rater=removed, key=uuid.uuid4())
