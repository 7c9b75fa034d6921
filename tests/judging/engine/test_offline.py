"""The rules at work on long texts: what is read is stored, and the lease of the rest is kept."""

import time
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from judging.coordination import queue
from judging.engine.engine import judge_run
from judging.engine.stopping import STOPPING
from judging.judges.base import JudgeRequest, Reply
from judging.models import Judgement, JudgeRun
from tests.conftest import submit
from tests.judging.crowd import crowd_release
from tests.judging.runs import found, planned
from tests.judging.scripted import ScriptedJudge

State = Judgement.State
HOUR = timedelta(hours=1)


class ProcessEndedError(Exception):
    """Stands for a signal nobody can catch: nothing of the code under test knows it."""


class EndedJudge(ScriptedJudge):
    """One whose process ends at the third question."""

    async def ask(self, request: JudgeRequest) -> Reply:
        if len(self.asked) == 2:
            raise ProcessEndedError
        return await super().ask(request)


@pytest.fixture
def run(submission, settings) -> JudgeRun:
    """Every text takes longer than a slice of the lease, however fast the machine is."""
    settings.JUDGE_LEASE_SECONDS = 0.0
    return planned(submission, kind="rules")


@pytest.fixture
def judge() -> ScriptedJudge:
    return ScriptedJudge(["right"], makes_requests=False)


def test_what_is_read_is_kept_when_the_process_ends(run):
    with pytest.raises(ProcessEndedError):
        judge_run(run_id=run.pk, judge=EndedJudge(["right"], makes_requests=False))
    rows = sorted(run.judgements.values_list("state", "verdict"))
    assert rows == [(State.JUDGED, "right")] * 2 + [(State.LEASED, "")] * 2


def test_the_lease_of_the_rest_is_renewed_after_every_slice(run, judge):
    seen, long_ago = [], timezone.now() - HOUR

    def look(_done: int) -> None:
        rest = run.judgements.filter(state=State.LEASED)
        seen.append(rest.filter(lease_until=long_ago).count())
        rest.update(lease_until=long_ago)

    assert judge_run(run_id=run.pk, judge=judge, on_progress=look) == len(judge.asked) == 4
    assert seen == [0] * 4
    assert found(run, "attempts") == {(1,)}


def test_what_another_worker_claimed_meanwhile_is_not_read_again(run, judge):
    other = uuid4()

    def lose(_done: int) -> None:
        run.judgements.filter(state=State.LEASED).update(lease_until=timezone.now() - HOUR)
        queue.release_expired()
        queue.claim(Judgement.objects.filter(run=run), limit=99, lease=HOUR, holder=other)

    judge_run(run_id=run.pk, judge=judge, on_progress=lose)
    assert len(judge.asked) == 1
    assert run.judgements.filter(state=State.LEASED, holder=other).count() == 3


def test_a_worker_told_to_stop_gives_back_what_it_has_not_read(run, judge):
    try:
        judge_run(run_id=run.pk, judge=judge, on_progress=lambda _done: STOPPING.set())
    finally:
        STOPPING.clear()
    assert len(judge.asked) == 1
    assert run.judgements.filter(state=State.WAITING, attempts=0).count() == 3


TABLES = (
    "judging_judgement",
    "judging_judgedtexts",
    "submissions_answer",
    "benchmarks_question",
    "benchmarks_figure",
)


def test_tables_last_counted_when_they_were_empty_cost_no_half_hour(db):
    """As after an import into a new site, until PostgreSQL counts again."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite counts no tables by itself")
    release = crowd_release(1500)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE pg_class SET reltuples = 0, relpages = 100 WHERE relname = ANY(%s)",
            [list(TABLES)],
        )
    submission = submit(release, None, b"".join(b"%d=word\n" % n for n in range(1, 1501)))
    run = planned(submission, kind="rules")
    begun = time.monotonic()
    assert judge_run(run_id=run.pk, seconds=60.0) == run.judgements.count()
    assert time.monotonic() - begun < 30
