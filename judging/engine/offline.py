"""Judging by rules of this project: batch by batch, without ledger, limits and threads."""

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import timedelta

from django.conf import settings

from benchmarks.protocols.base import JudgeCase
from benchmarks.registry import protocol
from judging.coordination import queue
from judging.engine.leases import Leases, leased_rows, work_of
from judging.engine.outcomes import settlement_of
from judging.engine.stopping import STOPPING
from judging.judges.base import (
    Judge,
    JudgeHaltedError,
    JudgeRefusedError,
    JudgeRequest,
    JudgeUnavailableError,
    Reply,
)
from judging.models import Judgement, JudgeRun, JudgeSpec
from judging.selectors import cases_and_texts_of
from judging.services.verdicts import content_key, pin_leased

OFFLINE_BATCH = 600  # keys of one statement; SQLite takes 999 for certain
SLICES_PER_LEASE = 12  # 5 s of the usual minute: a host ten times as busy is still in time


def judge_offline(
    run: JudgeRun, judge: Judge, seconds: float, on_progress: Callable[[int], object]
) -> int:
    """Settle claimable judgements of the run by offline rules for up to `seconds`; returns how
    many were settled."""
    leases = Leases(timedelta(seconds=settings.JUDGE_LEASE_SECONDS) * 2)
    end, total = time.monotonic() + seconds, 0

    def is_stopping() -> bool:
        return time.monotonic() >= end or STOPPING.is_set()

    while not is_stopping():
        keys = leases.claim_all(work_of(run), limit=OFFLINE_BATCH)
        if not keys:
            break
        rows = leased_rows(run, keys)
        left = list(zip(rows, asked_today(rows, run.judge_spec), strict=True))
        while left:
            done = settle_slice(run, judge, left, leases.length / SLICES_PER_LEASE)
            total += done
            on_progress(done)
            keys = [row.pk for row, _ in left[done:]]
            if is_stopping():
                leases.release(keys)
                break
            leases.renew(keys, time.monotonic())
            kept = leases.kept(keys)
            left = [(row, case) for row, case in left[done:] if row.pk in kept]
    return total


def asked_today(rows: Sequence[Judgement], spec: JudgeSpec) -> list[JudgeCase]:
    """The case of each row by today's texts, which it names afterwards: it may have been planned by
    others."""
    pairs = cases_and_texts_of(rows, spec)
    judging = protocol(spec.protocol).judging
    pin_leased(
        (row, content_key(case, spec, judging), texts)
        for row, (case, texts) in zip(rows, pairs, strict=True)
        if row.texts is None or row.texts.key != texts.key
    )
    return [case for case, _ in pairs]


def settle_slice(
    run: JudgeRun, judge: Judge, work: Sequence[tuple[Judgement, JudgeCase]], limit: timedelta
) -> int:
    """The first of `work` are judged and stored, at least one and for about as long as `limit`; how
    many were.

    Long texts take seconds each: what is read is stored before the lease of the rest can run out.
    """
    spec, judging = run.judge_spec, protocol(run.judge_spec.protocol).judging
    end = time.monotonic() + limit.total_seconds()

    async def judged() -> list[queue.Settlement]:
        found = []
        for row, case in work:
            result = await ask(judge, JudgeRequest(case))
            found.append(settlement_of(row, *result, spec, judging))
            if time.monotonic() >= end:
                break
        return found

    settlements = asyncio.run(judged())
    queue.settle(settlements)
    return len(settlements)


async def ask(judge: Judge, request: JudgeRequest) -> tuple[Reply | Exception, int]:
    """The reply or the named failure, with its milliseconds."""
    start = time.perf_counter()
    try:
        outcome: Reply | Exception = await judge.ask(request)
    except (JudgeUnavailableError, JudgeRefusedError, JudgeHaltedError) as error:
        outcome = error
    return outcome, round((time.perf_counter() - start) * 1000)
