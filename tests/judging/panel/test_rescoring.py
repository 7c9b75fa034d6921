"""What people say enters the scoresheets: imported and withdrawn ratings have runs scored again,
and only those."""

from datetime import timedelta

import pytest

from judging.panel.models import RatingFile
from judging.panel.services import withdraw_ratings
from leaderboard.models import Scoresheet
from leaderboard.operations.sweeps import sweep_here
from leaderboard.results.services import score_finished_runs
from tests.conftest import judged, submit
from tests.judging.panel.files import imported, labels, ratings

NOW = timedelta(0)


def value(submission, metric: str) -> float | None:
    packed = Scoresheet.objects.get(submission=submission).figures.get(metric)
    return packed[0] if packed else None


def test_an_import_and_a_withdrawal_have_the_run_scored_again_once_and_no_other(
    submission, spelling, owner, client
):
    other = submit(spelling, owner, name="Another")
    judged(submission)
    judged(other)
    before = Scoresheet.objects.get(submission=other).computed
    assert value(submission, "neatness") is None
    lines = "1,annabel,neatness,4", "1,bob,neatness,5", "4,annabel,neatness,2"
    file = imported(ratings(submission, *lines)).file
    assert (score_finished_runs(), score_finished_runs()) == (1, 0)
    assert value(submission, "neatness") == pytest.approx(11 / 3)
    page = client.get(f"/entries/{submission.pk}/").text
    assert "people say 4 5" in page
    assert "annabel" not in page
    withdraw_ratings(file=file, reason="wrong")
    assert (score_finished_runs(), score_finished_runs()) == (1, 0)
    assert value(submission, "neatness") is None
    assert Scoresheet.objects.get(submission=other).computed == before


def test_ratings_that_came_before_the_verdicts_are_scored_with_them(submission):
    imported(labels(submission, "1,ann,correct", "2,ann,correct"))
    judged(submission)
    assert value(submission, "agreement") == 0.5
    assert score_finished_runs() == 0


def test_a_sweep_brings_ratings_to_the_scoresheet(submission):
    sweep_here(grace=NOW)
    imported(labels(submission, "1,ann,incorrect"))
    sweep_here(grace=NOW)
    assert value(submission, "agreement") == 0.0


def test_a_file_of_the_same_moment_as_the_scoresheet_is_not_missed(submission):
    judged(submission)
    imported(ratings(submission, "1,ann,neatness,4"))
    RatingFile.objects.update(created=Scoresheet.objects.get().computed)
    assert score_finished_runs() == 1


def test_what_changed_is_found_in_two_queries_and_what_is_outdated_in_two(
    submission, spelling, owner, django_assert_num_queries
):
    for number in range(3):
        entry = submit(spelling, owner, name=f"Model {number}")
        judged(entry)
        imported(ratings(entry, "1,ann,neatness,4"))
    score_finished_runs()
    # the first: whose figures wait for others of their era
    with django_assert_num_queries(4):
        assert score_finished_runs() == 0
