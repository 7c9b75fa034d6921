"""Ratings are stored as the file has them, once, and withdrawn rather than changed."""

import pytest
from django.core.files.storage import storages
from django.db import IntegrityError, transaction
from django.db.models import Max

from benchmarks.protocols.base import Upload
from benchmarks.protocols.tiny_lvlm_ehub.panel import CORRECT
from benchmarks.protocols.tiny_lvlm_ehub.scoring import people_say
from judging.panel.checking import read_ratings, scale
from judging.panel.models import Rating, RatingFile
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


def test_ratings_and_labels_are_stored_with_their_file(submission, owner):
    file = ratings(submission, "1,ann,neatness,4", "1,bob,neatness,5")
    found = import_ratings(upload=file, by=owner)
    imported(labels(submission, "2,ann,correct", "2,bob,incorrect"))
    assert (found.count, found.is_new, found.file.uploaded_by) == (2, True, owner)
    with found.file.file.open() as stored:
        assert stored.read() == file.content
    assert list(found.file.submissions.all()) == [submission]
    assert list(
        Rating.objects.order_by("pk").values_list(
            "answer__question__public_id", "rater", "dimension", "score"
        )
    ) == [
        ("1", "ann", "neatness", 4),
        ("1", "bob", "neatness", 5),
        ("2", "ann", "correct", 1),
        ("2", "bob", "correct", 0),
    ]


def test_unclear_is_a_label_of_its_own_and_no_verdict_of_the_majority():
    unclear = CORRECT.unclear
    assert scale(CORRECT)[str(unclear)] == unclear
    assert people_say([1, unclear, unclear]) is True
    assert people_say([0, unclear, unclear, unclear]) is False
    assert people_say([unclear]) is None


def test_an_unclear_label_is_stored_as_the_number_of_its_dimension(submission):
    imported(labels(submission, "2,ann,unclear", "2,bob,correct"))
    assert ratings_of(submission, ["2"]) == {"correct": [(2, 1)]}


def test_unclear_is_no_score_where_nobody_may_say_so(submission):
    (problem,) = problems_of(ratings(submission, "1,ann,neatness,6"))
    assert (problem.code, problem.expected) == ("score", "a whole number from 1 to 5")


def test_a_file_of_tabs_is_read_too(submission):
    line = "\t".join([str(submission.pk), "1", "ann", "neatness", "4"])
    assert imported(upload(line, header=RATED.replace(",", "\t"), name="r.TSV")).count == 1


def test_the_name_of_a_file_is_shown_and_never_used_as_a_path(submission):
    content = ratings(submission, "1,ann,neatness,4").content
    file = imported(Upload("../../\u202eetc/ratings.CSV", content)).file
    assert file.file_name == "../../etc/ratings.CSV"
    assert file.file.name == f"ratings-{file.pk}.csv"


def test_scores_stand_in_the_order_of_the_raters_names(submission):
    imported(
        ratings(
            submission,
            "1,cy,neatness,3",
            "1,Dee,neatness,2",
            "1,ann,neatness,4",
            "4,ann,neatness,1",
        )
    )
    imported(labels(submission, "3,ann,correct"))
    assert ratings_of(submission, WORDS) == {
        "neatness": [(2, 4, 3), (), (), (1,)],
        "correct": [(), (), (1,), ()],
    }


def test_ratings_are_read_in_few_queries_and_of_one_entry(
    submission, spelling, owner, django_assert_num_queries
):
    imported(ratings(submission, "1,ann,neatness,3"))
    other = submit(spelling, owner, name="Another")
    with django_assert_num_queries(1):
        assert ratings_of(other, WORDS) == {}
    with django_assert_num_queries(4):  # with its files, and what was corrected since
        assert ratings_of(submission, ["4", "1"]) == {"neatness": [(), (3,)]}


def test_a_file_is_counted_by_entry_and_dimension(submission, spelling, owner):
    other = submit(spelling, owner, name="Another")
    lines = [f"{s.pk},{item},ann,correct,1" for s in (submission, other) for item in WORDS]
    found = imported(upload(*lines, f"{submission.pk},1,ann,neatness,4")).file
    assert [(line.model, line.dimension, line.count) for line in rating_counts(found)] == [
        ("Another", "correct", 4),
        ("Speller", "correct", 4),
        ("Speller", "neatness", 1),
    ]


