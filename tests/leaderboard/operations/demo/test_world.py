"""The three days of the demo, of the quickest of the benchmarks."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User

from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from leaderboard.models import BoardEdition, BoardRow, Scoresheet
from leaderboard.operations.demo.world import load_world

NOW = datetime(2031, 5, 20, 12, tzinfo=UTC)
ENTRIES, BASELINES, SAMPLES = 16, 9, 3
LAST_DAY = 5

pytestmark = pytest.mark.slow


def load(owner: User, *, judge_last: bool, now: datetime = NOW) -> list[str]:
    said: list[str] = []
    families = [protocol("tiny_lvlm_ehub_ability")]
    load_world(families=families, owner=owner, now=now, say=said.append, judge_last=judge_last)
    return said


@pytest.fixture(scope="module")
def loaded(module_rows) -> User:
    owner = User.objects.create_user("rosa", "rosa@example.org", "a long enough password")
    load(owner, judge_last=False)
    return owner


def synthetic():
    return Submission.objects.filter(model__name__startswith="Synthetic ")


def test_entries_come_over_three_days_and_the_last_ones_wait_for_the_worker(loaded, db):
    days = [(NOW - entry.created).days for entry in synthetic()]
    assert {day: days.count(day) for day in days} == {2: 6, 1: 5, 0: LAST_DAY}
    waiting = synthetic().filter(finished=None)
    assert {(NOW - entry.created).days for entry in waiting} == {0}
    assert waiting.count() == LAST_DAY
    assert set(waiting.values_list("runs__judge_spec__kind", flat=True)) == {"rules"}
    entries = synthetic().filter(withdrawn=None)
    assert set(entries.values_list("origin", "visibility")) == {("sample", "public")}
    assert all(entry.confirmed == entry.created for entry in entries)
    (gone,) = synthetic().exclude(withdrawn=None)
    assert gone.model.name == "Synthetic Katsura 7B"
    assert NOW - gone.withdrawn < timedelta(days=1) < NOW - gone.created
    assert synthetic().filter(model__name="Synthetic Hazel 8B").count() == 2
    assert not synthetic().exclude(flags=[]).exists()  # or one would be kept out


def test_scores_and_boards_are_of_the_day_on_which_their_entries_came(loaded, db):
    assert Scoresheet.objects.count() == ENTRIES + BASELINES + SAMPLES - LAST_DAY
    assert BoardRow.objects.exists()
    for sheet in Scoresheet.objects.select_related("submission"):
        since = sheet.computed - sheet.submission.created
        assert timedelta(0) < since < timedelta(hours=2)
        assert sheet.submission.finished == sheet.computed
    moments = sorted(BoardEdition.objects.values_list("computed", flat=True))
    assert [(NOW - moment).days for moment in moments] == [2, 1]


def test_what_waits_is_left_to_the_worker_or_judged_as_asked_and_nothing_is_added(loaded, db):
    before = set(Submission.objects.values_list("pk", "created", "withdrawn"))
    waiting = synthetic().filter(finished=None, withdrawn=None)
    said = load(loaded, judge_last=False, now=NOW + timedelta(minutes=5))
    assert not any("judged" in line for line in said)
    assert waiting.count() == LAST_DAY
    waiting.update(origin=Submission.Origin.UPLOAD)  # what people hand in
    load(loaded, judge_last=True)
    assert waiting.count() == LAST_DAY
    waiting.update(origin=Submission.Origin.SAMPLE)
    said = load(loaded, judge_last=True, now=NOW + timedelta(days=1))
    assert not any(line.startswith("Day") for line in said)
    assert not waiting.exists()
    assert set(Submission.objects.values_list("pk", "created", "withdrawn")) == before
    assert load(loaded, judge_last=True)[1:] == []
