"""What people said cannot be changed, by whatever path one tries: only withdrawn, with its file."""

import pytest
from django.apps import apps
from django.db import Error, connection, transaction
from django.utils import timezone

from judging.panel.immutability import GUARDS, install_rating_guards
from judging.panel.models import Rating, RatingFile
from judging.panel.services import withdraw_ratings
from tests.conftest import submit
from tests.judging.panel.files import imported, ratings

MESSAGES = {guard.event: guard.message for guard in GUARDS if guard.table == "panel_rating"}


@pytest.fixture
def file(submission) -> RatingFile:
    return imported(ratings(submission, "1,ann,neatness,4", "1,bob,neatness,5")).file


def refused(event: str, change) -> None:
    before = list(Rating.objects.order_by("pk").values())
    with pytest.raises(Error, match=MESSAGES[event]), transaction.atomic():
        change()
    assert list(Rating.objects.order_by("pk").values()) == before


def copied(rating: Rating, **values) -> Rating:
    fields = ("file", "answer", "dimension", "score")
    return Rating.objects.create(**{name: getattr(rating, name) for name in fields} | values)


@pytest.mark.parametrize(
    "values",
    [{"score": 1}, {"rater": "eve"}, {"dimension": "beauty"}, {"is_withdrawn": True}, {"id": 4711}],
    ids=str,
)
def test_no_column_of_a_rating_can_be_changed(file, values):
    refused("UPDATE", lambda: file.ratings.filter(rater="ann").update(**values))


def test_a_rating_cannot_be_moved_to_another_answer_or_file(file, spelling, owner):
    other = imported(ratings(submit(spelling, owner, name="Other"), "1,ann,neatness,4")).file
    rating = other.ratings.get()
    refused("UPDATE", lambda: file.ratings.filter(rater="ann").update(answer=rating.answer_id))
    refused("UPDATE", lambda: other.ratings.update(file=file))


def test_a_rating_cannot_be_saved_changed_or_changed_in_bulk(file):
    rating = file.ratings.get(rater="ann")
    rating.score = 1
    refused("UPDATE", rating.save)
    refused("UPDATE", lambda: Rating.objects.bulk_update([rating], ["score"]))


def test_a_rating_cannot_be_deleted(file):
    refused("DELETE", lambda: file.ratings.filter(rater="ann").delete())
    refused("DELETE", lambda: execute("DELETE FROM panel_rating"))


def execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def test_a_file_is_withdrawn_with_its_ratings_and_a_corrected_one_comes_in(file, submission):
    assert withdraw_ratings(file=file, reason="wrong scores")
    assert set(file.ratings.values_list("is_withdrawn", flat=True)) == {True}
    assert imported(ratings(submission, "1,ann,neatness,2")).is_new
    assert Rating.objects.count() == 3


def test_a_withdrawn_rating_stays_withdrawn_and_as_it_is(file):
    withdraw_ratings(file=file, reason="wrong scores")
    refused("UPDATE", lambda: file.ratings.update(is_withdrawn=False))
    refused("UPDATE", lambda: file.ratings.update(score=1))
    refused("DELETE", lambda: file.ratings.all().delete())


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
    install_rating_guards(sender=apps.get_app_config("panel"), using="default")
    refused("UPDATE", lambda: file.ratings.update(score=1))
