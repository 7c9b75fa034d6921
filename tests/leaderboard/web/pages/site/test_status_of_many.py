"""What the status page costs where there is a history: nothing of it is looked at."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks.submissions.models import Submission
from judging.models import JudgeCall, Judgement, JudgeRun
from leaderboard.operations.sweeps import sweep_here
from leaderboard.web.pages.site.status import status_page
from tests.finished_work import analyze, copy_finished
from tests.rows_read import read_in_full, steps_of

LONG = timedelta(days=60)
FEW, MANY = 10, 250  # a thousand judgements, which PostgreSQL reads by an index where it has one


@pytest.fixture
def finished(submission: Submission) -> Submission:
    """Judged, scored and long ago, with a call in the ledger for each of its judgements."""
    sweep_here(grace=timedelta(0))
    JudgeRun.objects.update(planned=timezone.now() - LONG)
    Judgement.objects.update(settled=timezone.now() - LONG)
    return submission


def queries_of_the_page() -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        page = status_page()
    assert (page["state"], page["unplanned"], page["runs"]) == ("idle", 0, [])
    return [query["sql"] for query in captured.captured_queries]


@pytest.mark.slow
def test_no_query_reads_what_is_finished_from_end_to_end(finished):
    copy_finished(finished, MANY)
    JudgeCall.objects.update(started=timezone.now() - LONG)
    analyze()
    queries = queries_of_the_page()
    assert read_in_full(queries) == []
    of_submissions = [sql for sql in queries if 'FROM "submissions_submission"' in sql]
    assert len(of_submissions) >= 1
    assert read_in_full(of_submissions, [Submission]) == []


@pytest.mark.slow
@pytest.mark.skipif(connection.vendor != "sqlite", reason="counted by SQLite's virtual machine")
def test_no_query_looks_at_more_because_more_was_judged(finished):
    steps = []
    for times in (FEW, MANY):
        copy_finished(finished, times)
        JudgeCall.objects.update(started=timezone.now() - LONG)
        analyze()
        steps.append([steps_of(sql) for sql in queries_of_the_page()])
    few, many = steps
    assert [after for before, after in zip(few, many, strict=True) if after > before + 50] == []
