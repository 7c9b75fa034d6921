"""What people said cannot be changed, by whatever path one tries: only withdrawn, with its file."""

import uuid
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.apps import apps
from django.db import Error, connection, transaction
from django.utils import timezone

from benchmarks.common.triggers import install_kept
from benchmarks.submissions.models import Submission
from judging.panel.immutability import GUARDS
from judging.panel.models import Assignment, Rating, RatingFile, Study, StudyRater, Vote
from judging.panel.services import withdraw_ratings
from judging.panel.studies.lifecycle import LATE_TIME, close_study
from tests.conftest import submit
from tests.judging.panel.files import imported, ratings
from tests.judging.panel.study_world import next_item, raters_of, study_of, vote

NOW = timezone.now()

MESSAGES = {guard.event: guard.message for guard in GUARDS if guard.table == "panel_rating"}


@pytest.fixture(scope="module")
def module_file(module_submission: Submission) -> RatingFile:
    return imported(ratings(module_submission, "1,ann,neatness,4", "1,bob,neatness,5")).file


@pytest.fixture
def file(module_file, db) -> RatingFile:
    return RatingFile.objects.get(pk=module_file.pk)


def refused(event: str, change) -> None:
    before = list(Rating.objects.order_by("pk").values())
    with pytest.raises(Error, match=MESSAGES[event]), transaction.atomic():
        change()
    assert list(Rating.objects.order_by("pk").values()) == before


def copied(rating: Rating, **values) -> Rating:
    fields = ("file", "answer", "dimension", "score")
    return Rating.objects.create(**{name: getattr(rating, name) for name in fields} | values)


def test_nothing_of_a_rating_can_be_changed_saved_moved_or_deleted(file, spelling, owner):
    ann = file.ratings.filter(rater="ann")
    for values in (
        {"score": 1},
        {"rater": "eve"},
        {"dimension": "beauty"},
        {"is_withdrawn": True},
        {"id": 4711},
    ):
        refused("UPDATE", partial(ann.update, **values))
    other = imported(ratings(submit(spelling, owner, name="Other"), "1,ann,neatness,4")).file
    refused("UPDATE", lambda: ann.update(answer=other.ratings.get().answer_id))
    refused("UPDATE", lambda: other.ratings.update(file=file))
    rating = ann.get()
    rating.score = 1
    refused("UPDATE", rating.save)
    refused("UPDATE", lambda: Rating.objects.bulk_update([rating], ["score"]))
    refused("DELETE", ann.delete)
    refused("DELETE", lambda: execute("DELETE FROM panel_rating"))


def execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def test_a_withdrawn_rating_stays_withdrawn_and_a_corrected_file_comes_in(file, submission):
    assert withdraw_ratings(file=file, reason="wrong scores")
    assert set(file.ratings.values_list("is_withdrawn", flat=True)) == {True}
    refused("UPDATE", lambda: file.ratings.update(is_withdrawn=False))
    refused("UPDATE", lambda: file.ratings.update(score=1))
    refused("DELETE", lambda: file.ratings.all().delete())
    assert imported(ratings(submission, "1,ann,neatness,2")).is_new
    assert Rating.objects.count() == 3


def test_a_withdrawn_file_takes_no_rating_more(file):
    rating = file.ratings.first()
    refused("INSERT", lambda: copied(rating, rater="cy", is_withdrawn=True))
    RatingFile.objects.filter(pk=file.pk).update(withdrawn=timezone.now(), reason="wrong")
    refused("INSERT", lambda: copied(rating, rater="cy"))


def test_guards_that_a_migration_dropped_are_there_again_after_it(file):
    for guard in GUARDS:
        execute(
            f"DROP TRIGGER {guard.name}"
            + (f" ON {guard.table}" if connection.vendor == "postgresql" else "")
        )
    install_kept(apps.get_app_config("panel"))
    refused("UPDATE", lambda: file.ratings.update(score=1))


# --- studies and votes ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def module_voted(module_entry: Submission) -> Study:
    study = study_of([module_entry])
    (rater, *_) = raters_of(study)
    vote(rater, next_item(rater, NOW))
    return study


@pytest.fixture
def voted(module_voted, db) -> Study:
    return Study.objects.get(pk=module_voted.pk)


def refused_by_the_database(change, *args, **values) -> bool:
    try:
        with transaction.atomic():
            change(*args, **values)
    except Error:
        return True
    return False


FIXED: dict[str, list[dict[str, Any]]] = {
    "votes": [{"value": 0}, {"dimension": "charm"}, {"milliseconds": 5}],
    "studies": [
        {"seed": 8},
        {"raters_per_item": 2},
        {"state": "draft"},
        {"failing": "left out"},
        {"least_passed": 50},
        {"quota": 2},
        {"consent": "other"},
    ],
    "items": [{"shown_answer": "other"}, {"position": 99}],
}


def test_what_an_open_study_asked_and_heard_is_neither_changed_nor_deleted(voted):
    rows = {
        "votes": Vote.objects.all(),
        "studies": Study.objects.filter(pk=voted.pk),
        "items": voted.items.filter(position=1),
    }
    taken: list[tuple[str, object]] = [
        (name, change)
        for name, changes in FIXED.items()
        for change in changes
        if not refused_by_the_database(rows[name].update, **change)
    ]
    taken += [
        (name, "deleted")
        for name, found in rows.items()
        if not refused_by_the_database(found._raw_delete, found.db)
    ]
    assert taken == []
    Vote.objects.update(taken_back=NOW)
    assert refused_by_the_database(Vote.objects.update, taken_back=None)


def test_the_database_takes_no_vote_that_is_late_of_nobody_or_of_one_removed(voted, entry):
    given = Assignment.objects.filter(voted=None, item__study=voted).first()
    row = {"item": given.item, "dimension": "correct", "value": 1}
    of_another_study = raters_of(study_of([entry]))[0]

    def is_refused(rater: StudyRater, at: datetime = NOW) -> bool:
        key = uuid.uuid4()
        return refused_by_the_database(Vote.objects.create, **row, rater=rater, key=key, at=at)

    assert is_refused(of_another_study)
    removed = StudyRater.objects.filter(pk=given.rater_id)
    removed.update(removed=NOW)
    assert is_refused(given.rater)
    removed.update(removed=None)
    close_study(study=voted, now=NOW)
    assert is_refused(raters_of(voted)[1])  # to whom it was never given
    assert is_refused(given.rater, NOW + LATE_TIME + timedelta(seconds=1))
    assert not is_refused(given.rater, NOW + LATE_TIME)
