"""Judging by rules of this project: batch by batch, without ledger, limits and threads."""

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import timedelta

from django.conf import settings

from benchmarks.registry import protocol
from judging import queue
from judging.judges.base import (
    Judge,
    JudgeHaltedError,
    JudgeRefusedError,
    JudgeRequest,
    JudgeUnavailableError,
    Reply,
)
from judging.models import Judgement, JudgeRun
from judging.querysets import JudgementQuerySet
from judging.selectors import cases_of
from judging.services.outcomes import settlement_of
from judging.stopping import STOPPING

OFFLINE_BATCH = 600


def judge_offline(run: JudgeRun, judge: Judge, seconds: float, on_progress: Callable[[int], object]) -> int:
    """Claimable judgements of the run are settled; how many were."""
    spec, judging = run.judge_spec, protocol(run.judge_spec.protocol).judging
    lease = timedelta(seconds=settings.JUDGE_LEASE_SECONDS) * 2
    end, total = time.monotonic() + seconds, 0
    while time.monotonic() < end and not STOPPING.is_set():
        keys = queue.claim(work_of(run), limit=OFFLINE_BATCH, lease=lease)
        if not keys:
            break
        rows = leased_rows(run, keys)
        cases = cases_of(rows, spec)
        results = asyncio.run(ask_all(judge, [JudgeRequest(case) for case in cases], close=False))
        queue.settle([settlement_of(row, *result, spec, judging) for row, result in zip(rows, results, strict=True)])
        total += len(rows)
        on_progress(len(rows))
    return total


async def ask_all(
    judge: Judge, requests: Sequence[JudgeRequest], *, close: bool
) -> list[tuple[Reply | Exception, int]]:
    """Replies or named failures in the order of `requests`, each with its milliseconds; all are asked at once."""

    async def ask(request: JudgeRequest) -> tuple[Reply | Exception, int]:
        start = time.perf_counter()
        try:
            outcome: Reply | Exception = await judge.ask(request)
        except (JudgeUnavailableError, JudgeRefusedError, JudgeHaltedError) as error:
            outcome = error
        return outcome, round((time.perf_counter() - start) * 1000)

    try:
        return list(await asyncio.gather(*(ask(request) for request in requests)))
    finally:
        if close:
            await judge.close()


def work_of(run: JudgeRun) -> JudgementQuerySet:
    """The judgements of the run; none where its submission is withdrawn meanwhile."""
    return Judgement.objects.filter(run__in=JudgeRun.objects.standing().filter(pk=run.pk))


def leased_rows(run: JudgeRun, keys: Sequence[int]) -> list[Judgement]:
    """The rows with what a case is made of; the submission is that of the run, not read again."""
    rows = list(
        Judgement.objects.filter(pk__in=keys)
        .select_related("answer__question__subtask__ability", "answer__question__figure")
        .order_by("pk")
    )
    for row in rows:
        row.answer.submission = run.submission
    return rows
