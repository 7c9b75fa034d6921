"""What closing a study costs and checks: its votes are thousands, its raters a handful."""

import cProfile
import pstats
from itertools import repeat

import pytest
from django.utils import timezone

from benchmarks.protocols.base import Upload
from judging.panel.models import Rating, Study
from judging.panel.reading import read_rows
from judging.panel.services import import_ratings
from judging.panel.studies.errors import StudyRefusedError
from judging.panel.studies.lifecycle import close_study
from tests.judging.panel.study_world import raters_of, spelled, study_of, vote_on_all, words

NOW = timezone.now()
MOST_CALLS_A_VOTE = 350
"""Of Python functions. Storing a row takes some 200 of them and checking it 30; with the file read
back and each name looked at in every row there were 660."""


def voted(owner, count: int, slug: str) -> Study:
    study = study_of([spelled(words(count, slug), owner, slug.title())], raters=3)
    for rater in raters_of(study):
        while vote_on_all(rater, repeat(1, 20), NOW):
            pass
    return study


def calls_of_closing(study: Study) -> int:
    profile = cProfile.Profile()
    profile.runcall(close_study, study=study)
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]  # typeshed lacks it


def test_a_vote_more_costs_what_storing_it_costs(owner, db):
    few, many = voted(owner, 20, "few"), voted(owner, 120, "many")
    before = calls_of_closing(few)
    more = calls_of_closing(many) - before
    assert Rating.objects.count() == 3 * (20 + 120)
    assert more / 300 < MOST_CALLS_A_VOTE


def test_the_file_says_what_was_stored_and_nothing_is_wrong_with_it(owner, db):
    study = voted(owner, 6, "few")
    (file,) = close_study(study=study)
    with file.file.open("rb") as stored_file:
        found = read_rows(Upload(file.file_name, stored_file.read()))
    assert found.problems == ()
    stored = Rating.objects.order_by("pk").values_list(
        "answer__submission", "answer__question__public_id", "rater", "dimension", "score"
    )
    assert [(row.entry, row.item, row.rater, row.dimension, row.score) for row in found.rows] == [
        (str(entry), item, rater, slug, str(score)) for entry, item, rater, slug, score in stored
    ]


def test_a_name_that_a_file_took_before_is_told_and_the_study_stays_open(owner, db):
    study = voted(owner, 6, "few")
    rater = f"Study {study.code}, Rater 1"
    row = f'{study.submissions.get().pk},1,"{rater}",correct,1'
    text = f"entry,item,rater,dimension,score\n{row}\n"
    import_ratings(upload=Upload("other.csv", text.encode()), by=None)
    with pytest.raises(StudyRefusedError, match="stored already"):
        close_study(study=study)
    study.refresh_from_db()
    assert study.is_open
    assert Rating.objects.count() == 1
