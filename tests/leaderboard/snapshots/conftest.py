"""Boards that are kept day by day."""

from datetime import UTC, datetime, timedelta

import pytest

from benchmarks.submissions.models import Submission
from leaderboard import editions
from leaderboard.chain.links import link_waiting
from leaderboard.editions import refresh_boards
from leaderboard.models import BoardSnapshot, BoardVersion
from tests.conftest import import_words, judged, submit

FIRST = datetime(2020, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def answers(right: int) -> bytes:
    said = {n: f"word{n}" if n <= right else f"other {n}" for n in range(1, 21)}
    return "".join(f"{n}={text}\n" for n, text in said.items()).encode()


@pytest.fixture
def words(db):
    return import_words(range(1, 21))


@pytest.fixture
def enter(words, owner):
    def made(name: str, right: int) -> Submission:
        submission = submit(words, owner, answers(right), name=name)
        judged(submission)
        return submission

    return made


@pytest.fixture
def keep(monkeypatch):
    """Stores the boards as on the day of that number, and says what was kept last."""

    def kept(day: int) -> BoardSnapshot:
        link_waiting()
        BoardVersion.objects.update(next_at=None)
        monkeypatch.setattr(editions, "database_now", lambda: FIRST + day * DAY)
        refresh_boards()
        return BoardSnapshot.objects.latest("pk")

    return kept
