"""Ratings are stored as the file has them, once, and withdrawn rather than changed."""

import pytest
from django.core.files.storage import storages
from django.db import IntegrityError, transaction

from benchmarks.protocols.base import Upload
from benchmarks.protocols.tiny_lvlm_ehub.panel import CORRECT
from benchmarks.protocols.tiny_lvlm_ehub.scoring import vote_of_people
from judging.panel.checking import read_ratings, scale
from judging.panel.models import Rating
from judging.panel.selectors import rating_counts, ratings_of
from judging.panel.services import (
    RatingsRefusedError,
    import_ratings,
    store_ratings,
    withdraw_ratings,
)
from tests.conftest import submit
from tests.judging.panel.files import RATED, imported, labels, problems_of, ratings, upload

WORDS = ["1", "2", "3", "4"]


def test_ratings_and_labels_are_stored_with_their_file_and_read_in_the_order_of_raters(
    submission, spelling, owner, django_assert_num_queries
):
    file = ratings(submission, "1,cy,neatness,3", "1,Dee,neatness,2", "4,ann,neatness,1")
    found = import_ratings(upload=file, by=owner)
    labelled = "2,ann,correct", "2,bob,incorrect", "3,ann,unclear"
    second = imported(labels(submission, *labelled)).file
    assert (found.count, found.is_new, found.file.uploaded_by) == (3, True, owner)
    with found.file.file.open() as stored:
        assert stored.read() == file.content
    assert list(found.file.submissions.all()) == [submission]
    assert second.created > found.file.created
    assert list(
        Rating.objects.order_by("pk").values_list(
            "answer__question__public_id", "rater", "dimension", "score"
        )
    ) == [
        ("1", "cy", "neatness", 3),
        ("1", "Dee", "neatness", 2),
        ("4", "ann", "neatness", 1),
        ("2", "ann", "correct", 1),
        ("2", "bob", "correct", 0),
        ("3", "ann", "correct", 2),
    ]
    with django_assert_num_queries(4):  # with its files, and what was corrected since
        assert ratings_of(submission, WORDS) == {
            "neatness": [(2, 3), (), (), (1,)],
            "correct": [(), (1, 0), (2,), ()],
        }
    other = submit(spelling, owner, name="Another")
    with django_assert_num_queries(1):
        assert ratings_of(other, WORDS) == {}


def test_unclear_is_a_label_of_its_own_no_verdict_of_the_majority_and_no_score(submission):
    unclear = CORRECT.unclear
    assert scale(CORRECT)[str(unclear)] == unclear
    said = [[1, unclear, unclear], [0, unclear, unclear, unclear], [unclear]]
    assert [vote_of_people(labels) for labels in said] == [True, False, None]
    (problem,) = problems_of(ratings(submission, "1,ann,neatness,6"))
    assert (problem.code, problem.expected) == ("score", "a whole number from 1 to 5")


def test_the_name_of_a_file_is_shown_and_never_used_as_a_path(submission):
    line = "\t".join([str(submission.pk), "1", "ann", "neatness", "4"])
    assert imported(upload(line, header=RATED.replace(",", "\t"), name="r.TSV")).count == 1
    content = ratings(submission, "4,ann,neatness,4").content
    file = imported(Upload("../../\u202eetc/ratings.CSV", content)).file
    assert file.file_name == "../../etc/ratings.CSV"
    assert file.file.name == f"ratings-{file.pk}.csv"


def test_a_file_is_counted_by_entry_and_dimension_in_as_many_queries_whatever_its_size(
    submission, spelling, owner, django_assert_max_num_queries
):
    other = submit(spelling, owner, name="Another")
    lines = [
        f"{entry.pk},{item},rater {number},correct,1"
        for entry in (submission, other)
        for item in WORDS
        for number in range(15)
    ]
    with django_assert_max_num_queries(17):
        found = imported(upload(*lines, f"{submission.pk},1,ann,neatness,4")).file
    assert [(line.model, line.dimension, line.count) for line in rating_counts(found)] == [
        ("Another", "correct", 60),
        ("Speller", "correct", 60),
        ("Speller", "neatness", 1),
    ]


# --- withdrawing ----------------------------------------------------------------------------------


def test_withdrawn_ratings_stay_and_count_no_longer_and_can_be_imported_anew(submission):
    file = ratings(submission, "1,ann,neatness,4")
    first = imported(file).file
    again = imported(Upload("other name.csv", file.content))
    assert (again.file, again.count, again.is_new) == (first, 1, False)
    imported(ratings(submission, "4,ann,neatness,2"))
    corrected = ratings(submission, "1,ann,neatness,5")
    assert problems_of(corrected)
    with pytest.raises(IntegrityError), transaction.atomic():
        withdraw_ratings(file=first, reason="")
    assert withdraw_ratings(file=first, reason="The scale was upside down.")
    assert not withdraw_ratings(file=first, reason="second")
    first.refresh_from_db()
    assert (first.withdrawn is not None, first.reason) == (True, "The scale was upside down.")
    assert list(first.ratings.values_list("score", "is_withdrawn")) == [(4, True)]
    assert ratings_of(submission, WORDS) == {"neatness": [(), (), (), (2,)]}
    anew = imported(file)
    assert (anew.is_new, anew.file != first) == (True, True)
    assert ratings_of(submission, WORDS) == {"neatness": [(4,), (), (), (2,)]}
    withdraw_ratings(file=anew.file, reason="typing error")
    assert imported(corrected).is_new
    assert ratings_of(submission, WORDS) == {"neatness": [(5,), (), (), (2,)]}


# --- two at a time --------------------------------------------------------------------------------


def test_what_was_stored_after_the_check_is_a_refusal_or_the_same_file_and_leaves_none(submission):
    slow = ratings(submission, "4,ann,neatness,1", "1,ann,neatness,4")
    quick = ratings(submission, "1,ann,neatness,5")
    readings = read_ratings(slow), read_ratings(quick)
    first = imported(quick)
    before = storages["uploads"].listdir("")
    with pytest.raises(RatingsRefusedError) as caught:
        store_ratings(slow, readings[0], None)
    assert [(p.code, p.line) for p in caught.value.problems] == [("stored", 3)]
    second = store_ratings(quick, readings[1], None)
    assert (second.file, second.is_new) == (first.file, False)
    assert list(Rating.objects.values_list("score", flat=True)) == [5]
    assert storages["uploads"].listdir("") == before


# --- the database ---------------------------------------------------------------------------------


def test_the_database_refuses_a_rating_of_nobody_of_nothing_and_a_second_one(submission):
    imported(ratings(submission, "1,ann,neatness,4"))
    row = Rating.objects.values("file_id", "answer_id", "rater", "dimension", "score").get()
    for change in ({"rater": ""}, {"dimension": ""}, {}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Rating.objects.create(**row | change)