def test_the_same_file_again_changes_nothing(submission):
    file = ratings(submission, "1,ann,neatness,4")
    first = imported(file)
    again = imported(Upload("other name.csv", file.content))
    assert (again.file, again.count, again.is_new) == (first.file, 1, False)
    assert (RatingFile.objects.count(), Rating.objects.count()) == (1, 1)


def test_the_queries_do_not_grow_with_the_rows(submission, django_assert_max_num_queries):
    many = ratings(
        submission, *(f"{word},rater {number},correct,1" for word in WORDS for number in range(30))
    )
    with django_assert_max_num_queries(16):
        assert imported(many).count == 120


# --- withdrawing ----------------------------------------------------------------------------------


def test_withdrawn_ratings_stay_and_count_no_longer(submission):
    file = imported(ratings(submission, "1,ann,neatness,4")).file
    imported(ratings(submission, "4,ann,neatness,2"))
    assert withdraw_ratings(file=file, reason="The scale was upside down.")
    file.refresh_from_db()
    assert (file.withdrawn is not None, file.reason) == (True, "The scale was upside down.")
    assert list(file.ratings.values_list("score", "is_withdrawn")) == [(4, True)]
    assert ratings_of(submission, WORDS) == {"neatness": [(), (), (), (2,)]}


def test_withdrawing_again_keeps_the_first_reason(submission):
    file = imported(ratings(submission, "1,ann,neatness,4")).file
    withdraw_ratings(file=file, reason="first")
    assert not withdraw_ratings(file=file, reason="second")
    assert RatingFile.objects.get().reason == "first"


def test_a_withdrawal_without_a_reason_is_refused_by_the_database(submission):
    file = imported(ratings(submission, "1,ann,neatness,4")).file
    with pytest.raises(IntegrityError), transaction.atomic():
        withdraw_ratings(file=file, reason="")
    assert ratings_of(submission, WORDS)


def test_a_corrected_file_is_imported_once_the_wrong_one_is_withdrawn(submission):
    wrong = imported(ratings(submission, "1,ann,neatness,4")).file
    corrected = ratings(submission, "1,ann,neatness,2")
    assert problems_of(corrected)
    withdraw_ratings(file=wrong, reason="typing error")
    assert imported(corrected).is_new
    assert ratings_of(submission, WORDS) == {"neatness": [(2,), (), (), ()]}


def test_a_withdrawn_file_can_be_imported_anew(submission):
    file = ratings(submission, "1,ann,neatness,4")
    first = imported(file).file
    withdraw_ratings(file=first, reason="by mistake")
    again = imported(file)
    assert (again.is_new, again.file != first) == (True, True)
    assert RatingFile.objects.count() == 2
    assert ratings_of(submission, WORDS) == {"neatness": [(4,), (), (), ()]}


# --- two at a time --------------------------------------------------------------------------------


def test_a_rating_stored_after_the_check_is_a_refusal_and_leaves_no_file(submission):
    slow = ratings(submission, "4,ann,neatness,1", "1,ann,neatness,4")
    reading = read_ratings(slow)
    imported(ratings(submission, "1,ann,neatness,5"))
    before = storages["uploads"].listdir("")
    with pytest.raises(RatingsRefusedError) as caught:
        store_ratings(slow, reading, None)
    assert [(p.code, p.line) for p in caught.value.problems] == [("stored", 3)]
    assert list(Rating.objects.values_list("score", flat=True)) == [5]
    assert storages["uploads"].listdir("") == before


def test_the_same_file_from_two_people_at_once_is_imported_once(submission):
    file = ratings(submission, "1,ann,neatness,4")
    reading = read_ratings(file)
    first = imported(file)
    second = store_ratings(file, reading, None)
    assert (second.file, second.is_new) == (first.file, False)
    assert Rating.objects.count() == 1


# --- the database ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change", [{"rater": ""}, {"dimension": ""}, {}], ids=["no rater", "no dimension", "twice"]
)
def test_the_database_refuses_what_is_no_rating(submission, change):
    imported(ratings(submission, "1,ann,neatness,4"))
    row = {
        **Rating.objects.values("file_id", "answer_id", "rater", "dimension", "score").get(),
        **change,
    }
    with pytest.raises(IntegrityError), transaction.atomic():
        Rating.objects.create(**row)


def test_a_file_is_as_new_as_its_import(submission):
    first = imported(ratings(submission, "1,ann,neatness,4")).file
    second = imported(ratings(submission, "4,ann,neatness,4")).file
    assert second.created > first.created
    assert RatingFile.objects.aggregate(newest=Max("created"))["newest"] == second.created
