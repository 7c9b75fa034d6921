"""What is only seen with two connections: the slower of two imports is refused, and scoring waits
for an import."""

import pytest
from django.contrib.auth.models import User

from benchmarks.protocols.base import Problem
from benchmarks.submissions.models import Submission
from judging.panel.checking import read_ratings
from judging.panel.models import Rating, RatingFile
from judging.panel.services import RatingsRefusedError, import_ratings, store_ratings
from leaderboard.models import Scoresheet
from leaderboard.results.services import score_finished_runs, score_run
from tests.conftest import import_spelling, judged, submit
from tests.judging.panel.files import ratings
from tests.judging.threads import waiting_for_commit


@pytest.fixture
def entry(committed) -> Submission:
    owner = User.objects.create_user("rosa", "rosa@example.org")
    return submit(import_spelling(), owner)


@pytest.mark.slow
def test_the_slower_of_two_imports_of_one_rating_is_refused(entry):
    slow = ratings(entry, "4,ann,neatness,1", "1,ann,neatness,4")
    reading = read_ratings(slow)
    found: list[Problem] = []

    def store() -> None:
        try:
            store_ratings(slow, reading, None)
        except RatingsRefusedError as error:
            found.extend(error.problems)

    with waiting_for_commit(store):
        import_ratings(upload=ratings(entry, "1,ann,neatness,5"), by=None)
    assert [(problem.code, problem.line) for problem in found] == [("stored", 3)]
    assert (RatingFile.objects.count(), Rating.objects.get().score) == (1, 5)


@pytest.mark.slow
def test_scoring_waits_for_an_import_and_knows_its_ratings(entry):
    run = judged(entry)
    with waiting_for_commit(lambda: score_run(run=run)):
        import_ratings(upload=ratings(entry, "1,ann,neatness,5"), by=None)
    assert Scoresheet.objects.get().figures["neatness"][0] == 5
    assert score_finished_runs() == 0
