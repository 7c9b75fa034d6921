"""What closing a study costs and checks: its votes are thousands, its raters a handful."""

import cProfile
import pstats

import pytest
from django.utils import timezone

from benchmarks.protocols.base import Upload
from judging.panel.models import Rating, RatingFile, Study
from judging.panel.reading import read_rows
from judging.panel.services import import_ratings
from judging.panel.studies.errors import StudyRefusedError
from judging.panel.studies.lifecycle import close_study
from tests.judging.panel.study_world import raters_of, study_of, vote_on_all

NOW = timezone.now()
MOST_CALLS_A_VOTE = 350
"""Of Python functions. Storing a row takes some 200 of them and checking it 30; with the file read
back and each name looked at in every row there were 660."""


def voted(entry, count: int = 6) -> Study:
    """Three people said of every answer that it is right."""
    study = study_of([entry], raters=3, size=count)
    for rater in raters_of(study):
        vote_on_all(rater, now=NOW)
    return study


def calls_of_closing(study: Study) -> int:
    profile = cProfile.Profile()
    profile.runcall(close_study, study=study)
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]  # typeshed lacks it


def test_a_vote_more_costs_what_storing_it_costs_and_the_file_says_what_was_stored(
    entry, long_entry
):
    few, many = voted(entry), voted(long_entry, 24)
    before = calls_of_closing(few)
    more = calls_of_closing(many) - before
    assert Rating.objects.count() == 3 * (6 + 24)
    assert more / (3 * (24 - 6)) < MOST_CALLS_A_VOTE
    file = RatingFile.objects.get(study=few)
    with file.file.open("rb") as stored_file:
        found = read_rows(Upload(file.file_name, stored_file.read()))
    assert found.problems == ()
    stored = file.ratings.order_by("pk").values_list(
        "answer__submission", "answer__question__public_id", "rater", "dimension", "score"
    )
    assert [(row.entry, row.item, row.rater, row.dimension, row.score) for row in found.rows] == [
        (str(answered), *others, str(score)) for answered, *others, score in stored
    ]


def test_a_name_that_a_file_took_before_is_told_and_the_study_stays_open(entry):
    study = voted(entry)
    rater = f"Study {study.code}, Rater 1"
    row = f'{study.submissions.get().pk},1,"{rater}",correct,1'
    text = f"entry,item,rater,dimension,score\n{row}\n"
    import_ratings(upload=Upload("other.csv", text.encode()), by=None)
    with pytest.raises(StudyRefusedError, match="stored already"):
        close_study(study=study)
    study.refresh_from_db()
    assert study.is_open
    assert Rating.objects.count() == 1
