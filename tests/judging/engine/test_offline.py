"""The rules at work on long texts: what is read is stored, and the lease of the rest is kept."""

import time
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from benchmarks.registry import protocol
from judging import queue
from judging.engine.engine import judge_run
from judging.engine.stopping import STOPPING
from judging.judges.base import JudgeRequest, Reply
from judging.judges.scripted import ScriptedJudge
from judging.models import Judgement, JudgeRun
from judging.services import ensure_spec, plan_run, request_run
from tests.conftest import submit
from tests.judging.crowd import crowd_release

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
    spec = ensure_spec(of=protocol("spelling"), kind="rules")
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    return run


def waiting(run: JudgeRun) -> int:
    return run.judgements.filter(state=State.WAITING).count()


def test_what_is_read_is_kept_when_the_process_ends(run):
    judge, planned = EndedJudge(["right"], makes_requests=False), waiting(run)
    with pytest.raises(ProcessEndedError):
        judge_run(run_id=run.pk, judge=judge)
    assert run.judgements.exclude(verdict="").filter(state=State.JUDGED).count() == 2
    assert run.judgements.filter(state=State.LEASED).count() == planned - 2


def test_the_lease_of_the_rest_is_renewed_after_every_slice(run):
    judge, planned, seen = ScriptedJudge(["right"], makes_requests=False), waiting(run), []
    long_ago = timezone.now() - HOUR

    def look(_done: int) -> None:
        rest = run.judgements.filter(state=State.LEASED)
        seen.append(rest.filter(lease_until=long_ago).count())
        rest.update(lease_until=long_ago)

    assert judge_run(run_id=run.pk, judge=judge, on_progress=look) == planned
    assert seen == [0] * planned
    assert len(judge.asked) == planned
    assert set(run.judgements.values_list("attempts", flat=True)) == {1}


def test_what_another_worker_claimed_meanwhile_is_not_read_again(run):
    judge, planned = ScriptedJudge(["right"], makes_requests=False), waiting(run)
    other = uuid4()

    def lose(_done: int) -> None:
        run.judgements.filter(state=State.LEASED).update(lease_until=timezone.now() - HOUR)
        queue.release_expired()
        queue.claim(Judgement.objects.filter(run=run), limit=99, lease=HOUR, holder=other)

    judge_run(run_id=run.pk, judge=judge, on_progress=lose)
    assert len(judge.asked) == 1
    assert run.judgements.filter(state=State.LEASED, holder=other).count() == planned - 1


def test_a_worker_told_to_stop_gives_back_what_it_has_not_read(run):
    judge, planned = ScriptedJudge(["right"], makes_requests=False), waiting(run)
    try:
        judge_run(run_id=run.pk, judge=judge, on_progress=lambda _done: STOPPING.set())
    finally:
        STOPPING.clear()
    assert len(judge.asked) == 1
    assert run.judgements.filter(state=State.WAITING, attempts=0).count() == planned - 1


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
    run = request_run(
        submission=submission, spec=ensure_spec(of=protocol("spelling"), kind="rules")
    )
    plan_run(run_id=run.pk)
    begun = time.monotonic()
    assert judge_run(run_id=run.pk, seconds=60.0) == run.judgements.count()
    assert time.monotonic() - begun < 30
