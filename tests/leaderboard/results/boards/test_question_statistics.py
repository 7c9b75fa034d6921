"""What a board's entries say of its questions is stored with the board."""

import numpy as np
import pytest
from django.contrib.auth.models import User

from benchmarks.models import Release, ReleaseQuestion
from benchmarks.protocols.base import ScoredRow
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import set_visibility
from leaderboard.models import BoardVersion, QuestionStatistics, Scoresheet
from leaderboard.results.boards import question_statistics
from leaderboard.results.boards.editions import refresh_boards
from leaderboard.results.boards.question_statistics import question_table
from leaderboard.results.scoresheets.question_scores import packed_scores, unpacked_scores
from tests.conftest import import_words, judged, submit

QUESTIONS = 6


def answers_of(right: int) -> bytes:
    """The first so many are right; the others say which entry it is."""
    return "".join(
        f"{n}={f'word{n}' if n <= right else f'wrong{right}'}\n" for n in range(1, QUESTIONS + 1)
    ).encode()


def store() -> None:
    BoardVersion.objects.update(next_at=None)
    refresh_boards()


@pytest.fixture(scope="module")
def filled(module_rows) -> None:
    owner = User.objects.create_user("rosa", "rosa@example.org")
    release = import_words(range(1, QUESTIONS + 1))
    for right in (6, 3, 1):
        judged(submit(release, owner, answers_of(right), name=f"Speller {right}"))
    store()


@pytest.fixture
def words(filled, db) -> Release:
    return Release.objects.get(slug="words")


def table_of(release):
    sheet = Scoresheet.objects.filter(submission__release=release).first()
    return question_table(release, sheet.judge_spec)


def test_scores_are_kept_to_the_hundredth_and_none_stays_none():
    rows = [
        ScoredRow("right", True),
        ScoredRow("wrong", False),
        ScoredRow("no verdict", None),
        ScoredRow("7 of 9", None, points=0.78),
    ]
    (scores,) = unpacked_scores([packed_scores(rows)], 4)
    assert scores[:2].tolist() == [1, 0]
    assert np.isnan(scores[2])
    assert scores[3] == pytest.approx(0.78)


def test_share_of_entries_that_are_right_is_by_question(words):
    table = table_of(words)
    assert table.share == pytest.approx([1, 2 / 3, 2 / 3, 1 / 3, 1 / 3, 1 / 3])
    assert table.answered.tolist() == [3] * QUESTIONS
    members = ReleaseQuestion.objects.filter(release=words).order_by("position")
    assert table.question.tolist() == [*members.values_list("question", flat=True)]


def test_baselines_private_and_equal_entries_are_not_counted_others_once_the_board_is_stored(
    words,
):
    owner = User.objects.get()
    judged(submit(words, owner, answers_of(0), name="Secret", visibility="private"))
    judged(submit(words, owner, answers_of(6), name="Copy"))
    judged(submit(words, owner, answers_of(2), name="Speller 2"))
    Submission.objects.filter(model__name="Speller 1").update(origin="baseline")
    assert table_of(words).entries == 3
    store()
    table = table_of(words)
    assert (table.entries, table.countable, table.share[0]) == (3, 3, 1)


def test_only_the_first_of_a_large_board_are_counted(words, monkeypatch):
    monkeypatch.setattr(question_statistics, "MOST_ENTRIES", 2)
    Scoresheet.objects.update(computed=Scoresheet.objects.first().computed)
    store()
    table = table_of(words)
    assert (table.entries, table.countable) == (2, 3)
    assert table.share[2] == 1  # the third entry is the one that is wrong here


def test_sheets_from_before_scores_were_kept_are_left_out_and_an_empty_era_has_none(words):
    Scoresheet.objects.filter(submission__model__name="Speller 6").update(item_scores=None)
    store()
    assert table_of(words).entries == 2
    for submission in Submission.objects.all():
        set_visibility(submission=submission, visibility="private")
    store()
    assert not QuestionStatistics.objects.exists()


def test_pages_look_at_no_verdict_for_them(words, client, django_assert_max_num_queries):
    with django_assert_max_num_queries(12) as seen:
        assert client.get("/boards/spelling/questions/").status_code == 200
    assert not [q for q in seen.captured_queries if "judging_judgement" in q["sql"]]
