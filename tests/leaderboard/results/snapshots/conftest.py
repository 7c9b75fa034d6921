"""Boards that are kept day by day."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User

from benchmarks.models import Release
from benchmarks.submissions.models import Submission
from leaderboard.models import BoardSnapshot, BoardVersion
from leaderboard.results.boards import editions
from leaderboard.results.boards.editions import refresh_boards
from leaderboard.results.chain.links import link_waiting
from tests.conftest import import_words, judged, submit

FIRST = datetime(2020, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def answers(right: int) -> bytes:
    said = {n: f"word{n}" if n <= right else f"other {n}" for n in range(1, 21)}
    return "".join(f"{n}={text}\n" for n, text in said.items()).encode()


def entered(name: str, right: int) -> Submission:
    owner = User.objects.get(username="rosa")
    submission = submit(Release.objects.get(), owner, answers(right), name=name)
    judged(submission)
    return submission


def kept(day: int) -> BoardSnapshot:
    """Stores the boards as on the day of that number, and says what was kept last."""
    link_waiting()
    BoardVersion.objects.update(next_at=None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(editions, "database_now", lambda: FIRST + day * DAY)
        refresh_boards()
    return BoardSnapshot.objects.latest("pk")


@pytest.fixture(scope="module")
def words(module_rows) -> None:
    User.objects.create_user("rosa", "rosa@example.org")
    import_words(range(1, 21))


@pytest.fixture(scope="module")
def enter_early(words) -> Callable[[str, int], Submission]:
    """For fixtures of a module: its rows stay until the last test."""
    return entered


@pytest.fixture(scope="module")
def keep() -> Callable[[int], BoardSnapshot]:
    return kept


@pytest.fixture
def enter(words, db) -> Callable[[str, int], Submission]:
    return entered
