"""What is only seen with two connections: the slower of two imports is refused, and scoring waits
for an import."""

import threading
from collections.abc import Callable

import pytest
from django.db import connection, transaction

from benchmarks.protocols.base import Problem
from judging.panel.checking import read_ratings
from judging.panel.models import Rating, RatingFile
from judging.panel.services import RatingsRefusedError, import_ratings, store_ratings
from leaderboard.models import Scoresheet
from leaderboard.services import score_finished_runs, score_run
from tests.conftest import judged
from tests.judging.panel.files import ratings


@pytest.fixture
def entry(committed, request):
    return request.getfixturevalue("submission")


def start(work: Callable[[], object]) -> threading.Thread:
    """A thread with a connection of its own."""

    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


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

    with transaction.atomic():
        import_ratings(upload=ratings(entry, "1,ann,neatness,5"), by=None)
        other = start(store)
        other.join(timeout=0.5)
        assert other.is_alive()
    other.join(timeout=10)
    assert [(problem.code, problem.line) for problem in found] == [("stored", 3)]
    assert (RatingFile.objects.count(), Rating.objects.get().score) == (1, 5)


@pytest.mark.slow
def test_scoring_waits_for_an_import_and_knows_its_ratings(entry):
    run = judged(entry)
    with transaction.atomic():
        import_ratings(upload=ratings(entry, "1,ann,neatness,5"), by=None)
        other = start(lambda: score_run(run=run))
        other.join(timeout=0.5)
        assert other.is_alive()
    other.join(timeout=10)
    assert Scoresheet.objects.get().figures["neatness"][0] == 5
    assert score_finished_runs() == 0
